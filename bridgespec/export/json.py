"""The model as JSON, written and read, and the JSON Schema that it follows.

Names are those of the model's own fields; fields with their default value are left out. Enumerations are words (``"north"``), cards
``"SA"``, calls ``"1NT"`` ``"Pass"`` ``"X"``, contracts ``"4SX"``; players are in the order W N E S.
"""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate

from bridgespec.depth import LEVELS, permit
from bridgespec.diagnostic import Diagnostic, Severity, Span, define
from bridgespec.errors import ReadError
from bridgespec.export._shapes import Bad, Json, JsonProblems
from bridgespec.export._special import DOCUMENT
from bridgespec.model.document import Document

NAME = "json"
SUFFIX = ".json"
TITLE = "The whole model as JSON"

VERSION = 1
"""The number of the schema that is written; readers refuse others."""
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


def tree(document: Document) -> Json:
    """The document as JSON values.

    >>> from bridgespec.model.board import Board
    >>> from bridgespec.model.cards import Seat
    >>> tree(Document((Board(number=7, dealer=Seat.SOUTH),)))
    {'version': 1, 'boards': [{'number': 7, 'dealer': 'south'}]}
    """
    return {"version": VERSION, **DOCUMENT.encode(document)}


def dump(document: Document) -> bytes:
    """The document as UTF-8 JSON, indented. WriteError where a format's own extras have no JSON form."""
    text = json.dumps(tree(document), indent=2, ensure_ascii=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Lone surrogates of a damaged file have no UTF-8; \u escapes keep them, so that nothing is lost.
        return (json.dumps(tree(document), indent=2) + "\n").encode()


def load(data: bytes) -> Document:
    """The document of JSON text; ReadError with a diagnostic for each error.

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


def schema() -> Json:
    """The JSON Schema (draft 2020-12) of what `dump` writes and `load` reads."""
    definitions: dict[str, Json] = {}
    reference = DOCUMENT.schema(definitions)
    # The document itself is the root of the schema and not a definition that the root refers to.
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
    """The JSON Schema as the text that is published."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def parse(data: bytes) -> Json:
    """Return the value of JSON text; ReadError where it is not JSON, or names a key of an object twice.

    >>> parse(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    if not permit(_depth(data) // 2 - 1):  # a level of a format is an object, in an array where it repeats; all are in two objects
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
    # ValueError: Python refuses numbers of more than 4,300 digits.
    except (RecursionError, ValueError) as error:
        raise _syntax(str(error), None) from None


class _NotFiniteError(Exception):
    """A number that JSON has not, ``NaN`` or ``Infinity``, or one that no float can have, such as 1e999."""


def _refused(word: str) -> float:
    raise _NotFiniteError(word)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _place_of(data: bytes, word: str) -> Span:
    """Return the first place of a word outside of strings: Python's parser does not tell where it stopped at one."""
    found = next(match for match in re.finditer(_STRING.pattern + b"|" + re.escape(word.encode()), data) if match[0][:1] != b'"')
    line = data.rfind(b"\n", 0, found.start()) + 1
    column = len(data[line : found.start()].decode("utf-8-sig")) + 1
    return Span.of_bytes(found.start(), len(word), data.count(b"\n", 0, line) + 1, column)


def _depth(data: bytes) -> int:
    """Return how deep the arrays and objects of JSON text nest; where that is below `LEVELS`, brackets within strings may count.

    Python's parser has no bound but the stack, once `permit` has raised the limit of frames.

    >>> _depth(b'[{"a": []}, 1]')
    3
    """
    for marks in (data, _STRING.sub(b"", data)):  # brackets within strings seldom matter, and strings take long to find
        steps = (1 if mark in b"[{" else -1 for mark in marks.translate(None, _NO_BRACKETS))
        depth = max(accumulate(steps), default=0)
        if depth <= LEVELS:
            break
    return depth


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    # Python's parser keeps the last of two equal keys in silence; JSON leaves the meaning open (RFC 8259, section 4).
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _syntax(f'the key "{next(name for name in names if names.count(name) > 1)}" stands twice in one object', None)
    return found


def _syntax(message: str, span: Span | None) -> ReadError:
    return ReadError(message, (Diagnostic(JSON_SYNTAX.name, JSON_SYNTAX.severity, message, span=span),))
