"""Turn the expressions of a script of ``dealer`` into values of deals: `ScriptValues.value` takes a parse tree, and returns a
`DealCondition`.

Each rule of ``script.lark`` that is an expression has a method of its name. `bridgespec.dealing.script` reads the statements and
actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from lark import Token, Tree

from bridgespec.dealing.algebra import every, negated, some
from bridgespec.dealing.bounds import orders, shapes
from bridgespec.dealing.expression import (
    Chance,
    ConditionalValue,
    DealCondition,
    HandsCount,
    HoldingCount,
    Holds,
    Imps,
    Number,
    OperatorValue,
    ParScore,
    Score,
    ShapeValue,
    TermValue,
    TricksValue,
)
from bridgespec.dealing.notation import notation_lengths
from bridgespec.dealing.script_evaluations import ALTERNATIVES, hand_worth, points_table, suit_quality
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Seat, Side, Strain
from bridgespec.model.contract import Contract

MOST_DEPTH = 200
"""The deepest nesting of an expression."""
ScriptTree = Tree[Token]
CLOCKWISE = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
VULNERABLE = {
    "none": Vulnerability.NONE,
    "ns": Vulnerability.NS,
    "ew": Vulnerability.EW,
    **dict.fromkeys(("all", "both"), Vulnerability.BOTH),
}
PLAIN = ("none", "nonvul", "nv")
"""The words of the language for a side that is not vulnerable."""
# The terms of the model by the words of the language.
_NAMED = {"hcp": "hcp", "control": "controls", "loser": "losers"}
_ALTERNATIVES = ("ten", "jack", "queen", "king", "ace", "top2", "top3", "top4", "top5", "c13")
# The points of the ranks from the ace down, unless the script has ``pointcount``.
STANDARD = (4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)

Count = Callable[..., object]
"""A function of the user that evaluates hands for ``opc`` or ``usereval`` (`HandsCount`)."""


@dataclass(frozen=True)
class ScriptText:
    """The text of a script, and its name in messages."""

    text: str
    name: str

    def wrong(self, line: int, column: int, message: str) -> NoReturn:
        """Raise UsageError with the text of a line and a mark under a column; both count from 1."""
        lines = self.text.splitlines() or [""]
        source = lines[min(line, len(lines)) - 1]
        raise UsageError(f"{self.name}:{line}:{column}: {message}\n  {source}\n  {' ' * (column - 1)}^")

    def wrong_at(self, token: Token, message: str) -> NoReturn:
        """Raise UsageError with the line of a token and a mark under its first character."""
        self.wrong(token.line or 1, token.column or 1, message)


class ScriptValues:
    """Makes the values of the expressions of one script, with its definitions (``names``) and point counts so far. Created by the
    reader of the script.

    ``outside`` maps ``opc`` and ``usereval`` to functions of the user. ``counts`` are tables of ``altcount``, ``points_of_ranks``
    the points of ``pointcount``, ``vulnerability`` that of the script.
    """

    def __init__(self, source: ScriptText, outside: Mapping[str, Count]) -> None:
        self.source = source
        self.outside = outside
        self.names: dict[str, DealCondition] = {}
        self.counts: dict[str, tuple[float, ...]] = {}
        self.points_of_ranks: tuple[float, ...] = STANDARD
        self.vulnerability = Vulnerability.NONE

    def value(self, node: ScriptTree, depth: int = 0) -> DealCondition:
        """Return the value of an expression. Raises UsageError for an undefined name, and for too deep nesting."""
        if depth > MOST_DEPTH:
            raise UsageError(f"{self.source.name}: an expression is nested more than {MOST_DEPTH} deep")
        # A node ``shapes`` is no expression; `_shape` reads it.
        operands = [self.value(part, depth + 1) for part in trees_of(node) if part.data != "shapes"]
        made: DealCondition = getattr(self, f"_{node.data}")(node, *operands)
        return made

    def _either(self, _: ScriptTree, left: DealCondition, right: DealCondition) -> DealCondition:
        return some([left, right])

    def _both(self, _: ScriptTree, left: DealCondition, right: DealCondition) -> DealCondition:
        return every([left, right])

    def _operation(self, node: ScriptTree, left: DealCondition, right: DealCondition) -> DealCondition:
        return OperatorValue(str(tokens_of(node)[0]), left, right)

    def _negated(self, _: ScriptTree, operand: DealCondition) -> DealCondition:
        return negated(operand)

    def _signed_value(self, node: ScriptTree, operand: DealCondition) -> DealCondition:
        return operand if tokens_of(node)[0] == "+" else OperatorValue("-", Number(0), operand)

    def _choice(self, _: ScriptTree, condition: DealCondition, then: DealCondition, otherwise: DealCondition) -> DealCondition:
        return ConditionalValue(condition, then, otherwise)

    def _number(self, node: ScriptTree) -> DealCondition:
        return Number(scaled(tokens_of(node)[0]))

    _decimal = _number

    def _par(self, node: ScriptTree) -> DealCondition:
        words = tokens_of(node)
        vulnerability = VULNERABLE.get(words[2].lower(), self.vulnerability) if len(words) > 2 else self.vulnerability
        return ParScore(Side.NS if is_ns(words[1]) else Side.EW, vulnerability)

    def _opc(self, node: ScriptTree) -> DealCondition:
        _, side, *strain = tokens_of(node)
        # In hundredths, like all decimals of a script.
        return HandsCount(self._outside(node), seats_of(side), (_strain(strain[0]) if strain else None,), 100)

    def _usereval(self, node: ScriptTree) -> DealCondition:
        _, number, where, *suit, place = tokens_of(node)
        strain = _strain(suit[0]) if suit else None
        return HandsCount(self._outside(node), seats_of(where), (strain, int(number), int(place)))

    def _outside(self, node: ScriptTree) -> Count:
        """Return the function of the user for the name at the beginning of a node. Raises UsageError if there is none."""
        token = tokens_of(node)[0]
        name = token.lower()
        if name not in self.outside:
            what = f"{name} is counted by another program in DealerV2: give a function of this name"
            self.source.wrong_at(token, f"{what} in a Python file with --counts FILE")
        return self.outside[name]

    def _named(self, node: ScriptTree) -> DealCondition:
        token = tokens_of(node)[0]
        if str(token) not in self.names:
            # A definition is a value, so a name must be defined above its use.
            self.source.wrong_at(token, f"{token} is not defined before this line")
        return self.names[str(token)]

    def _suit_length(self, node: ScriptTree) -> DealCondition:
        suit, seat = tokens_of(node)
        return TermValue(f"length.{suit_of(suit)}", (seat_of(seat),))

    def _points(self, node: ScriptTree) -> DealCondition:
        words = tokens_of(node)
        name, seat = words[0].lower(), seat_of(words[1])
        suits = (0, 1, 2, 3) if len(words) < 3 else (suit_of(words[2]),)
        plain = name.removesuffix("s")
        if plain == "ltc":
            return HoldingCount(ALTERNATIVES["ltc"], seat, suits)
        # Boxes can bound terms of the model; points of ``pointcount`` need a table.
        if plain in _NAMED and (plain != "hcp" or self.points_of_ranks == STANDARD):
            if len(suits) > 1:
                return TermValue(_NAMED[plain], (seat,))
            if plain != "loser":
                return TermValue(f"{'high' if plain == 'hcp' else 'controls-suit'}.{suits[0]}", (seat,))
            return HoldingCount(ALTERNATIVES["losers"], seat, suits)
        if plain == "hcp":
            return HoldingCount(points_table(self.points_of_ranks), seat, suits)
        return HoldingCount(self._alternative(plain if not plain.startswith("top") else name), seat, suits)

    def _alternative(self, name: str) -> tuple[float, ...]:
        place = name if name.startswith("pt") else f"pt{_ALTERNATIVES.index(name)}"
        return self.counts[place] if place in self.counts else ALTERNATIVES[_ALTERNATIVES[int(place[2:])]]

    def _cccc(self, node: ScriptTree) -> DealCondition:
        seat = seat_of(tokens_of(node)[0])
        flat = OperatorValue("*", Number(50), ShapeValue(seat, shapes("4333", True)))
        return OperatorValue("+", HoldingCount(hand_worth(), seat), flat)

    def _quality(self, node: ScriptTree) -> DealCondition:
        seat, suit = tokens_of(node)
        return HoldingCount(suit_quality(), seat_of(seat), (suit_of(suit),))

    def _shape(self, node: ScriptTree) -> DealCondition:
        found: frozenset[tuple[int, int, int, int]] = frozenset()
        patterns: frozenset[str] = frozenset()
        sign = "+"
        for child in trees_of(node)[0].children:
            if isinstance(child, Token):
                sign = str(child)
                continue
            parts = tokens_of(child)
            lengths = shapes(str(parts[-1]), len(parts) > 1)
            if not lengths:
                self.source.wrong_at(parts[-1], f"{parts[-1]} does not make thirteen cards")
            # Patterns are for bounds only, so they may contain a subtracted shape.
            if sign == "+":
                patterns |= orders(str(parts[-1]), len(parts) > 1)
            found = found | lengths if sign == "+" else found - lengths
            sign = "+"
        return ShapeValue(seat_of(tokens_of(node)[0]), found, patterns)

    def _braces(self, node: ScriptTree) -> DealCondition:
        token = tokens_of(node)[0]
        seat, _, shape = token[token.index("{") + 1 : -1].partition(",")
        try:
            return ShapeValue(Seat.parse(seat.strip()), notation_lengths(shape))
        except ValueError as error:
            self.source.wrong_at(token, str(error))

    def _hascard(self, node: ScriptTree) -> DealCondition:
        seat, card = tokens_of(node)
        # The second version of ``dealer`` writes 8C, the first C8.
        one, two = card[0].upper(), card[1].upper()
        suit, rank = (two, one) if two in SUITS else (one, two)
        return Holds(seat_of(seat), 13 * SUITS.index(suit) + RANKS.index(rank))

    def _tricks(self, node: ScriptTree) -> DealCondition:
        seat, strain = tokens_of(node)
        return TricksValue(_strain(strain), seat_of(seat))

    def _score(self, node: ScriptTree, tricks: DealCondition) -> DealCondition:
        vulnerable, contract = tokens_of(node)
        return Score(contract_of(contract), vulnerable.lower() not in PLAIN, tricks)

    def _imps(self, _: ScriptTree, difference: DealCondition) -> DealCondition:
        return Imps(difference)

    def _chance(self, node: ScriptTree) -> DealCondition:
        return Chance(int(tokens_of(node)[0]))


def seat_of(token: Token) -> Seat:
    """Return the seat of a compass point."""
    return Seat.parse(token[0])


def suit_of(token: Token) -> int:
    """Return the number of a suit, spades 0."""
    return "shdc".index(token[0].lower())


def string_of(token: Token) -> str:
    """Return the text of a string without quotation marks; a string may end with its line, without the second mark."""
    return token[1:].removesuffix('"')


def is_ns(token: Token) -> bool:
    """Return whether a token names the side North-South."""
    return token.lower() == "ns"


def _strain(token: Token) -> Strain:
    return Strain.NOTRUMP if token.type == "NOTRUMP" else Strain(suit_of(token) + 1)


def seats_of(token: Token) -> tuple[Seat, ...]:
    """Return the seats that a token names: one, those of a side, or all four."""
    if token.type == "COMPASS":
        return (seat_of(token),)
    if token.type == "SIDE":
        return (Seat.NORTH, Seat.SOUTH) if is_ns(token) else (Seat.WEST, Seat.EAST)
    return CLOCKWISE


def contract_of(token: Token) -> Contract:
    """Return the contract of a token such as ``x4S`` or ``z3Nxx``."""
    return Contract.parse(token[1:].upper().replace("N", "NT"))


def scaled(text: str) -> int:
    """Return the number of a text: the number itself, or if it has a decimal point the number of hundredths."""
    return round(100 * float(text)) if "." in text else int(text)


def signed(node: ScriptTree) -> int:
    """Return the number of a node with or without a minus sign, as `scaled`."""
    number = scaled(tokens_of(node)[0])
    return -number if node.data == "minus" else number


def trees_of(node: ScriptTree) -> list[ScriptTree]:
    """Return the children that are trees."""
    return [child for child in node.children if isinstance(child, Tree)]


def tokens_of(node: ScriptTree) -> list[Token]:
    """Return the children that are tokens."""
    return [child for child in node.children if isinstance(child, Token)]
