"""Make `TableResult`s of rows of text and of boards.

`ScoreTable.rows` names the cells of rows by field, with the names of columns in `columns.toml`; `read_rows` makes results of
them, and `of_boards` of boards with a table of results or with a result of their own. A row that cannot be read is a finding, and
does not count.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from bridgespec.diagnostic import Code, Diagnostic, Severity, Span, define
from bridgespec.model.board import Board, Vulnerability, standard_vulnerability
from bridgespec.model.cards import SUITS, Card, Seat
from bridgespec.model.contract import Contract, read_result
from bridgespec.model.number_texts import decimal, integer, whole_number
from bridgespec.model.score import board_points, score_of
from bridgespec.model.table import Table
from bridgespec.scoring.result import Award, ResultOrigin, Ruling, TableResult

UNREAD_RESULT = define(
    "result-unread",
    Severity.ERROR,
    """a result that cannot be read

    A cell of a row is no board number, no declarer, no lead, no number of tricks, no score or no ruling, or the row has neither a
    score nor all of contract, declarer and tricks. The row is left out of the scores until it is repaired.
    """,
)
IMPOSSIBLE_CONTRACT = define(
    "impossible-contract",
    Severity.ERROR,
    """a contract that cannot be

    A contract is 1 to 7 with C, D, H, S or NT, doubled with x or xx; its result is 0 to 13 tricks, as ``=``, ``+1``, ``-2`` or a
    number. The row is left out of the scores until it is repaired.
    """,
)
CellValue = TypeVar("CellValue")
LAST_BOARD = 999_999
"""The greatest board number that is accepted; a greater one is a typing error, or a value of another column."""
_COUNTS = range(10_000)
NOTHING = frozenset(["", "-", "?", "??", "???", "0"])
_NOT_PLAYED = re.compile(r"not\s*played|no\s*play|sit[\s-]*out|bye|n/?p\Z", re.IGNORECASE)
_SPELLED = frozenset(["contract", "lead", "result", "score_ns", "score_ew"])
"""The fields whose cells may have suit symbols, or a minus sign that is not a hyphen."""
_EXCHANGED = re.compile(r"wrong\s*direction", re.IGNORECASE)
"""The remark of a terminal for a board at which the contestants sat in the opposite directions to those of the movement."""
_CONTRACT = re.compile(r"([1-7](?:NT?|[SHDC♠♥♦♣])(?:XX?|\*\*?)?)(?:by)?(?:([NESW])[a-z]*)?(=|[+-]\d+)?", re.IGNORECASE)
"""A contract without blanks, with its declarer and its result where one cell has all three: ``4SXN-1``, ``3NT by S =``."""
_PASSED = re.compile(r"[-=?0]*|(?:all\s*)?pass(?:ed)?(?:\s*out)?|ap|po", re.IGNORECASE)
"""The spellings of a result that a passed-out board may have."""
_SIGNS = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C", "\N{MINUS SIGN}": "-", "–": "-", "\ufe0e": "", "\ufe0f": ""})
_WORD = re.compile(r"[^a-z0-9+/%-]+")


def finding(code: Code, message: str, at: ResultOrigin, help: str | None = None) -> Diagnostic:
    """Return a finding about a result, at the line or the record that it was read from."""
    span = Span.of_bytes(at.start, at.length, at.line, 1) if at.line is not None else None
    return Diagnostic(code.name, code.severity, message, at.path or None, at.record, span=span, help=help)


class CellError(ValueError):
    """Raised for a cell that cannot be read as its column requires; ``code`` is that of the finding."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A kind of table in `columns.toml`: for each field the names that its column may have, and the fields that are required.

    Rows with a value in the column ``skip`` are left out. ``numbered_sections``: sections 1 to 26 are read as A to Z.
    """

    title: str
    required: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    skip: str | None = None
    numbered_sections: bool = False

    @classmethod
    def of(cls, declared: Mapping[str, Any]) -> ScoreTable:
        """Return the kind of table that a table of `columns.toml` declares."""
        columns = {name: tuple(map(_normal, names)) for name, names in declared["columns"].items()}
        skip = declared.get("skip")
        numbered = declared.get("numbered_sections", False)
        return cls(declared["title"], tuple(declared["required"]), columns, skip and _normal(skip), numbered)

    def fields_of(self, head: Sequence[str]) -> dict[str, int]:
        """Return the index of the column of each field, given the names of the columns; fields without a column are left out."""
        places = {name: index for index, name in reversed(list(enumerate(map(_normal, head))))}  # the first of a name remains
        present = {field: [name for name in names if name in places] for field, names in self.columns.items()}
        return {field: places[names[0]] for field, names in present.items() if names}

    def missing(self, head: Sequence[str]) -> list[str]:
        """Return the required fields without a column in a head."""
        present = self.fields_of(head)
        return [field for field in self.required if field not in present]

    def doubled(self, head: Sequence[str]) -> list[str]:
        """Return the names of columns of fields that a head has more than once, so that it is not known which one to read.

        >>> declarations().traveller.doubled(["Board", "NS", "EW", "Score", "score", "Club", "Club"])
        ['score']
        """
        counts = Counter(map(_normal, head))
        return [name for names in self.columns.values() for name in names if counts[name] > 1]

    def rows(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[dict[str, str]]:
        """Yield the cells of each row by field, for the rows whose column ``skip`` is not set."""
        fields, names = self.fields_of(head), [*map(_normal, head)]
        skip = names.index(self.skip) if self.skip in names else None
        for row in rows:
            if skip is None or skip >= len(row) or row[skip].strip().lower() in ("", "0", "false", "no"):
                cells = {field: row[index].strip() if index < len(row) else "" for field, index in fields.items()}
                section = whole_number(cells.get("section", "")) if self.numbered_sections else None
                if section is not None and 1 <= section <= 26:
                    cells["section"] = chr(ord("A") + section - 1)
                yield cells


def _normal(name: str) -> str:
    return _WORD.sub(" ", name.lower()).strip()


@dataclass(frozen=True, slots=True)
class Declarations:
    """The kinds of tables that `columns.toml` declares: ``database`` has those of a database by name."""

    traveller: ScoreTable
    entrants: ScoreTable
    database: Mapping[str, ScoreTable]


@cache
def declarations() -> Declarations:
    """Return the kinds of tables in `columns.toml`; cached."""
    declared = tomllib.loads(files(__package__).joinpath("columns.toml").read_text("utf-8"))
    databases = {name: ScoreTable.of(table) for name, table in declared["database"].items()}
    return Declarations(ScoreTable.of(declared["traveller"]), ScoreTable.of(declared["entrants"]), databases)


Vulnerabilities = Callable[[int], Vulnerability]
"""A function that returns the vulnerability of the board with a number."""


def read_rows(
    rows: Iterable[tuple[Mapping[str, str], ResultOrigin]], vulnerability: Vulnerabilities = standard_vulnerability
) -> tuple[list[TableResult], list[Diagnostic]]:
    """Return the results of rows, each given as cells by field, and a finding for each row that cannot be read.

    Such a row has a result without score, if its board number is valid, so that no second finding reports it as missing.

    >>> cells = {"number": "1", "ns": "3", "ew": "08", "contract": "4 S x", "declarer": "N", "result": "-1", "lead": "H10"}
    >>> (one,), found = read_rows([(cells, ResultOrigin())])
    >>> one.ew, str(one.contract), one.tricks, one.score, str(one.lead), found
    ('8', '4SX', 9, -100, 'HT', [])
    """
    results: list[TableResult] = []
    found: list[Diagnostic] = []
    for cells, at in (row for row in rows if any(row[0].values())):
        try:
            results.append(_without_result(cells, at))
            results[-1] = _with_result(results[-1], cells, vulnerability)
        except CellError as error:
            found.append(finding(error.code, str(error), at))
    return results, found


def _without_result(cells: Mapping[str, str], at: ResultOrigin) -> TableResult:
    """Return the board, the contestants and the round of a row. Raises CellError for a row without a valid board number."""
    number = _parsed(cells, "number", lambda text: integer(text, range(1, LAST_BOARD + 1)), "a board number")
    if number is None:
        raise CellError(UNREAD_RESULT, f"{cells.get('number', '')!r} is not a board number")
    exchanged = _EXCHANGED.search(cells.get("ruling", "")) is not None
    return TableResult(
        number=number,
        ns=contestant_name(cells.get("ew" if exchanged else "ns", "")),
        ew=contestant_name(cells.get("ns" if exchanged else "ew", "")),
        round=contestant_name(cells.get("round", "")),
        table=contestant_name(cells.get("table", "")),
        section=cells.get("section", ""),
        at=at,
    )


def _with_result(entered: TableResult, cells: Mapping[str, str], vulnerability: Vulnerabilities) -> TableResult:
    """Return the result with contract, tricks and score of its cells. Raises CellError where they cannot be read."""
    number = entered.number
    cells, is_absent = _normalised(cells)
    contract, declarer, made = _contract_of(cells)
    ruling = _ruling_of(cells)
    tricks = _tricks_of(cells, contract, made)
    stated = _score_of(cells)
    followed = None
    if contract is not None and (contract.is_passed_out or (declarer is not None and tricks is not None)):
        followed = board_points(contract, declarer, tricks or 0, vulnerability(number))
    score = stated if stated is not None else followed
    if followed is None and score is not None and score % 10:  # the only sign that the cell belongs to another column
        raise CellError(UNREAD_RESULT, f"board {number}: {score} is no score: scores end in 0")
    is_empty = score is None and ruling is None
    if is_empty and not is_absent and all(contestant_name(cells.get(side, "")) for side in ("ns", "ew")):
        raise CellError(UNREAD_RESULT, f"board {number}: there is neither a score nor all of contract, declarer and tricks")
    return replace(
        entered,
        contract=contract,
        declarer=declarer,
        tricks=tricks,
        score=score,
        stated=stated is not None,
        lead=_parsed(cells, "lead", _card, "a card"),
        ruling=ruling,
        count=_parsed(cells, "count", lambda text: integer(text, _COUNTS), "a number of results") or 1,
        given=_given(cells),
        players=(cells.get("ns_players", ""), cells.get("ew_players", "")),
    )


def _normalised(cells: Mapping[str, str]) -> tuple[Mapping[str, str], bool]:
    """Return the cells with one spelling of signs and awards in the column of rulings, and whether the board was not played."""
    cells = {field: cell.translate(_SIGNS) if field in _SPELLED else cell for field, cell in cells.items()}
    is_absent = any(_NOT_PLAYED.match(cells.get(field, "")) for field in ("ruling", "contract", "score_ns"))
    if is_absent:
        cells = {**cells, "contract": "", "score_ns": "", "score_ew": "", "result": "", "ruling": ""}
    if _is_award(cell := cells.get("contract", "")) and not _PASSED.fullmatch(cell):
        cells = {**cells, "contract": "", "ruling": cells.get("ruling") or cell}
    return cells, is_absent


def contestant_name(text: str) -> str:
    """Return the name or number of a contestant in a cell, without leading zeros; empty for ``-``, ``bye`` and the like."""
    text = text.strip()
    return "" if text in NOTHING or _NOT_PLAYED.fullmatch(text) else text.lstrip("0") if text.isdecimal() else text


def _parsed(cells: Mapping[str, str], field: str, parse: Callable[[str], CellValue], what: str) -> CellValue | None:
    """Return the value of a cell, None for an empty one. Raises CellError where ``parse`` fails: the text is not ``what``."""
    text = cells.get(field, "").strip()
    if not text or text in NOTHING - {"0"}:
        return None
    try:
        return parse(text)
    except ValueError as error:
        reason = f": {error}" if str(error).startswith(("the weights", "not an adjusted")) else ""
        raise CellError(UNREAD_RESULT, f"{text!r} is not {what}{reason}") from None


def _card(text: str) -> Card:
    """Return the card that a text names, the suit first or last: ``HT``, ``H10``, ``10H``."""
    short = text.replace("10", "T")
    return Card.parse(short[::-1] if short[-1:].upper() in SUITS else short)


def _ruling_of(cells: Mapping[str, str]) -> Ruling | None:
    """Return the ruling of a row, from the column of rulings, from awards in place of scores, or from marked percentages."""
    if cells.get("ruling") and not _EXCHANGED.search(cells["ruling"]):
        return _parsed(cells, "ruling", Ruling.parse, "a ruling")
    awards = [cell for field in ("score_ns", "score_ew") if _is_award(cell := cells.get(field, ""))]
    if awards:
        return _parsed({"ruling": "/".join(awards)}, "ruling", Ruling.parse, "a score or an award")
    if any(cells.get(field, "").startswith(IRREGULAR) for field in AWARDED):
        return Ruling(*(_stated_award(cells, field) for field in AWARDED))
    return None


def _is_award(cell: str) -> bool:
    return "%" in cell or cell[:1].upper() == "A"


AWARDED = ("given %", "given % of EW")
IRREGULAR = "^"
"""PBN's mark before a value that does not follow from the play (standard 2.1, section 5): before a percentage, of an award."""


