"""Which format a file is in: by its name where that settles it, else by what its content can be read as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import UsageError
from bridgespec.spec.ir import Spec


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of reading data by a spec: everything that is wrong with them, and whether anything was found in them."""

    diagnostics: Sequence[Diagnostic]
    found: bool = True


Try = Callable[[Spec, bytes], Trial]
"""Reads data by a spec."""

PROBE = 1 << 16
"""How much of a large file is read to see what it may be."""


class UnrecognisedError(UsageError):
    """No format, or more than one, can be meant; ``candidates`` are the specs that could be, most likely first."""

    def __init__(self, message: str, candidates: tuple[Spec, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


def by_name(specs: Iterable[Spec], path: str) -> list[Spec]:
    """The specs whose extension the file's name has."""
    extension = PurePath(path).suffix.lower().lstrip(".")
    return [spec for spec in specs if extension and extension in spec.extensions]


def by_content(specs: Iterable[Spec], data: bytes, attempt: Try) -> list[Spec]:
    """The specs that read the data without an error: where there are any, those that find something, and without a warning."""
    probe = data[:PROBE]
    clean: dict[tuple[bool, Severity | None], list[Spec]] = {}
    for spec in specs:
        trial = attempt(spec, probe)
        worst = _worst(trial.diagnostics, len(probe), len(probe) < len(data))
        clean.setdefault((trial.found, worst), []).append(spec)
    grades = ((found, worst) for found in (True, False) for worst in (None, Severity.NOTE, Severity.WARNING))
    return next((clean[grade] for grade in grades if grade in clean), [])


def _worst(diagnostics: Sequence[Diagnostic], size: int, cut: bool) -> Severity | None:
    """The gravest severity; what was found at the end of a probe is no fault of the file."""
    grave = {
        diagnostic.severity
        for diagnostic in diagnostics
        if not (cut and diagnostic.span is not None and diagnostic.span.byte_stop >= size)
    }
    return next((severity for severity in Severity if severity in grave), None)


def recognise(specs: Iterable[Spec], path: str | None, data: bytes, attempt: Try) -> Spec:
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
