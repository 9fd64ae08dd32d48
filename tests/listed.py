"""Lists of parameters that only compiled schemas give, kept between runs: collection would otherwise compile every schema.

`listed` decorates the function that makes a list. Its result is kept in pytest's cache folder as long as no file that a list can
depend on changes: of the package, the schemas, the examples or the tests. Only names are kept: what they name is made by each run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec

Parameters = ParamSpec("Parameters")
ROOT = Path(__file__).parent.parent
PARTS = ("bridgespec", "specs", "examples", "tests")


class _Kept:
    """Where lists are kept; nowhere outside pytest, or where its cache is switched off."""

    folder: Path | None = None


def keep_in(folder: Path) -> None:
    """Keep lists in a folder."""
    _Kept.folder = folder


@cache
def state() -> str:
    """Return a digest of the names, sizes and times of change of all files that a list can depend on."""
    found = [sys.version, str(ROOT)]
    pending = [str(ROOT / part) for part in PARTS]
    # The list grows during the loop.
    for folder in pending:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    pending += [entry.path] if entry.name[0] not in "._" else []
                else:
                    known = entry.stat()
                    found.append(f"{entry.path} {known.st_size} {known.st_mtime_ns}")
    return sha256("\n".join(found).encode("utf-8", "surrogateescape")).hexdigest()


def listed(make: Callable[Parameters, Iterable[Any]]) -> Callable[Parameters, list[Any]]:
    """Decorate a function that returns names, or tuples of names and numbers, so that its list is kept."""

    @wraps(make)
    def made(*args: Parameters.args, **kwargs: Parameters.kwargs) -> list[Any]:
        # Schemas of other folders are not in the state.
        if _Kept.folder is None or "BRIDGESPEC_PATH" in os.environ:
            return list(make(*args, **kwargs))
        words = (make.__module__, make.__qualname__, *args, *kwargs.values())
        path = _Kept.folder / ("-".join(map(str, words)) + ".json")
        try:
            kept = json.loads(path.read_text("utf-8"))
            if kept["state"] == state():
                return [tuple(one) if isinstance(one, list) else one for one in kept["list"]]
        except (OSError, ValueError):
            pass
        found = list(make(*args, **kwargs))
        # Another process may read the file meanwhile.
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"state": state(), "list": found}), "utf-8")
        part.replace(path)
        return found

    return made
