"""The text form of a diagnostic shows the exact place and says what is there."""

from __future__ import annotations

import pytest
from rich.console import Console

from bridgespec.cli.render import RenderSource, diagnostic_text, place_text
from bridgespec.cli.render_marks import decode, looks_like_text, printable
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Span

from .findings import BINARY, LETTER, NIBBLE, PADDING, TEXT


def lines(diagnostic: Diagnostic, source: RenderSource, width: int = 100) -> list[str]:
    return diagnostic_text(diagnostic, source, width).plain.splitlines()


def test_bits_are_ruled_and_their_value_is_told() -> None:
    """A place smaller than a byte has its bits numbered, underlined and read; a second place stands with it."""
    assert lines(NIBBLE, BINARY) == [
        "deals.bin: error[no-such-count]: 14 is not a number of tricks",
        "      --> byte 16 (0x10), bits 4-7, record 2, boards[1].tricks[0]",
        "       |",
        "0x0000 | 00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  ................",
        "       |       ----- the hand",
        "0x0010 | e4 00 20 74 61 69 6c                              .. tail",
        "       | ^^",
        "       | byte  0x10",
        "       | bit   7 6 5 4 3 2 1 0",
        "       |       1 1 1 0 0 1 0 0",
        "       |       ^^^^^^^ = 14: no hand takes 14",
        "       = help: write 15 where the result is not known",
    ]


def test_high_bit_first_counts_from_the_left() -> None:
    """Where bit 0 is the high bit the ruler says so, and the value is read that way."""
    shown = lines(Diagnostic("x", Severity.ERROR, "m", span=Span(130, 138)), BINARY)
    assert shown[-4:] == [
        "       | byte  0x10             0x11",
        "       | bit   0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7",
        "       |       1 1 1 0 0 1 0 0  0 0 0 0 0 0 0 0",
        "       |           ^^^^^^^^^^^  ^^^ = 144",
    ]


@pytest.mark.parametrize(("span", "value"), [(Span(132, 140, lsb=True), 0x0E), (Span(128, 132, lsb=True), 4)])
def test_low_bit_first_values(span: Span, value: int) -> None:
    """Fields that are numbered from the low bit are read from the low bit, across bytes too."""
    assert lines(Diagnostic("x", Severity.ERROR, "m", span=span), BINARY)[-1].endswith(f"= {value}")


def test_a_fix_shows_the_bytes_that_it_changes() -> None:
    """The repair is told with offset, old and new bytes, and whether --fix does it."""
    assert lines(PADDING, BINARY)[-3:] == [
        "       |    ^^",
        "       = fix: put a space there (`--fix` does it)",
        "           0x0011  00 -> 20",
    ]


def test_a_fix_of_text_shows_whole_words() -> None:
    """An edit that changes the end of a word is shown with its beginning."""
    source = RenderSource("b.pbn", b'[Vulnerable "NS"]\n', True)
    fix = Fix("make nobody vulnerable", (Edit(14, 15, b"one"),))
    found = Diagnostic("x", Severity.WARNING, "m", span=Span.of_bytes(13, 15), fix=fix)
    assert lines(found, source)[-1].split() == ["1:14", '"NS"', "->", '"None"']


def test_bytes_that_are_missing_are_shown_as_missing() -> None:
    """A record that ends too early is underlined past the end of the file, where its bytes should be."""
    shown = lines(Diagnostic("truncated", Severity.ERROR, "cut", span=Span.of_bytes(20, 5)), BINARY)
    assert shown[-2:] == [
        "0x0010 | e4 00 20 74 61 69 6c ··  ··                       .. tail",
        "       |             ^^^^^^^^^^^^^^^",
    ]


def test_long_places_show_where_they_begin() -> None:
    """Of a place of many rows the first is shown, with the byte that it goes to."""
    source = RenderSource("x", bytes(160))
    shown = lines(Diagnostic("x", Severity.ERROR, "m", span=Span.of_bytes(4, 150)), source)
    assert shown[3].startswith("0x0000 | 00 00")
    assert shown[4].endswith("^^ to 0x99")
    assert len(shown) == 5


