"""The deal: which seat each card belongs to.

`DealTerm.of` makes a `Dealt` of hands or cells; `DealTerm.write` offers hands in every order and spelling, and cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import methodcaller
from typing import Any, NamedTuple

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import _hands
from bridgespec.codec.terms._cells import CELL, ORDINAL, CellCodes, is_ordinal, level_in, level_of, ranking
from bridgespec.codec.terms._ordinal import deal_of, write_ordinal
from bridgespec.codec.terms._term import (
    UNSAID,
    CardMask,
    EncodeRequest,
    Offer,
    Place,
    Term,
    TermColumn,
    TermContent,
    field_column,
    part_column,
)
from bridgespec.codec.terms._values import HOLDERS, SEATS, CannotRepresent, seat_of, seats_named
from bridgespec.model.board import standard_dealer
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import OUT, UNKNOWN, Conflict, Deal, compose, whole_deal
from bridgespec.model.numbering import number_of

CODES = CellCodes(lambda name, _: HOLDERS.get(name or ""), UNKNOWN, HOLDERS)


class Dealt(NamedTuple):
    """A deal that was read, with the cards that the source gives twice; `DealTerm.fields` returns the board's fields for both."""

    deal: Deal
    conflicts: tuple[Conflict, ...]


class DealTerm(Term):
    """The deal, as four hands or as an array of cells, one for each card."""

    NAME = "deal"
    DOC = "who holds each card"
    ROLES: Mapping[str, str] = {
        "hand": "a hand; hands stand in the order of the axes, or clockwise from the seat that `at` names",
        "first": "the seat of the first hand",
        "unknown": "that nothing is known of it",
        CELL: "who holds the card that the axes name",
        **_hands.ROLES,
        **_hands.BY_NUMBER,
        **{name: f"the hand of {name.title()}" for name in SEATS},
    }
    MEMBERS: Mapping[str, str] = {name: name for name in SEATS}
    ARRAYS = frozenset({"deal", ORDINAL, f"deal.{ORDINAL}", *SEATS})
    AXES = frozenset({"", CELL, ORDINAL, "hand", "holding", *SEATS})
    AT = frozenset({"hand"})
    CODES: Mapping[str, frozenset[str]] = {
        **dict.fromkeys(("deal", "", CELL), frozenset(HOLDERS)),
        "first": frozenset({*SEATS, "unknown"}),
        **dict.fromkeys(("card", "hand", *SEATS), _hands.NAMES),
    }
    PLACES = frozenset({"hand"})
    WITHIN: Mapping[str, frozenset[str]] = {
        **dict.fromkeys(_hands.ROLES, frozenset({"hand", *SEATS})),
        "seat": frozenset({"hand", "first"}),
    }
    TOGETHER = True
    NEEDED = True
    BESIDE: Mapping[str, Any] = {"conflicts": ()}
    PARTS: Mapping[str, frozenset[str]] = {"that some suits are unknown": frozenset()}

    def read(self, group: TermGroup, content: TermContent) -> Dealt | None:
        """Return the first deal that a view states as a whole, else that of a deal's number, else that of separate hands."""
        found: Dealt | None = super().read(group, content)
        number = None if found is not None else next((view for role, view in group.members if role == ORDINAL), None)
        if number is not None and (deal := deal_of(number)) is not None:
            return Dealt(deal, ())
        return self._of_hands(self._members(group)) if found is None else found

    @staticmethod
    def _members(group: TermGroup) -> Iterator[tuple[Seat, RecordView]]:
        """Yield seat and view of the hands that are each bound by a word of their own, such as ``north``."""
        for role, view in group.members:
            if role in SEATS:
                yield SEATS[role], view

    @staticmethod
    def _of_hands(hands: Iterable[tuple[Seat, RecordView]]) -> Dealt | None:
        """Return the deal of separate hands; None where no hand is given."""
        listed = list(hands)
        # Four whole hands, the usual case, are one sum of numbers; anything else is composed card by card.
        if len({seat for seat, _ in listed}) == len(listed) == 4 and listed[0][1].decl.kind == "record":
            deal = whole_deal({seat: _hands.number_of(view) for seat, view in listed})
            if deal is not None:
                return Dealt(deal, ())
        given = _together(listed)
        return Dealt(*compose(_with_rest(given))) if given else None

    def of(self, view: RecordView, content: TermContent) -> Dealt | None:
        """Return the deal of cells or of hands that one view states; None where it states neither."""
        level = level_in(view, CODES)
        if level is not None:
            cells = bytearray([UNKNOWN]) * 52
            level.read(view, 0, cells)
            return Dealt(Deal(bytes(cells)), ())
        number = view.role(ORDINAL) if view.has(ORDINAL) else None
        deal = self._of_one_match(view, content) if number is None else deal_of(number)
        if deal is not None:
            return Dealt(deal, ())
        return self._of_hands(self.hands(view, content)) if number is None else None

    @staticmethod
    def _of_one_match(view: RecordView, content: TermContent) -> Deal | None:
        """Return the deal of four complete hands that one match gives; None for any other view."""
        parts = None if _labelled(view) else view.each_inside(_hands.number_of_part)
        if parts is None or len(hands := [held for role, held in parts if role == "hand"]) != 4:
            return None
        decl = next(field.type.decl for field in view.type.fields.values() if field.entry.role == "hand")
        # The seat of the first hand, where a part of the deal names it.
        named = [held[0][1] for role, held in parts if role == decl.binding.at.get("seat")]
        order = _order(decl, named[0] if named else _first(decl, view, content))
        return whole_deal({seat: _hands.sum_of(held) for seat, held in zip(order, hands, strict=True)})

    @staticmethod
    def hands(view: RecordView, content: TermContent) -> Iterator[tuple[Seat, RecordView]]:
        """Yield the seat and the view of each hand in a deal."""
        parts = list(view.parts())
        hands = [part for role, part in parts if role == "hand"]
        if hands and _labelled(view):
            yield from [(seat, hand) for hand in hands if (seat := seat_of(hand)) is not None]
        elif hands:
            yield from zip(_order(hands[0].decl, _first(hands[0].decl, view, content)), hands, strict=False)
        yield from [(SEATS[role], part) for role, part in parts if role in SEATS]

    def fields(self, value: Dealt) -> Mapping[str, Any]:
        """Return the fields of a board that a `Dealt` determines."""
        return {"deal": value.deal, "conflicts": value.conflicts}

    # --- places

    @staticmethod
    def _cells(view: RecordView) -> dict[int, RecordView] | None:
        """Return the view of each card of a deal that is an array of cells, by slot; None for any other deal."""
        level = level_in(view, CODES)
        if level is None:
            return None
        kept: dict[int, RecordView] = {}
        level.read(view, 0, bytearray(52), kept.setdefault)
        return kept

    def cards(self, group: TermGroup, content: TermContent) -> dict[int, RecordView]:
        """Return the view of each card by slot, from the first deal that is stated as a whole, else from separate hands."""
        kept = self._cells(group.wholes[0]) if group.wholes else None
        if kept is not None:
            return kept
        hands = next(iter(self._sources(group, content)), [])
        cards = [found for _, view in hands for found in _hands.cards_in(view) or ()]
        return {int(card): part for card, part in cards if part.decl.kind == "code"}

    def given(self, group: TermGroup, content: TermContent) -> list[dict[Seat, list[Card]]]:
        """Return the cards that are given for each seat: one mapping for each deal stated as a whole, and one for
        separate hands.
        """
        return [_together(hands) for hands in self._sources(group, content)]

    def _sources(self, group: TermGroup, content: TermContent) -> list[list[tuple[Seat, RecordView]]]:
        """Return seat and view of the hands in each part that states them, then those of separate hands; arrays are left out."""
        sources = [list(self.hands(view, content)) for view in group.wholes if level_in(view, CODES) is None]
        return [*sources, *([list(self._members(group))] if group.members else [])]

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the view of ``("hand", seat)``, of a card of that hand, or of ``("deal", card)``."""
        whole = group.wholes[0] if group.wholes else None
        if whole is None:
            yield from _in_hands(self._members(group), place)
        elif (cells := self._cells(whole)) is not None:
            yield cells.get(int(place[1]), whole) if place[0] == "deal" and len(place) > 1 else whole
        elif len(place) < 2 and not whole.decl.of_text:
            yield whole
        else:
            yield from list(_in_hands(self.hands(whole, content), place)) or [whole]

    # --- writing

    def respelled(self, text: str) -> Iterable[str]:
        """Return other spellings of a holding."""
        return _hands.respelled(text)

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the deal: hands in every order and spelling, and cells."""
        deal: Deal | None = request.board.deal
        dealer = request.board.effective_dealer
        # Boards without a number are written as board 1.
        dealer = standard_dealer(request.board.number or 1) if dealer is None else dealer
        if deal is None:
            return {"": _missing, "hand": lambda _: [{"missing": "-"}] * 4, UNSAID: frozenset({"hand"})}
        # Several orders and spellings ask for the same hands.
        hands = cache(partial(_hands.offer_of, deal, request.has_role(self.NAME, "card")))
        # Only those that the target has a field for: few formats have hands by themselves.
        own = [name for name in SEATS if request.has_role(self.NAME, name)]
        offer: dict[str, Any] = {name: _hand_offer(deal, SEATS[name], hands(SEATS[name])) for name in own}
        offer[ORDINAL] = lambda decl: _number(decl, deal)
        offer["first"] = dealer.name.lower()
        offer["hand"] = lambda decl: [hands(seat) for seat in _order(decl, dealer)]
        offer[CELL] = lambda decl: write_cells(decl, deal)
        # A record with the number of the deal takes it by its role, not as a whole.
        offer[""] = lambda decl: None if any(map(is_ordinal, decl.fields.values())) else write_cells(decl, deal)
        return offer

    def columns(self) -> Sequence[TermColumn]:
        """Return a column for each hand, a set of cards, and one for the cards out of play."""
        column = partial(part_column, self.NAME)
        hands = [column(name, CardMask, f"the hand of {name.title()}", methodcaller("mask", seat)) for name, seat in SEATS.items()]
        out = column("out", CardMask, "the cards out of play", methodcaller("mask", OUT))
        return (*hands, out, field_column("conflicts", "the cards that the source deals twice"))

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the deal of the hands in a row; none where all four are absent."""
        masks = [row.get(name) for name in (*SEATS, "out")]
        fields: dict[str, Any] = (
            {} if all(mask is None for mask in masks) else {"deal": Deal.of_masks([mask or 0 for mask in masks])}
        )
        return fields if row.get("conflicts") is None else {**fields, "conflicts": row["conflicts"]}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the description of the loss: the whole deal, that some suits are unknown (every known card is kept), or that the
        deal differs.
        """
        # A format for some suits keeps all known cards, but not that the cards of the other suits are unknown.
        if after is not None and all(a == b for a, b in zip(before.holders, after.holders, strict=True) if a < UNKNOWN):
            yield "that some suits are unknown"
        else:
            yield "the deal" if after is None else "the deal as it is"


