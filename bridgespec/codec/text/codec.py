"""Text codecs: reader and writer of a format, both derived from its grammar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import BinaryIO

from bridgespec.codec.byte_order import MarkedText
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.patch import Patch, settled
from bridgespec.codec.text.pieces import Many
from bridgespec.codec.text.program import compiled
from bridgespec.codec.text.reader import FileForm, Progress, Reader
from bridgespec.codec.text.supply import Supply, Unfit, lists_of
from bridgespec.codec.text.tree import Plain
from bridgespec.codec.text.tree import plain as shared_plain
from bridgespec.codec.text.values import Record
from bridgespec.errors import WriteError
from bridgespec.spec import ir

__all__ = ["TextCodec", "TextStretch", "plain"]

STRETCH = 1 << 16
"""Bytes of a stretch: smaller ones are read twice in larger part, larger ones take more memory."""
BACK = 256
"""Bytes before a stretch that its expressions may look back at."""


def plain(node: Node) -> Plain:
    """The plain tree of a node, the caller's to change: dicts, lists and text, a code by its name.

    A record's fields that are not there have no key; broken elements of arrays are left out.
    """
    return deepcopy(shared_plain(node))


@dataclass(frozen=True, slots=True)
class TextStretch:
    """Some records of a file: their reading, whose offsets count from byte ``offset`` of the file; where they begin in it, the byte
    of the file where they end, and whether that is the last.
    """

    reading: Reading
    offset: int
    start: int
    stop: int
    last: bool


class TextCodec:
    """Reads and writes the text format of a spec; bytes are characters of Latin-1, so that no byte is refused or lost."""

    def __init__(self, spec: ir.Spec, accelerated: bool = True) -> None:
        self.spec = spec
        self.engine = TextEngine(spec, compiled if accelerated else None)
        self.form = FileForm(self.engine)

    def read(self, data: bytes, limit: int = 1000, brief: bool = False) -> Reading:
        """The tree of ``data`` with at most ``limit`` findings; never raises on bad input.

        With ``brief`` it is read by the expressions of the grammar alone: compiling programs takes longer than reading a
        few hundred bytes without them.
        """
        return Reader(self.form, data, limit, accelerated=not brief and self.engine.accelerated).read()

    def split(self, data: bytes) -> Reading:
        """The same tree, made as it is touched; its findings are only those of text that fits nowhere, so that it takes a small
        part of the time of `read`.
        """
        return self.split_first(data)[0]

    def split_first(self, data: bytes) -> tuple[Reading, Callable[[], Reading]]:
        """The same, with what completes it by all its findings, of which the text is not read again that is proven to have none."""
        reader = Reader(self.form, data, look=False, accelerated=self.engine.accelerated)
        return reader.read(), reader.inspected

    def stretches(self, file: BinaryIO, size: int = STRETCH, look: bool = True) -> Iterator[TextStretch]:
        """Read a file some records at a time, in memory that depends on ``size`` and the longest record alone.

        A stretch ends where a record begins, and the next one begins there. Each is the tree that `read` (`split` without ``look``)
        gives of these records, without the findings about the whole text. Not for a file with a byte order mark, nor for a format
        in which fields follow from the whole file (`unsettled`).
        """
        window, offset, progress, wanted, ended = b"", 0, Progress(), size, False
        while not ended:
            while not ended and (left := wanted - len(window) + progress.start) > 0:
                more = file.read(left)
                window, ended = window + more, not more
            stop = len(window) if ended else self._reader(window, False, progress).boundary()
            if stop is None:
                wanted *= 2
                continue
            start, reader = progress.start, self._reader(window, look, progress)
            reading, progress = reader.stretch(stop, ended)
            yield TextStretch(reading, offset, start, offset + stop, ended)
            back, wanted = max(stop - BACK, 0), size
            window, offset, progress = window[back:], offset + back, replace(progress, start=stop - back)

    def _reader(self, window: bytes, look: bool, before: Progress) -> Reader:
        return Reader(self.form, window, sys.maxsize, look, self.engine.accelerated, before)

    def write(self, values: Mapping[str, object], origin: Reading | None = None) -> bytes:
        """The file of a plain tree; with ``origin``, every byte that the values do not change is kept, and so is the encoding.

        WriteError names the field that the grammar cannot spell.
        """
        start = self.form.start
        if origin is None:
            return self._bytes(lambda: settled(self.form, start.spell(values, ""), None))
        patch = Patch(origin.data.decode("latin-1"), frozenset(one.rule.name for one in self.engine.derivations))
        return self._bytes(lambda: settled(self.form, patch.write(origin.root, values, start, ""), patch.text), origin.encoding)

    @cached_property
    def unsettled(self) -> bool:
        """Whether fields follow from the texts of others, or from other records: a file is not written a stretch at a time."""
        return bool(self.engine.looking_out) or any(one.unsettled for one in self.engine.derivations)

    def corrected(self, data: bytes) -> bytes:
        """Return a file with every derived field as it should be; WriteError where there is none."""
        return self._bytes(lambda: settled(self.form, data.decode("latin-1"), None))

    def list_of(self, field: str) -> int | None:
        """Which item of the start rule is a list of a field, as long as it may be, so that a file can be written a stretch of it at
        a time; None where there is none, or more is to be said of the whole text.
        """
        start = self.form.start
        words = start.rule.words
        if words.trim or words.ends is not None or self.unsettled:
            return None
        found = [(at, item) for at, item in enumerate(start.body.steps) if field in item.names]
        at, item = found[0]
        return at if len(found) == 1 and isinstance(item, Many) and item.most is None else None

    def write_list(self, values: Mapping[str, object], field: str, first: bool, last: bool) -> bytes:
        """A stretch of the list of a field: with what stands before the list where it is the first, behind it where it is the last.

        Only where `list_of` finds the list; WriteError as `write`.
        """
        at, start = self.list_of(field), self.form.start
        assert at is not None
        assert isinstance(start, Record)
        items = start.body.steps[0 if first else at : None if last else at + 1]

        given = dict(values) if first else {field: values.get(field, [])}

        def spelled() -> str:
            left = Supply(given, lists_of(given), "", start.places, start.derive)
            text = left.template("".join([item.write(left) for item in items]))[1]
            left.all_taken(start.rule.name)
            return text

        return self._bytes(spelled)

    def _bytes(self, spelled: Callable[[], str], encoding: MarkedText | None = None) -> bytes:
        try:
            data = spelled().encode("latin-1")
            return data if encoding is None else encoding.encode(data)
        except Unfit as error:
            raise WriteError(f"{self.spec.id} cannot be written: {error.path}: {error}") from None
        except UnicodeEncodeError as error:
            raise WriteError(f"{self.spec.id} has no character {error.object[error.start]!r}") from None
