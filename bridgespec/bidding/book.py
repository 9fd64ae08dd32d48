"""A system in the form of a book: the calls of every turn up to some depth with what they show, how often they are made, and hands.

Frequencies are those of hands at the caller's turn, counted over a pool of random hands: that of an answer is its share of all
hands, opposite that opening; that of a later call its share of the hands that made the caller's earlier calls.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from bridgespec.bidding.bidder import HandKnowledge, told_hand
from bridgespec.bidding.census import Rows, census, hand_at, pool
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.meaning_table import disposition
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, P, Turn, bid
from bridgespec.model.convention_card import Disposition
from bridgespec.model.evaluate import hand_text

HANDS = 20_000
"""The number of hands for frequencies and examples."""
EXAMPLES = 3
DEPTH = 3
SEED = 11


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A call in an auction: the text of its rule, what it shows, its share of the hands, examples of hands that make it, and what
    follows.

    ``auction`` are the calls from the opening on, the last one that of the entry; the opponents' are in parentheses, without their
    passes. ``place`` is the file and line of the rule.
    """

    call: str
    auction: str
    text: str
    shows: HandKnowledge
    artificial: bool
    disposition: Disposition | None
    share: float
    examples: tuple[str, ...]
    place: str
    followers: tuple[BookEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Chapter:
    """The calls after one beginning: an opening of the opponents, or none for the openings of the side itself."""

    title: str
    entries: tuple[BookEntry, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A system's openings with what follows, and its calls over the opponents' openings. Created by `write`."""

    title: str
    sources: tuple[str, ...]
    conventions: tuple[tuple[str, tuple[str, ...]], ...]
    openings: Chapter
    defence: tuple[Chapter, ...]
    hands: int


class Writer:
    """Makes the book of a system; ``depth`` counts the calls of the side in one auction."""

    def __init__(self, system: BiddingSystem, depth: int = DEPTH, hands: int = HANDS) -> None:
        self.system = system
        self.depth = depth
        self.engine = BiddingEngine(system, system)
        self.hands = pool(hands, SEED)

    def book(self) -> Book:
        """Return the book with all chapters, for the side in first seat and nobody vulnerable."""
        start = self.engine.start((False, False))
        openings = Chapter("Openings", self._entries(start, {}, 0, ()))
        defence = []
        for level in (1, 2, 3):
            for suit in (3, 2, 1, 0, None):
                turn = self.engine.after(start, bid(level, suit))
                if turn.meanings[-1].known:
                    name = CALL_NAMES[turn.calls[-1]]
                    defence.append(Chapter(f"({name})", self._entries(turn, {}, max(self.depth - 2, 0), (f"({name})",))))
        modules = [module for module in self.system.modules if module.kind != "system" and (module.title or module.sources)]
        named = tuple((module.title or module.name, tuple(module.sources)) for module in modules)
        sources = tuple(source for module in self.system.modules[:1] for source in module.sources)
        return Book(self.system.title, sources, named, openings, tuple(defence), len(self.hands))

    def _entries(self, turn: Turn, made: dict[int, Rows], own: int, words: tuple[str, ...]) -> tuple[BookEntry, ...]:
        """Return the entries of a turn in the order of the calls; ``made`` has the hands that made each caller's calls so far."""
        asked = census(self.engine, turn, self.hands, made.get(turn.me))
        taken: dict[int, list[Rows]] = defaultdict(list)
        for share in asked.shares:
            if len(share.taken):
                taken[share.candidate.call].append(share.taken)
        entries = []
        for call, parts in taken.items():
            if call == P and turn.first < 0:
                continue
            rows = np.sort(np.concatenate(parts))
            after = self.engine.after(turn, call)
            entries.append(self._entry(after, rows, len(rows) / max(len(asked.rows), 1), made, own, words))
        return tuple(sorted(entries, key=lambda entry: _order(entry.call)))

    def _entry(self, after: Turn, rows: Rows, share: float, made: dict[int, Rows], own: int, words: tuple[str, ...]) -> BookEntry:
        call, caller = after.calls[-1], (len(after.calls) - 1) % 4
        meaning, name = after.meanings[-1], CALL_NAMES[call]
        auction = (*words, name)
        followers: tuple[BookEntry, ...] = ()
        answered = self.engine.after(after, P)
        if own + 1 < self.depth and call != P and not answered.is_over:
            followers = self._entries(answered, {**made, caller: rows}, own + 1, auction)
        spread = rows[np.linspace(0, len(rows) - 1, min(EXAMPLES, len(rows))).astype(int)]
        examples = tuple(hand_text(hand_at(self.hands, int(row))) for row in dict.fromkeys(spread.tolist()))
        shows = told_hand(after.known[caller])
        how = disposition(after, call)
        said = meaning.text, shows, meaning.artificial, how
        return BookEntry(name, " ".join(auction), *said, share, examples, meaning.place, followers)


def write(system: BiddingSystem, depth: int = DEPTH, hands: int = HANDS) -> Book:
    """Return the book of a system.

    >>> book = write(BiddingSystem.load("sayc"), 1, 4000)
    >>> book.title, [entry.call for entry in book.openings.entries][:5]
    ('Standard American Yellow Card', ['1C', '1D', '1H', '1S', '1NT'])
    """
    return Writer(system, depth, hands).book()


def _order(name: str) -> int:
    return CALL_NAMES.index(name)
