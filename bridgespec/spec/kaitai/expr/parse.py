"""The parser of Kaitai's expression language, by a grammar of this package; Python's ``eval`` is never used.

`parse` returns a tree with its source; `expr.evaluator` compiles a tree to a function, `expr.check` checks it against a schema.
An expression is untrusted input: its length and depth are bounded, and no part of the grammar backtracks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from bridgespec.errors import BridgespecError
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    CallExpression,
    Cast,
    Compare,
    Expression,
    FormatExpression,
    Index,
    LiteralExpression,
    Logic,
    Member,
    Name,
    SizeOf,
    Ternary,
    Tree,
    Unary,
)
from bridgespec.spec.place import SchemaPlace

MAX_LENGTH = 20_000
MAX_DEPTH = 120


class ExpressionSyntaxError(BridgespecError):
    """Raised for a text that is no expression. ``offset`` is the position in characters; ``help`` is a likely cause, or None."""

    def __init__(self, message: str, offset: int = 0, help: str | None = None) -> None:
        super().__init__(message)
        self.offset, self.help = offset, help


_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27}


def unescape(text: str) -> str:
    r"""Return the characters of a double-quoted literal, given the source between its quotes.

    >>> unescape(r'a\n\x41\u263a\101\"')
    'a\nA☺A"'
    """
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\" or at >= len(text):
            out.append(char)
            continue
        char = text[at]
        at += 1
        if char in "xu":
            width = 2 if char == "x" else 4
            digits = text[at : at + width]
            if len(digits) < width or any(c not in "0123456789abcdefABCDEF" for c in digits):
                raise ExpressionSyntaxError(f"\\{char} needs {width} hexadecimal digits", at)
            out.append(chr(int(digits, 16)))
            at += width
        elif char in "01234567":
            end = at
            while end < len(text) and end < at + 2 and text[end] in "01234567":
                end += 1
            out.append(chr(int(text[at - 1 : end], 8)))
            at = end
        elif char in _ESCAPES:
            out.append(chr(_ESCAPES[char]))
        elif char in "\"'\\":
            out.append(char)
        else:
            raise ExpressionSyntaxError(f"unknown escape \\{char}", at - 1)
    return "".join(out)


class _Build(Transformer[Token, Tree]):
    """Converts the parser's output to trees."""

    def __init__(self, formats: list[FormatExpression]) -> None:
        super().__init__()
        self.formats = formats

    def ternary(self, c: list[Any]) -> Tree:
        return Ternary(c[0], c[1], c[2])

    def any_of(self, c: list[Any]) -> Tree:
        return Logic("or", tuple(c))

    def all_of(self, c: list[Any]) -> Tree:
        return Logic("and", tuple(c))

    def negation(self, c: list[Any]) -> Tree:
        return Unary("not", c[0])

    def compare(self, c: list[Any]) -> Tree:
        return Compare(str(c[1]), c[0], c[2])

    def binary(self, c: list[Any]) -> Tree:
        return BinaryExpression(str(c[1]), c[0], c[2])

    def unary(self, c: list[Any]) -> Tree:
        op, of = str(c[0]), c[1]
        # A negative number is a literal, so that constants such as sizes can be checked in the schema.
        if isinstance(of, LiteralExpression) and isinstance(of.value, int | float) and op in "+-":
            return LiteralExpression(-of.value if op == "-" else of.value)
        return Unary(op, of)

    def attribute(self, c: list[Any]) -> Tree:
        return Attribute(c[0], str(c[1]))

    def cast(self, c: list[Any]) -> Tree:
        return Cast(c[0], c[2])

    def call(self, c: list[Any]) -> Tree:
        return CallExpression(c[0], c[1] or ())

    def index(self, c: list[Any]) -> Tree:
        return Index(c[0], c[1])

    def array(self, c: list[Any]) -> Tree:
        return Array(c[0] or ())

    def arguments(self, c: list[Any]) -> tuple[Tree, ...]:
        return tuple(c)

    def type(self, c: list[Any]) -> str:
        return "".join(str(token) for token in c)

    def float_literal(self, c: list[Any]) -> Tree:
        return LiteralExpression(float(str(c[0]).replace("_", "")))

    def int_literal(self, c: list[Any]) -> Tree:
        return LiteralExpression(parse_int(str(c[0])))

    def string(self, c: list[Any]) -> Tree:
        # Kaitai: single quotes know no escapes, and adjacent literals are one text.
        parts = (str(t)[1:-1] if str(t)[0] == "'" else unescape(str(t)[1:-1]) for t in c)
        return LiteralExpression("".join(parts))

    def fstring(self, c: list[Any]) -> Tree:
        return self.formats[int(str(c[0])[1:-1])]

    def true(self, _: list[Any]) -> Tree:
        return LiteralExpression(True)

    def false(self, _: list[Any]) -> Tree:
        return LiteralExpression(False)

    def name(self, c: list[Any]) -> Tree:
        return Name(str(c[0]))

    def member(self, c: list[Any]) -> Tree:
        return Member(tuple(str(t) for t in c if str(t) != "::"))

    def bits_of(self, c: list[Any]) -> Tree:
        return SizeOf(c[1], True)

    def bytes_of(self, c: list[Any]) -> Tree:
        return SizeOf(c[1], False)


