"""The command ``formats``: the formats that there are, with what they hold."""

from __future__ import annotations

import json

from .running import UNSOLVED, run


def test_formats_are_listed_with_what_they_hold() -> None:
    """JSON tells each format's name, extensions and terms; the table names them all."""
    listed = json.loads(run("formats", "--output-format", "json").stdout)
    holds = {one["id"]: one["holds"] for one in listed}
    assert holds["zrd"] == ["deal", "tricks"]
    table = run("formats").stdout
    assert all(name in table for name in holds)
    assert UNSOLVED.suffix in table
