"""The structure of the package: which modules may import which, no import inside a function, no format named in code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from bridgespec.codec.terms import COMMON, TERMS
from bridgespec.spec.keys import AXES
from tools.counts import aliases, ambiguous_aliases

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "bridgespec"
SPECS = ROOT / "specs"

BASE = {"depth", "errors", "diagnostic", "escapes", "extras", "lazily", "sources", "version"}
EVERYTHING = {"*"}
MAY_IMPORT: dict[str, set[str]] = {
    "depth": set(),
    "errors": set(),
    "escapes": set(),
    "lazily": set(),
    "sources": set(),
    "extras": {"errors", "lazily"},
    "version": set(),
    "diagnostic": {"errors", "lazily"},
    "model": BASE,
    "spec": BASE,
    "codec": BASE | {"model", "spec"},
    "rules": BASE | {"model"},
    "solver": BASE | {"model"},
    "suits": BASE | {"model", "solver"},
    "dealing": BASE | {"model", "solver"},
    # The language of systems is a text format like any other, and so are the cards that it is compared with.
    "bidding": BASE | {"model", "solver", "dealing", "spec", "codec"},
    "scoring": BASE | {"model"},
    "export": BASE | {"model"},
    "targets": BASE | {"spec", "codec"},
    "webpage": BASE | {"model", "export"},
    "docs": BASE | {"model", "spec", "codec", "rules", "export", "targets", "webpage", "bidding"},
    "tables": BASE | {"model", "codec", "solver", "dealing", "bidding"},
    # What an editor shows is what the commands and the reference tell, and the checks of schemas are of the outermost layer.
    "editor": EVERYTHING,
    "cli": EVERYTHING,
}
FACADE = {
    "__init__",
    "__main__",
    "api",
    "cluster",
    "engines",
    "evidence",
    "examined",
    "paths",
    "publishing",
    "questions",
    "recognise",
    "score_sources",
    "schema_checks",
    "scores",
    "tabular",
    "twins",
    "writing",
}
"""Modules of the outermost layer: they see everything, and only ``cli`` and each other see them."""

MODULES = sorted(PACKAGE.rglob("*.py"))
PLAIN_WORDS = {"bid", "csv", "deck", "url", "text"}
"""Words that a format may have for its name and that code needs for other things."""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def parse(path: Path) -> ast.Module:
    """A module's tree, parsed once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """The nodes of a tree in the order of `ast.walk`, collected once for all tests."""
    return tuple(ast.walk(tree))


def imported_layers(tree: ast.Module, path: Path) -> Iterator[tuple[int, str]]:
    """Yield every layer of the package that a module imports, with the line."""
    package = ["bridgespec", *path.relative_to(PACKAGE).parts[:-1]]
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = start + (node.module.split(".") if node.module else [])
            targets = [[*base, alias.name] for alias in node.names] if base == ["bridgespec"] else [base]
        else:
            continue
        for target in targets:
            if target[0] == "bridgespec":
                known = target[1] if len(target) > 1 and target[1] in MAY_IMPORT.keys() | FACADE else "__init__"
                yield node.lineno, known


def test_imports_follow_the_table() -> None:
    """A package imports only what the table permits."""
    wrong = [
        f"{name_of(path)}:{line} imports {to}"
        for path in MODULES
        if (layer := layer_of(path)) not in FACADE and not MAY_IMPORT[layer] & EVERYTHING
        for line, to in imported_layers(parse(path), path)
        if to not in MAY_IMPORT[layer] | {layer}
    ]
    assert wrong == []


def test_no_import_inside_a_function() -> None:
    """Every import statement is at the top of its module."""
    inside = [
        f"{name_of(path)}:{inner.lineno}, in {outer.name}"
        for path in MODULES
        for outer in nodes(parse(path))
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert inside == []


def direct_modules(tree: ast.Module, known: set[str]) -> set[str]:
    """Return the modules of the package that a module names in its imports, those that only type checkers see included."""
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known) or {node.module}
    return found & known


def imported_modules(tree: ast.Module, known: set[str], own: str) -> set[str]:
    """The modules that the module ``own`` runs by its imports: those that it names, and what their packages begin with."""
    found = direct_modules(tree, known)
    packages = {name.rpartition(".")[0] for name in found}
    packages |= {package.rpartition(".")[0] for package in packages}
    return (found | {package for package in packages if package.count(".") and not f"{own}.".startswith(f"{package}.")}) & known


