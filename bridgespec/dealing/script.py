"""Scripts of the program ``dealer``: its conditions, definitions and actions, read by a grammar of their own.

The language is that of the manual of Debian's package ``dealer`` 20211121, with what its second version (DealerV2) adds: decimals,
which count in hundredths, ``ltc``, ``dds``, ``par``, shapes in braces (`notation_lengths`), reports, contracts and buckets.
Differences: ``generate`` bounds the deals that are made, of which far fewer are rejected here; ``tricks`` and ``dds`` use this
package's solver; ``usereval`` and ``opc``, which need other programs, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NoReturn

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from bridgespec.dealing.bounds import orders, shapes
from bridgespec.dealing.expression import (
    ALWAYS,
    Chance,
    ConditionalValue,
    DealValue,
    HoldingCount,
    Holds,
    Imps,
    NotValue,
    Number,
    OperatorValue,
    ParScore,
    Score,
    ShapeValue,
    TermValue,
    TricksValue,
    every,
)
from bridgespec.dealing.notation import notation_lengths
from bridgespec.dealing.tally import Average, ContractTally, FrequencyTable
from bridgespec.dealing.worth import ALTERNATIVES, hand_worth, points_table, suit_quality
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Seat, Side, Strain
from bridgespec.model.contract import Contract

GENERATE = 1_000_000
PRINTED, COUNTED = 40, 100_000
MOST_DEPTH = 200
Node = Tree[Token]
_CLOCKWISE = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
_BY_RANK = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
_VULNERABLE = {
    "none": Vulnerability.NONE,
    "ns": Vulnerability.NS,
    "ew": Vulnerability.EW,
    **dict.fromkeys(("all", "both"), Vulnerability.BOTH),
}
_NAMED = {"hcp": "hcp", "control": "controls", "loser": "losers"}
_OTHERS = {
    "usereval": "the counts of usereval are made by a server of DealerV2, which is not here",
    "opc": "optimal point count (opc) is made by another program for DealerV2, which is not here",
}
_VARIABLE = re.compile(r'"[^"\n]*"|//[^\n]*|#[^\n]*|/\*.*?\*/|\$([0-9])', re.DOTALL)
_PLAIN = ("none", "nonvul", "nv")
_STANDARD = (4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class HandsCell:
    """A cell of a report with the hands of some seats."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class ParCell:
    """A cell of a report with the par contracts; None means the vulnerability of the script."""

    vulnerability: Vulnerability | None


Shown = DealValue | str | HandsCell | ParCell


@dataclass(frozen=True)
class Print:
    """An action that prints deals: ``how`` is its name; values, texts and cells are printed beside the deals."""

    how: str
    seats: tuple[Seat, ...] = ()
    shown: tuple[Shown, ...] = ()


Action = Average | FrequencyTable | ContractTally | Print


@dataclass
class Script:
    """A parsed script: its condition, its actions and its settings. Made by `read_script`."""

    condition: DealValue = ALWAYS
    actions: list[Action] = field(default_factory=list)
    generate: int = GENERATE
    produce: int | None = None
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    known: dict[int, int] = field(default_factory=dict)
    """Cards dealt beforehand: the seat by slot."""
    seed: int | None = None
    title: str = ""
    first: int = 1
    """The number of the first board."""

    @property
    def wanted(self) -> int:
        """The number of deals requested; by default 40 to print, or 100,000 to count."""
        printed = any(isinstance(action, Print) for action in self.actions)
        return self.produce if self.produce is not None else PRINTED if printed else COUNTED


def read_script(text: str, name: str = "script", variables: Mapping[str, str] | None = None) -> Script:
    """Return the script of a text. Raises UsageError with line and column where it is none.

    ``variables`` gives the texts of ``$0`` to ``$9``.

    >>> script = read_script('produce 10 condition hcp(north) >= 20 and spades(north) > 4 action average "losers" loser(north)')
    >>> script.wanted, script.actions[0].title
    (10, 'losers')
    >>> read_script("condition shape{$1, 5+Mxxx} and cccc(north) > 12.5", variables={"1": "north"}).condition.right.right.number
    1250
    """
    text = _filled_in(text, name, variables or {})
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        lines = text.splitlines() or [""]
        line, column = (len(lines), len(lines[-1]) + 1) if ended else (error.line, error.column)
        _wrong(text, name, line, column, "the script ends too soon" if ended else "this is not understood here")
    return _ScriptReader(text, name).read(tree)


