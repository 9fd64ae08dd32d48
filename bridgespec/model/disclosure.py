"""Show a Full Disclosure table: `display` returns the text that is shown for a call, `tree` the calls of a system as a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bridgespec.model.cards import SUITS, Strain, Suit
from bridgespec.model.convention_card import ANY_LENGTH, Meaning, Step, System

_ESCAPE = re.compile(r"!([!shdcSHDC])|\\n|\\\\")


def plain_text(text: str) -> str:
    """Return a text of a table with suit symbols, exclamation marks and line breaks for their codes.

    >>> plain_text("4+!h, 5!S!! 12-14")
    '4+♥, 5♠! 12-14'
    """
    return _ESCAPE.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    """Return the character for a code that `_ESCAPE` matches."""
    letter = match[1]
    if letter is None:
        return "\n"
    return "!" if letter == "!" else Suit(SUITS.index(letter.upper())).symbol


def length_text(meaning: Meaning) -> str:
    """Return the length of the suit that is bid in words; ``""`` if the record has none, or if it is 0 or more.

    >>> from bridgespec.model.convention_card import parse_sequence
    >>> length_text(Meaning(parse_sequence("1H"), lengths=(5, 8))), length_text(Meaning(parse_sequence("2D"), lengths=(4, 5)))
    ('5+ hearts', '4-5 diamonds')
    """
    last = meaning.last
    if meaning.lengths is None or last is None or last.strain is Strain.NOTRUMP or meaning.lengths == (0, ANY_LENGTH):
        return ""
    low, high = meaning.lengths
    return f"{low}{'+' if high == ANY_LENGTH else f'-{high}'} {last.strain.name.lower()}"


def display(meaning: Meaning) -> str:
    """Return the text that is shown for a call: the disposition, the length and the record's own text, separated by semicolons.

    >>> from bridgespec.model.convention_card import Disposition, parse_sequence
    >>> meaning = Meaning(parse_sequence("1NP2D"), disposition=Disposition.TRANSFER, lengths=(0, 8), text="5+!h")
    >>> display(meaning)
    'Transfer; 5+♥'
    """
    # `Disposition.NONE`, which has no label, is 0 and false like None.
    head = meaning.disposition.label if meaning.disposition else ""
    return "; ".join(part for part in (head, length_text(meaning), plain_text(meaning.text).strip()) if part)


@dataclass(slots=True)
class Node:
    """A call in the tree of a system. Created by `tree`.

    ``sequence`` are the calls up to this one, ``records`` its meanings for different seats and vulnerabilities with their indices,
    and ``followers`` the nodes of the next calls.
    """

    step: Step
    sequence: tuple[Step, ...]
    records: list[tuple[int, Meaning]] = field(default_factory=list)
    followers: dict[Step, Node] = field(default_factory=dict)


def tree(system: System, opponents_opened: bool) -> list[Node]:
    """Return the nodes of the openings of our side, or of the opponents, with the calls after them; in the order of the records.

    >>> from bridgespec.model.convention_card import parse_sequence
    >>> system = System((Meaning(parse_sequence("1C")), Meaning(parse_sequence("1CP1D"))))
    >>> [str(node.step.call) for node in tree(system, False)[0].followers.values()]
    ['Pass']
    """
    return _grow(item for item in system.meanings if item[1].opponents_opened == opponents_opened)


def _grow(items: Iterable[tuple[int, Meaning]]) -> list[Node]:
    """Return the tree of meanings with their indices, as its first level."""
    roots: dict[Step, Node] = {}
    for index, meaning in items:
        level, node = roots, None
        for depth, step in enumerate(meaning.sequence):
            node = level.get(step)
            if node is None:
                node = level[step] = Node(step, meaning.sequence[: depth + 1])
            level = node.followers
        if node is not None:
            node.records.append((index, meaning))
    return list(roots.values())
