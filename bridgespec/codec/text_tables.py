"""Tables of text formats: a pair whose value names columns and whose section holds the cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bridgespec.codec.text_facts import scalar
from bridgespec.codec.text_pairs import AnyFact, Key
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_spine import MANY, SHORT
from bridgespec.model.cards import Seat, Strain
from bridgespec.model.table import Column, Table
from bridgespec.model.tricks import Tricks

_CELL = re.compile(r"""\{[^}]*+\}?+|(?<![^\r\n])%[^\r\n]*+|;[^\r\n]*+|"[^"\r\n]*+"?+|[^\s{};"]++""")


def columns_of(value: Any) -> tuple[Column, ...]:
    """The columns that a value names; none where it names none."""
    if not isinstance(value, Mapping) or "column" not in value:
        return ()
    found = []
    for item in value["column"]:
        order = {"descending": "+", "ascending": "-"}.get(item.get("order", ""), "")
        width = item.get("width", {})
        least = int(width["least"]) if "least" in width else None
        found.append(
            Column(item.get("column_name", ""), order, least, {"left": "L", "right": "R"}.get(width.get("alignment", ""), ""))
        )
    return tuple(found)


def cells_of(section: Any) -> list[str]:
    """The cells of a section, without their quotes."""
    cells = section.get("cell", ()) if isinstance(section, Mapping) else ()
    return [cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell for cell in cells]


def table_of(fact: AnyFact) -> Table | None:
    """The table that a pair with its section is; None where it is none."""
    if not fact.raw_body:
        return None
    cells = cells_of(fact.section)
    columns = columns_of(fact.value)
    if not columns and not cells:
        return None
    if not columns:
        columns = tuple(Column(name) for name in scalar(fact.value).split(";"))
    size = len(columns)
    return Table(fact.key or "", columns, tuple(tuple(cells[i : i + size]) for i in range(0, len(cells), size)))


def tricks_of_table(fact: AnyFact) -> Tricks | None:
    """The table of tricks that rows of declarer, denomination and result are; None where the columns are others."""
    table = table_of(fact)
    if table is None:
        return None
    names = [column.name for column in table.columns]
    if not {"Declarer", "Denomination", "Result"} <= set(names):
        return None
    places = [names.index(name) for name in ("Declarer", "Denomination", "Result")]
    tricks = Tricks.unknown()
    for row in table.rows:
        if len(row) < len(names):
            continue
        seat, strain, number = (row[place] for place in places)
        if (
            seat.upper() in {"W", "N", "E", "S"}
            and strain.upper() in {"NT", "N", "S", "H", "D", "C"}
            and len(number) <= 2
            and number.isascii()
            and number.isdigit()
            and int(number) <= 13
        ):
            tricks = tricks.with_cell(Strain("NSHDC".index(strain[0].upper())), Seat.of(seat), int(number))
    return tricks


def text_of_table(table: Table) -> tuple[str, str]:
    """The value that names a table's columns, and the section of its rows, a line each."""
    head = ";".join(_column(column) for column in table.columns)
    lines = []
    for row in table.rows:
        cells = []
        for index, cell in enumerate(row):
            text = f'"{cell}"' if not cell or any(mark in cell for mark in ' [];{}"') else cell
            column = table.columns[index] if index < len(table.columns) else None
            if column is not None and column.width is not None:
                text = text.ljust(column.width) if column.align == "L" else text.rjust(column.width)
            cells.append(text)
        lines.append(" ".join(cells) + "\r\n")
    return head, "".join(lines)


def _column(column: Column) -> str:
    return column.order + column.name + ("" if column.width is None else f"\\{column.width}{column.align}")


def tricks_rows(tricks: Tricks) -> tuple[str, str]:
    """A trick table as rows of declarer, denomination and result."""
    columns = (Column("Declarer"), Column("Denomination", width=2, align="R"), Column("Result", width=2, align="R"))
    rows = [
        (seat.letter, strain.label, str(number))
        for seat in (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
        for strain in reversed(Strain)
        if (number := tricks.get(strain, seat)) is not None
    ]
    return text_of_table(Table("", columns, tuple(rows)))


# --- what does not fit


def misfits(compiler: Compiler, of: Key, value: str, text: str, start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    """The cells of a section that misfit the columns ``value`` names, and a last row that is short: messages and places."""
    word: Any = of.kind.columns
    names = [re.split(r"[\\]", name.lstrip("+-"))[0] for name in value.split(";")]
    if _fits(compiler, of, word, names, text[start:stop]):
        return
    cells = list(_CELL.finditer(text, start, stop)) if start < stop else []
    cells = [cell for cell in cells if cell[0][0] not in "{;%"]
    for index, cell in enumerate(cells):
        name = names[index % len(names)]
        rule = word["cases"].get(name)
        held = cell[0].strip('"')
        if rule is not None and held not in ("?", "-", "") and not compiler.program(rule).pattern.fullmatch(held.lstrip("^")):
            yield f"{held!r} cannot stand in the column {name} of {of.name}", cell.start(), cell.end()
    if len(cells) % len(names):
        yield f"the last row of {of.name} has {len(cells) % len(names)} of {len(names)} cells", start, stop


def _fits(compiler: Compiler, of: Key, word: Any, names: list[str], section: str) -> bool:
    """Whether a section is nothing but plain cells that fit their columns."""
    if any(mark in section for mark in '{};%"'):
        return False
    cells = section.split()
    if len(cells) % len(names):
        return False
    for index, name in enumerate(names):
        rule = word["cases"].get(name)
        texts = set(cells[index :: len(names)])
        if rule is None or texts <= (fitting := of.cells.setdefault(name, {"?", "-"})):
            continue
        pattern = compiler.program(rule).pattern
        if not all(pattern.fullmatch(text.lstrip("^")) for text in texts - fitting):
            return False
        if len(fitting) < MANY:
            fitting |= {text for text in texts if len(text) <= SHORT}
    return True
