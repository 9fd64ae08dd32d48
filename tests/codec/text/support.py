"""Small grammars for tests of the text engine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import engine
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.ir import Spec

SAMPLES = Path(__file__).parents[2] / "samples"
SPECS = [spec for spec in engine().catalog.all() if spec.language == "lark"]
FILES = [
    (spec, path.name, path.read_bytes())
    for spec in SPECS
    for path in sorted((SAMPLES / spec.id).rglob("*"))
    if path.is_file() and path.suffix != ".json"
] + [(spec, sample.name, sample.data) for spec in SPECS for sample in spec.samples]
"""Every sample of every text format: its format, its name and its bytes."""
NAMES = [f"{spec.id}-{name}" for spec, name, _ in FILES]


def load_text(grammar: str) -> Spec:
    """The spec of a grammar given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.lark"
        path.write_text(grammar, "utf-8")
        return load_grammar(path)


def codec_of(grammar: str, accelerated: bool = True) -> TextCodec:
    """The codec of a grammar given as text; its head is written here."""
    return TextCodec(load_text("//- {id: test, extensions: [test]}\n\n" + grammar), accelerated)