def cycle(edges: Mapping[str, set[str]]) -> list[str]:
    """The names along a cycle, the first one again at the end; empty where there is none."""
    done: set[str] = set()
    for start in sorted(edges):
        path: list[str] = []
        pending = [(start, 0)]
        while pending:
            name, depth = pending.pop()
            del path[depth:]
            if name in path:
                return [*path[path.index(name) :], name]
            if name in done:
                continue
            path.append(name)
            done.add(name)
            pending += [(to, depth + 1) for to in sorted(edges.get(name, ()))]
    return []


def test_no_cycle_between_modules() -> None:
    """No module imports itself by way of others."""
    dotted = {path: "bridgespec/" + name_of(path).removesuffix(".py") for path in MODULES}
    names = {path: name.replace("/", ".").removesuffix(".__init__") for path, name in dotted.items()}
    edges = {name: imported_modules(parse(path), set(names.values()), name) for path, name in names.items()}
    assert "bridgespec.rules" in edges["bridgespec.examined"]
    assert "bridgespec.codec.terms" in edges["bridgespec.codec.writer"]
    assert sum(map(len, edges.values())) > len(edges), "the imports are not seen"
    assert cycle(edges) == []


def test_a_package_begins_when_something_of_it_is_imported() -> None:
    """Its own modules aside, whose package has begun already."""
    known = {"bridgespec.a", "bridgespec.a.b", "bridgespec.a.b.c", "bridgespec.d"}
    tree = ast.parse("from bridgespec.a.b.c import x\n")
    assert imported_modules(tree, known, "bridgespec.d") == {"bridgespec.a", "bridgespec.a.b", "bridgespec.a.b.c"}
    assert imported_modules(tree, known, "bridgespec.a.e") == {"bridgespec.a.b", "bridgespec.a.b.c"}
    assert imported_modules(ast.parse("from bridgespec.a import b"), known, "bridgespec.d") == {"bridgespec.a", "bridgespec.a.b"}


MOST_IMPORTS = 12
"""How many modules of ours one imports, at most: one that needs more knows too much."""
MORE_IMPORTS = {
    "__init__.py": 29,  # the facade: the home of every public name, imported on first use
    "bidding/bidder.py": 17,
    "bidding/meaning_system.py": 13,
    "cli/check_spec.py": 15,  # a command: the findings on schemas, their proofs, and each form of the report
    "cli/bid.py": 19,  # a command: boards read, bid and written, a hand and what it shows, losses from par with their journal
    "cli/conversion.py": 21,  # one call path: the records of a source become those of a target
    "cli/conversions.py": 21,  # one call path: a target written whole or not at all, and what is reported of it
    "cli/convert.py": 15,
    "cli/deal.py": 23,  # a command: a condition or script, the deals that satisfy it, their results, and every way to write them
    "cli/dump.py": 16,  # a command: one file in each of its forms: lines, JSON, a page, a trace
    "cli/field_json.py": 15,  # one call path: a file as JSON of its fields, or back, and what is wrong in it
    "cli/generated_deals.py": 14,  # one call path: deals of a sequence, with their results, written as records or as boards
    "cli/page.py": 18,  # a command: boards of files read, solved, their suits played, and written as a page or PDF
    "cli/solve.py": 20,  # a command: boards shown with their tables, par and analyses, or a file filled or checked
    "cli/solve_check.py": 14,
    "cli/origins.py": 22,  # one call path: what a path names, and several sources as one
    "cli/record_checks.py": 13,
    "cli/array_sources.py": 20,  # one call path: records of one size or several, as arrays and as boards
    "cli/solve_files.py": 18,  # one call path: a file solved, and written by the conversion of files
    "cli/sampling.py": 13,  # one call path: files of a format drawn, grown and broken
    "cli/board_sources.py": 19,  # one call path: what a path names, as batches of boards
    "cli/validate.py": 21,  # a command: sources of any size, the checks of files, records and boards, repairs, and the report
    "codec/binary/codec.py": 13,
    "codec/binary/record.py": 14,
    "codec/bind.py": 14,  # one call path: the records of a reading become boards, and their contradictions findings
    "codec/format.py": 13,  # one call path: a file read, whole or in batches, and written
    "codec/writer.py": 16,  # one call path: a document, its file and its boards, written
    "codec/pipeline.py": 17,  # one call path: what a target can represent, left out, lost and renumbered
    "codec/proof/binary_proofs.py": 14,  # one call path: the proofs of a record, its fields and its conditions
    "codec/proof/field_proofs.py": 13,  # one call path: the proofs of a field, by the reference codec or by arrays
    "codec/samples/faults.py": 19,  # one call path: the values of a binary file that are changed, one at a time
    "codec/text/reader.py": 13,
    "docs/decode.py": 14,
    "docs/format_pages.py": 23,  # one call path: a schema, its samples and its drawings become a page
    "docs/site.py": 14,  # where every kind of page becomes a site
    "editor/workshop.py": 21,  # one call path: a schema and a file, read and drawn in each form of the page
    "spec/kaitai/schema.py": 18,  # one call path: a schema and what it imports become records, and are checked
    "targets/javascript/binary_schema.py": 13,  # one call path: a schema and its constraints become declarations
    "tabular.py": 19,  # one call path: the batches of a source as a table
    "cli/score.py": 18,  # a command: sources read and scored, and the result printed or written as CSV, a page or boards
    "cli/query.py": 20,  # a command: the tables of a question, its answer, and each form in which that is shown or written
    "cli/spec_diff.py": 19,  # a command: two versions of a schema compared, by their declarations and by files that both read
    "cli/suit.py": 14,  # a command: combinations of cards, files or boards solved, and each form of the answer, the table included
    "score_sources.py": 15,  # one call path: the files of a session read, and what their boards show about the results
}
"""Modules that import more, and how many: a number is made larger only for a module that is one call path, with the reason."""


