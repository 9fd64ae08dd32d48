"""The ``//-`` lines of a grammar: YAML blocks, the first of which is the schema's head and the others each their next rule's."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bridgespec.diagnostic import Severity
from bridgespec.spec import expr
from bridgespec.spec.grammar import Content, Inherit, Report, Restart, Words
from bridgespec.spec.ir import Axis, Binding, Check, Digits, NumberText, Place, Sample, Source
from bridgespec.spec.ksy_problems import EXPRESSION, KEY, VALUE, Problems, nearest
from bridgespec.spec.ksy_yaml import Items, Map, Scalar, Yaml, load_yaml

_LINE = re.compile(r"[ \t]*//-(.*)")
_DEFINITION = re.compile(r"[!?]?(_?[A-Za-z][A-Za-z0-9_]*)[ \t]*(?:\.\d+)?[ \t]*:")

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

_BINDING_KEYS = frozenset(
    [
        "as",
        "axes",
        "at",
        "digits",
        "number",
        "codes",
        "value",
        "default",
        "opaque",
        "lenient",
        "unknown",
        "prefer",
        "code",
        "severity",
    ]
)
_RULE_KEYS = _BINDING_KEYS | frozenset(
    [
        "doc",
        "says",
        "write",
        "ends",
        "trim",
        "content",
        "report",
        "checks",
        "name",
        "terms",
        "inherit",
        "restart",
        "xor",
        "fill",
        "repeats",
        "decode",
        "also",
        "mandatory",
        "tags",
        "columns",
    ]
)
_EXTRA = ("name", "decode", "terms", "repeats", "also", "mandatory", "tags", "columns", "codes", "fill", "number", "digits")
HEAD_KEYS = frozenset(["id", "title", "doc", "extensions", "encoding", "sources", "samples", "start", "recover", "line-limit"])


@dataclass(frozen=True, slots=True)
class Blocks:
    """The head of a schema and the words of its rules, each with the YAML it came from."""

    head: Map
    rules: Mapping[str, Map]


def plain(value: Yaml | None) -> Plain:
    """A YAML value as plain Python."""
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


def read_blocks(source: str, file: str, problems: Problems) -> Blocks:
    """Find the blocks and what each belongs to; mistakes are added to ``problems``."""
    head = Map({}, {}, Place(file, 1, 1))
    rules: dict[str, Map] = {}
    lines: list[str] = []
    first = 0
    seen_head = False
    for number, line in enumerate([*source.split("\n"), ""]):
        match = _LINE.fullmatch(line.rstrip("\r"))
        if match:
            if not lines:
                first = number
            lines.append(" " * (match.end() - len(match[1])) + match[1])
            continue
        definition = _DEFINITION.match(line)
        if lines and (definition or not (seen_head or rules)):
            block = load_yaml("\n" * first + "\n".join(lines), file, problems)
            lines = []
            if not isinstance(block, Map):
                problems.add(VALUE, "a //- block is a mapping", Place(file, first + 1, 1))
            elif definition:
                rules[definition[1]] = block
            else:
                head, seen_head = block, True
    if lines:
        problems.add(VALUE, "no rule follows this block", Place(file, first + 1, 1))
    known_keys(head, HEAD_KEYS, problems)
    return Blocks(head, rules)


def known_keys(block: Map, keys: frozenset[str], problems: Problems) -> None:
    """Report every key of the mapping that is not one of ``keys``."""
    for name, scalar in block.keys.items():
        if name not in keys:
            problems.add(KEY, f"unknown key '{name}'", scalar.place, nearest(name, keys))


def _text(block: Map, key: str, problems: Problems) -> str | None:
    value = block.get(key)
    if value is None:
        return None
    if not isinstance(value, Scalar):
        problems.add(VALUE, f"'{key}' is a text, not {value.what}", value.place)
        return None
    return value.text


def _severity(block: Map, problems: Problems) -> Severity:
    text = _text(block, "severity", problems) or "error"
    if text not in list(Severity):
        problems.add(VALUE, f"a severity is error, warning or note, not {text!r}", block.key_place("severity"))
        return Severity.ERROR
    return Severity(text)


def _expression(block: Map, key: str, problems: Problems) -> expr.Expression | None:
    text = _text(block, key, problems)
    if text is None:
        return None
    place = block.values[key].place
    try:
        return expr.parse(text, place)
    except expr.ExpressionSyntaxError as error:
        problems.add(EXPRESSION, str(error), place)
        return None


def _maps(block: Map, key: str, problems: Problems) -> list[Map]:
    value = block.get(key)
    items = list(value) if isinstance(value, Items) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, Map):
            problems.add(VALUE, f"'{key}' holds mappings, not {item.what}", item.place)
    return [item for item in items if isinstance(item, Map)]


def _pairs(block: Map, key: str) -> dict[str, str]:
    value = block.get(key)
    return {k: str(plain(v)) for k, v in value.values.items()} if isinstance(value, Map) else {}


def binding(block: Map, problems: Problems) -> Binding:
    """The words that a rule shares with a binary field."""
    axes = tuple(Axis(name, str(plain(label))) for item in _maps(block, "axes", problems) for name, label in item.values.items())
    digits = plain(block.get("digits"))
    number = plain(block.get("number"))
    unknown = plain(block.get("unknown"))
    opaque = plain(block.get("opaque"))
    return Binding(
        term=_text(block, "as", problems),
        axes=axes,
        at=_pairs(block, "at"),
        digits=Digits(int(str(digits["base"])), None) if isinstance(digits, dict) else None,
        number=NumberText(str(number["pad-left"]) if "pad-left" in number else None) if isinstance(number, dict) else None,
        codes=_text(block, "codes", problems) if not isinstance(block.get("codes"), Map) else None,
        value=_expression(block, "value", problems),
        default=_expression(block, "default", problems),
        opaque=opaque is True,
        unknown=unknown if isinstance(unknown, int) else None,
        prefer=plain(block.get("prefer")) is True,
        code=_text(block, "code", problems),
        severity=_severity(block, problems),
    )


_CONTENT = frozenset(["of", "by", "rule", "cases", "else", "code", "severity", "message"])
_REPORT = frozenset(["code", "severity", "message", "help", "fix", "safe"])
_CHECK = frozenset(["that", "code", "severity", "message"])


def words(block: Map, problems: Problems) -> Words:
    """Everything that a rule's block says."""
    known_keys(block, _RULE_KEYS, problems)
    contents = []
    for item in _maps(block, "content", problems):
        known_keys(item, _CONTENT, problems)
        contents.append(
            Content(
                of=_text(item, "of", problems) or "",
                by=_text(item, "by", problems),
                cases={key: rule for keys, rule in _pairs(item, "cases").items() for key in keys.split()},
                otherwise=_text(item, "rule", problems) or _text(item, "else", problems),
                code=_text(item, "code", problems) or "bad-value",
                severity=_severity(item, problems),
                message=_text(item, "message", problems),
            )
        )
    report = None
    for item in _maps(block, "report", problems):
        known_keys(item, _REPORT, problems)
        report = Report(
            _text(item, "code", problems) or "bad-text",
            _severity(item, problems),
            _text(item, "message", problems) or "",
            _text(item, "help", problems),
            _text(item, "fix", problems),
            plain(item.get("safe")) is True,
        )
    extra = {key: plain(block.get(key)) for key in _EXTRA if key in block}
    return Words(
        binding=binding(block, problems),
        doc=_text(block, "doc", problems) or "",
        says=_text(block, "says", problems),
        write=_spellings(block, problems),
        ends=_text(block, "ends", problems),
        trim=_text(block, "trim", problems),
        contents=tuple(contents),
        report=report,
        inherit=_inherit(block, problems),
        restart=_restart(block, problems),
        xor=tuple(map(str, names)) if isinstance(names := plain(block.get("xor")), list) else (),
        checks=tuple(_check(item, problems) for item in _maps(block, "checks", problems)),
        extra=extra,
    )


