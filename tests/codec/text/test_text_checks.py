"""The standard's checks of a text of pairs: long lines, tags twice, and the export form where a file claims it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bridgespec.api import dumps, engine
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Comment
from tests.specs.test_pbn import FILES, needs_files, some

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "pbn").glob("*.pbn"))

GAME = """% PBN 2.1
% EXPORT
[Event "Cup"]
[Site "Here"]
[Date "2001.02.03"]
[Board "1"]
[West "W"]
[North "N"]
[East "E"]
[South "S"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"]
[Scoring "IMP"]
[Declarer "S"]
[Contract "5HX"]
[Result "9"]
[Annotator "A"]
[Round "2"]
[Auction "N"]
1D      1S   3H =1= 4S
4NT =2= $3 $25 X    Pass   Pass
5C      X    5H     X
Pass    Pass Pass
[Note "1:non-forcing 6-9 points, 6-card"]
[Note "2:two colors: clubs and diamonds"]
[Play "W"]
SK =1= H3 S4 S3
C5 C2 C6 CK
-  -  -  H2
*
[Note "1:highest of series"]
[OptimumResultTable "Declarer;Denomination;Result"]
N NT 5
S H 9
"""


def found(text: str) -> list[Diagnostic]:
    """What the reader says of a text, its lines ended by CR and LF."""
    data = text.replace("\n", "\r\n").encode("latin-1")
    return list(engine().of(engine().spec("pbn")).codec.read(data).diagnostics)


def test_a_game_in_export_form_has_no_finding() -> None:
    """The standard's example, its tables and notes with it."""
    assert found(GAME) == []


DEVIATIONS = [
    ("pbn-export-missing", '[Scoring "IMP"]\n', "", "Scoring"),
    ("pbn-export-order", '[Annotator "A"]\n[Round "2"]\n', '[Round "2"]\n[Annotator "A"]\n', "Round"),
    ("pbn-export-order", '[Site "Here"]\n[Date "2001.02.03"]\n', '[Date "2001.02.03"]\n[Site "Here"]\n', "Date"),
    ("pbn-export-tag", '[Round "2"]', '[ Round "2"]', "tag name"),
    ("pbn-export-tag", '[Round "2"]', '[Round  "2"]', "' \"'"),
    ("pbn-export-tag", '[Round "2"]', '[Round "2" ]', "'\"]'"),
    ("pbn-export-tag", '[Round "2"]\n', '[Round "2"] \n', "end of the line"),
    ("pbn-export-tag", '[Round "2"]', '[round "2"]', "capital"),
    ("pbn-export-tag", '[Round "2"]\n', '[Round "2"] {why}\n', "end of the line"),
    ("pbn-export-value", '"None"', '"Love"', "Vulnerable"),
    ("pbn-export-value", '[Dealer "N"]', '[Dealer "n"]', "Dealer"),
    ("pbn-export-value", "AKQ987", "KAQ987", "Deal"),
    ("pbn-export-value", "A9732 A8654", "A9732  A8654", "Deal"),
    ("pbn-export-value", '"5HX"', '"5hx"', "Contract"),
    ("pbn-export-value", '[Result "9"]', '[Result "NS 9"]', "Result"),
    ("pbn-export-first", '[Auction "N"]\n', '[Auction "E"]\n', "dealer"),
    ("pbn-export-first", "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85",
     "E:A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85 .63.AKQ987.A9732", "dealer"),
    ("pbn-export-first", '[Play "W"]\nSK =1= H3 S4 S3', '[Play "E"]\nS4 =1= S3 SK H3', "leader"),
    ("pbn-export-section", "5C      X    5H     X\n", "5C      X    5H\nX\n", "fourth"),
    ("pbn-export-section", "5C      X    5H     X\n", "5C      X    5H     X    ", "end of the line"),
    ("pbn-export-section", "3H =1= 4S", "3H =1=  4S", "single blank"),
    ("pbn-export-section", "3H =1= 4S", "3H! =1= 4S", "Auction"),
    ("pbn-export-section", "=2= $3 $25", "$3 =2= $25", "Auction"),
    ("pbn-export-section", "=2= $3 $25", "=2= $25 $3", "increasing"),
    ("pbn-export-section", "C5 C2 C6 CK\n", "C5 C2 C6\nCK\n", "fourth"),
    ("pbn-export-section", "C5 C2", "c5 C2", "a card"),
    ("pbn-export-table", "N NT 5\nS H 9\n", "N NT 5 S H 9\n", "line for each row"),
    ("pbn-export-table", "N NT 5", "N  NT 5", "single blank"),
    ("pbn-export-table", "S H 9", "S  H {so} 9", "single blank"),
    ("pbn-export-tab", "5C      X", "5C\tX", "1 in this file"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "old", "new", "words"), DEVIATIONS)
def test_a_deviation_from_the_export_form_has_its_code(code: str, old: str, new: str, words: str) -> None:
    """Each rule of the export form, broken alone, at its place; the same text without the claim is let pass."""
    text = GAME.replace(old, new)
    assert text != GAME
    said = [d for d in found(text) if d.code == code]
    assert [words in d.message for d in said] == [True], [d.message for d in found(text)]
    assert said[0].span is not None
    assert said[0].span.line is not None
    assert not any(d.code.startswith("pbn-export") for d in found(text.replace("% EXPORT", "% IMPORT")))


def test_line_ends_and_gaps_of_the_export_form() -> None:
    """Lines end with CR and LF, games are parted by an empty line; both are told once."""
    read = engine().of(engine().spec("pbn")).codec.read
    both = GAME + "\n" + GAME.split("\n", 2)[2]
    assert {d.code for d in read(both.encode()).diagnostics} == {"pbn-export-line-end"}
    gap = both.replace("9\n\n[Event", "9\n \t \n[Event")
    assert {d.code for d in found(gap)} == {"pbn-export-tab"}
    blanks = both.replace("9\n\n[Event", "9\n  \n[Event")
    (one,) = found(blanks)
    assert (one.code, one.fix is not None and one.fix.safe) == ("pbn-export-gap", True)


def test_the_same_deviation_is_told_once_with_its_count() -> None:
    """Twenty games without one tag are one finding."""
    game = GAME.split("\n", 2)[2].replace('[Scoring "IMP"]\n', "")
    (one,) = found("% EXPORT\n" + "\n".join([game] * 20))
    assert one.code == "pbn-export-missing"
    assert one.message.endswith("(and 19 times more)")


def test_an_inherited_tag_may_be_left_out() -> None:
    """A mandatory tag that an earlier game gave to all that follow is not missing."""
    game = GAME.split("\n", 2)[2]
    head = game.replace('[Event "Cup"]', '[Event "##Cup"]')
    assert found("% EXPORT\n" + head + "\n" + game.replace('[Event "Cup"]\n', "")) == []


@pytest.mark.slice(30)
@pytest.mark.parametrize("path", [*SAMPLES, *some(6)], ids=lambda path: path.name)
def test_the_clean_form_keeps_to_the_export_form(path: Path) -> None:
    """What ``--canonical`` writes claims the export form, and has no finding under its checks."""
    clean = dumps(engine().examine(path.read_bytes(), "pbn").document, "pbn", canonical=True)
    assert clean.startswith(b"% PBN 2.1\r\n% EXPORT\r\n[")
    codes = {d.code for d in engine().of(engine().spec("pbn")).codec.read(clean).diagnostics}
    assert codes <= {"pbn-value"}, codes


def test_long_comments_are_wrapped_in_the_clean_form() -> None:
    """No line of the export form is too long because of a comment."""
    document = engine().examine(GAME.encode(), "pbn").document
    board = replace(document.boards[0], comments=(Comment("word " * 200),))
    clean = dumps(replace(document, boards=(board,)), "pbn", canonical=True)
    assert max(map(len, clean.split(b"\r\n"))) <= 253
    assert engine().of(engine().spec("pbn")).codec.read(clean).diagnostics == []


# --- either form


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_long_line_is_told(end: str) -> None:
    """255 characters, the line's end among them, are let pass; one more is not."""
    read = engine().of(engine().spec("pbn")).codec.read
    fits = '[Event "' + "x" * (255 - 10 - len(end)) + '"]' + end
    assert read(f'{fits}[Site "y"]{end}'.encode()).diagnostics == []
    (long,) = read(f'[Site "y"]{end}{fits.replace("xx", "xxx", 1)}'.encode()).diagnostics
    assert (long.code, long.span and (long.span.line, long.span.column)) == ("pbn-long-line", (2, 1))
    assert "256 characters" in long.message


def test_a_tag_that_comes_twice_is_told() -> None:
    """The second one, with the line of the first and a repair that is not safe; notes differ in their numbers."""
    (one,) = found('[Site "a"]\n[Date "?"]\n[Site "c"]\n')
    assert one.code == "pbn-tag-twice"
    assert "line 1" in one.message
    assert one.fix is not None
    assert not one.fix.safe
    assert one.span is not None
    assert one.span.line == 3
    notes = '[Dealer "N"]\n[Auction "N"]\n1C =1= Pass Pass Pass\n[Note "1:a"]\n[Note "2:b"]\n'
    assert found(notes) == []
    assert [d.code for d in found(notes + '[Note "1:c"]\n')] == ["pbn-tag-twice"]
    two = '[Deal "N:- - - -"]\n[Dealer "N"]\n[Declarer "S"]\n[Contract "1C"]\n'
    assert found(two + notes.split("\n", 1)[1] + '[Play "W"]\n-\n*\n[Note "1:d"]\n') == []


def test_sections_come_after_what_they_need() -> None:
    """An auction needs its dealer before it, a play the deal, declarer and contract."""
    assert [(d.code, d.message) for d in found('[Event ""]\n[Auction "N"]\nPass\n*\n')] == [
        ("pbn-tag-late", "Auction needs Dealer before it")
    ]
    late = '[Deal "N:- - - -"]\n[Declarer "S"]\n[Play "W"]\n-\n*\n[Contract "1C"]\n'
    assert [d.message for d in found(late)] == ["Play needs Contract before it"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[Event "a\x07b"]\n', "pbn-character"),
        ('[Event "a\x93b"]\n', "pbn-encoding"),
        ('[Dealer "N"]\n[Auction "N"]\n1C $256 Pass Pass Pass\n', "pbn-glyph"),
    ],
)
def test_characters_and_glyphs_outside_the_standard(text: str, code: str) -> None:
    """Control characters, bytes of other encodings, annotation glyphs above 255."""
    assert [d.code for d in found(text)] == [code]


