"""Bridge functions for SQL, as macros of DuckDB: `statements` defines them, `lists` has the values that they look up.

A hand is a mask of cards. A macro is expanded into operators, which DuckDB evaluates for many rows at once: ``hcp(hand)`` is four
counts of bits. What operators cannot compute is looked up in a list that a function of the model has filled: shapes by lengths,
points by contract and tricks. Only par is a Python function, which is called with columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from bridgespec.model.board import standard_dealer, standard_vulnerability
from bridgespec.model.cards import RANKS, SEATS, STRAINS, SUITS, Strain
from bridgespec.model.contract import Contract, Doubling
from bridgespec.model.evaluate import is_balanced
from bridgespec.model.score import imps, points

_SUIT = 8191
"""The mask of the 13 cards of a suit."""
_ACES = sum(1 << 13 * suit + 12 for suit in range(4))
"""The mask of the four aces; shifted right by n, of the four cards n ranks lower."""
_FIRST = [13 * (3 - suit) for suit in range(4)]
"""The bit number of the two of each suit."""


@cache
def lists() -> Mapping[str, list[Any]]:
    """Return the lists in which macros look values up, by the name of the variable in SQL."""
    shapes, patterns, balanced = [], [], []
    for spades, hearts, diamonds in product(range(14), repeat=3):
        four = (spades, hearts, diamonds, 13 - spades - hearts - diamonds)
        possible = four[3] >= 0
        shapes.append("".join(map(str, sorted(four, reverse=True))) if possible else None)
        patterns.append("=".join(map(str, four)) if possible else None)
        balanced.append(is_balanced(four) if possible else None)
    # The order is that of `_CONTRACT`, which computes the index from the text.
    contracts = [Contract(level, strain, doubling) for level in range(1, 8) for strain in Strain for doubling in Doubling]
    return {
        "bridge_shapes": shapes,
        "bridge_patterns": patterns,
        "bridge_balanced": balanced,
        "bridge_holdings": ["".join(rank for at, rank in enumerate(RANKS) if holding >> (12 - at) & 1) for holding in range(8192)],
        "bridge_points": [points(one, won, bool(vul)) for one in contracts for vul in (0, 1) for won in range(14)],
        # Cells 14 and 15 are no numbers of tricks, and become null.
        "bridge_tricks": [*range(14), None, None],
        # Differences of scores are multiples of ten; from 4,000 points on they are 24 IMPs (Law 78B).
        "bridge_imps": [imps(10 * tens) for tens in range(401)],
        "bridge_dealers": [standard_dealer(number).letter for number in range(4)],
        "bridge_vulnerabilities": [standard_vulnerability(number).name.lower() for number in range(16)],
    }


def _letter_index(letters: str, text: str, what: str) -> str:
    """Return an SQL expression for the index from 0 of the letter ``text`` (an SQL expression) in ``letters``.

    For another letter the expression fails: the conversion of the message to a number is an error that names it. DuckDB evaluates
    the conversion once if the letter is constant, and ``error()`` for each row.
    """
    listed = ", ".join(f"'{letter}'" for letter in letters)
    return f"(coalesce(list_position([{listed}], upper({text})), ('{what}: ' || {text})::INTEGER) - 1)"


def _holding(suit: int) -> str:
    """Return an SQL expression for the holding of a suit in the hand ``h``, a number below 8,192."""
    return f"((h >> {_FIRST[suit]}) & {_SUIT})::BIGINT"


def _count(below: int) -> str:
    """Return an SQL expression for the number of cards ``below`` ranks below an ace in the hand ``h``."""
    return f"bit_count(h & {_ACES >> below}::UBIGINT)"


def _losers(suit: int) -> str:
    """Return an SQL expression for the losers of a suit: the smaller of three and its length, less one each for the ace, a king
    that is not alone, and a queen with two other cards.
    """
    length = f"bit_count(h & {_SUIT << _FIRST[suit]}::UBIGINT)"
    ace, king, queen = (f"bit_count(h & {1 << _FIRST[suit] + rank}::UBIGINT)" for rank in (12, 11, 10))
    return f"least({length}, 3) - {ace} - {king} * ({length} > 1)::TINYINT - {queen} * ({length} > 2)::TINYINT"


# Expressions within the macros. ``_LENGTHS`` is the index from 1 in the lists of `lists` that are filled by lengths.
_LENGTHS = f"""(196 * bit_count(h & {_SUIT << 39}::UBIGINT) + 14::INTEGER * bit_count(h & {_SUIT << 26}::UBIGINT)
    + bit_count(h & {_SUIT << 13}::UBIGINT) + 1)"""
_VULNERABILITY = """(coalesce(list_position(['none', 'ns', 'ew', 'both'], lower(vul)),
    ('not a vulnerability: ' || vul)::INTEGER) - 1)::UTINYINT"""
_PAR = {
    "(t, vul)": f"bridge_par(t, false, {_VULNERABILITY})",
    "(t, dealer, vul)": f"bridge_par(t, {_letter_index(SEATS, 'dealer', 'not a seat')} % 2 = 0, {_VULNERABILITY})",
}
# A card's bit number is 51 - 13 * suit - rank; `strpos` counts both from 1, so 51 becomes 65.
_CARD = f"1::UBIGINT << (65 - 13 * strpos('{SUITS}', g[1]) - strpos('{RANKS}', g[i]))"
_CELL = f"4 * {_letter_index(STRAINS, 'left(strain, 1)', 'not a strain')} + {_letter_index(SEATS, 'seat', 'not a seat')} + 1"
_HOLDINGS = ", ".join(f"getvariable('bridge_holdings')[{_holding(suit)} + 1]" for suit in range(4))
_CONTRACT = f"""(15 * (ascii(contract[1]) - 49) + 3 * (strpos('{STRAINS}', upper(contract[2])) - 1)
    + len(contract) - len(rtrim(contract, 'Xx')))"""

# By name and parameters, the expression that replaces a call.
MACROS: Mapping[str, str] = {
    "hcp(h)": f"(4 * {_count(0)} + 3 * {_count(1)} + 2 * {_count(2)} + {_count(3)})::INTEGER",
    "controls(h)": f"(2 * {_count(0)} + {_count(1)})::INTEGER",
    "losers(h)": f"({' + '.join(map(_losers, range(4)))})::INTEGER",
    "shape(h)": f"getvariable('bridge_shapes')[{_LENGTHS}]",
    "pattern(h)": f"getvariable('bridge_patterns')[{_LENGTHS}]",
    "balanced(h)": f"getvariable('bridge_balanced')[{_LENGTHS}]",
    "cards(t)": f"""(CASE WHEN regexp_full_match(upper(t), '([{SUITS}][{RANKS}]+ *)+')
        THEN list_reduce(list_prepend(0::UBIGINT, flatten(list_transform(regexp_extract_all(upper(t), '[{SUITS}][{RANKS}]+'),
            lambda g: list_transform(range(2, len(g) + 1), lambda i: {_CARD})))), lambda a, b: a | b)
        ELSE error('not cards: ' || t || ' (write SAKQ, or SA HKQ)') END)""",
    "holds(h, t)": "((h & cards(t)) = cards(t))",
    "hand_text(h)": f"concat_ws('.', {_HOLDINGS})",
    "deal_text(w, n, e, s)": "concat('N:', hand_text(n), ' ', hand_text(e), ' ', hand_text(s), ' ', hand_text(w))",
    "tricks_of(t, strain, seat)": f"getvariable('bridge_tricks')[t[{_CELL}] + 1]",
    "tricks(t, strain, seat)": """(CASE upper(seat)
        WHEN 'NS' THEN greatest(tricks_of(t, strain, 'N'), tricks_of(t, strain, 'S'))
        WHEN 'EW' THEN greatest(tricks_of(t, strain, 'E'), tricks_of(t, strain, 'W'))
        ELSE tricks_of(t, strain, seat) END)""",
    "points(contract, won, vul)": f"""(CASE WHEN upper(contract[1]) = 'P' THEN 0
        ELSE getvariable('bridge_points')[28 * {_CONTRACT} + 14 * vul::INTEGER + won + 1] END)""",
    "imps(d)": "(getvariable('bridge_imps')[least(abs(d)::BIGINT // 10, 400) + 1] * sign(d))::INTEGER",
    "dealer_of(number)": "getvariable('bridge_dealers')[(number % 4) + 1]",
    "vulnerability_of(number)": "getvariable('bridge_vulnerabilities')[(number % 16) + 1]",
    "tag(t, n)": "list_filter(t, lambda x: x.name = n)[1].value",
}

OVERLOADED: Mapping[str, Mapping[str, str]] = {
    "length": {
        "(t)": "len(t)",
        "(h, suit)": f"bit_count(h & ({_SUIT}::UBIGINT << (39 - 13 * {_letter_index(SUITS, 'suit', 'not a suit')})))::INTEGER",
    },
    "par": {head: f"{body}.score" for head, body in _PAR.items()},
    "par_contract": {head: f"{body}.contract" for head, body in _PAR.items()},
    "par_side": {head: f"{body}.side" for head, body in _PAR.items()},
}
"""Functions with two forms: by name, the expression that replaces a call by the parameters of the form."""


def own_functions() -> dict[str, str]:
    """Return the parameters of each function by name, for messages: with ``north`` for a hand, and of the last form if it has two.

    >>> own_functions()["hcp"], own_functions()["tricks"]
    ('north', 't, strain, seat')
    """
    heads = [*MACROS, *(name + list(forms)[-1] for name, forms in OVERLOADED.items())]
    parts = [head.rstrip(")").partition("(") for head in heads]
    return {name: ", ".join("north" if one == "h" else one for one in given.split(", ")) for name, _, given in parts}


def statements() -> list[str]:
    """Return the SQL statements that define the macros."""
    made = [f"CREATE MACRO {head} AS {body}" for head, body in MACROS.items()]
    for name, forms in OVERLOADED.items():
        made.append(f"CREATE MACRO {name}" + ", ".join(f"{head} AS {body}" for head, body in forms.items()))
    return made