def _stated_award(cells: Mapping[str, str], field: str) -> Award:
    text = cells.get(field, "")
    return Award.parse(text.removeprefix(IRREGULAR) + "%") if text.startswith(IRREGULAR) else Award()


def _given(cells: Mapping[str, str]) -> tuple[tuple[str, Fraction], ...]:
    """Return the IMPs, matchpoints and percentage that a row states for North-South, each with its name."""
    found: list[tuple[str, Fraction]] = []
    for name in ("IMP", "MP", "%"):
        with contextlib.suppress(ValueError):
            found.append((name, decimal(cells.get(f"given {name}", "").strip().rstrip("%"))))
    return tuple(found)


def _contract_of(cells: Mapping[str, str]) -> tuple[Contract | None, Seat | None, str]:
    """Return contract, declarer and result of a row; the result is empty unless it is in the cell of the contract."""
    text = cells.get("contract", "")
    if text in NOTHING - {"0"}:
        return None, None, ""
    # Terminals put blanks between level, strain and doubling, and may write the doubling as an asterisk.
    whole = _CONTRACT.fullmatch(re.sub(r"\s+", "", text))
    bid, seat, made = whole.groups(default="") if whole is not None else (text, "", "")
    try:
        contract = Contract.parse("Pass" if text[:1].isalpha() and _PASSED.fullmatch(text) else bid.replace("*", "X"))
    except ValueError:
        raise CellError(IMPOSSIBLE_CONTRACT, f"{text!r} is not a contract") from None
    declarer = _parsed(cells, "declarer", Seat.parse, "a seat that declares")
    return contract, Seat.parse(seat) if declarer is None and seat else declarer, made


