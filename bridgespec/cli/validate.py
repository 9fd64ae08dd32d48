"""The command ``validate``: every finding about every file."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import click
from rich.text import Text

from bridgespec.cli.advice import advised
from bridgespec.cli.array_sources import large_file
from bridgespec.cli.examine import ExaminedFile, examine, plural
from bridgespec.cli.exit_status import CLEAN, FAILED, FINDINGS, judging
from bridgespec.cli.failures import print_failure
from bridgespec.cli.files import STDIO, expand, opened, output, write
from bridgespec.cli.fixes import apply_fixes, chosen_fixes, copy_fixed, harmless_fixes
from bridgespec.cli.options import PATH, format_option, output_format_option, quiet_option
from bridgespec.cli.parallel import each
from bridgespec.cli.progress import tracked
from bridgespec.cli.record_checks import check_large
from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_json import json_line
from bridgespec.cli.render_marks import COLOURS, RenderSource
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.terminal import echo_json
from bridgespec.diagnostic import CODES, Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.version import VERSION

if TYPE_CHECKING:
    from bridgespec.cli import render_sarif as sarif
else:
    sarif = Lazy("bridgespec.cli.render_sarif")

SHOWN = 50
"""The default of ``--limit``."""
FEW = 3
"""If a file has more findings than this of one code, only the first is printed, with the number of the others."""
FIX_ROUNDS = 10
"""The maximum number of times that a file is fixed and checked again."""


@dataclass(frozen=True)
class ValidatedFile:
    """The result of checking a file; ``holds`` is a short description of its content, ``source`` has the bytes that findings
    quote.
    """

    shown: str
    holds: str
    findings: Sequence[Diagnostic]
    source: RenderSource
    fixed: int = 0
    is_empty: bool = False
    refused: int = 0
    """The number of fixes that were not made, because the file would have worse findings with them."""


@dataclass
class Tally:
    """The totals over all checked files."""

    files: int = 0
    clean: int = 0
    unread: int = 0
    fixed: int = 0
    fixable: int = 0
    found: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    kinds: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    places: Counter[tuple[Severity, str]] = field(default_factory=Counter)

    def add(self, checked: ValidatedFile) -> None:
        """Add the result for one file."""
        self.files += 1
        self.clean += not checked.findings
        self.fixed += checked.fixed
        self.fixable += len(chosen_fixes(checked.findings, False))
        for found in checked.findings:
            self.found[found.severity] += 1
        own = Counter((found.severity, found.code) for found in checked.findings)
        self.kinds.update(own)
        # Only the keys: each file counts once.
        self.places.update(own.keys())

    def status(self, strict: bool) -> int:
        """Return the exit status; with ``strict`` warnings count as errors."""
        if self.unread:
            return FAILED
        return FINDINGS if self.found[Severity.ERROR] or (strict and self.found[Severity.WARNING]) else CLEAN

    def table(self) -> Iterator[Text]:
        """Yield for each code how often it was found and in how many files, the highest severity first; nothing for a single
        finding.
        """
        if self.kinds.total() < 2:
            return
        order = list(Severity)
        for (severity, code), count in sorted(self.kinds.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1])):
            files = f"  in {plural(self.places[severity, code], 'file')}" if self.files > 1 else ""
            yield Text.assemble(f"{count:>9,}  ", (f"{severity}[{code}]", COLOURS[severity]), files)

    def summary(self, seconds: float) -> Text:
        """Return a line with the totals."""
        parts = [plural(count, severity) for severity, count in self.found.items() if count]
        bad = self.found[Severity.ERROR] > 0
        text = Text(f"{plural(self.files, 'file')} checked in {seconds:.1f} s" if self.files else "no file checked")
        if self.files:
            text.append(": ")
            text.append(", ".join(parts) or "no findings", "bold red" if bad else "bold yellow" if parts else "bold green")
        if parts and self.clean:
            text.append(f"; {self.clean:,} clean")
        if self.unread:
            text.append(f"; {self.unread:,} could not be read", "bold red")
        if self.fixed:
            text.append(f"; {self.fixed:,} fixed", "bold green")
        if self.fixable:
            text.append(f"; {self.fixable:,} can be fixed with --fix")
        return text


GROUP = "Files"


@click.command(
    epilog="""\b
