"""The expression language: what it means, what it refuses, and that it stays within bounds."""

from __future__ import annotations

from typing import Any

import pytest

from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_expression
from bridgespec.spec.kaitai.expr.parse import ExpressionSyntaxError, parse, parse_tree


class Values:
    """A scope of plain values."""

    it: Any = 7
    index: Any = 2
    root = parent = io = None

    def __init__(self, **values: Any) -> None:
        self.values = values

    def get(self, name: str) -> Any:
        return self.values[name]


def value(source: str, **values: Any) -> Any:
    return compile_expression(parse(source))(Values(**values))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("7 / 2", 3),
        ("-7 / 2", -4),
        ("-7 % 3", 2),
        ("7.0 / 2", 3.5),
        ("0xff_00 >> 8 & 0x0f", 15),
        ("1 | 6 ^ 2", 5),
        ("0b1010 + 0o17", 25),
        ("1_000 + 2.5e1", 1025.0),
        ("~0", -1),
        ("1 << 3 == 8 and not 2 > 3", True),
        ("false or 3 >= 3", True),
        ("1 == 2 ? 'a' : 2 == 2 ? 'b' : 'c'", "b"),
        ("'raw \\n'", "raw \\n"),
        ('"tab\\tx\\x41\\u263a\\101\\0"', "tab\tx\x41\u263a\x41\0"),
        ("'abc'.length + 'ab'.reverse.length", 5),
        ("'abcdef'.substring(1, 3)", "bc"),
        ("'ff'.to_i(16) + '-12'.to_i", 243),
        ("12.to_s + 'x'", "12x"),
        ("true.to_i + 1", 2),
        ("3.7.to_i", 3),
        ("'b' > 'abc'", True),
        ("[1, 2, 300].max + [1, 2, 300].size", 303),
        ("[5, 6][1]", 6),
        ("[0x61, 98].as<bytes>.to_s('ASCII')", "ab"),
        ("f\"a={1 + 1}{'b'}\"", "a=2b"),
        ("f\"{'}' + '{'}!\"", "}{!"),
        ("_ + _index", 9),
        ("x.last - x.first", 4),
        ("(x.as<u1[]>)[0]", 1),
    ],
)
def test_values(source: str, expected: object) -> None:
    """Each expression has the value that Kaitai's documentation gives it."""
    tree = parse(source)
    if "as<bytes>" in source:
        source = source.replace("[0x61, 98].as<bytes>", "data")
        assert tree.source != source
        assert value(source, data=b"ab") == expected
    else:
        assert value(source, x=[1, 5]) == expected


@pytest.mark.parametrize(
    ("source", "offset", "words"),
    [
        ("1 *", 3, "ends too early"),
        ("(1 + 5", 6, "ends too early"),
        ("a && b", 2, "did you mean 'and'"),
        ("a || b", 3, "did you mean 'or'"),
        ('"open', 0, "not closed"),
        ("1 2", 2, "is not allowed here"),
        ("a == b == c", 7, "is not allowed here"),
        ("'a' $ 1", 4, "'$' is not allowed"),
        ('"\\q"', 0, "unknown escape"),
        ("f(", 2, "ends too early"),
        ('f"{1"', 3, ""),
        ("", 0, "ends too early"),
    ],
)
def test_refusals(source: str, offset: int, words: str) -> None:
    """What does not parse is refused, at the character that cannot stand."""
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse(source)
    assert words in str(caught.value)
    assert not words or words == "unknown escape" or caught.value.offset in (offset, offset + 1)


@pytest.mark.parametrize(
    "source", ["1 / 0", "[1][5]", "[1][0 - 1]", "'x'.to_i", "'1 '.to_i", "'abc'.substring(2, 9)", "1 << 99999"]
)
def test_no_value(source: str) -> None:
    """What has no value raises EvaluationError, and nothing of Python's."""
    with pytest.raises(EvaluationError):
        value(source)


def test_logic_looks_no_further_than_it_must() -> None:
    """``and`` and ``or`` do not evaluate what cannot change the result."""
    assert value("false and 1 / 0 == 1") is False
    assert value("true or 1 / 0 == 1") is True


@pytest.mark.parametrize(
    "source", ["(-" * 5000 + "1" + ")" * 5000, "-" * 15_000 + "1", "1+" * 9_000 + "1", "[" * 3000, "a." * 9999 + "b"]
)
def test_depth_is_bounded(source: str) -> None:
    """An expression nested without end is refused, not followed until the stack ends."""
    with pytest.raises(ExpressionSyntaxError):
        parse_tree(source)


def test_a_number_cannot_grow_without_end() -> None:
    """Products are bounded, so that no chain of them fills the memory."""
    tree = "x * x * x * x * x * x * x * x"
    with pytest.raises(EvaluationError, match="too large"):
        value(tree, x=1 << 4000)


@pytest.mark.parametrize("source", ['f"{a}"', "a.to_s"])
def test_a_record_or_a_list_has_no_text(source: str) -> None:
    """What Python or JavaScript prints of one is no value of the format."""
    assert value(source, a=2.0) == "2.0"
    for wrong in (Values(), [Values()], [1, 2]):
        with pytest.raises(EvaluationError, match="a record or a list has no text"):
            value(source, a=wrong)