def _labelled(view: RecordView) -> bool:
    """Whether each hand of a deal names its own seat."""
    return any(field.entry.role == "hand" and "seat" in field.type.roles for field in view.type.fields.values())


def _in_hands(hands: Iterable[tuple[Seat, RecordView]], place: Place) -> Iterator[RecordView]:
    """Yield the views at a model path in hands: all hands, one hand, a card of it by index, or a card by name."""
    for seat, view in hands:
        if place[0] == "hand" and len(place) > 1:
            if seat == place[1]:
                cards = _hands.cards_in(view) or [] if view.decl.kind != "record" and len(place) > 2 else []
                yield cards[int(place[2])][1] if len(place) > 2 and int(place[2]) < len(cards) else view
        elif len(place) < 2:
            yield view
        else:
            card = Card(int(place[1]))
            for part in [part for held, part in _hands.cards_in(view) or () if held == card]:
                at = _hands.rank_place(part.text, card) if part.decl.kind == "leaf" else -1
                yield part if at < 0 else part.sign(at)


def _hand_offer(deal: Deal, seat: Seat, offer: Mapping[str, Offer]) -> Offer:
    """Return the offer of a hand that is a field by itself: the codes of an array, or a record; None where the hand is unknown."""
    if "missing" in offer:
        return {**offer, "": lambda decl: None if decl.of_text or decl.kind == "record" else _hands.coded_hand(decl, deal, seat)}
    # A record takes the parts of the offer by their roles, and not the codes of an array.
    return {**offer, "": lambda decl: None if decl.kind == "record" else _hands.coded_hand(decl, deal, seat)}


