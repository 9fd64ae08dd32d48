"""The command ``new``: a commented schema with its sample and the sample's twin, to start a format from."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
from rich.text import Text

from bridgespec.cli.exit_status import CLEAN
from bridgespec.cli.options import complete_format
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.samples.schema_draft import draft
from bridgespec.engines import Engine
from bridgespec.errors import UsageError
from bridgespec.spec.catalog import PATH_VARIABLE
from bridgespec.twins import claim, dump, twin_of
from bridgespec.writing import read_whole, written

TEMPLATES = Path(__file__).parent / "templates"
SAMPLES = "samples"
# The lines of the head of a schema that a copy for another format changes, and their replacements.
_HEAD = {
    ".ksy": (r"(?m)^  id: {old}$", r"(?m)^  file-extension: .*$", r"(?m)^  title: (.*)$"),
    ".lark": (r"(?m)^//- id: {old}$", r"(?m)^//- extensions: .*$", r"(?m)^//- title: (.*)$"),
}
_NEW_HEAD = {
    ".ksy": ("  id: {new}", "  file-extension: {new}", "  title: {new}, like \\1"),
    ".lark": ("//- id: {new}", "//- extensions: [{new}]", "//- title: {new}, like \\1"),
}


def schema_text(engine: Engine, id: str, text: bool, like: str | None) -> tuple[str, str]:
    """Return the text of a new schema, and the suffix of its file (.ksy or .lark)."""
    if like is None:
        suffix = ".lark" if text else ".ksy"
        return re.sub(r"\bID\b", id, (TEMPLATES / f"new{suffix}").read_text("utf-8")), suffix
    old = engine.spec(like)
    path = Path(old.path)
    source = path.read_text("utf-8")
    for pattern, replacement in zip(_HEAD[path.suffix], _NEW_HEAD[path.suffix], strict=True):
        source, count = re.subn(pattern.format(old=re.escape(old.id)), replacement.format(new=id), source, count=1)
        if not count:
            raise UsageError(f"{path}: no line like {pattern.format(old=old.id)!r}, which a new schema would change")
    return source, path.suffix


def _write(path: Path, data: bytes) -> None:
    with written(path) as out:
        out.write(data)


GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec new club
  bridgespec new club --text --dir formats
  bridgespec new club --like zbd
  bridgespec new club --example boards.dat
""",
    short_help="Start a format: a schema, a sample and its twin.",
)
@click.argument("id", metavar="ID")
@click.option("--text", is_flag=True, help="A text format: a Lark grammar instead of a Kaitai schema.")
@click.option("--like", metavar="FORMAT", shell_complete=complete_format, help="Start from the schema of this format.")
@click.option(
    "--example",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Draft the schema from this file: what repeats, is constant, is text or may be a number.",
)
@click.option("--dir", "folder", default=".", type=click.Path(file_okay=False, path_type=Path), help="Where to write; this folder.")
@pass_settings
def command(settings: Settings, id: str, text: bool, like: str | None, example: Path | None, folder: Path) -> int:
    """Write a schema ID.ksy (or ID.lark) that explains itself, a sample file, and the sample's twin: what it holds, as JSON.

    They pass as they stand. Change the schema, put real files beside the sample, and let `check-spec` tell what does not fit.
    With --example the sample is that file, and the schema is a draft that reads it: go through its fields and say what they are.
    ID is the format's name: lower case letters, digits and underscores.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", id):
        raise UsageError(f"{id!r} is not a name for a format: lower case letters, digits and underscores, a letter first")
    if example is not None and (text or like):
        raise UsageError("--example tells by itself what the schema is like: it goes neither with --text nor with --like")
    data = None if example is None else read_whole(example)
    source, suffix = schema_text(settings.engine, id, text, like) if data is None else draft(id, data)
    schema = folder / f"{id}{suffix}"
    sample = folder / SAMPLES / id / f"example.{id}"
    # The twin is written last. If it is missing and the schema is the same, an earlier run was killed, and this one completes it.
    unfinished = schema.exists() and schema.read_bytes() == source.encode() and not twin_of(sample).exists()
    for path in () if unfinished else (schema, sample, twin_of(sample)):
        if path.exists():
            raise UsageError(f"{path} exists; nothing was written")
    sample.parent.mkdir(parents=True, exist_ok=True)
    _write(schema, source.encode())
    # The engine of the settings knows this folder only where --specs or BRIDGESPEC_PATH names it.
    engine = Engine([folder, *settings.specs])
    valid = next((vector.data for vector in engine.spec(id).samples if not vector.codes), b"") if data is None else data
    _write(sample, valid)
    _write(twin_of(sample), dump(claim(engine, sample, id)).encode())
    for path, what in ((schema, "the schema"), (sample, "a sample"), (twin_of(sample), "what the sample holds")):
        settings.out.print(Text(f"{path}  {what}"), soft_wrap=True)
    # The command that is suggested must work as it is: without --specs only schemas on the path are known.
    known = {Path(part).resolve() for part in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if part}
    where = "" if folder.resolve() in known else f" --specs {folder}"
    advice = f"next: bridgespec check-spec {schema}\n      bridgespec show {sample}{where}"
    settings.err.print(Text(advice), soft_wrap=True)
    return CLEAN
