"""The command ``new``: what it writes passes as it stands, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.engines import engine

from .running import run as call


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("options", [[], ["--text"], ["--like", "zrd"], ["--like", "dup"], ["--like", "ber"]])
def test_a_new_format_passes_as_it_stands(tmp_path: Path, options: list[str]) -> None:
    """Schema, sample and twin agree, whatever it was started from."""
    made = call("new", "fresh", "--dir", tmp_path, *options)
    assert made.exit_code == 0, made.output
    (schema,) = tmp_path.glob("fresh.*")
    checked = call("check-spec", schema, "--strict")
    assert checked.exit_code == 0, checked.output
    sample = tmp_path / "samples" / "fresh" / "example.fresh"
    shown = call("validate", sample, "--specs", tmp_path)
    assert shown.exit_code == 0, shown.output
    converted = call("convert", sample, tmp_path / "out.bri", "--specs", tmp_path)
    assert converted.exit_code == 0, converted.output
    assert engine().examine((tmp_path / "out.bri").read_bytes(), "bri").errors == ()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A second `new` leaves what is there and says so."""
    call("new", "fresh", "--dir", tmp_path)
    (tmp_path / "fresh.ksy").write_text("mine")
    again = call("new", "fresh", "--dir", tmp_path)
    assert again.exit_code == 2
    assert "exists" in again.output
    assert (tmp_path / "fresh.ksy").read_text() == "mine"