@cache
def _grammar() -> Lark:
    return Lark((files(__package__) / "script.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def _filled_in(text: str, name: str, variables: Mapping[str, str]) -> str:
    """Return the text with its variables replaced, except in strings and comments."""

    def filled(match: re.Match[str]) -> str:
        number = match[1]
        if number is None:
            return match[0]
        if number not in variables:
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            _wrong(text, name, line, column, f"${number} has no value: give it with --variable {number}=TEXT")
        return variables[number]

    return _VARIABLE.sub(filled, text)


def _wrong(text: str, name: str, line: int, column: int, message: str) -> NoReturn:
    lines = text.splitlines() or [""]
    source = lines[min(line, len(lines)) - 1]
    raise UsageError(f"{name}:{line}:{column}: {message}\n  {source}\n  {' ' * (column - 1)}^")


class _ScriptReader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.script = Script()
        self.names: dict[str, DealValue] = {}
        self.counts: dict[str, tuple[float, ...]] = {}
        self.points: tuple[float, ...] = _STANDARD
        self.lengths: list[DealValue] = []

    def read(self, tree: Node) -> Script:
        # A count may be defined anywhere and applies to the whole script, so counts are read before the values that use them.
        for statement in _trees(tree):
            if statement.data == "pointcount":
                self.points = self._counts(_trees(statement))
            elif statement.data == "altcount":
                self.counts[f"pt{_tokens(statement)[0]}"] = points_table(self._counts(_trees(statement)))
        for statement in _trees(tree):
            self._statement(statement)
        self.script.condition = every([*self.lengths, self.script.condition]) if self.lengths else self.script.condition
        if not self.script.actions:
            self.script.actions.append(Print("printall"))
        return self.script

    def _statement(self, node: Node) -> None:
        script, tokens = self.script, _tokens(node)
        match node.data:
            case "generate":
                script.generate = int(tokens[0])
            case "produce":
                script.produce = int(tokens[0])
            case "vulnerable":
                script.vulnerability = _VULNERABLE.get(tokens[0].lower(), Vulnerability.NONE)
            case "dealer":
                script.dealer = _seat(tokens[0])
            case "seed":
                script.seed = int(tokens[-1])
            case "title":
                script.title = _string(tokens[-1]).strip()
            case "startboard":
                script.first = int(tokens[-1])
            case "condition":
                script.condition = self._value(_trees(node)[0])
            case "define":
                self.names[str(tokens[0])] = self._value(_trees(node)[0])
            case "predeals":
                for part in _trees(node):
                    self._predeal(part)
            case "actions":
                script.actions.extend(map(self._action, _trees(node)))

    def _predeal(self, node: Node) -> None:
        tokens = _tokens(node)
        if node.data == "held":
            seat, suit = _seat(tokens[1]), _suit(tokens[0])
            self.lengths.append(OperatorValue("==", TermValue(f"length.{suit}", (seat,)), Number(int(tokens[2]))))
            return
        seat = _seat(tokens[0])
        for holding in tokens[1:]:
            suit = SUITS.index(holding[0].upper())
            for rank in holding[1:].upper():
                slot = 13 * suit + RANKS.index(rank)
                if self.script.known.setdefault(slot, int(seat)) != seat:
                    self._wrong(holding, f"{SUITS[suit]}{rank} is dealt twice")

    def _action(self, node: Node) -> Action:
        tokens, trees = _tokens(node), _trees(node)
        title = next((_string(token) for token in tokens if token.type == "STRING"), "")
        match node.data:
            case "average":
                return Average(title, self._value(trees[0]))
            case "frequency":
                return FrequencyTable(title, *self._bounded(trees))
            case "frequency2":
                return FrequencyTable(title, *self._bounded(trees), other=self._bounded(trees[3:]))
            case "buckets":
                return FrequencyTable(title, *self._bounded(trees, 4))
            case "buckets2":
                return FrequencyTable(title, *self._bounded(trees, 4), self._bounded(trees[4:], 4))
            case "evalcontract":
                declarer = _seats_of(tokens[0])[1 if _is_ns(tokens[0]) else 0]
                return ContractTally(_contract(tokens[1]), declarer, tokens[2].lower() not in _PLAIN)
        seats = tuple(seat for token in tokens if token.type in ("COMPASS", "SIDE") for seat in _seats_of(token))
        if node.data in ("printew", "printns"):
            seats = (Seat.WEST, Seat.EAST) if node.data == "printew" else (Seat.NORTH, Seat.SOUTH)
        return Print(str(node.data), seats, tuple(cell for part in trees for cell in self._shown(part)))

    def _bounded(self, trees: list[Node], count: int = 3) -> tuple[DealValue, int, int, int]:
        """Return a value with its bounds, and the size of its buckets where ``count`` is 4."""
        low, high, size = (*map(_signed, trees[1:count]), 1)[:3]
        if size < 1:
            raise UsageError(f"{self.name}: the size of a bucket is more than 0")
        return self._value(trees[0]), low, high, size

    def _shown(self, node: Node) -> tuple[Shown, ...]:
        tokens = _tokens(node)
        match node.data:
            case "string":
                return (_string(tokens[0]),)
            case "line":
                return ("\n",)
            case "seat" | "side" | "whole":
                return (HandsCell(_seats_of(tokens[0])),)
            case "trix":
                return tuple(TricksValue(strain, seat) for seat in _seats_of(tokens[0]) for strain in _BY_RANK)
            case "parcontract":
                return (ParCell(_VULNERABLE.get(tokens[1].lower()) if len(tokens) > 1 else None),)
        return (self._value(_trees(node)[0] if node.data in ("shown", "cell") else node),)

    def _value(self, node: Node, depth: int = 0) -> DealValue:
        tokens = _tokens(node)
        if depth > MOST_DEPTH:
            raise UsageError(f"{self.name}: an expression is nested more than {MOST_DEPTH} deep")
        values = [self._value(part, depth + 1) for part in _trees(node) if part.data != "shapes"]
        if node.data in _OF_VALUES:
            return _OF_VALUES[node.data](tokens, values)
        if node.data in _OF_TOKENS:
            return _OF_TOKENS[node.data](tokens)
        match node.data:
            case "par":
                vulnerability = _VULNERABLE.get(tokens[2].lower()) if len(tokens) > 2 else None
                return ParScore(Side.NS if _is_ns(tokens[1]) else Side.EW, vulnerability or self.script.vulnerability)
            case "other":
                self._wrong(tokens[0], _OTHERS[tokens[0].lower()])
            case "named":
                return self._named(tokens[0])
            case "points":
                return self._points(tokens)
            case "shape":
                return self._shape(_seat(tokens[0]), next(part for part in _trees(node) if part.data == "shapes"))
            case "braces":
                return self._braces(tokens[0])
        raise AssertionError(node.data)

    def _named(self, token: Token) -> DealValue:
        if str(token) not in self.names:
            self._wrong(token, f"{token} is not defined before this line")
        return self.names[str(token)]

    def _points(self, tokens: list[Token]) -> DealValue:
        name = tokens[0].lower()
        seat = _seat(tokens[1])
        suit = None if len(tokens) < 3 else _suit(tokens[2])
        plain = name.removesuffix("s")
        if plain == "ltc":
            return HoldingCount(ALTERNATIVES["ltc"], seat, (0, 1, 2, 3) if suit is None else (suit,))
        if plain in _NAMED and (plain != "hcp" or self.points == _STANDARD):
            term = _NAMED[plain]
            if suit is None:
                return TermValue(term, (seat,))
            if plain != "loser":
                return TermValue(f"{'high' if plain == 'hcp' else 'controls-suit'}.{suit}", (seat,))
            return HoldingCount(ALTERNATIVES["losers"], seat, (suit,))
        table = points_table(self.points) if plain == "hcp" else self._alternative(plain if not plain.startswith("top") else name)
        return HoldingCount(table, seat, (0, 1, 2, 3) if suit is None else (suit,))

    def _alternative(self, name: str) -> tuple[float, ...]:
        order = ("ten", "jack", "queen", "king", "ace", "top2", "top3", "top4", "top5", "c13")
        place = name if name.startswith("pt") else f"pt{order.index(name)}"
        return self.counts[place] if place in self.counts else ALTERNATIVES[order[int(place[2:])]]

    def _shape(self, seat: Seat, node: Node) -> DealValue:
        found: frozenset[tuple[int, int, int, int]] = frozenset()
        patterns: frozenset[str] = frozenset()
        sign = "+"
        for child in node.children:
            if isinstance(child, Token):
                sign = str(child)
                continue
            parts = _tokens(child)
            lengths = shapes(str(parts[-1]), len(parts) > 1)
            if not lengths:
                self._wrong(parts[-1], f"{parts[-1]} does not make thirteen cards")
            if sign == "+":
                patterns |= orders(str(parts[-1]), len(parts) > 1)
            found = found | lengths if sign == "+" else found - lengths
            sign = "+"
        return ShapeValue(seat, found, patterns)

    def _braces(self, token: Token) -> DealValue:
        seat, _, shape = token[token.index("{") + 1 : -1].partition(",")
        try:
            return ShapeValue(Seat.parse(seat.strip()), notation_lengths(shape))
        except ValueError as error:
            self._wrong(token, str(error))

    def _counts(self, nodes: list[Node]) -> tuple[float, ...]:
        numbers = [_signed(node) for node in nodes][:13]
        return tuple(float(number) for number in numbers + [0] * (13 - len(numbers)))

    def _wrong(self, token: Token, message: str) -> NoReturn:
        _wrong(self.text, self.name, token.line or 1, token.column or 1, message)


def _seat(token: Token) -> Seat:
    return Seat.parse(token[0])


def _suit(token: Token) -> int:
    return "shdc".index(token[0].lower())


def _strain(token: Token) -> Strain:
    return Strain.NOTRUMP if token.type == "NOTRUMP" else Strain(_suit(token) + 1)


def _string(token: Token) -> str:
    """The characters between quotation marks; the end of a line ends a string too."""
    return token[1:].removesuffix('"')


def _is_ns(token: Token) -> bool:
    return token.lower() == "ns"


def _seats_of(token: Token) -> tuple[Seat, ...]:
    """The seats of a compass point or side, or of a whole deal."""
    if token.type == "COMPASS":
        return (_seat(token),)
    if token.type == "SIDE":
        return (Seat.NORTH, Seat.SOUTH) if _is_ns(token) else (Seat.WEST, Seat.EAST)
    return _CLOCKWISE


def _contract(token: Token) -> Contract:
    return Contract.parse(token[1:].upper().replace("N", "NT"))


def _scaled(text: str) -> int:
    """Return a number; one with a decimal point in hundredths."""
    return round(100 * float(text)) if "." in text else int(text)


def _signed(node: Node) -> int:
    number = _scaled(_tokens(node)[0])
    return -number if node.data == "minus" else number


def _trees(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree)]


def _tokens(node: Node) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token)]


