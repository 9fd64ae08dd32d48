"""Every sample says what its twin says, is written back as it was, and becomes the same deals in every other format."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import permutations
from pathlib import Path

import pytest

from bridgespec.api import dumps, engine, join
from bridgespec.codec.node import plain
from bridgespec.diagnostic import Severity
from bridgespec.errors import WriteError
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.document import Document
from tests import twins
from tests.listed import listed

SAMPLES = twins.samples()
BAD = twins.bad_samples()


@listed
def vectors() -> Iterator[tuple[str, int, str]]:
    """Yield the format of each sample in a schema, its position and its name."""
    for spec in engine().catalog.all():
        yield from ((spec.id, at, sample.name) for at, sample in enumerate(spec.samples))


def name_of(path: Path) -> str:
    return path.relative_to(twins.SAMPLES).as_posix()


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_a_sample_says_what_its_twin_says(path: Path) -> None:
    """Read as its folder's format it has no error, and holds in the model what ``FILE.json`` claims."""
    assert [str(d) for d in twins.examine(path).errors] == []
    assert twins.twin_of(path).exists(), f"no twin: python -m tests.twins --update {path}"
    assert twins.actual(path) == twins.expected(path)


UNREADABLE = {
    "alerts-claim.pbn": "an empty board number",
    "match.lin": "the head of a match",
    "names-with-delimiters-bc.lin": "a bar in a name",
    "read-percent-encoding.lin": "an encoded board number",
    "results.lin": "the head of a match",
    "several-in-one.lin": "a board without a number",
    "sixteen.lin": "the head of a match",
    "vugraph.lin": "the head of a match",
}
"""The samples that endplay cannot read, each with the reason."""


SYMBOLS = str.maketrans("♠♥♦♣", "SHDC", "!*")
"""endplay's names of calls as those of twins: suits as letters, without the marks of an alert and an explanation."""


def other_reading(path: Path) -> list[dict[str, object]]:
    """Return what endplay reads of each board of a PBN or LIN file, in the words of a twin."""
    parsers = import_module(f"endplay.parsers.{path.suffix[1:]}")
    return [
        {
            "dealer": board.dealer.name,
            "vulnerability": board.vul.name,
            "deal": {seat: str(getattr(board.deal, seat)) for seat in ("west", "north", "east", "south")},
            "calls": [str(call).translate(SYMBOLS).replace("NT", "N") for call in board.auction],
        }
        for board in parsers.loads(path.read_text("latin-1"))
    ]


@pytest.mark.parametrize("path", [path for path in SAMPLES if path.suffix in (".pbn", ".lin")], ids=name_of)
def test_another_program_reads_what_the_twin_states(path: Path) -> None:
    """Deals, dealers, vulnerabilities and calls of the twin are those that endplay reads, where it reads the file."""
    if path.name in UNREADABLE:
        # Whatever endplay does with such a file, it does not read its boards: a new version that does needs no exception here.
        with suppress(ValueError):
            assert other_reading(path) == []
        return
    spelled = {"Pass": "P", "X": "X", "XX": "XX"}
    twin = twins.expected(path)
    assert isinstance(twin, dict)
    stated = [
        {
            **{key: board[key] for key in ("dealer", "vulnerability", "deal")},
            "calls": [
                spelled.get(one["call"], one["call"].replace("NT", "N")) for one in board.get("auction", {}).get("calls", ())
            ],
        }
        for board in twin["boards"]
    ]
    assert stated == other_reading(path)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_a_sample_is_written_back(path: Path) -> None:
    """Byte for byte: through the document, and through its plain values alone."""
    report = twins.examine(path)
    assert dumps(report.document, report.spec.id) == path.read_bytes()
    if report.spec.language == "ksy":
        codec = engine().of(report.spec).codec
        assert codec.write(plain(codec.read(path.read_bytes()).root)) == path.read_bytes()


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_a_sample_in_clean_form_says_the_same(path: Path) -> None:
    """Spelled anew from the model, the file has no error, and spelling it anew once more changes nothing."""
    report = twins.examine(path)
    binder = engine().of(report.spec).binder
    if not binder.terms:
        pytest.skip("this format has no meaning in the model")
    clean = dumps(report.document, report.spec.id, canonical=True)
    again = engine().examine(clean, report.spec.id)
    assert not again.errors
    assert again.document.boards == report.document.boards
    assert dumps(again.document, report.spec.id, canonical=True) == clean


@pytest.mark.parametrize("path", BAD, ids=name_of)
def test_a_bad_sample_gives_its_findings(path: Path) -> None:
    """Code, severity, bytes, bits, record and field of every finding, and no other finding."""
    assert twins.twin_of(path).exists(), f"no twin: python -m tests.twins --update {path}"
    assert twins.expected(path), "a bad sample has findings"
    assert twins.actual(path) == twins.expected(path)


