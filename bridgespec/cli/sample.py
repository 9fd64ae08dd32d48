"""The command ``sample``: files of a format, valid or broken, made from its schema alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import click
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN
from bridgespec.cli.options import complete_format
from bridgespec.cli.sampling import Sampler
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.codec.node import FieldNode
from bridgespec.errors import UsageError
from bridgespec.spec.ir import Spec
from bridgespec.writing import written

MANIFEST = "broken.json"
"""The name of the file that lists the finding of each broken file."""
SMALL = 4096
"""The maximum size of a seed for fuzzers in bytes: larger ones make them slow."""


GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec sample zrd -o files
  bridgespec sample club --count 20 --seed 7 -o files --specs formats
  bridgespec sample club --broken -o bad --specs formats
  bridgespec sample club --own -o files --specs formats
  bridgespec sample club --corpus seeds --count 50 --specs formats
""",
    short_help="Make files of a format, valid or broken, from its schema.",
)
@click.argument("id", metavar="ID", shell_complete=complete_format)
@click.option(
    "--count", type=click.IntRange(1, 10_000), default=3, show_default=True, help="How many valid files to make, or to break."
)
@click.option("--broken", is_flag=True, help=f"Files with one fault each, and {MANIFEST}: the finding that each must give.")
@click.option("--own", is_flag=True, help="The samples that stand in the schema, as files.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same files.")
@click.option(
    "--corpus",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write seeds for fuzzers there: many small files that differ, valid, broken and cut, each named by its content.",
)
@click.option("-o", "--output", "folder", type=click.Path(file_okay=False, path_type=Path), help="The folder to write to.")
@pass_settings
def command(
    settings: Settings, id: str, count: int, broken: bool, own: bool, seed: int, corpus: Path | None, folder: Path | None
) -> int:
    """Write files of a format, made from its schema alone: to try a program with, or the schema.

    Valid files hold boards that the game allows where the format has room for them, else values that the schema allows. With
    --broken each file is a valid one that was changed at one place; what is found there follows from what was changed, and
    stands in broken.json: the file, the code of the finding, the field, and the bytes.

    With --corpus: the schema's own samples, --count valid files, each of these with one fault at a time, and the first of them cut
    off at the end of each of its fields. No two are the same, none has more than 4,096 bytes, and the same seed gives the same
    files. Begin with them: `atheris`, libFuzzer and AFL++ take the folder as it is.
    """
    if broken and own:
        raise UsageError("--own writes the schema's samples as they are: it does not go with --broken")
    if corpus is not None and (broken or own or folder is not None):
        raise UsageError("--corpus writes files of every kind into its own folder: it does not go with --broken, --own or -o")
    target = corpus or folder
    if target is None:
        raise UsageError("which folder? Give it with -o, or with --corpus for seeds of fuzzers")
    spec = settings.engine.spec(id)
    files = _corpus(settings, spec, count, seed) if corpus is not None else _files(settings, spec, broken, own, count, seed)
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with written(target / name) as out:
            out.write(data)
    settings.out.print(Text(f"{target}: {plural(len(files) - (MANIFEST in files), 'file')} of {spec.id}"), soft_wrap=True)
    return CLEAN


def _files(settings: Settings, spec: Spec, broken: bool, own: bool, count: int, seed: int) -> dict[str, bytes]:
    """Return the files that the options select, by name: samples in the schema, broken files, or valid ones."""
    if own:
        return _schema_samples(spec)
    return _broken(settings, spec, count, seed) if broken else _valid(settings, spec, count, seed)


def _corpus(settings: Settings, spec: Spec, count: int, seed: int) -> dict[str, bytes]:
    """Return small files that all differ, by names that are digests of their bytes, as fuzzers name them."""
    sampler = Sampler(settings.engine, spec, seed)
    made = [sample.data for sample in spec.samples]
    for index in range(count):
        made.append(sampler.valid(index))
        made += [fault.data for fault in sampler.broken(index)]
    first = sampler.valid(0)
    root = settings.engine.of(spec).codec.read(first).root
    # Cut at the ends of fields, so that in each cut file another field is the first missing one.
    made += [first[:at] for at in sorted({node.stop // 8 for node in _leaves(root)})]
    return {f"{sha256(data).hexdigest()[:16]}{_suffix(spec)}": data for data in made if len(data) <= SMALL}


def _leaves(node: FieldNode) -> Iterator[FieldNode]:
    """Yield the nodes of a file that have no children."""
    # A stack and not recursion: a file may be nested as deeply as its reader allows.
    left = [node]
    while left:
        one = left.pop()
        left += one.children or ()
        if not one.children:
            yield one


def _suffix(spec: Spec) -> str:
    """Return the suffix of a file of the format; empty where the schema has no extension."""
    return f".{spec.extensions[0]}" if spec.extensions else ""


def _schema_samples(spec: Spec) -> dict[str, bytes]:
    """Return the samples in the schema, by the names of their files. Raises UsageError where it has none."""
    if not spec.samples:
        raise UsageError(f"{spec.id}: the schema has no samples of its own")
    found: dict[str, bytes] = {}
    for number, sample in enumerate(spec.samples, 1):
        # Names that differ only in punctuation become equal; the second file gets a number, to keep the first.
        name = re.sub(r"[^a-z0-9]+", "-", sample.name.lower()).strip("-")[:60] or str(number)
        found[f"{name}{_suffix(spec)}" if f"{name}{_suffix(spec)}" not in found else f"{name}-{number}{_suffix(spec)}"] = (
            sample.data
        )
    return found


def _valid(settings: Settings, spec: Spec, count: int, seed: int) -> dict[str, bytes]:
    """Return valid files by name."""
    sampler = Sampler(settings.engine, spec, seed)
    return {f"{spec.id}-{index + 1}{_suffix(spec)}": sampler.valid(index) for index in range(count)}


def _broken(settings: Settings, spec: Spec, count: int, seed: int) -> dict[str, bytes]:
    """Return files with one fault each by name, and their manifest."""
    sampler = Sampler(settings.engine, spec, seed)
    found: dict[str, bytes] = {}
    manifest = []
    for index in range(count):
        for number, fault in enumerate(sampler.broken(index), 1):
            name = f"{spec.id}-{index + 1}-{number}-{fault.code}{_suffix(spec)}"
            found[name] = fault.data
            manifest.append({"file": name, "code": fault.code, "field": fault.field, "bytes": [fault.start, fault.stop]})
    if not found:
        raise UsageError(
            f"{spec.id}: nothing in the schema tells what to break: no number of several bytes, contents, valid, enum, check, "
            "report or -bridge-value"
        )
    found[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    return found