def _cccc(tokens: list[Token]) -> DealValue:
    seat = _seat(tokens[0])
    flat = OperatorValue("*", Number(50), ShapeValue(seat, shapes("4333", True)))
    return OperatorValue("+", HoldingCount(hand_worth(), seat), flat)


def _has_card(tokens: list[Token]) -> DealValue:
    card = str(tokens[1]).upper()
    suit, rank = (card[1], card[0]) if card[1] in SUITS else (card[0], card[1])
    return Holds(_seat(tokens[0]), 13 * SUITS.index(suit) + RANKS.index(rank))


# The value of an expression by its rule: from its tokens and the values of the expressions in it, or from its tokens alone.
_OF_VALUES: Mapping[str, Callable[[list[Token], list[DealValue]], DealValue]] = {
    "either": lambda _, values: OperatorValue("or", values[0], values[1]),
    "both": lambda _, values: OperatorValue("and", values[0], values[1]),
    "operation": lambda tokens, values: OperatorValue(str(tokens[0]), values[0], values[1]),
    "negated": lambda _, values: NotValue(values[0]),
    "signed_value": lambda tokens, values: values[0] if tokens[0] == "+" else OperatorValue("-", Number(0), values[0]),
    "choice": lambda _, values: ConditionalValue(values[0], values[1], values[2]),
    "score": lambda tokens, values: Score(_contract(tokens[1]), tokens[0].lower() not in _PLAIN, values[0]),
    "imps": lambda _, values: Imps(values[0]),
}
_OF_TOKENS: Mapping[str, Callable[[list[Token]], DealValue]] = {
    **dict.fromkeys(("number", "decimal"), lambda tokens: Number(_scaled(tokens[0]))),
    "suit_length": lambda tokens: TermValue(f"length.{_suit(tokens[0])}", (_seat(tokens[1]),)),
    "cccc": _cccc,
    "quality": lambda tokens: HoldingCount(suit_quality(), _seat(tokens[0]), (_suit(tokens[1]),)),
    "hascard": _has_card,
    "tricks": lambda tokens: TricksValue(_strain(tokens[1]), _seat(tokens[0])),
    "chance": lambda tokens: Chance(int(tokens[0])),
}
