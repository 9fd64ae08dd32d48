"""Which format a file is in: by its name where that settles it, else by what its content can be read as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from bridgespec.diagnostic import Diagnostic, Severity, Span, define
from bridgespec.errors import UsageError
from bridgespec.spec.store import Head


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of reading data by a spec: all that is wrong with them, whether anything was found in them, and whether it is
    such that chance would not make it: a whole deal, calls of a system.
    """

    diagnostics: Sequence[Diagnostic]
    found: bool = True
    sure: bool = True
    records: int = 0


UNKNOWN_FORMAT = define(
    "unknown-format",
    Severity.ERROR,
    """No known format fits, or more than one.

    Neither the name of the file nor its content tells which format it is in. Name the format: `--format ID` on the command line,
    `format=` in Python. `bridgespec formats` lists what is known.
    """,
)
OTHER_FORMAT = define(
    "other-format",
    Severity.ERROR,
    """The file's name says one format, its content another.

    Read as the format of its name, most of the file is faulty; another format reads it without an error. What is wrong with it as
    the format of its name is not listed: name that format with `--format` to see it, or the other one to read the file.
    """,
)

Try = Callable[[Head, bytes], Trial]
"""Reads data by the schema of a head."""

PROBE = 1 << 13
"""How much of a large file is read to see what it may be."""
GLANCE = 1 << 8
"""How much of that is read to see what it cannot be."""
FEW = 8
"""So few errors may be one fault of a file, such as a sum that its cut end does not give."""


class UnrecognisedError(UsageError):
    """No format, or more than one, can be meant; ``candidates`` are the specs that could be, most likely first."""

    def __init__(self, message: str, candidates: tuple[Head, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


def by_name(specs: Iterable[Head], path: str) -> list[Head]:
    """The specs whose extension the file's name has."""
    extension = PurePath(path).suffix.lower().lstrip(".")
    return [spec for spec in specs if extension and extension in spec.extensions]


def by_content(specs: Iterable[Head], data: bytes, attempt: Try) -> list[Head]:
    """The specs that read the data without an error: where there are any, those that find something, and without a warning.

    Where every spec finds errors, those that find whole deals and fewest errors, at most two a record. Specs that find many errors
    in the beginning are tried on the rest only when no other reads the data without one.
    """
    specs = list(specs)
    if len(data) > GLANCE and len(specs) > 1:
        likely = [spec for spec in specs if not _hopeless(attempt(spec, data[:GLANCE]))]
        found, clean = best_by_content(likely, data, attempt)
        if clean or len(likely) == len(specs):
            return found
    return best_by_content(specs, data, attempt)[0]


def _hopeless(trial: Trial) -> bool:
    """Whether the beginning of a file has many errors, its cut end left aside, and no whole deal or more than two a record."""
    errors = _grave(trial.diagnostics, GLANCE, True).count(Severity.ERROR)
    return errors > FEW and (not trial.sure or errors > 2 * trial.records)


def best_by_content(specs: Sequence[Head], data: bytes, attempt: Try) -> tuple[list[Head], bool]:
    """The specs that fit best, and whether they read the data without an error."""
    probe = data[:PROBE]
    clean: dict[tuple[bool, Severity | None], list[Head]] = {}
    faulty: dict[float, list[Head]] = {}
    for spec in specs:
        trial = attempt(spec, probe)
        grave = _grave(trial.diagnostics, len(probe), len(probe) < len(data))
        worst = next((severity for severity in Severity if severity in grave), None)
        clean.setdefault((trial.found, worst), []).append(spec)
        errors = grave.count(Severity.ERROR)
        if trial.sure and 0 < errors <= 2 * trial.records:
            faulty.setdefault(errors / trial.records, []).append(spec)
    grades = ((found, worst) for found in (True, False) for worst in (None, Severity.NOTE, Severity.WARNING))
    best = next((clean[grade] for grade in grades if grade in clean), None)
    return (best, True) if best is not None else (faulty[min(faulty)] if faulty else [], False)


def _grave(diagnostics: Sequence[Diagnostic], size: int, cut: bool) -> list[Severity]:
    """The severities of what was found; what was found at the end of a probe is not a fault of the file."""
    return [
        diagnostic.severity
        for diagnostic in diagnostics
        if not (cut and diagnostic.span is not None and diagnostic.span.byte_stop >= size)
    ]


def recognise(specs: Iterable[Head], path: str | None, data: bytes, attempt: Try) -> Head:
    """The one format that the file is in; UnrecognisedError where none or several can be meant.

    A name whose extension belongs to a single format settles it, whatever the content: what is wrong with the content is then
    for a validation to say. An extension that several formats share, or that none has, leaves the content to decide.
    """
    specs = list(specs)
    named = by_name(specs, path or "")
    if len(named) == 1:
        return named[0]
    shown = path or "the data"
    if not len(data):
        raise UnrecognisedError(f"{shown}: is empty, so that only its name could tell the format", tuple(named))
    found = by_content(named or specs, data, attempt)
    if len(found) == 1:
        return found[0]
    if found or named:
        possible = found or named
        listed = "\n".join(f"  {spec.id:8} {spec.title}" for spec in possible)
        raise UnrecognisedError(f"{shown}: could be any of\n{listed}\nname the one that it is", tuple(possible))
    raise UnrecognisedError(f"{shown}: no known format has this extension or reads this content")


def other_format(
    specs: Iterable[Head], named: Head, data: bytes, diagnostics: Sequence[Diagnostic], records: int, attempt: Try
) -> Diagnostic | None:
    """The finding that takes the place of all others where the content is plainly of another format than the name's: there are more
    than two errors a record, and one other format finds whole deals in the content, or a system, without any error.
    """
    errors = sum(d.severity is Severity.ERROR for d in diagnostics)
    if not errors or errors <= 2 * records:
        return None
    possible = by_content((spec for spec in specs if spec.id != named.id), data, attempt)
    better = [spec for spec in possible if attempt(spec, data[:PROBE]).sure]
    if len(better) != 1:
        return None
    other = better[0]
    passed = "1 error is" if errors == 1 else f"{errors} errors are"
    message = f"this looks like {other.title}, not {named.title}: {passed} not listed"
    help_ = f"use --format {other.id}, or --format {named.id} to see the errors"
    return Diagnostic(OTHER_FORMAT.name, OTHER_FORMAT.severity, message, span=Span.of_bytes(0, 0), help=help_)
