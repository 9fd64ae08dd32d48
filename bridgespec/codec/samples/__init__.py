"""Test files generated from a schema alone: valid files of random values (`values`, `sentences`), and faults whose findings are
known.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleFault:
    """A file with one fault: its bytes, the code of the expected finding, the field, and the bytes that the finding marks (None: at
    the end).
    """

    data: bytes
    code: str
    field: str
    start: int
    stop: int
