"""Cards, bits and notes of annotated bytes lead to the bytes that they are of."""

from __future__ import annotations

import re

import pytest

from bridgespec.codec.anatomy import groups_of
from bridgespec.diagnostic import Diagnostic, Severity, Span
from bridgespec.docs.annotate import Annotator, ComponentSection
from bridgespec.docs.dumppage import DumpRun
from bridgespec.docs.dumppage import Page as DumpPage
from tests.docs.test_decode import ENGINE, binary_specs, formats

CARD = re.compile(r'<i data-r="([^"]*)"(?: data-derived)? data-said="(.\w): (\w+)')


@pytest.mark.slice(None, quick=8)
@pytest.mark.parametrize("format", formats())
def test_cards_lead_to_their_bytes(format: str) -> None:
    """In each sample every card of the diagram has a place in the file, and the hand that it stands in is the model's."""
    spec = ENGINE.spec(format)
    for sample in spec.samples:
        report = ENGINE.examine(sample.data, spec.id)
        boards = report.document.boards
        section = ComponentSection(sample.data, 0, groups_of(report.reading.root), report.document, range(len(boards)))
        html = Annotator(spec, ENGINE.of(spec).binder).component(section, sample.name)
        for ranges, _, seat in CARD.findall(html):
            assert seat in ("West", "North", "East", "South")
            for one in ranges.split():
                start, stop = map(int, one.split("-"))
                assert 0 <= start < stop <= 8 * len(sample.data)
        shown = len(re.findall(r'data-said=".\w: ', html))
        assert shown == sum(sum(holder < 4 for holder in board.deal.holders) for board in boards if board.deal)
        assert len(CARD.findall(html)) == shown


def test_linked_bits_hold_the_seat() -> None:
    """Where a card is two bits of its own, those bits are the code of the seat that the diagram shows."""
    for spec in binary_specs():
        enum = spec.enums.get(f"{spec.id}::seat")
        for sample in (s for s in spec.samples if not s.codes and enum is not None):
            report = ENGINE.examine(sample.data, spec.id)
            boards = range(len(report.document.boards))
            section = ComponentSection(sample.data, 0, groups_of(report.reading.root), report.document, boards)
            html = Annotator(spec, ENGINE.of(spec).binder).component(section, sample.name)
            low = 'data-lsb="1"' in html
            for ranges, card, seat in CARD.findall(html):
                start, stop = map(int, ranges.split("-"))
                assert stop - start == 2, card
                byte = sample.data[start // 8]
                value = byte >> start % 8 & 3 if low else byte >> 6 - start % 8 & 3
                assert enum is not None
                assert enum.members[value].name == seat.lower()


def test_a_note_without_a_place_hides_no_finding() -> None:
    """Findings without a span are shown with the first part, and take no other finding from the parts after it."""
    format_ = ENGINE.of(next(one for one in binary_specs() if one.id == "zrd"))
    (sample, *_) = format_.spec.samples
    data = sample.data * 40
    size = len(sample.data)
    document = ENGINE.load(data, "zrd")
    places = [Diagnostic("b", Severity.ERROR, "m", Span.of_bytes(size * at, 1)) for at in range(40)]
    found = [Diagnostic("a", Severity.NOTE, "no place"), *places]
    made = DumpPage(format_.spec, format_.binder, "x", len(data), lambda start, stop: data[start:stop])
    parts = list(made.sections(DumpRun(groups_of(document.origin.reading.root), document, found)))
    assert len(parts) > 1
    assert [one for part in parts for one in part.findings] == found
