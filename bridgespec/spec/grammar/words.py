"""Make the values of `form` from the mappings of ``//-`` comments, with the checks that a JSON Schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bridgespec.spec import ir
from bridgespec.spec.encoding import bytes_of, canonical_encoding, form_of
from bridgespec.spec.grammar.form import KINDS, Content, DigitsForm, FaultPattern, LineLimit, PairForm, Restart, RuleWords, TextForm
from bridgespec.spec.grammar.keys import BINARY, PAIR, told
from bridgespec.spec.grammar.word_values import Maker, WordReader
from bridgespec.spec.kaitai.expr import parse as expr
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.keys import wrong_extension
from bridgespec.spec.numeral import Numeral
from bridgespec.spec.problems import APPLY, EXPRESSION, KEY, VALUE, Problems
from bridgespec.spec.yaml import Map

_INSTEAD = {
    "checks": "a finding of a text has 'report', on a rule that matches what is wrong",
    "xor": "a number that follows from others has 'value', an expression: value: 'number ^ xor(deal.pair)'",
    "codes": 'the alternatives of a rule name its codes: "N" -> north',
    "lenient": 'another spelling is another alternative of the rule: "N-S" -> ns',
}
_NUMERALS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
T = TypeVar("T")


def head_words(block: Map, problems: Problems) -> tuple[dict[str, Any], TextForm]:
    """Return the words of the head, and the words about the whole text as a `TextForm`."""
    said = WordReader(problems, MAKERS).words("head", block)
    for encoding in said.get("encoding", ()):
        if canonical_encoding(encoding) is None:
            problems.add(VALUE, f"encoding {encoding!r} is unknown", block.values["encoding"].place)
    if wrong := wrong_extension(said.get("extensions", ())):
        problems.add(VALUE, f"extensions: {wrong}", block.values["extensions"].place)
    return said, made(TextForm, said)


def words(block: Map, problems: Problems) -> RuleWords:
    """Return the words of a rule's block as `RuleWords`."""
    # Words of the binary language that a grammar expresses otherwise: the help has the other way.
    for key in BINARY & block.keys.keys():
        problems.add(KEY, f"'{key}' does nothing in a text", block.key_place(key), _INSTEAD.get(key))
    said = WordReader(problems, MAKERS).words("rule", block, BINARY)
    # Without `name` the rule is no pair, and these words would be ignored in silence.
    for key in PAIR.keys() & block.keys.keys() if "name" not in block else ():
        problems.add(KEY, f"'{key}' is a word of pairs: this rule has no 'name'", block.key_place(key))
    if "mismatch" in block and "value" not in block:
        problems.add(APPLY, "'mismatch' is the finding of a 'value', and this rule has none", block.key_place("mismatch"))
    if len(said.get("between", ("", ""))) != 2:
        problems.add(VALUE, "'between' is what stands before the text and what stands after it", block.values["between"].place)
    # `isdigit` is true of superscripts, which `int` refuses below.
    if not all(re.fullmatch("[0-9]{1,9}", number) for number in said.get("marks", ())):
        problems.add(VALUE, "'marks' gives a mark for each number", block.values["marks"].place)
        del said["marks"]
    return made(
        RuleWords,
        said,
        marks={int(number): mark for number, mark in said.get("marks", {}).items()},
        pair=made(PairForm, said) if "name" in block else None,
        binding=_binding(block, said, problems),
        number=said.get("number"),
        digits=said.get("digits"),
    )


def made(kind: type[T], said: Mapping[str, Any], **more: object) -> T:
    """Return an instance of a class in `form`, with the values of its words and other fields."""
    standard = kind()
    for field, (name, key, words) in told(kind).items():
        before = getattr(standard, field)
        if key is None:
            # A finding has a code and a message, whatever is written.
            given = {word: said[word] for word in words if word in said and (said[word] or word not in ("code", "message"))}
            more[field] = replace(before, **given)
        elif name in said and field not in more:
            more[field] = frozenset(said[name]) if isinstance(before, frozenset) else said[name]
    return kind(**more)


