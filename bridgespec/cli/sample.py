"""The command ``sample``: files of a format, valid or broken, made from its schema alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
from rich.text import Text

from bridgespec.cli.examine import plural
from bridgespec.cli.options import complete_format
from bridgespec.cli.sampling import Sampler
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.status import CLEAN
from bridgespec.errors import UsageError
from bridgespec.spec.ir import Spec
from bridgespec.writing import written

MANIFEST = "broken.json"


GROUP = "Schemas"


@click.command(
    epilog="""\b
Examples:
  bridgespec sample zrd -o files
  bridgespec sample club --count 20 --seed 7 -o files --specs formats
  bridgespec sample club --broken -o bad --specs formats
  bridgespec sample club --own -o files --specs formats
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
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder to write to."
)
@pass_settings
def command(settings: Settings, id: str, count: int, broken: bool, own: bool, seed: int, folder: Path) -> int:
    """Write files of a format, made from its schema alone: to try a program with, or the schema.

    Valid files hold boards that the game allows where the format has room for them, else values that the schema allows. With
    --broken each file is a valid one that was changed at one place; what is found there follows from what was changed, and
    stands in broken.json: the file, the code of the finding, the field, and the bytes.
    """
    if broken and own:
        raise UsageError("--own writes the schema's samples as they are: it does not go with --broken")
    spec = settings.engine.spec(id)
    files = _own(spec) if own else _broken(settings, spec, count, seed, folder) if broken else _valid(settings, spec, count, seed)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with written(folder / name) as out:
            out.write(data)
    settings.out.print(Text(f"{folder}: {plural(len(files) - (MANIFEST in files), 'file')} of {spec.id}"), soft_wrap=True)
    return CLEAN


def _suffix(spec: Spec) -> str:
    return f".{spec.extensions[0]}" if spec.extensions else ""


def _own(spec: Spec) -> dict[str, bytes]:
    """Return the schema's samples, by their names."""
    if not spec.samples:
        raise UsageError(f"{spec.id}: the schema has no samples of its own")
    found: dict[str, bytes] = {}
    for number, sample in enumerate(spec.samples, 1):
        name = re.sub(r"[^a-z0-9]+", "-", sample.name.lower()).strip("-")[:60] or str(number)
        found[f"{name}{_suffix(spec)}" if f"{name}{_suffix(spec)}" not in found else f"{name}-{number}{_suffix(spec)}"] = (
            sample.data
        )
    return found


def _valid(settings: Settings, spec: Spec, count: int, seed: int) -> dict[str, bytes]:
    sampler = Sampler(settings.engine, spec, seed)
    return {f"{spec.id}-{index + 1}{_suffix(spec)}": sampler.valid(index) for index in range(count)}


def _broken(settings: Settings, spec: Spec, count: int, seed: int, folder: Path) -> dict[str, bytes]:
    sampler = Sampler(settings.engine, spec, seed)
    found: dict[str, bytes] = {}
    told = []
    for index in range(count):
        for number, fault in enumerate(sampler.broken(index), 1):
            name = f"{spec.id}-{index + 1}-{number}-{fault.code}{_suffix(spec)}"
            found[name] = fault.data
            told.append({"file": name, "code": fault.code, "field": fault.field, "bytes": [fault.start, fault.stop]})
    if not found:
        raise UsageError(
            f"{spec.id}: nothing in the schema tells what to break: no contents, valid, enum, check, report or -bridge-value"
        )
    found[MANIFEST] = (json.dumps(told, indent=2) + "\n").encode()
    return found
