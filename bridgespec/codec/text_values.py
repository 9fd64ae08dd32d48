"""From plain values of text formats to the model: deals, calls, cards, results, by the names of the fields that hold them.

The vocabulary, the same for every format: ``hand``s of ``holding``s, of ``spades`` .. ``clubs``, or of ``card``s; ``holder``
or digit cells; ``call_made`` with ``call``, ``all_pass``, ``waiting``, ``skipped``, ``suffix``, ``reference``, ``glyph``,
``alert``,
``explanation``; ``card_played`` with ``card``, ``unplayed``, ``to_come``; ``tricks_won`` and ``points`` with ``side``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bridgespec.codec.cells import offsets
from bridgespec.codec.coders import CARD_NAMES, HOLDER_NAMES, SEAT_NAMES
from bridgespec.codec.text_facts import scalar
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_spine import MANY
from bridgespec.model.auction import Call
from bridgespec.model.cards import RANKS, Card, Seat, Side, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import UNKNOWN, Conflict, Deal, compose
from bridgespec.model.tricks import UNSOLVED, Tricks
from bridgespec.spec.grammar import Rule

SUIT_FIELDS = ("spades", "hearts", "diamonds", "clubs")
MARKS = {
    "1": "!",
    "2": "?",
    "3": "!!",
    "4": "??",
    "5": "!?",
    "6": "?!",
    "7": "!",
    "8": "?",
    "9": "!!",
    "10": "??",
    "11": "!?",
    "12": "?!",
}
_RANK = {rank: index for index, rank in enumerate(RANKS)} | {rank.lower(): index for index, rank in enumerate(RANKS)}
_CARDS = {f"{suit}{rank}": Card(13 * s + r) for s, suit in enumerate("SHDC") for r, rank in enumerate(RANKS)}
_CARDS |= {text.lower(): card for text, card in _CARDS.items()} | {text[0].lower() + text[1]: card for text, card in _CARDS.items()}
_CALLS: dict[str, Call] = {}
_MOST_DIGITS = 18

Value = Mapping[str, Any]


def card(text: str) -> Card | None:
    """The card of ``SK``, ``dT``, ``H10`` or ``TH``; None for anything else."""
    found = _CARDS.get(text)
    if found is None:
        text = text.replace("10", "T")
        found = _CARDS.get(text) or _CARDS.get(text.upper()) or _CARDS.get(text[::-1].upper())
    return found


def followed(tricks: Sequence[Any]) -> list[str]:
    """The cards of tricks in which a rank alone is of the suit that was led.

    >>> followed([{"card": ["SJ", "Q", "H4", "7"]}])
    ['SJ', 'SQ', 'H4', 'S7']
    """
    cards = []
    for trick in tricks:
        texts = [text for text in trick.get("card", ()) if text]
        cards += [text if len(text) > 1 else texts[0][0] + text for text in texts]
    return cards


_DAY = re.compile(r"([0-9?]{4})([0-9?]{2})?([0-9?]{2})?")


def date(value: Any) -> str:
    """A date: one whose figures stand together is parted by dots, what it leaves out being unknown.

    >>> date({"day": "20000101"}), date({"day": "199709"}), date({"day": "1955C"}), date("soon")
    ('2000.01.01', '1997.09.??', '1955C', 'soon')
    """
    text = scalar(value)
    parts = _DAY.fullmatch(text) if isinstance(value, Mapping) and "day" in value else None
    return text if parts is None else ".".join((parts[1], parts[2] or "??", parts[3] or "??"))


def call(text: str) -> Call | None:
    """The call of any usual spelling; None for anything else."""
    if text not in _CALLS:
        try:
            _CALLS[text] = Call.parse(text)
        except ValueError:
            return None
    return _CALLS[text]


def is_number(text: str) -> bool:
    """Whether a text is digits and nothing else, and no more of them than a number here can have.

    ``str.isdigit`` takes superscripts too, which no number has, and Python refuses to read thousands of digits.
    """
    return len(text) <= _MOST_DIGITS and text.isascii() and text.isdigit()


def seat(value: Any) -> Seat | None:
    """The seat that a code names; None where it says that it is unknown."""
    number = SEAT_NAMES.get(scalar(value))
    return None if number is None else Seat(number)


# --- deals


def hand(value: Any) -> list[Card] | None:
    """The cards of a hand; None where it is not given."""
    if not isinstance(value, Mapping) or not value:
        return None
    if "missing" in value or "rest" in value:
        return None
    if "marked_hand" in value:
        return hand(value["marked_hand"])
    if "card" in value:
        return [Card(CARD_NAMES[name]) for name in value["card"] if name in CARD_NAMES]
    holdings = value["holding"] if "holding" in value else [value.get(name, "") for name in SUIT_FIELDS]
    cards = []
    for suit, ranks in enumerate(holdings[:4]):
        for rank in ranks.replace("10", "T"):
            index = _RANK.get(rank)
            if index is not None:
                cards.append(Card(13 * suit + index))
    return cards


def deal(compiler: Compiler, rule: Rule, value: Any, dealer: Seat | None) -> tuple[Deal, tuple[Conflict, ...]] | None:
    """The deal of a record of hands or cells, and the cards that it deals twice; None where it holds none."""
    if not isinstance(value, Mapping):
        return None
    if "hands_given" in value:
        value = {**value, "hand": [part.get("hand", {}) for part in value["hands_given"]]}
        rule = compiler.field_rule(rule, "hands_given")
    if "hand" in value:
        hands = value["hand"]
        order = seats(compiler, compiler.field_rule(rule, "hand"), value, dealer)
        given = {place: cards for place, item in zip(order, hands, strict=False) if (cards := hand(item)) is not None}
        if "hands_given" in value and len(hands) == 4:
            given = _with_rest(given, order)
        return compose(given) if given else None
    for name, cells in value.items():
        field = compiler.field_rule(rule, name)
        if isinstance(cells, list) and field.words.binding.axes:
            return Deal(_cells(compiler, field, cells, 52)), ()
    return None


_EACH = int.from_bytes(b"\x01" * 52, "big")
_HELD: dict[str, int] = {}


def _with_rest(given: Mapping[Seat, list[Card]], order: Sequence[Seat]) -> dict[Seat, list[Card]]:
    """The hands, the one that is named without its cards having those that three whole hands leave."""
    whole = [place for place, cards in given.items() if len(cards) == 13]
    empty = [place for place in order if not given.get(place)]
    if len(whole) != 3 or len(empty) != 1:
        return dict(given)
    seen = {card for cards in given.values() for card in cards}
    return {**given, empty[0]: [Card(slot) for slot in range(52) if slot not in seen]}


def deal_of_holdings(holdings: Sequence[str], order: Sequence[Seat]) -> Deal | None:
    """The deal of four holdings for each seat in turn; None where it is not 52 cards, each once."""
    if sum(map(len, holdings)) != 52:
        return None
    dealt = holders = 0
    for index, place in enumerate(order):
        hand = 0
        for ranks in holdings[4 * index : 4 * index + 4]:
            hand = (hand << 104) + (_HELD[ranks] if ranks in _HELD else _held(ranks))
        dealt += hand
        holders += place * hand
    return Deal(holders.to_bytes(52, "big")) if dealt == _EACH else None


def _held(ranks: str) -> int:
    """A holding as a number of thirteen bytes: how often each rank is in it, from the ace down."""
    held = sum(1 << 8 * (12 - _RANK[rank]) for rank in ranks if rank in _RANK)
    if len(_HELD) < MANY:
        _HELD[ranks] = held
    return held


def seats(compiler: Compiler, rule: Rule, value: Value, dealer: Seat | None) -> list[Seat]:
    """The seats of the hands in file order, as the ``hand`` rule's words say."""
    binding = rule.words.binding
    for axis in binding.axes:
        if axis.name == "seat":
            return [Seat.of(label) for label in axis.labels]
    start = binding.at.get("seat")
    first = dealer if start == "dealer" and "dealer" not in value else seat(value.get(start)) if start else Seat.WEST
    return [Seat(((Seat.NORTH if first is None else first) + i) % 4) for i in range(4)]


