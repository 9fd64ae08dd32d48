"""A scored session as tables: the ranking and the travellers as text, and PBN's tables of results and totals in boards.

`ranking` and `traveller` return heads and rows for terminals, CSV and pages; `with_tables` returns boards with both tables;
`merged` makes one board with a table of results of the boards of several tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction

from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Side
from bridgespec.model.table import Column, Table
from bridgespec.scoring.comparison import BoardScore, Comparison
from bridgespec.scoring.result import TableResult
from bridgespec.scoring.session import ScoredSession, Standing, rounded
from bridgespec.scoring.sheet import of_boards

TextRows = list[list[str]]
"""The rows of a table as texts, one for each column of its head."""
TEXTS = frozenset(["contestant", "names", "contract", "by", "lead", "NS", "EW"])
"""The columns of rankings and travellers whose cells are not numbers."""


def ranking(session: ScoredSession, direction: str) -> tuple[list[str], TextRows]:
    """Return the head and the rows of the ranking of a direction (empty for one winner); a shared rank has ``=``.

    A column that is empty in all directions is left out, so that all rankings of a session have the same head.
    """
    found = session.standings
    head = [
        *("rank", "contestant", "names", "boards", session.rules.method.unit, "of", "VP", "carry-over", "penalty"),
        final_name(session),
    ]
    # By the cells of all directions: the rankings of North-South and East-West are printed below each other.
    names, rows = _without_empty(head, [_ranking_cells(one) for one in found], {"contestant"})
    return names, [row for one, row in zip(found, rows, strict=True) if one.contestant[0] == direction]


def _ranking_cells(one: Standing) -> list[str]:
    """Return the cells of a contestant in the ranking."""
    return [
        f"{one.rank}{'=' if one.tied else ''}",
        one.contestant[1],
        one.entrant.names,
        str(one.boards),
        rounded(one.total),
        rounded(one.available) if one.available else "",
        rounded(one.victory) if one.victory is not None else "",
        rounded(one.entrant.carry) if one.entrant.carry else "",
        rounded(-one.penalty) if one.penalty else "",
        rounded(one.final),
    ]


def _without_empty(head: Sequence[str], rows: TextRows, always: Set[str] = frozenset()) -> tuple[list[str], TextRows]:
    """Return a table without the columns that are empty in every row, except those named in ``always``."""
    kept = [index for index, name in enumerate(head) if name in always or any(row[index] for row in rows)]
    return [head[index] for index in kept], [[row[index] for index in kept] for row in rows]


def _text(value: object) -> str:
    """Return the text of a value; empty for None."""
    return "" if value is None else str(value)


def _letter(declarer: Seat | None) -> str:
    """Return the letter of a declarer; empty for None."""
    return "" if declarer is None else declarer.letter


def final_name(session: ScoredSession) -> str:
    """Return the name of the value by which contestants are ranked."""
    if session.rules.victory is not None:
        return "total VP"
    if session.rules.method.comparison is Comparison.MATCHPOINTS:
        return "%"
    return "IMP a board" if session.rules.per_board else "total IMP"


def traveller(board: BoardScore) -> tuple[list[str], TextRows]:
    """Return the head and the rows of a board's traveller, the best result for North-South first; empty columns are left out."""
    # Stable: equal results stay in the order of the source.
    order = sorted(range(len(board.results)), key=lambda index: -(board.ns[index].value or Fraction(0)))
    head = ["NS", "EW", "contract", "by", "lead", "tricks", "score", "NS score", "EW score", "count"]
    return _without_empty(head, [_traveller_cells(board, index) for index in order])


def _traveller_cells(board: BoardScore, index: int) -> list[str]:
    """Return the cells of a result in the traveller of its board."""
    one = board.results[index]
    values = [score.value for score in (board.ns[index], board.ew[index])]
    played = one.contract is not None and not one.contract.is_passed_out
    return [
        *(one.ns, one.ew),
        "" if one.contract is None else one.contract.symbol,
        _letter(one.declarer),
        "" if one.lead is None else one.lead.suit.symbol + one.lead.rank,
        _text(one.tricks) if played else "",
        "ruling" if one.ruling is not None else _text(one.score),
        *("" if value is None else rounded(value) for value in values),
        str(one.count) if one.count > 1 else "",
    ]


