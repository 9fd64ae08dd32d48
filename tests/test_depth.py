"""Data that nest deep: read and written within the smallest stack, and refused beyond the maximum."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from bridgespec.codec.fields import dump, load
from bridgespec.codec.format import Format
from bridgespec.codec.text.codec import plain
from bridgespec.depth import LEVELS
from bridgespec.export.json import parse
from bridgespec.spec.kaitai.schema import loads
from tests.codec.text.support import codec_of

TREE = 'start: tree\ntree: "(" name tree? ")" _NL?\nname: /[a-z]++/\n_NL: /\\n/\n'
NODES = """
meta: {id: nodes, file-extension: nodes}
seq: [{id: root, type: node}]
types: {node: {seq: [{id: more, type: u1}, {id: inner, type: node, if: more == 1}]}}
"""


def in_small_stack(work: Callable[[], object]) -> object:
    """Return the result of a function that runs in a thread with the smallest stack of any platform, 512 kB."""
    kept: list[object] = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: kept.append(work()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return kept[0]


@pytest.mark.long
@pytest.mark.parametrize("accelerated", [True, False])
def test_a_thousand_levels_of_text(accelerated: bool) -> None:
    """They are read, compared, and written from their values."""
    codec = codec_of(TREE, accelerated)
    data = b"(a" * LEVELS + b")" * LEVELS

    def work() -> object:
        first, second = codec.read(data), codec.read(data)
        values = plain(first.root)
        assert isinstance(values, dict)
        return first.diagnostics, codec.write(values) == data, values == plain(second.root)

    assert in_small_stack(work) == ([], True, True)


def test_a_thousand_levels_of_bytes() -> None:
    """They are read, and written from their values; one more is a finding."""
    known = Format(loads(NODES))
    data = b"\1" * (LEVELS - 1) + b"\0"

    def work() -> object:
        reading = known.codec.read(data)
        return reading.diagnostics, load(known, parse(dump(known, reading))).data == data

    assert in_small_stack(work) == ([], True)
    assert [finding.code for finding in known.codec.read(b"\1" * LEVELS + b"\0").diagnostics] == ["too-deep"]
