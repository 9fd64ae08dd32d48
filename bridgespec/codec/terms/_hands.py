"""Read and write a hand in any of its forms: holdings of suits, cards one by one, or suit marks followed by ranks.

`number_of` reads a hand as a number that stands for its set of cards, `cards_in` as cards with the part of each, `offer_of` makes
the offer of a hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from bridgespec.codec.declaration import Declaration
from bridgespec.codec.record_views import RecordView
from bridgespec.codec.terms._cells import ORDINAL, ranking
from bridgespec.codec.terms._ordinal import hand_of, write_ordinal
from bridgespec.codec.terms._values import (
    CARDS,
    NOT_A_NUMBER,
    RANK,
    RANK_WORDS,
    SUIT_WORDS,
    UNKNOWN_CODE,
    CannotRepresent,
    card_of,
    card_texts,
    seat_of,
)
from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import RANKS, Card, Seat
from bridgespec.model.deal import DIGIT, UNKNOWN, Deal, in_suit
from bridgespec.model.numbering import number_of_hand

BAD_HAND = define(
    "bad-hand",
    Severity.ERROR,
    """a hand that does not follow its form

    A hand is spelled as marks for the suits, each followed by the ranks held in it. Here a rank stands before any mark, or a suit
    has its mark twice.
    """,
)
_BLANK, _HAND, _SEAT = "blank", "hand", "seat"
ROLES = {
    "holding": "the ranks of a suit, or a mark of a void (-, --, void, none); suits in the order of the axes, else spades first",
    **{suit: f"the ranks of the {suit}, or a mark of a void; optional where a void is not spelled" for suit in SUIT_WORDS},
    "card": "a card",
    "missing": "that nothing is known of the hand",
    "rest": "that the hand has what the others leave",
    _SEAT: "whose hand it is; hands without one follow the axes, or stand clockwise",
}
BY_NUMBER = {
    ORDINAL: "its number among all deals, or among all hands of thirteen cards, from 0; axes give the order of cards and seats",
}
NAMES = frozenset({*CARDS, *SUIT_WORDS, *RANK_WORDS, _BLANK})
"""The names that the codes of a hand may have."""
GIVEN = frozenset({"holding", "card", ORDINAL, *SUIT_WORDS})
"""The roles of parts that state cards."""


def unlabelled(view: RecordView) -> RecordView:
    """Return the view of the hand inside a part that also has a label, as in ``west: "West: " hand``; the view itself without
    one.
    """
    found = view.role(_HAND) if view.decl.kind == "record" else None
    return view if found is None else unlabelled(found)


def cards_in(view: RecordView) -> list[tuple[Card, RecordView]] | None:
    """Return the cards of a hand, each with the view that spells it (one letter for a rank in a holding); None where the hand is
    not given.
    """
    view = unlabelled(view)
    if view.decl.kind != "record":
        return _coded(view)
    found: list[tuple[Card, RecordView]] = []
    given = False
    # Holdings do not name their suits: the axes of the part give the order.
    suits = iter(_suits(view))
    for role, part in view.parts():
        given = given or role in GIVEN
        if role == "missing" or role == "rest":
            return None
        if role == "card":
            card = CARDS.get(part.code or "") if part.decl.kind == "code" else card_of(part.text)
            found += [(card, part)] if card is not None else []
        elif role == ORDINAL:
            found += [(Card(slot), part) for slot in hand_of(part) or ()]
        elif role in GIVEN:
            suit = SUIT_WORDS.index(role) if role in SUIT_WORDS else next(suits, None)
            found += [] if suit is None else [(card, part) for card in ranks_in(part.text, suit)]
    return found if given else None


def number_of(view: RecordView) -> int | None:
    """Return the set of cards of a hand that is a record, as the number that `whole_deal` takes; None where the hand is not
    given.
    """
    return sum_of(unlabelled(view).each(number_of_part))


def sum_of(parts: Iterable[tuple[str, Any]]) -> int | None:
    """Add the results of `number_of_part` for the parts of a hand to the number of the hand; None where the hand is not given."""
    found = turn = 0
    given = False
    for role, number in parts:
        if role == "holding":
            # A holding does not name its suit: only its index in the hand does.
            found += number[turn] if turn < len(number) else 0
            turn += 1
        elif role in GIVEN:
            found += number
        elif role == "missing" or role == "rest":
            return None
        else:
            continue
        given = True
    return found if given else None


def number_of_part(role: str, part: RecordView) -> tuple[str, Any]:
    """Return the role of a part of a hand, and the number that stands for its cards: for a holding a tuple of such numbers, one
    for each index that it may have in the hand; for a part without cards the seat that it names, or None.
    """
    if role == "card":
        card = CARDS.get(part.code or "") if part.decl.kind == "code" else card_of(part.text)
        return role, 0 if card is None else DIGIT[card]
    if role == ORDINAL:
        return role, sum([DIGIT[slot] for slot in hand_of(part) or ()])
    if role not in GIVEN:
        return role, seat_of(part) if part.decl.kind == "code" else None
    # Each rank once as a spade: the suit of a holding only shifts the sum.
    spades = sum([_SPADES[rank] for rank in part.text.replace("10", "T") if rank in RANK])
    if role == "holding":
        return role, tuple([in_suit(spades, suit) for suit in _order(part.decl)])
    return role, in_suit(spades, SUIT_WORDS.index(role))


_SPADES = {rank: DIGIT[index] for rank, index in RANK.items()}
"""The number that stands for the spade of each rank."""


def _suits(view: RecordView) -> tuple[int, ...]:
    """Return the suits of a hand's holdings in file order; empty where it has none."""
    part = next((part for role, part in view.parts() if role == "holding"), None)
    return () if part is None else _order(part.decl)