def with_tables(session: ScoredSession, boards: Sequence[Board]) -> tuple[list[Board], list[str]]:
    """Return a board with a table of results for each board of the session, the first one also with the table of totals; and the
    names of what is lost, since these tables have no column for it.

    ``boards`` are those of the source: all other fields of a board are those of the first one with its number.
    """
    # Reversed, so that of several boards with one number the first is kept.
    known = {board.number: board for board in reversed(boards)}
    made: list[Board] = []
    for score in session.boards:
        of_number = known.get(score.number, Board(number=score.number))
        # The source's own tables of results would contradict the ones that follow from the session.
        kept = tuple(table for table in of_number.tables if table.name not in ("ScoreTable", "TotalScoreTable"))
        own = replace(of_number, tables=(*kept, _results(session, score)), scoring=_scoring(session))
        made.append(own)
    if made:
        # PBN has no table of a whole file, so the totals are written with the first board.
        made[0] = replace(made[0], tables=(*made[0].tables, _totals(session)))
    return made, _lost(session)


def _scoring(session: ScoredSession) -> str:
    """Return the value of PBN's tag `Scoring` for the session's method."""
    return {"matchpoints": "MP", "cross-imps": "IMP;Cross1" if session.rules.method.total else "IMP;Cross2"}.get(
        session.rules.method.comparison, "IMP"
    )


def _results(session: ScoredSession, board: BoardScore) -> Table:
    """Return the table of results of a board, in the columns of the PBN standard 2.1, section 5.6."""
    points = session.rules.method.unit == "MP"
    names = [
        *("Rank", "PairId_NS", "PairId_EW", "Contract", "Declarer", "Result", "Lead", "Score_NS"),
        *(("MP_NS", "MP_EW", "Percentage_NS", "Percentage_EW") if points else ("IMP_NS", "IMP_EW")),
        *(("Multiplicity",) if any(one.count > 1 for one in board.results) else ()),
        # Needed to read the table again: two sections may use one number, and `suspicion` compares the boards of a round.
        *(name for name in ("Section", "Round", "Table") if any(getattr(one, name.lower()) for one in board.results)),
    ]
    order = sorted(range(len(board.results)), key=lambda index: -(board.ns[index].value or Fraction(0)))
    rows = [tuple(cells[name] or "-" for name in names) for cells in (_result_cells(board, index) for index in order)]
    return Table("ScoreTable", _sized(names, rows), tuple(rows))


def _result_cells(board: BoardScore, index: int) -> Mapping[str, str]:
    """Return a row of the table of results, by column."""
    one = board.results[index]
    sides = [board.of(side)[index] for side in Side]
    values = ["-" if score.value is None else rounded(score.value) for score in sides]
    shares = ["-" if not score.top or score.value is None else rounded(100 * score.value / score.top) for score in sides]
    return {
        # Equal results share the better rank; the rank of a result is one more than the number of better ones.
        "Rank": str(1 + sum((other.value or 0) > (board.ns[index].value or 0) for other in board.ns)),
        "PairId_NS": _unquoted(one.ns),
        "PairId_EW": _unquoted(one.ew),
        "Contract": _text(one.contract),
        "Declarer": _letter(one.declarer),
        "Result": _text(one.tricks),
        "Lead": _text(one.lead),
        "Score_NS": "" if one.ruling is not None else _text(one.score),
        "Multiplicity": str(one.count),
        **{name: _unquoted(getattr(one, name.lower())) for name in ("Section", "Round", "Table")},
        **dict(zip(("MP_NS", "MP_EW", "IMP_NS", "IMP_EW"), values * 2, strict=True)),
        **dict(zip(("Percentage_NS", "Percentage_EW"), shares, strict=True)),
    }


def _totals(session: ScoredSession) -> Table:
    """Return the table of totals, in the columns of the PBN standard 2.1, section 5.6."""
    points = session.rules.method.unit == "MP"
    names = ["Rank", "PairId", "Names", "TotalMP" if points else "TotalIMP", *(["TotalPercentage"] if points else []), "NrBoards"]
    rows = [tuple(_total_cells(session, one)[name] or "-" for name in names) for one in session.standings]
    return Table("TotalScoreTable", _sized(names, rows), tuple(rows))


def _total_cells(session: ScoredSession, standing: Standing) -> Mapping[str, str]:
    """Return a row of the table of totals, by column."""
    total = rounded(standing.total)
    final = rounded(standing.final)
    return {
        "Rank": str(standing.rank),
        "PairId": _unquoted("".join(standing.contestant)),
        "Names": _unquoted(standing.entrant.names),
        "TotalMP": total,
        "TotalIMP": total,
        "TotalPercentage": final,
        "NrBoards": str(standing.boards),
    }


