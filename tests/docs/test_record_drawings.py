"""Figures of records keep to their frames."""

from __future__ import annotations

import pytest

from bridgespec.docs.geometry import boxes, columns, reachable
from bridgespec.docs.record_drawings import figure
from tests.docs.test_decode import ENGINE, formats


@pytest.mark.parametrize("format", formats("ksy"))
def test_figures_are_straight(format: str) -> None:
    """Every line of a figure ends within its frame, and every field is named in it or below it."""
    spec = ENGINE.spec(format)
    for record in reachable(spec):
        made = boxes(spec, record)
        text = figure(made)
        lines = text.partition("\n\n")[0].splitlines()
        assert all(len(line) <= 2 * columns(made) + 1 for line in lines)
        assert all(box.label in text for box in made)