def _tricks_of(cells: Mapping[str, str], contract: Contract | None, made: str) -> int | None:
    """Return declarer's tricks, from the cell of tricks, or from a result: ``=``, ``+1``, ``-2``, or ``10`` for tricks won."""
    tricks = _parsed(cells, "tricks", integer, "a number of tricks")
    text = cells.get("result", "") or made
    if contract is not None and contract.is_passed_out:
        if tricks or not _PASSED.fullmatch(text):
            raise CellError(IMPOSSIBLE_CONTRACT, f"a board that was passed out has no result, and {text or tricks} is given")
    elif tricks is None and text and contract is not None:
        try:
            won = whole_number(text) or 0
            tricks = won if won > 6 else read_result(contract, text)
        except ValueError:
            raise CellError(IMPOSSIBLE_CONTRACT, f"{text!r} is not a result of {contract}") from None
    if tricks is not None and not 0 <= tricks <= 13:
        raise CellError(IMPOSSIBLE_CONTRACT, f"the result of {contract} is given as {tricks} tricks: there are 0 to 13")
    return tricks


def _score_of(cells: Mapping[str, str]) -> int | None:
    points = {field: cell for field in ("score_ns", "score_ew") if not _is_award(cell := cells.get(field, ""))}
    ns, ew = (_parsed(points, field, _points, "a score or an award: 420, A+, 60%") for field in ("score_ns", "score_ew"))
    return ns if ns is not None else None if ew is None else -ew


