"""Bidding systems: which record pops up, what it shows, and the codes behind it."""

from __future__ import annotations

import pytest

from bridgespec.model.auction import Call, Illegal
from bridgespec.model.carding import LETTERS, NOTRUMP_LEADS, SIGNALS, SITUATIONS, SUIT_LEADS, Carding
from bridgespec.model.convention_card import (
    Danger,
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
    sequence_text,
)
from bridgespec.model.disclosure import display, length_text, plain_text, tree


def calls(text: str) -> list[Call]:
    """Calls of words."""
    return [Call.parse(word) for word in text.split()]


def meaning(sequence: str, text: str = "", position: int = 0, when: int = 0, theirs: bool = False) -> Meaning:
    """A record."""
    return Meaning(parse_sequence(sequence), theirs, OpeningSeat(position), When(when), text=text)


def test_positions_cover_their_seats() -> None:
    """5 is first or second seat, 6 third or fourth, 0 any."""
    assert [sorted(OpeningSeat(code).seats) for code in (0, 1, 4, 5, 6)] == [[1, 2, 3, 4], [1], [4], [1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("code", "dangers"),
    [
        (0, {Danger.NONE, Danger.WE, Danger.THEY, Danger.BOTH}),
        (1, {Danger.NONE}),
        (2, {Danger.WE}),
        (3, {Danger.THEY}),
        (4, {Danger.BOTH}),
        (5, {Danger.NONE, Danger.THEY}),
        (6, {Danger.WE, Danger.BOTH}),
        (7, {Danger.NONE, Danger.WE}),
        (8, {Danger.THEY, Danger.BOTH}),
    ],
)
def test_vulnerability_codes(code: int, dangers: set[Danger]) -> None:
    """Each code covers the vulnerabilities that its source gives."""
    assert When(code).covers == dangers


def test_dispositions_have_the_source_words() -> None:
    """1..9 and A..E, and 0 for no agreement."""
    assert [Disposition(i).code for i in range(15)] == list("0123456789ABCDE")
    assert Disposition(8).label == "Control bid"
    assert Disposition(14).label == "Asking bid response"
    assert Disposition(0).label == ""


@pytest.mark.parametrize("text", ["1C", "1CP1DP1N", "1NDR", "1N{12-14}2N{12-14}3C", "7NDR", ""])
def test_sequence_text(text: str) -> None:
    """Sequences are written as they were read."""
    assert sequence_text(parse_sequence(text)) == text


@pytest.mark.parametrize(("text", "place"), [("1CX", 3), ("8C", 1), ("1C2", 3), ("1c", 1), ("1N{12", 3), ("1CPP1NT", 7)])
def test_sequence_faults(text: str, place: int) -> None:
    """The place of the first character that is not a call is told."""
    with pytest.raises(ValueError, match=f"at character {place} of"):
        parse_sequence(text)


@pytest.mark.parametrize("text", ["NNNNNN", "NNNNNNNN", "NNNNNNy", "ANNNNNN"])
def test_bad_flags(text: str) -> None:
    """Flags are seven letters Y or N."""
    with pytest.raises(ValueError, match="seven letters"):
        Flags.parse(text)


SYSTEM = System(
    (
        Header("Test", "for tests"),
        StockCard("SAYC.bss"),
        meaning("1N", "15-17"),
        meaning("1N", "12-14 when we are not vulnerable", when=5),
        meaning("1N", "10-12 first or second seat, not vulnerable", position=5, when=5),
        meaning("1N", "10-12 first seat, none vulnerable", position=1, when=1),
        meaning("1NP2C", "Stayman"),
        meaning("1N2C", "Landy", theirs=True),
        meaning("1N{12-14}2C", "majors over a weak one", theirs=True),
        Include("Jacoby.bss"),
        Carding("A" * LETTERS, "old"),
        Carding("B" * LETTERS, "new"),
    )
)


@pytest.mark.parametrize(
    ("seat", "danger", "text"),
    [
        (1, Danger.NONE, "10-12 first seat, none vulnerable"),
        (2, Danger.NONE, "10-12 first or second seat, not vulnerable"),
        (1, Danger.THEY, "10-12 first or second seat, not vulnerable"),
        (3, Danger.THEY, "12-14 when we are not vulnerable"),
        (3, Danger.WE, "15-17"),
        (1, Danger.BOTH, "15-17"),
    ],
)
def test_the_most_specific_record_pops_up(seat: int, danger: Danger, text: str) -> None:
    """Fewer seats count before fewer vulnerabilities."""
    assert SYSTEM.find(calls("1NT"), seat, danger)[0][1].text == text


def test_initial_passes_tell_the_seat() -> None:
    """Two passes put the opening into third seat; another seat contradicts them."""
    assert SYSTEM.find(calls("P P 1NT"), danger=Danger.NONE)[0][1] is SYSTEM.records[3]
    with pytest.raises(ValueError, match="in seat 3, not 1"):
        SYSTEM.find(calls("P P 1NT"), seat=1)


def test_answers_of_an_opening_cover_the_seats_that_are_open() -> None:
    """All four where neither passes nor the caller tell the seat; else that one."""

    def seats(text: str, seat: int | None = None) -> set[int]:
        return {place for answer in SYSTEM.answers(calls(text), seat) for place, _ in answer.situations}

    assert seats("1NT") == {1, 2, 3, 4}
    assert seats("1NT", 2) == {2}
    assert seats("P P 1NT") == {3}


def test_sides_are_told_by_the_count_of_calls() -> None:
    """The last call is ours: an odd count means that we opened, an even one that they did."""
    assert [item[1].text for item in SYSTEM.find(calls("1NT P 2C"))] == ["Stayman"]
    assert [item[1].text for item in SYSTEM.find(calls("1NT 2C"))] == ["Landy"]
    assert SYSTEM.find(calls("1NT 2C"), opponents_opened=False) == []


def test_qualifiers_must_be_met() -> None:
    """A record for a weak notrump shows only where the auction says so, and then before the general one."""
    found = SYSTEM.find(parse_sequence("1N{12-14}2C"))
    assert [item[1].text for item in found] == ["majors over a weak one", "Landy"]


def test_nothing_pops_up() -> None:
    """A call without a record has none, and so has an empty auction."""
    assert SYSTEM.find(calls("7NT")) == []
    assert SYSTEM.find([]) == []
    assert SYSTEM.find(calls("P P")) == []


def test_parts() -> None:
    """The header names the system, the last carding record counts."""
    assert (SYSTEM.name, SYSTEM.stock_card, SYSTEM.includes) == ("Test", "SAYC.bss", ("Jacoby.bss",))
    assert SYSTEM.carding is not None
    assert SYSTEM.carding.text == "new"
    assert (System().name, System().stock_card, System().carding) == ("", None, None)


def test_size_is_that_of_the_written_lines() -> None:
    """The size is counted as the records are written, with two bytes a line end."""
    lines = ["*00{Test}=NYYYYYYfor tests", "$SAYC.bss", "001N=NYYYYYY15-17", "*001N{12-14}2C=NYYYYYY048hello"]
    last = Meaning(parse_sequence("1N{12-14}2C"), True, disposition=Disposition.NONE, lengths=(4, 8), text="hello")
    system = System((Header("Test", "for tests"), StockCard("SAYC.bss"), meaning("1N", "15-17"), last))
    assert system.size == sum(len(line) + 2 for line in lines)


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (
            Meaning(parse_sequence("1NP2CP2DP2H"), disposition=Disposition(4), lengths=(5, 5), text="5!H"),
            "Invitational; 5-5 hearts; 5♥",
        ),
        (Meaning(parse_sequence("1C"), disposition=Disposition(3), lengths=(3, 8), text="13+"), "Constructive; 3+ clubs; 13+"),
        (Meaning(parse_sequence("1NP2C"), disposition=Disposition(13), lengths=(0, 8), text="STAYMAN"), "Asking bid; STAYMAN"),
        (Meaning(parse_sequence("1N"), disposition=Disposition(0), text="15-17\\nbalanced"), "15-17\nbalanced"),
        (Meaning(parse_sequence("1ND"), text="Stop!! now\\\\please"), "Stop! now\nplease"),
        (Meaning(parse_sequence("1S")), ""),
    ],
)
def test_display(record: Meaning, shown: str) -> None:
    """The word, the length and the text stand together, codes replaced."""
    assert display(record) == shown


