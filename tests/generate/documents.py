"""Documents that a format can hold, derived from its binding to the model: what it has no term for is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Any

from hypothesis import strategies as st

from bridgespec.errors import WriteError
from bridgespec.model.auction import PASS, Auction, AuctionState, Call
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.document import Document
from bridgespec.model.tricks import UNSOLVED, Tricks
from tests.generate import deals
from tests.generate.house import engine

DOCUMENT_TEXTS = ("event", "site", "date")
OF_MATCH = frozenset({"round", "scoring", "teams"})
WORDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
DATES = st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)).map(lambda day: day.strftime("%Y.%m.%d"))
TERMS: dict[str, st.SearchStrategy[Any]] = {
    "dealer": st.sampled_from(Seat),
    "vulnerability": st.sampled_from(Vulnerability),
    "declarer": st.sampled_from(Seat),
    "result": st.integers(0, 13),
    "round": WORDS,
    "players": st.tuples(WORDS, WORDS, WORDS, WORDS),
}
"""The terms of a board that need nothing but themselves."""

_EFFECTIVE = {"dealer": "effective_dealer", "vulnerability": "effective_vulnerability"}

WHOLE = Tricks(bytes([6, 7] * 10))
ONE_HAND = Tricks(bytes(cell if at % 4 == Seat.SOUTH else UNSOLVED for at, cell in enumerate(WHOLE.cells)))
PARTLY = WHOLE.with_cell(Strain.CLUBS, Seat.SOUTH, UNSOLVED)
SPECIMEN = Board(1, deal=deals.SPECIMENS["complete"], tricks=WHOLE, declarer=Seat.SOUTH)
"""Boards to ask a format with."""


class Fate(StrEnum):
    """What becomes of a document in a format."""

    REFUSED = "refused"
    LOST = "lost, and said so"
    HELD = "held"
    CHANGED = "changed without a word"


def fate(format: str, document: Document) -> Fate:
    """What becomes of a document that is written in a format and read again."""
    try:
        spelled = engine().spell(document, format)
    except WriteError:
        return Fate.REFUSED
    if spelled.findings:
        return Fate.LOST
    report = engine().examine(spelled.data, format)
    same = not report.errors and content(report.document, format) == content(document, format)
    return Fate.HELD if same else Fate.CHANGED


def holds(format: str, board: Board) -> bool:
    """Whether a board comes back from a format as it was, as far as the format has terms for it."""
    return fate(format, Document((of_terms(format, board),))) is Fate.HELD


def of_terms(format: str, board: Board) -> Board:
    """The board without what the format has no term for, and without a declarer where that stands with a contract."""
    held = terms(format)
    told = held - {"declarer"} if "contract" in held else held
    return replace(board, **{name: None for name in ("deal", "tricks", "declarer") if name not in told})


@cache
def families(format: str) -> tuple[str, ...]:
    """The kinds of deals that a format can hold, found by asking it."""
    specimens = ((name, replace(SPECIMEN, deal=deal)) for name, deal in deals.SPECIMENS.items())
    return tuple(name for name, board in specimens if any(holds(format, replace(board, tricks=t)) for t in (WHOLE, ONE_HAND)))


@cache
def highest_number(format: str) -> int:
    """About how high a board's number may be, found by asking the format."""
    boards = ((top, replace(SPECIMEN, number=top)) for top in (900, 200, 90, 9))
    return next((top for top, board in boards if any(holds(format, replace(board, tricks=t)) for t in (WHOLE, ONE_HAND))), 1)


@cache
def one_hand(format: str) -> bool:
    """Whether the result table is that of the declarer alone."""
    return not holds(format, SPECIMEN) and holds(format, replace(SPECIMEN, tricks=ONE_HAND))


@cache
def unknown_cells(format: str) -> bool:
    """Whether a result may be unknown."""
    hidden = ONE_HAND.with_cell(Strain.CLUBS, Seat.SOUTH, UNSOLVED)
    return holds(format, replace(SPECIMEN, tricks=hidden if one_hand(format) else PARTLY))


def has_meaning(format: str) -> bool:
    """Whether a format holds boards that documents can be made of."""
    return bool(terms(format) & {"deal", "tricks"})


def terms(format: str) -> frozenset[str]:
    """The model terms that a fresh file of the format holds."""
    return engine().of(engine().spec(format)).binder.written


@st.composite
def boards(draw: st.DrawFn, format: str, number: int) -> Board:
    """One board with every term that the format has and that can be drawn."""
    held = terms(format)
    board = Board(number)
    if "deal" in held:
        board = replace(board, deal=draw(st.one_of(*(deals.FAMILIES[name] for name in families(format)))))
    for term, strategy in TERMS.items():
        if term in held:
            board = replace(board, **{term: draw(strategy)})
    if "tricks" in held:
        whole = board.deal if board.deal is not None and board.deal.is_complete else None
        table = draw(deals.tables(whole, unknown_cells(format)))
        if one_hand(format) and board.declarer is not None:
            cells = (cell if at % 4 == board.declarer else UNSOLVED for at, cell in enumerate(table.cells))
            table = Tricks(bytes(cells))
        board = replace(board, tricks=table)
    if "auction" in held:
        board = _with_auction(board, draw(auctions(board.effective_dealer)), held)
    return board


def _with_auction(board: Board, auction: Auction, held: frozenset[str]) -> Board:
    """The board with an auction, and what must agree with it."""
    board = replace(board, auction=auction)
    if "declarer" in held:
        board = replace(board, declarer=auction.declarer)
    if "contract" in held:
        board = replace(board, contract=auction.contract)
    passed_out = auction.contract is not None and auction.contract.is_passed_out
    return replace(board, result=None) if passed_out else board


@st.composite
def auctions(draw: st.DrawFn, first: Seat | None) -> Auction:
    """Legal auctions from their first call to the passes that end them."""
    calls: list[Call] = []
    state = AuctionState()
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
    single = engine().of(engine().spec(format)).binder.listed is None
    first = draw(st.integers(1, highest_number(format))) if held & {"first_number", "number"} else 1
    count = 1 if single else draw(st.integers(1, most))
    texts = {name: draw(DATES if name == "date" else WORDS) for name in DOCUMENT_TEXTS if name in held}
    made = [draw(boards(format, first + index)) for index in range(count)]
    # What the file states of all its boards is the same for each of them.
    once = engine().of(engine().spec(format)).binder.of_file & OF_MATCH
    same = {name: getattr(made[0], name) for name in once}
    return Document(tuple(replace(board, **same) for board in made), **texts)


def content(document: Document, format: str) -> list[dict[str, Any]]:
    """What a document says in the format's terms, board by board, for comparisons; texts may stand with file or board."""
    held = terms(format)
    parts = sorted(held - {"first_number", *DOCUMENT_TEXTS} | {"number"})
    texts = sorted(held & set(DOCUMENT_TEXTS))
    return [
        {name: getattr(board, _EFFECTIVE.get(name, name), None) for name in parts}
        | {name: _text(name, getattr(board, name) or getattr(document, name)) for name in texts}
        for board in document.boards
    ]


def _text(name: str, text: str | None) -> str | None:
    """A text to compare; of a date its digits, since each format puts its own marks between them."""
    return "".join(filter(str.isdigit, text)) if name == "date" and text is not None else text