def _points(text: str) -> int:
    return integer(re.sub(r"(?i)^ns\s*|^\+", "", text))


TABLE_COLUMNS = {
    "PairId_NS": "ns",
    "PairId_EW": "ew",
    "Contract": "contract",
    "Declarer": "declarer",
    "Result": "tricks",
    "Lead": "lead",
    "Score_NS": "score_ns",
    "Score_EW": "score_ew",
    "Multiplicity": "count",
    "Round": "round",
    "Table": "table",
    "Section": "section",
    "IMP_NS": "given IMP",
    "MP_NS": "given MP",
    "Percentage_NS": AWARDED[0],
    "Percentage_EW": AWARDED[1],
}
"""The field of each column of a table of results in a board, by PBN's name of the column."""


def of_boards(boards: Sequence[Board], path: str = "") -> tuple[list[TableResult], list[Diagnostic]]:
    """Return the results of boards, from the rows of a table of results or else from the board's own fields, and the findings.

    >>> board = Board.parse("1; contract 4S by N; result 10")
    >>> of_boards([board])[0][0].score
    420
    """
    results: list[TableResult] = []
    found: list[Diagnostic] = []
    for index, board in enumerate(boards):
        at = ResultOrigin(path, record=index)
        table = next((one for one in board.tables if one.name == "ScoreTable"), None)
        number = str(board.number) if board.number is not None else str(index + 1)
        vulnerability = board.effective_vulnerability
        if table is not None:
            rows = [({"number": number, **cells}, at) for cells in _cells_of(table, TABLE_COLUMNS)]
            known = {int(number): vulnerability}.__getitem__ if vulnerability is not None else standard_vulnerability
            read, wrong = read_rows(rows, known)
            results += read
            found += wrong
        elif (own := _own_result(board, int(number), at)) is not None:
            results.append(own)
    return results, found


