"""The bidding system: records of the meaning of calls, of leads and of signals, one in each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms._term import EncodeRequest, Offer, Place, Term, TermContent
from bridgespec.codec.terms._values import number_of
from bridgespec.model.carding import Carding
from bridgespec.model.cards import Strain
from bridgespec.model.convention_card import (
    CardRecord,
    Disposition,
    Flags,
    Header,
    Include,
    Meaning,
    OpeningSeat,
    Step,
    StockCard,
    System,
    When,
    parse_sequence,
    sequence_text,
)
from bridgespec.model.number_texts import whole_number

T = TypeVar("T")
_NO_FLAGS = Flags()
_LAST = ("suit_bid", "notrump_bid", "other_call")
_SEQUENCE = ("step", *_LAST, "qualifier")
_PLACES: Mapping[str, tuple[str, ...]] = {
    "sequence": ("step", *_LAST), "text": ("text", "summary"), "name": ("name", "file"),
}  # fmt: skip


class SystemTerm(Term):
    """The bidding system of a file: an array of records of several kinds."""

    NAME = "system"
    ON = "document"
    DOC = "a bidding system: what each call means"
    ROLES: Mapping[str, str] = {
        "header": "a record that names the system",
        "card": "a record that names a stock card",
        "bid": "a record of what a call means in a situation",
        "include": "a record that names a further file",
        "carding": "a record of leads and signals",
        "opener": "whether the convention is fixed or floating",
        "name": "the system's name",
        "summary": "what the system is in short",
        "file": "the name of a card or a file",
        "opponents": "that the opponents opened",
        "position": "the seat of the opening",
        "when": "the vulnerability",
        "step": "the calls before the last, each with its qualifier",
        "call": "the call of a step",
        "qualifier": "what a call is narrowed down to",
        "suit_bid": "the last call, a bid in a suit",
        "notrump_bid": "the last call, a bid of notrump",
        "other_call": "the last call, a pass, double or redouble",
        "flags": "seven flags",
        "flag": "one of the flags: the code yes or no",
        "disposition": "what the call asks for",
        "lengths": "the shortest and the longest length",
        "shortest": "the shortest length",
        "longest": "the longest length",
        "letters": "the letters of the carding",
        "text": "what the record says in words",
        "unread": "what stands in the place of a part and is not one",
    }
    WITHIN: Mapping[str, frozenset[str]] = {
        **dict.fromkeys(("opener", "name", "summary"), frozenset({"header"})),
        **dict.fromkeys(("opponents", "position", "when", "step", *_LAST, "disposition", "lengths"), frozenset({"bid"})),
        **dict.fromkeys(("shortest", "longest"), frozenset({"lengths"})),
        "file": frozenset({"card", "include"}),
        "call": frozenset({"step"}),
        "qualifier": frozenset({"bid", "step"}),
        "flags": frozenset({"header", "bid"}),
        "flag": frozenset({"flags"}),
        "letters": frozenset({"carding"}),
        "text": frozenset({"bid", "carding"}),
    }
    ARRAYS = frozenset({"system", "step"})

    def read(self, group: TermGroup, content: TermContent) -> System | None:
        """Return the system of all records that can be read, in file order; empty and broken lines are skipped."""
        found = [record for view in group.wholes for record in self.records(view.items())]
        # `places` needs the part of each record by its index in the system, from which blank and broken lines are missing.
        group.kept = [part for _, part in found]
        return System(tuple(record for record, _ in found))

    @staticmethod
    def records(lines: Iterable[RecordView]) -> list[tuple[CardRecord, RecordView]]:
        """Return the records of some lines, each with its view."""
        sequences: _Sequences = {}
        found = []
        for line in lines:
            for kind, part in line.parts():
                if kind in _READ:
                    found.append((_READ[kind](part.each(_part), sequences), part))
                    break
        return found

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the view of ``("system", record, name)``, a field of a record; without a name that of the whole record."""
        if group.kept is None:
            self.read(group, content)
        parts = group.kept or []
        if len(place) > 1 and int(place[1]) < len(parts):
            part = parts[int(place[1])]
            named = str(place[2]) if len(place) > 2 else ""
            inner = (part.role(role) for role in _PLACES.get(named, (named,)))
            yield next((one for one in inner if one is not None and one.is_present), part)

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the records, one for each line."""
        system: System | None = request.document.system
        return None if system is None else [_line(record) for record in system.records]


_Sequences = dict[str, tuple[Step, ...]]
"""Parsed calls of records by their text, cached because the same few occur again and again."""


def _code(members: Mapping[str, T]) -> Callable[[RecordView], T | None]:
    """Return a function that returns the member that a view's code names, or None."""
    return lambda view: members.get((view.code or "").upper())


