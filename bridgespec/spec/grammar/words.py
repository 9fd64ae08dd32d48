"""Read the words in a grammar's ``//-`` comments, which are YAML: `head_words` those of the schema, `rule_words` those of a rule.

A `WordReader` checks each value by the JSON Schema of its word (`keys.WORDS`), and reports each error with its position. A nested
mapping becomes an instance of a class in `form` by the function that `MAKERS` has for it, with the checks that a JSON Schema cannot
express.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bridgespec.diagnostic import Severity, nearest
from bridgespec.spec import ir
from bridgespec.spec.encoding import bytes_of, canonical_encoding, form_of
from bridgespec.spec.grammar.form import KINDS, Content, DigitsForm, FaultPattern, LineLimit, PairForm, Restart, RuleWords, TextForm
from bridgespec.spec.grammar.keys import BINARY, PAIR, WORDS, word_fields
from bridgespec.spec.grammar.possessive import checked_regex
from bridgespec.spec.kaitai.expr import parse as expr
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.keys import SEVERITY, TEXT, JsonSchema, wrong_extension
from bridgespec.spec.numeral import Numeral
from bridgespec.spec.problems import APPLY, EXPRESSION, KEY, VALUE, Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

YamlValue = None | bool | int | float | str | list["YamlValue"] | dict[str, "YamlValue"]
"""A YAML value as plain Python values."""
T = TypeVar("T")
_INSTEAD = {
    "checks": "a finding of a text has 'report', on a rule that matches what is wrong",
    "xor": "a number that follows from others has 'value', an expression: value: 'number ^ xor(deal.pair)'",
    "codes": 'the alternatives of a rule name its codes: "N" -> north',
    "lenient": 'another spelling is another alternative of the rule: "N-S" -> ns',
}
"""Words of binary fields that a grammar expresses otherwise: the help for each."""
FILLED = ("count", "here", "key", "line", "needed", "place", "text", "value", "wanted")
"""The names in braces that a message may contain."""
_BRACES = re.compile(r"\{(\w+)(?:!r)?\}")
_EXPECTED = {
    "string": "is a text",
    "integer": "is a whole number",
    "boolean": "is true or false",
    "array": "is a list",
    "object": "is a mapping",
}
"""The types of JSON Schema in the words of a finding."""
_NUMERALS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def head_words(block: Map, problems: Problems) -> tuple[dict[str, Any], TextForm]:
    """Return the words of the head, and the words about the whole text as a `TextForm`."""
    values = WordReader(problems).words("head", block)
    for encoding in values.get("encoding", ()):
        if canonical_encoding(encoding) is None:
            problems.add(VALUE, f"encoding {encoding!r} is unknown", block.values["encoding"].place)
    if wrong := wrong_extension(values.get("extensions", ())):
        problems.add(VALUE, f"extensions: {wrong}", block.values["extensions"].place)
    return values, instance_of(TextForm, values)


def rule_words(block: Map, problems: Problems) -> RuleWords:
    """Return the words of a rule's block as `RuleWords`."""
    for key in BINARY & block.keys.keys():
        problems.add(KEY, f"'{key}' does nothing in a text", block.key_place(key), _INSTEAD.get(key))
    values = WordReader(problems).words("rule", block, BINARY)
    # Without `name` the rule is no pair, and these words would be ignored in silence.
    for key in PAIR.keys() & block.keys.keys() if "name" not in block else ():
        problems.add(KEY, f"'{key}' is a word of pairs: this rule has no 'name'", block.key_place(key))
    if "mismatch" in block and "value" not in block:
        problems.add(APPLY, "'mismatch' is the finding of a 'value', and this rule has none", block.key_place("mismatch"))
    if len(values.get("between", ("", ""))) != 2:
        problems.add(VALUE, "'between' is what stands before the text and what stands after it", block.values["between"].place)
    # `isdigit` is true of superscripts, which `int` refuses below.
    if not all(re.fullmatch("[0-9]{1,9}", number) for number in values.get("marks", ())):
        problems.add(VALUE, "'marks' gives a mark for each number", block.values["marks"].place)
        del values["marks"]
    binding = _binding(block, values, problems)
    if binding.given_twice is not None:
        problems.add(APPLY, f"'at' cannot apply: the axes give the {binding.given_twice}", block.key_place("at"))
    return instance_of(
        RuleWords,
        values,
        marks={int(number): mark for number, mark in values.get("marks", {}).items()},
        pair=instance_of(PairForm, values) if "name" in block else None,
        binding=binding,
        number=values.get("number"),
        digits=values.get("digits"),
    )


