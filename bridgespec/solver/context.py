"""The `Solver`: one context of the C library, with its transposition table, and the types of its results."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from math import factorial, prod
from types import TracebackType

from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.solver.library import ffi, lib, python_ask, take_interruption
from bridgespec.solver.position import Position, as_byte, native
from bridgespec.solver.solver_errors import Cancelled, SolverError, raise_for

MEMORY_MB = 256
"""The default limit of a context's memory. The C library takes at least 4 MB."""
MOST_MEMORY_MB = 1 << 20
"""The largest limit that is accepted, in megabytes."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """The tricks of a position and the cards on which they depend. Created by `Solver.relevance`.

    A position with the same suit lengths of each seat, in which the ``cards`` have the same holders, has the same number of
    ``tricks``. ``ways`` is the number of such positions, with the solved one.
    """

    tricks: int
    cards: tuple[Card, ...]
    ways: int


class Mode(IntEnum):
    """Which cards `Solver.cards` reports: all, only the best, or only those that reach a target. Each mode is faster than the
    previous.
    """

    ALL = 0
    BEST = 1
    TARGET = 2


@dataclass(frozen=True, slots=True)
class CardResult:
    """A group of equivalent cards, between which no other hand has a card, highest first, and the tricks that the side on turn
    takes with any of them, with the current trick. Created by `Solver.cards`.
    """

    cards: tuple[Card, ...]
    tricks: int

    @property
    def card(self) -> Card:
        """The highest of the cards."""
        return self.cards[0]


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """The value of one card of a play. Part of a `PlayTrace`.

    ``tricks`` is the number that North-South take in all from the first position on, if all play best after the card. ``cost`` is
    the number of tricks that the card lost for the side that played it.
    """

    seat: Seat
    card: Card
    tricks: int
    cost: int


@dataclass(frozen=True, slots=True)
class PlayTrace:
    """The value of each card of a play. Created by `Solver.trace`.

    ``tricks`` is the number of North-South's tricks with best play before the first card, ``cards`` the values of the cards in
    order.
    """

    tricks: int
    cards: tuple[PlayedCard, ...]

    def of(self, side: Side, tricks_left: int) -> tuple[int, ...]:
        """Return the side's tricks before the first card and after each card; ``tricks_left`` is the sum of both sides' tricks."""
        values = (self.tricks, *(card.tricks for card in self.cards))
        return values if side is Side.NS else tuple(tricks_left - value for value in values)


@dataclass(frozen=True, slots=True)
class Line:
    """The remaining cards of a position in an order of best play, and the tricks of the side on turn. By `Solver.best_line`."""

    cards: tuple[Card, ...]
    tricks: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts since the `Solver` was created or `Solver.clear_statistics` was called; memory in bytes.

    ``nodes`` are cards played by the search, ``searches`` its zero-window searches. ``lookups``, ``hits`` and ``adds`` are
    operations of the transposition table, ``wipes`` the times that it was full and was emptied.
    """

    nodes: int
    lookups: int
    hits: int
    adds: int
    wipes: int
    searches: int
    memory: int
    memory_limit: int


def cell_mask(strains: Sequence[Strain] | None = None, declarers: Sequence[Seat] | None = None) -> int:
    """Return the C library's bit mask for some cells of a table: bit ``4 * strain + declarer``; None: all strains or declarers.

    >>> bin(cell_mask([Strain.NOTRUMP], [Seat.WEST, Seat.EAST]))
    '0b101'
    """
    for what, given, known in (("strain", strains, Strain), ("declarer", declarers, Seat)):
        for item in given or ():
            if item not in list(known):
                raise SolverError(f"{item!r} is not a {what}: they are 0 to {len(known) - 1}")
    return sum(
        1 << 4 * strain + declarer
        for strain in set(Strain if strains is None else strains)
        for declarer in set(Seat if declarers is None else declarers)
    )


def memory_bytes(memory_mb: int) -> int:
    """Return a limit of memory in bytes. Raises SolverError unless it is from 1 to `MOST_MEMORY_MB` megabytes."""
    if memory_mb < 1:
        raise SolverError(f"a solver needs some memory, not {memory_mb} MB")
    if memory_mb > MOST_MEMORY_MB:
        raise SolverError(f"a solver takes {MOST_MEMORY_MB} MB at most, not {memory_mb}")
    # The C parameter is a size_t, which is smaller than the bound on 32-bit machines.
    return min(memory_mb << 20, sys.maxsize)


