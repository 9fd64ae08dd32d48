"""Clipped tables are told from wrong ones."""

import random
from collections import Counter

import pytest

from bridgespec.model.clipping import Clipping, clipping, differing
from bridgespec.model.tricks import UNSOLVED, Tricks


def tables(seed, count=6):
    rng = random.Random(seed)
    return [Tricks(bytes(rng.randrange(14) for _ in range(20))) for _ in range(count)]


def cells_of(tables):
    return [bytes(getattr(table, "cells", table)) for table in tables]


def pairs(stored, solved):
    rows = zip(cells_of(stored), cells_of(solved), strict=True)
    return Counter(pair for had, is_ in rows for pair in zip(had, is_, strict=True))


@pytest.mark.parametrize("habit", Clipping)
def test_each_habit_is_recognised_and_explains_every_difference(habit):
    """Tables clipped by a known habit are recognised, and the habit gives each stored cell from the solved one."""
    solved = tables(1)
    stored = [Tricks(bytes(map(habit.clip, table.cells))) for table in solved]
    assert clipping(pairs(stored, solved)) is habit
    for had, is_ in zip(stored, solved, strict=True):
        assert all(had.cells[cell] == habit.clip(is_.cells[cell]) for cell in differing(had, is_))


@pytest.mark.parametrize("habit", Clipping)
def test_a_wrong_high_cell_does_not_hide_the_habit(habit):
    """One wrong cell above the clipped range leaves the habit recognised."""
    solved = tables(2)
    stored = [bytearray(map(habit.clip, table.cells)) for table in solved]
    high = next(i for i, cell in enumerate(solved[0].cells) if cell > 8)
    stored[0][high] -= 1
    assert clipping(pairs(stored, solved)) is habit


def test_a_wrong_low_cell_does_not_hide_the_habit_of_a_whole_file():
    """In forty tables, one wrong cell in the clipped range leaves the habit recognised."""
    solved = tables(4, 40)
    stored = [bytearray(map(Clipping.ONE.clip, table.cells)) for table in solved]
    low = next(i for i, cell in enumerate(solved[0].cells) if cell < 7)
    stored[0][low] = 2 if solved[0].cells[low] != 2 else 3
    assert clipping(pairs(stored, solved)) is Clipping.ONE


def test_right_tables_wrong_tables_and_unknown_cells_are_not_clipped():
    """Correct, inverted, unknown and missing tables are not taken for clipped ones."""
    solved = tables(3)
    assert clipping(pairs(solved, solved)) is None
    wrong = [Tricks(bytes(13 - cell for cell in table.cells)) for table in solved]
    assert clipping(pairs(wrong, solved)) is None
    unknown = Tricks(bytes([UNSOLVED]) * 20)
    assert clipping(pairs([unknown], solved[:1])) is None
    assert differing(unknown, solved[0]) == []
    assert clipping({}) is None