def instance_of(kind: type[T], values: Mapping[str, Any], **more: object) -> T:
    """Return an instance of a class in `form`, whose fields have the ``values`` of its words; ``more`` are further fields, or
    values in place of these.
    """
    standard = kind()
    for field, (name, key, words) in word_fields(kind).items():
        before = getattr(standard, field)
        if key is None:
            # An empty code or message is ignored: no finding is without one.
            given = {word: values[word] for word in words if word in values and (values[word] or word not in ("code", "message"))}
            more[field] = replace(before, **given)
        elif name in values and field not in more:
            more[field] = frozenset(values[name]) if isinstance(before, frozenset) else values[name]
    return kind(**more)


def _binding(block: Map, values: Mapping[str, Any], problems: Problems) -> ir.Binding:
    """Return the binding of a rule, from the words that rules and binary fields have in common (`keys.BOUND`)."""
    digits, number = values.get("digits"), values.get("number")
    return ir.Binding(
        term=values.get("as"),
        role=values.get("role"),
        axes=tuple(ir.Axis(name, label) for axis in values.get("axes", ()) for name, label in axis.items()),
        at=values.get("at", {}),
        digits=None if digits is None else ir.Digits(digits.base, None),
        number=None if number is None else ir.NumberText(number.pad),
        default=_expression(block, "default", values, problems),
        value=_expression(block, "value", values, problems),
        opaque=values.get("opaque", False),
        prefer=values.get("prefer", False),
    )


def _expression(block: Map, key: str, values: Mapping[str, Any], problems: Problems) -> Expression | None:
    """Return the parsed expression of the word ``key``; None without the word, and where an error was reported."""
    if key not in values:
        return None
    place = block.values[key].place
    try:
        return expr.parse(values[key], place)
    except expr.ExpressionSyntaxError as error:
        problems.add(EXPRESSION, str(error), place, error.help)
        return None


