"""Worked decodes: the arithmetic of a page comes out at what the bytes are."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from bridgespec.docs.decode import worked_examples
from bridgespec.engines import Engine
from bridgespec.spec.ir import Spec
from tests.listed import listed

ENGINE = Engine()


@listed
def formats(language: str = "") -> list[str]:
    """The formats of the project, or those whose schemas are in a language."""
    return sorted(spec.id for spec in ENGINE.catalog.all() if language in ("", spec.language))


@cache
def binary_specs() -> list[Spec]:
    """The schemas of the binary formats."""
    return [ENGINE.spec(format) for format in formats("ksy")]


@pytest.mark.parametrize("format", formats())
def test_arithmetic_is_worked_through(format: str) -> None:
    """A format whose schema has digits, a hand left over or derived numbers shows how they are worked out."""
    spec = ENGINE.spec(format)
    titles: set[str] = set()
    for sample in spec.samples:
        if not sample.codes:
            report = ENGINE.examine(sample.data, spec.id)
            titles |= {one.title for one in worked_examples(spec, report.reading.root, report.document, sample.data)}
    source = Path(spec.path).read_text("utf-8")
    for word, title in (("-bridge-digits", "Digits of"), (" digits: {base", "Digits of"), (" value: number", "The value of")):
        if word in source:
            assert any(one.startswith(title) for one in titles), (word, titles)


def test_a_division_comes_out() -> None:
    """The steps of a number in another base multiply out to the number in the file."""
    spec = next(spec for spec in binary_specs() if any(f.binding.digits for r in spec.records.values() for f in r.fields))
    checked = 0
    for sample in (sample for sample in spec.samples if not sample.codes):
        report = ENGINE.examine(sample.data, spec.id)
        for one in worked_examples(spec, report.reading.root, report.document, sample.data):
            if not one.title.startswith("Digits"):
                continue
            steps = [tuple(map(int, found)) for found in re.findall(r"<td>(\d+) = (\d+) × (\d+) \+ (\d+)</td>", one.body)]
            assert steps
            for index, (number, base, quotient, digit) in enumerate(steps):
                assert number == base * quotient + digit
                assert index + 1 == len(steps) or steps[index + 1][0] == quotient
            assert steps[-1][2] == 0
            value = re.search(r"</code> is <code>(\d+)</code>", one.body)
            assert value is not None
            assert int(value[1]) == steps[0][0]
            checked += 1
    assert checked
