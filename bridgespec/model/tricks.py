"""Double-dummy tables: tricks by strain and declarer."""

from __future__ import annotations

from dataclasses import dataclass

from bridgespec.model.cards import Seat, Strain
from bridgespec.model.drawn import Drawn

UNSOLVED = 15
"""The cell of a result that nobody knows."""


@dataclass(frozen=True, slots=True)
class Tricks(Drawn):
    """20 cells, strain NT S H D C by declarer W N E S: the declarer's tricks 0..13, or `UNSOLVED`.

    >>> table = Tricks.unknown().with_cell(Strain.SPADES, Seat.NORTH, 10)
    >>> table.get(Strain.SPADES, Seat.NORTH), table.get(Strain.NOTRUMP, Seat.WEST), table.known
    (10, None, 1)
    """

    cells: bytes

    def __post_init__(self) -> None:
        if len(self.cells) != 20 or max(self.cells) > UNSOLVED:
            raise ValueError("a trick table is 20 cells, each 0 to 15")

    @classmethod
    def unknown(cls) -> Tricks:
        """The table that says nothing."""
        return cls(bytes([UNSOLVED]) * 20)

    def get(self, strain: Strain, declarer: Seat) -> int | None:
        """The declarer's tricks; None where unknown."""
        value = self.cells[4 * strain + declarer]
        return None if value == UNSOLVED else value

    def with_cell(self, strain: Strain, declarer: Seat, tricks: int) -> Tricks:
        """The same table with one cell set."""
        cells = bytearray(self.cells)
        cells[4 * strain + declarer] = tricks
        return Tricks(bytes(cells))

    def __str__(self) -> str:
        """The table as people read it: a row for each of N S E W, a column for NT and each suit; ``?`` where unknown."""
        rows = ["   NT  S  H  D  C"]
        for seat in (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST):
            cells = (self.get(strain, seat) for strain in Strain)
            rows.append(f"{seat.letter} " + "".join("  ?" if cell is None else f"{cell:3}" for cell in cells))
        return "\n".join(rows)

    @property
    def known(self) -> int:
        """How many cells are known."""
        return 20 - self.cells.count(UNSOLVED)