class WordReader:
    """Reads mappings of words, one block of a comment with those nested in it, and reports errors to ``problems``."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def words(self, owner: str, block: Map, more: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Return the valid values in a block by word; ``owner`` determines which words there are. Any other key is reported, unless
        it is in ``more``, which the caller reports.
        """
        known = WORDS[owner]
        self.problems.took(owner, block.keys)
        for name, scalar in block.keys.items():
            if name not in known and name not in more:
                help_ = nearest(name, known) or f"known here: {', '.join(sorted(known))}"
                self.problems.add(KEY, f"unknown key '{name}'", scalar.place, help_)
        found = {}
        for name, word in known.items():
            if name in block:
                severity = word.shape == SEVERITY
                found[name] = self._severity(block, name) if severity else self.value(block.values[name], name, word.shape)
                if name in ("message", "help"):
                    self._check_braces(block, name)
        return {name: value for name, value in found.items() if value is not None}

    def _check_braces(self, block: Map, key: str) -> None:
        """Report names in braces in the text of ``key`` that are never replaced by a value."""
        for name in _BRACES.findall(getattr(block.values[key], "text", "")):
            if name not in FILLED:
                help_ = f"known are {', '.join(FILLED)}"
                self.problems.add(VALUE, f"{key}: nothing is filled in for {{{name}}}", block.values[key].place, help_)

    def value(self, value: Yaml, key: str, shape: JsonSchema) -> Any:
        """Return the value of a word if it has the form of ``shape``, a JSON Schema; else report it and return None."""
        if "anyOf" in shape:
            # The schema of `form.one_or_more`: a single value counts as a list with one item.
            one, many = shape["anyOf"]
            return self.value(value, key, many) if isinstance(value, Items) else _listed(self.value(value, key, one))
        if "$ref" in shape or "$ref" in shape.get("items", ()):
            return self._parts(value, key, shape)
        # A value with several types is read as text.
        kinds = shape.get("type", "string")
        kind = kinds if isinstance(kinds, str) else "string"
        if not _is(value, kind):
            self.problems.add(VALUE, f"'{key}' {_EXPECTED[kind]}, not {value.what}", value.place)
            return None
        if isinstance(value, Map):
            inner = shape.get("additionalProperties") or {}
            lists = inner.get("type") == "array"
            return {k: self.value(v, k, inner) or () if lists else str(plain(v)) for k, v in value.values.items()}
        if isinstance(value, Items):
            inner = shape.get("items", {})
            return tuple(self.value(item, key, inner) or {} if "properties" in inner else str(plain(item)) for item in value)
        return self._scalar(value, key, kind, shape)

    def _scalar(self, value: Scalar, key: str, kind: str, shape: JsonSchema) -> Any:
        """Return the value of a scalar of the type ``kind``; report an unknown option, and a regular expression with an error."""
        if kind == "integer":
            return int(value.text, 0)
        if kind == "boolean":
            return value.text == "true"
        known = shape.get("enum")
        if known is not None and value.text not in known:
            message = f"'{key}' is {', '.join(known[:-1])} or {known[-1]}, not {value.text!r}"
            self.problems.add(VALUE, message, value.place)
        if shape.get("format") == "regex":
            try:
                checked_regex(value.text)
            except re.error as error:
                self.problems.add(VALUE, f"'{key}' is not a regular expression: {error}", value.place)
                return None
        return value.text

    def _parts(self, value: Yaml, key: str, shape: JsonSchema) -> Any:
        """Return the value of a nested mapping, or a tuple of the values of several, as ``shape`` requires. None where a single one
        is no mapping.
        """
        found = []
        owner = shape.get("items", shape)["$ref"].rpartition("/")[2]
        for item in value if isinstance(value, Items) else [value]:
            if isinstance(item, Map):
                found.append(MAKERS[owner](self.words(owner, item), item, self.problems))
            else:
                self.problems.add(VALUE, f"'{key}' holds mappings, not {item.what}", item.place)
        return tuple(found) if "items" in shape else found[0] if found else None

    def _severity(self, block: Map, key: str) -> Severity | None:
        """Return the severity that a word names; report any other text and return None."""
        text = self.value(block.values[key], key, TEXT)
        if text is not None and text not in list(Severity):
            message = f"a severity is error, warning or note, not {text!r}"
            self.problems.add(VALUE, message, block.key_place(key))
            return None
        return None if text is None else Severity(text)


def _is(value: Yaml, kind: str) -> bool:
    """Whether a YAML value has a type of JSON Schema; every scalar counts as a string."""
    if isinstance(value, Scalar):
        return kind == "string" or value.kind == {"integer": "int", "boolean": "bool"}.get(kind)
    return kind == ("array" if isinstance(value, Items) else "object")


def _listed(value: Any) -> tuple[Any, ...] | None:
    """Return a tuple of a single value; None for None."""
    return None if value is None else (value,)


def plain(value: Yaml | None) -> YamlValue:
    """Return a YAML value as plain Python values."""
    if isinstance(value, Map):
        return {key: plain(item) for key, item in value.values.items()}
    if isinstance(value, Items):
        return [plain(item) for item in value]
    if value is None or value.kind == "null":
        return None
    if value.kind == "int":
        return int(value.text, 0)
    if value.kind == "float":
        return float(value.text)
    return value.text == "true" if value.kind == "bool" else value.text


