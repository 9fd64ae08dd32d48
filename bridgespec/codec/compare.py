"""What a record of bytes says twice and differently, and what of it means nothing: findings of the binding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bridgespec.codec.facts import Facts
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.places import Places
from bridgespec.codec.terms import TERMS
from bridgespec.codec.tree import NodeView
from bridgespec.codec.view import Group, View
from bridgespec.diagnostic import CODES, Code, Diagnostic, Label, Severity, define
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, Deal

MISMATCH = define(
    "mismatch",
    Severity.ERROR,
    """two fields that must agree do not

    The format stores the same thing twice, and here the two differ. The model takes the one that most programs read; which of
    them is right cannot be known.
    """,
)
DEAL_MISMATCH = define(
    "deal-mismatch",
    Severity.ERROR,
    """the two halves of a record hold different deals

    The record stores its deal twice, in two codes, and both must hold the same cards. Programs differ in which half they
    read, so one file gives two different deals. Deal the board again, or delete the half that is wrong.
    """,
)

LIMIT = 1000
"""Findings of one file from which on the binding adds none: more say nothing new of a file that is not of the format."""


def reporter(places: Places, reading: Reading, whole: Node, index: int) -> Callable[[Code, str, Node], None]:
    """What takes findings about parts of a record."""
    seen: set[tuple[str, int, int]] = set()

    def report(code: Code, message: str, at: Node) -> None:
        key = code.name, at.start, at.stop
        if key not in seen and len(reading.diagnostics) < LIMIT:
            seen.add(key)
            where = places.path(whole, index, at)
            reading.diagnostics.append(Diagnostic(code.name, code.severity, message, None, index, where, at.span))

    return report


def compare(places: Places, reading: Reading, node: Node, index: int, said: Facts) -> None:
    """Report what is said twice and differently, unless the record breaks off."""
    for name, group in said.groups.items():
        if len(group.wholes) < 2 or TERMS[name].ON != "board":
            continue
        chosen: tuple[View, Any] | None = None
        for view in sorted(group.wholes, key=lambda view: view.span.start):
            alone = Group()
            alone.wholes.append(view)
            value = TERMS[name].read(alone, said)
            if value is None:
                continue
            if chosen is not None and chosen[1] != value and not _cut_short(reading, index):
                _mismatch(places, reading, node, index, said, name, chosen, (view, value))
            if chosen is None or (view.decl.binding.prefer and not chosen[0].decl.binding.prefer):
                chosen = view, value


def _mismatch(
    places: Places,
    reading: Reading,
    node: Node,
    index: int,
    said: Facts,
    term: str,
    one: tuple[View, Any],
    two: tuple[View, Any],
) -> None:
    named = (two[0].decl.binding.code or one[0].decl.binding.code or "") if one[0].decl.kind == "record" else ""
    code = CODES.get(named, MISMATCH)
    labels: list[Label] = []
    message = f"two fields give different values for {term}"
    first, second = (TERMS[term].fields(value)[term] for _, value in (one, two))
    if isinstance(first, Deal) and isinstance(second, Deal):
        pairs = zip(first.holders, second.holders, strict=True)
        cards = [Card(slot) for slot, (a, b) in enumerate(pairs) if a != b]
        message = f"the two halves of board {index + 1} differ: " + " ".join(map(str, cards[:6])) + " ..." * (len(cards) > 6)
        for card in cards[:4]:
            for view, deal in ((one[0], first), (two[0], second)):
                holder = deal.holders[card]
                text = f"{card} {'nowhere' if holder >= OUT else Seat(holder).name.lower()} ({view.decl.name})"
                alone = Group()
                alone.wholes.append(view)
                labels += [Label(at.span, text) for at in list(TERMS[term].places(alone, (term, card), said))[:1]]
    else:
        labels = [Label(view.span, f"{value}") for view, value in (one, two)]
    believed = two[0] if two[0].decl.binding.prefer else one[0]
    help_ = f"most programs read {believed.decl.name!r}; nobody but you can tell which is right"
    assert isinstance(believed, NodeView)
    where = places.path(node, index, believed.node)
    reading.diagnostics.append(
        Diagnostic(code.name, code.severity, message, None, index, where, believed.span, tuple(labels), help_)
    )


def _cut_short(reading: Reading, index: int | None) -> bool:
    """Whether a record breaks off, so that what it lacks says nothing about what was meant."""
    return any(d.record == index and d.code == "truncated" for d in reading.diagnostics)
