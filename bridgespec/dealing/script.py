"""Parse scripts of the program ``dealer``: `read_script` takes a text and returns a `Script` with condition, actions and settings.

The language is that of the manual of Debian's package ``dealer`` 20211121, with the additions of its second version (DealerV2):
decimals, which count in hundredths, ``ltc``, ``dds``, ``par``, shapes in braces (`notation_lengths`), reports, contracts and
buckets. Differences: ``generate`` bounds the number of deals that are made, of which far fewer are rejected here; ``tricks`` and
``dds`` use the solver of this package; ``usereval`` and ``opc``, for which ``dealer`` calls other programs, are functions of the
user.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken

from bridgespec.dealing.algebra import ALWAYS, every
from bridgespec.dealing.expression import DealCondition, Number, OperatorValue, TermValue, TricksValue
from bridgespec.dealing.script_evaluations import points_table
from bridgespec.dealing.script_values import (
    CLOCKWISE,
    PLAIN,
    VULNERABLE,
    Count,
    ScriptText,
    ScriptTree,
    ScriptValues,
    contract_of,
    is_ns,
    seat_of,
    seats_of,
    signed,
    string_of,
    suit_of,
    tokens_of,
    trees_of,
)
from bridgespec.dealing.tally import Average, ContractTally, FrequencyTable
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import RANKS, SUITS, Seat, Strain

GENERATE = 1_000_000
"""The most deals that are made, unless the script has ``generate``."""
# The number of deals of a script without ``produce``, by dealer's manual: 40 if an action prints deals, else 100,000.
PRINTED, COUNTED = 40, 100_000
# ``trix`` prints columns from clubs to notrump; the order of `Strain` is the reverse.
_BY_RANK = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
# Strings and comments match first, without a group, so that a $1 inside them is not replaced.
_VARIABLE = re.compile(r'"[^"\n]*"|//[^\n]*|#[^\n]*|/\*.*?\*/|\$([0-9])', re.DOTALL)


@dataclass(frozen=True)
class HandsCell:
    """A cell of a report that prints the hands of some seats."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class ParCell:
    """A cell of a report that prints the par contracts; with None for the vulnerability of the script."""

    vulnerability: Vulnerability | None


Shown = DealCondition | str | HandsCell | ParCell
"""A cell of a report: a value, a text, hands or par contracts."""


@dataclass(frozen=True)
class Print:
    """An action that prints deals: its name in the script, the seats that it names, and the cells that it prints for each deal."""

    how: str
    seats: tuple[Seat, ...] = ()
    shown: tuple[Shown, ...] = ()


Action = Average | FrequencyTable | ContractTally | Print


@dataclass
class Script:
    """A parsed script: its condition, its actions and its settings. Created by `read_script`.

    ``generate`` is the most deals to make, ``produce`` the number of deals requested (None: see `wanted`).
    """

    condition: DealCondition = ALWAYS
    actions: list[Action] = field(default_factory=list)
    generate: int = GENERATE
    produce: int | None = None
    dealer: Seat | None = None
    """The dealer of every board; None: the dealer by the number of the board."""
    vulnerability: Vulnerability | None = None
    """The vulnerability of every board; None: the vulnerability by the number of the board."""
    known: dict[int, int] = field(default_factory=dict)
    """The cards of ``predeal``: the seat by the index of the card, in the order of `Card`."""
    seed: int | None = None
    title: str = ""
    first: int = 1
    """The number of the first board."""

    @property
    def wanted(self) -> int:
        """The number of deals requested; without ``produce`` 40 if an action prints deals, else 100,000."""
        printed = any(isinstance(action, Print) for action in self.actions)
        return self.produce if self.produce is not None else PRINTED if printed else COUNTED