_PARSER = Lark(
    Path(__file__).with_name("expr.lark").read_text("utf-8"),
    # LALR takes time proportional to the text, whatever the text is.
    parser="lalr",
    maybe_placeholders=True,
)


def parse_int(text: str) -> int:
    """Return the value of an integer literal: decimal, ``0x``, ``0b`` or ``0o``, with ``_`` anywhere after the first digit.

    >>> parse_int("0xdead_beef") == 0xDEADBEEF, parse_int("007")
    (True, 7)
    """
    digits = text.replace("_", "")
    bases = {"0x": 16, "0b": 2, "0o": 8}
    base = bases.get(digits[:2].lower(), 10)
    # Python refuses to convert thousands of digits, with an error that names a setting of the interpreter.
    if len(digits) > 1000:
        raise ExpressionSyntaxError("an integer of more than a thousand digits")
    try:
        return int(digits[2:] if base != 10 else digits, base)
    except ValueError:
        raise ExpressionSyntaxError(f"{text} is not an integer") from None


def _lift_formats(source: str) -> tuple[str, list[FormatExpression]]:
    """Replace each f-string by a numbered placeholder, since its braces may contain quotes. Return the text and the f-strings."""
    formats: list[FormatExpression] = []
    out: list[str] = []
    at = 0
    while at < len(source):
        char = source[at]
        if char in "\x01\x02":
            raise ExpressionSyntaxError("a control character", at)
        # `f` may also be the last letter of a name in front of a text.
        before = source[at - 1] if at else " "
        if source.startswith('f"', at) and not (before.isalnum() or before == "_"):
            end, format_ = _scan_format(source, at + 2)
            out.append(f"\x01{len(formats)}\x02")
            formats.append(format_)
            at = end
        elif char in "\"'":
            end = _text_end(source, at)
            out.append(source[at:end])
            at = end
        else:
            out.append(char)
            at += 1
    return "".join(out), formats


def _scan_format(source: str, at: int) -> tuple[int, FormatExpression]:
    """Return the f-string whose text begins at ``at``, after ``f"``, and the offset after its closing quotation mark."""
    parts: list[str | Tree] = []
    text = at
    while at < len(source):
        char = source[at]
        if char == "\\":
            at += 2
        elif char in '"{':
            if at > text:
                parts.append(unescape(source[text:at]))
            if char == '"':
                return at + 1, FormatExpression(tuple(parts))
            end = _closing_brace(source, at + 1)
            if end is None:
                break
            parts.append(parse_tree(source[at + 1 : end - 1]))
            at = text = end
        else:
            at += 1
    raise ExpressionSyntaxError("this string is not closed", at)