Examples:
  bridgespec validate boards.dup
  bridgespec validate boards/ --strict
  bridgespec validate - --format zrd < deals
  bridgespec validate boards/ --output-format sarif > findings.sarif
""",
    short_help="Check files and show what is wrong, where, and what to do.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@format_option("--format", help="The format, where name and content do not tell it.")
@output_format_option
@click.option("--exclude", metavar="NAME", multiple=True, help="Leave out files and folders of this name: bad, '*.tmp'.")
@click.option("--strict", is_flag=True, help="Warnings make the exit status 1 too.")
@click.option("--fix", is_flag=True, help="Make the repairs that cannot lose anything.")
@click.option("--unsafe-fixes", is_flag=True, help="Make the other repairs too.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=SHOWN,
    show_default=str(SHOWN),
    metavar="N",
    help="Show at most N findings a file; 0: all, as --all.",
)
@click.option("--all", "every", is_flag=True, help="Show every finding, also where a file has more than three of a kind.")
@click.option("--thorough", is_flag=True, help="Read large files whole too, which takes time and memory.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Processes for many files; all cores unless given.")
@quiet_option
@pass_settings
@judging
def command(
    settings: Settings,
    paths: tuple[str, ...],
    format: str | None,
    output_format: str,
    exclude: tuple[str, ...],
    strict: bool,
    fix: bool,
    unsafe_fixes: bool,
    limit: int,
    every: bool,
    thorough: bool,
    jobs: int | None,
) -> int:
    """Check files and folders: every problem of every file, at its bytes and bits, with what to do about it.

    Of a folder, every file of a known extension is checked. PATH - is standard input. The exit status is 0 when nothing is
    wrong, 1 when there are errors, 2 when a file could not be read.

    In files of fixed-size records from 64 kB on, arrays find the clean records; all others are read and judged as in small files,
    so that the findings are the same.
    """
    started = time.monotonic()
    files = _files_to_check(settings, paths, exclude, fixing=fix or unsafe_fixes)
    tally = Tally()
    results: list[tuple[Diagnostic, RenderSource]] = []
    # Fixing writes files, and --debug prints tracebacks, which other processes do not return: both stay in this process.
    alone = fix or unsafe_fixes or settings.debug
    work = partial(_check, format=format, thorough=thorough, fix=fix or unsafe_fixes, unsafe=unsafe_fixes)
    done = each(settings, files, 1 if alone else jobs, work)
    for _, checked in tracked(settings, done, len(files), "checking"):
        # The errors of other processes come back as values, so that one file that cannot be read does not end the run.
        if isinstance(checked, Exception):
            tally.unread += 1
            print_failure(settings.err, checked, settings.debug)
            continue
        tally.add(checked)
        if output_format == "text":
            _show(settings, checked, 0 if every else limit)
        elif output_format == "json":
            for found in checked.findings:
                echo_json(json_line(found, checked.source))
        else:
            # A SARIF log lists the codes of all its findings, so it is written at the end.
            results += ((found, checked.source) for found in checked.findings)
    if output_format == "sarif":
        echo_json(sarif.sarif_log(results, CODES, VERSION))
    # For other formats standard output contains JSON only, for the program that reads it.
    console = settings.out if output_format == "text" else settings.err
    if output_format == "text":
        for row in tally.table():
            console.print(row, soft_wrap=True)
    console.print(tally.summary(time.monotonic() - started), soft_wrap=True)
    return tally.status(strict)


def _files_to_check(settings: Settings, paths: Sequence[str], exclude: tuple[str, ...], fixing: bool) -> list[str]:
    """Return the files that the paths name. Raises UsageError where there is none, and for standard input with ``fixing``."""
    # The heads of 25 schemas are read in 0.04 s, the schemas in 0.23 s (both from the cache), and a file needs one of them.
    known = frozenset(extension for head in settings.heads for extension in head.extensions)
    files = list(expand(paths, known, exclude))
    if not files:
        raise UsageError(f"no file of a known format in {', '.join(paths)}")
    if fixing and STDIO in files:
        raise UsageError("standard input cannot be fixed; give a file")
    return files


def _check(settings: Settings, path: str, format: str | None, thorough: bool, fix: bool, unsafe: bool) -> ValidatedFile:
    """Check a file, a large one by arrays unless ``thorough``; with ``fix`` write it with its fixes. Return its result after
    that.
    """
    large = None if thorough else large_file(settings, path, format, grouped=True)
    judged = check_large(settings, large) if large is not None else None
    if large is None or judged is None:
        return _check_whole(settings, path, format, fix, unsafe)
    found = judged.findings
    holds = f"{large.spec.id}, {plural(judged.records, 'board' if large.codec.terms else 'record')}"
    fixes = chosen_fixes(found, unsafe) if fix else []
    if not fixes:
        return ValidatedFile(path, holds, found, large.source())
    with opened(path) as source, output(path) as target:
        copy_fixed(source, target, fixes)
    # The fixed file is checked again: its offsets differ, and it may have findings that were hidden before.
    return replace(_check(settings, path, format, thorough, False, unsafe), fixed=len(fixes))


def _check_whole(settings: Settings, path: str, format: str | None, fix: bool, unsafe: bool) -> ValidatedFile:
    """Check a file that is read at once; with ``fix`` write it with its fixes, if there are any. Return its result after that."""
    examined = _advised(settings, examine(settings, path, format))
    made = refused = 0
    data = examined.report.reading.file_data

    def found(changed: bytes) -> Sequence[Diagnostic]:
        return examine(settings, path, examined.report.spec.id, data=changed).findings

    # A fix may uncover further findings. Without the limit, two fixes that undo each other would not end.
    for _ in range(FIX_ROUNDS if fix else 0):
        proposed = chosen_fixes(examined.findings, unsafe)
        fixes = harmless_fixes(data, proposed, found)
        refused = len(proposed) - len(fixes)
        changed = apply_fixes(data, fixes)
        if changed == data:
            break
        made += len(fixes)
        data = changed
        examined = _advised(settings, examine(settings, path, examined.report.spec.id, data=data))
    if made:
        write(path, data)
    return ValidatedFile(examined.shown, examined.holds, examined.findings, examined.source, made, examined.is_empty, refused)


def _advised(settings: Settings, examined: ExaminedFile) -> ExaminedFile:
    return replace(examined, report=advised(settings, examined.report))


def _show(settings: Settings, checked: ValidatedFile, limit: int) -> None:
    console = settings.out
    findings = checked.findings
    counts = Counter((found.severity, found.code) for found in findings)
    summarised: set[tuple[Severity, str]] = set()
    shown = behind = 0
    for found in findings:
        kind = found.severity, found.code
        # With --all the limit is 0, and every finding is printed.
        if limit and counts[kind] > FEW:
            if kind in summarised:
                continue
            summarised.add(kind)
        if limit and shown >= limit:
            behind += counts[kind] if counts[kind] > FEW else 1
            continue
        shown += 1
        print_diagnostic(console, found, checked.source)
        if kind in summarised:
            more = f"{checked.shown}: {counts[kind] - 1:,} more of {found.code}, shown with --all\n"
            console.print(Text(more, "bold"), soft_wrap=True)
    if behind:
        console.print(Text(f"{checked.shown}: {behind:,} more, shown with --all\n", "bold"), soft_wrap=True)
    if checked.refused:
        left = f"{plural(checked.refused, 'repair')} not made: the findings would be worse than before\n"
        console.print(Text(f"{checked.shown}: {left}", "bold"), soft_wrap=True)
    if findings and checked.is_empty:
        # The name may have settled the format of a file that is of none, or of another one.
        read_as = f"there are no boards in it, read as {checked.holds.partition(',')[0]} (--format ID names another format)"
        console.print(Text.assemble((f"{checked.shown}: ", "bold"), read_as), soft_wrap=True)
    if not findings and not settings.quiet:
        repaired = f", {plural(checked.fixed, 'repair')} made" if checked.fixed else ""
        line = Text.assemble((f"{checked.shown}: ", "bold"), ("ok", "bold green"), f" ({checked.holds}{repaired})")
        console.print(line, soft_wrap=True)
