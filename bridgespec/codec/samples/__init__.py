"""Generate test files from a schema alone: valid files of random values (`random_values`, `growth`, `sentences`), and files with
one fault whose finding is known (`faults`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SampleFault:
    """A file with one fault: its bytes, the code and the field of the finding that must be reported, and the bytes that the
    finding marks (None: at the end).
    """

    data: bytes
    code: str
    field: str
    start: int
    stop: int
