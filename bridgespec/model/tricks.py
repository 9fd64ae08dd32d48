"""`Tricks`: a double-dummy table, the number of tricks by strain and declarer."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.model.cards import Seat, Strain, not_text
from bridgespec.model.drawn import Drawn

# The order of the declarers in texts, as in PBN's tag DoubleDummyTricks.
_ROWS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
UNSOLVED = 15
"""The value of an unknown cell."""


@dataclass(frozen=True, slots=True, repr=False)
class Tricks(Drawn):
    """A table of 20 cells, by strain NT S H D C and then by declarer W N E S: the declarer's tricks, 0 to 13, or `UNSOLVED`. The
    constructor also takes a text, as `Tricks.parse`.

    >>> table = Tricks.unknown().with_cell(Strain.SPADES, Seat.NORTH, 10)
    >>> table.get(Strain.SPADES, Seat.NORTH), table.get(Strain.NOTRUMP, Seat.WEST), table.known
    (10, None, 1)
    >>> table["S", "N"], table[Strain.SPADES, Seat.NORTH], Tricks.parse(repr(table)[8:-2]) == Tricks.parse(str(table)) == table
    (10, 10, True)
    """

    cells: bytes

    def __init__(self, cells: bytes | str) -> None:
        given = Tricks.parse(cells).cells if isinstance(cells, str) else cells
        if len(given) != 20 or max(given) > UNSOLVED:
            raise ValueError("a trick table is 20 cells, each 0 to 15")
        object.__setattr__(self, "cells", given)

    @classmethod
    def unknown(cls) -> Tricks:
        """Return the table whose cells are all unknown."""
        return cls(bytes([UNSOLVED]) * 20)

    @classmethod
    def parse(cls, text: str) -> Tricks:
        """Return the table of 20 hexadecimal digits, or of the rows that `str` returns. Raises ValueError for any other text.

        The digits are those of PBN's tag ``DoubleDummyTricks``: by declarer N S E W, then by strain NT S H D C; ``-`` is unknown.

        >>> Tricks.parse("33454" "33454" "aa979" "aa879")["NT", "E"]
        10
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        rows = [line.split() for line in text.strip().splitlines()]
        # A table as printed begins with the names of the strains, and has decimal numbers.
        if len(rows) == 5 and rows[0] == [strain.label for strain in Strain] and [row[0] for row in rows[1:]] == list("NSEW"):
            cells = [cell for row in rows[1:] for cell in row[1:]]
        else:
            cells = list("".join(text.split()))
        if len(cells) != 20:
            raise ValueError(f"a trick table is 20 hexadecimal digits, or a row for each of N S E W, not {text!r}")
        table = bytearray(20)
        for index, cell in enumerate(cells):
            declarer, strain = divmod(index, 5)
            table[4 * strain + _ROWS[declarer]] = _tricks_of(cell, 10 if len(rows) == 5 else 16)
        return cls(bytes(table))

    def __getitem__(self, cell: tuple[Strain | str, Seat | str]) -> int | None:
        """Return the tricks of a strain and a declarer, as `get`. Raises TypeError unless the index is a strain and a declarer."""
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise TypeError(f"a cell of a trick table is a strain and a declarer, as ['NT', 'N'], not [{cell!r}]")
        return self.get(*cell)

    def get(self, strain: Strain | str, declarer: Seat | str) -> int | None:
        """Return the declarer's tricks in a strain, None if they are unknown. Raises ValueError for a text that names no strain or
        no seat.
        """
        strain = Strain.parse(strain) if isinstance(strain, str) else strain
        declarer = Seat.parse(declarer) if isinstance(declarer, str) else declarer
        value = self.cells[4 * strain + declarer]
        return None if value == UNSOLVED else value

    def with_cell(self, strain: Strain, declarer: Seat, tricks: int) -> Tricks:
        """Return a copy of the table with one cell set."""
        cells = bytearray(self.cells)
        cells[4 * strain + declarer] = tricks
        return Tricks(bytes(cells))

    def __str__(self) -> str:
        """Return the table in lines: a row for each of N S E W, a column for NT and each suit, ``?`` for an unknown cell."""
        rows = ["   NT  S  H  D  C"]
        for seat in _ROWS:
            cells = (self.get(strain, seat) for strain in Strain)
            rows.append(f"{seat.letter} " + "".join("  ?" if cell is None else f"{cell:3}" for cell in cells))
        return "\n".join(rows)

    def __repr__(self) -> str:
        cells = (self.get(strain, seat) for seat in _ROWS for strain in Strain)
        return f"Tricks({''.join('-' if cell is None else f'{cell:x}' for cell in cells)!r})"

    @property
    def known(self) -> int:
        """The number of known cells."""
        return 20 - self.cells.count(UNSOLVED)


def _tricks_of(cell: str, base: int) -> int:
    """Return the number of a cell in a text, to the base 10 or 16. Raises ValueError unless it is 0 to 13 or unknown."""
    if cell in "-?":
        return UNSOLVED
    try:
        tricks = int(cell, base)
    except ValueError:
        tricks = UNSOLVED
    if tricks > 13:
        raise ValueError(f"{cell!r} is not a number of tricks, 0 to 13")
    return tricks
