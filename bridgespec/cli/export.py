"""The command ``export``: a format's schema in another language."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from bridgespec.cli.exit_status import CLEAN
from bridgespec.cli.files import STDIO, output
from bridgespec.cli.options import PATH, complete_format
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.text.grammar_program import program_of
from bridgespec.engines import Engine
from bridgespec.errors import UsageError
from bridgespec.export import json as model_json
from bridgespec.spec.ir import Spec
from bridgespec.targets.printers import IN_PARTS, PARTS, PRINTERS, header_name


def _source(_engine: Engine, spec: Spec) -> str:
    """Return the text of the schema's own file."""
    return Path(spec.path).read_text("utf-8")


def _kaitai(engine: Engine, spec: Spec) -> str:
    """Return the Kaitai schema of a binary format. Raises UsageError for a text format."""
    if spec.language != "ksy":
        raise UsageError(f"{spec.id} is a text format: its schema is a grammar (--to lark)")
    return _source(engine, spec)


def _grammar(engine: Engine, spec: Spec) -> str:
    """Return the grammar of a text format. Raises UsageError for a binary format."""
    if spec.language != "lark":
        raise UsageError(f"{spec.id} is a binary format: its schema is a Kaitai one (--to ksy)")
    return _source(engine, spec)


def _json_schema(engine: Engine, spec: Spec) -> str:
    """Return the JSON Schema of the model, with the properties of a board that the format can represent."""
    terms = engine.of(spec).binder.terms
    if not terms:
        raise UsageError(f"{spec.id} has no bridge meaning, so the model has no values of it")
    # A deep copy: the properties of the model's own schema must not be changed.
    schema = json.loads(json.dumps(model_json.schema()))
    schema["title"] = spec.title
    board = schema["$defs"]["Board"]
    board["properties"] = {name: shape for name, shape in board["properties"].items() if name in terms | {"number"}}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _program(engine: Engine, spec: Spec) -> str:
    """Return the programs of the schema's grammar as JSON: the regular expression of each rule with the meaning of its groups."""
    text = engine.of(spec).text
    if text is None:
        raise UsageError(f"{spec.id} is a binary format: its schema has no grammar (--to ksy)")
    return json.dumps(program_of(text.engine), indent=2, ensure_ascii=False) + "\n"


def _printed(name: str, _engine: Engine, spec: Spec) -> str:
    """Return the schema in the language ``name``, by its printer in `targets`."""
    return PRINTERS[name](spec)


# The values of --to, each with the function that returns the text.
TARGETS: dict[str, Callable[[Engine, Spec], str]] = {
    "ksy": _kaitai,
    "lark": _grammar,
    "json-schema": _json_schema,
    "program": _program,
    **{name: partial(_printed, name) for name in PRINTERS},
}
BESIDE = {"javascript": "typescript", "c": "c-header"}
"""The target whose file is written beside that of another one: the type declarations or the header that compilers look for
there.
"""


def _beside(spec: Spec, target: str, path: Path) -> str:
    """Return the name of a target's second file for the path of the first; a C source includes the header by this name."""
    if target == "c":
        return f"{header_name(spec)}.h"
    return f"{path.stem}.d.{'mts' if path.suffix == '.mjs' else 'ts'}"


GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec export zrd --to ksy > zrd.ksy
  bridgespec export zrd --to python -o zrd.py; python zrd.py deals.zrd
  bridgespec export zrd --to c -o zrd.c
  bridgespec export zrd --to construct -o zrd_construct.py
  bridgespec export bri --to json-schema
  bridgespec export zrd --to javascript -o zrd.mjs
  bridgespec export zrd --to javascript --only read -o zrd.mjs
""",
    short_help="Write a format's schema for other tools.",
)
@click.argument("id", metavar="ID", shell_complete=complete_format)
@click.option("--to", "target", type=click.Choice(list(TARGETS)), required=True, help="The language to write.")
@click.option("-o", "--output", "destination", default=STDIO, metavar="FILE", type=PATH, help="Where to write; standard output.")
@click.option(
    "--only",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    help="Of javascript and typescript, the part to write: read (always there), model or write; may be repeated.",
)
@pass_settings
def command(settings: Settings, id: str, target: str, destination: str, parts: tuple[str, ...]) -> int:
    """Write the schema of a format in another language, where it can be said there.

    ksy is the Kaitai schema as it stands: Kaitai's own compiler makes parsers in its thirteen languages from it, and ignores
    the keys that begin with -bridge-. A schema that imports another needs that one too (its `meta/imports`). lark is the
    grammar of a text format, which Lark loads. python is a module that reads, validates and writes files with Python's standard
    library alone: the codec of this package, with the schema as data, so that it finds what is found here; it is a command too.
    c is a source in C99, its header beside it (c-header: that alone), for binary formats of records of one size: it reads,
    validates and writes, and allocates nothing. construct is a module of construct declarations that needs construct alone.
    json-schema describes the JSON of what the format can hold. javascript is a module for browsers and Node.js that reads,
    validates and writes files, and needs nothing else; its TypeScript declarations are written beside it (typescript: those
    alone). Its model(tree) gives the boards that a file means, as --to json-schema describes them. Its write(value, tree)
    gives the bytes of a changed plain(tree), all others as they were. With --only read a module is half as long. A text format
    is read and written by the same expressions as here, and in linear time too: JavaScript has neither possessive repetitions
    nor atomic groups, so that what may not be taken back is matched in a lookahead and then once more by its number. What a
    target cannot say is refused with its place.
    """
    if parts and target not in IN_PARTS:
        raise UsageError(f"--only chooses parts of {' and '.join(IN_PARTS)}, not of {target}")
    spec = settings.engine.spec(id)

    def printed(language: str) -> str:
        return IN_PARTS[language](spec, frozenset(parts)) if parts else TARGETS[language](settings.engine, spec)

    text = printed(target)
    with output(destination) as out:
        out.write(text.encode())
    # Standard output is one stream, so the second file is not written.
    if target in BESIDE and str(destination) != STDIO:
        with output(str(Path(destination).with_name(_beside(spec, target, Path(destination))))) as out:
            out.write(printed(BESIDE[target]).encode())
    return CLEAN
