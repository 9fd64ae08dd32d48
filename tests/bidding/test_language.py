"""The language: every mistake is a finding with its place, in bounded time."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.bidding import language
from bridgespec.bidding.checking import check_system
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.language import MOST_RULES, SHIPPED, SystemReader
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, number_of
from bridgespec.diagnostic import Guess
from bridgespec.errors import UsageError
from bridgespec.model.auction import Call
from bridgespec.model.evaluate import hand_of


def read(folder: Path, text: str, **others: str) -> SystemReader:
    """The reader of a system in a folder, with other files beside it."""
    for name, content in others.items():
        (folder / f"{name}.bid").write_text(content, "utf-8")
    path = folder / "main.bid"
    path.write_text(text, "utf-8")
    reader = SystemReader([folder])
    reader.read(path)
    return reader


@pytest.mark.parametrize(
    ("text", "code", "line", "says"),
    [
        ("opening:\n  1NT shows 15-17 hpc\n", "bid-unknown-word", 2, "hpc"),
        ("opening when vulnerabel:\n  1NT shows 15-17 hcp\n", "bid-unknown-word", 1, "vulnerabel"),
        ("opening:\n  1NT shows 17-15 hcp\n", "bid-contradiction", 2, "backwards"),
        ("opening:\n  1NT shows {low}-17 hcp\n", "bid-unknown-word", 2, "low"),
        ("take staymen\n", "bid-missing-file", 1, "staymen"),
        ("take stayman with lwo = 12\n", "bid-unknown-word", 1, "lwo"),
        ("opening:\n  1NT shows (15-17 hcp\n", "unreadable-line", 2, "the line ends"),
        ("opening\n  1NT shows 15-17 hcp\n", "unreadable-line", 1, "':'"),
        ("take main\n", "bid-recursion", 1, "takes itself"),
        ("  1NT shows 15-17 hcp\n", "bid-no-situation", 1, "no situation"),
        ("opening when levl 1-2:\n  1NT shows 15-17 hcp\n", "bid-unknown-word", 1, "no fact levl"),
        ("when partnr 4+ hearts:\n  P\n", "bid-unknown-word", 1, "no player partnr"),
        ("when they 4+ hearts:\n  P\n", "bid-unknown-word", 1, "no player they"),
        ("when unbidd hearts:\n  P\n", "bid-unknown-word", 1, "no fact unbidd"),
        ("take other\n", "bid-recursion", 1, "takes itself"),
        ("opening:\n  P steps 0-11 hcp | 12+ hcp\n", "bid-steps", 2, "first bid"),
        ("opening:\n  7S steps 0 aces | 1 aces | 2 aces\n", "bid-steps", 2, "room below 7NT"),
    ],
)
def test_mistakes_are_findings(tmp_path: Path, text: str, code: str, line: int, says: str) -> None:
    """The code, the line and the word of each."""
    reader = read(tmp_path, text, other="take main\n")
    found = reader.findings[0]
    assert found.code == code
    assert found.span is not None
    assert found.span.line == line
    assert says in found.message


def test_close_words_are_suggested(tmp_path: Path) -> None:
    """A misspelt term or file is answered with the nearest known one."""
    for text, pair in (("opening:\n  1NT shows 15-17 hcpp\n", ("hcpp", "hcp")), ("take staymann\n", ("staymann", "stayman"))):
        help = read(tmp_path, text).findings[0].help
        assert isinstance(help, Guess)
        assert (help.written, help.meant) == pair


def test_what_is_below_an_unreadable_line_is_not_blamed(tmp_path: Path) -> None:
    """A rule whose situation could not be read is not said to have none."""
    assert [found.code for found in read(tmp_path, "opening\n  1NT shows 15-17 hcp\n  1S\n").findings] == ["unreadable-line"]


def test_the_clauses_of_a_rule_are_kept(tmp_path: Path) -> None:
    """Preference, force, question, agreement, and numbers that are worked out from parameters."""
    text = (
        "parameter strong = 16\nopening:\n  1NT shows {strong - 1}-{2 + strong - 1} hcp prefer 2.5 signoff\n"
        "  4NT forcing asks blackwood hearts agrees spades artificial\n  2C forcing to game\n"
    )
    (section,) = read(tmp_path, text).modules[0].sections
    first, second, third = section.rules
    assert (first.prefer, first.signoff, first.forcing, first.artificial) == (2.5, True, None, False)
    assert first.shows is not None
    assert (first.shows.low, first.shows.high) == (15, 17)
    assert (second.asks, second.agrees, second.forcing, second.artificial) == (("blackwood", "hearts"), "spades", "round", True)
    assert (third.forcing, third.prefer) == ("game", 0)


def test_answers_by_steps_are_successive_bids(tmp_path: Path) -> None:
    """Each step has its words and what it shows; the line is one rule with one reason."""
    text = 'when asked aces:\n  4NT "aces" steps 0 aces | "one" 1 aces | "two, strong" 2 aces, 9+ hcp artificial because "so"\n'
    (section,) = read(tmp_path, text).modules[0].sections
    assert [rule.made.text for rule in section.rules] == ["4NT", "5C", "5D"]
    assert [rule.text for rule in section.rules] == ["aces", "one", "two, strong"]
    assert {(rule.artificial, rule.because, rule.place.line) for rule in section.rules} == {(True, "so", 2)}
    system = BiddingSystem.load(_written(tmp_path, "opening:\n  1NT steps 0 aces | 1 aces | 2 aces shows 9+ hcp\n"))
    engine = BiddingEngine(system, system)
    choice = engine.choose(engine.start((False, False)), hand_of("AKQ2.AKQ2.432.32"))
    assert CALL_NAMES[choice.call] == "2D"


def test_situations_share_their_rules(tmp_path: Path) -> None:
    """Each of them has the rules below, and what stands after ``when`` is a condition of all."""
    system = BiddingSystem.load(_written(tmp_path, "after 1NT 2C or after 2NT (X) 3x when opener:\n  3NT\nopening:\n  P\n"))
    assert [len(section.steps or ()) for section in system.modules[0].sections] == [2, 3, 0]
    for calls in ("1NT P 2C P", "2NT X 3C P", "2NT X 3H P"):
        turn = BiddingEngine(system, system).start((False, False))
        for word in calls.split():
            turn = BiddingEngine(system, system).after(turn, number_of(Call.parse(word)))
        assert [rule.written.made.text for rule in system.rules(turn)] == ["3NT"]


def test_the_preferred_rule_is_asked_first(tmp_path: Path) -> None:
    """Whatever the order of the file; equals stay in that order."""
    system = BiddingSystem.load(_written(tmp_path, "opening:\n  1C\n  1D prefer 1\n  1H prefer 2\n  1S prefer 1\n"))
    turn = BiddingEngine(system, system).start((False, False))
    assert [rule.written.made.text for rule in system.rules(turn)] == ["1H", "1D", "1S", "1C"]


def _written(folder: Path, text: str) -> Path:
    path = folder / "main.bid"
    path.write_text(text, "utf-8")
    return path


def test_many_mistakes_are_all_told(tmp_path: Path) -> None:
    """Reading goes on after a mistake of meaning."""
    assert len(read(tmp_path, "opening:\n  1NT shows 1 foo, 2 bar\n  1S shows 3 baz\n").findings) == 3


def test_rules_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    """What stands above a convention that is taken comes before it, and what stands below after it."""
    text = "opening:\n  1C\ntake other\nopening:\n  1D\ntake third\nopening:\n  1H\n"
    reader = read(tmp_path, text, other="opening:\n  2C\n", third="opening:\n  2D\n")
    made = [rule.made.text for module in reader.modules for section in module.sections for rule in section.rules]
    assert made == ["1C", "2C", "1D", "2D", "1H"]
    turn = BiddingEngine(system := BiddingSystem.load(tmp_path / "main.bid"), system).start((False, False))
    assert [rule.written.made.text for rule in system.rules(turn)] == made


@pytest.mark.long
def test_a_million_rules_end(tmp_path: Path) -> None:
    """Too many rules are one finding, and the rest is not read."""
    reader = read(tmp_path, "opening:\n" + "  1C\n" * (MOST_RULES + 50))
    assert [found.code for found in reader.findings] == ["bid-too-large"]


def test_deep_nesting_ends(tmp_path: Path) -> None:
    """Nesting beyond all reason is a finding or is read, never an exception."""
    reader = read(tmp_path, "opening:\n  1C shows " + "(" * 3000 + "5+ clubs" + ")" * 3000 + "\n")
    assert all(found.code in ("bid-too-large", "too-deep", "unreadable-line") for found in reader.findings)


def test_a_hand_without_a_call_is_found(tmp_path: Path) -> None:
    """A system without a last resort is shown a hand that it cannot bid."""
    (tmp_path / "main.bid").write_text("opening:\n  1NT shows 15-17 hcp\n", "utf-8")
    checked = check_system(BiddingSystem.read(tmp_path / "main.bid"), 20, 1000)
    assert "bid-no-call" in {finding.code for finding in checked.findings}


@pytest.mark.long
@pytest.mark.parametrize("name", ["sayc", "two-over-one", "precision"])
def test_our_systems_have_no_findings(name: str) -> None:
    """The systems of the package are read and checked without an error or a warning."""
    assert check_system(BiddingSystem.read(name), 200, 1000).findings == ()


@pytest.mark.long
def test_what_is_kept_of_the_packages_systems_may_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kept rules name no folder of this machine, keep one name wherever it is, and places are the files'."""
    monkeypatch.setenv("BRIDGESPEC_CACHE", str(tmp_path))
    first, again = SystemReader(), SystemReader()
    monkeypatch.setattr(language, "_MODULES", {})
    first.read(SHIPPED / "sayc.bid")
    kept = sorted((tmp_path / "rules").iterdir())
    assert len(kept) > 20
    assert not any(str(SHIPPED) in file.read_text("utf-8") for file in kept)
    monkeypatch.setattr(language, "_MODULES", {})
    again.read(SHIPPED / "sayc.bid")
    assert again.modules == first.modules
    assert sorted((tmp_path / "rules").iterdir()) == kept
    places = {section.place.file for module in again.modules for section in module.sections}
    assert str(SHIPPED / "conventions" / "natural.bid") in places


def test_a_system_is_made_once_while_its_files_are_unchanged(tmp_path: Path) -> None:
    """A changed convention gives another system, and a missing one an error; the earlier content gives the earlier rules."""

    def made() -> list[str]:
        system = BiddingSystem.load(tmp_path / "main.bid")
        return [rule.made.text for module in system.modules for section in module.sections for rule in section.rules]

    main, other = tmp_path / "main.bid", tmp_path / "other.bid"
    main.write_text("opening:\n  1C\ntake other\nopening:\n  1D\n", "utf-8")
    other.write_text("opening:\n  2C\n", "utf-8")
    assert made() == ["1C", "2C", "1D"]
    assert BiddingSystem.load(main) is BiddingSystem.load(main)
    other.write_text("opening:\n  2D\n", "utf-8")
    assert made() == ["1C", "2D", "1D"]
    other.unlink()
    with pytest.raises(UsageError, match="there is no other"):
        made()
    other.write_text("opening:\n  2C\n", "utf-8")
    assert made() == ["1C", "2C", "1D"]
