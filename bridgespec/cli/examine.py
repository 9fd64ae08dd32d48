"""Read and check files for commands. `examine` returns the report on a file with the source of the bytes that printed findings
quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from bridgespec.cli.files import STDIO, read, safe_name
from bridgespec.cli.render_marks import RenderSource, looks_like_text
from bridgespec.cli.settings import Settings
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.examined import Report
from bridgespec.recognise import UnrecognisedError
from bridgespec.tables.table_files import kind_by_name

STDIN_NAME = "<stdin>"


@dataclass(frozen=True)
class ExaminedFile:
    """A file that was read and checked: its report, and the source of the bytes that printed findings quote."""

    path: str
    report: Report
    source: RenderSource

    @property
    def shown(self) -> str:
        """The file's name for messages."""
        return shown_name(self.path)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """All findings, in file order."""
        return self.report.diagnostics

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(found.severity is severity for found in self.findings)

    @property
    def is_empty(self) -> bool:
        """Whether the file has no boards and no bidding system, though its format can have them."""
        return self.report.spec.has_model and not self.report.document.boards and self.report.document.system is None

    @property
    def holds(self) -> str:
        """A short description of format and content: ``zbd, 16 boards``, or ``png, 3 records``."""
        boards = len(self.report.document.boards)
        if boards:
            return f"{self.report.spec.id}, {plural(boards, 'board')}"
        if self.is_empty:
            return f"{self.report.spec.id}, no boards"
        if self.report.spec.has_model:
            return self.report.spec.id
        lists = {one.name for one in self.report.spec.top.fields if one.repeat is not None}
        records = sum(len(one.children or ()) for one in self.report.reading.root.children or () if one.name in lists)
        return self.report.spec.id + (f", {plural(records, 'record')}" if lists else "")


def shown_name(path: str) -> str:
    """Return the name of a file for messages."""
    return STDIN_NAME if path == STDIO else safe_name(path)


def shown_names(paths: Sequence[str]) -> str:
    """Return the name of the first path for messages, and the number of the others."""
    first = shown_name(paths[0])
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def tell_left_out(settings: Settings, path: str, error: Exception) -> None:
    """Print the error of one of several files, which is left out while the others are processed."""
    reason = str(error) if isinstance(error, BridgespecError) else getattr(error, "strerror", None) or str(error)
    shown = shown_name(path)
    words = reason if reason.startswith(shown) else f"{shown}: {reason}"
    settings.err.print(Text.assemble(("error", "bold red"), f": {words}: the file is left out"), soft_wrap=True)


def plural(count: int, word: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "board"), plural(1200, "board")
    ('1 board', '1,200 boards')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def naming(error: UnrecognisedError, option: str) -> UsageError:
    """Return an error about an unknown format with advice added: the option that names the format."""
    return UsageError(f"{error} ({option} {error.candidates[0].id if len(error.candidates) == 1 else 'ID'})")


def examine(
    settings: Settings,
    path: str,
    format: str | None,
    option: str = "--format",
    data: bytes | None = None,
    folders: Sequence[str] = (),
    rules: bool = True,
) -> ExaminedFile:
    """Read one file and, with ``rules``, check it by the rules of the game.

    Raises UsageError where its format is not recognised, with the option that names it. Files that a bidding system includes are
    looked up beside the file and in the folders.
    """
    content = read(path) if data is None else data
    kind = kind_by_name(path) if format is None else None
    # By name and content: a text that is called .arrow is not a table, and is read as what it is.
    if kind is not None and content.startswith(kind.magic):
        name = shown_name(path)
        raise UsageError(f"{name}: is a table of boards; `bridgespec query` asks it, and `bridgespec convert` makes a file of it")
    try:
        look = settings.engine.examine if rules else settings.engine.read
        # Standard input has no name that could determine its format.
        report = look(content, format, None if path == STDIO else path, folders)
    except UnrecognisedError as error:
        raise naming(error, option) from None
    text = report.spec.language == "lark" or looks_like_text(content)
    encoding = report.reading.encoding
    # A text in another encoding was decoded first, and findings have their positions in the decoded data.
    drawn = content if encoding is None else report.reading.data
    return ExaminedFile(path, report, RenderSource(shown_name(path), drawn, text, encoding))