KNOWN = {"bridgespec." + name_of(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__") for path in MODULES}
"""The dotted names of all modules of the package."""


def test_a_module_imports_few() -> None:
    """A module imports at most `MOST_IMPORTS` modules of ours, or exactly the number that is noted for it."""
    counts = {name_of(path): len(direct_modules(parse(path), KNOWN)) for path in MODULES}
    assert {name: count for name, count in counts.items() if count > MOST_IMPORTS} == MORE_IMPORTS


def test_the_search_for_cycles_finds_them() -> None:
    """A cycle is found wherever the search begins, and a diamond is not one."""
    assert cycle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}) == []
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}) == ["b", "c", "d", "b"]
    assert cycle({"z": {"z"}}) == ["z", "z"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"e", "b"}}) in (["b", "c", "d", "b"], ["c", "d", "b", "c"])


@cache
def format_ids() -> frozenset[str]:
    """The formats that the repository declares, by the names of their schemas."""
    return frozenset(path.stem for path in SPECS.iterdir() if path.suffix in {".ksy", ".lark"}) - {"bridge"}


@cache
def prose(tree: ast.Module) -> frozenset[int]:
    """The string constants that stand as statements (docstrings), by identity."""
    return frozenset(id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr))


def words_of_code(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The words of every name and string, docstrings left out."""
    told = prose(tree)
    for node in nodes(tree):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in told:
                yield from ((node.lineno, word) for word in re.findall(r"[a-z0-9]+", text.lower()))
            case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Attribute(attr=name):
                yield from ((node.lineno, word) for word in name.lower().split("_"))


def test_no_module_names_a_format() -> None:
    """Formats are known from their schemas alone: no code outside the commands' help and the documentation names one."""
    ids = format_ids() - PLAIN_WORDS
    modules = [path for path in MODULES if layer_of(path) not in {"cli", "docs"}]
    assert [f"{name_of(path)}:{line}: {word}" for path in modules for line, word in words_of_code(parse(path)) if word in ids] == []


ORDINARY = frozenset(
    ["card", "cell", "column", "file", "first", "header", "include", "index", "last", "level", "missing", "name", "note", "order"]
) | frozenset(["rest", "step", "stop", "text", "unknown"])
"""Roles that are words of other things too: kinds of nodes, keys of JSON and YAML, methods of expressions, options of commands."""


@cache
def meaning() -> frozenset[str]:
    """The roles of every term, and the words of the parts that pairs say alone; terms and axes left out."""
    roles = {word for term in TERMS.values() for word in (*term.ROLES, *term.MEMBERS)}
    return frozenset({*roles, *COMMON} - TERMS.keys() - AXES.keys() - ORDINARY)


def test_only_terms_name_roles_and_columns() -> None:
    """Terms and schemas define what a part of a record means: no other code names a role, or the columns of a table."""
    known = meaning()
    modules = [path for path in MODULES if layer_of(path) in {"codec", "spec", "cli"} and "terms" not in path.parts]
    found = ((path, one) for path in modules for one in strings_of_code(parse(path)))
    assert [
        f"{name_of(path)}:{one.lineno}: {one.value}" for path, one in found if one.value in known or COLUMNS.fullmatch(one.value)
    ] == []


def strings_of_code(tree: ast.Module) -> Iterator[ast.Constant]:
    """Return the string constants of a module that are not docstrings."""
    told = prose(tree)
    return (one for one in nodes(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in told)


def test_the_words_of_meaning_are_many() -> None:
    """The test above looks for something."""
    assert {"call_made", "card_played", "hand", "table_cell", "note_text", "north_player", "seat"} - AXES.keys() <= meaning()


COLUMNS = re.compile(r"[+-]?[A-Z]\w+(?:;[+-]?[A-Z]\w+)+")
"""The columns of a table as a value names them."""


def test_commands_decide_nothing_by_format() -> None:
    """Commands and pages may give examples, but no string of theirs is a format's name."""
    ids = format_ids() - PLAIN_WORDS
    modules = [path for path in MODULES if layer_of(path) in {"cli", "docs"}]
    found = ((path, one) for path in modules for one in strings_of_code(parse(path)))
    assert [f"{name_of(path)}:{one.lineno}: {one.value}" for path, one in found if one.value.lower().lstrip(".") in ids] == []


def test_every_package_has_a_row() -> None:
    """The table has every package and module."""
    parts = {layer_of(path) for path in MODULES}
    assert parts <= MAY_IMPORT.keys() | FACADE


def test_the_checks_see_what_they_forbid() -> None:
    """The helpers above find a forbidden import in each of its spellings."""
    source = "import bridgespec.cli.app\nfrom bridgespec import codec, load\nfrom bridgespec.model.cards import Seat\n"
    found = [layer for _, layer in imported_layers(ast.parse(source), PACKAGE / "spec" / "x.py")]
    assert found == ["cli", "codec", "__init__", "model"]
    relative = ast.parse("from . import ir\nfrom .. import codec\nfrom ..model import cards\n")
    assert [layer for _, layer in imported_layers(relative, PACKAGE / "spec" / "x.py")] == ["spec", "codec", "model"]
    words = {word for _, word in words_of_code(ast.parse('"""prose"""\nread_abc = "x.def"'))}
    assert {"abc", "def"} <= words
    assert "prose" not in words


ONE_CALL_PATH = {
    "cli/conversion.py",
    "codec/bulk/packed_checks.py",
    "codec/binding.py",
    "codec/encode.py",
    "codec/record_views.py",
    "codec/text/grammar_program.py",
    "codec/writer.py",
}
"""Modules that are one call path, read from top to bottom: a limit of 450 lines would cut it in pieces with one importer each."""


def test_modules_stay_small() -> None:
    """No module passes the line count at which it is asked what second thing it has begun to do."""
    sizes = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    long = {name: lines for name, lines in sizes.items() if lines > (900 if name in ONE_CALL_PATH else 450)}
    assert not long, long


def test_a_class_name_is_used_once() -> None:
    """No two classes of the package have the same name, private ones included: one name, one thing."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in nodes(parse(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name_of(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_an_alias_has_a_name_of_its_own() -> None:
    """No alias has the name of a class of the package, or of an alias with another value: one name, one thing."""
    trees = {path: parse(path) for path in MODULES}
    assert any(name == "ByteArray" for tree in trees.values() for name, _ in aliases(tree)), "aliases are not seen"
    assert ambiguous_aliases(trees) == ()


ONE_IMPORTER = {
    "bidding/best_auction.py": "a search of both sides' calls, double dummy; the bidder chooses by rules",
    "bidding/counters.py": "counts contradictions in whole deals, for benchmarks too; the checks try hands at turns",
    "bidding/outlook.py": "expectations of tricks, fitted to solved deals; changed when they are fitted again",
    "bidding/proofs.py": "proves faults at one turn; checking.py chooses the turns",
    "cli/deal_report.py": "the output of a command; both together would have 560 lines",
    "cli/fixes.py": "writes into the files of the user: reviewed by itself",
    "cli/solve_check.py": "a mode of a command with a report of its own; both together would have 490 lines",
    "codec/binary/spelled.py": "fields of binary files as JSON, as codec/text has them for texts; fields.py joins both",
    "codec/binary/trace.py": "how a binary file is traced, as codec/text/trace.py is for texts",
    "codec/binary/write.py": "writes one field, as field.py reads one",
    "codec/bulk/blocks.py": "the header or the records alone; codec.py joins them to files",
    "codec/bulk/ordinals.py": "arithmetic of 96 bits in arrays, without a word of schemas",
    "codec/placed.py": "reads what is written, where writer.py writes it",
    "codec/proof/binary_proofs.py": "proofs of one language of schemas, beside text_proofs.py",
    "codec/proof/field_proofs.py": "proofs of one field; binary_proofs.py proves records",
    "codec/records.py": "the boards of a text; writer.py has the file around them",
    "codec/samples/text_faults.py": "faults of texts; those of binary files in faults.py share only the type of a result",
    "codec/text/patch.py": "changes a text that was read; codec.py reads and writes whole texts",
    "codec/text/restart.py": "the expressions of records that end where another begins; changed for speed alone",
    "codec/unused_words.py": "one check of schemas, the longest; lint.py lists the checks",
    "dealing/boxes.py": "counts and draws deals of a box by arithmetic, without conditions",
    "dealing/notation.py": "shapes in braces: a small language of its own, with a reader of its own",
    "dealing/script_values.py": "expressions of scripts; script.py has statements and actions",
    "docs/commands.py": "one kind of page, beside those of formats and findings",
    "docs/decode.py": "worked examples of fields, computed from the schema; the page of a format shows them",
    "docs/field_tables.py": "tables of fields, codes and constraints; the page of a format shows them",
    "docs/guides.py": "one kind of page, beside those of formats and findings",
    "docs/python_reference.py": "one kind of page, beside those of formats and findings",
    "docs/record_drawings.py": "drawings of records, from the boxes of docs/geometry.py",
    "editor/bidding.py": "the language of bidding systems; one module a language",
    "editor/binary.py": "the language of .ksy files; one module a language",
    "editor/grammar.py": "the language of .lark files; one module a language",
    "export/_shapes.py": "JSON of values by their annotations, and its JSON Schema",
    "export/svg.py": "an exporter of its own, that export/png.py rasterises",
    "spec/grammar/load.py": "the loader of one language of schemas, as spec/kaitai/schema.py is for the other",
    "spec/grammar/words.py": "values of words, from YAML; load.py joins them with the grammar",
    "spec/kaitai/expression_checks.py": "the checks of expressions; schema.py loads records and fields",
    "spec/kaitai/unfold.py": "a limit against hostile schemas: reviewed by itself",
    "tables/column_values.py": "the types of columns, which pages of tables are made of",
    "tables/sql_functions.py": "SQL, as text; query.py runs it",
    "targets/c/expressions.py": "expressions in one language, as every target has such a module",
    "targets/c/module.py": "a target of its own",
    "targets/c/texts.py": "templates of C; module.py fills them",
    "targets/construct.py": "a target of its own",
    "targets/javascript/regexps.py": "regular expressions in JavaScript, a language of their own",
    "targets/javascript/typescript.py": "type declarations: a target of its own",
    "targets/python_module.py": "a target of its own",
    "targets/python_names.py": "what Python allows as a name; with it construct.py would have 480 lines",
}
"""Modules in their own right that one module of their package imports, each with the reason why it is not a part of that module."""


def test_a_module_with_one_importer_has_a_reason() -> None:
    """A module that only one other module of its package imports is listed with a reason.

    Not listed: what is found by its name (commands, terms, rules), a module that its package offers to another package, which would
    cross a border if it were merged, and those that an `__init__` names as the interface of its package.
    """
    paths = {
        "bridgespec." + name_of(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): path for path in MODULES
    }
    importers: dict[str, list[str]] = {}
    for name, path in paths.items():
        for one in direct_modules(parse(path), set(paths)) - {name}:
            importers.setdefault(one, []).append(name)
    alone = set()
    for name, (user, *others) in importers.items():
        path, into = paths[name], paths[user]
        found_by_name = path.parent.name in ("terms", "rules", "leaf") or "@click.command" in path.read_text("utf-8")
        if not others and not found_by_name and layer_of(path) == layer_of(into) and "__init__.py" not in (into.name, path.name):
            alone.add(name_of(path))
    assert alone == ONE_IMPORTER.keys()


TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if path.name not in ("__main__.py", Path(__file__).name))


def test_no_test_measures_time() -> None:
    """Steps, bytes and depth are counted; seconds belong into ``benchmarks``."""
    clocks = re.compile(r"\b(process_time|perf_counter|monotonic|thread_time)\w*\(|\btime\.time\(|\btimeit\b")
    assert not [path.name for path in TESTS if clocks.search(path.read_text("utf-8"))]
