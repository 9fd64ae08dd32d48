"""Bundle the page's scripts: each ES module becomes a function that returns its exports, after the modules that it imports."""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
SOLVER = (STATIC / "bridgespec-dd" / "index.js", STATIC.parents[2] / "web" / "bridgespec-dd" / "index.js")
"""Possible paths of the solver for the web: in the built package, else in the repository."""

# The supported forms of imports and exports: named ones, at the start of a line. `_OTHER` finds what remains.
_IMPORT = re.compile(r'^import\s+\{([^}]*)\}\s+from\s+"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_EXPORTED = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: Path) -> str:
    """Return the module and all that it imports as one module without imports, for inclusion in a page.

    Raises ValueError for an import or export in another form than named ones at the start of a line.
    """
    order: list[Path] = []
    _visit(entry.resolve(), order)
    return "\n".join(_scoped(path, order) for path in order)


def _visit(path: Path, order: list[Path]) -> None:
    """Add a module to the order, after all modules that it imports."""
    for _, name in _IMPORT.findall(path.read_text("utf-8")):
        _visit(_found(path, name), order)
    if path not in order:
        order.append(path)


def _found(path: Path, name: str) -> Path:
    """Return the file of an imported module: beside the importing one, or the solver, which is a package of its own."""
    if name == "bridgespec-dd":
        return next((place for place in SOLVER if place.is_file()), SOLVER[0]).resolve()
    return (path.parent / name).resolve()


def _scoped(path: Path, order: list[Path]) -> str:
    """Return the script of one module: a function that returns its exports, so that modules may use the same names."""
    text = path.read_text("utf-8")
    imports = [(names.replace(" as ", ": "), order.index(_found(path, name))) for names, name in _IMPORT.findall(text)]
    taken = [f"const {{{names}}} = module{index};" for names, index in imports]
    body = _IMPORT.sub("", text)
    given = _EXPORT.findall(body) + [name.strip() for names in _EXPORTED.findall(body) for name in names.split(",")]
    body = _EXPORTED.sub("", _EXPORT.sub("", body))
    if other := _OTHER.search(body):
        raise ValueError(f"{path.name}: not a form of module that can be put into a page: {other[0]}")
    inside = "\n".join([*taken, body.strip(), f"return {{ {', '.join(given)} }};"])
    return f"// {path.name}\nconst module{order.index(path)} = (() => {{\n{inside}\n}})();\n"
