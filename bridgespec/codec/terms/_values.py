"""Tables from names of codes to values of the model, and spellings of the model's values as text; the same for all formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from bridgespec.codec.record_views import RecordView
from bridgespec.diagnostic import Severity, define
from bridgespec.model.auction import Auction, Call, CallKind
from bridgespec.model.board import Board, Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Card, Seat, Side, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.deal import OUT, UNKNOWN

UNKNOWN_CODE = define(
    "unknown-code",
    Severity.ERROR,
    """a value that stands for nothing

    The field holds a code, and the schema's list of codes lacks this one; or a contract as a text, and this is none. What was meant
    cannot be known; the place in the model stays empty and the bytes are kept.
    """,
)
NOT_A_NUMBER = define(
    "not-a-number",
    Severity.ERROR,
    """text that should be a decimal number

    The field holds a number written in digits, padded to its size. These characters are not one.
    """,
)


BAD_ORDINAL = define(
    "bad-ordinal",
    Severity.ERROR,
    """a number that no deal or hand has

    The field holds the number of a deal or of a hand among all of them, counted from 0. There are
    53,644,737,765,488,792,839,237,440,000 deals and 635,013,559,600 hands of thirteen cards, and this number is none of theirs.
    """,
)
BAD_RESULT = define(
    "bad-result",
    Severity.ERROR,
    """a result that its contract cannot have

    Declarer wins 0 to 13 tricks. The result states more, or overtricks or undertricks that lead to fewer or more: four spades go
    down ten at most, and have at most three tricks over. The result stays unknown, and the bytes are kept.
    """,
)


class CannotRepresent(Exception):
    """Raised where the target cannot represent a value; the message is why."""


SEATS: Mapping[str, Seat] = {seat.name.lower(): seat for seat in Seat}
SIDES: Mapping[str, Side] = {side.name.lower(): side for side in Side}
STRAINS: Mapping[str, Strain] = {strain.name.lower(): strain for strain in Strain}
DOUBLINGS: Mapping[str, Doubling] = {doubling.name.lower(): doubling for doubling in Doubling}
VULNERABILITIES: Mapping[str, Vulnerability] = {one.name.lower(): one for one in Vulnerability} | {"all": Vulnerability.BOTH}
HOLDERS: Mapping[str, int] = {
    **{name: int(seat) for name, seat in SEATS.items()},
    **dict.fromkeys(("out", "unused", "none"), OUT),
    "unknown": UNKNOWN,
}
CARDS: Mapping[str, Card] = {str(Card(slot)).lower(): Card(slot) for slot in range(52)}


RANK_WORDS = ("ace", "king", "queen", "jack", "ten", "nine", "eight", "seven", "six", "five", "four", "three", "two")
SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
RANK = {rank: index for index, rank in enumerate(RANKS)} | {rank.lower(): index for index, rank in enumerate(RANKS)}
TRICKS_OVER: Mapping[str, str] = {
    "just_made": "that the contract was made with no trick over",
    "overtricks": "the tricks over",
    "undertricks": "the tricks that were missing",
}
"""The roles of a result that is counted from the contract: ``=``, ``+1``, ``-2``."""
NOTHING = "unknown"
"""The name of a code or role for an unknown value."""
LEFT_OUT = frozenset({NOTHING, "undoubled"})
"""The names for which a schema may have no code: leaving the field out means the same."""


def names(table: Mapping[str, object]) -> dict[object, str]:
    """Return a table with keys and values exchanged; the first key of each value."""
    found: dict[object, str] = {}
    for name, value in table.items():
        found.setdefault(value, name)
    return found


@cache
def seats_named(labels: str) -> Sequence[Seat]:
    """Return the seats that the letters of an axis name."""
    return tuple(map(Seat.parse, labels))


def seat_of(view: RecordView | None) -> Seat | None:
    """Return the seat that a code names, or for a record the code of its part ``seat``; None without one."""
    if view is None:
        return None
    name = view.code
    if name is None:
        return None if (part := view.role("seat")) is None else SEATS.get(part.code or "")
    return SEATS.get(name)


def number_of(view: RecordView, role: str = "number") -> int | None:
    """Return the number in a view, or in the part ``role`` of a record; None without one. A text that is no number is reported."""
    part = view.own(role)
    if part is None:
        return None
    found = part.number
    if found is None and part.text.strip(" ") and not part.broken:
        part.report(NOT_A_NUMBER, f"{part.text!r} is not a number")
    return found


def report_unknown_code(view: RecordView, name: str | None) -> None:
    """Report a view whose value is no code (``name``, the name of its code, is None). A broken view is not reported again."""
    if name is None and not view.broken:
        view.report(UNKNOWN_CODE, f"{view.raw_value!r} is not one of the codes")


@lru_cache(4096)
def card_of(text: str) -> Card | None:
    """Return the card of ``SK``, ``dT``, ``H10`` or ``TH``; None for anything else.

    >>> card_of("h10"), card_of("TH"), card_of("H")
    (Card('HT'), Card('HT'), None)
    """
    text = text.replace("10", "T")
    found = CARDS.get(text.lower())
    return CARDS.get(text[::-1].lower()) if found is None else found


@lru_cache(4096)
def call_of(text: str) -> Call | None:
    """Return the call that a text spells in any usual way; None for any other text."""
    try:
        return Call.parse(text)
    except ValueError:
        return None


def spellings(call: Call) -> tuple[str, ...]:
    """Return all spellings of a call that a writer may try, short ones first."""
    if call.kind is CallKind.PASS:
        return "P", "p", "Pass"
    if call.kind is CallKind.DOUBLE:
        return "D", "X", "d", "x"
    if call.kind is CallKind.REDOUBLE:
        return "R", "XX", "r", "xx"
    short = f"{call.level}{call.strain.letter}"
    return short, str(call), short.lower()


def bought(board: Board) -> tuple[Contract | None, Seat | None]:
    """Return contract and declarer of a board: the stated ones, else those of the auction."""
    return bought_by(board.contract, board.declarer, board.auction)


def bought_by(contract: Contract | None, declarer: Seat | None, auction: Auction | None) -> tuple[Contract | None, Seat | None]:
    """Return contract and declarer: the given ones, else those of the auction."""
    if auction is not None:
        contract = auction.contract if contract is None else contract
        declarer = auction.declarer if declarer is None else declarer
    return contract, declarer


def contract_of(parts: Mapping[str, RecordView]) -> Contract | None:
    """Return the contract that parts, by role, state. None where level or strain is missing or invalid; codes without a name are
    reported.
    """
    if "passed_out" in parts:
        return Contract.passed_out()
    level = parts["level"].number if "level" in parts else None
    strain, doubling = STRAINS.get(code_name(parts.get("strain"))), DOUBLINGS.get(code_name(parts.get("doubling")))
    if level is None or strain is None or not 0 <= level <= 7:
        return None
    return Contract(level, strain, doubling or Doubling.UNDOUBLED)


def code_name(view: RecordView | None) -> str:
    """Return the name of the code that a view is, and report a code without one; empty where there is none."""
    if view is not None and view.decl.kind == "code":
        report_unknown_code(view, view.code)
    return "" if view is None else view.code or ""


def contract_offer(contract: Contract) -> dict[str, object]:
    """Return the offer of a contract by its parts: level, strain, doubles and so on."""
    if contract.is_passed_out:
        return {"passed_out": True}
    return {"level": contract.level, "strain": contract.strain.name.lower(), "doubling": contract.doubling.name.lower()}


def tricks_over(parts: Mapping[str, RecordView]) -> int | None:
    """Return the tricks beyond the contract, negative for undertricks, from parts with roles in `TRICKS_OVER`; None without such
    parts.
    """
    over, under = (parts[role].number if role in parts else None for role in ("overtricks", "undertricks"))
    return None if over is None and under is None and "just_made" not in parts else (over or 0) - (under or 0)


def possible_tricks(view: RecordView, tricks: int | None) -> int | None:
    """Return a number of tricks; None, with a finding on ``view``, where it is not 0 to 13."""
    if tricks is not None and 0 <= tricks <= 13:
        return tricks
    if tricks is not None:
        view.report(BAD_RESULT, f"the result comes to {tricks} tricks: there are 0 to 13")
    return None


def tricks_of(contract: Contract | None, over: int | None, parts: Mapping[str, RecordView]) -> int | None:
    """Return the declarer's tricks, computed from the contract and the tricks beyond it (``over``). None where one is missing or
    the board was passed out; an impossible number is reported on the part of ``parts`` that states it.
    """
    if contract is None or contract.is_passed_out or over is None:
        return None
    # From the last role on: the finding is at the part that counts, and at "just made" only where there is none.
    return possible_tricks(next(parts[role] for role in (*TRICKS_OVER,)[::-1] if role in parts), contract.needed + over)


def over_offer(contract: Contract, tricks: int | None) -> dict[str, object]:
    """Return the offer of a result as tricks beyond the contract, in the roles of `TRICKS_OVER`."""
    over = None if tricks is None or contract.is_passed_out else tricks - contract.needed
    return {
        "just_made": True if over == 0 else None,
        "overtricks": over if over is not None and over > 0 else None,
        "undertricks": -over if over is not None and over < 0 else None,
    }


def card_text(card: Card) -> str:
    """Return the text of a card: ``SK``."""
    return f"{SUITS[card // 13]}{RANKS[card % 13]}"


@cache
def card_texts(card: Card) -> tuple[str, ...]:
    """Return the spellings of a card that a writer may try: suit first or rank first, the ten as a letter or as ``10``.

    >>> card_texts(Card.parse("ST"))
    ('ST', 'st', 'S10', 's10', 'TS', 'ts', '10S', '10s')
    """
    text = card_text(card)
    names = [one.replace("T", ten) for one in (text, text[::-1]) for ten in ("T", "10")]
    return tuple(dict.fromkeys(spelled for name in names for spelled in (name, name.lower())))
