"""Text that no program writes: what it costs is a finding with its place, never an exception."""

from __future__ import annotations

import pytest

from bridgespec import api


def test_an_auction_that_the_dealer_does_not_begin_has_its_place() -> None:
    """An auction that begins with another seat than the dealer is reported at the auction's seat."""
    text = '[Board "1"]\n[Dealer "W"]\n[Vulnerable "None"]\n[Auction "N"]\n1H Pass 1S Pass\n'
    (found,) = [d for d in api.check(text.encode(), "pbn") if d.code == "auction-dealer"]
    assert found.span is not None
    assert found.span.byte_start == text.index('"N"') + 1
    assert found.field == "boards[0].tag[3].value.seat"


@pytest.mark.parametrize(
    ("format", "before", "after"),
    [
        ("pbn", '[Board "1"]\n[Result "', '"]\n'),
        ("pbn", '[Board "1"]\n[Score "NS -', '"]\n'),
        ("pbn", '[Board "', '"]\n'),
        ("pbn", '[Board "1"]\n[Dealer "N"]\n[Auction "N"]\n1C $', "\n"),
        ("pbn", '[Board "1"]\n[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]\nN NT ', "\n"),
        ("lin", "qx|o1|mc|", "|\n"),
        ("lin", "qx|o1|ah|Board ", "|\n"),
        ("lin", "vg|x,y,I,", ",1,a,0,b,0|\n"),
    ],
)
def test_numbers_without_end_are_no_numbers(format: str, before: str, after: str) -> None:
    """Five thousand digits in place of a number cause no internal error and are written back."""
    data = (before + "9" * 5000 + after).encode()
    report = api.engine().examine(data, format)
    assert not [d for d in report.diagnostics if d.code == "internal"]
    assert api.dumps(report.document, format) == data


@pytest.mark.parametrize("before", ['[Board "1"]\n', '[Board "1"]\n[Auction "N"]\n1C ', "{first}\n"])
def test_comments_have_no_escapes(before: str) -> None:
    """Quotes, backslashes and letters beyond ASCII in a comment are read as they are, and written so."""
    words = 'he said "hi" \\ \xe9'
    document = api.loads((before + "{" + words + '}\n[Dealer "N"]\n').encode(), "pbn")
    again = api.loads(api.dumps(document, "pbn", canonical=True), "pbn")
    for one in (document, again):
        assert words in [comment.text for comment in one.boards[0].comments]


@pytest.mark.parametrize("value", ["?:PPPP", "N:PPPP", ":A", "NZ", ""])
@pytest.mark.parametrize("format", ["rbn", "rbx"])
def test_an_auction_that_is_not_read_makes_no_dealer(format: str, value: str) -> None:
    """Written anew, the board has neither a dealer nor a vulnerability that the file does not name, and nothing is found in it."""
    text = f"B 1\nA {value}\n" if format == "rbn" else f"B{{1}}A{{{value}}}\n"
    document = api.loads(text.encode(), format)
    fresh = api.dumps(document, format, canonical=True)
    assert api.check(fresh, format) == []
    assert api.loads(fresh, format).boards[0].dealer is None


def test_suits_that_stand_alone_are_deals_without_a_finding() -> None:
    """A layout of one suit is no whole deal, and its hands are not of a wrong size."""
    data = bytes.fromhex("16000000 01000000 01000000 01000000 88526a74")
    report = api.engine().examine(data, "zbs")
    assert [board.deal.sizes for board in report.document.boards if board.deal] == [(1, 1, 0, 0), (0, 0, 0, 1)]
    assert report.diagnostics == ()
    for target in ("pbn", "lin"):
        assert api.check(api.dumps(report.document, target), target) == []