def _binding(block: Map, said: Mapping[str, Any], problems: Problems) -> ir.Binding:
    """Return the binding of a rule, from the words that it has in common with a binary field."""
    digits, number = said.get("digits"), said.get("number")
    return ir.Binding(
        term=said.get("as"),
        role=said.get("role"),
        axes=tuple(ir.Axis(name, label) for axis in said.get("axes", ()) for name, label in axis.items()),
        at=said.get("at", {}),
        digits=None if digits is None else ir.Digits(digits.base, None),
        number=None if number is None else ir.NumberText(number.pad),
        default=_expression(block, "default", said, problems),
        value=_expression(block, "value", said, problems),
        opaque=said.get("opaque", False),
        prefer=said.get("prefer", False),
    )


def _expression(block: Map, key: str, said: Mapping[str, Any], problems: Problems) -> Expression | None:
    """Return the expression that is the value of a word; None without one."""
    if key not in said:
        return None
    place = block.values[key].place
    try:
        return expr.parse(said[key], place)
    except expr.ExpressionSyntaxError as error:
        problems.add(EXPRESSION, str(error), place, error.help)
        return None


# --- mappings of words


def _lines(said: dict[str, Any], item: Map, problems: Problems) -> LineLimit:
    if said.get("most", 1) < 1:
        problems.add(VALUE, "'most' is a number of characters", item.place)
    return made(LineLimit, said)


def _fault(said: dict[str, Any], item: Map, problems: Problems) -> FaultPattern:
    if ("at" in item) == ("characters" in item):
        problems.add(KEY, "a fault has either 'at' or 'characters'", item.place)
    return made(FaultPattern, said)


def _content(said: dict[str, Any], item: Map, problems: Problems) -> Content:
    # One case may have several keys, separated by blanks.
    cases = {key: rule for keys, rule in said.get("cases", {}).items() for key in keys.split()}
    return made(Content, said, cases=cases)


def _restart(said: dict[str, Any], item: Map, problems: Problems) -> Restart:
    return made(Restart, {"after": said.get("at"), **said})


def _number(said: dict[str, Any], item: Map, problems: Problems) -> Numeral:
    base = said.get("base") or 10
    if not 2 <= base <= len(_NUMERALS):
        problems.add(VALUE, f"a base is 2 to {len(_NUMERALS)}", item.values["base"].place)
    numerals = said.get("numerals") or _NUMERALS[:base]
    words = tuple(said.get("words", ()))
    # Words are read in any case, so that two that differ only in case would be one text for two numbers.
    if again := next((word for at, word in enumerate(words) if word.lower() in map(str.lower, words[:at])), None):
        problems.add(VALUE, f"{again!r} is there twice: a word is one number", item.values["words"].place)
    return Numeral(numerals, said.get("from", 0), said.get("pad-left"), said.get("width"), said.get("modulo"), words=words)


def _digits(said: dict[str, Any], item: Map, problems: Problems) -> DigitsForm:
    return DigitsForm(said.get("base") or 10, said.get("codes", ()), said.get("from", 0), said.get("first") == "high")


def _source(said: dict[str, Any], item: Map, problems: Problems) -> ir.Source:
    return ir.Source(_needed(said, "title", item, problems), said.get("url"), said.get("author"), said.get("quote"))


def _sample(said: dict[str, Any], item: Map, problems: Problems) -> ir.Sample:
    """Return a sample of the schema: ``text`` in Latin-1, ``hex`` or ``base64``; ``ends`` is the line end for a text."""
    form, why = form_of(item.values)
    data = b""
    if form is None:
        problems.add(KEY, why, item.place)
    else:
        if "ends" in item and form != "text":
            problems.add(KEY, f"ends: only a text has lines, not {form}", item.key_place("ends"))
        try:
            data = bytes_of(form, said.get(form, ""), said.get("ends") or "\n", "Latin-1")
        except ValueError as error:
            problems.add(VALUE, str(error), item.values[form].place)
    return ir.Sample(_needed(said, "name", item, problems), data, said.get("codes", ()), said.get("doc", ""), item.place)


def _needed(said: Mapping[str, Any], key: str, item: Map, problems: Problems) -> str:
    if key not in item:
        problems.add(KEY, f"'{key}' is missing", item.place)
    return str(said.get(key, ""))


def _of(kind: type) -> Maker:
    return lambda said, item, problems: made(kind, said)


MAKERS: Mapping[str, Maker] = {
    **{owner: _of(kind) for owner, kind in KINDS.items()},
    "lines": _lines,
    "faults": _fault,
    "content": _content,
    "restart": _restart,
    "number": _number,
    "digits": _digits,
    "sources": _source,
    "samples": _sample,
}
"""The functions that make values of nested mappings, by the owner of their words."""
