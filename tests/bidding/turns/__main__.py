"""Records what is known at each turn again: ``python -m tests.bidding.turns``."""

from __future__ import annotations

from tests.bidding.turns import RECORDED, lines

RECORDED.write_text("".join(f"{line}\n" for line in lines()), "utf-8")
