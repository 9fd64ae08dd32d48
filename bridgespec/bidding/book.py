"""The book of a system: the calls of every turn up to some depth, with what each call shows, its frequency, and example hands.

`write` takes a `BiddingSystem` and returns a `Book`. Frequencies are counted over a pool of random hands. The frequency of a
player's first call is its share of all hands; that of a later call its share of the hands that made the player's earlier calls.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from bridgespec.bidding.bidder import HandKnowledge, hand_knowledge
from bridgespec.bidding.census import HandIndices, census, hand_at, pool
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
    """One call after one auction, with its frequency and examples. Created by `BookWriter`.

    ``auction`` has the calls from the opening to the call of the entry; calls of the opponents are in parentheses, their passes are
    left out. ``text`` is the explanation of the rule, ``place`` its file and line. ``share`` is the frequency from 0 to 1 (see the
    module), ``examples`` are texts of hands that make the call, ``followers`` the entries of partner's answers.
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
    """The openings of the side, or its calls over one opening of the opponents, which is the title, such as ``(1H)``."""

    title: str
    entries: tuple[BookEntry, ...]


@dataclass(frozen=True, slots=True)
class Book:
    """The book of one system. Created by `write`.

    ``sources`` are those of the system's own file, ``conventions`` the title of each convention with its sources. ``hands`` is the
    number of random hands over which frequencies were counted.
    """

    title: str
    sources: tuple[str, ...]
    conventions: tuple[tuple[str, tuple[str, ...]], ...]
    openings: Chapter
    defence: tuple[Chapter, ...]
    hands: int


class BookWriter:
    """Makes the book of one system. Created by `write`; ``depth`` is the most calls of the side in one auction."""

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

    def _entries(self, turn: Turn, made: dict[int, HandIndices], own: int, words: tuple[str, ...]) -> tuple[BookEntry, ...]:
        """Return the entries of the calls at a turn, from pass to the highest bid.

        ``made`` maps a caller (0 to 3 from the dealer) to the hands that made all of its calls so far; ``own`` counts the calls of
        the side; ``words`` are the calls from the opening on, as the book prints them.
        """
        counted = census(self.engine, turn, self.hands, made.get(turn.me))
        taken: dict[int, list[HandIndices]] = defaultdict(list)
        for share in counted.shares:
            if len(share.taken):
                taken[share.candidate.call].append(share.taken)
        entries = []
        for call, parts in taken.items():
            # The book does not list the pass of a hand that does not open.
            if call == P and turn.first < 0:
                continue
            rows = np.sort(np.concatenate(parts))
            after = self.engine.after(turn, call)
            entries.append(self._entry(after, rows, len(rows) / max(len(counted.rows), 1), made, own, words))
        return tuple(sorted(entries, key=lambda entry: _order(entry.call)))

    def _entry(
        self, after: Turn, rows: HandIndices, share: float, made: dict[int, HandIndices], own: int, words: tuple[str, ...]
    ) -> BookEntry:
        """Return the entry of the last call of ``after``, which the hands ``rows`` make; for the rest see `_entries`."""
        call, caller = after.calls[-1], (len(after.calls) - 1) % 4
        meaning, name = after.meanings[-1], CALL_NAMES[call]
        auction = (*words, name)
        followers: tuple[BookEntry, ...] = ()
        answered = self.engine.after(after, P)
        if own + 1 < self.depth and call != P and not answered.is_over:
            followers = self._entries(answered, {**made, caller: rows}, own + 1, auction)
        spread = rows[np.linspace(0, len(rows) - 1, min(EXAMPLES, len(rows))).astype(int)]
        examples = tuple(hand_text(hand_at(self.hands, int(row))) for row in dict.fromkeys(spread.tolist()))
        shows = hand_knowledge(after.known[caller])
        how = disposition(after, call)
        shown = meaning.text, shows, meaning.artificial, how
        return BookEntry(name, " ".join(auction), *shown, share, examples, meaning.place, followers)


def write(system: BiddingSystem, depth: int = DEPTH, hands: int = HANDS) -> Book:
    """Return the book of a system.

    >>> book = write(BiddingSystem.load("sayc"), 1, 4000)
    >>> book.title, [entry.call for entry in book.openings.entries][:5]
    ('Standard American Yellow Card', ['1C', '1D', '1H', '1S', '1NT'])
    """
    return BookWriter(system, depth, hands).book()


def _order(name: str) -> int:
    return CALL_NAMES.index(name)
