"""Generate one Python module from a schema that reads, validates and writes its files with the standard library alone.

`to_python` returns the source. It is not another implementation: it contains the sources of all modules that the reference codec
imports, without docstrings and comments, and the compiled schema as data (`spec.flat.flat`). Its findings are therefore those of
the package. No text of the schema becomes code: all of it is in one JSON string.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from bridgespec.spec.flat import NotStorable, flat
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.refused import NotExpressible
from bridgespec.version import VERSION

FORM = "a Python module"
"""The name of the target in messages of `NotExpressible`."""
_OURS = __name__.partition(".")[0]
_FOLDER = Path(__file__).parents[1]
_FLAT = f"{_OURS}.spec.flat"
_CODECS = {"ksy": (f"{_OURS}.codec.binary.codec", "BinaryCodec"), "lark": (f"{_OURS}.codec.text.codec", "TextCodec")}

_HEAD = '''\
"""Read, validate and write files of one format, with Python's standard library alone. Made by bridgespec {version}.

    reading = read(data)      # data: bytes; reading.root is the tree, reading.diagnostics are the findings
    plain(reading.root)       # the values as dicts, lists, numbers and texts
    write(values)             # the bytes of such values; derived values may be left out

    python {module}.py FILE...    # print the findings on files; exit status 1 if there is an error
"""

import importlib.abc
import importlib.util
import json
import sys

_PACKAGE = "{package}"


class _Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules in `_SOURCES`, as parts of a package whose name no other reader has."""

    def find_spec(self, name, path=None, target=None):
        own = name.removeprefix(_PACKAGE).removeprefix(".")
        if not name.startswith(_PACKAGE) or own not in _SOURCES:
            return None
        found = importlib.util.spec_from_loader(name, self, is_package=own in _FOLDERS)
        if own in _FOLDERS:
            found.submodule_search_locations.append(f"<{{name}}>")
            sys.path_importer_cache[f"<{{name}}>"] = _Folder(own)
        return found

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        own = module.__name__.removeprefix(_PACKAGE).removeprefix(".")
        exec(compile(_SOURCES[own], f"<{{module.__name__}}>", "exec", dont_inherit=True), module.__dict__)


class _Folder:
    """Lists the modules of a package, for packages that import all modules inside them."""

    def __init__(self, name):
        self.name = name

    def iter_modules(self, prefix=""):
        for one in _SOURCES:
            if one.rpartition(".")[0] == self.name and one:
                yield prefix + one.rpartition(".")[2], one in _FOLDERS


_FOLDERS = {folders}
_SOURCES = {{}}
'''
_TAIL = '''
sys.meta_path.insert(0, _Modules())
_import = importlib.import_module
_spec = _import(_PACKAGE + ".spec.flat").from_flat(json.loads(_SCHEMA.replace("{mark}", _PACKAGE)))
_codec = _import(_PACKAGE + ".{codec}").{name}(_spec)
Diagnostic = _import(_PACKAGE + ".diagnostic").Diagnostic
WriteError = _import(_PACKAGE + ".errors").WriteError


def read(data):
    """Return the tree of a file with its findings; never raises, whatever the bytes are."""
    return _codec.read(bytes(data))


def plain(node):
    """Return the values of a node, without positions."""
    return node.as_plain()


def write(values):
    """Return the bytes of a file from plain values. Raises WriteError where a value is missing or does not fit."""
    return _codec.write(values)


def main(paths):
    """Print the findings on files, a line each. Return 1 if there is an error, 2 if a file cannot be read, else 0."""
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                reading = read(file.read())
        except OSError as error:
            print(f"{{path}}: {{error.strerror}}", file=sys.stderr)
            return 2
        for one in reading.diagnostics:
            where = "" if one.span is None else f" at byte {{one.span.byte_start:#x}}"
            field = "" if one.field is None else f" {{one.field}}"
            print(ascii(f"{{path}}: {{one.severity}}[{{one.code}}]{{field}}{{where}}: {{one.message}}")[1:-1])
            status = max(status, one.severity == "error")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
