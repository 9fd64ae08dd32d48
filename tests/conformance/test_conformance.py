"""Conformance to Kaitai Struct does not fall below what has been reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import broken, kst, roundtrip
from tests.conformance.run import markdown, measure
from tests.conformance.suite import VARIABLE, Result, guarded, suite_folder

SUITE = suite_folder()
needs_suite = pytest.mark.skipif(SUITE is None, reason=f"{VARIABLE} does not name a checkout of kaitai_struct_tests")


def passed(results: list[Result]) -> int:
    return sum(result.passed for result in results)


@needs_suite
def test_the_language_is_read_as_kaitai_reads_it() -> None:
    """Every assertion of the suite holds, by interpretation alone."""
    assert SUITE is not None
    results = kst.run_all(SUITE)
    assert passed(results) == len(results), [r for r in results if not r.passed]


@needs_suite
def test_broken_schemas_are_refused_with_a_place() -> None:
    """Each broken schema of the suite is refused, each doubtful one warned of, with line and column."""
    assert SUITE is not None
    for kind in ("error", "warning"):
        results = broken.run_all(SUITE, kind)
        assert passed(results) == len(results), [r for r in results if not r.passed]


@needs_suite
def test_what_is_read_can_be_written() -> None:
    """Every file of the suite comes back, byte for byte as it was spelled and equal as it is spelled anew."""
    assert SUITE is not None
    results = roundtrip.run_all(SUITE)
    assert passed(results) == len(results), [r for r in results if not r.passed]


def test_the_runner_counts_what_fails(tmp_path: Path) -> None:
    """A test that fails or raises is counted as such and named in the report; an empty suite gives empty rows."""

    def explode() -> str:
        raise ValueError("no\nmore")

    rows = [guarded("good", lambda: ""), guarded("bad", lambda: "differs"), guarded("ugly", explode)]
    assert [r.passed for r in rows] == [True, False, False]
    text = markdown({"kst": rows})
    assert [cell.strip() for cell in text.splitlines()[2].split("|")[2:4]] == ["1", "3"]
    assert "ugly: ValueError: no" in text
    assert measure(tmp_path, None) == {"kst": [], "broken": [], "doubtful": [], "roundtrip": []}
