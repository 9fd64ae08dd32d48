"""The hundred published deals: tables, the results of all leads, and what each card played was worth."""

from __future__ import annotations

import pytest

from bridgespec.solver import Mode, Position, Solver
from tests.solver.list100 import cases


@pytest.fixture(scope="module")
def solver():
    with Solver(memory_mb=64) as made:
        yield made


def check_tables(solver, part):
    for case in part:
        assert solver.table(case.deal) == case.table, str(case.deal)


@pytest.mark.long
def test_tables(solver):
    """Every sixth published deal has its published table."""
    check_tables(solver, cases()[::6])


@pytest.mark.slow
def test_all_tables(solver):
    """Every published deal has its published table."""
    check_tables(solver, cases())


@pytest.mark.long
def test_every_lead_has_its_published_result(solver):
    """Each lead of each published deal takes its published tricks."""
    for case in cases():
        position = Position(case.deal, case.strain, case.leader)
        groups = solver.cards(position)
        assert {card: group.tricks for group in groups for card in group.cards} == case.leads, str(case.deal)


def test_the_cheaper_modes_give_the_same_leads(solver):
    """The modes for best cards and for a target give the leads that the full mode gives."""
    for case in cases()[::4]:
        position = Position(case.deal, case.strain, case.leader)
        top = max(case.leads.values())
        best = {card: group.tricks for group in solver.cards(position, Mode.BEST) for card in group.cards}
        assert best == {card: tricks for card, tricks in case.leads.items() if tricks == top}
        for target in (top, top + 1):
            reaching = {card for group in solver.cards(position, Mode.TARGET, min(target, 13)) for card in group.cards}
            assert reaching == {card for card, tricks in case.leads.items() if tricks >= min(target, 13)}


@pytest.mark.long
def test_every_play_trace(solver):
    """The declarer's tricks before the first card and after each; the file stops once the last trick is forced."""
    for case in cases():
        position = Position(case.deal, case.strain, case.leader)
        trace = solver.trace(position, case.play)
        side = case.leader.side.opponents
        assert list(trace.of(side, 13))[: len(case.trace)] == case.trace, str(case.deal)
