"""Bridge functions for SQL: macros over masks of cards, and lists in which they look values up.

A macro is expanded into plain operators, which DuckDB evaluates by the vector: ``hcp(hand)`` is four counts of bits. A function
that would need a branch for each row is a list that is indexed: shapes by lengths, points by contract and tricks, each filled by
the model's own function. Only par is a Python function, of whole columns.
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
_ACES = sum(1 << 13 * suit + 12 for suit in range(4))
"""The ace of every suit; shifted by n the card n below."""
_FIRST = [13 * (3 - suit) for suit in range(4)]
"""The bit of the two of each suit."""


@cache
def lists() -> Mapping[str, list[Any]]:
    """The lists by name."""
    shapes, patterns, balanced = [], [], []
    for spades, hearts, diamonds in product(range(14), repeat=3):
        four = (spades, hearts, diamonds, 13 - spades - hearts - diamonds)
        whole = four[3] >= 0
        shapes.append("".join(map(str, sorted(four, reverse=True))) if whole else None)
        patterns.append("=".join(map(str, four)) if whole else None)
        balanced.append(is_balanced(four) if whole else None)
    # The order is that of `_CONTRACT`, which computes the index from the text.
    contracts = [Contract(level, strain, doubling) for level in range(1, 8) for strain in Strain for doubling in Doubling]
    return {
        "bridge_shapes": shapes,
        "bridge_patterns": patterns,
        "bridge_balanced": balanced,
        "bridge_holdings": ["".join(rank for at, rank in enumerate(RANKS) if holding >> (12 - at) & 1) for holding in range(8192)],
        "bridge_points": [points(one, won, bool(vul)) for one in contracts for vul in (0, 1) for won in range(14)],
        # Cells of 14 and 15 (unknown) are null, so no query averages them.
        "bridge_tricks": [*range(14), None, None],
        # Scores are multiples of ten, and from 4,000 points on it is 24 (Law 78B).
        "bridge_imps": [imps(10 * tens) for tens in range(401)],
        "bridge_dealers": [standard_dealer(number).letter for number in range(4)],
        "bridge_vulnerabilities": [standard_vulnerability(number).name.lower() for number in range(16)],
    }


def _place(letters: str, text: str, what: str) -> str:
    """Return an SQL expression for the index of a letter, from 0; for any other letter it fails with a conversion error that names
    it.

    DuckDB folds the conversion where the letter is constant; ``error()`` would be evaluated for each row.
    """
    listed = ", ".join(f"'{letter}'" for letter in letters)
    return f"(coalesce(list_position([{listed}], upper({text})), ('{what}: ' || {text})::INTEGER) - 1)"


def _holding(suit: int) -> str:
    return f"((h >> {_FIRST[suit]}) & {_SUIT})::BIGINT"


def _count(below: int) -> str:
    return f"bit_count(h & {_ACES >> below}::UBIGINT)"


def _losers(suit: int) -> str:
    """Return an SQL expression for the losers of a suit: three or its length, less the ace, a king that is not alone, and a queen
    with two cards beside it."""
    held = f"bit_count(h & {_SUIT << _FIRST[suit]}::UBIGINT)"
    ace, king, queen = (f"bit_count(h & {1 << _FIRST[suit] + rank}::UBIGINT)" for rank in (12, 11, 10))
    return f"least({held}, 3) - {ace} - {king} * ({held} > 1)::TINYINT - {queen} * ({held} > 2)::TINYINT"


_LENGTHS = f"""(196 * bit_count(h & {_SUIT << 39}::UBIGINT) + 14::INTEGER * bit_count(h & {_SUIT << 26}::UBIGINT)
    + bit_count(h & {_SUIT << 13}::UBIGINT) + 1)"""
_VULNERABILITY = """(coalesce(list_position(['none', 'ns', 'ew', 'both'], lower(vul)),
    ('not a vulnerability: ' || vul)::INTEGER) - 1)::UTINYINT"""
_PAR = {
    "(t, vul)": f"bridge_par(t, false, {_VULNERABILITY})",
    "(t, dealer, vul)": f"bridge_par(t, {_place(SEATS, 'dealer', 'not a seat')} % 2 = 0, {_VULNERABILITY})",
}
# The slot is 13 * suit + rank and the bit 51 less it; `strpos` counts from 1, which makes 65 of 51.
_CARD = f"1::UBIGINT << (65 - 13 * strpos('{SUITS}', g[1]) - strpos('{RANKS}', g[i]))"
_CELL = f"4 * {_place(STRAINS, 'left(strain, 1)', 'not a strain')} + {_place(SEATS, 'seat', 'not a seat')} + 1"
_HOLDINGS = ", ".join(f"getvariable('bridge_holdings')[{_holding(suit)} + 1]" for suit in range(4))
_CONTRACT = f"""(15 * (ascii(contract[1]) - 49) + 3 * (strpos('{STRAINS}', upper(contract[2])) - 1)
    + len(contract) - len(rtrim(contract, 'Xx')))"""

MACROS: Mapping[str, str] = {
    # name and parameters: the expression that replaces a call
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
        "(h, suit)": f"bit_count(h & ({_SUIT}::UBIGINT << (39 - 13 * {_place(SUITS, 'suit', 'not a suit')})))::INTEGER",
    },
    "par": {head: f"{body}.score" for head, body in _PAR.items()},
    "par_contract": {head: f"{body}.contract" for head, body in _PAR.items()},
    "par_side": {head: f"{body}.side" for head, body in _PAR.items()},
}
"""Functions with a second form that takes other arguments."""


def own_functions() -> dict[str, str]:
    """Return the parameters of each function by its name, with a hand where it takes one.

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