def _restart(block: Map, problems: Problems) -> Restart | None:
    for item in _maps(block, "restart", problems):
        known_keys(item, frozenset({"at", "after"}), problems)
        at = _text(item, "at", problems) or ""
        after = _text(item, "after", problems)
        return Restart(at, at if after is None else after)
    return None


def _spellings(block: Map, problems: Problems) -> tuple[str, ...] | None:
    value = block.get("write")
    if isinstance(value, Items):
        return tuple(str(plain(item)) for item in value)
    text = _text(block, "write", problems)
    return None if text is None else (text,)


def _inherit(block: Map, problems: Problems) -> Inherit | None:
    for item in _maps(block, "inherit", problems):
        known_keys(item, frozenset(["same", "header", "never", "code", "severity", "message"]), problems)
        never = plain(item.get("never"))
        return Inherit(
            same=_text(item, "same", problems) or "",
            header=_text(item, "header", problems) or "",
            never=frozenset(map(str, never)) if isinstance(never, list) else frozenset(),
            code=_text(item, "code", problems) or "bad-value",
            severity=_severity(item, problems),
            message=_text(item, "message", problems) or "{key} may not be inherited",
        )
    return None


def _check(item: Map, problems: Problems) -> Check:
    known_keys(item, _CHECK, problems)
    that = _expression(item, "that", problems) or expr.parse("true")
    code, message = _text(item, "code", problems), _text(item, "message", problems)
    if code is None or message is None or "that" not in item:
        problems.add(KEY, "a check has 'that', 'code' and 'message'", item.place)
    return Check(that, code or "", _severity(item, problems), message or "", item.place)


def sources(head: Map, problems: Problems) -> tuple[Source, ...]:
    """Where the schema's claims come from."""
    found = []
    for item in _maps(head, "sources", problems):
        known_keys(item, frozenset({"title", "url", "author", "quote"}), problems)
        texts = {key: _text(item, key, problems) for key in ("url", "author", "quote")}
        found.append(Source(_text(item, "title", problems) or "", texts["url"], texts["author"], texts["quote"]))
    return tuple(found)


def samples(head: Map, problems: Problems) -> tuple[Sample, ...]:
    """The test vectors of the head: ``text`` in Latin-1, ``hex`` or ``base64``."""
    found = []
    for item in _maps(head, "samples", problems):
        known_keys(item, frozenset({"name", "text", "hex", "base64", "codes", "doc"}), problems)
        codes = plain(item.get("codes"))
        try:
            if (text := _text(item, "text", problems)) is not None:
                data = text.encode("latin-1")
            elif (text := _text(item, "hex", problems)) is not None:
                data = bytes.fromhex(text)
            else:
                data = base64.b64decode(_text(item, "base64", problems) or "", validate=True)
        except (ValueError, binascii.Error) as error:
            problems.add(VALUE, f"not the data of a sample: {error}", item.place)
            continue
        names = tuple(str(code) for code in codes) if isinstance(codes, list) else ()
        found.append(Sample(_text(item, "name", problems) or "", data, names, _text(item, "doc", problems) or "", item.place))
    return tuple(found)
