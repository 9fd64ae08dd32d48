"""The ``//-`` lines of a grammar: YAML blocks, the first of which is the schema's head and the others each their next rule's."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bridgespec.spec import expr
from bridgespec.spec.grammar import Inherit, Restart, Words
from bridgespec.spec.grammar_form_words import HEAD_WORDS, PAIR_WORDS, contents, pair_form, report
from bridgespec.spec.grammar_yaml import known_keys, maps_of, pairs_of, plain, severity_of, text_of
from bridgespec.spec.ir import Axis, Binding, Check, Digits, NumberText, Place, Sample, Source
from bridgespec.spec.ksy_problems import EXPRESSION, KEY, VALUE, Problems
from bridgespec.spec.ksy_yaml import Items, Map, load_yaml

_LINE = re.compile(r"[ \t]*//-(.*)")
_DEFINITION = re.compile(r"[!?]?(_?[A-Za-z][A-Za-z0-9_]*)[ \t]*(?:\.\d+)?[ \t]*:")

_BINDING_KEYS = frozenset(
    [
        "as",
        "role",
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
_RULE_KEYS = (
    _BINDING_KEYS
    | PAIR_WORDS
    | frozenset(
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
            "between",
            "marks",
            "section",
        ]
    )
)
_EXTRA = (
    "name",
    "decode",
    "terms",
    "repeats",
    "also",
    "mandatory",
    "tags",
    "columns",
    "codes",
    "fill",
    "number",
    "digits",
    "between",
    "marks",
    "unknown",
    "section",
)
_HEAD_ALONE = frozenset({"id", "title", "extensions", "sources", "samples"})
"""What only a head says: such a block is the head though a rule follows it at once."""
HEAD_KEYS = HEAD_WORDS | {"id", "title", "doc", "extensions", "encoding", "sources", "samples", "start", "recover"}


@dataclass(frozen=True, slots=True)
class Blocks:
    """The head of a schema and the words of its rules, each with the YAML it came from."""

    head: Map
    rules: Mapping[str, Map]


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
            elif definition and (seen_head or rules or not _HEAD_ALONE & block.keys.keys()):
                rules[definition[1]] = block
            else:
                head, seen_head = block, True
    if lines:
        problems.add(VALUE, "no rule follows this block", Place(file, first + 1, 1))
    known_keys(head, HEAD_KEYS, problems)
    return Blocks(head, rules)


def _expression(block: Map, key: str, problems: Problems) -> expr.Expression | None:
    text = text_of(block, key, problems)
    if text is None:
        return None
    place = block.values[key].place
    try:
        return expr.parse(text, place)
    except expr.ExpressionSyntaxError as error:
        problems.add(EXPRESSION, str(error), place)
        return None


def binding(block: Map, problems: Problems) -> Binding:
    """The words that a rule shares with a binary field."""
    axes = tuple(Axis(name, str(plain(label))) for item in maps_of(block, "axes", problems) for name, label in item.values.items())
    digits = plain(block.get("digits"))
    number = plain(block.get("number"))
    unknown = plain(block.get("unknown"))
    opaque = plain(block.get("opaque"))
    return Binding(
        term=text_of(block, "as", problems),
        role=text_of(block, "role", problems),
        axes=axes,
        at=pairs_of(block, "at"),
        digits=Digits(int(str(digits["base"])), None) if isinstance(digits, dict) else None,
        number=NumberText(str(number["pad-left"]) if "pad-left" in number else None) if isinstance(number, dict) else None,
        codes=text_of(block, "codes", problems) if not isinstance(block.get("codes"), Map) else None,
        value=_expression(block, "value", problems),
        default=_expression(block, "default", problems),
        opaque=opaque is True,
        unknown=unknown if isinstance(unknown, int) else None,
        prefer=plain(block.get("prefer")) is True,
        code=text_of(block, "code", problems),
        severity=severity_of(block, problems),
    )


_CHECK = frozenset(["that", "code", "severity", "message"])


def words(block: Map, problems: Problems) -> Words:
    """Everything that a rule's block says."""
    known_keys(block, _RULE_KEYS, problems)
    extra = {key: plain(block.get(key)) for key in _EXTRA if key in block}
    return Words(
        binding=binding(block, problems),
        doc=text_of(block, "doc", problems) or "",
        says=text_of(block, "says", problems),
        write=_spellings(block, problems),
        ends=text_of(block, "ends", problems),
        trim=text_of(block, "trim", problems),
        contents=contents(block, problems),
        report=next((report(item, problems) for item in maps_of(block, "report", problems)), None),
        inherit=_inherit(block, problems),
        restart=_restart(block, problems),
        xor=tuple(map(str, names)) if isinstance(names := plain(block.get("xor")), list) else (),
        form=pair_form(block, problems),
        checks=tuple(_check(item, problems) for item in maps_of(block, "checks", problems)),
        extra=extra,
    )