def read_script(
    text: str,
    name: str = "script",
    variables: Mapping[str, str] | None = None,
    counts: Mapping[str, Count] | None = None,
) -> Script:
    """Parse a script. Raises UsageError with line and column if the text is no script.

    ``name`` is its name in messages. ``variables`` maps ``"0"`` to ``"9"`` to the texts that replace ``$0`` to ``$9``; ``counts``
    maps ``opc`` and ``usereval`` to functions of the user (`HandsCount`).

    >>> script = read_script('produce 10 condition hcp(north) >= 20 and spades(north) > 4 action average "losers" loser(north)')
    >>> script.wanted, script.actions[0].title
    (10, 'losers')
    >>> condition = read_script("condition shape{$1, 5+Mxxx} and cccc(north) > 12.5", variables={"1": "north"}).condition
    >>> condition.parts[1].right.number
    1250
    """
    source = ScriptText(_substituted(ScriptText(text, name), variables or {}), name)
    try:
        tree = _grammar().parse(source.text)
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        lines = source.text.splitlines() or [""]
        # Lark reports an unexpected end at the position of the last token, which may be many lines above.
        line, column = (len(lines), len(lines[-1]) + 1) if ended else (error.line, error.column)
        source.wrong(line, column, "the script ends too soon" if ended else "this is not understood here")
    return _ScriptReader(source, counts or {}).read(tree)


