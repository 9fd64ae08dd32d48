"""Open the tables that a question of the command ``query`` names, in the session that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bridgespec.cli.examine import tell_left_out
from bridgespec.cli.files import STDIO, read
from bridgespec.cli.progress import tracked
from bridgespec.cli.settings import Settings
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    from bridgespec import questions
    from bridgespec.tables import query as sql
else:
    questions, sql = Lazy("bridgespec.questions"), Lazy("bridgespec.tables.query")


@contextmanager
def asked(
    settings: Settings, question: str, paths: tuple[str, ...], format: str | None, memory: int
) -> Iterator[tuple[sql.QuerySession, list[str]]]:
    """Yield a session for a question, and the files in its folders that cannot be read, which are reported."""
    derived, names = questions.derived_columns(question), questions.named_sources(question, paths)
    left_out: list[str] = []

    def reading(files: Sequence[str]) -> Iterable[str]:
        return tracked(settings, files, len(files), "reading")

    def failed(path: str, error: Exception) -> None:
        left_out.append(path)
        tell_left_out(settings, path, error)

    tables = {
        path: questions.source_table(settings.engine, path, content, format, derived, reading, failed)
        # Standard input can be read once, and a question may name a table twice.
        for path, content in ((one, read(one) if one == STDIO else one) for one in dict.fromkeys(names.values()))
    }
    with sql.QuerySession({name: tables[path] for name, path in names.items()}, memory) as session:
        yield session, left_out