def ranks_in(text: str, suit: int) -> Iterator[Card]:
    """Yield the cards of a holding's text in its order; characters that are no ranks are skipped."""
    for rank in text.replace("10", "T"):
        if rank in RANK:
            yield Card(13 * suit + RANK[rank])


def _coded(view: RecordView) -> list[tuple[Card, RecordView]] | None:
    """Return the cards of an array of codes: cards, or suit marks with the ranks after them."""
    items = view.items()
    blank = _BLANK in view.decl.codes
    # A hand of blanks only is not given; a blank among other codes is reported below.
    if blank and all(item.code == _BLANK for item in items):
        return None
    hand: list[tuple[Card, RecordView]] = []
    suit: int | None = None
    marked: set[int] = set()
    for item in items:
        name = item.code
        # The reader has reported this element.
        if item.broken:
            continue
        if name is not None and name in CARDS:
            hand.append((CARDS[name], item))
        elif name in SUIT_WORDS:
            suit = SUIT_WORDS.index(name)
            if suit in marked:
                item.report(BAD_HAND, f"the mark of {name} stands twice")
            marked.add(suit)
        elif name in RANK_WORDS and suit is not None:
            hand.append((Card(13 * suit + RANK_WORDS.index(name)), item))
        elif name in RANK_WORDS:
            item.report(BAD_HAND, "a rank stands before any suit mark")
        elif name == _BLANK:
            item.report(UNKNOWN_CODE, "a blank inside a hand")
        elif isinstance(item.raw_value, str):
            number = item.decl.numeral.read(item.raw_value) if item.decl.numeral is not None else None
            if number is not None:
                item.report(UNKNOWN_CODE, f"{number} stands for no card")
            elif item.raw_value.strip(" "):
                item.report(NOT_A_NUMBER, f"{item.raw_value!r} is not a number")
        elif isinstance(item.raw_value, int):
            raw = item.raw_value
            shown = f"{raw:#04x}" + (f" ({chr(raw)!r})" if 0x20 <= raw < 0x7F else "")
            item.report(UNKNOWN_CODE, f"{shown} stands for no card")
    return hand


_SPELLED = [(str(card).lower(), *card_texts(card)) for card in map(Card, range(52))]
"""The spellings of each card, by slot: the name of its code first."""


