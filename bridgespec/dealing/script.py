"""Scripts of the program ``dealer``: its conditions, definitions and actions, read by a grammar of their own.

The language is that of the manual of Debian's package ``dealer`` 20211121. What differs: ``generate`` bounds the deals that are
made, of which far fewer are in vain here; ``tricks`` is solved by our solver.
"""

from __future__ import annotations

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
    Choice,
    Count,
    Holds,
    Imps,
    Joined,
    Not,
    Number,
    Score,
    Shape,
    Term,
    Tricks,
    Value,
    every,
)
from bridgespec.dealing.tally import Average, Frequency
from bridgespec.dealing.worth import ALTERNATIVES, hand_worth, suit_quality
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Seat, Strain
from bridgespec.model.contract import Contract

GENERATE = 1_000_000
PRINTED, COUNTED = 40, 100_000
MOST_DEPTH = 200
Node = Tree[Token]
_VULNERABLE = {"none": Vulnerability.NONE, "ns": Vulnerability.NS, "ew": Vulnerability.EW, "all": Vulnerability.BOTH}
_NAMED = {"hcp": "hcp", "control": "controls", "loser": "losers"}
_STANDARD = (4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Print:
    """Deals as text: ``how`` is the action's name; ``values`` and texts are printed beside them."""

    how: str
    seats: tuple[Seat, ...] = ()
    shown: tuple[Value | str, ...] = ()


Action = Average | Frequency | Print


@dataclass
class Script:
    """What a script asks for."""

    condition: Value = ALWAYS
    actions: list[Action] = field(default_factory=list)
    generate: int = GENERATE
    produce: int | None = None
    dealer: Seat = Seat.NORTH
    vulnerability: Vulnerability = Vulnerability.NONE
    known: dict[int, int] = field(default_factory=dict)
    """Cards dealt beforehand: the seat by slot."""

    @property
    def wanted(self) -> int:
        """How many deals are asked for: 40 to print, or 100,000 to count."""
        printed = any(isinstance(action, Print) for action in self.actions)
        return self.produce if self.produce is not None else PRINTED if printed else COUNTED


def read_script(text: str, name: str = "script") -> Script:
    """The script that a text says; UsageError with line and column where it says none.

    >>> script = read_script('produce 10 condition hcp(north) >= 20 and spades(north) > 4 action average "losers" loser(north)')
    >>> script.wanted, script.actions[0].title
    (10, 'losers')
    """
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        lines = text.splitlines() or [""]
        line, column = (len(lines), len(lines[-1]) + 1) if ended else (error.line, error.column)
        _wrong(text, name, line, column, "the script ends too soon" if ended else "this is not understood here")
    return _Reader(text, name).read(tree)


@cache
def _grammar() -> Lark:
    return Lark((files(__package__) / "script.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def _wrong(text: str, name: str, line: int, column: int, message: str) -> NoReturn:
    lines = text.splitlines() or [""]
    source = lines[min(line, len(lines)) - 1]
    raise UsageError(f"{name}:{line}:{column}: {message}\n  {source}\n  {' ' * (column - 1)}^")


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.script = Script()
        self.names: dict[str, Value] = {}
        self.counts: dict[str, tuple[float, ...]] = {}
        self.points: tuple[float, ...] = _STANDARD
        self.lengths: list[Value] = []

    def read(self, tree: Node) -> Script:
        # Counts are said anywhere and hold everywhere, so they are read before the values that they are part of.
        for statement in _trees(tree):
            if statement.data == "pointcount":
                self.points = self._counts(_trees(statement))
            elif statement.data == "altcount":
                self.counts[f"pt{_tokens(statement)[0]}"] = _table(self._counts(_trees(statement)))
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
            self.lengths.append(Joined("==", Term(f"length.{suit}", (seat,)), Number(int(tokens[2]))))
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
        title = next((str(token)[1:-1] for token in tokens if token.type == "STRING"), "")
        match node.data:
            case "average":
                return Average(title, self._value(trees[0]))
            case "frequency":
                return Frequency(title, self._value(trees[0]), _signed(trees[1]), _signed(trees[2]))
            case "frequency2":
                other = (self._value(trees[3]), _signed(trees[4]), _signed(trees[5]))
                return Frequency(title, self._value(trees[0]), _signed(trees[1]), _signed(trees[2]), other)
        seats = tuple(_seat(token) for token in tokens if token.type == "COMPASS")
        if node.data == "printew":
            seats = (Seat.WEST, Seat.EAST)
        return Print(str(node.data), seats, tuple(self._shown(part) for part in trees))

    def _shown(self, node: Node) -> Value | str:
        if node.data == "string":
            return str(_tokens(node)[0])[1:-1]
        if node.data == "line":
            return "\n"
        return self._value(_trees(node)[0] if node.data == "shown" else node)

    def _value(self, node: Node, depth: int = 0) -> Value:
        tokens = _tokens(node)
        if depth > MOST_DEPTH:
            raise UsageError(f"{self.name}: an expression is nested more than {MOST_DEPTH} deep")
        values = [self._value(part, depth + 1) for part in _trees(node) if part.data != "shapes"]
        match node.data:
            case "either" | "both":
                return Joined("or" if node.data == "either" else "and", values[0], values[1])
            case "operation":
                return Joined(str(tokens[0]), values[0], values[1])
            case "negated":
                return Not(values[0])
            case "signed_value":
                return values[0] if tokens[0] == "+" else Joined("-", Number(0), values[0])
            case "choice":
                return Choice(values[0], values[1], values[2])
            case "number":
                return Number(int(tokens[0]))
            case "named":
                return self._named(tokens[0])
            case "suit_length":
                return Term(f"length.{_suit(tokens[0])}", (_seat(tokens[1]),))
            case "points":
                return self._points(tokens)
            case "cccc":
                seat = _seat(tokens[0])
                flat = Joined("*", Number(50), Shape(seat, shapes("4333", True)))
                return Joined("+", Count(hand_worth(), seat), flat)
            case "quality":
                return Count(suit_quality(), _seat(tokens[0]), (_suit(tokens[1]),))
            case "shape":
                return self._shape(_seat(tokens[0]), next(part for part in _trees(node) if part.data == "shapes"))
            case "hascard":
                card = str(tokens[1]).upper()
                suit = card[1] if card[1] in SUITS else card[0]
                rank = card[0] if card[1] in SUITS else card[1]
                return Holds(_seat(tokens[0]), 13 * SUITS.index(suit) + RANKS.index(rank))
            case "tricks":
                notrump = tokens[1].type == "NOTRUMP"
                return Tricks(Strain.NOTRUMP if notrump else Strain(_suit(tokens[1]) + 1), _seat(tokens[0]))
            case "score":
                contract = Contract.parse(tokens[1][1:].upper().replace("N", "NT"))
                return Score(contract, tokens[0].lower() not in ("none", "nonvul"), values[0])
            case "imps":
                return Imps(values[0])
            case "chance":
                return Chance(int(tokens[0]))
        raise AssertionError(node.data)

    def _named(self, token: Token) -> Value:
        if str(token) not in self.names:
            self._wrong(token, f"{token} is not defined before this line")
        return self.names[str(token)]

    def _points(self, tokens: list[Token]) -> Value:
        name = tokens[0].lower()
        seat = _seat(tokens[1])
        suit = None if len(tokens) < 3 else _suit(tokens[2])
        plain = name.removesuffix("s")
        if plain in _NAMED and (plain != "hcp" or self.points == _STANDARD):
            term = _NAMED[plain]
            if suit is None:
                return Term(term, (seat,))
            if plain != "loser":
                return Term(f"{'high' if plain == 'hcp' else 'controls-suit'}.{suit}", (seat,))
            return Count(ALTERNATIVES["losers"], seat, (suit,))
        table = _table(self.points) if plain == "hcp" else self._alternative(plain if not plain.startswith("top") else name)
        return Count(table, seat, (0, 1, 2, 3) if suit is None else (suit,))

    def _alternative(self, name: str) -> tuple[float, ...]:
        order = ("ten", "jack", "queen", "king", "ace", "top2", "top3", "top4", "top5", "c13")
        place = name if name.startswith("pt") else f"pt{order.index(name)}"
        return self.counts[place] if place in self.counts else ALTERNATIVES[order[int(place[2:])]]

    def _shape(self, seat: Seat, node: Node) -> Value:
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
        return Shape(seat, found, patterns)

    def _counts(self, nodes: list[Node]) -> tuple[float, ...]:
        numbers = [_signed(node) for node in nodes][:13]
        return tuple(float(number) for number in numbers + [0] * (13 - len(numbers)))

    def _wrong(self, token: Token, message: str) -> NoReturn:
        _wrong(self.text, self.name, token.line or 1, token.column or 1, message)


def _table(points: tuple[float, ...]) -> tuple[float, ...]:
    """What each holding is worth by points for its cards, ace first."""
    return tuple(sum(points[rank] for rank in range(13) if holding >> (12 - rank) & 1) for holding in range(8192))


def _seat(token: Token) -> Seat:
    return Seat.parse(token[0])


def _suit(token: Token) -> int:
    return "shdc".index(token[0].lower())


def _signed(node: Node) -> int:
    number = int(_tokens(node)[0])
    return -number if node.data == "minus" else number


def _trees(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree)]


def _tokens(node: Node) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token)]
