"""The words of ``//-`` lines, typed; nowhere else are they parsed. What each means is told in `bridgespec.spec.grammar.keys`."""

from __future__ import annotations

import re

from bridgespec.spec.grammar.form import (
    Columns,
    Content,
    Digits,
    Fault,
    Fill,
    Inherit,
    LineLimit,
    Once,
    Pair,
    Report,
    Restart,
    Same,
    StrictForm,
    TextForm,
    Words,
)
from bridgespec.spec.grammar.keys import BINARY, PAIR
from bridgespec.spec.grammar.values import flag_of, known_keys, maps_of, names_of, number_of, pairs_of, plain, severity_of, text_of
from bridgespec.spec.ir import Axis, Binding, NumberText
from bridgespec.spec.ir import Digits as BinaryDigits
from bridgespec.spec.kaitai.expr import parse as expr
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.numeral import Numeral
from bridgespec.spec.problems import EXPRESSION, KEY, VALUE, Problems
from bridgespec.spec.yaml import Items, Map

_INSTEAD = {
    "checks": "a finding of a text has 'report', on a rule that matches what is wrong",
    "value": "a number that follows from others has 'xor'",
    "codes": 'the alternatives of a rule name its codes: "N" -> north',
    "lenient": 'another spelling is another alternative of the rule: "N-S" -> ns',
}
FILLED = ("count", "here", "key", "line", "needed", "place", "text", "value", "wanted")
"""The names in braces for which a message may have something filled in."""
_BRACES = re.compile(r"\{(\w+)(?:!r)?\}")
_NUMERALS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def words(block: Map, problems: Problems) -> Words:
    """Everything that a rule's block says."""
    for key in BINARY & block.keys.keys():
        problems.add(KEY, f"'{key}' does nothing in a text", block.key_place(key), _INSTEAD.get(key))
    known_keys(block, "rule", problems, BINARY)
    return Words(
        binding=_binding(block, problems),
        doc=text_of(block, "doc", problems) or "",
        says=text_of(block, "says", problems),
        write=_spellings(block, problems),
        ends=text_of(block, "ends", problems),
        trim=text_of(block, "trim", problems),
        decode=_one_of(block, "decode", ("backslash", "percent", "percent-codes"), problems),
        contents=_contents(block, problems),
        report=next((_report(item, problems) for item in maps_of(block, "report", problems)), None),
        restart=_restart(block, problems),
        xor=names_of(block, "xor", problems),
        number=_number(block, problems),
        digits=_digits(block, problems),
        fill=_fill(block, problems),
        pair=_pair(block, problems),
        between=_between(block, problems),
        unknown=_one_or_more(block, "unknown", problems),
        marks=_marks(block, problems),
        only_read=flag_of(block, "only-read", problems),
    )


def text_form(head: Map, problems: Problems) -> TextForm:
    """What the head says of the whole text."""
    limit = None
    for item in maps_of(head, "lines", problems):
        most = number_of(item, "most", problems)
        if most is not None and most < 1:
            problems.add(VALUE, "'most' is a number of characters", item.place)
        said = _report(item, problems, "lines")
        limit = LineLimit(most or 1 << 30, said, text_of(item, "ends", problems))
    faults = []
    for item in maps_of(head, "faults", problems):
        if ("at" in item) == ("characters" in item):
            problems.add(KEY, "a fault has either 'at' or 'characters'", item.place)
        at, characters, skip = (regex_of(item, key, problems) for key in ("at", "characters", "skip"))
        said = _report(item, problems, "faults")
        faults.append(Fault(said, at, characters, skip, flag_of(item, "once", problems), flag_of(item, "strict", problems)))
    return TextForm(limit, tuple(faults), regex_of(head, "strict", problems), pairs_of(head, "clean", problems))


# --- findings


def _message(item: Map, problems: Problems, key: str = "message") -> str | None:
    """A text with names in braces, of which each must be one that is filled in."""
    text = text_of(item, key, problems)
    for name in _BRACES.findall(text or ""):
        if name not in FILLED:
            problems.add(
                VALUE, f"{key}: nothing is filled in for {{{name}}}", item.values[key].place, f"known are {', '.join(FILLED)}"
            )
    return text


def _report(item: Map, problems: Problems, what: str = "report") -> Report:
    """The finding that a mapping describes."""
    known_keys(item, what, problems)
    return Report(
        text_of(item, "code", problems) or "bad-text",
        severity_of(item, problems),
        _message(item, problems) or "",
        _message(item, problems, "help"),
        text_of(item, "fix", problems),
        flag_of(item, "safe", problems),
    )


