"""Plain terms, a row of one table each: a text, a code or a number, which is a field, the value of a pair or a part of a record.

`PLAIN` is the table. Input is the view of a part with the role that a row names; output is a text, a member of the row's codes or
an integer, and when a board is written the texts and codes that spell it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from bridgespec.codec.record import RecordView
from bridgespec.codec.terms._base import INSTEAD, MANY, Asked, Offer, Said, SharedOffer, Term
from bridgespec.codec.terms._values import NOT_A_NUMBER, NOTHING, SEATS, VULNERABILITIES, bought, names, unknown
from bridgespec.codec.terms.results import outcome_of

_ROOMS = ("open", "closed")
_SCORINGS = ("imp", "mp", "bam")
OF_MATCH = frozenset({"event", "round", "scoring"})
"""What a file may say of a match, with the teams that play it."""
_DAY = re.compile(r"([0-9?]{4})([0-9?]{2})?([0-9?]{2})?")
_DATE = re.compile(r"([0-9?]{4})([.\-/]?)([0-9?]{2})\2([0-9?]{2})")


def number_of(view: RecordView, role: str = "number") -> int | None:
    """The number that a part is or spells; of a record, that of its part ``role``."""
    part = view.own(role)
    if part is None:
        return None
    found = part.number
    if found is None and part.text.strip(" ") and not part.broken:
        part.report(NOT_A_NUMBER, f"{part.text!r} is not a number")
    return found


class NumberTerm(Term):
    """The board's number."""

    NAME = "number"
    DOC = "the board's number"
    ROLES: Mapping[str, str] = {"number": "the number", "unknown": "that it is not known"}
    KINDS = "the board numbers"
    UNHELD = "board numbers other than consecutive ones"
    FOLLOWS = None

    def of(self, view: RecordView, said: Said) -> int | None:
        """The number."""
        return number_of(view)

    def without(self, said: Said) -> int:
        """Boards count on."""
        return said.counted()

    def write(self, asked: Asked) -> Offer:
        """The number; the place in the file where there is none."""
        number = asked.board.number
        return _number_offer(asked.index + 1 if number is None else number)


@lru_cache(1 << 10)
def _number_offer(number: int) -> SharedOffer:
    spelled = (number, 1) if number < 1 else number
    return SharedOffer({"number": spelled, "": spelled})


class FileNumberTerm(Term):
    """The number of a file's first or last board."""

    ON = "file"
    ROLES: Mapping[str, str] = {"number": "the number"}

    def __init__(self, name: str, doc: str, place: int) -> None:
        self.NAME = name
        self.DOC = doc
        self.place = place

    def of(self, view: RecordView, said: Said) -> int | None:
        """The number."""
        return number_of(view)

    def write(self, asked: Asked) -> Offer:
        """The number of the first or the last board of the document, its place where it has none."""
        boards = asked.document.boards
        place = self.place % len(boards) if boards else 0
        number = (boards[place].number if boards else None) or place + 1
        return {"number": number, "": number}


