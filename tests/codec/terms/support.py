"""Schemas changed for a test: rules renamed, axes permuted; the text alone is changed, as somebody with an editor would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bridgespec.codec.bind import Binder
from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.writer import DocumentWriter
from bridgespec.diagnostic import Severity, Span
from bridgespec.engines import engine
from bridgespec.export.json import tree
from bridgespec.schema_checks import findings
from bridgespec.spec.ir import Spec
from tests.listed import listed

SPECS = Path(__file__).parents[3] / "specs"
SAMPLES = Path(__file__).parents[2] / "samples"
_LINE = re.compile(r"[ \t]*//-(.*)")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"i?|/(?:[^/\\\n]|\\.)+/[a-z]*|//[^\n]*|[A-Za-z_][A-Za-z_0-9]*')
_DEFINITION = re.compile(r"^([!?]?)([A-Za-z_][A-Za-z_0-9]*)[ \t]*:", re.MULTILINE)
_EXACT = ("name", "of", "by", "else", "rule")
"""Words of a block that name a field or a rule of the grammar."""

Block = dict[str, Any]


def text_formats() -> list[str]:
    """The names of the text formats."""
    return sorted(path.stem for path in SPECS.glob("*.lark") if "//- id:" in path.read_text("utf-8"))


@listed
def board_formats() -> Iterable[str]:
    """Those of them that hold deals."""
    known = engine()
    return [name for name in text_formats() if "deal" in known.of(known.spec(name)).binder.terms]


def rules_of(source: str) -> list[str]:
    """The rules that a grammar defines, in order; terminals and layout left out."""
    return [match[2] for match in _DEFINITION.finditer(source) if match[2].islower() and match[2][0] != "_"]


@cache
def _parsed(text: str) -> Block:
    block: Block = YAML(typ="safe", pure=True).load(StringIO(text))
    return block


def blocks(source: str, change: Callable[[Block], None]) -> str:
    """The grammar with each block of words as ``change`` leaves it, on one line."""
    out: list[str] = []
    held: list[str] = []
    for line in [*source.split("\n"), ""]:
        match = _LINE.fullmatch(line)
        if match:
            held.append(match[1])
            continue
        if held:
            block = deepcopy(_parsed("\n".join(held)))
            change(block)
            out.append("//- " + json.dumps(block, ensure_ascii=False))
            held = []
        out.append(line)
    return "\n".join(out[:-1])


def renamed(source: str, old: str, new: str) -> str:
    """The grammar with a rule called otherwise, wherever the grammar or a word that names rules and fields mentions it."""

    def swap(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: swap(item) for key, item in value.items()}
        return [swap(item) for item in value] if isinstance(value, list) else new if value == old else value

    def change(block: Block) -> None:
        if "id" in block:
            block["clean"] = {new if key == old else key: text for key, text in block.get("clean", {}).items()}
            if not block["clean"]:
                del block["clean"]
            return
        for key in ("content", "fill", "name"):
            if key in block:
                block[key] = swap(block[key])
        if "value" in block:
            block["value"] = re.sub(rf"\b{old}\b", new, str(block["value"]))
        if "columns" in block:
            # A column's name in the file is not a rule's, so the tables and their heads are left alone.
            for key in ("cases", "name", "width", "cell"):
                block["columns"][key] = swap(block["columns"].get(key, ""))
        if "strict" in block and "content" in block["strict"]:
            block["strict"]["content"] = swap(block["strict"]["content"])

    lines = blocks(source, change).split("\n")
    return "\n".join(line if _LINE.fullmatch(line) else _TOKEN.sub(lambda m: new if m[0] == old else m[0], line) for line in lines)


def write(folder: Path, name: str, source: str) -> Path:
    """The grammar in a folder beside all the others."""
    for path in SPECS.glob(f"*{Path(name).suffix}"):
        if path.name != name:
            (folder / path.name).write_bytes(path.read_bytes())
    target = folder / name
    target.write_text(source, "utf-8")
    return target


Said = tuple[object, bytes | None, list[tuple[str, Span | None]]]
"""What a schema makes of a file: the document, the bytes that it spells anew where there is no error, and the findings."""


class Tried:
    """A schema that check-spec finds no error in, and what it makes of files."""

    def __init__(self, spec: Spec) -> None:
        self.codec = TextCodec(spec)
        self.binder = Binder(spec, self.codec.engine)
        self.writer = DocumentWriter(self.binder, self.codec.write, canonical=True)

    def said(self, data: bytes, written: bool) -> Said:
        """What the schema makes of a file; ``written``: it is spelled anew too."""
        reading = self.codec.read(data)
        document = self.binder.document(reading)
        spelled = self.writer.write_all(document) if written else None
        return tree(document), spelled, [(found.code, found.span) for found in reading.diagnostics]


def tried(path: Path) -> Tried | None:
    """The schema in a file; None where check-spec finds an error."""
    spec, found = findings(path, [path.parent])
    return None if spec is None or any(one.severity is Severity.ERROR for one in found) else Tried(spec)


@cache
def said(format: str) -> tuple[tuple[bytes, bool, Said], ...]:
    """What a schema of ours makes of its first two samples, and of those inside it."""
    path = SPECS / f"{format}.lark"
    ours = tried(path)
    spec, _ = findings(path, [SPECS])
    assert ours is not None
    assert spec is not None
    files = [(sample.read_bytes(), True) for sample in list(samples_of(format))[:2]]
    files += [(sample.data, False) for sample in spec.samples]
    return tuple((data, written, ours.said(data, written)) for data, written in files)


def samples_of(format: str) -> Iterator[Path]:
    """The valid samples of a format, small ones."""
    for path in sorted((SAMPLES / format).glob("*.*")):
        if path.suffix != ".json" and path.stat().st_size < 12_000:
            yield path
