"""Strategies for the model's own values: deals that can occur, partial ones, and result tables that fit their deal."""

from __future__ import annotations

from hypothesis import strategies as st

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.numbering import DEALS
from bridgespec.model.tricks import UNSOLVED, Tricks


def complete() -> st.SearchStrategy[Deal]:
    """Complete deals, every one of them possible."""
    return st.integers(0, DEALS - 1).map(Deal.from_number)


@st.composite
def endings(draw: st.DrawFn) -> Deal:
    """Level hands of one to twelve cards, or some of them one card shorter, the rest out of play."""
    deal, left = draw(complete()), draw(st.integers(1, 12))
    short = draw(st.integers(0, 3)) if left > 1 else 0
    holders = bytearray([OUT]) * 52
    for seat in Seat:
        for card in deal.cards(seat)[: left - (seat < short)]:
            holders[card] = seat
    return Deal(bytes(holders))


@st.composite
def layouts(draw: st.DrawFn) -> Deal:
    """The first one, two or three suits laid out, each card held or out of play; the other suits unknown.

    The first suit has a card that somebody holds.
    """
    suits = draw(st.integers(1, 3))
    codes = draw(st.lists(st.integers(0, OUT), min_size=13 * suits, max_size=13 * suits))
    if min(codes[:13]) == OUT:
        codes[draw(st.integers(0, 12))] = draw(st.sampled_from(Seat))
    for seat in Seat:
        held = [at for at, holder in enumerate(codes) if holder == seat]
        for at in held[13:]:
            codes[at] = OUT
    return Deal(bytes(codes).ljust(52, bytes([UNKNOWN])))


@st.composite
def known_hands(draw: st.DrawFn) -> Deal:
    """One or two hands of a complete deal, the others unknown."""
    deal = draw(complete())
    seats = draw(st.sets(st.sampled_from(Seat), min_size=1, max_size=2))
    return Deal(bytes(holder if holder in seats else UNKNOWN for holder in deal.holders))


FAMILIES = {"complete": complete(), "ending": endings(), "layout": layouts(), "known hands": known_hands()}
"""Kinds of deals; a format holds some of them."""

SPECIMENS = {
    "complete": Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"),
    "ending": Deal.parse("N:A.K.. K.A.. Q.Q.. J.J.."),
    "layout": Deal(bytes([0, 1, 2, 3] + [OUT] * 9 + [UNKNOWN] * 39)),
    "known hands": Deal.parse("N:- AKQJ.AKQ.AKQ.AKQ - -"),
}
"""A deal of each kind, to ask a format with."""


@st.composite
def tables(draw: st.DrawFn, deal: Deal | None = None, unknown: bool = True) -> Tricks:
    """Result tables that the deal allows; with ``unknown``, some cells may be unsolved.

    The side with the top trumps wins at least as many tricks, and somebody wins one in notrump.
    """
    cells = bytearray()
    for strain in Strain:
        side, sure = _sure(deal, strain)
        sure = max(sure, 1)
        most = draw(st.integers(sure, 13))
        for seat in Seat:
            slack = draw(st.integers(0, 1))
            own = seat % 2 == side
            cells.append(max(sure, most - slack) if own else min(13 - sure, 13 - most + slack))
    if unknown and draw(st.booleans()):
        for cell in draw(st.sets(st.integers(0, 19), max_size=19)):
            cells[cell] = UNSOLVED
    return Tricks(bytes(cells))


def _sure(deal: Deal | None, strain: Strain) -> tuple[int, int]:
    """Which side (a seat's number modulo 2) holds the top trumps, and how many one hand holds in sequence."""
    if deal is None or strain is Strain.NOTRUMP:
        return 1, 0
    trumps = deal.holders[13 * (strain - 1) : 13 * strain]
    sure = next((i for i, holder in enumerate(trumps) if holder != trumps[0]), 13)
    return (trumps[0] % 2, sure) if trumps[0] < OUT else (1, 0)
