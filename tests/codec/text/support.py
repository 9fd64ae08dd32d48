"""Small grammars for tests of the text engine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import engine
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.ir import Spec
from tests.listed import listed

SAMPLES = Path(__file__).parents[2] / "samples"
Place = str | int
"""A file in the folder of samples, or the position of a sample in its schema."""


@listed
def text_files() -> Iterator[tuple[str, str, Place, int]]:
    """Yield every sample of every text format: its format, its name, its place and the number of its bytes."""
    specs = [spec for spec in engine().catalog.all() if spec.language == "lark"]
    for spec in specs:
        for path in sorted((SAMPLES / spec.id).rglob("*")):
            if path.is_file() and path.suffix != ".json":
                yield spec.id, path.name, path.relative_to(SAMPLES).as_posix(), path.stat().st_size
    for spec in specs:
        yield from ((spec.id, sample.name, at, len(sample.data)) for at, sample in enumerate(spec.samples))


def sample_bytes(format: str, place: Place) -> bytes:
    """Return the bytes of a sample."""
    return engine().spec(format).samples[place].data if isinstance(place, int) else (SAMPLES / place).read_bytes()


FILES = [(format, place) for format, _, place, _ in text_files()]
NAMES = [f"{format}-{name}" for format, name, _, _ in text_files()]


def load_text(grammar: str) -> Spec:
    """The spec of a grammar given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.lark"
        path.write_text(grammar, "utf-8")
        return load_grammar(path)


def codec_of(grammar: str, accelerated: bool = True) -> TextCodec:
    """The codec of a grammar given as text; its head is written here."""
    return TextCodec(load_text("//- {id: test, extensions: [test]}\n\n" + grammar), accelerated)
