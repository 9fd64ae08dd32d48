"""Bidding systems of text formats: records by the names of their fields, into the model's records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from bridgespec.codec.node import Node
from bridgespec.codec.text_facts import decoded
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Bounds, Shape, Slot
from bridgespec.codec.text_tree import RecordMaker, TextNode
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

_NO_FLAGS = Flags()
_LAST = ("qualifier", "suit_bid", "notrump_bid", "other_call")
_Value = TypeVar("_Value")
_Found = Callable[[str, Bounds], _Value]
"""Finds something in a text by the bounds of a match's groups."""


class SystemMaker:
    """Makes the bidding systems that the files of one grammar are."""

    def __init__(self, compiler: Compiler) -> None:
        start = compiler.grammar.rules[compiler.grammar.start]
        names = (ref.name for ref, _ in compiler.grammar.occurrences(start.expr).values())
        self._held = any(compiler.grammar.rules[name].words.binding.term == "system" for name in names)

    def system(self, root: Node) -> tuple[System | None, Sequence[Node]]:
        """The system that a file is, and the node of each of its records; None where the grammar holds none.

        Blank and broken lines are no records. Records of the same calls share one sequence.
        """
        for child in root.children or ():
            if child.decl is not None and child.decl.binding.term == "system":
                return _system(child.children or ())
        return System(()) if self._held else None, ()


def _system(nodes: Sequence[Node]) -> tuple[System, Sequence[Node]]:
    records: list[Record] = []
    kept: list[Node] = []
    shape: Shape | None = None
    kinds: list[tuple[int, _Found[Record]]] = []
    for node in nodes:
        if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
            continue
        maker = node.maker
        if maker.shape is not shape:
            shape = maker.shape
            kinds = [(slot.group, _KINDS[name](slot.shape)) for name, slot in shape.slots.items() if name in _KINDS and slot.shape]
        span = maker.span
        for group, record in kinds:
            if span(group)[0] >= 0:
                records.append(record(maker.text, span))
                kept.append(node)
                break
    return System(tuple(records)), kept


def _parts(shape: Shape, name: str) -> tuple[Slot, ...]:
    slot = shape.slots.get(name)
    return () if slot is None else slot.parts or (slot,)


def _groups(shape: Shape, *names: str) -> tuple[int, ...]:
    return tuple(part.group for name in names for part in _parts(shape, name))


class _Known(dict[str, _Value], Generic[_Value]):
    """What texts stand for, worked out when a text is first met."""

    def __init__(self, value: Callable[[str], _Value]) -> None:
        self._value = value

    def __missing__(self, text: str) -> _Value:
        self[text] = value = self._value(text)
        return value


def _field(shape: Shape, name: str, value: Callable[[str], _Value], few: bool = True) -> _Found[_Value]:
    """Finds what a field stands for, given what its text does, empty where it is not there; ``few``: texts come again and again."""
    groups = _groups(shape, name)
    if few:
        value = _Known(value).__getitem__

    def found(text: str, span: Bounds) -> _Value:
        for group in groups:
            start, stop = span(group)
            if start >= 0:
                return value(text[start:stop])
        return value("")

    return found


def _text(shape: Shape, name: str) -> _Found[str]:
    slot = shape.slots.get(name)
    return _field(shape, name, lambda text: decoded(slot.rule, text) if slot is not None else text, few=False)


def _code(shape: Shape, name: str, members: Mapping[str, _Value]) -> _Found[_Value | None]:
    """Finds which member a field's code is named after."""

    def member(text: str) -> _Value | None:
        names = (part.codes.name(text) for part in _parts(shape, name) if text and part.codes is not None)
        return next((members[found.upper()] for found in names if found), None)

    return _field(shape, name, member)


def _flags(shape: Shape) -> _Found[Flags]:
    return _field(shape, "flags", lambda text: Flags.parse(text) if text else _NO_FLAGS)


def _header(shape: Shape) -> _Found[Record]:
    opener = _code(shape, "opener", {"FIXED": False, "FLOATING": True})
    name, summary, flags = _text(shape, "name"), _text(shape, "summary"), _flags(shape)
    return lambda text, span: Header(name(text, span), summary(text, span), bool(opener(text, span)), flags(text, span))


