"""What is worked on a file of records grows with it and no faster, whether its records are right or all broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridgespec.api import engine
from bridgespec.codec.specimens import specimen
from bridgespec.model.document import Document
from tests.steps import steps

BINARY = [spec.id for spec in engine().catalog.all() if spec.language == "ksy"]
SIZES = (8, 16, 32)


def files(format: str, boards: int) -> tuple[bytes, bytes]:
    """A file of so many boards, and one whose records are broken but for the first few bytes."""
    numbered = (replace(specimen(at % 8), number=at + 1, dealer=None, vulnerability=None) for at in range(boards))
    data = engine().spell(Document(tuple(numbered)), format, partial=True).data
    return data, data[: len(data) // 8] + b"\xee" * (len(data) - len(data) // 8)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("format", BINARY)
def test_reading_judging_and_copying_are_linear(format: str, broken: bool) -> None:
    """Twice as many records more take at most a little more than twice the steps more; findings end at their limit."""
    read, copied, sizes = [], [], []
    for boards in SIZES:
        data = files(format, boards)[broken]
        document = engine().examine(data, format).document
        sizes.append(len(data))
        read.append(steps(lambda data=data: engine().examine(data, format)))
        copied.append(steps(lambda document=document: engine().spell(document, format)))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    for counts in (read, copied):
        assert counts[2] - counts[1] < 2.2 * max(counts[1] - counts[0], 200 * SIZES[0])