VOIDS = ("-", "--", "---", "–", "—", "void", "Void", "VOID", "none")
"""The texts that a grammar may have for a void, in the order in which they are tried."""


def respelled(ranks: str) -> Iterator[str]:
    """Yield other spellings of a holding: the ten as ``10``, small letters, the marks of a void.

    >>> list(respelled("AT")), list(respelled(""))
    (['A10', 'at', 'a10'], ['-', '--', '---', '–', '—', 'void', 'Void', 'VOID', 'none'])
    """
    if not ranks:
        yield from VOIDS
    elif not set(ranks) - set(RANKS):
        yield from dict.fromkeys((ranks.replace("T", "10"), ranks.lower(), ranks.lower().replace("t", "10")))


def offer_of(deal: Deal, one_by_one: bool, seat: Seat) -> dict[str, Any]:
    """Return the offer of one hand: in every spelling, with ``one_by_one`` also card by card. An unknown hand is ``missing``."""
    cards = deal.cards(seat)
    number = {ORDINAL: lambda decl: _number(decl, deal, seat)}
    # A hand without cards is unknown if the deal has unknown cards; else its cards are out of play.
    if not cards and UNKNOWN in deal.holders:
        missing = {"missing": "-", **number}
        return {**missing, _HAND: missing, _SEAT: seat.name.lower()}
    spellings = str(deal.hand(seat)).split(".")
    # A void is an empty text: a schema spells it so, or with one of the marks of `respelled`, or leaves its part out.
    offer: dict[str, Any] = dict(zip(SUIT_WORDS, spellings, strict=True))
    offer["holding"] = lambda decl: [spellings[suit] for suit in _order(decl)]
    offer |= number
    if one_by_one:
        offer["card"] = [_SPELLED[card] for card in cards]
    return {**offer, _HAND: offer, _SEAT: seat.name.lower()}


def _number(decl: Declaration, deal: Deal, seat: Seat) -> Any:
    """Return the plain value of a hand's number. Raises `CannotRepresent` for a hand without thirteen cards."""
    cards = deal.cards(seat)
    if len(cards) != 13:
        raise CannotRepresent(f"{seat.name.lower()} has {len(cards)} cards")
    return write_ordinal(decl, number_of_hand(cards, ranking(decl.binding.axes)[0]))


@cache
def _order(decl: Declaration) -> tuple[int, ...]:
    """Return the suits of the holdings of a hand in file order: those of its axis, else spades first."""
    # A tuple of numbers is not tracked by the garbage collector, nor are the memoised results that contain it.
    labels = next((axis.labels for axis in decl.binding.axes if axis.name == "suit"), "SHDC")
    return tuple(["SHDC".index(label) for label in labels])


def coded_hand(decl: Declaration, deal: Deal, seat: Seat) -> list[Any]:
    """Return the codes of a hand's cards in slot order, for an array of codes. Raises `CannotRepresent` if the array cannot have
    the hand.
    """
    cards, codes = deal.cards(seat), decl.codes
    if not codes:
        raise CannotRepresent(f"{decl.name} is one value: a hand is a list of codes, or a record of holdings or of cards")
    # Codes are either cards, or marks of suits with ranks behind them.
    if any(name in CARDS for name in codes):
        names = [str(card).lower() for card in cards]
    else:
        names = []
        for suit, mark in enumerate(SUIT_WORDS):
            names.append(mark)
            names += [RANK_WORDS[card % 13] for card in cards if card // 13 == suit]
    if lacking := [name for name in names if name not in codes]:
        raise CannotRepresent(f"there is no code for {lacking[0]}")
    spelled = [codes[name] for name in names]
    if decl.size is not None and len(spelled) != decl.size:
        raise CannotRepresent(f"{seat.name.lower()} has {len(cards)} cards")
    return spelled


def rank_place(text: str, card: Card) -> int:
    """Return the index of a card's rank in the text of a holding; -1 where it is not in it."""
    return next((at for at, rank in enumerate(text) if rank.upper() == RANKS[card % 13]), -1)
