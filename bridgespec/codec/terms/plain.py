"""Simple terms, one row of a table each: a text, a code or a number that is a field, the value of a pair or a part of a record.

`PLAIN` is the table. The input of a term is the view of a part with the role in its row; the output is a text, a member of the
row's codes or an integer. When a board is written, the output is the texts and codes that spell the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView
from bridgespec.codec.spelling import Memo
from bridgespec.codec.terms._term import INSTEAD, EncodeRequest, Offer, SharedOffer, Term, TermContent
from bridgespec.codec.terms._values import NOTHING, SEATS, VULNERABILITIES, bought, names, number_of, report_unknown_code
from bridgespec.codec.terms.results import outcome_of
from bridgespec.model.number_texts import whole_number

_ROOMS = ("open", "closed")
_SCORINGS = ("imp", "mp", "bam")
OF_MATCH = frozenset({"event", "round", "scoring"})
"""The terms that a file may state once for a match, beside its teams."""
_DAY = re.compile(r"([0-9?]{4})([0-9?]{2})?([0-9?]{2})?")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_PIVOT = 69
"""Years of two figures from here on are of the 20th century, as `strptime` of POSIX reads them."""
_DATE = re.compile(r"([0-9?]{4})([.\-/]?)([0-9?]{2})\2([0-9?]{2})")


class NumberTerm(Term):
    """The board's number."""

    NAME = "number"
    DOC = "the board's number"
    ROLES: Mapping[str, str] = {"number": "the number", "unknown": "that it is not known"}
    KINDS = "the board numbers"
    UNHELD = "board numbers other than consecutive ones"
    FOLLOWS = None

    def of(self, view: RecordView, content: TermContent) -> int | None:
        """Return the board's number that a view states."""
        return number_of(view)

    def without(self, content: TermContent) -> int:
        """Return the number of a board that states none, counted from the number of the file's first board."""
        return content.counted()

    def write(self, request: EncodeRequest) -> Offer:
        """Return the board's number; for a board without one its position in the document, from 1."""
        number = request.board.number
        return _number_offer(request.index + 1 if number is None else number)


@lru_cache(1 << 10)
def _number_offer(number: int) -> SharedOffer:
    # Alternatives, of which the first that fits is written: a format may number its boards from 1 on.
    spelled = (number, 1) if number < 1 else number
    return SharedOffer({"number": spelled, "": spelled})


class FileNumberTerm(Term):
    """The number of a file's first or last board."""

    ON = "file"
    ROLES: Mapping[str, str] = {"number": "the number"}

    def __init__(self, name: str, doc: str, place: int) -> None:
        # ``place`` is the index of the board in the document: 0 or -1.
        self.NAME = name
        self.DOC = doc
        self.place = place

    def of(self, view: RecordView, content: TermContent) -> int | None:
        """Return the number that a view states."""
        return number_of(view)

    def write(self, request: EncodeRequest) -> Offer:
        """Return the number of the document's first or last board; for a board without one its position, from 1."""
        boards = request.document.boards
        # -1 modulo the count is the index of the last board.
        place = self.place % len(boards) if boards else 0
        number = (boards[place].number if boards else None) or place + 1
        return {"number": number, "": number}


