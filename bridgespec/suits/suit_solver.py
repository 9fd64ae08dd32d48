"""Solve one suit with the C library. `SuitEngine.solve` takes a `Game` and returns the value, `SuitEngine.line` the tree of play.

A `Game` is a combination in which declarer's small cards may be lowered or raised (`Game.shifted`), so that its ranks differ from
those of the combination; `Game.ranks` maps them back. Ranks are 0 (ace) to 12 (two).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import comb, prod
from types import TracebackType

from bridgespec.model.cards import RANKS, Seat
from bridgespec.model.combination import Combination
from bridgespec.solver.library import ffi, lib, python_ask, take_interruption
from bridgespec.solver.solver_errors import raise_for

DISCARD = -1
"""The rank of a card of another suit."""
HANDS = (Seat.NORTH, Seat.SOUTH)
"""Declarer's hands in the order of the C library."""
# For the C library: no limit of entries, no prescribed card.
_ANY = 255


@dataclass(frozen=True)
class Start:
    """A prescribed first trick, in ranks of the combination: the hand that leads, the lead, and third hand's card (or `DISCARD`) on
    the lowest card of second hand.
    """

    hand: Seat
    lead: int
    third: int


@dataclass(frozen=True)
class Game:
    """A combination in the form of the C library, perhaps with its cards in another order. Immutable; created by `of` and
    `shifted`.

    ``north``, ``south`` and ``hidden`` (the defenders' cards) are ranks of the game. ``ranks[i]`` is the rank in the combination of
    the card that has rank i in the game.
    """

    combination: Combination
    north: tuple[int, ...]
    south: tuple[int, ...]
    hidden: tuple[int, ...]
    ranks: tuple[int, ...]

    @classmethod
    def of(cls, combination: Combination) -> Game:
        """Return the game with the ranks of the combination."""
        holdings = (combination.north, combination.south, combination.defenders)
        north, south, hidden = (tuple(map(RANKS.index, holding)) for holding in holdings)
        return cls(combination, north, south, hidden, tuple(range(13)))

    def shifted(self, lowest: int, up: bool) -> Game:
        """Return the game in which declarer's cards from rank ``lowest`` down are above all hidden cards of these ranks (``up``),
        or below all of them.

        With higher cards declarer takes at least as many tricks, because he can play them as if they were lower. So a game with
        lowered cards has a value that is a lower bound of the combination's, and one with raised cards an upper bound. Both have
        fewer classes of equivalent hidden cards, and are solved faster.
        """
        ours = sorted(rank for rank in (*self.north, *self.south) if rank >= lowest)
        theirs = [rank for rank in self.hidden if rank >= lowest]
        order = [*range(lowest), *(ours + theirs if up else theirs + ours)]
        new_rank = {rank: index for index, rank in enumerate(order)}
        north, south, hidden = (tuple(new_rank[rank] for rank in ranks) for ranks in (self.north, self.south, self.hidden))
        return Game(self.combination, north, south, hidden, tuple(order))

    @property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The hidden cards in classes of equivalent cards, between which declarer has no card, from the highest down."""
        found: list[list[int]] = []
        ours = {*self.north, *self.south}
        new_class = True
        for rank in range(13):
            if rank in ours:
                new_class = True
            elif rank in self.hidden:
                if new_class:
                    found.append([])
                found[-1].append(rank)
                new_class = False
        return tuple(map(tuple, found))

    def weights(self) -> Iterator[int]:
        """Yield the weight of each layout. A layout is the number of West's cards in each class; that of the first class varies
        fastest.
        """
        known = {RANKS.index(rank) for rank in self.combination.west}, {RANKS.index(rank) for rank in self.combination.east}
        sizes = []
        for cards in self.classes:
            west, east = (sum(self.ranks[card] in held for card in cards) for held in known)
            sizes.append((len(cards), west, len(cards) - west - east))
        # `product` varies its last factor fastest, and the C library expects the first class to: hence reversed.
        for backwards in product(*(range(size + 1) for size, _, _ in reversed(sizes))):
            counts = [count - west for count, (_, west, _) in zip(reversed(backwards), sizes, strict=True)]
            chosen = prod(comb(free, count) if count >= 0 else 0 for count, (_, _, free) in zip(counts, sizes, strict=True))
            # A layout that contradicts a known card has weight 0, and is not left out: indices must be those of `layout`.
            yield chosen and chosen * self.combination.ways(sum(counts))

    def layout(self, west: frozenset[int]) -> int:
        """Return the index in `weights` of the layout in which West has the ranks ``west`` of the combination."""
        index, stride = 0, 1
        for cards in self.classes:
            index += stride * sum(self.ranks[card] in west for card in cards)
            stride *= len(cards) + 1
        return index

    def rank(self, rank: int) -> int:
        """Return the rank in the game of a rank of the combination."""
        return self.ranks.index(rank)


@dataclass(frozen=True)
class PlayStep:
    """A card in a tree of play, as the C library returns it. ``parent`` is the index of the step before it.

    ``kind`` is 0 for declarer's lead, 1 to 3 for the cards of the other hands in order, 4 if declarer's top cards are enough.
    ``cards`` are equivalent ranks of the combination, any of which may be played; empty for a discard.
    """

    parent: int
    kind: int
    seat: Seat
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Solved:
    """The value of a game, as a sum of weights of layouts, with the work and memory that it took. Created by `SuitEngine.solve`.

    A line has the value ``lower``, and no line has a value above ``upper``; they are equal unless the search ended early.
    """

    lower: int
    upper: int
    effort: int
    memory: int


class SuitEngine:
    """A solver for suit combinations with its memory, for one thread. Use it in a ``with`` statement, which releases the memory."""

    def __init__(self, memory_mb: int = 512, effort: int = 0) -> None:
        self.effort = effort
        out = ffi.new("bsst_context **")
        raise_for(lib.bsst_create(memory_mb << 20, out), b"")
        self._context = ffi.gc(out[0], lib.bsst_destroy)
        lib.bsst_set_interrupt(self._context, python_ask, ffi.NULL)

    def __enter__(self) -> SuitEngine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        ffi.release(self._context)

    def solve(self, game: Game, target: int, start: Start | None = None) -> Solved:
        """Return the value of a game: the chance of at least ``target`` tricks, or with 0 the expected number of tricks.

        ``start`` prescribes the first trick.
        """
        ours = game.combination
        lead_from = 2 if ours.lead_from is None else HANDS.index(ours.lead_from)
        fields = {
            "hands": [_mask(game.north), _mask(game.south)],
            "hidden": _mask(game.hidden),
            # The library refuses more than 13 entries, and a suit has no more tricks to enter for.
            "entries": [_ANY if count is None else min(count, 13) for count in ours.entries],
            "on_lead": lead_from,
            "target": target,
            "first_hand": 0 if start is None else HANDS.index(start.hand),
            "first_lead": _ANY if start is None else game.rank(start.lead),
            "first_third": _ANY if start is None else lib.BSST_NO_CARD if start.third == DISCARD else game.rank(start.third),
        }
        out = ffi.new("bsst_value *")
        status = lib.bsst_solve(self._context, ffi.new("bsst_game *", fields), list(game.weights()), self.effort, out)
        # Before `raise_for`, whose error would not be the exception that stopped the search.
        if (raised := take_interruption()) is not None:
            raise raised
        raise_for(status, b"")
        return Solved(out.lower, out.upper, out.effort, out.memory)

    def line(self, game: Game) -> tuple[list[PlayStep], bytes]:
        """Return the shortest tree of play with the value of the last `solve`, as steps in preorder; and for each layout the tricks
        that it wins. ``game`` must be the game of the last `solve`.
        """
        won, count = ffi.new("uint8_t[162]"), ffi.new("int32_t *")
        # The first call counts the steps, the second fills them in.
        raise_for(lib.bsst_line(self._context, ffi.NULL, 0, count, won), b"")
        steps = ffi.new("bsst_step[]", count[0])
        raise_for(lib.bsst_line(self._context, steps, count[0], count, won), b"")
        equals = {cards[0]: cards for cards in game.classes}
        found = []
        for step in steps:
            cards = () if step.card == lib.BSST_NO_CARD else equals.get(step.card, (step.card,))
            found.append(PlayStep(step.parent, step.kind, Seat(step.seat), tuple(game.ranks[card] for card in cards)))
        return found, bytes(won)


def _mask(ranks: tuple[int, ...]) -> int:
    return sum(1 << rank for rank in ranks)
