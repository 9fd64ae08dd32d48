"""The table of all suit combinations of two lengths, written row by row; an interrupted run continues where it stopped."""

from __future__ import annotations

from pathlib import Path

from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings
from bridgespec.errors import UsageError
from bridgespec.suits.suit_solver import SuitEngine
from bridgespec.suits.suit_tables import header, line, rows
from bridgespec.writing import written


def write_table(settings: Settings, shape: tuple[int, int], dest: str, effort: int) -> None:
    """Write the table of a shape to ``dest``.

    Until it is complete the rows are in a file named ``dest`` with ``.partial`` appended, from which the same command continues; a
    row that an interruption cut off is solved again. Raises UsageError where that file contains another table.
    """
    if sum(shape) > 13 or not min(shape):
        raise UsageError(f"no suit has {shape[0]} and {shape[1]} cards: name two lengths like 4-3")
    found = list(rows(*shape))
    partial = Path(f"{dest}.partial")
    done = _done(partial)
    begun = [header(*shape), *(f"{row.north}\t{row.south}\t" for row in found)]
    # The rows of a table follow from its shape alone, so the beginnings of its lines prove that the file is of this table.
    if len(done) > len(begun) or not all(map(str.startswith, done, begun)):
        raise UsageError(f"{partial} holds the rows of another table: remove it, or name another file")
    with SuitEngine(effort=effort) as engine, partial.open("a", encoding="ascii", newline="\n") as rest:
        # Cut, not written again: an interruption between the two would lose hours of work.
        rest.truncate(sum(len(text) + 1 for text in done))
        if not done:
            rest.write(begun[0] + "\n")
        solved = max(len(done) - 1, 0)
        for row in tracked(settings, found[solved:], len(found) - solved, "combinations"):
            rest.write(line(engine, row) + "\n")
            rest.flush()
    with written(dest, settings.sync) as out:
        out.write(partial.read_bytes())
    partial.unlink()


def _done(partial: Path) -> list[str]:
    """Return the complete lines of an earlier run."""
    if not partial.exists():
        return []
    return partial.read_text("ascii", errors="replace").split("\n")[:-1]
