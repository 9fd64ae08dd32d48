"""Many deals at once: packed or not, in order, the same with any number of threads, stopped when told."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Future

import numpy as np
import pytest

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.solver import (
    Cancelled,
    PositionError,
    Solver,
    SolverError,
    batch,
    cell_mask,
    pack_deals,
    pack_tables,
    solve_packed,
    solve_tables,
    stream_tables,
    unpack_deals,
    unpack_tables,
)
from tests.solver.list100 import FILE, cases
from tests.solver.sampling import HARD, random_deal

ENDING = Deal.parse("N:A.2.. K.3.. Q.4.. J.5..")
FREAKS = FILE.with_name("freaks.txt")
NOTRUMP = cell_mask([Strain.NOTRUMP])


def array(deals) -> np.ndarray:
    return np.frombuffer(b"".join(deal.holders for deal in deals), np.uint8).reshape(-1, 52)


@pytest.fixture(scope="module")
def some():
    """Deals with a known table, enough for several pieces, and their tables."""
    part = cases()[:22]
    return array([case.deal for case in part]), array_of_tables(part)


def array_of_tables(part) -> np.ndarray:
    return np.frombuffer(b"".join(case.table.cells for case in part), np.uint8).reshape(-1, 20)


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_nothing(some, threads):
    """Two strains of every deal, in input order."""
    deals, tables = some
    wanted = cell_mask([Strain.NOTRUMP, Strain.HEARTS])
    found = solve_tables(deals, threads=threads, memory_mb=16, cells=wanted)
    asked = [bool(wanted >> cell & 1) for cell in range(20)]
    assert np.array_equal(found[:, asked], tables[:, asked])
    assert (found[:, np.logical_not(asked)] == 15).all()


@pytest.mark.long
def test_packed_in_and_packed_out(some):
    """Packed deals are solved to packed tables, the same as unpacked ones."""
    deals, tables = some
    packed = pack_deals(deals[:3])
    assert solve_packed(packed.tobytes()) == pack_tables(tables[:3]).tobytes() == solve_packed(packed)
    assert np.array_equal(solve_tables(packed, cells=NOTRUMP)[:, :4], tables[:3, :4])


def test_packing_is_exact_both_ways():
    """Packing equals arithmetic on integers, and unpacking gives the arrays back."""
    rng = random.Random(5)
    deals = array([random_deal(rng) for _ in range(50)])
    packed = pack_deals(deals)
    assert packed.shape == (50, 13)
    assert np.array_equal(unpack_deals(packed), deals)
    assert np.array_equal(unpack_deals(packed.tobytes()), deals)
    by_hand = [sum(int(seat) << 2 * slot for slot, seat in enumerate(row)).to_bytes(13, "little") for row in deals]
    assert packed.tobytes() == b"".join(by_hand)
    tables = np.random.default_rng(5).integers(0, 16, (50, 20), dtype=np.uint8)
    assert np.array_equal(unpack_tables(pack_tables(tables).tobytes()), tables)
    by_hand = [sum(int(cell) << 4 * place for place, cell in enumerate(row)).to_bytes(10, "little") for row in tables]
    assert pack_tables(tables).tobytes() == b"".join(by_hand)


def test_endings_of_equal_hands_are_deals_too():
    """An array of endings with equal hands gives the tables that the single solver gives."""
    table = solve_tables(array([ENDING] * 3))
    with Solver() as solver:
        assert table.tolist() == [list(solver.table(ENDING).cells)] * 3


def test_no_deals_give_no_tables():
    """Empty input gives empty output in each form."""
    assert solve_tables(b"").shape == (0, 20)
    assert solve_packed(b"") == b""
    assert list(stream_tables([])) == []


def test_a_deal_that_cannot_be_is_named_before_any_is_solved():
    """A deal with unequal hands, an unknown holder or a wrong size raises an error that names it."""
    deals = array([ENDING] * 5).copy()
    deals[3, 0] = 2
    with pytest.raises(PositionError, match=r"deal 3: .*holds too many or too few cards \(W 2, N 1, E 3, S 2\)"):
        solve_tables(deals)
    deals[3, 0] = 5
    with pytest.raises(PositionError, match="deal 3: nobody says who holds SA"):
        solve_tables(deals)
    with pytest.raises(ValueError, match="13 bytes each"):
        solve_tables(b"x" * 14)
    with pytest.raises(ValueError, match="not \\(4, 51\\)"):
        solve_tables(np.zeros((4, 51), np.uint8))


@pytest.mark.parametrize("number", [260, 256, -252, -1, 1 << 40])
def test_numbers_that_are_not_bytes_do_not_wrap_to_seats(number):
    """260 is not West: whatever type of integers the array has."""
    deals = array([ENDING] * 5).astype(np.int64)
    assert np.array_equal(solve_tables(deals), solve_tables(array([ENDING] * 5)))
    deals[3, 0] = number
    with pytest.raises(PositionError, match="deal 3: a card is held by something that is not a seat"):
        solve_tables(deals)
    with pytest.raises(ValueError, match=r"0 to 255|no room"):
        pack_deals(deals)
    with pytest.raises(ValueError, match="0 to 255"):
        solve_tables(np.full((2, 13), number, np.int64))
    with pytest.raises(ValueError, match="0 to 255"):
        pack_tables(np.full((2, 20), number, np.int64))
    with pytest.raises(ValueError, match="whole numbers, not float64"):
        solve_tables(np.full((2, 52), 0.5))


def test_cells_and_memory_out_of_range_are_refused():
    """A mask beyond twenty cells and an impossible memory limit raise errors."""
    deals = array([ENDING])
    for cells in (-1, 1 << 20, 1 << 70):
        with pytest.raises(SolverError, match="which cells"):
            solve_tables(deals, cells=cells)
    for memory, message in ((1 << 43, "at most"), (0, "some memory"), (-5, "some memory")):
        with pytest.raises(SolverError, match=message):
            solve_tables(deals, memory_mb=memory)


def test_freak_deals_against_dds():
    """Four voids and more; the harder ones, up to the hardest known, are `make -C native freaks`."""
    text = (FREAKS.read_text()).split("PBN ")[1:25]
    wanted = [[int(number) for number in part.split("TABLE ")[1].split()[:20]] for part in text]
    found = solve_tables(array([Deal.parse(part.split('"')[1]) for part in text]))
    order = [4 * strain + seat for strain in (1, 2, 3, 4, 0) for seat in (1, 2, 3, 0)]
    assert found[:, order].tolist() == wanted


def test_progress_tells_how_much_is_done(some):
    """Progress rises to the number of deals, in several steps."""
    deals, _ = some
    calls = []
    solve_tables(deals, cells=cell_mask([Strain.CLUBS], [Seat.EAST]), progress=lambda done, all_: calls.append((done, all_)))
    assert calls[-1] == (len(deals), len(deals))
    assert calls == sorted(calls)
    assert len(calls) > 3


def test_chunks_are_read_as_they_are_needed():
    """A stream without end gives its first tables."""

    def endless():
        while True:
            yield array([ENDING] * 10)

    stream = stream_tables(endless(), threads=2, memory_mb=4)
    assert sum(len(next(stream)) for _ in range(5)) > 5
    stream.close()


def test_what_is_read_ahead_is_bounded(monkeypatch):
    """Where the first deal takes long, so many pieces wait for it and no more."""
    taken = 0

    def counted():
        nonlocal taken
        while True:
            taken += 1
            yield array([ENDING] * batch.PIECE)

    monkeypatch.setattr(batch._SolverThreads, "submit", lambda crew, holders: Future())
    monkeypatch.setattr(batch, "_result", lambda future, cancel: np.zeros((1, 20), np.uint8))
    stream = stream_tables(counted(), threads=3, memory_mb=4)
    next(stream)
    assert taken == 3 * batch.AHEAD + 1
    stream.close()


def test_cards_that_nobody_holds_cannot_be_packed():
    """A packed deal has two bits a card."""
    deals = np.zeros((2, 52), np.uint8)
    deals[1, 51] = 4
    with pytest.raises(ValueError, match="nobody holds"):
        pack_deals(deals)


def test_cancelling_stops_a_long_deal_soon():
    """Four hard deals are not solved to their end once the work is cancelled."""
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(Cancelled):
        solve_tables(array([Deal.parse(HARD[0])] * 4), threads=2, cancel=cancel)


def test_an_exception_in_the_progress_callback_stops_the_threads(some):
    """An exception of the callback reaches the caller, and no thread is left."""

    def fail(done, total):
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        solve_tables(some[0], cells=NOTRUMP, progress=fail)
    assert threading.active_count() == before
