"""Terms that a record does not mention are read only where they can follow from another, and then no value is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.codec.origin import FileOrigin
from bridgespec.engines import engine
from tests.steps import steps
from tests.twins import bad_samples, examine, format_of, samples

FILES = [*samples(), *bad_samples()]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{format_of(path)}-{path.name}")
def test_no_value_is_missed(path: Path) -> None:
    """The boards of every sample have the fields that they have if every term is read."""
    document = examine(path).document
    assert isinstance(document.origin, FileOrigin)
    sequence = document.origin.sequence
    found = [sequence.content(index).fields() for index in range(len(document.boards))]
    sequence.release()
    sequence._terms = [(term, name, None) for term, name, _ in sequence.terms]
    assert found == [sequence.content(index).fields() for index in range(len(document.boards))]


def test_a_record_that_states_nothing_takes_few_steps() -> None:
    """When every term was read, 182 functions were entered for each such board."""
    document = engine().examine(b"md|md|" * 110, "lin").document
    assert isinstance(document.origin, FileOrigin)
    sequence = document.origin.sequence
    taken = steps(lambda: [sequence.content(index).fields() for index in range(10, 110)])
    assert taken <= 90 * 100
