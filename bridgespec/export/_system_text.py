"""Bidding systems as text: a tree of calls with the text that pops up for each, then leads and signals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridgespec.model.auction import CallKind
from bridgespec.model.carding import Carding, Lead
from bridgespec.model.convention_card import Answer, Danger, Meaning, OpeningSeat, Step, System, When
from bridgespec.model.disclosure import Node, display, plain_text, tree

_LINE = 110
_CALLS = 40


def system_text(system: System) -> str:
    """The whole system: header, our openings, their openings, includes, leads and signals.

    >>> from bridgespec.model.convention_card import Header, parse_sequence
    >>> one, two = Meaning(parse_sequence("1C"), lengths=(3, 8), text="11+"), Meaning(parse_sequence("1CP1D"), text="4+!d")
    >>> print(system_text(System((Header("Mine", "short clubs"), one, two))))
    Mine: short clubs
    <BLANKLINE>
    We open
      1♣         3+ clubs; 11+
        Pass 1♦  4+♦
    """
    blocks = []
    if system.header is not None:
        name = system.name or "(no name)"
        words = [f"{name}: {plain_text(system.header.summary)}" if system.header.summary else name]
        if system.header.floating:
            words.append("A convention to be added to systems.")
        blocks.append("\n".join(words))
    if system.stock_card is not None:
        blocks.append(f"Starts from the card {system.stock_card}")
    for theirs, title in ((False, "We open"), (True, "They open")):
        roots = tree(system, theirs)
        if roots:
            blocks.append("\n".join([title, *_lines(roots)]))
    if system.includes:
        blocks.append("Includes " + ", ".join(system.includes))
    if system.carding is not None:
        blocks.append(carding_text(system.carding))
    return "\n\n".join(blocks)


def found_text(answers: Sequence[Answer]) -> str:
    """The answer to a query: each record that pops up, with its situations where the query leaves several open; then the records
    that others hide everywhere. Records count from 1.
    """
    if not answers:
        return "No record pops up for this call."
    # A record that pops up wherever the query leaves it open needs no list of situations.
    asked = frozenset().union(*(answer.situations for answer in answers))
    lines = []
    for answer in answers:
        head = "pops up" if answer.situations else "hidden "
        own = _condition(answer.meaning)
        lines.append(f"{head}  record {answer.index + 1}  {sequence_symbols(answer.meaning.sequence)}{f'  {own}' if own else ''}")
        if answer.situations and answer.situations != asked:
            lines[-1] += f"  (here: {situations_text(answer.situations)})"
        lines += [f"    {line}" for line in display(answer.meaning).splitlines()]
    return "\n".join(lines)


_SEATS = {position.seats: position.label or "any seat" for position in OpeningSeat}
_DANGERS = {when.covers: when.label or "any vulnerability" for when in When}


def situations_text(situations: Iterable[tuple[int, Danger]]) -> str:
    """Seats and vulnerabilities in words: ``1st/2nd seat we vul, 4th seat any vulnerability``.

    >>> situations_text([(seat, danger) for seat in (1, 2) for danger in (Danger.WE, Danger.BOTH)])
    '1st/2nd seat we vul'
    """
    by_seat: dict[int, set[Danger]] = {}
    for seat, danger in situations:
        by_seat.setdefault(seat, set()).add(danger)
    by_dangers: dict[frozenset[Danger], set[int]] = {}
    for seat, dangers in sorted(by_seat.items()):
        by_dangers.setdefault(frozenset(dangers), set()).add(seat)
    return ", ".join(
        f"{_SEATS.get(frozenset(seats)) or ', '.join(_SEATS[frozenset({seat})] for seat in sorted(seats))} "
        + (_DANGERS.get(dangers) or " or ".join(_DANGERS[frozenset({danger})] for danger in sorted(dangers)))
        for dangers, seats in by_dangers.items()
    )


def carding_text(carding: Carding) -> str:
    """Leads with brackets around the card led, and signals by priority."""
    lines = ["Leads against notrump", *_leads(carding.notrump_leads), "Leads against suits", *_leads(carding.suit_leads), "Signals"]
    for situation, signals in carding.signals.items():
        lines.append(f"  {situation:<24}" + ", then ".join(signals))
    if carding.text:
        lines += [f"  {line}" for line in plain_text(carding.text).splitlines()]
    return "\n".join(lines)


def sequence_symbols(sequence: Iterable[Step]) -> str:
    """The calls with suit signs, a blank between them, qualifiers in braces."""
    return " ".join(step.call.symbol + (f"{{{step.qualifier}}}" if step.qualifier is not None else "") for step in sequence)


def _lines(roots: Iterable[Node]) -> list[str]:
    """Return a line for each record, texts in one column. A call without a record is shown in front of the next that has one."""
    rows: list[tuple[str, Meaning]] = []
    # A stack of its own: sequences of a file may be longer than Python's limit of frames.
    stack: list[tuple[Node, int, tuple[Step, ...]]] = [(node, 1, ()) for node in reversed(list(roots))]
    while stack:
        node, depth, pending = stack.pop()
        path = (*pending, node.step)
        rows += [("  " * depth + sequence_symbols(path), meaning) for _, meaning in node.records]
        # A call without a record takes no line of its own; it is shown in front of the next one that has a text.
        if node.records:
            path, depth = (), depth + 1
        stack += [(follower, depth, path) for follower in reversed(node.followers.values())]
    # One long sequence must not move the texts of all others to the right.
    width = min(max(len(left) for left, _ in rows), _CALLS)
    return [line for left, meaning in rows for line in _record(f"{left:<{width}}  ", meaning)]


def _record(left: str, meaning: Meaning) -> list[str]:
    where = _condition(meaning)
    shown = [part for part in display(meaning).splitlines() if part.strip()] or [""]
    first = f"{left}{f'[{where}] ' if where else ''}{shown[0]}"
    return [first.rstrip(), *(" " * len(left) + line for line in shown[1:])]


def _condition(meaning: Meaning) -> str:
    # Passes and doubles bid no suit that could be natural.
    flags = "artificial" if meaning.flags.artificial and meaning.last and meaning.last.kind is CallKind.BID else ""
    return ", ".join(part for part in (meaning.position.label, meaning.when.label, flags) if part)


def _leads(leads: Sequence[Lead]) -> list[str]:
    lines, line = [], " "
    for lead in leads:
        if len(line) + len(lead.marked) + 1 > _LINE:
            lines.append(line)
            line = " "
        line += f" {lead.marked}"
    return [*lines, line]
