"""Scores: the methods against a second scorer, the special cases of the laws, and real files against the totals that they state."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from bridgespec import Board, load, score
from bridgespec.errors import UsageError
from bridgespec.model.cards import Side
from bridgespec.model.table import Column, Table
from bridgespec.scoring.comparison import BoardScore, Comparison, Method, compare
from bridgespec.scoring.report import ranking, with_tables
from bridgespec.scoring.result import ResultOrigin, Ruling, TableResult
from bridgespec.scoring.session import Entrant, EventRules, ScoredSession, rounded, score_session
from bridgespec.scoring.sheet import of_boards, read_rows
from bridgespec.scoring.stated import stated_totals
from bridgespec.scoring.victory import VictoryScale
from tests.told import numbers

from . import oracle
from .events import made_session

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT.parent / "shared/data/pbn", *map(Path, filter(None, [os.environ.get("BRIDGESPEC_PBN_FILES")]))]
"""Real files, which may not be redistributed: a part beside the checkout, all of ContractBridge/pbn-files where it is named."""
CLUB = ROOT / "tests/scoring/samples/club.csv"


def field(*scores: int, number: int = 1) -> list[TableResult]:
    """Results of one board, contestants ``n0`` and ``e0``, ``n1`` and ``e1``, ..."""
    return [TableResult(number, f"n{index}", f"e{index}", score=score) for index, score in enumerate(scores)]


def values(board: BoardScore, side: Side = Side.NS) -> list[Fraction | None]:
    """What a side has of each result."""
    return [one.value for one in board.of(side)]


@pytest.mark.long
@pytest.mark.parametrize("method", [Method(), Method(ascherman=True)], ids=["usual", "ascherman"])
def test_matchpoints_are_those_of_the_second_scorer(method: Method) -> None:
    """On every board of a made-up session, for both sides; the two sides share a top."""
    results = made_session(3).results
    for number in range(1, 22):
        own = [one for one in results if one.number == number]
        board = compare(number, own, method, len(own))
        for one, ns, ew in zip(own, board.ns, board.ew, strict=True):
            assert one.score is not None
            assert (ns.value, ns.top) == oracle.matchpoints(own, one.score, method.ascherman)
            assert ns.value is not None
            assert ew.value == ns.top - ns.value


@pytest.mark.long
@pytest.mark.parametrize("extremes", [0, 15, 30])
def test_imps_are_those_of_the_second_scorer(extremes: int) -> None:
    """Means and totals against the field, and Butler's with shares of extremes left out."""
    results = made_session(4).results
    for number in range(1, 22):
        own = [one for one in results if one.number == number]
        mean, total = (compare(number, own, Method(Comparison.CROSS_IMPS, total=whole), 7) for whole in (False, True))
        butler = compare(number, own, Method(Comparison.BUTLER, extremes=Fraction(extremes, 100)), 7)
        for one, by_mean, by_total, by_datum in zip(own, mean.ns, total.ns, butler.ns, strict=True):
            assert one.score is not None
            assert by_mean.value == oracle.cross_imps(own, one.score)
            assert by_total.value == 6 * oracle.cross_imps(own, one.score)
            assert by_datum.value == oracle.butler(own, one.score, 7 * extremes // 100)


def test_neuberg() -> None:
    """A board played six times of seven: 4 and 9 match points become 4.83 and 10.67 of 12 (the example of the EBU's page)."""
    board = compare(1, field(100, 200, 300, 400, 400, 500), Method(), 7)
    by_score = dict(zip((100, 200, 300), values(board), strict=False))
    assert by_score[300] == (4 + 1) * Fraction(7, 6) - 1
    nine = compare(1, field(100, 200, 300, 400, 500, 500), Method(), 7)
    assert values(nine)[-1] == (9 + 1) * Fraction(7, 6) - 1
    assert values(compare(1, field(100), Method(), 7)) == [6]
    assert values(compare(1, field(100, 200), Method(neuberg=False), 7)) == [0, 12]
    assert (numbers(board.note), board.note.rpartition(" ")[2]) == ([6, 7], "Neuberg")


def test_weighted_and_split_scores() -> None:
    """A weighted score has the mean of what its parts have, and others against it too; a split one is compared for each side."""
    weighted = replace(field(0)[0], score=None, ruling=Ruling.parse("60% 620; 40% -100"))
    board = compare(1, [weighted, *field(620, 170)], Method(), 3)
    assert values(board) == [Fraction(6, 10) * 3, Fraction(4, 10) * 2 + Fraction(6, 10) + 2, Fraction(4, 10) * 2]
    assert sum(value for value in values(board) if value is not None) == 6
    split = replace(field(0)[0], score=None, ruling=Ruling.parse("620 / 650"))
    board = compare(1, [split, *field(630, 170)], Method(), 3)
    assert values(board) == [2, 4, 0]
    assert values(board, Side.EW) == [0, 2, 4]


def session_with_awards(ruling: str) -> ScoredSession:
    """Three boards: n0 wins the first two and has a ruling on the third."""
    results = [*field(500, 100, 50), *field(500, 100, 50, number=2), *field(0, 100, 50, number=3)]
    results[6] = replace(results[6], score=None, ruling=Ruling.parse(ruling))
    return score_session(results, EventRules())


@pytest.mark.parametrize(
    ("ruling", "best", "worst"),
    [("A+/A+", 4, Fraction(12, 5)), ("A/A", 2, 2), ("A-/A-", Fraction(8, 5), 0), ("45%/70%", Fraction(9, 5), Fraction(14, 5))],
)
def test_artificial_scores(ruling: str, best: Fraction, worst: Fraction) -> None:
    """Average plus is 60% or the share of the other boards if that is more, average minus 40% or that if it is less (12C2, 88)."""
    session = session_with_awards(ruling)
    own = {one.contestant[1]: one.plays[-1].score.value for one in session.standings}
    assert (own["n0"], own["e0"]) == (best, worst)


def test_awards_in_imps() -> None:
    """Average plus is 3 IMPs unless another number is given."""
    results = [*field(500, 100), replace(field(0, number=2)[0], score=None, ruling=Ruling.parse("A+/A-"))]
    session = score_session(results, EventRules(Method(Comparison.BUTLER, average_imps=Fraction(2))))
    own = {one.contestant[1]: one.plays[-1].score.value for one in session.standings}
    assert (own["n0"], own["e0"]) == (5, -5), "the mean of the other boards, which is more than 2"


def test_carry_over_and_penalties_move_the_percentage() -> None:
    """Both are in match points; a penalty may be a share of the top of a board."""
    entrants = {"n0": Entrant("A & B", Fraction(1), Fraction(0), Fraction(1, 10)), "EWe1": Entrant(carry=Fraction(2))}
    session = score_session(field(500, 100, 50), EventRules(), entrants)
    finals = {one.contestant[1]: one.final for one in session.standings}
    assert finals["n0"] == 100 * (4 + 1 - Fraction(4, 10)) / 4
    assert finals["e1"] == 100 * Fraction(2 + 2, 4)
    assert session.standings[0].entrant.names == "A & B"


def test_ties_and_rounding_are_reported() -> None:
    """Equal contestants share a rank; those that only look equal are named with what they have."""
    session = score_session(field(100, 100, 50), EventRules())
    head, rows = ranking(session, "NS")
    assert [row[head.index("rank")] for row in rows] == ["1=", "1=", "3"]
    assert any(note.startswith("tie: NS n0 and NS n1 share rank 1 with 75.00 %") for note in session.notes)
    near = {"n0": Entrant(carry=Fraction(1, 10**6))}
    notes = score_session(field(100, 100, 50), EventRules(), near).notes
    assert any(note.startswith("rounding: NS n0 and NS n1 both show 75.00 %, but have 75.000025") for note in notes)


def test_one_ranking_where_contestants_change_direction() -> None:
    """A contestant that sat both ways is one; by an arrow-switch too, which exchanges what is written."""
    results = [
        TableResult(1, "1", "2", score=400, round="1"),
        TableResult(1, "3", "4", score=100, round="1"),
        TableResult(2, "1", "4", score=400, round="2"),
        TableResult(2, "3", "2", score=100, round="2"),
    ]
    assert score_session(results, EventRules()).winners == 2
    session = score_session(results, EventRules(arrow_switched=frozenset({"2"})))
    assert session.winners == 1
    assert {one.contestant: one.total for one in session.standings} == {("", "1"): 2, ("", "2"): 0, ("", "3"): 2, ("", "4"): 4}


def test_numbers_of_both_directions_in_one_ranking_are_reported() -> None:
    """One winner was asked for, and a number met itself."""
    notes = score_session([TableResult(1, "1", "1", score=400), TableResult(1, "2", "3", score=100)], EventRules(winners=1)).notes
    assert any(note.startswith("one winner: 1 met itself") for note in notes)


def test_sit_outs_do_not_count() -> None:
    """A board that was not played is out of both sum and maximum, and who sits out a round is named."""
    session = score_session([replace(one, round=str(one.number)) for one in [*field(100, 50), *field(100, number=2)]], EventRules())
    assert {one.contestant[1]: one.boards for one in session.standings} == {"n0": 2, "e0": 2, "n1": 1, "e1": 1}
    told = [note.partition(": ")[2].split() for note in session.notes if note.startswith("sit-out: ")]
    assert sorted((one[0], one[1], numbers(one[-1])) for one in told) == [("EW", "e1", [2]), ("NS", "n1", [2])]


def test_teams() -> None:
    """Both tables of a match are compared, and each team has a board once."""
    results = [
        TableResult(1, "A", "B", score=620, round="1", table="Open"),
        TableResult(1, "B", "A", score=170, round="1", table="Closed"),
        TableResult(2, "A", "B", score=-50, round="1", table="Open"),
        TableResult(2, "B", "A", score=-50, round="1", table="Closed"),
    ]
    session = score_session(results, EventRules(Method(Comparison.TEAMS), victory=VictoryScale()))
    assert {one.contestant[1]: (one.total, one.boards) for one in session.standings} == {"A": (10, 2), "B": (-10, 2)}
    assert sum((one.final for one in session.standings), Fraction(0)) == 20


@pytest.mark.parametrize("text", ["", "B+", "120%", "60% 620; 50% 100", "425", "60% 620; 100", "A/A/A"])
def test_rulings_that_cannot_be(text: str) -> None:
    """They are refused with what may be written."""
    with pytest.raises(ValueError, match=r"write|more than|add up|no score"):
        Ruling.parse(text)


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ({"contract": "8S"}, "impossible-contract"),
        ({"result": "+5"}, "impossible-contract"),
        ({"contract": "4Sxxx"}, "impossible-contract"),
        ({"number": "x"}, "result-unread"),
        ({"number": "0"}, "result-unread"),
        ({"declarer": "Q"}, "result-unread"),
        ({"lead": "S1"}, "result-unread"),
        ({"declarer": ""}, "result-unread"),
        ({"score_ns": "4x"}, "result-unread"),
        ({"ruling": "65"}, "result-unread"),
    ],
)
def test_rows_that_cannot_be_read(cells: dict[str, str], code: str) -> None:
    """Each is one finding and no result."""
    good = {"number": "1", "ns": "1", "ew": "2", "contract": "4S", "declarer": "N", "result": "="}
    results, found = read_rows([({**good, **cells}, TableResult(1).at)])
    assert ([one for one in results if one.is_played], [one.code for one in found]) == ([], [code])


