"""Rules that reach themselves: read and written, to a bounded depth, and no slower for having been tried twice."""

from __future__ import annotations

import pytest

from bridgespec.codec.text.codec import plain
from bridgespec.codec.text.found import DEEP, Run
from tests.codec.text.support import codec_of

TREE = 'start: tree*\ntree: "(" name tree* ")" _NL?\nname: /[a-z]++/\n_NL: /\\n/\n'


@pytest.mark.parametrize("accelerated", [True, False])
def test_a_tree_of_records(accelerated: bool) -> None:
    """Records in records, and back to the same text."""
    codec = codec_of(TREE, accelerated)
    reading = codec.read(b"(a(b)(c(d)))")
    whole = {"tree": [{"name": "a", "tree": [{"name": "b"}, {"name": "c", "tree": [{"name": "d"}]}]}]}
    assert (plain(reading.root), reading.diagnostics) == (whole, [])
    assert codec.write(whole) == b"(a(b)(c(d)))"


def test_a_list_that_is_layout() -> None:
    """Layout that reaches itself makes an array."""
    codec = codec_of('start: _list\n_list: item ("," _list)?\nitem: /[a-z]/\n')
    assert plain(codec.read(b"a,b,c").root) == {"item": ["a", "b", "c"]}
    assert codec.write({"item": ["a", "b", "c"]}) == b"a,b,c"


def test_too_deep_a_text_is_a_finding() -> None:
    """With the place where it was too deep; the next line is read."""
    deep = 2 * DEEP
    reading = codec_of(TREE).read(b"(a" * deep + b")" * deep + b"\n(a)\n")
    assert plain(reading.root) == {"tree": [{"name": "a"}]}
    (finding,) = reading.diagnostics
    assert finding.span is not None
    assert (finding.code, finding.span.byte_start) == ("too-deep", 2 * DEEP)
    assert len(codec_of(TREE).read(b"(a" * 10_000).diagnostics) == 1


def test_alternatives_that_begin_alike_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty levels, at each of which the first of two alternatives fails at its last character: not two to the fiftieth steps."""
    runs: list[Run] = []
    make = Run.__init__

    def kept(self: Run, *args: object, **options: object) -> None:
        make(self, *args, **options)  # type: ignore[arg-type]
        runs.append(self)

    monkeypatch.setattr(Run, "__init__", kept)
    reading = codec_of('start: a\na: "(" a ")" "x" | "(" a ")" "y" | "z"\n').read(b"(" * 50 + b"z" + b")y" * 50)
    assert reading.diagnostics == []
    assert max(len(run.known) for run in runs) <= 2 * 51
