"""What is generated from a schema alone survives every round trip, for every schema that the catalog finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgespec.codec.node import plain
from bridgespec.codec.samples.uses import why_not
from bridgespec.diagnostic import Severity
from bridgespec.errors import WriteError
from bridgespec.model.document import Document
from tests.generate.claims import examine
from tests.generate.deals import SPECIMENS
from tests.generate.documents import (
    ONE_HAND,
    SPECIMEN,
    WHOLE,
    Fate,
    content,
    documents,
    families,
    fate,
    has_meaning,
    of_terms,
    one_hand,
    terms,
)
from tests.generate.house import engine
from tests.generate.strategies import drawable, drawn, formats, meaningful, raw_files, valid_files, values
from tests.listed import listed

FORMATS = formats()
MEANINGFUL = meaningful()


@listed
def with_deals() -> Iterator[str]:
    """The formats that hold deals."""
    return (format for format in MEANINGFUL if "deal" in terms(format))


def test_every_schema_can_be_generated() -> None:
    """No format falls out of the suites: of each, documents, values or texts can be drawn."""
    without = [name for name in formats("ksy") if not has_meaning(name) and not drawable(name)]
    assert FORMATS
    assert not without, {name: why_not(engine().spec(name)) for name in without}


@pytest.mark.slice(None, quick=60)
@pytest.mark.parametrize("kind", SPECIMENS)
@pytest.mark.parametrize("format", MEANINGFUL)
def test_what_is_not_held_is_said(format: str, kind: str) -> None:
    """A deal of each kind is refused, or its loss is said, or it comes back; the same for a high board number."""
    board = replace(SPECIMEN, deal=SPECIMENS[kind], tricks=ONE_HAND if one_hand(format) else WHOLE)
    assert fate(format, Document((of_terms(format, board),))) is not Fate.CHANGED
    assert fate(format, Document((of_terms(format, replace(board, number=150)),))) is not Fate.CHANGED


@pytest.mark.parametrize("number", [1, 2, 7, 100])
@pytest.mark.parametrize("format", with_deals())
def test_no_deal_is_turned(format: str, number: int) -> None:
    """Whatever is lost of a board's number, its deal comes back as it was: no hand goes to another seat."""
    board = of_terms(format, replace(SPECIMEN, number=number, tricks=ONE_HAND if one_hand(format) else WHOLE))
    try:
        spelled = engine().spell(Document((board, replace(board, number=number + 1))), format)
    except WriteError:
        pytest.skip("refused")
    again = engine().examine(spelled.data, format).document.boards
    assert [read.deal for read in again] == [board.deal, board.deal]


@pytest.mark.parametrize("format", MEANINGFUL)
def test_some_deal_can_be_held(format: str) -> None:
    """A format with deals holds at least one kind of them."""
    assert families(format) or "deal" not in terms(format)


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", MEANINGFUL)
@given(data=st.data())
def test_a_document_comes_back(format: str, data: st.DataObject) -> None:
    """Document -> bytes -> document gives the same boards without an error, and the bytes again, canonical ones too."""
    document = data.draw(documents(format))
    spelled = engine().spell(document, format)
    assert not spelled.findings
    report = examine(spelled.data, format)
    assert not report.errors
    assert content(report.document, format) == content(document, format)
    assert engine().spell(report.document, format, canonical=True).data == spelled.data


@pytest.mark.long
@pytest.mark.parametrize("format", MEANINGFUL)
@given(data=st.data())
def test_a_change_touches_nothing_else(format: str, data: st.DataObject) -> None:
    """Of a file that was read, boards may be left out and put in another order; the others are spelled as before."""
    report = examine(data.draw(valid_files(format)), format)
    order = data.draw(st.permutations(range(len(report.document.boards))))
    chosen = order[: data.draw(st.integers(1, len(order)))]
    boards = tuple(report.document.boards[index] for index in chosen)
    changed = engine().spell(replace(report.document, boards=boards), format)
    again = examine(changed.data, format)
    assert not again.errors
    for name in terms(format) & {"deal", "tricks", "declarer"}:
        assert [getattr(b, name) for b in again.document.boards] == [getattr(b, name) for b in boards]


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("format", drawn())
@given(data=st.data())
def test_values_come_back(format: str, data: st.DataObject) -> None:
    """Values that the schema allows -> bytes -> values gives the same, and the reader finds no fault with any of them alone.

    The writer refuses only a record that a reader would take for the end of the list.
    """
    drawn = data.draw(values(format))
    codec = engine().of(engine().spec(format)).codec
    try:
        written = codec.write(drawn)
    except WriteError as refusal:
        if "end the list" not in str(refusal):
            raise
        return
    reading = codec.read(written)
    of_records = {check.code for record in engine().spec(format).records.values() for check in record.checks}
    assert not [one for one in reading.diagnostics if one.severity is Severity.ERROR and one.code not in of_records]
    tree = plain(reading.root)
    assert _missing(drawn, tree) == []
    assert codec.write(tree) == written


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", formats("lark"))
@given(data=st.data())
def test_texts_are_read(format: str, data: st.DataObject) -> None:
    """Texts that the grammar derives are judged without an exception, and written back where they hold no error."""
    examine(data.draw(raw_files(format)), format)


@pytest.mark.slow
@pytest.mark.parametrize("format", MEANINGFUL)
@given(data=st.data())
@settings(max_examples=2000)
def test_many_documents_come_back(format: str, data: st.DataObject) -> None:
    """The same for thousands of longer documents."""
    document = data.draw(documents(format, most=40))
    report = examine(engine().spell(document, format).data, format)
    assert not report.errors
    assert content(report.document, format) == content(document, format)


def _missing(given: Any, found: Any, where: str = "") -> list[str]:
    """Where a drawn tree is not part of the tree that was read."""
    if isinstance(given, dict) and isinstance(found, dict):
        return [m for name, part in given.items() for m in _missing(part, found.get(name), f"{where}.{name}")]
    if isinstance(given, list) and isinstance(found, list | bytes):
        if len(given) != len(found):
            return [f"{where}: {len(given)} elements, {len(found)} read"]
        return [m for index, part in enumerate(given) for m in _missing(part, found[index], f"{where}[{index}]")]
    return [] if given == found else [f"{where}: {given!r}, read as {found!r}"]