def test_text_is_underlined_by_character_not_by_byte() -> None:
    """In a UTF-8 line the caret stands under the character, and line ends of every kind count as one."""
    assert lines(LETTER, TEXT) == [
        "näme.txt: error[not-a-rank]: x is not a rank",
        " --> näme.txt:2:10",
        "  |",
        "1 | one",
        "  | --- the title",
        '2 | [Deal "Ä♠x"]',
        "  |          ^",
        "  = fix: take it out (not safe to do unasked: `--unsafe-fixes` does it)",
        '      2:10  "x" -> ""',
    ]


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("at", [0, 3, 150, 297, 300])
def test_long_lines_are_cut_around_the_place(width: int, at: int) -> None:
    """A line of hundreds of characters is cut to the width, and the caret still stands under the right one."""
    data = bytearray(b"." * 300)
    if at < 300:
        data[at : at + 1] = b"X"
    shown = lines(Diagnostic("x", Severity.ERROR, "m", span=Span.of_bytes(at, 1)), RenderSource("x", bytes(data), True), width)
    row, below = shown[3], shown[4]
    assert max(len(row), len(below)) <= width
    assert below.count("^") == 1
    assert row[below.index("^") :][:1] == ("X" if at < 300 else "")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_line_ends(end: bytes, number: int) -> None:
    """LF, CRLF and CR each end a line once."""
    data = end.join([b"aX", b"aX", b"aX"])
    offset = (number - 1) * (2 + len(end)) + 1
    assert RenderSource("x", data, True).place(offset) == (number, 2)


@pytest.mark.parametrize("data", [b"", b"\n", b"a", b"a\r\n", b"\r\r", b"\xff\xfe", b"a\tb\x00c"])
def test_any_offset_of_any_bytes_can_be_drawn(data: bytes) -> None:
    """No place in a file, nor one just past its end, fails to be drawn, as text or as hex."""
    for text in (True, False):
        for start in range(len(data) + 3):
            for length in range(3):
                finding = Diagnostic("x", Severity.NOTE, "m", span=Span.of_bytes(start, length))
                assert diagnostic_text(finding, RenderSource("x", data, text)).plain.count("^") > 0


def test_without_data_the_place_is_told_in_words() -> None:
    """Where the file cannot be read again, offsets, record and field are still told."""
    place = ["byte 16 (0x10)", "bits 4-7", "record 2", "boards[1].tricks[0]"]
    assert lines(NIBBLE, RenderSource())[1].removeprefix("  --> ").split(", ") == place
    assert place_text(Diagnostic("x", Severity.NOTE, "m"), RenderSource()) == ""


def test_colours_only_on_a_terminal() -> None:
    """A pipe gets plain text; a terminal gets the same words in colours."""
    plain, coloured = (Console(force_terminal=on, color_system="standard" if on else None) for on in (False, True))
    for console, coded in ((plain, False), (coloured, True)):
        with console.capture() as capture:
            console.print(diagnostic_text(NIBBLE, BINARY))
        assert ("\x1b[" in capture.get()) is coded


def test_the_source_keeps_its_letters() -> None:
    """Text is read as UTF-8 where it can be and as Latin-1 else; controls never reach the terminal."""
    assert decode("ä".encode()) == decode("ä".encode("latin-1")) == "ä"
    assert printable("\x1b[31mX\r") == "·[31mX·"


@pytest.mark.parametrize(
    ("data", "told"), [(b"[Event]\r\n", True), (b"0102030405", False), (b"a\n\x00", False), (b"\xe4\n", False), (b"", False)]
)
def test_text_is_told_from_binary(data: bytes, told: bool) -> None:
    """Lines of text are text; one run of letters without a line end is better shown with offsets."""
    assert looks_like_text(data) is told


def test_labels_far_apart_do_not_print_what_lies_between() -> None:
    """Two places of a large file cost two rows, however far apart they are."""
    far = Label(Span.of_bytes(900_000, 2), "the other")
    shown = lines(Diagnostic("x", Severity.ERROR, "m", span=Span.of_bytes(3, 1), labels=(far,)), RenderSource("x", bytes(10**6)))
    assert [line.split("|")[0].strip() for line in shown[3:]] == ["0x00000", "", "...", "0xdbba0", ""]
