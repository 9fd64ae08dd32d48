"""Rules about bidding systems, each by a record that breaks it and one that does not."""

from __future__ import annotations

import re

import pytest

from bridgespec.model.carding import LETTERS, Carding
from bridgespec.model.convention_card import (
    CardRecord,
    Disposition,
    Flags,
    Header,
    Include,
    Meaning,
    OpeningSeat,
    StockCard,
    System,
    When,
    parse_sequence,
)
from bridgespec.model.document import Document
from bridgespec.rules import Finding, findings
from tests.told import numbers

HEADER = Header("Test")


def judge(*records: CardRecord) -> list[Finding]:
    """What is found of a system with a header and these records."""
    return findings(Document(system=System((HEADER, *records))))


def codes(*records: CardRecord) -> list[str]:
    """The codes alone."""
    return [finding.code for finding in judge(*records)]


def record(sequence: str, theirs: bool = False, position: int = 0, when: int = 0, text: str = "") -> Meaning:
    """A record without disposition and lengths."""
    return Meaning(parse_sequence(sequence), theirs, OpeningSeat(position), When(when), text=text)


def told(sequence: str, disposition: str, text: str, lengths: tuple[int, int] | None = None) -> Meaning:
    """A record with a disposition, by its character."""
    place = Disposition("0123456789ABCDE".index(disposition))
    return Meaning(parse_sequence(sequence), flags=Flags.parse("NNNNNNN"), disposition=place, lengths=lengths, text=text)


def test_a_clean_system() -> None:
    """Records in order, legal, ours, each situation once."""
    records = (
        StockCard("SAYC.bss"), record("1C"), record("1CP1D"), record("1N2C", theirs=True), record("1NDR"),
        Include("Jacoby.bss"), Carding("A" * LETTERS, "Smith echo"),
    )  # fmt: skip
    assert codes(*records) == []
    assert findings(Document()) == []


def test_illegal_call() -> None:
    """The first illegal call of the sequence is placed."""
    (finding,) = judge(record("1SP1H"))
    assert (finding.code, finding.at[0]) == ("system-illegal-call", ("system", 1, "sequence", 2))
    assert re.split("[:,] ", finding.message)[:3] == ["1SP1H", "call 3", "1H"]
    (finding,) = judge(record("1SPD"))
    assert finding.help is not None
    assert "P missing" in finding.help


def test_after_the_end() -> None:
    """What follows three passes is never reached."""
    (finding,) = judge(record("1CPPPP"))
    assert (finding.code, finding.message) == ("unreachable-sequence", "1CPPPP: the auction has ended before call 5, Pass")


def test_initial_passes() -> None:
    """A sequence begins with the opening."""
    (finding,) = judge(record("PP1S"))
    assert (finding.code, finding.message) == ("unreachable-sequence", "PP1S begins with a pass")


def test_opening_for_other_seats() -> None:
    """An answer in first seat to an opening that only third and fourth seat have cannot come up."""
    (finding,) = judge(record("2C", position=6), record("2CP2D", position=1))
    assert (finding.code, finding.message) == ("unreachable-sequence", "2CP2D: no record has 2C in this position and vulnerability")
    assert codes(record("2C", position=6), record("2CP2D", position=3)) == []
    assert codes(record("2C", position=6), record("2CP2D")) == []
    assert codes(record("2C", when=1), record("2CP2D", when=2)) == ["unreachable-sequence"]
    assert codes(record("2CP2D", position=1)) == [], "nothing is known of the opening"
    weak = record("1N{12-14}2C", theirs=True, position=6)
    (finding,) = judge(weak, record("1N{12-14}2CP2HP2S", theirs=True, position=2))
    assert finding.message.endswith("no record has 1N{12-14}2C in this position and vulnerability")
    assert codes(weak, record("1N2CP2H", theirs=True, position=2)) == [], "another qualifier is another call"


def test_opponents_call() -> None:
    """A record that ends with the opponents' call is never shown."""
    assert codes(record("1N", theirs=True)) == ["opponents-call"]
    assert codes(record("1CP")) == ["opponents-call"]


def test_duplicates() -> None:
    """The same situation twice; another seat, vulnerability or qualifier is another situation."""
    (finding,) = judge(record("1C", text="a"), record("1D"), record("1C", text="b"))
    assert (finding.code, finding.at, finding.labels) == ("duplicate-situation", (("system", 3),), ((("system", 1), "first here"),))
    assert codes(record("1C"), record("1C", position=1), record("1C", when=1)) == []
    assert codes(record("1N2C", theirs=True), record("1N{12-14}2C", theirs=True)) == []


