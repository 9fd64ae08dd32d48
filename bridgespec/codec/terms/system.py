"""Bidding systems: what each call means, with leads and signals; a record a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from bridgespec.codec.terms._base import Asked, Offer, Place, Said, Term
from bridgespec.codec.view import Group, Unread, View
from bridgespec.model.carding import Carding
from bridgespec.model.cards import Strain
from bridgespec.model.system import (
    Disposition,
    Flags,
    Header,
    Include,
    Meaning,
    Position,
    Record,
    Step,
    StockCard,
    System,
    When,
    parse_sequence,
    sequence_text,
)

T = TypeVar("T")
_NO_FLAGS = Flags()
_LAST = ("suit_bid", "notrump_bid", "other_call")
_SEQUENCE = ("step", *_LAST, "qualifier")
_PLACES: Mapping[str, tuple[str, ...]] = {
    "sequence": ("step", *_LAST), "text": ("text", "summary"), "name": ("name", "file"),
}  # fmt: skip
_KINDS = ("header", "card", "bid", "include", "carding")


class SystemTerm(Term):
    """A whole bidding system: an array of records, each of one kind."""

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

    def read(self, group: Group, said: Said) -> System | None:
        """Every record that can be read, in order; blank and broken lines are none."""
        try:
            # A line says what it says by itself: no node is made of it.
            found = [record for view in group.wholes for record in self.records(view.lines())]
        except Unread:
            found = [record for view in group.wholes for record in self.records(view.items())]
        group.kept = [part for _, part in found]
        return System(tuple(record for record, _ in found))

    @staticmethod
    def records(lines: Sequence[View]) -> list[tuple[Record, View]]:
        """The records with the part that each is."""
        known = _Known()
        found = []
        for line in lines:
            kind, part = next(((role, part) for role, part in line.parts() if role in _KINDS), ("", line))
            record = _READ[kind](part, known) if kind else None
            if record is not None:
                found.append((record, part))
        return found

    def places(self, group: Group, place: Place, said: Said) -> Iterator[View]:
        """The part of a record that ``("system", record, name)`` says; the whole record without a name."""
        if group.kept is None:
            self.read(group, said)
        parts = group.kept or []
        if len(place) > 1 and int(place[1]) < len(parts):
            part = parts[int(place[1])]
            named = str(place[2]) if len(place) > 2 else ""
            inner = (part.role(role) for role in _PLACES.get(named, (named,)))
            yield next((one for one in inner if one is not None and one.says), part)

    def write(self, asked: Asked) -> Offer:
        """The records, a line each."""
        system: System | None = asked.document.system
        return None if system is None else [_line(record) for record in system.records]


class _Known(dict[tuple[Any, str], Any]):
    """What texts stand for, worked out when a text is first met: the same few come again and again."""

    def of(self, make: Callable[[View], T], view: View | None, without: T) -> T:
        if view is None:
            return without
        key = make, view.raw
        found: T = self.get(key, self)
        if found is self:
            found = self[key] = make(view)
        return found


def _text(parts: Mapping[str, View], role: str) -> str:
    return parts[role].text if role in parts else ""


def _code(members: Mapping[str, T]) -> Callable[[View], T | None]:
    return lambda view: members.get((view.code or "").upper())


_POSITION, _WHEN, _DISPOSITION = _code(Position.__members__), _code(When.__members__), _code(Disposition.__members__)


def _flags(view: View) -> Flags:
    return Flags.parse(view.raw)


def _lengths(view: View) -> tuple[int, int] | None:
    shortest, longest = view.role("shortest"), view.role("longest")
    return None if shortest is None or longest is None else (int(shortest.text), int(longest.text))


def _header(view: View, known: _Known) -> Record:
    parts = dict(view.parts())
    floating = parts["opener"].code == "floating" if "opener" in parts else False
    return Header(_text(parts, "name"), _text(parts, "summary"), floating, known.of(_flags, parts.get("flags"), _NO_FLAGS))


def _bid(view: View, known: _Known) -> Record:
    parts = dict(view.parts())
    calls = "".join([part.raw for role, part in view.parts() if role in _SEQUENCE])
    sequence = known.get((parse_sequence, calls))
    if sequence is None:
        sequence = known[parse_sequence, calls] = parse_sequence(calls)
    return Meaning(
        sequence,
        "opponents" in parts,
        known.of(_POSITION, parts.get("position"), None) or Position.ANY,
        known.of(_WHEN, parts.get("when"), None) or When.ANY,
        known.of(_flags, parts.get("flags"), _NO_FLAGS),
        known.of(_DISPOSITION, parts.get("disposition"), None),
        known.of(_lengths, parts.get("lengths"), None),
        _text(parts, "text"),
    )


def _carding(view: View, _: _Known) -> Record:
    parts = dict(view.parts())
    return Carding(_text(parts, "letters"), _text(parts, "text"))


_READ: Mapping[str, Callable[[View, _Known], Record]] = {
    "header": _header,
    "card": lambda view, _: StockCard(_text(dict(view.parts()), "file")),
    "bid": _bid,
    "include": lambda view, _: Include(_text(dict(view.parts()), "file")),
    "carding": _carding,
}


def _line(record: Record) -> dict[str, Any]:
    """One record by role."""
    match record:
        case Header():
            said = {"opener": "floating" if record.floating else "fixed", "name": record.name or None}
            return {"header": {**said, "flags": _letters(record.flags), "summary": record.summary or None}}
        case StockCard():
            return {"card": {"file": record.name or None}}
        case Include():
            return {"include": {"file": record.name or None}}
        case Carding():
            return {"carding": {"letters": record.letters, "text": record.text or None}}
    last = record.sequence[-1] if record.sequence else None
    bid = last.call if last is not None and last.call.is_bid else None
    name = "other_call" if bid is None else "notrump_bid" if bid.strain is Strain.NOTRUMP else "suit_bid"
    disposition, lengths = record.disposition, record.lengths
    if bid is not None and disposition is None:
        disposition = Disposition.NONE
    if name == "suit_bid" and lengths is None:
        lengths = (0, 8)
    return {
        "bid": {
            "opponents": record.opponents_opened or None,
            "position": record.position.name.lower(),
            "when": record.when.name.lower(),
            "step": [{"call": _call(step), "qualifier": step.qualifier} for step in record.sequence[:-1]] or None,
            "qualifier": None if last is None else last.qualifier,
            "flags": _letters(record.flags),
            "disposition": None if disposition is None else disposition.name.lower(),
            "lengths": None if lengths is None else {"shortest": lengths[0], "longest": lengths[1]},
            "text": record.text or None,
            name: None if last is None else _call(last),
        }
    }


def _call(step: Step) -> str:
    return sequence_text((Step(step.call),))


def _letters(flags: Flags) -> dict[str, list[str]]:
    return {"flag": ["yes" if letter == "Y" else "no" for letter in str(flags)]}


system = SystemTerm()