def _closing_brace(source: str, at: int) -> int | None:
    """Return the offset after the brace that closes the expression beginning at ``at``; None where none does."""
    level = 1
    while at < len(source):
        char = source[at]
        level += {"{": 1, "}": -1}.get(char, 0)
        # Skip string literals: a brace in one does not close the expression.
        at = _text_end(source, at) if char in "\"'" else at + 1
        if not level:
            return at
    return None


def _text_end(source: str, at: int) -> int:
    """Return the offset after the string literal that begins at ``at``; an offset beyond the end for one that is not closed."""
    quote, end = source[at], at + 1
    # Kaitai has escapes in double quotes only.
    while end < len(source) and source[end] != quote:
        end += 2 if quote == '"' and source[end] == "\\" else 1
    return end + 1


def parse_tree(source: str) -> Tree:
    """Return the tree of an expression. Raises ExpressionSyntaxError with the unexpected text.

    >>> parse_tree("2 * len")
    BinaryExpression(op='*', left=LiteralExpression(value=2), right=Name(id='len'))
    >>> parse_tree("a && b")
    Traceback (most recent call last):
    bridgespec.spec.kaitai.expr.parse.ExpressionSyntaxError: '&' is not allowed here; did you mean 'and'?
    """
    if len(source) > MAX_LENGTH:
        raise ExpressionSyntaxError(f"an expression of more than {MAX_LENGTH} characters")
    # F-strings nest by recursion, in this parser and in the evaluator.
    if source.count('f"') > 50:
        raise ExpressionSyntaxError("more than 50 f-strings in one expression")
    text, formats = _lift_formats(source)
    try:
        tree = _PARSER.parse(text)
        if _too_deep(tree):
            raise ExpressionSyntaxError(f"nested deeper than {MAX_DEPTH} levels")
        return _Build(formats).transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, ExpressionSyntaxError):
            raise error.orig_exc from None
        raise ExpressionSyntaxError(str(error.orig_exc)) from None
    except UnexpectedInput as error:
        raise _explain(source, error) from None


def _too_deep(tree: Any) -> bool:
    # With an explicit stack: a recursive function would fail on the trees that it is to refuse.
    stack = [(tree, 1)]
    while stack:
        node, level = stack.pop()
        if level > 2 * MAX_DEPTH:
            return True
        stack.extend((child, level + 1) for child in getattr(node, "children", ()))
    return False


def _explain(source: str, error: UnexpectedInput) -> ExpressionSyntaxError:
    """Return the error to raise for an error of Lark's."""
    position: int = getattr(error, "pos_in_stream", None) or 0
    # Lark gives -1 for the end of the text.
    offset = len(source) if position < 0 else position
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        # In YAML a comma ends a value in braces, so that an expression is cut after the first argument of a function.
        cut = (
            "in { } and [ ] a comma ends a value: put the expression in quotation marks"
            if source.count("(") > source.count(")")
            else None
        )
        return ExpressionSyntaxError("the expression ends too early", len(source), cut)
    found = error.token.value if isinstance(error, UnexpectedToken) else None
    if isinstance(error, UnexpectedCharacters):
        found = source[offset : offset + 1]
        if found in ("'", '"'):
            return ExpressionSyntaxError("this string is not closed", offset)
    hint = {"&": "; did you mean 'and'?", "|": "; did you mean 'or'?", "!": "; did you mean 'not'?"}
    more = hint.get(str(found), "")
    return ExpressionSyntaxError(f"{str(found)!r} is not allowed here{more}", offset)


def parse(source: str, place: SchemaPlace | None = None) -> Expression:
    """Return the expression in ``source`` with its tree; ``place`` is its position in the schema."""
    return Expression(source, parse_tree(source), place)
