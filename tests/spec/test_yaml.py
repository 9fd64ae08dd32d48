"""Schemas' YAML is read by a parser in C where it is installed; the one in Python must say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.spec.kaitai.schema import loads
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import MAX_DEPTH, Items, Map, Offsets, Scalar, load_yaml
from tests.steps import steps

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.ksy"))
TEXTS = [
    "a: é\nb: [\U0001f0a1, 0x10, yes, ~]\n",
    "a: |\n  x\n  y\nb: 'q'\n",
    "- 1\n- {b: [c, d]}\n",
    "",
    "a: 1\n---\nb: 2\n",
    "a: [1,\nb: }",
]


@pytest.mark.parametrize("text", [*(path.read_text() for path in SPECS), *TEXTS])
def test_both_parsers_agree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values, kinds and places, or the same findings."""
    fast, slow = Problems(), Problems()
    found = load_yaml(text, "f", fast)
    monkeypatch.setattr("bridgespec.spec.yaml._parser", lambda pure: YAML(typ="safe", pure=True))
    assert load_yaml(text, "f", slow) == found
    assert fast.found == slow.found


def test_the_parser_in_c_is_there() -> None:
    """It is a dependency of CPython's: without it every command would start more slowly."""
    assert YAML(typ="safe").Parser is not YAML(typ="safe", pure=True).Parser


DEEP = ["[" * 100_000, "- " * 50_000, "{a: " * 20_000, "[\n" * 20_000, "? " * 20_000, "a: " + "[" * 99 + "{b: [" + "]" * 99]


@pytest.mark.parametrize("text", DEEP)
def test_nesting_is_bounded(text: str) -> None:
    """What stands in more than a hundred lists and mappings is a finding with its place, and no parser reads on from there."""
    problems = Problems()
    assert not isinstance(load_yaml(text, "f", problems), Scalar | Items | Map)
    (found,) = problems.found
    assert "nested too deeply" in found.message
    assert found.span is not None
    assert found.span.byte_start <= 4 * MAX_DEPTH
    assert text[found.span.byte_start] in "[{-?a"


def test_what_nests_less_is_read() -> None:
    """As deep as the bound allows, in brackets and in blocks."""
    inner = "[" * 98 + "x" + "]" * 98
    for text in (f"a: [{inner}]", "\n".join(f"{' ' * at}k:" for at in range(MAX_DEPTH)) + " x\n"):
        problems = Problems()
        assert load_yaml(text, "f", problems)
        assert not problems.found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('a: "b\nc: "d"\ne: f\n', (1, 4)),
        ("a: 'b\nc: it's\ne: f\n", (1, 4)),
        ('a: "b\nc: it is "so"\ne: "f"\n', (1, 4)),
        ('x:\n  - {a: "b, c: d}\n  - {a: "e"}\n', (2, 9)),
        ('x: [{a: "b}, c] # d\ny: 1\nz: {a: "e"}\n', (1, 9)),
        ('a: "b\nc: ""\nd: e\n', (1, 4)),
        ('a: "b\nc: d\n', (1, 4)),
        ('a: "b\n  b"\nc: "d\ne: "f: g"\n', (3, 4)),
        ('a: |\n  "b\nc: "d\ne: "f"\n', (3, 4)),
    ],
)
def test_an_unclosed_string_is_found_where_it_begins(text: str, place: tuple[int, int]) -> None:
    """The finding is at the string's opening mark, not at the later string that closes it."""
    problems = Problems()
    assert load_yaml(text, "f", problems) is None
    (found,) = problems.found
    assert found.span is not None
    assert (found.span.line, found.span.column) == place, found
    assert (found.code, found.message.startswith("this string ")) == ("schema-syntax", True)


@pytest.mark.parametrize("text", ['a: "b\n  b"\nc: [d\n', 'a: "b\n  b" c\nd: "e"\n', 'a: "b\n  b"\n c: "d"\n'])
def test_a_string_of_two_lines_is_no_error(text: str) -> None:
    """An error after a complete string is reported at its own place."""
    problems = Problems()
    assert load_yaml(text, "f", problems) is None
    (found,) = problems.found
    assert not found.message.startswith("this string ")
    assert found.span is not None
    assert (found.span.line or 0) > 1


class Counted(str):
    """A text that counts the characters of all its slices."""

    __slots__ = ()
    sliced = 0

    def __getitem__(self, at: object) -> str:
        found = super().__getitem__(at)  # type: ignore[index]
        Counted.sliced += len(found)
        return found


@pytest.mark.long
@pytest.mark.parametrize("letter", ["e", "é", "\U0001f0a1"])
def test_places_take_steps_in_proportion(letter: str) -> None:
    """The byte offset of a place costs a page of the text and not all before it, whatever letters it has; it is right."""
    text = "".join(f"k{at}: {{{letter}: [{letter * 30}, {letter}]}}\n" for at in range(4000))
    places = range(0, len(text), 17)
    Counted.sliced = 0
    offsets = Offsets(Counted(text))
    found = [offsets[at] for at in places]
    assert Counted.sliced <= len(text) + 1024 * len(places)
    assert all(text.encode()[: found[at]].decode() == text[: places[at]] for at in range(0, len(places), 500))
    document = load_yaml(text, "f", Problems())
    assert isinstance(document, Map)
    last = document.values["k3999"]
    assert isinstance(last, Map)
    inner = last.values[letter]
    assert isinstance(inner, Items)
    place = inner.items[1].place
    assert text.encode()[place.offset : place.offset + place.length].decode() == letter
    assert place.line == 4000


@pytest.mark.parametrize("key", ["doc", "seq", "types", "enums", "instances", "-bridge-checks", "params"])
def test_aliases_are_refused_wherever_they_stand(key: str) -> None:
    """Lists of nine aliases of the list before, thirty deep, are findings at their places, and nothing is unfolded."""
    rows = ["  a0: &a0 [x]\n", *(f"  a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]\n" for at in range(1, 30))]
    text = f"meta: {{id: x, endian: le, file-extension: x}}\n{key}:\n{''.join(rows)}"
    assert steps(lambda: refused(text), 60 * len(text)) > 0


def refused(text: str) -> None:
    """A schema that is not taken, with a place for each finding."""
    with pytest.raises(SpecError) as error:
        loads(text)
    assert all(one.span is not None for one in error.value.diagnostics if isinstance(one, Diagnostic))
