"""Parse conditions on deals, such as ``north: hcp 15-17 and balanced; south: hearts 5+``.

`read_condition` takes the text and returns a condition of `bridgespec.dealing.expression`. Terms are those of
`bridgespec.model.evaluate`; the grammar is condition.lark.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NoReturn

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from bridgespec.dealing.algebra import every, negated, some
from bridgespec.dealing.bounds import orders, shapes
from bridgespec.dealing.expression import DealCondition, Holds, Number, OperatorValue, ShapeValue, TermValue
from bridgespec.diagnostic import hint
from bridgespec.errors import UsageError
from bridgespec.model.cards import RANKS, SUITS, Seat
from bridgespec.model.evaluate import HAND_TERMS, SUIT_TERMS, TRUMP_TERMS

SeatGroup = tuple[Seat, ...]
SIDES: Mapping[str, SeatGroup] = {"n": (Seat.NORTH, Seat.SOUTH), "e": (Seat.EAST, Seat.WEST)}
FACTS = ("balanced", "semibalanced")
"""The terms that are true or false, and need no number."""
_SEATS = ("north", "east", "south", "west", "ns", "ew", "north-south", "east-west")
_WANTED = {
    "SEAT": "a clause begins with its seats: 'north: hcp 15-17', 'ns: hearts 8+', 'north+east: balanced'",
    "COLON": "a colon follows the seats, as in 'north: hcp 15-17'; several seats have '+' between them",
    "NAME": "a term belongs here: 'hcp 15-17', 'balanced', 'hearts 5+', 'SAK', '5431'",
    "NUMBER": "a number belongs here: '15-17', '12+', 'over 20', '< 6'",
    "AND": "'and', 'or', ',' or ';' belongs between two terms",
    "RPAR": "the bracket is not closed",
}
"""The message of a syntax error, by expected terminal; the first key that the parser expects is reported."""
# In text pasted from documents, 15-17 may have a dash or a minus sign. One character replaces one, so columns of errors stay right.
_DASHES = str.maketrans("\N{EN DASH}\N{MINUS SIGN}", "--")
_NAMES = tuple(dict.fromkeys((*HAND_TERMS, *SUIT_TERMS, *TRUMP_TERMS)))


def read_condition(text: str) -> DealCondition:
    """Return the condition that a text states. Raises UsageError with the position of the error if it cannot be parsed.

    >>> read_condition("ns: hcp 25+; north: any 4333 or SAK").parts[0].operator
    '>='
    """
    try:
        tree = _grammar().parse(text.translate(_DASHES))
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        _fail(text, None if ended else error.pos_in_stream, _expected(error))
    return every([_clause(text, clause) for clause in _trees(tree)])


@cache
def _grammar() -> Lark:
    return Lark((files(__package__) / "condition.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def _expected(error: UnexpectedInput) -> str:
    """Return the message for a syntax error: what is expected there."""
    if isinstance(error, UnexpectedToken):
        # `expected` includes terminals of merged LALR states that would be rejected; `accepts` does not.
        terminals, found = error.accepts or error.expected, str(error.token)
    else:
        terminals, found = error.allowed if isinstance(error, UnexpectedCharacters) else set(), ""
    message = next((words for terminal, words in _WANTED.items() if terminal in terminals), "this is not understood here")
    return message + (hint(found, _SEATS) if "SEAT" in terminals else "")


def _fail(text: str, position: int | None, message: str) -> NoReturn:
    """Raise the error with the text and a mark under the character at ``position``; None is the end."""
    at = len(text) if position is None or position < 0 else min(position, len(text))
    raise UsageError(f"{message}\n  {text}\n  {' ' * at}^")


def _clause(text: str, clause: Tree[Token]) -> DealCondition:
    who, condition = _trees(clause)
    letters = [str(token)[0].lower() for token in _tokens(who)]
    seats = SIDES[letters[0]] if who.data == "side" else tuple(Seat.parse(letter) for letter in letters)
    return _value(text, condition, seats)


def _value(text: str, node: Tree[Token], seats: SeatGroup) -> DealCondition:
    """Return a condition on the hands of some seats. Terms with a number are summed over the seats; facts, shapes must be true of
    each, and each card must be in one of the hands.
    """
    kind, parts, tokens = node.data, _trees(node), _tokens(node)
    if kind in ("both", "either"):
        made = [_value(text, part, seats) for part in parts]
        return every(made) if kind == "both" else some(made)
    if kind == "negated":
        return negated(_value(text, parts[0], seats))
    if kind in ("shape", "any_shape"):
        return _shape(text, tokens[0], kind == "any_shape", seats)
    if kind == "cards":
        return _cards(tokens[0], seats)
    return _term_value(text, node, seats)


def _shape(text: str, shape: Token, any_order: bool, seats: SeatGroup) -> DealCondition:
    """Return the condition that each hand has one of the shapes of a pattern such as ``54xx``."""
    lengths = shapes(str(shape), any_order)
    if not lengths:
        _fail(text, shape.start_pos, f"{shape} does not make thirteen cards")
    return every([ShapeValue(seat, lengths, orders(str(shape), any_order)) for seat in seats])


def _cards(holding: Token, seats: SeatGroup) -> DealCondition:
    """Return the condition that each card of a holding such as ``SAK`` is in one of the hands."""
    suit = SUITS.index(holding[0])
    slots = [13 * suit + RANKS.index(rank) for rank in holding[1:]]
    # "ns: SAK": North and South have both cards together, not necessarily in one hand.
    return every([some([Holds(seat, slot) for seat in seats]) for slot in slots])


def _term_value(text: str, node: Tree[Token], seats: SeatGroup) -> DealCondition:
    """Return the condition of a term: a fact must be true of each hand, a range or comparison of the sum over the hands."""
    kind, parts, tokens = node.data, _trees(node), _tokens(node)
    suit_of = next((part for part in parts if part.data == "suit"), None)
    span = next((part for part in parts if part.data != "suit"), None)
    name = next((token for token in tokens if token.type == "NAME"), None)
    suit_index = None if suit_of is None else "shdc".index(_tokens(suit_of)[0][0].lower())
    term = f"length.{suit_index}" if name is None else _term(text, name, suit_index)
    if kind == "fact":
        if name is None or (name not in FACTS and suit_index is None):
            _fail(text, node.meta.start_pos, f"how much {name}? Say '{name} 3+' or '{name} 2-4'")
        return every([OperatorValue(">=", TermValue(term, (seat,)), Number(1)) for seat in seats])
    if span is None:
        comparison, number = tokens[-2], float(tokens[-1])
        return OperatorValue("==" if comparison == "=" else str(comparison), TermValue(term, seats), Number(number))
    return _within(TermValue(term, seats), span)


def _within(term: TermValue, span: Tree[Token]) -> DealCondition:
    """Return the condition that a term is in a range, such as ``15-17``, ``12+`` or ``over 20``."""
    numbers = [float(token) for token in _tokens(span)]
    if span.data == "exact":
        return OperatorValue("==", term, Number(numbers[0]))
    if span.data in ("under", "over"):
        return OperatorValue("<" if span.data == "under" else ">", term, Number(numbers[0]))
    # Two comparisons, because `bounds.boxes` knows no operator for "between".
    least = OperatorValue(">=", term, Number(numbers[0]))
    return least if span.data == "least" else every([least, OperatorValue("<=", term, Number(numbers[1]))])


def _term(text: str, name: Token, suit: int | None) -> str:
    """Return the name in `bridgespec.model.evaluate` of a term, of one suit or of the hand (None). Raises UsageError if there is
    none.
    """
    if suit is None and name in HAND_TERMS:
        return str(name)
    if suit is not None and (name in SUIT_TERMS or name in TRUMP_TERMS):
        return f"{name}-suit.{suit}" if name in HAND_TERMS else f"{name}.{suit}"
    if suit is not None and name == "hcp":
        return f"high.{suit}"
    if name in _NAMES:
        _fail(
            text,
            name.start_pos,
            f"{name} is of a whole hand" if suit is not None else f"{name} of which suit? Say '{name} spades 2+'",
        )
    _fail(text, name.start_pos, f"there is no {name}{hint(name, _NAMES, 'there are ' + ', '.join(_NAMES))}")


def _trees(node: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in node.children if isinstance(child, Tree)]


def _tokens(node: Tree[Token]) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token)]
