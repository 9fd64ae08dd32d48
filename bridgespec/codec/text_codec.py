"""Text codecs: reader and writer of a format, both derived from its grammar."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from bridgespec.codec.held import held
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.text_explain import Explainer
from bridgespec.codec.text_form import Form
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_read import Reader
from bridgespec.codec.text_tree import Plain
from bridgespec.codec.text_tree import plain as shared_plain
from bridgespec.codec.text_write import Writer
from bridgespec.spec import ir

__all__ = ["TextCodec", "plain"]


def plain(node: Node) -> Plain:
    """The plain tree of a node, the caller's to change: dicts, lists and text, a code by its name.

    A record's fields that are not there have no key; broken elements of arrays are left out.
    """
    return deepcopy(shared_plain(node))


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