def test_what_is_written_is_read_again() -> None:
    """Boards with tables of results and totals give the same ranking."""
    session = score(CLUB)
    boards, lost = with_tables(session, [])
    again, found = of_boards(boards)
    assert (found, lost) == ([], [])
    assert [(one.contestant, one.final) for one in score_session(again, EventRules()).standings] == [
        (one.contestant, one.final) for one in session.standings
    ]
    assert [one.rank for one in stated_totals(boards)] == [str(one.rank) for one in session.standings]


def test_the_facade() -> None:
    """Paths and documents are scored together; what cannot be scored is one sentence."""
    assert score(CLUB).standings == score(CLUB, CLUB.with_suffix(".pbn")).standings
    assert score(CLUB, method="butler", victory="wbf", extremes=Fraction(0)).standings[0].victory is not None
    for wrong in ({"method": "rubber"}, {"victory": CLUB}, {"entrants": CLUB}):
        with pytest.raises(UsageError):
            score(CLUB, **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no result"):
        score(CLUB.with_suffix(".pbn"))


# --- real files -----------------------------------------------------------------------------------------------------------


def real_files(*columns: str) -> list[Path]:
    """The real files whose tables have all of these columns."""
    found = [path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".pbn"]
    return [path for path in found if all(column.encode() in path.read_bytes() for column in columns)]


DAMAGED = {
    ("imp_01.pbn", 395): "5D by N -1 not vulnerable is given as -55",
    ("imp_02.pbn", 87): "6S by N -1 vulnerable is given as -120",
    ("imp_02.pbn", 93): "5D by N -1 vulnerable is given as -110",
    ("imp_02.pbn", 170): "the IMPs are those of a field with other results: all of them differ by 0.13",
    ("imp_03.pbn", 201): "the rows have 92 results, and their ranks end with 40",
    ("imp_03.pbn", 275): "5CX by E -1 vulnerable is given as 320",
    ("imp_03.pbn", 468): "the IMPs are those of a field with other results: all of them differ by 0.09",
    ("imp_04.pbn", 180): "7SX by S -1 vulnerable is given as -380",
    ("imp_04.pbn", 375): "6CX by S -1 vulnerable is given as -350",
    ("imp_04.pbn", 442): "7NT by N -1 vulnerable is given as -130",
    ("imp_05.pbn", 79): "a contract is given as 8S",
    ("imp_05.pbn", 89): "the IMPs are those of a field with other results: the highest differ by 0.05 to 0.07",
    ("imp_05.pbn", 275): "a contract is given as 9C",
    ("imp_05.pbn", 699): "the rows have 43 results, and their ranks end with 40",
    ("imp_09.pbn", 736): "7SX by S -1 not vulnerable is given as -260",
    ("imp_10.pbn", 601): "the rows have 99 results, and their ranks end with 96",
    ("imp_14.pbn", 659): "the IMPs are those of a field with other results: all of them differ by 0.02",
    ("imp_16.pbn", 401): "5H by E -1 is given as 55",
}
"""The boards of the collection whose IMPs do not follow from their rows, with what is wrong with them."""


def stated(path: Path, name: str) -> Iterator[tuple[BoardScore, TableResult, Fraction, Fraction]]:
    """The results of a file with what it states of each, scored by its own numbers of results."""
    method = Method(Comparison.CROSS_IMPS) if name == "IMP" else Method(ascherman=name == "%")
    for board in load(path).boards:
        results, _ = of_boards([board])
        if not results or (path.name.rpartition("__")[2], board.number) in DAMAGED:
            continue
        made = compare(1, results, method, sum(one.count for one in results if one.score is not None))
        for one, scored in zip(made.results, made.ns, strict=True):
            given = dict(one.given).get(name)
            if given is not None and scored.value is not None and one.ruling is None:
                yield made, one, scored.value if name == "IMP" else 100 * scored.value / scored.top, given


@pytest.mark.long
@pytest.mark.skipif(not real_files("IMP_NS"), reason="files that state cross-IMPs may not be redistributed: ../shared/data/pbn")
def test_real_cross_imps() -> None:
    """Every result has the IMPs that its file states, but for a hundredth of rounding; and those of the second scorer."""
    count = 0
    for path in real_files("IMP_NS"):
        for board, one, value, given in stated(path, "IMP"):
            assert abs(value - given) <= Fraction(11, 1000), (path.name, one)
            count += 1
            if count % 20 == 0:
                assert one.score is not None
                assert value == oracle.cross_imps(board.results, one.score)
    assert count > 3000


@pytest.mark.skipif(not real_files(";MP_NS"), reason="files that state match points may not be redistributed: BRIDGESPEC_PBN_FILES")
@pytest.mark.parametrize(("column", "name"), [(";MP_NS", "MP"), ("Percentage_NS", "%")])
def test_real_matchpoints(column: str, name: str) -> None:
    """Every result has the percentage that its file states, in the usual count and in Ascherman's, to the file's last digit."""
    found = [(path.name, one, value, given) for path in real_files(column) for _, one, value, given in stated(path, name)]
    assert len(found) > 600
    assert not [each for each in found if abs(each[2] - each[3]) > Fraction(51, 1000)]


@pytest.mark.skipif(
    not real_files("PairId_NS", "MeanScore"), reason="files with totals may not be redistributed: BRIDGESPEC_PBN_FILES"
)
def test_real_totals() -> None:
    """The pairs of 26 boards have the means and the boards that the server stated; it names them, and its results number them."""
    (path,) = real_files("PairId_NS", "MeanScore")
    results, _ = of_boards(load(path).boards)
    rules = EventRules(Method(Comparison.CROSS_IMPS), per_board=True)
    made = [(rounded(one.final), one.boards) for one in score_session(results, rules).standings]
    given = [(rounded(one.values["MeanScore"]), int(one.values["NrBoards"])) for one in stated_totals(load(path).boards)]
    differing = [pair for pair in zip(sorted(made), sorted(given), strict=True) if pair[0] != pair[1]]
    assert len(given) > 100
    assert not differing


@pytest.mark.parametrize("text", ["1/0", "1e20000000", "nan", "٣", "9" * 5000, "1_2"])
def test_a_value_that_is_no_decimal_is_not_stated(text: str) -> None:
    """Neither of a result nor of a contestant; and it takes no time."""
    cells = {"number": "1", "ns": "1", "ew": "2", "score_ns": "420", "given IMP": text, "given %": "55.5"}
    (one,), _ = read_rows([(cells, ResultOrigin())])
    assert one.given == (("%", Fraction(111, 2)),)
    table = Table("TotalScoreTable", (Column("PairId"), Column("TotalIMP")), (("1", text),))
    (total,) = stated_totals([Board(1, tables=(table,))])
    assert total.values == {"PairId": 1}


@pytest.mark.parametrize("text", ["1_2", "٣", "²", "9" * 5000, "1e1"])
def test_a_board_number_has_digits_alone(text: str) -> None:
    """Python's `int` reads an underscore and the digits of every script; so do the other cells of a row."""
    for cells in (
        {"number": text, "score_ns": "420"},
        {"number": "1", "score_ns": text},
        {"number": "1", "contract": "3NT", "declarer": "N", "tricks": text},
        {"number": "1", "contract": "3NT", "declarer": "N", "result": text},
        {"number": "1", "score_ns": "420", "count": text},
    ):
        _, found = read_rows([({"ns": "1", "ew": "2", **cells}, ResultOrigin())])
        assert [one.code for one in found] == ["impossible-contract" if "result" in cells else "result-unread"]


@pytest.mark.parametrize("text", ["-1", "10000", "1000000000000"])
def test_a_row_counts_for_as_many_results_as_a_board_may_have(text: str) -> None:
    """A count of a million million would make as many scores of Butler's datum."""
    cells = {"number": "1", "ns": "1", "ew": "2", "score_ns": "420", "count": text}
    assert [one.code for one in read_rows([(cells, ResultOrigin())])[1]] == ["result-unread"]


@pytest.mark.parametrize(("columns", "row"), [("penalty", "1/0"), ("carry", "1e20000000"), ("penalty", "nan%")])
def test_carry_over_and_penalties_are_decimals(columns: str, row: str, tmp_path: Path) -> None:
    """Of a file of contestants, as of a table of victory points."""
    (tmp_path / "pairs.csv").write_text(f"contestant,{columns}\n1,{row}\n")
    (tmp_path / "scale.csv").write_text(f"0,{row}\n")
    with pytest.raises(UsageError):
        score(CLUB, entrants=tmp_path / "pairs.csv")
    with pytest.raises(UsageError):
        score(CLUB, method="butler", victory=tmp_path / "scale.csv")


@pytest.mark.parametrize(
    "options",
    [{"extremes": float("nan")}, {"extremes": 1}, {"average_imps": float("inf")}, {"rounding": 0}, {"expected": 0}],
    ids=str,
)
def test_what_a_method_cannot_be_is_a_usage_error(options: dict[str, float]) -> None:
    """It names the option and what it may be."""
    with pytest.raises(UsageError, match=next(iter(options))):
        score(CLUB, method="butler", **options)
