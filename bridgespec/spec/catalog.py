"""The catalog: every schema in the search path, each loaded on first access.

There is no list of formats. A schema that names a file extension is a format; others are parts for import.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec.diagnostic import Diagnostic, hint
from bridgespec.errors import BridgespecError, SpecError, UsageError
from bridgespec.lazily import Lazy
from bridgespec.spec.ir import Spec
from bridgespec.spec.store import Head, SchemaStore

if TYPE_CHECKING:
    from importlib import metadata

    from bridgespec.spec import problems as faults
    from bridgespec.spec.grammar import load as grammar
    from bridgespec.spec.kaitai import schema as ksy
    from bridgespec.spec.problems import Problems
else:
    # A schema that is kept compiled needs neither language.
    metadata, faults = Lazy("importlib.metadata"), Lazy("bridgespec.spec.problems")
    ksy, grammar = Lazy("bridgespec.spec.kaitai.schema"), Lazy("bridgespec.spec.grammar.load")

LANGUAGES = (".ksy", ".lark")
PATH_VARIABLE = "BRIDGESPEC_PATH"
ENTRY_POINTS = "bridgespec.specs"


def builtin_folder() -> Path:
    """Return the folder of the package's own schemas: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "specs"
    return inside if inside.is_dir() else package.parent / "specs"


FolderState = tuple[tuple[str, int, int, int], ...]
"""For each folder and each schema file: the path, the modification time in ns, the size and the inode; zeros for a folder."""


_MOST_FOLDERS = 128
"""The maximum number of subfolders that are scanned for each folder, nearest first: a search path may name a large tree."""


def state_of(folders: Iterable[str | os.PathLike[str]]) -> FolderState:
    """Return the names, times, sizes and inodes of all schema files in ``folders`` and in those of ``BRIDGESPEC_PATH``, with
    their subfolders; the value differs once one of the files has changed.
    """
    found: list[tuple[str, int, int, int]] = []
    for folder in (*folders, *_environment()):
        pending = [os.fspath(folder)]
        found.append((pending[0], 0, 0, 0))
        # The list grows during the loop: subfolders are visited nearest first.
        for inner in pending:
            # A folder that is missing is reported by the catalog, a link that leads nowhere by what loads it.
            with suppress(OSError), os.scandir(inner) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    with suppress(OSError):
                        if entry.name.endswith(LANGUAGES):
                            status = entry.stat()
                            # An editor that replaces a file gives it another inode.
                            found.append((entry.path, status.st_mtime_ns, status.st_size, status.st_ino))
                        # Links to folders may lead back, so that a search through them has no end.
                        elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                            pending += [entry.path] if len(pending) <= _MOST_FOLDERS else []
    return tuple(found)