def _restart(block: Map, problems: Problems) -> Restart | None:
    for item in maps_of(block, "restart", problems):
        known_keys(item, frozenset({"at", "after"}), problems)
        at = text_of(item, "at", problems) or ""
        after = text_of(item, "after", problems)
        return Restart(at, at if after is None else after)
    return None


def _spellings(block: Map, problems: Problems) -> tuple[str, ...] | None:
    value = block.get("write")
    if isinstance(value, Items):
        return tuple(str(plain(item)) for item in value)
    text = text_of(block, "write", problems)
    return None if text is None else (text,)


def _inherit(block: Map, problems: Problems) -> Inherit | None:
    for item in maps_of(block, "inherit", problems):
        known_keys(item, frozenset(["same", "header", "never", "code", "severity", "message"]), problems)
        never = plain(item.get("never"))
        return Inherit(
            same=text_of(item, "same", problems) or "",
            header=text_of(item, "header", problems) or "",
            never=frozenset(map(str, never)) if isinstance(never, list) else frozenset(),
            code=text_of(item, "code", problems) or "bad-value",
            severity=severity_of(item, problems),
            message=text_of(item, "message", problems) or "{key} may not be inherited",
        )
    return None


def _check(item: Map, problems: Problems) -> Check:
    known_keys(item, _CHECK, problems)
    that = _expression(item, "that", problems) or expr.parse("true")
    code, message = text_of(item, "code", problems), text_of(item, "message", problems)
    if code is None or message is None or "that" not in item:
        problems.add(KEY, "a check has 'that', 'code' and 'message'", item.place)
    return Check(that, code or "", severity_of(item, problems), message or "", item.place)


def sources(head: Map, problems: Problems) -> tuple[Source, ...]:
    """Where the schema's claims come from."""
    found = []
    for item in maps_of(head, "sources", problems):
        known_keys(item, frozenset({"title", "url", "author", "quote"}), problems)
        texts = {key: text_of(item, key, problems) for key in ("url", "author", "quote")}
        found.append(Source(text_of(item, "title", problems) or "", texts["url"], texts["author"], texts["quote"]))
    return tuple(found)


def samples(head: Map, problems: Problems) -> tuple[Sample, ...]:
    """The test vectors of the head: ``text`` in Latin-1, ``hex`` or ``base64``."""
    found = []
    for item in maps_of(head, "samples", problems):
        known_keys(item, frozenset({"name", "text", "hex", "base64", "codes", "doc"}), problems)
        codes = plain(item.get("codes"))
        try:
            if (text := text_of(item, "text", problems)) is not None:
                data = text.encode("latin-1")
            elif (text := text_of(item, "hex", problems)) is not None:
                data = bytes.fromhex(text)
            else:
                data = base64.b64decode(text_of(item, "base64", problems) or "", validate=True)
        except (ValueError, binascii.Error) as error:
            problems.add(VALUE, f"not the data of a sample: {error}", item.place)
            continue
        names = tuple(str(code) for code in codes) if isinstance(codes, list) else ()
        found.append(Sample(text_of(item, "name", problems) or "", data, names, text_of(item, "doc", problems) or "", item.place))
    return tuple(found)
