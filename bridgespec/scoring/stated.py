"""Compare the totals and scores that a source states with those that follow from its results.

`stated_totals` reads tables of totals, `read_entrants` names, carry-overs and penalties of contestants; `differences` compares
totals, and the values stated for single results, with a scored session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Board
from bridgespec.model.number_texts import decimal
from bridgespec.scoring.comparison import SideScore
from bridgespec.scoring.result import ResultOrigin
from bridgespec.scoring.session import Entrant, ScoredSession, Standing, rounded
from bridgespec.scoring.sheet import UNREAD_RESULT, CellError, contestant_name, finding
from bridgespec.scoring.suspicion import shown

STATED = define(
    "stated-total",
    Severity.WARNING,
    """a total that a source states otherwise

    The source gives its own sum, mean or percentage of a contestant or a result, and it is not the one that follows from the
    results by the method of scoring that was asked for.
    """,
)
TENTH = Fraction(1, 10)
"""The greatest difference that is attributed to rounding."""
TOTALS = {
    "MP": ("MP", "TotalMP"),
    "%": ("Percentage", "TotalPercentage", "MeanPercentage", "MeanMP"),
    "IMP": ("IMP", "TotalIMP"),
    "IMP a board": ("MeanScore", "MeanIMP"),
}
"""PBN's names of the columns of a table of totals, by the name of the value in `_sums`."""


def differences(session: ScoredSession, stated: Sequence[StatedTotal]) -> Iterator[Diagnostic]:
    """Yield a finding for each kind of value that a source states and that differs from the session by more than `TENTH`: at the
    first such value, with the number of the others.
    """
    differing: dict[str, list[tuple[str, ResultOrigin]]] = {}
    for board in session.boards:
        for one, score in zip(board.results, board.ns, strict=True):
            for name, given in one.given:
                values = _comparable(session, name, score)
                # Match points may be stated as a number or as a percentage: one that agrees is enough.
                if values and all(abs(value - given) > TENTH for value in values):
                    message = f"{shown(one)}: {name} is given as {rounded(given)}, and follows as {rounded(values[0])}"
                    differing.setdefault(name, []).append((message, one.at))
    # Tables of totals name contestants with or without their direction.
    standings = {name: one for one in session.standings for name in (one.contestant[1], "".join(one.contestant))}
    for total in stated:
        standing = standings.get(total.contestant)
        for name, value in _sums(standing, session).items() if standing is not None else ():
            given = next((total.values[column] for column in TOTALS[name] if column in total.values), value)
            if abs(value - given) > TENTH:
                message = f"{total.contestant}: {name} is given as {rounded(given)}, and follows as {rounded(value)}"
                differing.setdefault(f"total {name}", []).append((message, ResultOrigin()))
    for found in differing.values():
        more = f"; {len(found) - 1} more differ" if len(found) > 1 else ""
        yield finding(STATED, found[0][0] + more, found[0][1], "is it the method that the source was scored by?")


def _comparable(session: ScoredSession, name: str, score: SideScore) -> list[Fraction]:
    """Return the values with which the stated value ``name`` agrees, empty for one of another unit: programs write match points as
    a number or as a percentage of the board.
    """
    if score.value is None or (name == "IMP") != (session.rules.method.unit == "IMP"):
        return []
    share = [100 * score.value / score.top] if score.top else []
    return share if name == "%" else [score.value, *share]


def _sums(standing: Standing, session: ScoredSession) -> dict[str, Fraction]:
    """Return the totals of a contestant that a table of totals may state, by the keys of `TOTALS`."""
    unit = session.rules.method.unit
    if unit == "MP":
        return {"MP": standing.total, "%": 100 * standing.total / standing.available} if standing.available else {}
    return {"IMP": standing.total, "IMP a board": standing.total / max(1, standing.boards)}


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """A row of a source's table of totals: the contestant, its rank, and each cell that is a number, by the name of its column."""

    contestant: str
    rank: str
    values: Mapping[str, Fraction]


def stated_totals(boards: Sequence[Board]) -> list[StatedTotal]:
    """Return the rows of the tables of totals in boards."""
    found: list[StatedTotal] = []
    for table in (table for board in boards for table in board.tables if table.name == "TotalScoreTable"):
        names = [column.name for column in table.columns]
        for row in table.rows:
            cells = dict(zip(names, row, strict=False))
            who = cells.get("PairId") or cells.get("TeamId") or cells.get("PlayerId") or cells.get("Names", "")
            values: dict[str, Fraction] = {}
            for name, text in cells.items():
                # Cells with names and ranks such as `3=` are no numbers.
                with suppress(ValueError):
                    values[name] = decimal(text)
            found.append(StatedTotal(contestant_name(who), cells.get("Rank", ""), values))
    return found


def read_entrants(rows: Iterable[Mapping[str, str]]) -> dict[str, Entrant]:
    """Return the contestants in rows, by direction and name (``NS3``) or name alone. Raises ValueError for a penalty or carry-over
    that is no number, CellError for a contestant that occurs twice, has no name or is of no direction.

    >>> read_entrants([{"contestant": "3", "names": "Ann - Bob", "penalty": "10%", "carry": "4.5"}])["3"].top_share
    Fraction(1, 10)
    """
    found: dict[str, Entrant] = {}
    for cells in rows:
        penalty = cells.get("penalty", "")
        share = penalty.endswith("%")
        amount = decimal(penalty.rstrip("%")) if penalty else Fraction(0)
        direction, name = cells.get("direction", "").upper(), contestant_name(cells["contestant"])
        if direction not in ("", "NS", "EW"):
            raise CellError(UNREAD_RESULT, f"{direction!r} is not a direction: NS or EW")
        if direction + name in found or (not name and any(cells.values())):
            raise CellError(UNREAD_RESULT, f"contestant {direction + name} is there twice" if name else "a row names no contestant")
        found[direction + name] = Entrant(
            cells.get("names", ""),
            decimal(cells["carry"]) if cells.get("carry") else Fraction(0),
            Fraction(0) if share else amount,
            amount / 100 if share else Fraction(0),
        )
    return found