def _contents(block: Map, problems: Problems) -> tuple[Content, ...]:
    found = []
    for item in maps_of(block, "content", problems):
        known_keys(item, "content", problems)
        code = text_of(item, "code", problems) or "bad-value"
        found.append(
            Content(
                of=text_of(item, "of", problems) or "",
                by=text_of(item, "by", problems),
                cases={key: rule for keys, rule in pairs_of(item, "cases", problems).items() for key in keys.split()},
                otherwise=text_of(item, "rule", problems) or text_of(item, "else", problems),
                report=Report(code, severity_of(item, problems), _message(item, problems) or ""),
                ascending=text_of(item, "ascending", problems),
            )
        )
    return tuple(found)


# --- texts


def _spellings(block: Map, problems: Problems) -> tuple[str, ...] | None:
    if isinstance(block.get("write"), Items):
        return names_of(block, "write", problems)
    text = text_of(block, "write", problems)
    return None if text is None else (text,)


def _one_of(block: Map, key: str, known: tuple[str, ...], problems: Problems) -> str | None:
    text = text_of(block, key, problems)
    if text is not None and text not in known:
        problems.add(VALUE, f"'{key}' is {', '.join(known[:-1])} or {known[-1]}, not {text!r}", block.values[key].place)
    return text


def regex_of(block: Map, key: str, problems: Problems) -> str | None:
    """The regular expression of a key; None where it is not there, or is not one."""
    text = text_of(block, key, problems)
    try:
        re.compile(text or "")
    except re.error as error:
        problems.add(VALUE, f"'{key}' is not a regular expression: {error}", block.values[key].place)
        return None
    return text


def _one_or_more(block: Map, key: str, problems: Problems) -> tuple[str, ...]:
    return (names_of if isinstance(block.get(key), Items) else _one)(block, key, problems)


def _one(block: Map, key: str, problems: Problems) -> tuple[str, ...]:
    text = text_of(block, key, problems)
    return () if text is None else (text,)


def _between(block: Map, problems: Problems) -> tuple[str, str] | None:
    if "between" not in block:
        return None
    found = names_of(block, "between", problems)
    if len(found) != 2:
        problems.add(VALUE, "'between' is what stands before the text and what stands after it", block.values["between"].place)
        return None
    return found[0], found[1]


def _marks(block: Map, problems: Problems) -> dict[int, str]:
    found = pairs_of(block, "marks", problems)
    if not all(number.isdigit() for number in found):
        problems.add(VALUE, "'marks' gives a mark for each number", block.values["marks"].place)
    return {int(number): mark for number, mark in found.items() if number.isdigit()}


def _restart(block: Map, problems: Problems) -> Restart | None:
    for item in maps_of(block, "restart", problems):
        known_keys(item, "restart", problems)
        at, after = regex_of(item, "at", problems) or "", regex_of(item, "after", problems)
        return Restart(at, at if after is None else after)
    return None


# --- numbers


def _number(block: Map, problems: Problems) -> Numeral | None:
    for item in maps_of(block, "number", problems):
        known_keys(item, "number", problems)
        base = number_of(item, "base", problems) or 10
        if not 2 <= base <= len(_NUMERALS):
            problems.add(VALUE, f"a base is 2 to {len(_NUMERALS)}", item.values["base"].place)
        numerals = text_of(item, "numerals", problems) or _NUMERALS[:base]
        first = number_of(item, "from", problems) or 0
        width, modulo = number_of(item, "width", problems), number_of(item, "modulo", problems)
        return Numeral(numerals, first, text_of(item, "pad-left", problems), width, modulo)
    return None


def _digits(block: Map, problems: Problems) -> Digits | None:
    for item in maps_of(block, "digits", problems):
        known_keys(item, "digits", problems)
        high = _one_of(item, "first", ("low", "high"), problems) == "high"
        base, first = number_of(item, "base", problems), number_of(item, "from", problems)
        return Digits(base or 10, names_of(item, "codes", problems), first or 0, high)
    return None


def _fill(block: Map, problems: Problems) -> Fill | None:
    for item in maps_of(block, "fill", problems):
        known_keys(item, "fill", problems)
        number, after = (text_of(item, key, problems) or "" for key in ("number", "after"))
        return Fill(number, after, number_of(item, "to", problems) or 0)
    return None


# --- binding


def _expression(block: Map, key: str, problems: Problems) -> Expression | None:
    text = text_of(block, key, problems)
    if text is None:
        return None
    place = block.values[key].place
    try:
        return expr.parse(text, place)
    except expr.ExpressionSyntaxError as error:
        problems.add(EXPRESSION, str(error), place)
        return None