@pytest.mark.parametrize(("format", "at"), [pytest.param(format, at, id=f"{format}: {name}") for format, at, name in vectors()])
def test_a_vector_in_a_schema_gives_its_codes(format: str, at: int) -> None:
    """The samples inside the schemas: exactly the codes that they name, none for a valid one, which is written back."""
    sample = engine().spec(format).samples[at]
    report = engine().examine(sample.data, format)
    assert sorted({d.code for d in report.diagnostics}) == sorted(set(sample.codes))
    if not report.errors:
        assert dumps(report.document, format) == sample.data


def test_every_format_has_its_samples() -> None:
    """Each schema has valid and broken files, and no folder belongs to no schema."""
    ids = {spec.id for spec in engine().catalog.all()}
    assert {twins.format_of(path) for path in SAMPLES} == ids
    assert {twins.format_of(path) for path in BAD} == ids


def test_every_severity_is_in_the_samples() -> None:
    """The broken files show errors as well as warnings, so that the twins' severities mean something."""
    seen = {d.severity for path in BAD for d in twins.examine(path).diagnostics}
    assert {Severity.ERROR, Severity.WARNING} <= seen


# --- conversion -------------------------------------------------------------------------------------------------------


SETS = ("sixteen", "melbourne")
"""The names of samples that hold the same boards in every format that has them."""


def said(document: Document, terms: frozenset[str]) -> list[tuple[object, ...]]:
    """The terms of each board of a document."""
    return [tuple(getattr(board, term) for term in sorted(terms)) for board in document.boards]


def cards(path: Path) -> frozenset[str]:
    """The terms of a sample's format that tell of cards."""
    return engine().of(engine().spec(path.parent.name)).binder.terms & {"deal", "tricks", "declarer"}


@listed
def convertible() -> Iterator[tuple[str, str]]:
    """Samples of the same boards, the second in a format that can represent no more of them than the first."""
    for name in SETS:
        for one, two in permutations([path for path in SAMPLES if path.stem == name], 2):
            if cards(two) and cards(one) >= cards(two):
                yield name_of(one), name_of(two)


PAIRS = [
    pytest.param(twins.SAMPLES / one, twins.SAMPLES / two, id=f"{Path(one).stem}: {Path(one).parent} to {Path(two).parent}")
    for one, two in convertible()
]


@pytest.mark.slice(None, quick=30)
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_formats_convert_into_each_other(one: Path, two: Path) -> None:
    """What a file becomes in another format says the same as that format's own file, as far as it can say it."""
    source, target = twins.examine(one), twins.examine(two)
    terms = cards(two)
    converted = engine().examine(dumps(source.document, target.spec.id), target.spec.id)
    assert not converted.errors
    assert said(converted.document, terms) == said(source.document, terms) == said(target.document, terms)


@pytest.mark.slice(None, quick=15)
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_there_and_back_gives_the_same_bytes(one: Path, two: Path) -> None:
    """Coming back gives the source's clean form again, but for what the target could not hold and said so."""
    source = twins.examine(one)
    there = engine().spell(source.document, two.parent.name)
    target = engine().examine(there.data, two.parent.name).document
    if not there.findings:
        assert dumps(target, source.spec.id) == dumps(source.document, source.spec.id, canonical=True)
        return
    assert {finding.code for finding in there.findings} == {"lost"}
    try:
        back = dumps(target, source.spec.id)
    except WriteError:
        assert cards(one) > cards(two), "only what the target lost can be missing on the way back"
        return
    assert said(engine().examine(back, source.spec.id).document, cards(two)) == said(source.document, cards(two))


def test_solved_deals_are_taken_apart_and_put_together() -> None:
    """A file of deals with results becomes a file of each, and the two joined give its bytes again."""
    whole = twins.SAMPLES / "zrd" / "record0.zrd"
    report = twins.examine(whole)
    parts = [twins.SAMPLES / name / f"record0.{name}" for name in ("zbd", "zdd")]
    for part in parts:
        spelled = engine().spell(report.document, part.parent.name)
        assert spelled.data == part.read_bytes()
        assert [finding.code for finding in spelled.findings] == ["lost"]
    assert dumps(join([twins.examine(part).document for part in parts]), "zrd") == whole.read_bytes()


def test_the_hands_of_a_solved_deal() -> None:
    """The results of one hand are those of the whole table, for each of the four."""
    table = twins.examine(twins.SAMPLES / "zrd" / "record0.zrd").document.boards[0].tricks
    boards = twins.examine(twins.SAMPLES / "zrj" / "record0.zrj").document.boards
    assert table is not None
    assert len(boards) == 4
    for board in boards:
        assert board.declarer is not None
        assert board.tricks is not None
        known = [(strain, seat) for strain in Strain for seat in Seat if board.tricks.get(strain, seat) is not None]
        assert known == [(strain, board.declarer) for strain in Strain]
        assert all(board.tricks.get(*cell) == table.get(*cell) for cell in known)