def test_order() -> None:
    """Includes come after the bidding records, the stock card before."""
    assert codes(record("1C"), StockCard("a.bss")) == ["record-order"]
    assert codes(Include("a.bss"), record("1C")) == ["record-order"]
    assert codes(Carding("A" * LETTERS), Include("a.bss")) == ["record-order"]
    (finding,) = judge(Carding("A" * LETTERS), record("1C"), record("1D"))[:1]
    assert re.findall(r"(\w+) record", finding.message) == ["bidding", "carding"]


def test_twice() -> None:
    """Of two carding records the last one counts."""
    (finding,) = judge(Carding("A" * LETTERS), Carding("B" * LETTERS))
    assert (finding.code, finding.message) == ("record-twice", "a second carding record: the last one counts")
    assert codes(HEADER) == ["record-twice"]
    assert codes(StockCard("a"), StockCard("b")) == ["record-twice"]


def test_header_missing() -> None:
    """A system without a header has no name; an empty one is not blamed."""
    assert [finding.code for finding in findings(Document(system=System((record("1C"),))))] == ["header-missing"]
    assert findings(Document(system=System())) == []


@pytest.mark.parametrize(
    ("made", "rest"),
    [
        (told("1D", "3", "13+ / 4+!D / Usually open 1!D with 4-4", (4, 8)), "13+ / Usually open 1!D with 4-4"),
        (told("1D", "3", "4+ diamonds", (4, 8)), ""),
        (told("2H", "0", "5-6 !h, weak", (5, 6)), "weak"),
        (told("2H", "9", "Preemptive / 6-10", (6, 8)), "6-10"),
        (told("1NP2D", "A", "transfer; 5+!h", (0, 8)), "5+!h"),
        (told("1D", "3", "x  /  4+!d ;; y , z", (4, 8)), "x  /  ; y , z"),
        (told("1D", "3", "4+!d;" + 50_000 * " " + "x", (4, 8)), "x"),
        (told("1D", "3", 20_000 * "4+!d; " + "x", (4, 8)), "x"),
    ],
)
def test_repeated_display(made: Meaning, rest: str) -> None:
    """What is shown anyway is left out by the repair."""
    (finding,) = judge(made)
    assert finding.code == "repeated-display"
    assert finding.fix is not None
    assert isinstance(finding.fix.value, Meaning)
    assert finding.fix.value.text == rest


@pytest.mark.parametrize(
    "made",
    [
        told("1D", "3", "13+ / Usually 5", (4, 8)),
        told("1D", "3", "3+!d", (4, 8)),
        told("2D", "0", "4+!h", (4, 8)),
        told("1N", "5", "Forcing if passed", None),
    ],
)
def test_text_of_its_own(made: Meaning) -> None:
    """Other lengths, other suits and longer sentences say something new."""
    assert codes(made) == []


def test_long_words() -> None:
    """Words of more than 55 characters run out of the window, in every kind of text; a coded suit counts as one."""
    word = "x" * 56
    assert codes(record("1C", text=f"see {word}")) == ["long-word"]
    assert codes(Carding("A" * LETTERS, word)) == ["long-word"]
    assert codes(record("1C", text="x" * 55)) == []
    assert codes(record("1C", text="!s" * 55)) == []
    assert codes(record("1C", text=f"{'x' * 30}\\\\{'y' * 30}")) == []
    assert [f.code for f in findings(Document(system=System((Header("a", word),))))] == ["long-word"]


@pytest.mark.parametrize(
    ("made", "meant"),
    [
        (told("1NDR", "8", "+ HCP / Usually balanced"), "8+ HCP / Usually balanced"),
        (told("1N", "1", "5-17"), "15-17"),
        (told("1N", "1", "2--14 BAL"), "12--14 BAL"),
        (told("2N", "2", "0 - 22"), "20 - 22"),
        (told("1NP2N", "7", "-9 HCP"), "7-9 HCP"),
        (told("2NP3C", "A", "sking for majors"), "Asking for majors"),
        (told("1N", "B", "alanced"), "Balanced"),
    ],
)
def test_lost_disposition(made: Meaning, meant: str) -> None:
    """The text's own first character was read as the disposition: the repair puts a 0 before it."""
    (finding,) = judge(made)
    assert finding.code == "lost-disposition"
    assert finding.fix is not None
    assert isinstance(finding.fix.value, Meaning)
    assert (finding.fix.value.disposition, finding.fix.value.text) == (Disposition.NONE, meant)


