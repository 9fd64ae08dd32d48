"""Asks the ten questions of this folder of solved deals, and writes their answers with pictures.

    python examples/questions/run.py                     100,000 deals of the published sequence: dealt and solved first
    python examples/questions/run.py --solved FILE       the deals of a solved file

Solving takes an hour and more on one core. It may be stopped at any time: the same command goes on where it was. The deals are kept
in ``--folder``, the answers go to ``docs/questions.md`` and ``docs/questions``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import bridgespec
from bridgespec.cli.query import rows_of
from bridgespec.tables.charts import Chart, plot
from bridgespec.tables.query import QuerySession

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"


def solved(folder: Path, count: int) -> Path:
    """The solved deals, dealt and solved unless they are there."""
    deals, results = folder / f"rpdd-{count}.zbd", folder / f"rpdd-{count}.zrd"
    folder.mkdir(parents=True, exist_ok=True)
    for made, call in (
        (deals, ["generate", "rpdd", "--deals", f"0-{count}", "-o", str(deals)]),
        (results, ["solve", str(deals), "-o", str(results)]),
    ):
        if not made.exists():
            subprocess.run([sys.executable, "-m", "bridgespec", *call], check=True)
    return results


def answers(source: Path, docs: Path) -> Iterator[str]:
    """The page, piece by piece; the pictures are written on the way."""
    table = bridgespec.table(source, derived=True).read()
    yield HEAD.format(count=table.num_rows)
    pictures = docs / "questions"
    pictures.mkdir(exist_ok=True)
    with QuerySession({"deals": table}) as session:
        for number, path in enumerate(sorted(HERE.glob("*.sql")), 1):
            text = path.read_text("utf-8")
            title, what, *lines = text.splitlines()
            answer = session.ask(text)
            names, rows = answer.schema.names, list(rows_of(answer))
            with (pictures / f"{path.stem}.svg").open("wb") as file:
                plot(Chart.of(names, rows), file, f"{path.stem}.svg")
            yield f"## {number}. {title.removeprefix('-- ')}\n\n{what.removeprefix('-- ')}\n\n"
            yield "```sql\n" + "\n".join(lines) + "\n```\n\n"
            yield f"![{title.removeprefix('-- ')}](questions/{path.stem}.svg)\n\n"
            yield from _tabled(names, rows)


def _tabled(names: list[str], rows: list[list[object]]) -> Iterator[str]:
    """The answer as a table; of two groups, a column for each of the second."""
    if len(names) == 3:
        chart = Chart.of(names, rows)
        series = [*chart.series]
        names = [names[0], *(f"{names[1]} {one}" if isinstance(one, int) else str(one) for one in series)]
        rows = [[group, *(chart.numbers.get((group, one)) for one in series)] for group in chart.groups]
    yield f"| {' | '.join(names)} |\n|{' ---: |' * len(names)}\n"
    for row in rows:
        yield f"| {' | '.join(_cell(value) for value in row)} |\n"
    yield "\n"


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


HEAD = """# Ten questions that players ask

The answers are those of the first {count:,} deals of the published sequence of random deals, solved by `bridgespec solve`: what
perfect play by all four takes, who see each other's cards. Each question is a file of
[examples/questions](../examples/questions), asked by

```sh
bridgespec query examples/questions/01-fit-and-points.sql deals.zrd --plot tricks.svg
```

All are asked, and this page is written, by `python examples/questions/run.py`, which deals and solves first, and goes on where it
was stopped. North and South are looked at; a trick counts as theirs if the better of the two hands as declarer takes it.

"""


def main() -> None:
    """Deal, solve, ask and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "bridgespec" / "deals", help="where deals are kept")
    parser.add_argument("--solved", type=Path, help="a file of solved deals to ask instead")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the answers go")
    asked = parser.parse_args()
    source = asked.solved or solved(asked.folder, asked.deals)
    (asked.docs / "questions.md").write_text("".join(answers(source, asked.docs)).rstrip("\n") + "\n", "utf-8")


if __name__ == "__main__":
    main()