@cache
def _grammar() -> Lark:
    return Lark((files(__package__) / "script.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def _substituted(source: ScriptText, variables: Mapping[str, str]) -> str:
    """Return the text with ``$0`` to ``$9`` replaced, except in strings and comments. Raises UsageError for one without a value."""
    text = source.text

    def substituted(match: re.Match[str]) -> str:
        number = match[1]
        if number is None:
            return match[0]
        if number not in variables:
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            source.wrong(line, column, f"${number} has no value: give it with --variable {number}=TEXT")
        return variables[number]

    return _VARIABLE.sub(substituted, text)


class _ScriptReader:
    """Makes the `Script` of one parsed text. Created for one call of `read`; ``lengths`` are conditions from ``predeal``."""

    def __init__(self, source: ScriptText, counts: Mapping[str, Count]) -> None:
        self.source = source
        self.script = Script()
        self.values = ScriptValues(source, counts)
        self.lengths: list[DealCondition] = []

    def read(self, tree: ScriptTree) -> Script:
        """Return the script of the parse tree."""
        # A count may be defined anywhere and applies to the whole script, so counts are read before the values that use them.
        for statement in trees_of(tree):
            if statement.data == "pointcount":
                self.values.points_of_ranks = self._rank_points(trees_of(statement))
            elif statement.data == "altcount":
                self.values.counts[f"pt{tokens_of(statement)[0]}"] = points_table(self._rank_points(trees_of(statement)))
        for statement in trees_of(tree):
            self._statement(statement)
        # As parts of the condition, predealt lengths bound its boxes, so that such deals are drawn and not searched.
        self.script.condition = every([*self.lengths, self.script.condition]) if self.lengths else self.script.condition
        if not self.script.actions:
            self.script.actions.append(Print("printall"))
        return self.script

    def _statement(self, node: ScriptTree) -> None:
        """Add a statement to the script."""
        script, tokens = self.script, tokens_of(node)
        match node.data:
            case "generate":
                script.generate = int(tokens[0])
            case "produce":
                script.produce = int(tokens[0])
            case "vulnerable":
                script.vulnerability = self.values.vulnerability = VULNERABLE.get(tokens[0].lower(), Vulnerability.NONE)
            case "dealer":
                script.dealer = seat_of(tokens[0])
            case "seed":
                script.seed = int(tokens[-1])
            case "title":
                script.title = string_of(tokens[-1]).strip()
            case "startboard":
                script.first = int(tokens[-1])
            case "condition":
                script.condition = self.values.value(trees_of(node)[0])
            case "define":
                self.values.names[str(tokens[0])] = self.values.value(trees_of(node)[0])
            case "predeals":
                for part in trees_of(node):
                    self._predeal(part)
            case "actions":
                script.actions.extend(map(self._action, trees_of(node)))

    def _predeal(self, node: ScriptTree) -> None:
        """Add the known cards or the length of a part of ``predeal``."""
        tokens = tokens_of(node)
        if node.data == "held":
            seat, suit = seat_of(tokens[1]), suit_of(tokens[0])
            # predeal spades(north)==5 names no cards, so it is a condition on the length and not a known card.
            self.lengths.append(OperatorValue("==", TermValue(f"length.{suit}", (seat,)), Number(int(tokens[2]))))
            return
        seat = seat_of(tokens[0])
        for holding in tokens[1:]:
            suit = SUITS.index(holding[0].upper())
            for rank in holding[1:].upper():
                slot = 13 * suit + RANKS.index(rank)
                if self.script.known.setdefault(slot, int(seat)) != seat:
                    self.source.wrong_at(holding, f"{SUITS[suit]}{rank} is dealt twice")

    def _action(self, node: ScriptTree) -> Action:
        """Return an action of the script."""
        tokens, trees = tokens_of(node), trees_of(node)
        title = next((string_of(token) for token in tokens if token.type == "STRING"), "")
        match node.data:
            case "average":
                return Average(title, self.values.value(trees[0]))
            case "frequency":
                return FrequencyTable(title, *self._bounded(trees))
            case "frequency2":
                return FrequencyTable(title, *self._bounded(trees), other=self._bounded(trees[3:]))
            case "buckets":
                return FrequencyTable(title, *self._bounded(trees, 4))
            case "buckets2":
                return FrequencyTable(title, *self._bounded(trees, 4), self._bounded(trees[4:], 4))
            case "evalcontract":
                declarer = seats_of(tokens[0])[1 if is_ns(tokens[0]) else 0]
                return ContractTally(contract_of(tokens[1]), declarer, tokens[2].lower() not in PLAIN)
        seats = tuple(seat for token in tokens if token.type in ("COMPASS", "SIDE") for seat in seats_of(token))
        if node.data in ("printew", "printns"):
            seats = (Seat.WEST, Seat.EAST) if node.data == "printew" else (Seat.NORTH, Seat.SOUTH)
        return Print(str(node.data), seats, tuple(cell for part in trees for cell in self._shown(part)))

    def _bounded(self, trees: list[ScriptTree], count: int = 3) -> tuple[DealCondition, int, int, int]:
        """Return a value, its bounds and the size of its buckets; ``count`` is 4 if the script has a size, else 3, and the size is
        1.
        """
        # The appended 1 is the size if there is none; otherwise the slice drops it.
        low, high, size = (*map(signed, trees[1:count]), 1)[:3]
        if size < 1:
            raise UsageError(f"{self.source.name}: the size of a bucket is more than 0")
        return self.values.value(trees[0]), low, high, size

    def _shown(self, node: ScriptTree) -> tuple[Shown, ...]:
        """Return the cells that a part of a report prints: ``trix`` has 5 for each seat, any other part one."""
        tokens = tokens_of(node)
        match node.data:
            case "string":
                return (string_of(tokens[0]),)
            case "line":
                return ("\n",)
            case "seat" | "side" | "whole":
                return (HandsCell(seats_of(tokens[0])),)
            case "trix":
                seats = seats_of(tokens[0]) if tokens else CLOCKWISE
                return tuple(TricksValue(strain, seat) for seat in seats for strain in _BY_RANK)
            case "parcontract":
                return (ParCell(VULNERABLE.get(tokens[1].lower()) if len(tokens) > 1 else None),)
        return (self.values.value(trees_of(node)[0] if node.data in ("shown", "cell") else node),)

    def _rank_points(self, nodes: list[ScriptTree]) -> tuple[float, ...]:
        """Return the points of the 13 ranks, ace first; ranks that the script does not list have 0."""
        numbers = [signed(node) for node in nodes][:13]
        return tuple(float(number) for number in numbers + [0] * (13 - len(numbers)))
