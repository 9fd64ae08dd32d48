"""The page's scripts as one: ES modules put one after the other, each behind those that it imports."""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
_IMPORT = re.compile(r'^import\s+[^;]*?\bfrom\s+"(\.{1,2}/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)


def bundle(entry: Path) -> str:
    """The module and all that it imports as one module without imports.

    The modules keep to what makes this right, and a test holds them to it: imports stand at the top and name what they take,
    exports stand before a declaration, and no two modules declare the same name.
    """
    done: list[Path] = []
    _visit(entry.resolve(), done)
    return "\n".join(_plain(path) for path in done)


def _visit(path: Path, done: list[Path]) -> None:
    if path in done:
        return
    for name in _IMPORT.findall(path.read_text("utf-8")):
        _visit((path.parent / name).resolve(), done)
    done.append(path)


def _plain(path: Path) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", path.read_text("utf-8"))).strip() + "\n"
