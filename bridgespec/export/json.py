"""Export documents as JSON (`dump`), read them back (`load`), and make the JSON Schema of this form (`schema`).

Names are those of the model's own fields; fields with their default value are left out. Enumerations are words (``"north"``), cards
``"SA"``, calls ``"1NT"`` ``"Pass"`` ``"X"``, contracts ``"4SX"``; players are in the order W N E S.

`dump` and `load` convert a document by its shape, `DOCUMENT`. Shapes follow from the annotations of the model (`export._shapes`),
except those of the types in `SPECIAL`, such as deals and trick tables, which are defined below.
"""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from typing import Any

from bridgespec.depth import LEVELS, permit
from bridgespec.diagnostic import Diagnostic, Severity, Span, define
from bridgespec.errors import ReadError
from bridgespec.export._shapes import SPECIAL, Bad, JsonProblems, JsonShape, JsonValue, Object, WordedShape, fail, kind_of
from bridgespec.model.auction import Call
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import Flags, Step, parse_sequence, sequence_text
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.model.hand import Hand
from bridgespec.model.tricks import UNSOLVED, Tricks

NAME = "json"
SUFFIX = ".json"
TITLE = "The whole model as JSON"

VERSION = 1
"""The version of the schema, which is written to each document; `load` refuses others."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"')

JSON_SYNTAX = define(
    "json-syntax",
    Severity.ERROR,
    """the file is not JSON

    The place is where reading stopped. JSON is read as UTF-8.
    """,
)
JSON_SHAPE = define(
    "json-shape",
    Severity.ERROR,
    """a JSON value is not what the model's schema says

    The place is given as a path (`boards[2].deal.north`). Names that are not in the schema are errors too, lest a misspelt one be
    lost in silence.
    """,
)


def tree(document: Document) -> JsonValue:
    """Return the document as JSON values.

    >>> from bridgespec.model.board import Board
    >>> from bridgespec.model.cards import Seat
    >>> tree(Document((Board(number=7, dealer=Seat.SOUTH),)))
    {'version': 1, 'boards': [{'number': 7, 'dealer': 'south'}]}
    """
    return {"version": VERSION, **DOCUMENT.encode(document)}


def dump(document: Document) -> bytes:
    """Return the document as UTF-8 JSON, indented. Raises WriteError where a format's own extras have no JSON form."""
    text = json.dumps(tree(document), indent=2, ensure_ascii=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Lone surrogates of a damaged file cannot be encoded in UTF-8, but written as \u escapes.
        return (json.dumps(tree(document), indent=2) + "\n").encode()


def load(data: bytes) -> Document:
    """Return the document of JSON text. Raises ReadError with a diagnostic for each error.

    >>> load(b'{"version": 1, "boards": [{"number": 7, "dealer": "south"}]}').boards[0].dealer.name
    'SOUTH'
    """
    value = parse(data)
    problems = JsonProblems()
    # True == 1 in Python, but "version": true is not version 1.
    if not isinstance(value, dict) or value.get("version") != VERSION or isinstance(value.get("version"), bool):
        problems.add("version", f'expected an object with "version": {VERSION}, or with "format" and "fields" of a file')
    else:
        try:
            document = DOCUMENT.decode({key: item for key, item in value.items() if key != "version"}, "", problems)
        except Bad:
            pass
        except RecursionError:
            problems.add("", "nested too deeply")
        else:
            assert isinstance(document, Document)
            return document
    found = tuple(Diagnostic(JSON_SHAPE.name, JSON_SHAPE.severity, text, field=path or None) for path, text in problems.found)
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    raise ReadError(f"{first.field}: {first.message}{more}" if first.field else f"{first.message}{more}", found)


def schema() -> JsonValue:
    """Return the JSON Schema (draft 2020-12) of what `dump` writes and `load` reads."""
    definitions: dict[str, JsonValue] = {}
    reference = DOCUMENT.schema(definitions)
    # The document is the root of the schema, and not a definition to which the root refers.
    root = definitions.pop(reference["$ref"].rpartition("/")[2])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bridgespec document",
        **root,
        "properties": {"version": {"const": VERSION}, **root["properties"]},
        "required": ["version"],
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """Return the JSON Schema as the text that is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def parse(data: bytes) -> JsonValue:
    """Return the value of JSON text. Raises ReadError where it is not JSON, or names a key of an object twice.

    >>> parse(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    # A level of a format is an object, in an array where it repeats; all are in two objects.
    if not permit(_depth(data) // 2 - 1):
        raise _syntax(f"the file is nested deeper than {2 * LEVELS:,} levels", None)
    try:
        # RFC 8259 lets readers ignore a byte order mark, which editors of Windows write.
        text = data.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refused, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise _syntax("not UTF-8", Span.of_bytes(error.start, 1)) from None
    except _NotFiniteError as error:
        raise _syntax(f"{error} is not a number of JSON", _place_of(data, str(error))) from None
    except json.JSONDecodeError as error:
        # The parser counts characters, spans count bytes.
        offset = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        raise _syntax(error.msg, Span.of_bytes(offset, 1, error.lineno, error.colno)) from None
    # Python raises ValueError for a number of more than 4,300 digits.
    except (RecursionError, ValueError) as error:
        raise _syntax(str(error), None) from None


class _NotFiniteError(Exception):
    """Raised for a number that is not in JSON (``NaN``, ``Infinity``), or that is too large for a float, such as 1e999."""


def _refused(word: str) -> float:
    """Raise _NotFiniteError: `json.loads` calls this for ``NaN``, ``Infinity`` and ``-Infinity``."""
    raise _NotFiniteError(word)


def _finite(text: str) -> float:
    """Return the value of a number with a fraction or an exponent. Raises _NotFiniteError for one that is too large."""
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _place_of(data: bytes, word: str) -> Span:
    """Return the span of the first occurrence of ``word`` outside of strings: Python's parser reports no position for a number that
    is refused.
    """
    found = next(match for match in re.finditer(_STRING.pattern + b"|" + re.escape(word.encode()), data) if match[0][:1] != b'"')
    line = data.rfind(b"\n", 0, found.start()) + 1
    column = len(data[line : found.start()].decode("utf-8-sig")) + 1
    return Span.of_bytes(found.start(), len(word), data.count(b"\n", 0, line) + 1, column)


def _depth(data: bytes) -> int:
    """Return the depth of arrays and objects in JSON text; a result of at most `LEVELS` may include brackets within strings.

    Checked before parsing: once `permit` has raised the recursion limit, Python's parser is bounded by the stack only.

    >>> _depth(b'[{"a": []}, 1]')
    3
    """
    # Strings take long to find, and the brackets in them seldom matter: they are only removed where the depth is too great.
    for marks in (data, _STRING.sub(b"", data)):
        steps = (1 if mark in b"[{" else -1 for mark in marks.translate(None, _NO_BRACKETS))
        depth = max(accumulate(steps), default=0)
        if depth <= LEVELS:
            break
    return depth


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """Return an object by its pairs. Raises ReadError for a key that occurs twice."""
    found = dict(pairs)
    # Python's parser keeps the last of two equal keys in silence; JSON leaves the meaning open (RFC 8259, section 4).
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _syntax(f'the key "{next(name for name in names if names.count(name) > 1)}" stands twice in one object', None)
    return found


def _syntax(message: str, span: Span | None) -> ReadError:
    """Return the error for a text that is not JSON."""
    return ReadError(message, (Diagnostic(JSON_SYNTAX.name, JSON_SYNTAX.severity, message, span=span),))


# --- the types with a JSON form of their own -----------------------------------------------------------------------------


class DealShape(JsonShape):
    """A deal as an object: dotted holdings S.H.D.C by seat, and as ``out`` the cards out of play; all other cards are unknown."""

    KEYS = (*(seat.name.lower() for seat in Seat), "out")

    def encode(self, value: Deal) -> JsonValue:
        done = {}
        for holder, key in enumerate(self.KEYS):
            if holder in value.holders:
                # `Deal.hand` needs a seat, which cards out of play do not have: a deal is made in which they are West's.
                own = bytes(0 if item == holder else UNKNOWN for item in value.holders)
                done[key] = str(Deal(own).hand(Seat(0)))
        return done

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        if not isinstance(value, dict):
            raise fail(path, problems, f"expected an object, found {kind_of(value)}")
        holders = bytearray([UNKNOWN]) * 52
        bad = False
        for key, text in value.items():
            place = f"{path}.{key}"
            try:
                if key not in self.KEYS or not isinstance(text, str):
                    raise ValueError("expected holdings by west, north, east, south or out")
                for card in Hand.parse(text):
                    if holders[card] != UNKNOWN:
                        raise ValueError(f"{card} is dealt twice")
                    holders[card] = self.KEYS.index(key)
            except ValueError as error:
                problems.add(place, str(error))
                bad = True
        if bad:
            raise Bad
        return Deal(bytes(holders))

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        hand = {"type": "string", "pattern": r"^[AKQJT2-9]*(\.[AKQJT2-9]*){3}$"}
        about = "Dotted holdings S.H.D.C by seat; out: cards out of play; cards that stand nowhere are unknown."
        definitions["Deal"] = {
            "type": "object",
            "description": about,
            "properties": dict.fromkeys(self.KEYS, hand),
            "additionalProperties": False,
        }
        return {"$ref": "#/$defs/Deal"}


class TricksShape(JsonShape):
    """A double-dummy table as an object: the tricks by the declarer's letter, then by the strain's label; without unknown cells."""

    def encode(self, value: Tricks) -> JsonValue:
        rows = {
            seat.letter: {strain.label: cell for strain in Strain if (cell := value.get(strain, seat)) is not None} for seat in Seat
        }
        return {letter: row for letter, row in rows.items() if row}

    def decode(self, value: JsonValue, path: str, problems: JsonProblems) -> Any:
        cells = bytearray([UNSOLVED]) * 20
        bad = not isinstance(value, dict)
        for letter, row in value.items() if isinstance(value, dict) else ():
            # A row that is no object is tested as one wrong cell, and so reported.
            for label, cell in row.items() if isinstance(row, dict) else [("", None)]:
                strain = next((strain for strain in Strain if strain.label == label), None)
                # The length too, since "" and "NE" are substrings. 14 is no result, but occurs in files: a rule reports it.
                if letter not in "WNES" or len(letter) != 1 or strain is None or type(cell) is not int or not 0 <= cell <= 14:
                    problems.add(f"{path}.{letter}", "expected tricks 0 to 13 by W N E S, then NT S H D C")
                    bad = True
                else:
                    cells[4 * strain + Seat.parse(letter)] = cell
        if bad:
            raise fail(path, problems, f"expected an object, found {kind_of(value)}") if not isinstance(value, dict) else Bad()
        return Tricks(bytes(cells))

    def schema(self, definitions: dict[str, JsonValue]) -> JsonValue:
        cell = {"type": "integer", "minimum": 0, "maximum": 14}
        row = {"type": "object", "properties": {strain.label: cell for strain in Strain}, "additionalProperties": False}
        return {
            "type": "object",
            "description": "Double-dummy tricks by declarer, then strain.",
            "properties": {seat.letter: row for seat in Seat},
            "additionalProperties": False,
        }


def _step(text: str) -> Step:
    """Return the one call of a bidding system in a text, with its qualifier. Raises ValueError for none or several."""
    steps = parse_sequence(text)
    if len(steps) != 1:
        raise ValueError(f"expected one call, not {text!r}")
    return steps[0]


_CALL = {"pattern": "^([1-7](NT|[SHDC])|Pass|X|XX)$"}
# Before `Object(Document)` below, which takes the shapes of all fields from here or derives them.
SPECIAL.update(
    {
        Card: WordedShape(str, Card.parse, {"pattern": "^[SHDC][AKQJT2-9]$"}),
        Call: WordedShape(str, Call.parse, _CALL),
        Contract: WordedShape(str, Contract.parse, {"pattern": "^([1-7](NT|[SHDC])(X|XX)?|Pass)$"}),
        Flags: WordedShape(str, Flags.parse, {"pattern": "^[YN]{7}$"}),
        Step: WordedShape(lambda step: sequence_text([step]), _step, {"pattern": r"^([PDR]|[1-7][CDHSN])(\{[^{}]*\})?$"}),
        Deal: DealShape(),
        Tricks: TricksShape(),
    }
)

DOCUMENT = Object(Document)
"""The shape of a whole document."""