def _binding(block: Map, problems: Problems) -> Binding:
    """The words that a rule shares with a binary field."""
    axes = tuple(Axis(name, str(plain(label))) for item in maps_of(block, "axes", problems) for name, label in item.values.items())
    number = plain(block.get("number"))
    base = next((number_of(item, "base", problems) for item in maps_of(block, "digits", problems)), None)
    return Binding(
        term=text_of(block, "as", problems),
        role=text_of(block, "role", problems),
        axes=axes,
        at=pairs_of(block, "at", problems),
        digits=None if base is None else BinaryDigits(base, None),
        number=NumberText(str(number["pad-left"]) if "pad-left" in number else None) if isinstance(number, dict) else None,
        default=_expression(block, "default", problems),
        opaque=flag_of(block, "opaque", problems),
        prefer=flag_of(block, "prefer", problems),
    )


# --- pairs


def _pair(block: Map, problems: Problems) -> Pair | None:
    """What a pair says; None where the rule is not one."""
    if "name" not in block:
        for key in PAIR.keys() & block.keys.keys():
            problems.add(KEY, f"'{key}' is a word of pairs: this rule has no 'name'", block.key_place(key))
        return None
    once = needs = strict = None
    for item in maps_of(block, "once", problems):
        once = Once(_report(item, problems, "once"), _lists(item, "within", problems))
    for item in maps_of(block, "needs", problems):
        needs = Once(_report(item, problems, "needs"), _lists(item, "of", problems))
    for item in maps_of(block, "strict", problems):
        strict = _strict(item, problems)
    return Pair(
        key=text_of(block, "name", problems) or "",
        terms=pairs_of(block, "terms", problems),
        repeats=names_of(block, "repeats", problems),
        also=names_of(block, "also", problems),
        mandatory=names_of(block, "mandatory", problems),
        tags=flag_of(block, "tags", problems),
        blank=names_of(block, "blank", problems),
        mark=text_of(block, "mark", problems) or "",
        inherit=_inherit(block, problems),
        columns=_columns(block, problems),
        once=once,
        needs=needs,
        strict=strict,
    )


def _inherit(block: Map, problems: Problems) -> Inherit | None:
    for item in maps_of(block, "inherit", problems):
        known_keys(item, "inherit", problems)
        code, message = text_of(item, "code", problems), _message(item, problems)
        return Inherit(
            same=text_of(item, "same", problems) or "",
            header=text_of(item, "header", problems) or "",
            never=frozenset(names_of(item, "never", problems)),
            report=Report(code or "bad-value", severity_of(item, problems), message or "{key} may not be inherited"),
        )
    return None


def _columns(block: Map, problems: Problems) -> Columns | None:
    for item in maps_of(block, "columns", problems):
        known_keys(item, "columns", problems)
        name, width, quote = (text_of(item, key, problems) or "" for key in ("name", "width", "quote"))
        said = Report(text_of(item, "code", problems) or "bad-value", severity_of(item, problems, "warning"), "")
        tables, cases = frozenset(names_of(item, "tables", problems)), pairs_of(item, "cases", problems)
        heads = pairs_of(item, "heads", problems)
        return Columns(tables, cases, said, heads, name, width, names_of(item, "cell", problems), quote)
    return None


def _strict(block: Map, problems: Problems) -> StrictForm:
    known_keys(block, "strict", problems)
    order = next(iter(maps_of(block, "order", problems)), None)
    same = []
    for item in maps_of(block, "same", problems):
        key, other = text_of(item, "key", problems), text_of(item, "as", problems)
        said = _report(item, problems, "same")
        same.append(Same(key or "", other or "", pairs_of(item, "by", problems), said))
    return StrictForm(
        missing=next((_report(item, problems) for item in maps_of(block, "missing", problems)), None),
        order=None if order is None else _report(order, problems, "order"),
        sections=() if order is None else names_of(order, "sections", problems),
        same=tuple(same),
        rows=next((_report(item, problems) for item in maps_of(block, "rows", problems)), None),
        contents=_contents(block, problems),
    )


def _lists(item: Map, key: str, problems: Problems) -> dict[str, tuple[str, ...]]:
    value = item.get(key)
    if isinstance(value, Map):
        return {name: names_of(value, name, problems) for name in value.values}
    if value is not None:
        problems.add(VALUE, f"'{key}' holds lists of keys", item.place)
    return {}
