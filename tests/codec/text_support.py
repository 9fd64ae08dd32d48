"""Small grammars for tests of the text engine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bridgespec.codec.text.codec import TextCodec
from bridgespec.spec.grammar.load import load_grammar
from bridgespec.spec.ir import Spec


def load_text(grammar: str) -> Spec:
    """The spec of a grammar given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "test.lark"
        path.write_text(grammar, "utf-8")
        return load_grammar(path)


def codec_of(grammar: str) -> TextCodec:
    """The codec of a grammar given as text; its head is written here."""
    return TextCodec(load_text("//- {id: test, extensions: [test]}\n\n" + grammar))