def _cells(compiler: Compiler, rule: Rule, cells: Sequence[Any], size: int) -> bytes:
    """Cells over the model's axes: codes of holders or numbers, or digits of several cells each."""
    codes = compiler.codes(compiler.grammar.resolve(rule))
    places = offsets(rule.words.binding.axes)
    out = bytearray([UNKNOWN if size == 52 else UNSOLVED]) * size
    digits = rule.words.extra.get("digits")
    if isinstance(digits, dict) and codes is not None:
        names = [str(name) for name in digits["codes"]]
        base, first = int(digits["base"]), int(digits.get("from", 0))
        values = []
        for cell in cells:
            number = codes.number(cell) - first
            pair = [number % base, number // base]
            values += [HOLDER_NAMES[names[n]] for n in (pair[::-1] if digits.get("first") == "high" else pair)]
    elif size == 52:
        values = [HOLDER_NAMES.get(cell, UNKNOWN) for cell in cells]
    else:
        values = [codes.number(cell) if codes and cell != "unknown" else UNSOLVED for cell in cells]
    for place, number in zip(places, values, strict=False):
        out[place] = number
    return bytes(out)


def tricks(compiler: Compiler, rule: Rule, value: Any) -> Tricks | None:
    """The table of tricks: cells over strain and seat, or strain and leader with the tricks of North and South."""
    if not isinstance(value, Mapping):
        return None
    if "ability_hand" in value:
        table = Tricks.unknown()
        for part in value["ability_hand"]:
            cells, place = part["ability_cell"], seat(part.get("seat"))
            field = compiler.field_rule(compiler.field_rule(rule, "ability_hand"), "ability_cell")
            codes = compiler.codes(compiler.grammar.resolve(field))
            for label, cell in zip("NSHDC", cells, strict=False):
                if place is not None and codes is not None and cell != "unknown":
                    table = table.with_cell(Strain("NSHDC".index(label)), place, codes.number(cell))
        return table
    for name, cells in value.items():
        field = compiler.field_rule(rule, name)
        axes = field.words.binding.axes
        if not isinstance(cells, list) or not axes:
            continue
        if all(axis.name != "leader" for axis in axes):
            return Tricks(_cells(compiler, field, cells, 20))
        codes = compiler.codes(compiler.grammar.resolve(field))
        table, numbers = Tricks.unknown(), iter(cells)
        for label in axes[0].labels:
            for leader in axes[1].labels:
                declarer = Seat((Seat.of(leader) + 3) % 4)
                won = codes.number(next(numbers)) if codes else 0
                strain = Strain("NSHDC".index(label))
                table = table.with_cell(strain, declarer, won if declarer.side is Side.NS else 13 - won)
        return table
    return None


# --- contracts and results


def contract(value: Any) -> tuple[Contract | None, Seat | None]:
    """The contract, and the declarer where the same field names one."""
    if isinstance(value, Mapping) and "level" in value:
        strain = Strain[value["strain"].upper()]
        doubling = Doubling[value["doubling"].upper()] if "doubling" in value else Doubling.UNDOUBLED
        return Contract(int(value["level"]), strain, doubling), seat(value.get("declarer"))
    if isinstance(value, Mapping) and "passed_out" in value:
        return Contract.passed_out(), None
    try:
        return Contract.parse(scalar(value)), None
    except ValueError:
        return None, None


def by_side(value: Any, name: str) -> tuple[str | None, Side | None]:
    """The first number of a result or score, and the side whose it is (None where none is named)."""
    if not isinstance(value, Mapping):
        return value or None, None
    sides = value.get("side")
    return scalar(value.get(name)) or None, Side[scalar(sides).upper()] if sides else None
