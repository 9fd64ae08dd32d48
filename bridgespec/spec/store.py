"""The cache of compiled schemas, so that the next start need not parse them: `SchemaStore.load` and `SchemaStore.keep`.

A cached file has three lines: the digests of the two others, the `Head` of the schema, and the values of the `Spec` as JSON
(`spec.flat`): it contains no code, and only value classes of this package are instantiated from it. A file is used only while
everything that it was made from is unchanged: the layout of the cache, the program, and every schema file by its content. Deleting
the files loses nothing but time.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.sources import open_regular, read_source
from bridgespec.spec.flat import NotStorable, flat, from_flat
from bridgespec.spec.ir import Spec
from bridgespec.spec.place import SchemaPlace
from bridgespec.version import VERSION

if TYPE_CHECKING:
    import hashlib
    import tempfile
else:
    hashlib, tempfile = Lazy("hashlib"), Lazy("tempfile")

LAYOUT = 2
"""Version of the file layout: cached files with another number are not used."""

MOST_KEPT = 1 << 26
"""The maximum number of bytes of each line of a cached file."""
CACHE_VARIABLE = "BRIDGESPEC_CACHE"
"""The environment variable with the user's cache folder; empty, it disables caching."""
PACKAGE = Path(__file__).resolve().parent.parent


# --- cached schemas -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """The properties of a schema by which the catalog selects it, cached separately so that the rest need not be loaded."""

    id: str
    title: str
    language: str
    path: str
    extensions: tuple[str, ...]

    @classmethod
    def of(cls, spec: Spec) -> Head:
        """Return the head of a schema."""
        return cls(spec.id, spec.title, spec.language, spec.path, spec.extensions)


class SchemaStore:
    """The caches of compiled schemas: that of the package, and the user's, which is written to if possible. Made by a catalog,
    whose folders are ``search``.
    """

    def __init__(self, search: tuple[Path, ...]) -> None:
        self.search = search
        self.folders = folders()
        self._digests: dict[Path, str] = {}

    def head(self, path: Path) -> Head | None:
        """Return the head of the schema in a file; None where it is not cached."""
        found = self._cached(path, False)
        return None if found is None else found[0]

    def load(self, path: Path) -> Spec | None:
        """Return the schema in a file; None where it is not cached."""
        found = self._cached(path, True)
        if found is None:
            return None
        try:
            spec = from_flat(json.loads(found[1]))
        except Exception:
            # A damaged file raises errors of any kind; the schema itself can be parsed again.
            return None
        return dataclasses.replace(spec, path=str(path)) if isinstance(spec, Spec) else None

    def keep(self, path: Path, spec: Spec) -> None:
        """Cache the schema of a file. An error in writing is ignored: the schema is then compiled at each start."""
        if len(self.folders) < 2:
            return
        with suppress(NotStorable, RecursionError, OSError, UnicodeError):
            files = {str(file): self._digest(file) for file in self._made_from(path, spec)}
            head = {**dataclasses.asdict(Head.of(spec)), "layout": LAYOUT, "program": program(), "files": files}
            # The last folder is the user's: that of the package may belong to another user.
            write_cached(self.folders[-1] / self._name(path), json.dumps(head), json.dumps(flat(spec), separators=(",", ":")))

    def _cached(self, path: Path, with_body: bool) -> tuple[Head, str] | None:
        """Return the head of a schema and, if ``with_body``, its JSON, from the first cache that has it unchanged; None where none
        has.
        """
        for folder in self.folders:
            found = read_cached(folder / self._name(path), with_body)
            if found is None:
                continue
            try:
                head = json.loads(found[0])
                # Another version of the program may compile a schema differently.
                if head.pop("layout") != LAYOUT or head.pop("program") != program():
                    continue
                files = head.pop("files")
                # By content, not by date: a schema that was copied or checked out again is the same.
                if not files or any(self._digest(self._here(name, path)) != digest for name, digest in files.items()):
                    continue
                # The path is where the schema is now; the cached one may be that of the build.
                head.update(extensions=tuple(head["extensions"]), path=str(path))
                return Head(**head), found[1]
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        return None

    def _here(self, name: str, path: Path) -> Path:
        """Return the present path of a file that a cached schema was made from: the first file with its name in the schema's
        folder or the search folders, else its former path.
        """
        file = Path(name)
        return next((found for folder in (path.parent, *self.search) if (found := folder / file.name).is_file()), file)

    def _made_from(self, path: Path, spec: Spec) -> list[Path]:
        """Return the files whose contents determine the compiled schema: its own, and those that it imports."""
        # A collection imports from its subfolders: /common/bytes is that of the folder of the schema, or of a search folder.
        inner = [folder / f"{name.lstrip('/')}{path.suffix}" for name in spec.imports for folder in (path.parent, *self.search)]
        found = {*inner, *(self._here(name, path) for name in (path.name, *_files_of(spec)))}
        return sorted(file for file in found if file.is_file())

    def _digest(self, file: Path) -> str:
        """Return the SHA-256 of a file in hexadecimal; cached. Raises OSError where the file cannot be read."""
        if file not in self._digests:
            self._digests[file] = hashlib.sha256(read_source(file)).hexdigest()
        return self._digests[file]

    def _name(self, path: Path) -> str:
        """Return the name of the cached file for the schema at ``path``."""
        # The names for the package's schemas do not depend on the folder in which it is installed.
        ours = path.parent == PACKAGE / "specs"
        return f"{path.name}.json" if ours else f"{path.stem}-{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]}.json"