# --- mappings of words


def _lines(values: dict[str, Any], item: Map, problems: Problems) -> LineLimit:
    if values.get("most", 1) < 1:
        problems.add(VALUE, "'most' is a number of characters", item.place)
    return instance_of(LineLimit, values)


def _fault(values: dict[str, Any], item: Map, problems: Problems) -> FaultPattern:
    if ("at" in item) == ("characters" in item):
        problems.add(KEY, "a fault has either 'at' or 'characters'", item.place)
    return instance_of(FaultPattern, values)


def _content(values: dict[str, Any], item: Map, problems: Problems) -> Content:
    # A case may have several keys, separated by blanks, with the same rule.
    cases = {key: rule for keys, rule in values.get("cases", {}).items() for key in keys.split()}
    return instance_of(Content, values, cases=cases)


def _restart(values: dict[str, Any], item: Map, problems: Problems) -> Restart:
    return instance_of(Restart, {"after": values.get("at"), **values})


def _number(values: dict[str, Any], item: Map, problems: Problems) -> Numeral:
    """Return the spelling of numbers that the words of ``number`` describe."""
    base = values.get("base") or 10
    if not 2 <= base <= len(_NUMERALS):
        problems.add(VALUE, f"a base is 2 to {len(_NUMERALS)}", item.values["base"].place)
    numerals = values.get("numerals") or _NUMERALS[:base]
    words = tuple(values.get("words", ()))
    # Numbers in words are read without regard to case: two that differ only in case would be one text for two numbers.
    if again := next((word for at, word in enumerate(words) if word.lower() in map(str.lower, words[:at])), None):
        problems.add(VALUE, f"{again!r} is there twice: a word is one number", item.values["words"].place)
    return Numeral(numerals, values.get("from", 0), values.get("pad-left"), values.get("width"), values.get("modulo"), words=words)


def _digits(values: dict[str, Any], item: Map, problems: Problems) -> DigitsForm:
    return DigitsForm(values.get("base") or 10, values.get("codes", ()), values.get("from", 0), values.get("first") == "high")


def _source(values: dict[str, Any], item: Map, problems: Problems) -> ir.Source:
    return ir.Source(_needed(values, "title", item, problems), values.get("url"), values.get("author"), values.get("quote"))


def _sample(values: dict[str, Any], item: Map, problems: Problems) -> ir.Sample:
    """Return a sample of the schema: ``text`` in Latin-1, ``hex`` or ``base64``; ``ends`` is the line end for a text."""
    form, why = form_of(item.values)
    data = b""
    if form is None:
        problems.add(KEY, why, item.place)
    else:
        if "ends" in item and form != "text":
            problems.add(KEY, f"ends: only a text has lines, not {form}", item.key_place("ends"))
        try:
            data = bytes_of(form, values.get(form, ""), values.get("ends") or "\n", "Latin-1")
        except ValueError as error:
            problems.add(VALUE, str(error), item.values[form].place)
    return ir.Sample(_needed(values, "name", item, problems), data, values.get("codes", ()), values.get("doc", ""), item.place)


def _needed(values: Mapping[str, Any], key: str, item: Map, problems: Problems) -> str:
    """Return the text of a word that must not be missing; report it and return an empty text where it is."""
    if key not in item:
        problems.add(KEY, f"'{key}' is missing", item.place)
    return str(values.get(key, ""))


def _maker_of(kind: type) -> MakeValue:
    return lambda values, item, problems: instance_of(kind, values)


MakeValue = Callable[[dict[str, Any], Map, Problems], Any]
"""A function that makes the value of a mapping, given the values of its words, the mapping, and where to report errors."""
MAKERS: Mapping[str, MakeValue] = {
    **{owner: _maker_of(kind) for owner, kind in KINDS.items()},
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
