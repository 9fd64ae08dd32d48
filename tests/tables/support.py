"""Boards of every kind, and the samples of every format."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from hypothesis import strategies as st

from bridgespec.model.auction import Auction, AuctionCall, Call
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import UNKNOWN, Conflict, Deal
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.table import Column, Table
from bridgespec.model.tricks import Tricks
from tests.generate import deals

ROOT = Path(__file__).parent.parent
SAMPLES = sorted(
    path
    for folder in (ROOT / "samples").iterdir()
    if folder.is_dir()
    for path in (*folder.glob("*.*"), *folder.glob("bad/*.*"))
    if path.suffix not in (".json", ".md", ".txt")
)

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
CARDS = st.integers(0, 51).map(Card)
BIDS = st.builds(Call.bid, st.integers(1, 7), st.sampled_from(Strain))
CALLS = st.one_of(st.sampled_from([Call.parse(word) for word in ("Pass", "X", "XX")]), BIDS)
CONTRACTS = st.one_of(
    st.just(Contract.passed_out()), st.builds(Contract, st.integers(1, 7), st.sampled_from(Strain), st.sampled_from(Doubling))
)
GLYPHS = st.lists(st.integers(0, 300), max_size=3).map(tuple)


def _many(one: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[Any]:
    return st.lists(one, max_size=most).map(tuple)


def _maybe(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), one)


TRICKS = st.builds(Trick, st.sampled_from(Seat), _many(_maybe(CARDS)))
PLAYS = st.builds(
    Play,
    _many(TRICKS),
    _maybe(NUMBERS),
    _many(st.builds(CardNote, st.integers(0, 12), st.integers(0, 3), _maybe(WORDS), _maybe(WORDS), GLYPHS, st.booleans())),
)
AUCTIONS = st.builds(
    Auction,
    _many(st.builds(AuctionCall, CALLS, st.booleans(), _maybe(WORDS), _maybe(WORDS), GLYPHS, st.booleans())),
    _maybe(st.sampled_from(Seat)),
    st.booleans(),
)
HOLDERS = st.lists(st.integers(0, UNKNOWN), min_size=52, max_size=52).map(lambda cells: Deal(bytes(cells)))
SPECIAL: dict[Any, st.SearchStrategy[Any]] = {
    "deal": _maybe(st.one_of(HOLDERS, deals.complete())),
    "tricks": _maybe(st.lists(st.integers(0, 15), min_size=20, max_size=20).map(lambda cells: Tricks(bytes(cells)))),
    "play": _maybe(PLAYS),
    "auction": _maybe(AUCTIONS),
    "contract": _maybe(CONTRACTS),
    "players": st.tuples(*(_maybe(WORDS) for _ in Seat)),
    "teams": st.tuples(_maybe(WORDS), _maybe(WORDS)),
    "comments": _many(st.builds(Comment, WORDS, _many(st.one_of(st.sampled_from(["auction", "play"]), st.integers(0, 99))))),
    "tables": _many(st.builds(Table, WORDS, _many(st.builds(Column, WORDS, WORDS, _maybe(NUMBERS), WORDS)), _many(_many(WORDS)))),
    "tags": _many(st.tuples(WORDS, WORDS)),
    "irregular": _many(WORDS),
    "conflicts": _many(
        st.builds(
            Conflict,
            CARDS,
            st.tuples(st.sampled_from(Seat), st.integers(0, 12)),
            st.tuples(st.sampled_from(Seat), st.integers(0, 12)),
        )
    ),
}


def boards() -> st.SearchStrategy[Board]:
    """Boards with anything in every field, sense or nonsense."""
    hints = get_type_hints(Board)
    plain = {str | None: _maybe(WORDS), int | None: _maybe(NUMBERS)}
    made: dict[str, st.SearchStrategy[Any]] = {}
    for one in fields(Board):
        if one.compare:
            hint = hints[one.name]
            made[one.name] = SPECIAL[one.name] if one.name in SPECIAL else plain[hint] if hint in plain else st.from_type(hint)
    return st.builds(Board, **made)