def _cells_of(table: Table, columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for row in table.rows:
        yield {columns[column.name]: cell for column, cell in zip(table.columns, row, strict=False) if column.name in columns}


def _own_result(board: Board, number: int, at: ResultOrigin) -> TableResult | None:
    """Return the result in a board's own fields; None where it has no score, and none follows from its contract and result."""
    contract, declarer, score = board.effective_contract, board.effective_declarer, score_of(board)
    if contract is not None and not (contract.is_passed_out or (declarer is not None and board.result in range(14))):
        contract = None
    if score is None:
        return None
    lead = next(iter(board.play.cards), None) if board.play is not None else None
    ns, ew = _sides_of(board)
    return TableResult(
        number,
        ns,
        ew,
        contract,
        declarer,
        board.result,
        score,
        board.score is not None,
        lead,
        board.round or "",
        board.room or "",
        deal=board.deal if board.deal is not None and board.deal.is_complete else None,
        at=at,
    )


def _sides_of(board: Board) -> tuple[str, str]:
    """Return the names of North-South and East-West: the teams where both are named, else the players.

    The home team has North and South in the open room, East and West in the closed room (PBN standard 2.1, tag HomeTeam).
    """
    if all(board.teams):
        first, second = (team or "" for team in board.teams)
        return (second, first) if board.room == "Closed" else (first, second)
    west, north, east, south = board.players
    return "/".join(filter(None, (north, south))), "/".join(filter(None, (east, west)))
