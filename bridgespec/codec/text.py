"""Text codecs: reader and writer of a format, both derived from its grammar."""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.codec.held import held
from bridgespec.codec.node import Reading
from bridgespec.codec.text_explain import Explainer
from bridgespec.codec.text_form import Form
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_read import Reader
from bridgespec.codec.text_tree import plain
from bridgespec.codec.text_write import Writer
from bridgespec.spec import ir

__all__ = ["TextCodec", "plain"]


class TextCodec:
    """Reads and writes the text format of a spec; bytes are characters of Latin-1, so that no byte is refused or lost."""

    def __init__(self, spec: ir.Spec) -> None:
        self.spec = spec
        self.compiler = Compiler(spec)
        self.explainer = Explainer(self.compiler)
        self.form = Form(self.compiler, self.explainer)
        self.writer = Writer(self.compiler)
        self.compiler.parts()

    @held
    def read(self, data: bytes, limit: int = 1000) -> Reading:
        """The tree of ``data`` with at most ``limit`` findings; never raises on bad input."""
        reader = Reader(self.compiler, self.explainer, self.form, data.decode("latin-1"), limit)
        root = reader.read()
        return Reading(root, data, reader.found, reader.dropped)

    def write(self, values: Mapping[str, object], origin: Reading | None = None) -> bytes:
        """The file of a plain tree; with ``origin``, every byte that the values do not change is kept.

        WriteError names the field that the grammar cannot spell.
        """
        return self.writer.write(values, origin)