def _missing(decl: Declaration) -> Any:
    """Return the plain value of a deal for a board without one. Raises `CannotRepresent` where a binary field needs a deal."""
    if decl.of_text:
        return None
    if decl.many and decl.size is None:
        return []
    raise CannotRepresent("there is none")


def _first(decl: Declaration, view: RecordView, content: TermContent) -> Seat | None:
    """Return the seat of the first hand: that of a part of the record, else the dealer."""
    at = decl.binding.at.get("seat")
    if at is None:
        return Seat.WEST
    part = view.role(at)
    if part is not None:
        return seat_of(part)
    dealer: Seat | None = content["dealer"] if at == "dealer" else None
    return standard_dealer(content["number"]) if dealer is None and at == "dealer" else dealer


def _order(decl: Declaration, first: Seat | None) -> Sequence[Seat]:
    """Return the seats of the hands in file order, by the axes of the declaration, else clockwise from ``first``."""
    for axis in decl.binding.axes:
        if axis.name == "seat":
            return seats_named(axis.labels)
    start = Seat.WEST if "seat" not in decl.binding.at else Seat.NORTH if first is None else first
    return _CLOCKWISE[start]


_CLOCKWISE = [[Seat((start + turn) % 4) for turn in range(4)] for start in range(4)]
"""The four seats, clockwise from each seat."""


