"""Documents that a format can hold, derived from its binding to the model: what it has no term for is left out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from bridgespec.errors import WriteError
from bridgespec.model.auction import PASS, Auction, Call, State
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.tricks import UNSOLVED, Tricks
from tests.generate import deals
from tests.generate.house import engine

DOCUMENT_TEXTS = ("event", "site", "date")
WORDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
TERMS: dict[str, st.SearchStrategy[Any]] = {
    "dealer": st.sampled_from(Seat),
    "vulnerability": st.sampled_from(Vulnerability),
    "declarer": st.sampled_from(Seat),
    "result": st.integers(0, 13),
    "round": WORDS,
    "room": WORDS,
}
"""The terms of a board that need nothing but themselves."""


@cache
def families(format: str) -> tuple[str, ...]:
    """The kinds of deals that a format can hold, found by asking it."""
    return tuple(name for name, specimen in deals.SPECIMENS.items() if holds(format, specimen))


@cache
def highest_number(format: str) -> int:
    """About how high a board's number may be, found by asking the format."""
    return next(top for top in (900, 200, 90, 9, 1) if any(holds(format, deal, top) for deal in deals.SPECIMENS.values()))


def holds(format: str, deal: Deal, number: int = 1) -> bool:
    """Whether a format can hold a board with this deal and every other term known."""
    board = Board(number, deal=deal, tricks=Tricks(bytes([6, 7] * 10)), declarer=Seat.SOUTH, result=9)
    try:
        engine().spell(Document((board,)), format)
    except WriteError:
        return False
    return True


def has_meaning(format: str) -> bool:
    """Whether a format holds boards that documents can be made of."""
    return bool(terms(format) & {"deal", "tricks"})


def terms(format: str) -> frozenset[str]:
    """The model terms that a format's files hold."""
    return engine().binder(engine().spec(format)).terms


@cache
def _one_hand(format: str) -> bool:
    """Whether the result table is that of the declarer alone."""
    plan = engine().binder(engine().spec(format)).board_plan
    return plan is not None and any(b.term == "tricks" and b.field.binding.at for b in plan.bound())


@cache
def _unknown_cells(format: str) -> bool:
    """Whether a result may be unknown."""
    plan = engine().binder(engine().spec(format)).board_plan
    return plan is not None and any(b.term == "tricks" and b.field.binding.unknown is not None for b in plan.bound())


@st.composite
def boards(draw: st.DrawFn, format: str, number: int) -> Board:
    """One board with every term that the format has."""
    held = terms(format)
    board = Board(number)
    if "deal" in held:
        board = replace(board, deal=draw(st.one_of(*(deals.FAMILIES[name] for name in families(format)))))
    for term, strategy in TERMS.items():
        if term in held:
            board = replace(board, **{term: draw(strategy)})
    if "tricks" in held:
        whole = board.deal if board.deal is not None and board.deal.is_complete else None
        table = draw(deals.tables(whole, _unknown_cells(format)))
        if _one_hand(format) and board.declarer is not None:
            cells = (cell if at % 4 == board.declarer else UNSOLVED for at, cell in enumerate(table.cells))
            table = Tricks(bytes(cells))
        board = replace(board, tricks=table)
    if "auction" in held:
        board = replace(board, auction=draw(auctions(board.effective_dealer)))
    return board


@st.composite
def auctions(draw: st.DrawFn, first: Seat | None) -> Auction:
    """Legal auctions from their first call to the passes that end them."""
    calls: list[Call] = []
    state = State()
    choices = [PASS, PASS, *(Call.bid(level, strain) for level in range(1, 8) for strain in Strain)]
    for call in draw(st.lists(st.sampled_from(choices), max_size=12)):
        if state.why_not(call) is None:
            calls.append(call)
            state = state.then(call)
    while not state.is_over:
        calls.append(PASS)
        state = state.then(PASS)
    return Auction.of(calls, first)


@st.composite
def documents(draw: st.DrawFn, format: str, most: int = 4) -> Document:
    """Documents of one to ``most`` boards that the format holds whole."""
    held = terms(format)
    single = engine().binder(engine().spec(format)).list is None
    first = draw(st.integers(1, highest_number(format))) if held & {"first_number", "number"} else 1
    count = 1 if single else draw(st.integers(1, most))
    texts = {name: draw(WORDS) for name in DOCUMENT_TEXTS if name in held}
    return Document(tuple(draw(boards(format, first + index)) for index in range(count)), **texts)


def content(document: Document, format: str) -> list[dict[str, Any]]:
    """What a document says in the format's terms, for comparisons: the document's own, then each board's."""
    held = terms(format)
    parts = sorted((held | {"number"}) - {"first_number", *DOCUMENT_TEXTS} | (held & {"deal"}))
    of_file = {name: getattr(document, name) for name in DOCUMENT_TEXTS if name in held}
    return [of_file, *({name: getattr(board, name, None) for name in parts} for board in document.boards)]