def _sequence(shape: Shape) -> _Found[tuple[Step, ...]]:
    """Finds the calls: they stand between the vulnerability and the end of the last call or its qualifier."""
    before, last = _groups(shape, "when", "bad_when"), _groups(shape, *_LAST)
    known = _Known(parse_sequence)

    def found(text: str, span: Bounds) -> tuple[Step, ...]:
        start = stop = -1
        for group in before:
            end = span(group)[1]
            if end > start:
                start = end
        for group in last:
            end = span(group)[1]
            if end > stop:
                stop = end
        return known[text[start:stop]]

    return found


def _bid(shape: Shape) -> _Found[Record]:
    sequence, flags, words = _sequence(shape), _flags(shape), _text(shape, "text")
    opponents = _field(shape, "opponents", bool)
    position = _code(shape, "position", Position.__members__)
    when = _code(shape, "when", When.__members__)
    disposition = _code(shape, "disposition", Disposition.__members__)
    lengths = _field(shape, "lengths", lambda text: (int(text[0]), int(text[1])) if text else None)
    anywhere, always = Position.ANY, When.ANY

    def record(text: str, span: Bounds) -> Record:
        return Meaning(
            sequence(text, span),
            opponents(text, span),
            position(text, span) or anywhere,
            when(text, span) or always,
            flags(text, span),
            disposition(text, span),
            lengths(text, span),
            words(text, span),
        )

    return record


def _card(shape: Shape) -> _Found[Record]:
    name = _text(shape, "file")
    return lambda text, span: StockCard(name(text, span))


def _include(shape: Shape) -> _Found[Record]:
    name = _text(shape, "file")
    return lambda text, span: Include(name(text, span))


def _carding(shape: Shape) -> _Found[Record]:
    letters, words = _text(shape, "letters"), _text(shape, "text")
    return lambda text, span: Carding(letters(text, span), words(text, span))


_KINDS: dict[str, Callable[[Shape], _Found[Record]]] = {
    "header": _header,
    "card": _card,
    "bid": _bid,
    "include": _include,
    "carding": _carding,
}


def lines_of_system(system: System) -> list[dict[str, Any]]:
    """The plain values of a system's records."""
    return [line_of(record) for record in system.records]


def line_of(record: Record) -> dict[str, Any]:
    """The plain value of one record."""
    if isinstance(record, Header):
        opener = "floating" if record.floating else "fixed"
        return {
            "header": _kept(
                opener=opener, name=_written(record.name), flags=_letters(record.flags), summary=_written(record.summary)
            )
        }
    if isinstance(record, StockCard):
        return {"card": _kept(file=_written(record.name))}
    if isinstance(record, Include):
        return {"include": _kept(file=_written(record.name))}
    if isinstance(record, Carding):
        return {"carding": _kept(letters=record.letters, text=_written(record.text))}
    steps = [_kept(call=_step(step), qualifier=_braced(step)) for step in record.sequence]
    last = record.sequence[-1] if record.sequence else None
    name = (
        "other_call"
        if last is None or not last.call.is_bid
        else "notrump_bid"
        if last.call.strain is Strain.NOTRUMP
        else "suit_bid"
    )
    lengths = None if record.lengths is None else {"shortest": str(record.lengths[0]), "longest": str(record.lengths[1])}
    disposition = record.disposition
    if name != "other_call" and disposition is None:
        disposition = Disposition.NONE
    if name == "suit_bid" and lengths is None:
        lengths = {"shortest": "0", "longest": "8"}
    return {
        "bid": _kept(
            opponents="*" if record.opponents_opened else None,
            position=record.position.name.lower(),
            when=record.when.name.lower(),
            step=steps[:-1] or None,
            qualifier=None if last is None else _braced(last),
            flags=_letters(record.flags),
            disposition=None if disposition is None else disposition.name.lower(),
            lengths=lengths,
            text=_written(record.text),
            **{name: None if last is None else _step(last)},
        )
    }


def _kept(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "")}


def _step(step: Step) -> str:
    return sequence_text((Step(step.call),))


def _braced(step: Step) -> str | None:
    return None if step.qualifier is None else f"{{{step.qualifier}}}"


def _letters(flags: Flags) -> dict[str, list[str]]:
    return {"flag": ["yes" if letter == "Y" else "no" for letter in str(flags)]}


def _written(text: str) -> str:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8").decode("latin-1")
    return text