'''
_MARK = "@"
"""The placeholder for the name of the package in the names of classes, which never have this character."""


def to_python(spec: Spec) -> str:
    """Return the source of a module. Raises NotExpressible, with the position, for a schema that needs more than the standard
    library.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> source = to_python(loads("meta: {id: one}\\nseq: [{id: a, type: u1, valid: 7}]"))
    >>> made = {"__name__": "one"}
    >>> exec(source, made)
    >>> [(one.code, one.field) for one in made["read"](bytes([8])).diagnostics]
    [('invalid-value', 'a')]
    """
    for what, place in _refused(spec):
        raise NotExpressible(what, place, FORM)
    roots, name = _CODECS[spec.language]
    schema = _schema(spec)
    # A name made of the content: readers of two schemas, or of two versions, can be imported in one program.
    package = f"_{_OURS}_{sha256((schema + VERSION).encode()).hexdigest()[:12]}"
    modules = _closure((roots, _FLAT))
    folders = sorted({part for one in modules for part in _parents(one)} | {""})
    head = _HEAD.format(version=VERSION, module=_file_name(spec), package=package, folders=repr(set(folders)))
    parts = [head]
    for one in dict.fromkeys([*folders, *(_short(one) for one in modules)]):
        # A package whose own module is not needed is included empty, since other modules are inside it.
        source = _printed(f"{_OURS}.{one}", package) if f"{_OURS}.{one}" in modules else ""
        parts.append(f"_SOURCES[{one!r}] = {_quoted(source)}\n")
    parts.append(f"_SCHEMA = {schema!a}\n")
    return "\n".join(parts) + _TAIL.format(mark=_MARK, codec=_short(roots), name=name)


def _file_name(spec: Spec) -> str:
    """Return a name for the module's file, for its documentation."""
    return spec.id if spec.id.isidentifier() and spec.id.isascii() else "reader"


# --- the schema ---------------------------------------------------------------------------------------------------------


def _schema(spec: Spec) -> str:
    """Return the compiled schema as JSON, without the documentation; the names of classes have `_MARK` in place of the package.
    Raises `NotExpressible` where a value cannot be stored.
    """
    # With its whole path, equal schemas in two folders would give different readers.
    bare = replace(spec, sources=(), samples=(), doc="", path=Path(spec.path).name, meta={}, warnings=())
    try:
        data = flat(bare)
    except NotStorable as error:
        raise NotExpressible(f"a value of {error}", spec.top.place, FORM) from None
    classes, value = data
    named = [[f"{_MARK}{name.removeprefix(_OURS)}", fields] for name, fields in classes]
    return json.dumps([named, value], separators=(",", ":"))


def _refused(spec: Spec) -> Iterator[tuple[str, SchemaPlace]]:
    """Yield description and position of each element that needs a library: expressions in a grammar, which Lark parses."""
    if isinstance(spec.text, Grammar):
        for rule in spec.text.rules.values():
            if rule.words.binding.value is not None:
                yield f"the value of {rule.name}, which follows from an expression over the grammar,", rule.place


# --- modules of this package --------------------------------------------------------------------------------------------


def _path(name: str) -> Path:
    """Return the path of a module's file, given its dotted name."""
    bare = _FOLDER.joinpath(*name.split(".")[1:])
    return bare / "__init__.py" if bare.is_dir() else bare.with_suffix(".py")


def _short(name: str) -> str:
    """Return a module's name without that of the package."""
    return name.partition(".")[2]


def _parents(name: str) -> list[str]:
    """Return the names of the packages around a module; a package is included itself."""
    parts = _short(name).split(".")
    inside = parts if _path(name).name == "__init__.py" else parts[:-1]
    return [".".join(inside[:at]) for at in range(1, len(inside) + 1)]


@cache
def _closure(roots: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of some modules and of all modules that they import, directly or through others, sorted."""
    found: set[str] = set()
    left = [*roots]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _imported(name, _parsed(name).body)
            # A package that iterates over its folder imports all modules in it.
            if "iter_modules(__path__)" in _path(name).read_text("utf-8"):
                left += [f"{name}.{one.stem}" for one in _path(name).parent.glob("*.py") if one.stem != "__init__"]
    return tuple(sorted(found))


@cache
def _parsed(name: str) -> ast.Module:
    return ast.parse(_path(name).read_text("utf-8"))


def _imported(name: str, body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names of modules of this package that statements import, without imports for type checkers and lazy ones."""
    for one in body:
        if isinstance(one, ast.If) and isinstance(one.test, ast.Name) and one.test.id == "TYPE_CHECKING":
            continue
        if isinstance(one, ast.ImportFrom) and (one.module or "").partition(".")[0] == _OURS and one.module is not None:
            for alias in one.names:
                inner = f"{one.module}.{alias.name}"
                # `from package import name` imports a module, or a name that the package's own module defines.
                yield inner if _path(inner).is_file() else one.module


class _Renamed(ast.NodeTransformer):
    """Transforms the syntax tree of a module: removes docstrings and imports for type checkers, and renames the package in
    imports.
    """

    def __init__(self, package: str) -> None:
        self.package = package

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module is not None and node.module.partition(".")[0] == _OURS:
            node.module = self.package + node.module.removeprefix(_OURS)
        return node

    def visit_If(self, node: ast.If) -> object:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return [self.visit(one) for one in node.orelse] or ast.Pass()
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        lazy = isinstance(node.func, ast.Name) and node.func.id == "Lazy" and isinstance(node.args[0], ast.Constant)
        if lazy and isinstance(node.args[0], ast.Constant) and str(node.args[0].value).startswith(f"{_OURS}."):
            node.args[0] = ast.Constant(self.package + str(node.args[0].value).removeprefix(_OURS))
        return self.generic_visit(node)


def _printed(name: str, package: str) -> str:
    """Return the source of a module as it is included in a reader: without docstrings, with imports from the reader's package."""
    tree = ast.parse(_path(name).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # Without its docstring a body may be empty, which needs a `pass`.
            node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(_Renamed(package).visit(tree)))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _quoted(source: str) -> str:
    """Return a source text as a Python string literal of several lines."""
    # Not `repr`, which would put a whole module on one line.
    escaped = source.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""\\\n{escaped}\n"""' if source else '""'