@pytest.mark.parametrize("data", [b"hello\n", b"This is no game.\n\nNor is this.\n", b"\xff\xfe1\x002\x00", b"; a remark\nhello\n"])
def test_a_file_without_a_tag_is_an_error(data: bytes) -> None:
    """Text of which nothing is a tag pair is an error, which leads the errors; a file of comments is not."""
    found = engine().examine(data, "pbn").diagnostics
    assert [one.code for one in found if one.severity == "error"][:1] == ["no-record"]
    assert ("utf-16-text" in [one.code for one in found]) == data.startswith(b"\xff\xfe")


@pytest.mark.parametrize("data", [b"", b"\n", b"% PBN 2.1\n", b"; a remark\n{ and another }\n"])
def test_a_file_of_no_games_is_no_error(data: bytes) -> None:
    """A file holds zero or more games; one without a byte has a warning."""
    found = [(one.code, one.severity) for one in engine().examine(data, "pbn").diagnostics]
    assert found == ([] if data else [("empty-file", "warning")])
    assert dumps(engine().examine(data, "pbn").document, "pbn") == data


@pytest.mark.long
@needs_files
def test_what_the_real_files_have_otherwise() -> None:
    """Tags that real files repeat stand twice in the bytes, and claimed forms that lack a tag lack it."""
    for path in FILES:
        data = path.read_bytes()
        for one in engine().of(engine().spec("pbn")).codec.read(data).diagnostics:
            assert one.span is not None
            if one.code == "pbn-export-missing":
                key = one.message.rpartition(" ")[0].split("there is no ")[-1].split(" (")[0].encode()
                assert b"% EXPORT" in data
                assert data.count(b"[" + key + b" ") < data.count(b"[Deal ")
            if one.code == "pbn-tag-twice":
                game = data[: one.span.byte_stop].replace(b"\r\n", b"\n").split(b"\n\n")[-1]
                assert game.count(b"[" + one.message.split()[0].encode() + b" ") == 2
