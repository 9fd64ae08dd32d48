"""The columns of a table of boards: `columns_of` its terms, a count of findings, and on request columns derived from hands and
tricks.

A table has the columns of the terms that its boards state, in the order of the model, then ``findings``, then the derived columns.
The meaning of a column changes only with the number `SCHEMA`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bridgespec.codec.binding import BOARD
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._term import Byte, TermColumn
from bridgespec.errors import WriteError
from bridgespec.model.board import Board

SCHEMA = 1
"""The version of the columns, which tables state in their metadata."""
FINDINGS = "findings"
"""The column with the number of findings about the board in its source."""
HANDS = ("west", "north", "east", "south")
"""The columns of the hands, in the order of `Seat`."""
OUT = "out"
"""The column of the cards that are out of play."""
EVERY = frozenset(name for name in BOARD if name in TERMS)
"""All terms that a board may state."""


def columns_of(terms: Collection[str] = EVERY) -> tuple[TermColumn, ...]:
    """Return the columns of a table whose boards state ``terms``, in order, without derived columns.

    >>> [column.name for column in columns_of({"tricks", "number"})]
    ['number', 'tricks', 'findings']
    """
    found = [column for name in BOARD if name in terms and name in TERMS for column in TERMS[name].columns()]
    doc = "how many findings there are about the board in its source"
    # A board does not know its findings; `TableLayout.of_boards` takes their numbers as an argument.
    return (*found, TermColumn(FINDINGS, int, doc, lambda board: 0))


def terms_of(names: Collection[str]) -> list[str]:
    """Return the terms of which at least one column is among ``names``."""
    return [name for name in BOARD if name in TERMS and any(column.name in names for column in TERMS[name].columns())]


def board_of(row: Mapping[str, Any], terms: Collection[str]) -> Board:
    """Return the board that states ``terms`` with the values of a row: values of the model by column. Raises WriteError for a
    combination of values that is no board.

    >>> from bridgespec.model.deal import Deal
    >>> print(board_of({"number": 7, "north": 3 << 50}, ["number", "deal"]).deal.north)
    AK...
    """
    arguments: dict[str, Any] = {}
    try:
        for term in terms:
            arguments.update(TERMS[term].of_columns(row))
        return Board(**arguments)
    except ValueError as problem:
        raise WriteError(f"a row of the table is not a board: {problem}") from None


SUITS = ("spades", "hearts", "diamonds", "clubs")
DERIVED: tuple[TermColumn, ...] = (
    *(
        TermColumn(f"{hand}_{name}", kind, f"{doc} of {hand.title()}", lambda board: None)
        for hand in HANDS
        for name, kind, doc in (
            ("hcp", Byte, "high-card points, ace 4 to jack 1,"),
            ("controls", Byte, "controls, ace 2 and king 1,"),
            ("losers", Byte, "losers, the classic count,"),
            *((suit, Byte, f"the {suit}") for suit in SUITS),
            ("shape", str, "the lengths, longest first,"),
        )
    ),
    TermColumn("par_score", int, "par in points of North and South, for the board's dealer and vulnerability", lambda board: None),
    TermColumn("par_contract", str, "the lowest contract that gives par; a sacrifice is doubled", lambda board: None),
    TermColumn("par_side", str, "the side that plays it, NS or EW; nothing where all pass", lambda board: None),
)
"""All columns that can be derived from the hands and the trick tables."""


def derived_of(terms: Collection[str]) -> tuple[TermColumn, ...]:
    """Return the derived columns of a table whose boards state ``terms``: those of hands need ``deal``, those of par ``tricks``."""
    pars = [column for column in DERIVED if column.name.startswith("par_")]
    return tuple(column for column in DERIVED if ("tricks" if column in pars else "deal") in terms)
