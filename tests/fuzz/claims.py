"""What is fuzzed: every format, and JSON; the files that it begins with, and what must hold of any."""

from __future__ import annotations

from functools import cache

from bridgespec.errors import BridgespecError
from bridgespec.export import json
from tests.generate.claims import examine
from tests.generate.strategies import SAMPLES, corpus, formats

SHORT = 3000
"""Longer samples are left out: what they reach, shorter ones reach sooner."""


def kinds(names: list[str]) -> list[str]:
    """The formats of these names, or all, and JSON."""
    return names or [*formats(), "json"]


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Short files of a format to begin with."""
    known = [path.read_bytes() for path in sorted(SAMPLES.glob("*/*.json"))] if kind == "json" else corpus(kind)
    return tuple(sorted((data for data in known if len(data) <= SHORT), key=len))[:40]


def examined(data: bytes, kind: str) -> None:
    """Every claim checked: for JSON, that what is read can be written and comes back, and what cannot is an error of ours."""
    if kind != "json":
        examine(data, kind)
        return
    try:
        document = json.load(data)
    except BridgespecError:
        return
    assert json.load(json.dump(document)) == document
