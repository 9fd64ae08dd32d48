"""Solve one suit with the C library: input are the weights of the layouts, output a value and a tree of play.

Read `Game` and `SuitEngine.solve`. A `Game` may lower or raise declarer's small cards (`Game.shifted`), so that its ranks differ
from those of the combination; ``ranks`` maps them back.
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
_ANY = 255


@dataclass(frozen=True)
class Start:
    """A prescribed first trick: the hand and the rank led, and the rank that third hand plays on second hand's lowest card."""

    hand: Seat
    lead: int
    third: int


@dataclass(frozen=True)
class Game:
    """A combination in the form of the C library: ``north`` and ``south`` are ranks as the search orders them.

    ``ranks[i]`` is the rank in the combination of rank i of the game; the same applies to defenders' cards.
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
        """The game with declarer's cards from rank ``lowest`` down moved above (``up``) or below all hidden cards that low.

        Declarer takes no fewer tricks with higher cards: he can play them as if they were the lower ones, and each trick that they
        win in addition is one that he would have lost. A lowered game is therefore a lower bound, a raised one an upper bound; both
        have fewer classes of equal hidden cards, and where the bounds meet the small cards do not matter.
        """
        # Rank 0 is the ace: a higher number is a lower card.
        ours = sorted(rank for rank in (*self.north, *self.south) if rank >= lowest)
        theirs = [rank for rank in self.hidden if rank >= lowest]
        order = [*range(lowest), *(ours + theirs if up else theirs + ours)]
        place = {rank: at for at, rank in enumerate(order)}
        north, south, hidden = (tuple(place[rank] for rank in ranks) for ranks in (self.north, self.south, self.hidden))
        return Game(self.combination, north, south, hidden, tuple(order))

    @property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The hidden cards in groups that no card of declarer's separates, from the highest down."""
        found: list[list[int]] = []
        ours = {*self.north, *self.south}
        parted = True
        for rank in range(13):
            if rank in ours:
                parted = True
            elif rank in self.hidden:
                if parted:
                    found.append([])
                found[-1].append(rank)
                parted = False
        return tuple(map(tuple, found))

    def weights(self) -> Iterator[int]:
        """The weight of each layout, the number of West's cards in the first class varying fastest."""
        known = {RANKS.index(rank) for rank in self.combination.west}, {RANKS.index(rank) for rank in self.combination.east}
        sizes = []
        for cards in self.classes:
            west, east = (sum(self.ranks[card] in held for card in cards) for held in known)
            sizes.append((len(cards), west, len(cards) - west - east))
        # `product` varies its last factor fastest, and the C library expects the first class to: hence reversed.
        for backwards in product(*(range(size + 1) for size, _, _ in reversed(sizes))):
            counts = [count - west for count, (_, west, _) in zip(reversed(backwards), sizes, strict=True)]
            chosen = prod(comb(free, count) if count >= 0 else 0 for count, (_, _, free) in zip(counts, sizes, strict=True))
            # A layout that contradicts a known card keeps its place in the array with weight 0: indices are those of `layout`.
            yield chosen and chosen * self.combination.ways(sum(counts))

    def layout(self, west: frozenset[int]) -> int:
        """Return the index of the layout in which West has some ranks of the combination."""
        index, stride = 0, 1
        for cards in self.classes:
            index += stride * sum(self.ranks[card] in west for card in cards)
            stride *= len(cards) + 1
        return index

    def rank(self, rank: int) -> int:
        """Return the rank of the game for one of the combination."""
        return self.ranks.index(rank)


@dataclass(frozen=True)
class PlayStep:
    """A card in a tree of play: ``cards`` are equivalent ranks of the combination; empty for a discard.

    ``kind`` is 0 for declarer's lead, 1 to 3 for the cards that follow, 4 where declarer's top cards are enough.
    """

    parent: int
    kind: int
    seat: Seat
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Solved:
    """The value of a game, as weights: ``lower`` is reached by a line, ``upper`` a bound; equal where the search was completed."""

    lower: int
    upper: int
    effort: int
    memory: int


class SuitEngine:
    """The C library's memory for one thread; use it in a ``with`` statement."""

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
        """Solve for ``target`` tricks or more, or with 0 for the expected number; ``start`` prescribes the first trick."""
        ours = game.combination
        lead_from = 2 if ours.lead_from is None else HANDS.index(ours.lead_from)
        asked = {
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
        status = lib.bsst_solve(self._context, ffi.new("bsst_game *", asked), list(game.weights()), self.effort, out)
        # Before `raise_for`: the status only reports that the search was stopped, not by what.
        if (raised := take_interruption()) is not None:
            raise raised
        raise_for(status, b"")
        return Solved(out.lower, out.upper, out.effort, out.memory)

    def line(self, game: Game) -> tuple[list[PlayStep], bytes]:
        """Return the steps, in preorder, of the shortest tree that reaches the value just solved, and the tricks that it wins in
        each layout.
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
