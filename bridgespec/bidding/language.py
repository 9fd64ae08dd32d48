"""Read the files of a system: its own and those of the conventions that it takes. Errors are findings with their places.

`SystemReader.read` takes a path and appends a `Module` for each file to `SystemReader.modules`. The language is a schema
(``specs/bid.lark``), so its codec parses a file to a tree, of which `reading.Builder` makes the `Module`. Modules are cached in the
process and stored in a folder, so that the next start need not parse an unchanged file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec.bidding.reading import UNKNOWN_WORD, Builder
from bridgespec.bidding.rule_file import SUFFIX, ItemPlace, Module, Take
from bridgespec.diagnostic import Diagnostic, Severity, Span, define, hint, nearest
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.sources import is_source, read_source
from bridgespec.spec import flat, store

if TYPE_CHECKING:
    from bridgespec.bidding import unread
    from bridgespec.codec.text import codec
    from bridgespec.spec import catalog
else:
    # Stored modules are read without parsing: the codec is imported only when a file is parsed.
    codec, unread = Lazy("bridgespec.codec.text.codec"), Lazy("bridgespec.bidding.unread")
    catalog = Lazy("bridgespec.spec.catalog")

NO_FILE = define(
    "bid-missing-file",
    Severity.ERROR,
    "A system takes a convention that is not there\n\nThey are looked for beside the system, in the folders given, and among ours.",
)
RECURSION = define("bid-recursion", Severity.ERROR, "A convention takes itself\n\nDirectly, or through others that it takes.")
TOO_LARGE = define(
    "bid-too-large", Severity.ERROR, "A system has too many rules or files\n\nA bound that no system made by people comes near to."
)

_SUGGESTED = 20
"""The most unreadable lines of a file for which a correction is searched."""
MOST_RULES = 20_000
"""The most rules of all files of a system together."""
MOST_FILES = 200
"""The most files of a system, each counted as often as it is taken."""
MOST_BYTES = 1_000_000
"""The most bytes of all files of a system together."""
MOST_FINDINGS = 1000
LANGUAGE = SUFFIX.lstrip(".")
"""The id of the schema of the language."""
SHIPPED = Path(__file__).parent.parent / "systems"
"""The folder of the systems that the package contains."""
HERE = '"\\u0000"'
"""The placeholder for the path of the file in its stored `Module`, so that the package may be moved."""
MOST_MODULES = 256
"""The most modules in `_MODULES`, which is emptied when it is full."""
_MODULES: dict[tuple[str, str], Module] = {}
"""The modules of files without findings, by the entry of `SystemReader.contents`. Copies of them share their lists, which must not
be changed.
"""
VARIABLE = "BRIDGESPEC_BIDDING"
"""The environment variable with further folders of systems and conventions."""


@cache
def codec_of() -> codec.TextCodec:
    """Return the codec of the language of rules; it is made once."""
    return codec.TextCodec(catalog.Catalog().load(LANGUAGE))


class SystemReader:
    """Reads a system with all conventions that it takes. Created for one system, or by an editor for one file.

    ``modules`` has one entry for each part of a file in the order in which rules prevail. Errors are appended to ``findings``,
    never raised. ``changes`` maps names of conventions to parameters that override those in the files.
    """

    def __init__(self, folders: Sequence[Path] = (), changes: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self.changes = changes or {}
        self.unsaved: dict[Path, bytes] = {}
        """The contents of files that are not saved yet, by their resolved paths."""
        named = [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
        # The user's folders come first, so that a convention of the package can be replaced by one of the same name.
        self.folders = [*folders, *named, SHIPPED, SHIPPED / "conventions"]
        self.findings: list[Diagnostic] = []
        self.modules: list[Module] = []
        self.contents: list[tuple[str, str]] = []
        """For each file in the order of reading, the path of its stored `Module`, which has a digest of its settings, and the
        digest of its bytes. Equal contents are equal systems.
        """
        self._open: list[Path] = []
        self._rules = self._bytes = 0

    def find(self, name: str, beside: Path | None = None) -> Path | None:
        """Return the path of a system or convention, None if there is none. ``name`` is the path of a ``.bid`` file, or a name that
        is looked for in the folder ``beside`` and then in `folders`.
        """
        path = Path(name)
        if path.suffix == SUFFIX and is_source(path):
            return path
        stem = path.stem if path.suffix == SUFFIX else name
        for folder in [*([beside] if beside else []), *self.folders]:
            path = folder / f"{stem}{SUFFIX}"
            if is_source(path):
                return path
        return None

    def known(self) -> dict[str, Module]:
        """Return the modules of all systems and conventions in `folders` by name, without the conventions that they take.

        Of files with the same name the one in the first folder is taken.
        """
        found: dict[str, Module] = {}
        for folder in self.folders:
            for path in sorted(folder.glob(f"*{SUFFIX}")):
                if path.stem not in found:
                    with suppress(OSError):
                        found[path.stem] = self._module(read_source(path), path.resolve(), {})
        return found

    def read(self, path: Path, settings: Mapping[str, float] | None = None, at: ItemPlace | None = None) -> None:
        """Read a file and the conventions that it takes, and append them to `modules` in the order of the text.

        ``settings`` override parameters of the file. ``at`` is the place of the line that takes the file, for findings.
        """
        path = path.resolve()
        here = at or ItemPlace(str(path), 1, 1)
        # Two files that take each other would be read for ever; ``_open`` has the files above the present one.
        if path in self._open:
            self.report(RECURSION.name, f"{path.name} takes itself", here)
            return
        if len(self.modules) >= MOST_FILES:
            # Reported once: the empty module raises the count above the bound, and further files are skipped silently.
            if len(self.modules) == MOST_FILES:
                self.report(TOO_LARGE.name, f"more than {MOST_FILES} files", here)
                self.modules.append(Module(path.stem))
            return
        try:
            # The size is tested before reading, so that a file of gigabytes is refused and not loaded.
            size = len(self.unsaved[path]) if path in self.unsaved else path.stat().st_size
            data = self.unsaved.get(path) or (read_source(path) if self._bytes + size <= MOST_BYTES else b"")
        except OSError as error:
            self.report(NO_FILE.name, f"{path}: {error.strerror}", here)
            return
        if self._bytes + max(size, len(data)) > MOST_BYTES:
            self.report(
                TOO_LARGE.name, f"{path.name}: more than {MOST_BYTES:,} bytes, all files together", ItemPlace(str(path), 1, 1)
            )
            return
        self._bytes += len(data)
        module = self._configured(data, path, settings or {}, here)
        self.modules.append(module)
        self._open.append(path)
        for section in module.sections:
            self._rules += len(section.rules)
        if self._rules > MOST_RULES:
            self.report(TOO_LARGE.name, f"more than {MOST_RULES:,} rules", ItemPlace(str(path), 1, 1))
            module.sections = []
        # Rules prevail in the order of the file: those above a take come before the convention, those below it after.
        own, stop = module.sections, len(module.sections)
        module.sections = own[: module.takes[0].after] if module.takes else own
        for place, take in enumerate(module.takes):
            self._take(take, path)
            # The sections of a file below a ``take`` follow those of the convention.
            end = module.takes[place + 1].after if place + 1 < len(module.takes) else stop
            if own[take.after : end]:
                rest = replace(module, title="", sources=[], takes=[], asks=[], asked=[], sections=own[take.after : end])
                self.modules.append(rest)
        self._open.pop()

    def _configured(self, data: bytes, path: Path, settings: Mapping[str, float], here: ItemPlace) -> Module:
        """Return the contents of a file with its parameters set by ``settings`` and `changes`; report unknown names."""
        changed = self.changes.get(path.stem, {})
        wanted = {**settings, **changed}
        module = self._module(data, path, wanted)
        for name in wanted:
            if name not in module.parameters:
                help = nearest(name, sorted(module.parameters))
                # A setting of ``take`` is reported at that line; a name in `changes` is written in no file.
                where = here if name not in changed else ItemPlace(str(path), 1, 1)
                self.report(UNKNOWN_WORD.name, f"{path.stem} has no parameter {name}", where, help)
        return module

    def _take(self, take: Take, path: Path) -> None:
        """Read the convention that the file ``path`` takes, or report that it does not exist."""
        found = self.find(take.name, path.parent)
        if found is not None:
            self.read(found, take.settings, take.place)
            return
        known = sorted({file.stem for folder in [path.parent, *self.folders] for file in folder.glob(f"*{SUFFIX}")})
        self.report(NO_FILE.name, f"there is no {take.name}{SUFFIX}", take.place, nearest(take.name, known))

    def _module(self, data: bytes, path: Path, settings: dict[str, float]) -> Module:
        """Return the contents of a file as a new `Module`: from the cache of the process, from the store, or parsed."""
        digest = _digest(data)
        name = _name(path, settings)
        key = str(name), digest
        self.contents.append(key)
        if key not in _MODULES:
            before = len(self.findings)
            module = self._stored(data, path, settings, name, digest)
            if len(self.findings) > before:
                return module
            if len(_MODULES) >= MOST_MODULES:
                _MODULES.clear()
            _MODULES[key] = module
        # A copy, because `read` replaces `Module.sections` if the file has lines ``take``.
        return replace(_MODULES[key])

    def _stored(self, data: bytes, path: Path, settings: dict[str, float], name: Path, digest: str) -> Module:
        """Return the stored `Module` of a file if its digest is ``digest``; else parse the file, and store it if it has no finding.

        ``name`` is the path within the store.
        """
        for folder in store.folders():
            with suppress(Exception):
                # Any error in a damaged store file is ignored: the rules can be parsed again.
                kept = store.read_cached(folder / name)
                if kept is None or kept[0] != digest:
                    continue
                module = flat.from_flat(json.loads(kept[1].replace(HERE, json.dumps(str(path)))))
                if isinstance(module, Module):
                    return module
        before = len(self.findings)
        reading = codec_of().read(data, MOST_FINDINGS)
        for at, found in enumerate(reading.diagnostics):
            help, fix = found.help, found.fix
            if help is None and at < _SUGGESTED:
                help, fix = unread.repair(codec_of(), data, found)
            self._keep(Diagnostic(found.code, found.severity, found.message, path=str(path), span=found.span, help=help, fix=fix))
        module = Builder(self.report, path, data, settings).module(reading.root)
        own = store.own_folder()
        if own is not None and len(self.findings) == before:
            # A cache folder that cannot be written or rules that cannot be stored only cost the next start its parsing.
            with suppress(OSError, RecursionError, flat.NotStorable):
                text = json.dumps(flat.flat(module), separators=(",", ":")).replace(json.dumps(str(path)), HERE)
                store.write_cached(own / name, digest, text)
        return module

    def report(self, code: str, message: str, place: ItemPlace, help: str | None = None) -> None:
        """Add an error to the findings."""
        self._keep(_error(code, message, place, help))

    def _keep(self, found: Diagnostic) -> None:
        """Add a finding, unless there are `MOST_FINDINGS` already."""
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(found)


def _name(path: Path, settings: Mapping[str, float]) -> Path:
    """Return the path of the stored `Module` of a file within the store; for files of the package it is the same for every place of
    installation.
    """
    named = path.relative_to(SHIPPED).as_posix() if path.is_relative_to(SHIPPED) else str(path)
    return Path("rules") / f"{path.stem}-{hashlib.sha256(f'{named} {sorted(settings.items())}'.encode()).hexdigest()[:16]}.json"


def _digest(data: bytes) -> str:
    """Return the digest of everything that a stored `Module` depends on."""
    made = hashlib.sha256(data)
    # A module that another version of this code has stored must not be used, so the code is part of the digest.
    made.update(f"{store.program()} {_program()}".encode())
    return made.hexdigest()


@cache
def _program() -> str:
    """Return the digest of the schema of the language and of the Python files that turn a file into a `Module`."""
    here = Path(__file__).parent
    files = [catalog.builtin_folder() / f"{LANGUAGE}.lark", *(here / f"{name}.py" for name in ("reading", "rule_file", "language"))]
    made = hashlib.sha256()
    for file in files:
        made.update(file.read_bytes())
    return made.hexdigest()


def _error(code: str, message: str, place: ItemPlace, help: str | None = None) -> Diagnostic:
    """Return a finding of the severity error at a place of a file."""
    span = Span.of_bytes(place.start, place.stop - place.start, place.line, place.column)
    return Diagnostic(code, Severity.ERROR, message, path=place.file, span=span, help=help)


def too_large(message: str, place: ItemPlace) -> Diagnostic:
    """Return the finding ``bid-too-large`` at a place of a file."""
    return _error(TOO_LARGE.name, message, place)


def unknown_system(name: str, known: Iterable[str] = ()) -> UsageError:
    """Return the error for a system that does not exist; it suggests the nearest of the ``known`` names."""
    return UsageError(f"there is no bidding system {name!r}{hint(name, sorted(known))}")
