"""The text formats as a whole: stock Lark loads each grammar, oracle files agree, small formats hold what they should."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lark import Lark

from bridgespec.api import dumps, engine, loads
from bridgespec.diagnostic import Severity
from bridgespec.model.convention_card import Disposition
from bridgespec.spec.grammar import Grammar
from tests.codec.terms.support import text_formats

SAMPLES = Path(__file__).parents[1] / "samples"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
DEALS = ["ber", "bhg", "csv", "deck", "dlm", "gib", "handviewer", "lin", "pbn", "rbn", "rbx"]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("format", text_formats())
def test_stock_lark_loads_the_grammar(format: str) -> None:
    """Every rule that reading uses, those that content words name included, is Lark's own syntax."""
    spec = engine().spec(format)
    path, grammar = Path(spec.path), spec.text
    assert isinstance(grammar, Grammar)
    wanted = {grammar.start}
    for rule in grammar.rules.values():
        for content in rule.words.contents:
            wanted |= {name for name in (*content.cases.values(), content.otherwise) if name is not None}
    source = path.read_text("utf-8")
    own = [name for name in sorted(wanted) if f"\n{name}:" in source or source.startswith(f"{name}:")]
    assert grammar.start in own
    Lark(source, start=own, parser="earley", lexer="dynamic", source_path=str(path))


@pytest.mark.parametrize("name", ["sixteen.ber", "sixteen.bhg", "sixteen.csv", "sixteen.deck", "sixteen.gib"])
def test_lark_accepts_what_we_accept(name: str) -> None:
    """Lark's own Earley parser takes the first lines of the samples by the same grammar."""
    spec = engine().spec(name.split(".")[1])
    path = SAMPLES / spec.id / name
    lines = path.read_bytes().decode("latin-1").splitlines(keepends=True)[:2]
    text = "".join(lines)[:104] if spec.id == "ber" else "".join(lines)
    parser = Lark.open(spec.path, parser="earley", lexer="dynamic", start="start")
    assert parser.parse(text)
    assert not engine().of(spec).codec.read(text.encode("latin-1")).diagnostics


def test_the_same_sixteen_deals() -> None:
    """From every format's own file."""
    deals = [
        [board.deal for board in engine().examine(path.read_bytes(), path.parent.name).document.boards]
        for id in DEALS
        for path in (SAMPLES / id).glob("sixteen.*")
        if path.suffix != ".json"
    ]
    assert len(deals) == len(DEALS)
    assert all(found == deals[0] and len(found) == 16 for found in deals)


@pytest.mark.slice(None, quick=3)
@pytest.mark.parametrize("id", DEALS)
def test_any_bytes_are_read(id: str) -> None:
    """Truncations and foreign bytes give findings, never an exception, and are written back as they were."""
    data = next(path for path in (SAMPLES / id).glob("sixteen.*") if path.suffix != ".json").read_bytes()[:600]
    for broken in (
        *(data[:size] for size in range(0, len(data), 7)),
        bytes(range(256)),
        data[::-1],
        b"\x00" * 40,
        data + b"\xff\xfe",
    ):
        report = engine().examine(broken, id)
        assert dumps(report.document, id) == broken


def test_the_oracle_pairs_agree() -> None:
    """Deals, auction, cards and names of a file and of what another program made of it.

    Its marks differ: it writes ``$1`` at an alerted call, and no board number where the header says ``Board+7``.
    """
    lin = engine().examine((SAMPLES / "lin" / "read-plus-alerts-claim.lin").read_bytes(), "lin").document.boards[0]
    pbn = engine().examine((SAMPLES / "pbn" / "alerts-claim.pbn").read_bytes(), "pbn").document.boards[0]
    assert (lin.deal, lin.players, lin.result, lin.vulnerability) == (pbn.deal, pbn.players, pbn.result, pbn.vulnerability)
    assert lin.auction is not None
    assert pbn.auction is not None
    assert lin.auction.plain == pbn.auction.plain
    assert [call.explanation for call in lin.auction.calls] == [call.explanation for call in pbn.auction.calls]
    assert lin.play is not None
    assert pbn.play is not None
    assert (lin.play.tricks, lin.play.claim) == (pbn.play.tricks, pbn.play.claim)
    two = engine().examine((SAMPLES / "lin" / "two-boards-bc.lin").read_bytes(), "lin").document.boards
    other = engine().examine((SAMPLES / "pbn" / "two-boards.pbn").read_bytes(), "pbn").document.boards
    assert [(board.deal, board.number, board.dealer) for board in two] == [
        (board.deal, board.number, board.dealer) for board in other
    ]


def test_names_with_delimiters() -> None:
    """Commas and bars inside names and explanations."""
    board = engine().examine((SAMPLES / "lin" / "names-with-delimiters-bc.lin").read_bytes(), "lin").document.boards[0]
    assert board.players == ("Smith, J", "O'Brien", "Lee|Kim", "A+B")
    assert board.auction is not None
    assert str(board.auction.calls[0].explanation).split(" ") == ["5+", "hearts", "|", "11-15,", "100%"]