class Solver:
    """A solver with a table of results, which speeds up further positions of the same deal. Create it once, and use it for many.

    It takes at most ``memory_mb`` megabytes, but at least 4. A ``with`` statement closes it. Raises SolverError if two threads use
    it at once. Ctrl-C stops a search within a fifth of a second.

    >>> solver = Solver(memory_mb=16)
    >>> deal = Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    >>> solver.table(deal).get(Strain.SPADES, Seat.EAST)
    10
    >>> [(str(group.card), group.tricks) for group in solver.cards(Position.opening(deal, Strain.SPADES, Seat.EAST))][:2]
    [('SJ', 3), ('S6', 3)]
    """

    def __init__(self, memory_mb: int = MEMORY_MB) -> None:
        memory = memory_bytes(memory_mb)
        made = ffi.new("bsdd_context **")
        raise_for(lib.bsdd_create(memory, made), b"")
        # ``size``: without it the garbage collector would count a few bytes for the object.
        self._context = ffi.gc(made[0], lib.bsdd_destroy, size=memory)
        self._flag = ffi.new("int *")
        self._busy = threading.Lock()
        lib.bsdd_set_cancel(self._context, self._flag)
        lib.bsdd_set_interrupt(self._context, python_ask, ffi.NULL)

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Release the memory; afterwards the solver cannot be used."""
        if self._context is not None:
            with self._use() as context:
                self._context = None
                ffi.release(context)

    def cancel(self) -> None:
        """Stop the search that another thread runs, or if there is none the next search: it raises Cancelled. Later calls work
        again.
        """
        self._flag[0] = 1

    @contextmanager
    def _use(self) -> Iterator[object]:
        """Lock and yield the C context. Raises SolverError if the solver is closed or in use by another thread."""
        if self._context is None:
            raise SolverError("the solver is closed")
        # Two threads in one context would corrupt its table. An error, and no waiting, shows the caller's mistake.
        if not self._busy.acquire(blocking=False):
            raise SolverError("the solver is in use by another thread: each thread needs its own")
        try:
            yield self._context
        except Cancelled:
            # If an exception of a signal handler (KeyboardInterrupt) stopped the C code, it is raised instead.
            interruption = take_interruption()
            if interruption is not None:
                raise interruption from None
            raise
        finally:
            # A cancellation stops one search: the next call works again, as `cancel` promises.
            self._flag[0] = 0
            self._busy.release()

    def solve(self, position: Position) -> int:
        """Return the number of tricks that the side on turn takes if all play best, with the current trick."""
        tricks = ffi.new("int32_t *")
        position.check()
        with self._use() as context:
            raise_for(lib.bsdd_solve(context, native(position), tricks), position.deal.holders)
        return int(tricks[0])

    def relevance(self, position: Position) -> Relevance:
        """Solve a position, and return the tricks with the cards on which they depend.

        The cards need not be as few as possible; which are returned depends on earlier searches of this solver.
        """
        tricks, ranks = ffi.new("int32_t *"), ffi.new("uint16_t[4]")
        position.check()
        with self._use() as context:
            raise_for(lib.bsdd_solve_ranks(context, native(position), tricks, ranks), position.deal.holders)
        relevant = tuple(Card(13 * suit + rank) for suit in range(4) for rank in range(13) if ranks[suit] >> rank & 1)
        return Relevance(int(tricks[0]), relevant, _ways(position.deal, relevant))

    def at_least(self, position: Position, target: int) -> bool:
        """Return whether the side on turn can take ``target`` tricks, with the current trick; faster than `solve`."""
        yes = ffi.new("int32_t *")
        position.check()
        with self._use() as context:
            # 14 is always out of reach and 0 always reached; larger numbers would not fit the C parameter.
            bounded = max(0, min(target, 14))
            raise_for(lib.bsdd_at_least(context, native(position), bounded, yes), position.deal.holders)
        return bool(yes[0])

    def cards(self, position: Position, mode: Mode = Mode.ALL, target: int = 0) -> list[CardResult]:
        """Return the result of each card that may be played, in groups of equivalent cards: best first, then in the order of
        `Card`.

        With `Mode.TARGET`, only cards with which at least ``target`` (0 to 13) tricks are taken; `CardResult.tricks` is then the
        target.
        """
        if not 0 <= target <= 13:
            raise SolverError(f"a target is 0 to 13 tricks, not {target}")
        if mode not in list(Mode):
            raise SolverError(f"{mode!r} is not a mode: they are ALL, BEST and TARGET")
        found, count = ffi.new("bsdd_card[13]"), ffi.new("int32_t *")
        position.check()
        with self._use() as context:
            status = lib.bsdd_cards(context, native(position), mode, target, found, count)
            raise_for(status, position.deal.holders)
        return [_card_result(item) for item in found[0 : count[0]]]

    def table(self, deal: Deal, strains: Sequence[Strain] | None = None, declarers: Sequence[Seat] | None = None) -> Tricks:
        """Return the table of a deal, or of an ending with equal hands: all 20 cells, or those of some strains and declarers."""
        cells, problem = ffi.new("uint8_t[20]"), ffi.new("bsdd_problem *")
        raise_for(lib.bsdd_check_deal(deal.holders, problem), deal.holders, problem)
        with self._use() as context:
            raise_for(lib.bsdd_table(context, deal.holders, cell_mask(strains, declarers), cells), deal.holders)
        return Tricks(bytes(UNSOLVED if cell == lib.BSDD_UNSOLVED else cell for cell in cells))

    def trace(self, position: Position, cards: Sequence[Card]) -> PlayTrace:
        """Return the value of each card of a play from ``position`` on. Raises PositionError for the first card that cannot be
        played.
        """
        tricks, problem = ffi.new("uint8_t[]", len(cards) + 1), ffi.new("bsdd_problem *")
        with self._use() as context:
            status = lib.bsdd_analyse_play(context, native(position), bytes(map(as_byte, cards)), len(cards), tricks, problem)
            raise_for(status, position.deal.holders, problem)
        played = []
        for index, card in enumerate(cards):
            # Values are tricks of North-South: they fall by a mistake of North-South, and rise by one of East-West.
            seat, gained = position.on_turn, tricks[index + 1] - tricks[index]
            played.append(PlayedCard(seat, Card(card), tricks[index + 1], -gained if seat.side is Side.NS else gained))
            position = position.after(Card(card), index)
        return PlayTrace(tricks[0], tuple(played))

    def best_line(self, position: Position) -> Line:
        """Return one order of best play to the last card. At each turn it has the lowest card of the first group of equivalent
        cards, in the order of `Card`, that is best.
        """
        cards, count, tricks = ffi.new("uint8_t[52]"), ffi.new("int32_t *"), ffi.new("int32_t *")
        position.check()
        with self._use() as context:
            raise_for(lib.bsdd_best_line(context, native(position), cards, count, tricks), position.deal.holders)
        return Line(tuple(Card(card) for card in cards[0 : count[0]]), int(tricks[0]))

    @property
    def statistics(self) -> Statistics:
        """Counts of the searches so far, and the memory in use."""
        counts = ffi.new("bsdd_stats *")
        with self._use() as context:
            lib.bsdd_get_stats(context, counts)
        return Statistics(*(int(getattr(counts, name)) for name in Statistics.__slots__))

    def clear_statistics(self) -> None:
        """Count from zero again."""
        with self._use() as context:
            lib.bsdd_clear_stats(context)

    def forget(self) -> None:
        """Clear the table of results and release its memory. Later results are the same as without it."""
        with self._use() as context:
            lib.bsdd_reset(context)


def _ways(deal: Deal, relevant: tuple[Card, ...]) -> int:
    """Return the number of deals with the same suit lengths of each seat in which the ``relevant`` cards have the same holders."""
    fixed = set(relevant)
    ways = 1
    for suit in range(4):
        counts = [0, 0, 0, 0]
        for slot in range(13 * suit, 13 * suit + 13):
            if slot not in fixed and deal.holders[slot] < 4:
                counts[deal.holders[slot]] += 1
        # The other cards of a suit may be exchanged: a multinomial coefficient for each suit.
        ways *= factorial(sum(counts)) // prod(map(factorial, counts))
    return ways


def _card_result(item: object) -> CardResult:
    """Return the group of cards of the C library's structure ``bsdd_card``."""
    card, equals, tricks = (int(getattr(item, name)) for name in ("card", "equals", "tricks"))
    first = card // 13 * 13
    return CardResult(tuple(Card(first + rank) for rank in range(13) if equals >> rank & 1), tricks)
