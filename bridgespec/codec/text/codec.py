"""Text codecs: reader and writer of a format, both derived from its grammar."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from bridgespec.codec.node import Node, Reading
from bridgespec.codec.problems import MOST
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.fast import quick
from bridgespec.codec.text.patch import Patch
from bridgespec.codec.text.reader import FileForm, Reader
from bridgespec.codec.text.supply import Unfit
from bridgespec.codec.text.tree import Plain
from bridgespec.codec.text.tree import plain as shared_plain
from bridgespec.errors import WriteError
from bridgespec.spec import ir

__all__ = ["TextCodec", "plain"]


def plain(node: Node) -> Plain:
    """The plain tree of a node, the caller's to change: dicts, lists and text, a code by its name.

    A record's fields that are not there have no key; broken elements of arrays are left out.
    """
    return deepcopy(shared_plain(node))


class TextCodec:
    """Reads and writes the text format of a spec; bytes are characters of Latin-1, so that no byte is refused or lost."""

    def __init__(self, spec: ir.Spec, accelerated: bool = True) -> None:
        self.spec = spec
        self.engine = TextEngine(spec, quick if accelerated else None)
        self.form = FileForm(self.engine)

    def read(self, data: bytes, limit: int = 1000) -> Reading:
        """The tree of ``data`` with at most ``limit`` findings; never raises on bad input."""
        reader = Reader(self.form, data.decode("latin-1"), limit)
        root = reader.read()
        return Reading(root, data, reader.findings.found, reader.findings.dropped)

    def split(self, data: bytes) -> Reading:
        """The same tree, made as it is touched; its findings are only those of text that fits nowhere, so that it takes a small
        part of the time of `read`.
        """
        reader = Reader(self.form, data.decode("latin-1"), MOST, look=False)
        root = reader.read()
        return Reading(root, data, reader.findings.found, reader.findings.dropped)

    def write(self, values: Mapping[str, object], origin: Reading | None = None) -> bytes:
        """The file of a plain tree; with ``origin``, every byte that the values do not change is kept.

        WriteError names the field that the grammar cannot spell.
        """
        start = self.form.start
        try:
            if origin is None:
                text = start.spell(values, "")
            else:
                text = Patch(origin.data.decode("latin-1")).write(origin.root, values, start, "")
        except Unfit as error:
            raise WriteError(f"{self.spec.id} cannot be written: {error.path}: {error}") from None
        try:
            return text.encode("latin-1")
        except UnicodeEncodeError as error:
            raise WriteError(f"{self.spec.id} has no character {text[error.start]!r}") from None
