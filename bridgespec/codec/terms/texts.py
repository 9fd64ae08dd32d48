"""Terms that are a text each: event, site, date, round, room, scoring, the best score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bridgespec.codec.record import RecordView
from bridgespec.codec.terms._base import INSTEAD, Asked, Offer, Said, Term

_ROOMS = ("open", "closed")
_SCORINGS = ("imp", "mp", "bam")
OF_MATCH = frozenset({"event", "round", "scoring"})
"""What a file may say of a match, with the teams that play it."""
_DAY = re.compile(r"([0-9?]{4})([0-9?]{2})?([0-9?]{2})?")
_DATE = re.compile(r"([0-9?]{4})([.\-/]?)([0-9?]{2})\2([0-9?]{2})")


class Text(Term):
    """A text as it stands."""

    ROLES: Mapping[str, str] = {"text": "the text", "unknown": "that it is not known"}
    of_file = False
    """Whether a text of the whole file is the document's own, and its boards' where they have none."""

    def __init__(self, name: str, doc: str, of_file: bool = False) -> None:
        self.NAME = name
        self.DOC = doc
        self.of_file = of_file
        self.FOLLOWS = frozenset({name} & OF_MATCH)

    def of(self, view: RecordView, said: Said) -> str | None:
        """A text that says something."""
        return self._of(view) or None

    def _of(self, view: RecordView) -> str:
        return (view.own("text") or view).text if view.decl.kind != "record" or view.role("unknown") is None else ""

    def without(self, said: Said) -> Any:
        """Return what the file states of its boards. Its event is theirs where it names a round too: else the document's alone."""
        if self.NAME not in OF_MATCH or said.file is None or (self.of_file and said.of_file("round") is None):
            return None
        return said.file[self.NAME]

    def write(self, asked: Asked) -> Offer:
        """The text; of the document where the board has none."""
        text = getattr(asked.board, self.NAME, None) or (getattr(asked.document, self.NAME, None) if self.of_file else None)
        if not text:
            return {"": ""} if asked.of_file else None
        return self._spelled(text)

    def _spelled(self, text: str) -> Offer:
        return {"text": text, "": text}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """A text that is written otherwise, or not at all."""
        yield self.kind if after is None else f"{self.kind} as it is written"


class Scoring(Text):
    """How results are scored: some formats have a code for what others write in capitals."""

    ROLES: Mapping[str, str] = {"scoring": "the code of a way of scoring", **Text.ROLES}
    CODES: Mapping[str, frozenset[str]] = {"scoring": frozenset(_SCORINGS)}

    def _of(self, view: RecordView) -> str:
        part = view.role("scoring") if view.decl.kind == "record" else None
        return super()._of(view) if part is None else (part.code or "").upper()

    def _spelled(self, text: str) -> Offer:
        return {"scoring": text.lower(), "text": text, "": text, INSTEAD: {"text": "scoring"}}


class Date(Text):
    """A date; one whose figures stand together is parted by dots, what it leaves out being unknown."""

    ROLES: Mapping[str, str] = {**Text.ROLES, "day": "a year, month and day, whose figures may stand together"}

    def _of(self, view: RecordView) -> str:
        day = view.role("day") if view.decl.kind == "record" else None
        if day is None:
            return super()._of(view)
        parts = _DAY.fullmatch(day.text)
        return day.text if parts is None else ".".join((parts[1], parts[2] or "??", parts[3] or "??"))

    def _spelled(self, text: str) -> Offer:
        parts = _DATE.fullmatch(text)
        days = (".".join(parts.group(1, 3, 4)), "".join(parts.group(1, 3, 4)), text) if parts else (text,)
        return {"text": text, "": text, "day": days, INSTEAD: {"text": "day"}}


class Par(Text):
    """The best score, in the source's own words."""

    ROLES: Mapping[str, str] = {
        **Text.ROLES,
        "side": "whose the score is; it is read with the whole text",
        "points": "the score; likewise",
    }


class Room(Text):
    """The room: open, closed, or as the source calls it."""

    ROLES: Mapping[str, str] = {"room": "the code of a room", **Text.ROLES}
    CODES: Mapping[str, frozenset[str]] = {"room": frozenset(_ROOMS), "": frozenset(_ROOMS)}

    def _of(self, view: RecordView) -> str:
        part = view if view.decl.kind == "code" else view.role("room") if view.decl.kind == "record" else None
        text = (part.code or "" if part.decl.kind == "code" else part.text) if part is not None else super()._of(view)
        return "" if text == "-" else text.capitalize() if text in _ROOMS else text

    def _spelled(self, text: str) -> Offer:
        return {"room": text.lower(), "text": text, "": (text.lower(), text)}


event = Text("event", "what was played", of_file=True)
site = Text("site", "where it was played", of_file=True)
date = Date("date", "when it was played", of_file=True)
round = Text("round", "which round it was")
scoring = Scoring("scoring", "how results are scored")
par = Par("par", "the best score for both sides")
room = Room("room", "open or closed room")