@pytest.mark.parametrize(
    "made",
    [
        told("1NP2N", "4", "8-9 / Invites 3NT / Non-forcing"),
        told("1CP1N", "2", "MIN (12-14) No 4 card major"),
        told("1CP1N", "2", "6-10"),
        told("1N", "0", "15--17 BAL"),
        told("1NP2N", "A", "to clubs"),
        told("1C", "3", "+ or more", (3, 8)),
    ],
)
def test_dispositions_that_stand(made: Meaning) -> None:
    """Real dispositions before real texts are left alone."""
    assert codes(made) == []


def test_size() -> None:
    """Above two million bytes nothing is shared."""
    many = [record(f"{level}{suit}", text="word " * 200) for level in range(1, 8) for suit in "CDHSN"]
    big = System((HEADER, *many * 60))
    assert big.size > 2_000_000
    assert "system-size" in {finding.code for finding in findings(Document(system=big))}
    assert "system-size" not in codes(*many)


@pytest.mark.parametrize("name", ["../x.bss", "/etc/passwd", "C:\\x.bss", "a/b.bss", "..", "", "a\0b"])
def test_include_path(name: str) -> None:
    """Names that lead elsewhere are errors, for includes and stock cards."""
    assert codes(Include(name)) == codes(StockCard(name)) == ["include-path"]


@pytest.mark.parametrize("name", ["Jacoby.bss", "my card 2.bss", "a..b.bss", "Ogust"])
def test_include_names(name: str) -> None:
    """Plain names are fine."""
    assert codes(Include(name)) == []


def test_carding_letters() -> None:
    """A fourth card of QJ10 is allowed for (A may mean none), a fifth is not; a signal past K is none."""
    letters = ["A"] * LETTERS
    letters[12], letters[57] = "D", "K"
    assert codes(Carding("".join(letters))) == []
    letters[12], letters[57] = "E", "L"
    first, second = judge(Carding("".join(letters)))
    assert (first.at[0], first.message) == (("system", 1, "letters", 12), "E names no card of J109, the lead against notrump")
    assert (second.at[0], second.message[0], numbers(second.message)) == (("system", 1, "letters", 57), "L", [3])


def test_includes() -> None:
    """A file that was looked for in vain is a warning, one that includes more an error; others, or none looked for, are fine."""
    records = (HEADER, StockCard("card"), record("1C"), Include("a"), Include("b"), Include("c"))
    found = (("card", None), ("a", None), ("b", System((HEADER, Include("a")))), ("c", System((HEADER,))))
    assert [finding.code for finding in findings(Document(system=System(records, found)))] == [
        "include-missing", "include-missing", "include-nested",
    ]  # fmt: skip
    assert findings(Document(system=System(records))) == []


def test_own_records_come_before_included_ones() -> None:
    """Of equally specific records the system's own pops up, then an include's, then the stock card's."""
    card = System((HEADER, record("1C", text="card"), record("1D", text="card"), record("1H", text="card")))
    more = System((HEADER, record("1C", text="more"), record("1D", text="more")))
    mine = System(
        (HEADER, StockCard("s"), record("1C", text="own"), Include("m")), (("s", card), ("m", more), ("x", None))
    ).combined
    shown = [mine.find(parse_sequence(text))[0][1].text for text in ("1C", "1D", "1H")]
    assert shown == ["own", "more", "card"]


def test_calls_without_end() -> None:
    """Sequences that no auction can have are judged by their first illegal call, however long they are."""
    assert codes(record("1C" * 20_000 + "1D", True)) == ["system-illegal-call"]
    assert codes(record("1CPPP" + "P1D" * 20_000)) == ["unreachable-sequence"]


def test_equal_sequences_are_judged_alike() -> None:
    """Records are judged by what their calls are, whether or not they share one sequence."""
    shared = record("1CP1C", when=1)
    found = judge(shared, Meaning(shared.sequence, when=When.WE), record("1CP1C", when=1))
    places = [(finding.code, finding.at[0][1]) for finding in found]
    assert sorted(places) == [("duplicate-situation", 3), *(("system-illegal-call", index) for index in (1, 2, 3))]


def test_lengths_are_in_order() -> None:
    """The shortest length is not above the longest; equal lengths are one length."""
    (finding,) = judge(told("1C", "0", "Clubs", (8, 5)))
    assert (finding.code, finding.at[0]) == ("length-order", ("system", 1, "lengths"))
    assert (finding.message.split()[0], numbers(finding.message)) == ("1C", [8, 5])
    assert finding.fix is not None
    assert finding.fix.value == told("1C", "0", "Clubs", (5, 8))
    assert codes(told("1C", "0", "Clubs", (4, 4))) == codes(told("1C", "0", "Clubs", (5, 8))) == []