def test_a_game_survives_the_trip_between_tables_and_pairs() -> None:
    """Names, event, room, auction with alerts and explanations, play and claim, there and back."""
    text = (SAMPLES / "pbn" / "alerts-claim.pbn").read_bytes()
    text = text.replace(b'[Event ""]', b'[Event "Cup"]').replace(b'[Board ""]', b'[Board "7"]\n[Room "Closed"]')
    board = engine().examine(text, "pbn").document
    back = engine().examine(dumps(board, "lin", canonical=True), "lin").document
    again = engine().examine(dumps(back, "pbn", canonical=True), "pbn").document
    one, two = board.boards[0], again.boards[0]
    assert (two.event, two.room, two.players, two.number) == ("Cup", "Closed", one.players, 7)
    assert one.auction is not None
    assert two.auction is not None
    assert [(c.call, c.alert, c.explanation) for c in two.auction.calls] == [
        (c.call, c.alert, c.explanation) for c in one.auction.calls
    ]
    assert (two.play, two.contract, two.declarer, two.result) == (one.play, one.contract, one.declarer, one.result)


SEED = """001ND2C=YNNNNND08STAYMAN / 8+
001ND2CP2D=NNNNNNE28No 4+ card major
001NDR=NNNNNNN8+ HCP / Usually balanced
001C=NNNNNNN33813+ | 3+!C
462S=NYYYYYY06813+ 4th seat vul full opener of two !s
001CP1D=NNNNNNN5486+ $ 4+!D May have a 4 card major
001HP2CP2SP3DP4CP4DP5H=YYNNNNYE08 Should be no such call!!
"""


def test_the_records_of_the_document_that_describes_them() -> None:
    """The broken ones are named with what to do; the others read."""
    report = engine().examine(("*00{Seed}=NYYYYYY\n" + SEED).encode(), "bss")
    codes = [
        (d.code, d.record)
        for d in report.diagnostics
        if d.code in ("bss-flags", "lost-disposition") or d.severity is Severity.ERROR
    ]
    assert ("bss-flags", 1) in codes
    assert ("bss-flags", 2) in codes
    assert any(code == "lost-disposition" for code, _ in codes)
    assert all(d.help or d.fix for d in report.diagnostics if d.code.startswith("bss-"))
    system = report.document.system
    assert system is not None
    whole = [meaning for _, meaning in system.meanings]
    assert whole[3].lengths == (3, 8)
    assert whole[3].disposition is Disposition.CONSTRUCTIVE
    assert (whole[4].position, whole[4].when) == (4, 6)


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize("path", sorted((SHARED / "bss").glob("*/*.bss")) or [None], ids=str)  # type: ignore[list-item]
def test_real_systems(path: Path | None) -> None:
    """Read without an error of the reader, written back byte for byte, and spelled anew the same."""
    if path is None:
        pytest.skip("the collection is expected in ../shared/data/bss")
    spec = engine().spec("bss")
    data = path.read_bytes()
    reading = engine().of(spec).codec.read(data)
    assert reading.diagnostics == []
    document = engine().of(spec).binder.document(reading)
    assert dumps(document, "bss") == data
    again = engine().of(spec).binder.document(engine().of(spec).codec.read(dumps(document, "bss", canonical=True)))
    assert again.system is not None
    assert document.system is not None
    assert len(again.system.records) == len(document.system.records)


def test_percent_codes_are_read_and_kept() -> None:
    """A name or explanation in percent codes is plain in the model, comes back as it stood, and is spelled plainly anew."""
    data = (SAMPLES / "lin" / "read-percent-encoding.lin").read_bytes()
    document = engine().examine(data, "lin").document
    board = document.boards[0]
    assert board.players == ("c", "d", "e", "a b")
    assert board.auction is not None
    assert board.auction.calls[0].explanation == "15+ HCP"
    assert dumps(document, "lin") == data
    names = ("100%", "50%25 x", "Bergström", "a%zz")
    fresh = dumps(replace(document, boards=(replace(board, players=names),)), "lin", canonical=True)
    assert b"50%2525 x" in fresh
    assert b"15+ HCP" in fresh
    assert engine().examine(fresh, "lin").document.boards[0].players == names


def test_a_deck_line_may_begin_with_its_number() -> None:
    """Both places are read, and the one behind is written."""
    deal = b"BB7BD046C60F337A69ACD59018"
    document = loads(b"2-" + deal + b"\n" + deal + b"-2\n", "deck")
    assert [(board.number, str(board.dealer)) for board in document.boards] == [(2, "None")] * 2
    assert dumps(replace(document, origin=None), "deck") == 2 * (deal + b"-2\n")
