"""The pieces of pages say what the bytes say."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.codec.anatomy import groups_of
from bridgespec.diagnostic import Diagnostic, Severity, Span
from bridgespec.docs.annotate import Annotator, ComponentSection
from bridgespec.docs.decode import worked
from bridgespec.docs.dumppage import MOST_RECORDS, DumpRun
from bridgespec.docs.dumppage import Page as DumpPage
from bridgespec.docs.figure import figure
from bridgespec.docs.geometry import boxes, columns, reachable, rows
from bridgespec.engines import Engine
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.sizes import record_bits
from tests.docs.page import Page

ENGINE = Engine()
SPECS = sorted(ENGINE.catalog.all(), key=lambda spec: spec.id)
BINARY = [spec for spec in SPECS if spec.language == "ksy"]
CARD = re.compile(r'<i data-r="([^"]*)"(?: data-derived)? data-said="(.\w): (\w+)')


@pytest.mark.parametrize("spec", BINARY, ids=lambda spec: spec.id)
def test_boxes_cover_each_record(spec: Spec) -> None:
    """The boxes of a record of fixed size cover all its bits, none twice, and rows keep them all."""
    for record in reachable(spec):
        bits = record_bits(record.name, spec.records)
        if bits is None:
            continue
        made = boxes(spec, record)
        at = 0
        for box in made:
            assert box.start is not None
            assert box.bits is not None
            assert 0 <= box.start - at < 8
            at = box.start + box.bits
        assert at == bits
        wide = columns(made)
        drawn = rows(made, wide)
        assert sum(piece.bits * (1 + row.skipped) for row in drawn for piece in row.pieces) == sum(b.bits or 0 for b in made)


@pytest.mark.parametrize("spec", BINARY, ids=lambda spec: spec.id)
def test_figures_are_straight(spec: Spec) -> None:
    """Every line of a figure ends within its frame, and every field is named in it or below it."""
    for record in reachable(spec):
        made = boxes(spec, record)
        text = figure(made)
        lines = text.partition("\n\n")[0].splitlines()
        assert all(len(line) <= 2 * columns(made) + 1 for line in lines)
        assert all(box.label in text for box in made)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_cards_lead_to_their_bytes(spec: Spec) -> None:
    """In each sample every card of the diagram has a place in the file, and the hand that it stands in is the model's."""
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
    for spec in BINARY:
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


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_arithmetic_is_worked_through(spec: Spec) -> None:
    """A format whose schema has digits, a hand left over or derived numbers shows how they are worked out."""
    titles: set[str] = set()
    for sample in spec.samples:
        if not sample.codes:
            report = ENGINE.examine(sample.data, spec.id)
            titles |= {one.title for one in worked(spec, report.reading.root, report.document, sample.data)}
    source = Path(spec.path).read_text("utf-8")
    for word, title in (("-bridge-digits", "Digits of"), (" digits: {base", "Digits of"), (" value: number", "The value of")):
        if word in source:
            assert any(one.startswith(title) for one in titles), (word, titles)


def test_a_division_comes_out() -> None:
    """The steps of a number in another base multiply out to the number in the file."""
    spec = next(spec for spec in BINARY if any(f.binding.digits for r in spec.records.values() for f in r.fields))
    checked = 0
    for sample in (sample for sample in spec.samples if not sample.codes):
        report = ENGINE.examine(sample.data, spec.id)
        for one in worked(spec, report.reading.root, report.document, sample.data):
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


def dumped(path: Path, folder: Path, *options: str) -> str:
    target = folder / "page.html"
    result = CliRunner().invoke(app, ["dump", str(path), "--html", str(target), *options])
    assert result.exit_code == 0, result.output
    return target.read_text("utf-8")


def unpacked(text: str) -> list[str]:
    parts = re.findall(r'<script type="application/octet-stream" id="packed-\d+"[^>]*>([^<]*)</script>', text)
    return [zlib.decompress(b64decode(part)).decode() for part in parts]


def test_a_file_as_a_page(tmp_path: Path) -> None:
    """Every byte of the user's file is in exactly one part of the page, with the findings at their parts."""
    for path in sorted(Path(__file__).parent.parent.glob("samples/*/sixteen.*")):
        if path.suffix == ".json":
            continue
        text = dumped(path, tmp_path)
        page = Page(text)
        assert not page.problems, (path, page.problems[:3])
        assert not page.sources or all(source.startswith("data:") for source in page.sources)
        bounds = [tuple(map(int, found)) for found in re.findall(r"bytes (\d+)–(\d+)", text)] or [(0, path.stat().st_size - 1)]
        assert bounds[0][0] == 0
        assert bounds[-1][1] == path.stat().st_size - 1
        assert all(one[1] + 1 == other[0] for one, other in pairwise(bounds)), path
        assert all(not Page(part).problems for part in unpacked(text))


def test_a_large_file_stays_small(tmp_path: Path) -> None:
    """A file of many records gives a page of the first ones that says so, and of others where they are asked for."""
    spec, sample = next((s, x) for s in BINARY for x in s.samples if 8 * len(x.data) == record_bits(f"{s.id}::board", s.records))
    path = tmp_path / f"large.{spec.extensions[0]}"
    path.write_bytes(sample.data * (MOST_RECORDS + 20))
    text = dumped(path, tmp_path)
    assert len(text) < 5_000_000
    assert "a page of all would be too large" in text
    text = dumped(path, tmp_path, "--record", "2011-2020")
    assert re.search(r"records 2011–20\d\d", text)
    assert "too large" not in text
    offset = len(sample.data) * 2010
    assert f'data-o="{offset - offset % 16}"' in "".join(unpacked(text))


def test_a_note_without_a_place_hides_no_finding() -> None:
    """Findings without a span are shown with the first part, and take no other finding from the parts after it."""
    format_ = ENGINE.of(next(one for one in BINARY if one.id == "zrd"))
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
