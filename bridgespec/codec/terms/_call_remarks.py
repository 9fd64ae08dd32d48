"""Remarks on a call or a card: marks, numbered glyphs and references to notes. Used by the auction and the play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView
from bridgespec.codec.terms._term import INSTEAD

ROLES = {
    "suffix": "an annotator's mark",
    "glyph": "the number of an annotation; some numbers stand for marks, as the schema's word `marks` has it",
    "reference": "the number of the note that explains it",
    "note": "a note, its number the key or the part `index`",
    "index": "the number of a note",
    "note_text": "the text of a note",
}


REMARKS = ("suffix", "glyph", "reference")
"""The roles of the parts of a remark on a single call or card."""


@dataclass(frozen=True, slots=True)
class Remark:
    """The remark on one call or card: a ``mark`` such as ``!``, numbered glyphs, and the ``reference`` to a note as its number
    and its spelling.
    """

    mark: str | None = None
    glyphs: tuple[int, ...] = ()
    reference: tuple[str, str] | None = None


NO_REMARK = Remark()


def remark_of(parts: Sequence[tuple[str, RecordView]]) -> Remark:
    """Return the remark in the parts of an entry, which is a call or a card."""
    mark: str | None = None
    glyphs: list[int] = []
    reference: tuple[str, str] | None = None
    for role, view in parts:
        if role == "suffix":
            mark = mark or view.text
        elif role == "reference":
            reference = reference or (view.text, view.raw)
        elif role == "glyph" and (number := view.number) is not None:
            if mark is None and not glyphs and number in view.decl.marks:
                mark = view.decl.marks[number]
            else:
                glyphs.append(number)
    return Remark(mark, tuple(glyphs), reference) if mark or glyphs or reference else NO_REMARK


def notes_of(members: Iterable[tuple[str, RecordView]]) -> dict[str, str]:
    """Return the text of each note that a record states, by the note's number."""
    notes: dict[str, str] = {}
    for role, view in members:
        if role == "note":
            index, text = view.role("index"), view.role("note_text")
            if text is None:
                notes[view.key] = view.text
            else:
                notes["" if index is None else index.text] = text.text
    return notes


def note(remark: Remark, notes: Mapping[str, str]) -> str | None:
    """Return the text of the note that a remark refers to, or the spelling of the reference where there is no such note; None
    without a reference.
    """
    return None if remark.reference is None else notes.get(*remark.reference)


def offer(mark: str | None, glyphs: Sequence[int]) -> dict[str, Any]:
    """Return the offer of a remark: its mark as a numbered glyph or, where the schema has none for it, as text; and its glyphs."""
    if mark is None and not glyphs:
        return {}

    def numbered(decl: Declaration) -> list[int] | None:
        # Reversed, so that of several numbers for one mark the first is written.
        marks = {text: number for number, text in reversed(list(decl.marks.items()))}
        return [*([marks[mark]] if mark in marks else []), *sorted(glyphs)]

    return {"glyph": numbered, "suffix": mark, INSTEAD: {"suffix": "glyph"}}
