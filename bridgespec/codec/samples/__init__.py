"""Files made of a schema alone: values that it allows, texts that its grammar derives, and faults whose findings are known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A file with one fault: its bytes, the code of the finding, the field, and the bytes that are marked (None: at the end)."""

    data: bytes
    code: str
    field: str
    start: int
    stop: int