def _unquoted(name: str) -> str:
    """Return a name for a cell of a PBN table: quotation marks, which would end the cell, become apostrophes."""
    return name.replace('"', "'")


def _sized(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Column, ...]:
    """Return the columns of a table, each as wide as its widest cell; columns of numbers are aligned to the right."""
    left = {"Contract", "Names", "Declarer", "Lead"}
    widths = [max([1, *(len(row[index]) for row in rows)]) for index in range(len(names))]
    return tuple(Column(name, "", width, "L" if name in left else "R") for name, width in zip(names, widths, strict=True))


def _lost(session: ScoredSession) -> list[str]:
    """Return the names of what a session has and PBN's tables of results and totals do not."""
    lost = ["victory points"] if session.rules.victory is not None else []
    lost += ["carry-over"] if any(one.entrant.carry for one in session.standings) else []
    lost += ["penalties"] if any(one.penalty for one in session.standings) else []
    names = {name for one in session.standings for name in (one.contestant[1], one.entrant.names)}
    lost += ["quotation marks of names"] if any('"' in name for name in names) else []
    lost += ["rulings"] if any(one.ruling is not None for board in session.boards for one in board.results) else []
    return lost


def merged(boards: Iterable[Board]) -> tuple[list[Board], list[str]]:
    """Return one board for each number, in order, with a table of all results of that number; and descriptions of what is left out
    of the boards (`_OF_TABLE`).

    The only board of a number is returned unchanged. Raises ValueError where boards of a number have different deals.

    >>> tables = [Board.parse(f"7; vulnerability none; contract 4S by N; result {tricks}") for tricks in (10, 9)]
    >>> (board,), left = merged(tables)
    >>> board.number, board.tables[0].column("Score_NS"), left
    (7, ('420', '-50'), [])
    """
    found: dict[int, _Tables] = {}
    left: Counter[str] = Counter()
    for index, board in enumerate(boards):
        number = board.number if board.number is not None else index + 1
        if number not in found:
            found[number] = _Tables(board)
            continue
        tables = found[number]
        # A board without a deal is merged with any: records of results often have no cards.
        if len({one.deal for one in (tables.board, board) if one.deal is not None}) > 1:
            raise ValueError(f"board {number} has 2 different deals")
        for one in (tables.board, board) if tables.is_single else (board,):
            left.update(name for name in _OF_TABLE if getattr(one, name))
            tables.add(one)
    counts = ((name, left[name]) for name in _OF_TABLE if left[name])
    words = [f"the {name} of {count} table{'' if count == 1 else 's'}" for name, count in counts]
    return [found[number].merged() for number in sorted(found)], words


@dataclass
class _Tables:
    """The boards of one number, collected by `merged`: a single board unchanged, or common fields and the results of several."""

    board: Board
    results: list[TableResult] = field(default_factory=list)
    is_single: bool = True

    def add(self, board: Board) -> None:
        """Add the results of a board, and those fields of `_OF_BOARD` that no earlier board had."""
        shared = {name: getattr(board if getattr(self.board, name) is None else self.board, name) for name in _OF_BOARD}
        self.board, self.is_single = Board(**shared), False
        self.results += of_boards([board])[0]

    def merged(self) -> Board:
        """Return the board, with the table of its results where there were several."""
        return self.board if self.is_single or not self.results else replace(self.board, tables=(_score_table(self.results),))


_OF_TABLE = ("auction", "play", "comments")
"""The fields of a board for which a table of results has no column."""
_OF_BOARD = ("number", "dealer", "vulnerability", "deal", "tricks", "scoring", "event", "site", "date", "par")
"""The fields of a board that are the same at every table."""


def _score_table(results: Sequence[TableResult]) -> Table:
    """Return the table of results of a board, in the order of ``results``; empty columns are left out."""
    head = ("PairId_NS", "PairId_EW", "Contract", "Declarer", "Result", "Lead", "Score_NS", "Multiplicity")
    cells = [
        [
            *(one.ns, one.ew, _text(one.contract), _letter(one.declarer), _text(one.tricks), _text(one.lead), _text(one.score)),
            str(one.count) if one.count > 1 else "",
        ]
        for one in results
    ]
    names, kept = _without_empty(head, cells)
    rows = [tuple(cell or "-" for cell in row) for row in kept]
    return Table("ScoreTable", _sized(names, rows), tuple(rows))
