"""Counts what makes the code hard to read: ``python -m tools.counts [FOLDER] [--list]``, of this checkout or of another.

Each count is made from the syntax trees of the package and of its tests, and from what ruff measures. ``--list`` prints what was
counted below each count, so that two versions can be compared with ``diff``.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMPLEXITY = 15
LITERARY = re.compile(r"\b(?:says?|said|saying|tells?|told|telling|holds?|held|stands?|stood|standing)\b", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z']+")
ALIAS = re.compile(r"_?[A-Z]\w*[a-z]\w*")
COMMENT = re.compile(r"^\s*#|\S\s\s#\s")
# A name in more than one folder has the same role in each of them: everywhere, or in the folders below the one that is given.
SIBLINGS = {
    "__init__.py": "",
    "codec.py": "",
    "conftest.py": "",
    "expressions.py": "bridgespec/targets",
    "module.py": "bridgespec/targets",
    "keys.py": "bridgespec/spec",
    "scope.py": "bridgespec/codec",
    "stream.py": "bridgespec/codec",
    "trace.py": "bridgespec/codec",
}
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Count:
    """One line of the report: what was counted, how often it occurs, and each occurrence with ``--list``."""

    name: str
    value: float
    found: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.value:10,.6g}  {self.name}"


class Sources:
    """The Python files of one folder with their syntax trees, read once for all counts."""

    def __init__(self, root: Path, folder: str) -> None:
        self.trees = {path.relative_to(root): ast.parse(path.read_text("utf-8")) for path in sorted((root / folder).rglob("*.py"))}
        self.texts = {path: (root / path).read_text("utf-8") for path in self.trees}

    def nodes(self) -> Iterator[tuple[Path, ast.AST]]:
        """Return every node of every file."""
        return ((path, node) for path, tree in self.trees.items() for node in ast.walk(tree))

    def docstrings(self) -> Iterator[tuple[Path, str]]:
        """Return the docstrings of modules, classes and functions."""
        for path, node in self.nodes():
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                yield path, text


def repeated(pairs: Iterable[tuple[str, Path]]) -> tuple[str, ...]:
    """Return the names that occur more than once, each with the paths where it does."""
    places: dict[str, list[Path]] = defaultdict(list)
    for name, path in pairs:
        places[name].append(path)
    return tuple(f"{name}: {' '.join(map(str, paths))}" for name, paths in sorted(places.items()) if len(paths) > 1)


def sizes(package: Sources) -> Iterator[Count]:
    """Return lines and modules, of the whole package and of each folder in it."""
    lines: dict[str, list[int]] = defaultdict(list)
    for path, text in package.texts.items():
        lines["/".join(path.parts[:2]) if len(path.parts) > 2 else path.parts[0]].append(text.count("\n"))
    found = tuple(f"{folder}: {sum(each):,} lines, {len(each)} modules" for folder, each in sorted(lines.items()))
    yield Count("lines of the package", sum(map(sum, lines.values())), found)
    yield Count("modules", len(package.trees))


def has_role(path: Path, tree: ast.Module) -> bool:
    """Return whether the name of a file is that of a role: a sibling's, or that of a command, which its module is named for."""
    folder = SIBLINGS.get(path.name)
    sibling = folder is not None and path.is_relative_to(folder)
    return sibling or (ast.get_docstring(tree) or "").startswith(f"The command ``{path.stem}``")


def aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the type aliases of a module, and its type variables and new types: each name in camel case, with its value's text."""
    # Also those under `if TYPE_CHECKING`, where arrays are named in modules that do not need numpy.
    for node in chain.from_iterable(node.body if isinstance(node, ast.If) else [node] for node in tree.body):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if ALIAS.fullmatch(name):
                    yield name, ast.unparse(value)


