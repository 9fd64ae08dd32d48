"""Bidding systems of text formats: records by the names of their fields, into the model's records."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bridgespec.codec.node import Node
from bridgespec.codec.text_facts import decoded
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Shape, Slot
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


@lru_cache(maxsize=4096)
def _sequence(text: str) -> tuple[Step, ...]:
    return parse_sequence(text)


@lru_cache(maxsize=256)
def _flags(text: str) -> Flags:
    return Flags.parse(text)


def system_of(compiler: Compiler, root: Node) -> System | None:
    """The system that a file is; None where its grammar holds none."""
    for child in root.children or ():
        if child.decl is not None and child.decl.binding.term == "system":
            return System(tuple(record for node in child.children or () if (record := record_of(node)) is not None))
    start = compiler.grammar.rules[compiler.grammar.start]
    held = any(
        compiler.grammar.rules[ref.name].words.binding.term == "system"
        for ref, _ in compiler.grammar.occurrences(start.expr).values()
    )
    return System(()) if held else None


def is_record(node: Node) -> bool:
    """Whether a node is a record of the system (blank lines are not)."""
    if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
        return False
    slots = node.maker.shape.slots
    return any(name in _MAKERS and node.maker.span(slot.group)[0] >= 0 for name, slot in slots.items())


def record_of(node: Node) -> Record | None:
    """The record of a node; None for a blank or broken one."""
    if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
        return None
    maker = node.maker
    for name, slot in maker.shape.slots.items():
        if maker.span(slot.group)[0] >= 0 and slot.shape is not None and name in _MAKERS:
            return _MAKERS[name](RecordMaker(maker.text, slot.shape, maker.span, maker.end))
    return None


def _text(maker: RecordMaker, name: str) -> str:
    slot = maker.shape.slots.get(name)
    text = maker.field_text(name) if slot is not None else None
    return "" if text is None or slot is None else decoded(slot.rule, text)


def _code(maker: RecordMaker, name: str) -> str:
    slot = maker.shape.slots.get(name)
    for part in _parts(slot):
        start, stop = maker.span(part.group)
        if start >= 0 and part.codes is not None:
            return (part.codes.name(maker.text[start:stop]) or "").upper()
    return ""


def _parts(slot: Slot | None) -> tuple[Slot, ...]:
    return () if slot is None else slot.parts or (slot,)


def _header(maker: RecordMaker) -> Record:
    flags = maker.field_text("flags")
    floating = _code(maker, "opener") == "FLOATING"
    return Header(_text(maker, "name"), _text(maker, "summary"), floating, _flags(flags) if flags else _NO_FLAGS)


def _bounds(maker: RecordMaker, shape: Shape) -> tuple[int, int]:
    """Where the sequence of calls begins and ends."""
    start = max(maker.span(part.group)[1] for name in ("when", "bad_when") for part in _parts(shape.slots.get(name)))
    stops = [maker.span(part.group)[1] for name in _LAST for part in _parts(shape.slots.get(name))]
    return start, max(stops)


def _bid(maker: RecordMaker) -> Record:
    shape = maker.shape
    start, stop = _bounds(maker, shape)
    flags = maker.field_text("flags")
    disposition = _code(maker, "disposition")
    lengths = maker.field_text("lengths")
    return Meaning(
        _sequence(maker.text[start:stop]),
        maker.field_text("opponents") is not None,
        Position[_code(maker, "position") or "ANY"],
        When[_code(maker, "when") or "ANY"],
        _flags(flags) if flags else _NO_FLAGS,
        Disposition[disposition] if disposition else None,
        (int(lengths[0]), int(lengths[1])) if lengths else None,
        _text(maker, "text"),
    )


def _card(maker: RecordMaker) -> Record:
    return StockCard(_text(maker, "file"))


def _include(maker: RecordMaker) -> Record:
    return Include(_text(maker, "file"))


def _carding(maker: RecordMaker) -> Record:
    return Carding(_text(maker, "letters"), _text(maker, "text"))


_MAKERS: dict[str, Callable[[RecordMaker], Record]] = {
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