def _together(hands: Iterable[tuple[Seat, RecordView]]) -> dict[Seat, list[Card]]:
    """Return the cards of each seat. A seat that is given twice has the cards of both hands, so that a rule reports too many
    cards, instead of losing one hand; two equal hands are one.
    """
    given: dict[Seat, list[Card]] = {}
    for seat, view in hands:
        cards = [card for card, _ in found] if (found := _hands.cards_in(view)) is not None else None
        if cards is not None and given.get(seat) != cards:
            given[seat] = [*given.get(seat, ()), *cards]
    return given


def _with_rest(hands: Mapping[Seat, list[Card]]) -> Mapping[Seat, list[Card]]:
    """Return the hands without an empty one beside three complete hands: `compose` gives that seat the remaining cards."""
    empty = [seat for seat, cards in hands.items() if not cards]
    if len(hands) == 4 and len(empty) == 1 and all(len(set(cards)) == 13 for seat, cards in hands.items() if seat != empty[0]):
        return {seat: cards for seat, cards in hands.items() if seat != empty[0]}
    return hands


def span_of(decl: Declaration) -> list[int]:
    """Return the slots of the cards that a field with axes has elements for."""
    return level_of(decl, CODES).span()


def write_cells(decl: Declaration, deal: Deal) -> Any:
    """Return the plain values of an array of cells for a deal. Raises `CannotRepresent` where a card is not dealt."""
    try:
        found = level_of(decl, CODES).write(deal.holders, 0, _spelled)
    except CannotRepresent:
        raise CannotRepresent(why_incomplete(deal)) from None
    return found if decl.many else found[0]


def _number(decl: Declaration, deal: Deal) -> Any:
    """Return the plain value of a deal's number. Raises `CannotRepresent` for an incomplete deal."""
    if not deal.is_complete:
        raise CannotRepresent(why_incomplete(deal))
    return write_ordinal(decl, number_of(deal.holders, *ranking(decl.binding.axes)))


def why_incomplete(deal: Deal) -> str:
    """Return the message that a deal is incomplete, with the number of cards of each hand: ``W 13, N 0, E 0, S 0``."""
    sizes = ", ".join(f"{seat.letter} {size}" for seat, size in zip(Seat, deal.sizes, strict=True))
    return f"it is not a whole deal ({sizes} cards)"


@lru_cache(4096)
def _spelled(decl: Declaration, holder: int) -> Any:
    """Return the code of a field for a holder of cards. Raises `CannotRepresent` where it has none."""
    wanted = [name for name, value in HOLDERS.items() if value == holder and name in decl.codes]
    if not wanted:
        raise CannotRepresent(f"there is no code for {holder}")
    return decl.codes[wanted[0]]


deal = DealTerm()