def read_cached(path: Path, with_body: bool = True) -> tuple[str, str] | None:
    """Return the head and, if ``with_body``, the body of a cached file, else an empty text in its place.

    None where the file is absent, unreadable, not regular, too large, or was not written by `write_cached`.
    """
    try:
        with open_regular(path) as file:
            # A limit for each line, since a damaged file may have no line end.
            digests = file.readline(MOST_KEPT).split()
            lines = [file.readline(MOST_KEPT) for _ in digests[: 1 + with_body]]
        # Both lines are checked before either is parsed: a head with a changed title would be believed.
        if len(digests) != 2 or any(_sum(line) != digest for line, digest in zip(lines, digests, strict=False)):
            return None
        head, body, *_ = *(line.decode().removesuffix("\n") for line in lines), ""
    except (OSError, ValueError):
        return None
    return head, body


def _sum(line: bytes) -> bytes:
    return hashlib.sha256(line).hexdigest().encode()


def write_cached(path: Path, head: str, body: str) -> None:
    """Write a cached file completely or not at all; OSError where it cannot be written."""
    lines = [f"{text}\n".encode() for text in (head, body)]
    path.parent.mkdir(parents=True, exist_ok=True)
    # In the same folder, since a rename is atomic within one file system only.
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(b" ".join(map(_sum, lines)) + b"\n" + b"".join(lines))
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def detach(cache: Path, folder: Path) -> None:
    """Replace the paths of files in ``folder`` by their names, in every cached file, with new digests.

    The build of a package calls this, so that the folder it ran in does not distinguish two builds. Raises OSError where a cached
    file is damaged.
    """
    # The paths are inside JSON texts, in which Windows' separators are escaped.
    before = json.dumps(f"{folder}{os.sep}")[1:-1]
    for path in sorted(cache.glob("*.json")):
        lines = read_cached(path)
        if lines is None:
            raise OSError(f"{path} is damaged")
        write_cached(path, *(line.replace(before, "") for line in lines))


def own_folder() -> Path | None:
    """Return the user's cache folder; None where caching is disabled."""
    return next(iter(folders()[1:]), None)


def _files_of(value: object) -> set[str]:
    """Return the files that positions in a schema name: its own, and those of its imports."""
    found: set[str] = set()
    seen: set[int] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if id(item) in seen:
            continue
        # Parts are shared, and the graph of a schema may have cycles.
        seen.add(id(item))
        if isinstance(item, SchemaPlace):
            found.add(item.file)
        elif dataclasses.is_dataclass(item):
            stack += [getattr(item, field.name) for field in dataclasses.fields(item)]
        elif isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list | tuple | set | frozenset):
            stack += item
    return found


_PROGRAM: dict[tuple[str, ...], str] = {}


def program(*packages: str) -> str:
    """Return an identifier of the code in ``spec`` and ``packages``: the version and, in a checkout, a hash of the sizes and
    modification times of the source files.
    """
    if packages not in _PROGRAM:
        parts = [VERSION]
        # Installed, the version identifies the source; in a checkout the source changes without it.
        if not (PACKAGE / "specs").is_dir():
            states = (f"{file.name} {(state := file.stat()).st_size} {state.st_mtime_ns}" for file in sorted(_sources(*packages)))
            parts.append(hashlib.sha256("\n".join(states).encode()).hexdigest())
        _PROGRAM[packages] = " ".join(parts)
    return _PROGRAM[packages]


def _sources(*packages: str) -> list[Path]:
    folders = [PACKAGE / package for package in ("spec", *packages)]
    return [file for folder in folders for file in folder.rglob("*") if file.suffix in (".py", ".lark")]


def folders() -> tuple[Path, ...]:
    """Return the folders with cached schemas: that of the package, then the user's cache, if there is one."""
    try:
        own = _own_folder()
    except RuntimeError:  # raised by `Path.home` for a user without a home folder
        own = None
    return (PACKAGE / "specs" / "compiled", *(() if own is None else (own,)))


def _own_folder() -> Path | None:
    """Return the user's cache folder on this platform; None where `CACHE_VARIABLE` is empty."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "bridgespec" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bridgespec"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bridgespec"
