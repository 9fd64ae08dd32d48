"""Regions read round by round: each is looked up by its text, for the same few calls, cards and numbers come again and again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from bridgespec.codec.text_shape import Bounds, Element, Program, Section, Shape, Spine

PlainOf = Callable[[str, Program, Bounds, int], Any]
"""Makes the plain value of a program's match in a text."""
SHORT = 16
MANY = 10_000
"""Values of texts so short are kept, up to so many. They are not to be changed."""


def elements_of(spine: Spine, text: str, start: int, stop: int, plain: PlainOf) -> list[Element] | None:
    """The rounds of a region; None where one depends on what stands around it."""
    return _elements(spine, spine.pattern.findall(text, start, stop), plain)


def clean_elements(section: Section, text: str, start: int, stop: int, plain: PlainOf) -> list[Element] | None:
    """The rounds of a text that is a section without a finding; None where that is not certain."""
    lead = section.lead.match(text, start, stop)
    if lead is None:
        return None
    spine, start = section.spine, lead.end()
    rounds = spine.pattern.findall(text, start, stop)
    if sum(map(len, rounds)) != stop - start:
        return None
    try:
        return list(map(spine.clean.__getitem__, rounds))
    except KeyError:
        found = _elements(spine, rounds, plain)
        return found if found is not None and all(element.clean for element in found) else None


def _elements(spine: Spine, rounds: Sequence[str], plain: PlainOf) -> list[Element] | None:
    try:
        return list(map(spine.known.__getitem__, rounds))
    except KeyError:
        found = [spine.known.get(part) or _element(spine, part, plain) for part in rounds]
    whole = [element for element in found if element is not None]
    return whole if len(whole) == len(found) else None


_BEFORE = "\nx "
_AFTER = "x0 -*"


def _element(spine: Spine, text: str, plain: PlainOf) -> Element | None:
    """What a round says; None where that depends on what stands before or after it."""
    body = spine.body
    match = body.pattern.fullmatch(text)
    if match is None:
        return None
    if not same_anywhere(body.pattern, text, match.groups()):
        return None
    clean = not body.finds(match) and not body.is_dirty(match.span)
    element = Element(tuple(plain(text, body, match.span, len(text)).items()), clean)
    if len(text) <= SHORT and len(spine.known) < MANY:
        spine.known[text] = element
        if clean:
            spine.clean[text] = element
    return element


def same_anywhere(pattern: re.Pattern[str], text: str, groups: Sequence[str | Any]) -> bool:
    """Whether a text has these groups whatever stands before and after it."""
    for mark in _BEFORE:
        other = pattern.match(mark + text, 1)
        if other is None or other.end() <= len(text) or other.groups() != groups:
            return False
    for mark in _AFTER:
        other = pattern.match(text + mark)
        if other is not None and other.end() == len(text) and other.groups() != groups:
            return False
    return True


def by_name(shape: Shape, elements: Sequence[Element]) -> dict[str, list[Any]]:
    """The values of every array of a region, under the arrays' names."""
    columns: dict[str, list[Any]] = {name: [] for name in shape.slots}
    for element in elements:
        for name, value in element.fields:
            columns[name].append(value)
    return {name: values for name, values in columns.items() if values}