def ambiguous_aliases(trees: Mapping[Path, ast.Module]) -> tuple[str, ...]:
    """Return the aliases that have the name of a class, or of an alias with another value, each with the paths where it is one."""
    classes = {node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    values: dict[str, set[str]] = defaultdict(set)
    places: dict[str, list[Path]] = defaultdict(list)
    for path, tree in trees.items():
        for name, value in aliases(tree):
            values[name].add(value)
            places[name].append(path)
    found = (name for name in sorted(values) if name in classes or len(values[name]) > 1)
    return tuple(f"{name}: {' '.join(map(str, places[name]))}" for name in found)


def names(package: Sources) -> Iterator[Count]:
    """Return the names of classes, aliases and files that mean more than one thing."""
    classes = repeated((node.name, path) for path, node in package.nodes() if isinstance(node, ast.ClassDef))
    yield Count("class names in more than one place", len(classes), classes)
    ambiguous = ambiguous_aliases(package.trees)
    yield Count("aliases with the name of a class or of another alias", len(ambiguous), ambiguous)
    files = repeated((path.name, path) for path, tree in package.trees.items() if not has_role(path, tree))
    yield Count("file names in more than one folder", len(files), files)


def english(package: Sources) -> Iterator[Count]:
    """Return how often docstrings use the verbs of a literary style, and how many lines of code have a comment."""
    texts = list(package.docstrings())
    words = sum(len(WORD.findall(text)) for _, text in texts)
    found = tuple(f"{path}: {match.group()}" for path, text in texts for match in LITERARY.finditer(text))
    yield Count("say, tell, hold, stand in 1,000 words of docstrings", round(1000 * len(found) / words, 1), found)
    lines = sum(text.count("\n") for text in package.texts.values()) - sum(text.count("\n") + 1 for _, text in texts)
    comments = sum(bool(COMMENT.search(line)) for text in package.texts.values() for line in text.splitlines())
    yield Count("comments in 100 lines of code", round(100 * comments / lines, 2))


def imports(tree: ast.Module, path: Path, known: set[str]) -> set[str]:
    """Return the modules of the package that a module imports, from anywhere in its text."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(path.with_suffix("").parts[: -node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found.update(f"{module}.{alias.name}" if f"{module}.{alias.name}" in known else module for alias in node.names)
    return found & known


def structure(package: Sources, root: Path) -> Iterator[Count]:
    """Return the modules that one other module imports, and the blocks that are too complex."""
    names = {".".join(path.with_suffix("").parts): path for path in package.trees}
    importers: dict[str, set[str]] = defaultdict(set)
    for name, path in names.items():
        for module in imports(package.trees[path], path, set(names)):
            importers[module].add(name)
    single = tuple(f"{name} <- {next(iter(users))}" for name, users in sorted(importers.items()) if len(users) == 1)
    yield Count("modules with one importer", len(single), single)
    command = [
        "ruff",
        "check",
        "--select=C901",
        f"--config=lint.mccabe.max-complexity={COMPLEXITY}",
        "--output-format=json",
        "bridgespec",
    ]
    result = subprocess.run([sys.executable, "-m", *command], cwd=root, capture_output=True, text=True, check=False)
    blocks = tuple(f"{Path(each['filename']).relative_to(root.resolve())}: {each['message']}" for each in json.loads(result.stdout))
    yield Count(f"blocks of a complexity above {COMPLEXITY}", len(blocks), blocks)


def written(node: ast.expr) -> str:
    """Return the text of a string, an underscore for each value that is put into it; empty for any other expression."""
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or "_" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def compares_a_sentence(node: ast.Assert) -> bool:
    """Return whether an assertion compares with a text of four words or more."""
    compared = (each for part in ast.walk(node.test) if isinstance(part, ast.Compare) for each in (part.left, *part.comparators))
    return any(len(written(each).split()) > 3 for each in compared)


def mirrored(path: Path, root: Path) -> bool:
    """Return whether a test file is named for the module that it tests: ``tests/a/test_b.py`` for ``bridgespec/a/b.py``.

    A module's leading underscore is left out, and the tests of a package are in the folder above it. Those of ``tools``
    are in ``tests/tools``.
    """
    folder, name = Path(*path.parts[1:-1]), path.stem.removeprefix("test_")
    base = root / folder if folder.parts[:1] == ("tools",) else root / "bridgespec" / folder
    return any((base / module).is_file() for module in (f"{name}.py", f"_{name}.py", f"{name}/__init__.py"))


def tested(tests: Sources, root: Path) -> Iterator[Count]:
    """Return the test files without a module, the tests that state no claim, and the assertions that compare sentences."""
    across = tuple(str(path) for path in tests.trees if path.name.startswith("test_") and not mirrored(path, root))
    yield Count("test files that mirror no module", len(across), across)
    functions = [(path, node) for path, node in tests.nodes() if isinstance(node, ast.FunctionDef)]
    silent = tuple(
        f"{path}:{node.lineno}: {node.name}"
        for path, node in functions
        if node.name.startswith("test_") and not ast.get_docstring(node)
    )
    yield Count("tests without a claim", len(silent), silent)
    asserts = [(path, node) for path, node in tests.nodes() if isinstance(node, ast.Assert)]
    sentences = tuple(f"{path}:{node.lineno}" for path, node in asserts if compares_a_sentence(node))
    yield Count("assertions that compare a sentence", len(sentences), sentences)


def counts(root: Path) -> Iterator[Count]:
    """Return all counts of one checkout, in the order of the report."""
    package, tests = Sources(root, "bridgespec"), Sources(root, "tests")
    yield from sizes(package)
    yield from names(package)
    yield from english(package)
    yield from structure(package, root)
    yield from tested(tests, root)


def main(arguments: list[str] | None = None) -> None:
    """Print the counts of the named checkout."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="a checkout (default: this one)")
    parser.add_argument("--list", action="store_true", help="print what was counted, too")
    options = parser.parse_args(arguments)
    for count in counts(options.folder):
        print(count)
        for line in count.found if options.list else ():
            print("           -", line)


if __name__ == "__main__":
    main()