def _lengths(view: RecordView) -> tuple[int, int] | None:
    """Return the shortest and the longest length; None where one is missing."""
    shortest, longest = (_length(view, role) for role in ("shortest", "longest"))
    return None if shortest is None or longest is None else (shortest, longest)


def _length(view: RecordView, role: str) -> int | None:
    """Return a length, a number or the text of one; None without a part. Any other text is reported."""
    part = view.role(role)
    number = None if part is None else whole_number(part.text)
    return number_of(view, role) if number is None else number


_MADE: Mapping[str, Callable[[RecordView], Any]] = {
    "opener": lambda view: view.code,
    "position": _code(OpeningSeat.__members__),
    "when": _code(When.__members__),
    "flags": lambda view: Flags.parse(view.raw),
    "disposition": _code(Disposition.__members__),
    "lengths": _lengths,
    **dict.fromkeys(_SEQUENCE, lambda view: view.raw),
}
"""Parsers for the parts of a record that are not plain texts, by role."""


def _part(role: str, view: RecordView) -> tuple[str, Any]:
    """Return the role of a part of a record, and its value."""
    return role, _MADE[role](view) if role in _MADE else view.text


def _header(values: list[tuple[str, Any]], _: _Sequences) -> CardRecord:
    """Return the record that names the system, from the values of its parts."""
    parts = dict(values)
    floating = parts.get("opener") == "floating"
    return Header(parts.get("name", ""), parts.get("summary", ""), floating, parts.get("flags", _NO_FLAGS))


def _bid(values: list[tuple[str, Any]], sequences: _Sequences) -> CardRecord:
    """Return the record of a call's meaning, from the values of its parts."""
    parts = dict(values)
    calls = "".join([made for role, made in values if role in _SEQUENCE])
    sequence = sequences.get(calls)
    if sequence is None:
        sequence = sequences[calls] = parse_sequence(calls)
    return Meaning(
        sequence,
        "opponents" in parts,
        parts.get("position") or OpeningSeat.ANY,
        parts.get("when") or When.ANY,
        parts.get("flags", _NO_FLAGS),
        parts.get("disposition"),
        parts.get("lengths"),
        parts.get("text", ""),
    )


_READ: Mapping[str, Callable[[list[tuple[str, Any]], _Sequences], CardRecord]] = {
    "header": _header,
    "card": lambda values, _: StockCard(dict(values).get("file", "")),
    "bid": _bid,
    "include": lambda values, _: Include(dict(values).get("file", "")),
    "carding": lambda values, _: Carding(dict(values).get("letters", ""), dict(values).get("text", "")),
}


def _line(record: CardRecord) -> dict[str, Any]:
    """Return the offer of one record: its values by role."""
    match record:
        case Header():
            named = {"opener": "floating" if record.floating else "fixed", "name": record.name or None}
            return {"header": {**named, "flags": _letters(record.flags), "summary": record.summary or None}}
        case StockCard():
            return {"card": {"file": record.name or None}}
        case Include():
            return {"include": {"file": record.name or None}}
        case Carding():
            return {"carding": {"letters": record.letters, "text": record.text or None}}
    return {"bid": _parts_of_bid(record)}


def _parts_of_bid(meaning: Meaning) -> dict[str, Any]:
    """Return the offer of a call's meaning: the role of the call depends on its kind, and a bid has defaults for the rest."""
    last = meaning.sequence[-1] if meaning.sequence else None
    bid = last.call if last is not None and last.call.is_bid else None
    name = "other_call" if bid is None else "notrump_bid" if bid.strain is Strain.NOTRUMP else "suit_bid"
    disposition, lengths = meaning.disposition, meaning.lengths
    if bid is not None and disposition is None:
        disposition = Disposition.NONE
    if name == "suit_bid" and lengths is None:
        lengths = (0, 8)
    return {
        "opponents": meaning.opponents_opened or None,
        "position": meaning.position.name.lower(),
        "when": meaning.when.name.lower(),
        "step": [{"call": _call(step), "qualifier": step.qualifier} for step in meaning.sequence[:-1]] or None,
        "qualifier": None if last is None else last.qualifier,
        "flags": _letters(meaning.flags),
        "disposition": None if disposition is None else disposition.name.lower(),
        "lengths": None if lengths is None else {"shortest": lengths[0], "longest": lengths[1]},
        "text": meaning.text or None,
        name: None if last is None else _call(last),
    }


def _call(step: Step) -> str:
    """Return the text of a call without its qualifier."""
    return sequence_text((Step(step.call),))


def _letters(flags: Flags) -> dict[str, list[str]]:
    """Return the offer of flags: the code yes or no for each."""
    return {"flag": ["yes" if letter == "Y" else "no" for letter in str(flags)]}


system = SystemTerm()