class CodeTerm(Term):
    """A term whose value is named by a code."""

    def __init__(self, name: str, doc: str, part: str, table: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        self.NAME = name
        self.DOC = doc
        self.UNHELD = f"a {name} other than the board number's"
        self.part = part
        self.table = table
        self.names = names(table)
        self.CODES = {role: frozenset({*table, NOTHING}) for role in ("", part)}
        self.ROLES = {part: "the code", NOTHING: "that it is not known", **roles}
        self.offers = {value: SharedOffer({part: name, "": name}) for value, name in self.names.items()}
        self.offers[None] = SharedOffer({NOTHING: ""})

    def of(self, view: RecordView, said: Said) -> Any:
        """What the code stands for."""
        part = view.own(self.part)
        if part is None or part.decl.kind != "code":
            return None
        name = part.code
        unknown(part, name)
        return self.table.get(name or "")

    def write(self, asked: Asked) -> Offer:
        """The code's name, or that it is not known."""
        return self.offers[self._value(asked.board)]

    def _value(self, board: Any) -> Any:
        return getattr(board, f"effective_{self.NAME}")

    def compared(self, board: Any) -> Any:
        """The code, stated or as the board's number has it."""
        return self._value(board)


class DeclarerTerm(CodeTerm):
    """The seat that plays the hand; the contract's record may name it."""

    NEEDED = True
    FOLLOWS = frozenset({"results"})

    def without(self, said: Said) -> Any:
        """The one that the file lists, where no auction tells it."""
        outcome = outcome_of(said, untold=True)
        return None if outcome is None else outcome.declarer

    def compared(self, board: Any) -> Any:
        """Declarer and contract, stated or as the auction gives them."""
        return bought(board)

    def losses(self, one: Any, two: Any, held: bool = True) -> list[str]:
        """A declarer that is not named, or whose contract the format wants too."""
        contract, declarer = bought(one) if held else (one.contract, one.declarer)
        if declarer is None or declarer == bought(two)[1]:
            return []
        return ["a declarer without a contract" if held and contract is None else "the declarer"]

    def _value(self, board: Any) -> Any:
        return bought(board)[1]

    def write(self, asked: Asked) -> Offer:
        """The seat, stated or as the auction gives it."""
        board = asked.board
        value = self._value(board)
        name = None if value is None else self.names[value]
        return _declarer_offer(name, board.declarer is not None, self.NAME in board.irregular)


@cache
def _declarer_offer(name: str | None, stated: bool, irregular: bool) -> SharedOffer:
    # Bytes that hang on the declarer (the tricks of one hand) want one that is stated.
    whole = name if stated else lambda decl: name if decl.of_text else None
    offer = {NOTHING: ""} if name is None else {"seat": name, "": whole}
    return SharedOffer({**offer, "irregular": True} if irregular else offer)


class TextTerm(Term):
    """A text as it stands."""

    ROLES: Mapping[str, str] = {"text": "the text", "unknown": "that it is not known"}
    of_file = False
    """Whether a text of the whole file is the document's own, and its boards' where they have none."""

    def __init__(self, name: str, doc: str, of_file: bool = False) -> None:
        self.NAME = name
        self.DOC = doc
        self.of_file = of_file
        self.FOLLOWS = frozenset({name} & OF_MATCH)
        self.offers: dict[str, SharedOffer] = {}

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
        if text not in self.offers:
            if len(self.offers) >= MANY:
                self.offers.clear()
            self.offers[text] = SharedOffer(self._spelled(text))
        return self.offers[text]

    def _spelled(self, text: str) -> dict[str, Any]:
        return {"text": text, "": text}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """A text that is written otherwise, or not at all."""
        yield self.kind if after is None else f"{self.kind} as it is written"


class ScoringTerm(TextTerm):
    """How results are scored: some formats have a code for what others write in capitals."""

    ROLES: Mapping[str, str] = {"scoring": "the code of a way of scoring", **TextTerm.ROLES}
    CODES: Mapping[str, frozenset[str]] = {"scoring": frozenset(_SCORINGS)}

    def _of(self, view: RecordView) -> str:
        part = view.role("scoring") if view.decl.kind == "record" else None
        return super()._of(view) if part is None else (part.code or "").upper()

    def _spelled(self, text: str) -> dict[str, Any]:
        return {"scoring": text.lower(), "text": text, "": text, INSTEAD: {"text": "scoring"}}


class DateTerm(TextTerm):
    """A date; one whose figures stand together is parted by dots, what it leaves out being unknown."""

    ROLES: Mapping[str, str] = {**TextTerm.ROLES, "day": "a year, month and day, whose figures may stand together"}

    def _of(self, view: RecordView) -> str:
        day = view.role("day") if view.decl.kind == "record" else None
        if day is None:
            return super()._of(view)
        parts = _DAY.fullmatch(day.text)
        return day.text if parts is None else ".".join((parts[1], parts[2] or "??", parts[3] or "??"))

    def _spelled(self, text: str) -> dict[str, Any]:
        parts = _DATE.fullmatch(text)
        days = (".".join(parts.group(1, 3, 4)), "".join(parts.group(1, 3, 4)), text) if parts else (text,)
        return {"text": text, "": text, "day": days, INSTEAD: {"text": "day"}}


class ParTerm(TextTerm):
    """The best score, in the source's own words."""

    ROLES: Mapping[str, str] = {
        **TextTerm.ROLES,
        "side": "whose the score is; it is read with the whole text",
        "points": "the score; likewise",
    }


class RoomTerm(TextTerm):
    """The room: open, closed, or as the source calls it."""

    ROLES: Mapping[str, str] = {"room": "the code of a room", **TextTerm.ROLES}
    CODES: Mapping[str, frozenset[str]] = {"room": frozenset(_ROOMS), "": frozenset(_ROOMS)}

    def _of(self, view: RecordView) -> str:
        part = view if view.decl.kind == "code" else view.role("room") if view.decl.kind == "record" else None
        text = (part.code or "" if part.decl.kind == "code" else part.text) if part is not None else super()._of(view)
        return "" if text == "-" else text.capitalize() if text in _ROOMS else text

    def _spelled(self, text: str) -> dict[str, Any]:
        return {"room": text.lower(), "text": text, "": (text.lower(), text)}


_IRREGULAR = {"irregular": "that the source calls it contrary to the game"}

PLAIN: tuple[Term, ...] = (
    CodeTerm("dealer", "the seat that calls first", "seat", SEATS, {}),
    CodeTerm("vulnerability", "which sides are vulnerable", "vulnerability", VULNERABILITIES, {}),
    DeclarerTerm("declarer", "the seat that plays the hand", "seat", SEATS, _IRREGULAR),
    NumberTerm(),
    FileNumberTerm("first_number", "the number of the first board", 0),
    FileNumberTerm("last_number", "the number of the last board", -1),
    TextTerm("event", "what was played", of_file=True),
    TextTerm("site", "where it was played", of_file=True),
    DateTerm("date", "when it was played", of_file=True),
    TextTerm("round", "which round it was"),
    ScoringTerm("scoring", "how results are scored"),
    ParTerm("par", "the best score for both sides"),
    RoomTerm("room", "open or closed room"),
)
"""The plain terms, a row each."""
