"""Records what is known at each turn again: ``python -m tests.bidding.turns``."""

from __future__ import annotations

from tests.bidding.turns import FINDINGS, RECORDED, TABLE, findings, lines, table

for path, found in ((RECORDED, lines), (TABLE, table), (FINDINGS, findings)):
    path.write_text("".join(f"{line}\n" for line in found()), "utf-8")