class CodeTerm(Term):
    """A term whose value is stated by a code, such as the vulnerability."""

    def __init__(self, name: str, doc: str, part: str, table: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        self.NAME = name
        self.DOC = doc
        self.UNHELD = f"a {name} other than the board number's"
        self.part = part
        self.table = table
        self.names = names(table)
        self.CODES = {role: frozenset({*table, NOTHING}) for role in ("", part)}
        self.CODED = frozenset(self.CODES)
        self.ROLES = {part: "the code", NOTHING: "that it is not known", **roles}
        self.offers = {value: SharedOffer({part: name, "": name}) for value, name in self.names.items()}
        self.offers[None] = SharedOffer({NOTHING: ""})

    def of(self, view: RecordView, content: TermContent) -> Any:
        """Return the value that a code states, and report a code without a meaning."""
        part = view.own(self.part)
        if part is None or part.decl.kind != "code":
            return None
        name = part.code
        report_unknown_code(part, name)
        return self.table.get(name or "")

    def write(self, request: EncodeRequest) -> Offer:
        """Return the name of the code for the value, or that of the unknown value."""
        return self.offers[self._value(request.board)]

    def _value(self, board: Any) -> Any:
        """Return the value of a board: the stated one, else the one that follows from other fields."""
        return getattr(board, f"effective_{self.NAME}")

    def compared(self, board: Any) -> Any:
        """Return the stated value, else the one that follows from the board's number."""
        return self._value(board)


class DeclarerTerm(CodeTerm):
    """The declarer: a term by itself, or a part of the contract."""

    NEEDED = True
    FOLLOWS = frozenset({"results"})

    def without(self, content: TermContent) -> Any:
        """Return the declarer that the file's list of results has for the board, where no auction determines it."""
        outcome = outcome_of(content, without_auction=True)
        return None if outcome is None else outcome.declarer

    def compared(self, board: Any) -> Any:
        """Return contract and declarer: the stated ones, else those of the auction."""
        return bought(board)

    def losses(self, one: Any, two: Any, has_field: bool = True) -> list[str]:
        """Return the loss of a declarer, where the target has no field for it, or only with a contract."""
        contract, declarer = bought(one) if has_field else (one.contract, one.declarer)
        if declarer is None or declarer == bought(two)[1]:
            return []
        return ["a declarer without a contract" if has_field and contract is None else "the declarer"]

    def _value(self, board: Any) -> Any:
        return bought(board)[1]

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the declarer's seat: the stated one, else that of the auction."""
        board = request.board
        value = self._value(board)
        name = None if value is None else self.names[value]
        return _declarer_offer(name, board.declarer is not None, self.NAME in board.irregular)


@cache
def _declarer_offer(name: str | None, stated: bool, irregular: bool) -> SharedOffer:
    # A binary field gets a stated declarer only: the record may have the tricks of just one declarer.
    whole = name if stated else lambda decl: name if decl.of_text else None
    offer = {NOTHING: ""} if name is None else {"seat": name, "": whole}
    return SharedOffer({**offer, "irregular": True} if irregular else offer)


class TextTerm(Term):
    """A term whose value is a text, kept as it is written."""

    ROLES: Mapping[str, str] = {"text": "the text", "unknown": "that it is not known"}
    of_file = False
    """Whether the document, too, has this field: for a text that the file states for all its boards."""

    def __init__(self, name: str, doc: str, of_file: bool = False) -> None:
        self.NAME = name
        self.DOC = doc
        self.of_file = of_file
        self.FOLLOWS = frozenset({name} & OF_MATCH)
        self.offers = Memo[SharedOffer]()

    def of(self, view: RecordView, content: TermContent) -> str | None:
        """Return the text of a view; None for an empty one."""
        return self._of(view) or None

    def _of(self, view: RecordView) -> str:
        """Return the text of a view; empty where it is not known."""
        return (view.own("text") or view).text if view.decl.kind != "record" or view.role("unknown") is None else ""

    def without(self, content: TermContent) -> Any:
        """Return the text that the file states for all boards. An event of the file is that of its boards only where the file
        also states a round; else it is that of the document.
        """
        if self.NAME not in OF_MATCH or content.file is None or (self.of_file and content.of_file("round") is None):
            return None
        return content.file[self.NAME]

    def write(self, request: EncodeRequest) -> Offer:
        """Return the board's text, else that of the document."""
        text = getattr(request.board, self.NAME, None) or (getattr(request.document, self.NAME, None) if self.of_file else None)
        if not text:
            return {"": ""} if request.of_file else None
        return self.offers.get(text) or self.offers.keep(text, SharedOffer(self._spelled(text)))

    def _spelled(self, text: str) -> dict[str, Any]:
        """Return the offer of a text."""
        return {"text": text, "": text}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the loss of a text that is not written, or only in another spelling."""
        yield self.kind if after is None else f"{self.kind} as it is written"


class ScoringTerm(TextTerm):
    """The method of scoring: a text, for which some formats have codes."""

    ROLES: Mapping[str, str] = {"scoring": "the code of a way of scoring", **TextTerm.ROLES}
    CODES: Mapping[str, frozenset[str]] = {"scoring": frozenset(_SCORINGS)}

    def _of(self, view: RecordView) -> str:
        part = view.role("scoring") if view.decl.kind == "record" else None
        return super()._of(view) if part is None else (part.code or "").upper()

    def _spelled(self, text: str) -> dict[str, Any]:
        return {"scoring": text.lower(), "text": text, "": text, INSTEAD: {"text": "scoring"}}


class DateTerm(TextTerm):
    """A date: one text, or year, month and day joined by dots. Digits without separators are split; unknown parts are question
    marks.
    """

    ROLES: Mapping[str, str] = {
        **TextTerm.ROLES,
        "day": "a year, month and day, whose figures may stand together",
        "year": "a year, of two figures one from 1969 to 2068",
        "month": "a month, as its number or a code",
        "month_day": "the day of the month",
    }
    CODES: Mapping[str, frozenset[str]] = {"month": frozenset(_MONTHS)}

    def _of(self, view: RecordView) -> str:
        if view.decl.kind == "record" and (year := view.role("year")) is not None:
            month, day = view.role("month"), view.role("month_day")
            return ".".join((_year(year), _two_figures(month), _two_figures(day)))
        day = view.role("day") if view.decl.kind == "record" else None
        if day is None:
            return super()._of(view)
        parts = _DAY.fullmatch(day.text)
        return day.text if parts is None else ".".join((parts[1], parts[2] or "??", parts[3] or "??"))

    def _spelled(self, text: str) -> dict[str, Any]:
        parts = _DATE.fullmatch(text)
        days = (".".join(parts.group(1, 3, 4)), "".join(parts.group(1, 3, 4)), text) if parts else (text,)
        offer: dict[str, Any] = {"text": text, "": text, "day": days, INSTEAD: {"text": "day"}}
        if parts is not None:
            figures = zip(("year", "month", "month_day"), parts.group(1, 3, 4), strict=True)
            offer |= {role: partial(_figures_offer, role, text) for role, text in figures}
        return offer


def _number_in(view: RecordView) -> int | None:
    """Return the number in a part of a date: for a code the number of the month, for a text its digits."""
    if view.decl.kind == "code":
        return _MONTHS.index(view.code) + 1 if view.code in _MONTHS else None
    found = view.number
    return whole_number(view.text) if found is None else found


def _two_figures(view: RecordView | None) -> str:
    """Return a month or day in two figures; question marks where it is not known."""
    number = None if view is None else _number_in(view)
    return "??" if number is None else f"{number:02}"


def _year(view: RecordView) -> str:
    """Return a year in four figures; question marks where it is not known."""
    number = _number_in(view)
    if number is not None and number < 100:
        number += 1900 if number >= _PIVOT else 2000
    return "????" if number is None else f"{number:04}"


def _figures_offer(role: str, text: str, decl: Declaration) -> Offer:
    """Return the offer of a part of a date: a number or digits, for a month also its code; question marks where it is unknown.

    For a year the last two digits are offered too, where they mean the same.
    """
    if not text.isdecimal():
        return (text, text[1:]) if decl.of_text else None
    number = int(text)
    if decl.kind == "code":
        return _MONTHS[number - 1] if 1 <= number <= len(_MONTHS) else None
    if not decl.of_text:
        return number
    short = (number % 100, text[2:]) if role == "year" and 1900 + _PIVOT <= number < 2000 + _PIVOT else ()
    return (number, text, *short)


class ParTerm(TextTerm):
    """The par score, in the words of the source."""

    ROLES: Mapping[str, str] = {
        **TextTerm.ROLES,
        "side": "whose the score is; it is read with the whole text",
        "points": "the score; likewise",
    }


class RoomTerm(TextTerm):
    """The room: open, closed, or in the words of the source."""

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
"""The plain terms."""