def test_plain_text_keeps_what_is_no_code() -> None:
    """A lone exclamation mark or backslash stays."""
    assert plain_text("a! b\\ !x !!s").split(" ") == ["a!", "b\\", "!x", "!s"]


def test_lengths_in_words() -> None:
    """3-7 is a range, 8 is a plus, notrump and passes have none."""
    assert length_text(Meaning(parse_sequence("3S"), lengths=(3, 7))) == "3-7 spades"
    assert length_text(Meaning(parse_sequence("2S"), lengths=(6, 8))) == "6+ spades"
    assert length_text(Meaning(parse_sequence("2N"), lengths=(6, 8))) == ""


def test_tree() -> None:
    """Openings stand at the top, continuations below, several records of one call together."""
    (opening,) = tree(SYSTEM, False)
    assert len(opening.records) == 4
    passed = next(iter(opening.followers.values()))
    assert (passed.records, [str(step.call) for step in passed.followers]) == ([], ["2C"])
    assert [sequence_text(node.sequence) for node in tree(SYSTEM, True)] == ["1N", "1N{12-14}"]


def test_whose_call() -> None:
    """After our opening the odd calls are ours, after theirs the even ones."""
    assert meaning("1NP2C").is_ours
    assert not meaning("1NP").is_ours
    assert meaning("1N2C", theirs=True).is_ours
    assert not meaning("1N", theirs=True).is_ours


def test_illegal_sequences() -> None:
    """The first illegal call of a sequence is told."""
    assert meaning("1SP1H").illegal == (2, Illegal.INSUFFICIENT)
    assert meaning("1NDR").illegal is None


def test_carding_counts() -> None:
    """22 leads against notrump, 18 against suits, 18 signals: 58 letters."""
    assert (len(NOTRUMP_LEADS), len(SUIT_LEADS), 3 * len(SITUATIONS), len(SIGNALS), LETTERS) == (22, 18, 18, 11, 58)


def test_carding_decoded() -> None:
    """Each letter goes to its holding or situation, in the order of the record."""
    letters = "BCDEACDDDBAAAAABBBBBBB" + "BCDEACDDDABAAAABBB" + "BFA" + "CGI" + "DAA" + "EAA" + "HJK" + "ZAA"
    carding = Carding(letters)
    assert [lead.marked for lead in carding.notrump_leads[:4]] == ["x[x]", "xx[x]", "xxx[x]", "xxxx[x]"]
    assert carding.notrump_leads[-1].marked == "Q[10]9"
    assert [(lead.holding, lead.card) for lead in carding.suit_leads[9:11]] == [("AK", "A"), ("AKx", "K")]
    signals = list(carding.signals.values())
    assert signals[1] == ("attitude, high discourages", "count, high odd", "suit preference, high asks high")
    assert signals[5][0] == "?"


@pytest.mark.parametrize("letters", ["A" * 57, "A" * 59, "A" * 57 + "é", "A" * 57 + "1"])
def test_bad_carding(letters: str) -> None:
    """A carding record has 58 letters."""
    with pytest.raises(ValueError, match="58 letters"):
        Carding(letters)
