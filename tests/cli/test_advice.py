"""Fixes are computed from the file as repaired: each has the edits of its own record only."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bridgespec.cli.advice import advised
from bridgespec.cli.fixes import apply_fixes
from bridgespec.cli.settings import Settings
from bridgespec.engines import engine

BSS = Path(__file__).parents[1] / "samples" / "bss"


@pytest.mark.parametrize("seed", range(60))
def test_a_repair_changes_its_own_record(seed: int) -> None:
    """Faulty records side by side in any order: applied alone, the repair of each finding leaves every other record as it is."""
    random = Random(seed)
    faulty = (BSS / "bad" / "records.bss").read_bytes().splitlines(keepends=True)
    sound = (BSS / "example1.bss").read_bytes().splitlines(keepends=True)
    lines = [random.choice(faulty if random.random() < 0.8 else sound) for _ in range(random.randint(2, 5))]
    report = engine().examine(b"".join(lines), "bss")
    for found in advised(Settings(), report).diagnostics:
        if found.fix is None or found.span is None:
            continue
        own = b"".join(lines)[: found.span.byte_start].count(b"\n")
        after = apply_fixes(b"".join(lines), [found.fix]).splitlines(keepends=True)
        assert after != lines
        assert [*after[:own], *after[own + 1 :]] == [*lines[:own], *lines[own + 1 :]], found


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16"])
def test_every_faulty_record_can_be_repaired(encoding: str) -> None:
    """That two records have the same fault costs neither its repair, however the file encodes its text."""
    text = "001NDR=NNNNNNN8+ HCP\r\n002NDR=NNNNNNN8+ HCP\r\n"
    data = text.encode(encoding)
    report = engine().examine(data, "bss")
    fixes = [
        found.fix for found in advised(Settings(), report).diagnostics if found.code == "lost-disposition" and found.fix is not None
    ]
    assert len(fixes) == 2
    assert apply_fixes(data, fixes) == text.replace("8+", "08+").encode(encoding)
    assert apply_fixes(data, fixes[1:]).decode(encoding) == text[:22] + text[22:].replace("8+", "08+")