class Catalog:
    """Schemas by id, from ``folders`` first, then ``BRIDGESPEC_PATH``, installed packages and the package's own.

    A schema's id is its file's name. Where two folders have the same id, the first wins. ``broken`` maps the ids of schemas that
    could not be loaded to their errors.

    >>> Catalog().load("zbd").title
    'ZBD binary deals'
    """

    def __init__(self, folders: Iterable[Path | str] = ()) -> None:
        self.folders = [*(Path(folder) for folder in folders), *_environment(), *_installed(), builtin_folder()]
        self.broken: dict[str, SpecError] = {}
        self._specs: dict[str, Spec] = {}
        self._store = SchemaStore(tuple(self.folders))
        self._paths: dict[str, Path] = {}
        self._heads: dict[Path, Head] = {}
        self._listed: tuple[tuple[int, int], list[tuple[str, Head]]] | None = None
        """Cache of `_named_heads`: the lengths of ``_paths`` and ``broken`` when it was filled, and the ids with their heads."""
        for folder in self.folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: there is no such folder of schemas")
            for path in sorted(folder.iterdir()):
                # a folder or a link that leads nowhere is left out too, but with its reason
                if path.suffix in LANGUAGES and not path.is_dir():
                    first = self._paths.setdefault(path.stem, path)
                    # Two languages may have one stem in a folder: the second is found by its whole name.
                    if first is not path and first.parent == path.parent:
                        self._paths[path.name] = path

    def load(self, id: str) -> Spec:
        """Return the schema with this id. Raises UsageError, which names the nearest id, for an unknown id; SpecError for a schema
        with errors.
        """
        name = id.lower()
        if name not in self._paths:
            self._find_by_id()
        if name not in self._paths:
            raise UsageError(f"there is no format {id!r}{hint(name, self._paths, '`bridgespec formats` lists what is known')}")
        if name not in self._specs:
            self._specs[name] = self._load(self._paths[name])
        return self._specs[name]

    def _load(self, path: Path) -> Spec:
        """Return the schema in a file, from the cache if it is there unchanged. Raises SpecError for one that cannot be used."""
        spec = self._store.load(path)
        if spec is None:
            try:
                spec = load_file(path, self.folders)
            # An error with its own message needs no other.
            except BridgespecError:
                raise
            except Exception as error:
                # One schema on the path must not break the others, whatever is wrong with it.
                raise SpecError(f"{path}: it cannot be used: {type(error).__name__}: {error}") from error
            self._store.keep(path, spec)
        return spec

    def _find_by_id(self) -> None:
        """Load every schema, to find one whose file is not named after its id."""
        for spec in list(self.all()):
            self._paths.setdefault(spec.id, Path(spec.path))
            self._specs.setdefault(spec.id, spec)

    def all(self) -> Iterator[Spec]:
        """Yield every format, by id; schemas that cannot be loaded are left out and recorded in ``broken``."""
        for name, head in self._named_heads():
            try:
                yield self.load(name)
            except SpecError as error:
                self.broken[head.id] = error

    def heads(self) -> list[Head]:
        """Return the heads of the formats, by id, without loading schemas that are cached; those that cannot be loaded are left
        out.
        """
        return [head for _, head in self._named_heads()]

    def _named_heads(self) -> list[tuple[str, Head]]:
        """Return id and head of each format, by id. Cached until a schema is found or fails to load, since every recognition of a
        file needs them.
        """
        # Both numbers only grow, so that a change of either invalidates the cache.
        if self._listed is None or self._listed[0] != (len(self._paths), len(self.broken)):
            found = sorted(self._find_heads(), key=lambda named: named[0])
            self._listed = (len(self._paths), len(self.broken)), found
        return self._listed[1]

    def _find_heads(self) -> Iterator[tuple[str, Head]]:
        """Yield id and head of each format, in the order of the folders; a schema with errors is recorded in ``broken``."""
        seen: set[Path] = set()
        ids: dict[str, Path] = {}
        order = {folder: at for at, folder in reversed([*enumerate(self.folders)])}
        # Of two folders the first wins by the ids of its schemas too, whatever their files are called.
        for name in sorted(self._paths, key=lambda name: (order.get(self._paths[name].parent, len(order)), name)):
            path = self._paths[name]
            if name in self.broken or path in seen:
                continue
            seen.add(path)
            if path not in self._heads:
                # A cached head spares loading the schema.
                head = Head.of(self._specs[name]) if name in self._specs else self._store.head(path)
                try:
                    self._heads[path] = Head.of(self.load(name)) if head is None else head
                except SpecError as error:
                    self.broken[name] = error
                    continue
            if self._heads[path].extensions:
                first = ids.setdefault(self._heads[path].id, path)
                if first is path:
                    yield name, self._heads[path]
                # In different folders the earlier one wins; in one folder nothing decides.
                elif first.parent == path.parent:
                    both = f"{first} and {path}"
                    self.broken[name] = SpecError(f"two schemas are called {self._heads[path].id!r}: {both}")

    def by_extension(self, extension: str) -> list[Spec]:
        """Return the formats whose schemas name this file extension."""
        return [self.load(name) for name, head in self._named_heads() if extension.lower() in head.extensions]


def load_file(path: Path, search: Iterable[Path | str] = (), problems: Problems | None = None, text: str | None = None) -> Spec:
    """Return the schema in a file of either language. ``problems`` collects every finding, with warnings. ``text`` replaces the
    file's content, for an editor in which the file is not saved.

    Raises SpecError for any schema that cannot be used, even if a loader fails on it by a bug, so that one schema cannot stop the
    others.
    """
    if path.suffix not in LANGUAGES:
        raise UsageError(f"{path}: a schema is a .ksy or a .lark file")
    try:
        if path.suffix == ".ksy":
            return ksy.load(path, search, problems=problems, text=text)
        return grammar.load_grammar(path, problems, search, text)
    except BridgespecError:
        raise
    except RecursionError:
        message = "this schema is nested too deeply"
    except Exception as error:
        # a fault of the loader's: the place is unknown, but the file is not, and other files must stay usable
        message = f"this schema cannot be used: {type(error).__name__}: {error}"
    raise SpecError(f"{path}: {message}", (Diagnostic(faults.VALUE.name, faults.VALUE.severity, message, path=str(path)),))


def _environment() -> list[Path]:
    """Return the folders of the environment variable ``BRIDGESPEC_PATH``."""
    return [Path(part) for part in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if part]


def _installed() -> list[Path]:
    """Return the folders of schemas in other installed packages: an entry point names a package, or a function that returns a
    folder.
    """
    if not any(_may_provide(Path(place)) for place in sys.path):
        return []
    folders = []
    for point in metadata.entry_points(group=ENTRY_POINTS):
        found = point.load()
        place = found() if callable(found) else getattr(found, "__path__", [None])[0]
        if place is None:
            raise BridgespecError(f"the entry point {point.name} of {ENTRY_POINTS} gives no folder")
        folders.append(Path(str(place)))
    return folders


def _may_provide(place: Path) -> bool:
    """Whether a package in this folder of ``sys.path`` may have an entry point of the group `ENTRY_POINTS`."""
    # Python's own look-up reads all that is known of every package, which takes longer than the rest of a small command.
    if not place.is_dir():
        return place.is_file()
    for file in (*place.glob("*.dist-info/entry_points.txt"), *place.glob("*.egg-info/entry_points.txt")):
        try:
            # A search for the name instead of parsing: a false match only costs the look-up.
            if ENTRY_POINTS in file.read_text("utf-8"):
                return True
        except (OSError, UnicodeDecodeError):
            return True
    return False
