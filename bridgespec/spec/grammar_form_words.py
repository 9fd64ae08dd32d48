"""The words of `grammar_form`, read from ``//-`` lines."""

from __future__ import annotations

import re

from bridgespec.spec.grammar_form import Content, Fault, LineLimit, PairForm, Report, Same, StrictForm, TextForm
from bridgespec.spec.grammar_yaml import known_keys, maps_of, names_of, pairs_of, plain, severity_of, text_of
from bridgespec.spec.problems import KEY, VALUE, Problems
from bridgespec.spec.yaml import Map

HEAD_WORDS = frozenset(["lines", "faults", "strict", "clean"])
PAIR_WORDS = frozenset(["once", "needs", "strict"])
_REPORT = frozenset(["code", "severity", "message", "help", "fix", "safe"])
_CONTENT = frozenset(["of", "by", "rule", "cases", "else", "code", "severity", "message", "ascending"])
_FAULT = _REPORT | frozenset(["at", "characters", "skip", "once", "strict"])
_STRICT = frozenset(["missing", "order", "same", "rows", "content"])


def report(item: Map, problems: Problems, more: frozenset[str] = frozenset()) -> Report:
    """The finding that a mapping describes."""
    known_keys(item, _REPORT | more, problems)
    return Report(
        text_of(item, "code", problems) or "bad-text",
        severity_of(item, problems),
        text_of(item, "message", problems) or "",
        text_of(item, "help", problems),
        text_of(item, "fix", problems),
        plain(item.get("safe")) is True,
    )


def contents(block: Map, problems: Problems) -> tuple[Content, ...]:
    """What reads the texts of fields."""
    found = []
    for item in maps_of(block, "content", problems):
        known_keys(item, _CONTENT, problems)
        found.append(
            Content(
                of=text_of(item, "of", problems) or "",
                by=text_of(item, "by", problems),
                cases={key: rule for keys, rule in pairs_of(item, "cases").items() for key in keys.split()},
                otherwise=text_of(item, "rule", problems) or text_of(item, "else", problems),
                code=text_of(item, "code", problems) or "bad-value",
                severity=severity_of(item, problems),
                message=text_of(item, "message", problems),
                ascending=text_of(item, "ascending", problems),
            )
        )
    return tuple(found)


def text_form(head: Map, problems: Problems) -> TextForm:
    """What the head says of the whole text."""
    limit = None
    for item in maps_of(head, "lines", problems):
        most = plain(item.get("most"))
        if not isinstance(most, int) or most < 1:
            problems.add(VALUE, "'most' is a number of characters", item.place)
            most = 1 << 30
        limit = LineLimit(most, report(item, problems, frozenset({"most", "ends"})), text_of(item, "ends", problems))
    faults = []
    for item in maps_of(head, "faults", problems):
        known_keys(item, _FAULT, problems)
        if ("at" in item) == ("characters" in item):
            problems.add(KEY, "a fault has either 'at' or 'characters'", item.place)
        for key in ("at", "characters", "skip"):
            _expression(item, key, problems)
        faults.append(
            Fault(
                report(item, problems, _FAULT),
                text_of(item, "at", problems),
                text_of(item, "characters", problems),
                text_of(item, "skip", problems),
                plain(item.get("once")) is True,
                plain(item.get("strict")) is True,
            )
        )
    _expression(head, "strict", problems)
    return TextForm(limit, tuple(faults), text_of(head, "strict", problems), pairs_of(head, "clean"))


def pair_form(block: Map, problems: Problems) -> PairForm | None:
    """What a pair says of its fellows; None where it says nothing."""
    if not PAIR_WORDS & set(block.keys):
        return None
    once = needs = strict = None
    within: dict[str, tuple[str, ...]] = {}
    needed: dict[str, tuple[str, ...]] = {}
    for item in maps_of(block, "once", problems):
        once = report(item, problems, frozenset({"within"}))
        within = _lists(item, "within", problems)
    for item in maps_of(block, "needs", problems):
        needs = report(item, problems, frozenset({"of"}))
        needed = _lists(item, "of", problems)
    for item in maps_of(block, "strict", problems):
        strict = _strict(item, problems)
    return PairForm(once, within, needs, needed, strict)


def _strict(block: Map, problems: Problems) -> StrictForm:
    known_keys(block, _STRICT, problems)
    missing = [report(item, problems) for item in maps_of(block, "missing", problems)]
    order = maps_of(block, "order", problems)
    same = []
    for item in maps_of(block, "same", problems):
        key, other = text_of(item, "key", problems), text_of(item, "as", problems)
        said = report(item, problems, frozenset({"key", "as", "by"}))
        same.append(Same(key or "", other or "", pairs_of(item, "by"), said))
    rows = [report(item, problems) for item in maps_of(block, "rows", problems)]
    return StrictForm(
        missing[0] if missing else None,
        report(order[0], problems, frozenset({"sections"})) if order else None,
        names_of(plain(order[0].get("sections"))) if order else (),
        tuple(same),
        rows[0] if rows else None,
        contents(block, problems),
    )


def _lists(item: Map, key: str, problems: Problems) -> dict[str, tuple[str, ...]]:
    value = plain(item.get(key))
    if value is not None and not (isinstance(value, dict) and all(isinstance(names, list) for names in value.values())):
        problems.add(VALUE, f"'{key}' holds lists of keys", item.place)
        return {}
    return {name: names_of(names) for name, names in value.items()} if isinstance(value, dict) else {}


def _expression(block: Map, key: str, problems: Problems) -> None:
    text = text_of(block, key, problems)
    try:
        re.compile(text or "")
    except re.error as error:
        problems.add(VALUE, f"'{key}' is no regular expression: {error}", block.values[key].place)
