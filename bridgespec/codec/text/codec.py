"""The codec of a text format: `TextCodec` reads the bytes of a file to a tree of nodes, and writes plain values, by the grammar of
its spec.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import BinaryIO

from bridgespec.codec.byte_order import MarkedText
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.text.compiled_expressions import RepeatExpression
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.grammar_program import compiled
from bridgespec.codec.text.patch import Patch, settled
from bridgespec.codec.text.pending_values import CannotEncode, PendingValues, lists_of
from bridgespec.codec.text.reader import FileForm, Progress, TextReader
from bridgespec.codec.text.rule_values import RecordRule
from bridgespec.codec.text.text_tree import PlainTree
from bridgespec.codec.text.text_tree import plain as shared_plain
from bridgespec.errors import WriteError
from bridgespec.spec import ir

__all__ = ["TextCodec", "TextStretch", "plain"]

BACK = 256
"""The number of bytes before a stretch that stay in its window, because expressions may look at the text before a record."""


def plain(node: FieldNode) -> PlainTree:
    """Return the plain tree of a node as a copy: a dict for a record, a list for an array, a string for a text or the name of a
    code.

    Absent fields have no key; broken elements of arrays are left out.
    """
    return deepcopy(shared_plain(node))


@dataclass(frozen=True, slots=True)
class TextStretch:
    """Some records of a file, yielded by `TextCodec.stretches`.

    Offsets in ``reading`` count from byte ``offset`` of the file. The records begin at offset ``start`` of the reading, and end
    at byte ``stop`` of the file. ``last``: the file ends there.
    """

    reading: Reading
    offset: int
    start: int
    stop: int
    last: bool


class TextCodec:
    """Reads and writes the text format of one spec. Bytes are decoded as Latin-1, so that no byte is refused or lost. A `Format`
    makes one for its spec.
    """

    def __init__(self, spec: ir.Spec, accelerated: bool = True) -> None:
        self.spec = spec
        self.engine = TextEngine(spec, compiled if accelerated else None)
        self.form = FileForm(self.engine)

    def read(self, data: bytes, limit: int = 1000, brief: bool = False) -> Reading:
        """Return the tree of ``data`` with at most ``limit`` findings; never raises on bad input.

        With ``brief`` it is read by the expressions of the grammar alone: compiling programs takes longer than reading a
        few hundred bytes without them.
        """
        return TextReader(self.form, data, limit, accelerated=not brief and self.engine.accelerated).read()

    def split(self, data: bytes) -> Reading:
        """Return the tree of ``data`` with nodes that are made on access. It has findings only on text that matches nothing and on
        missing parts, and takes a fraction of the time of `read`.
        """
        return self.split_first(data)[0]

    def split_first(self, data: bytes) -> tuple[Reading, Callable[[], Reading]]:
        """Return the reading that `split` returns, and a function that returns it with all findings. The function does not read a
        record again that is proven to have none.
        """
        reader = TextReader(self.form, data, look=False, accelerated=self.engine.accelerated)
        return reader.read(), reader.inspected

    def stretches(self, file: BinaryIO, size: int, look: bool = True) -> Iterator[TextStretch]:
        """Yield the records of a file in stretches, in memory that depends only on ``size`` (bytes read at once) and the longest
        record.

        A stretch ends where a record begins, and the next one begins there. With ``look`` the records have all of their findings,
        else only those on text that matches nothing; findings about the whole text are never made. Not for a file with a byte
        order mark, nor for a format with fields that are derived from the whole file (`unsettled`).
        """
        window, offset, progress, wanted, ended = b"", 0, Progress(), size, False
        while not ended:
            while not ended and (left := wanted - len(window) + progress.start) > 0:
                more = file.read(left)
                window, ended = window + more, not more
            stop = len(window) if ended else self._reader(window, False, progress).boundary()
            if stop is None:
                # No record ends in the window: the next attempt has a larger one, up to the whole file.
                wanted *= 2
                continue
            start, reader = progress.start, self._reader(window, look, progress)
            reading, progress = reader.stretch(stop, ended)
            yield TextStretch(reading, offset, start, offset + stop, ended)
            back, wanted = max(stop - BACK, 0), size
            window, offset, progress = window[back:], offset + back, replace(progress, start=stop - back)

    def _reader(self, window: bytes, look: bool, before: Progress) -> TextReader:
        return TextReader(self.form, window, sys.maxsize, look, self.engine.accelerated, before)

    def write(self, values: Mapping[str, object], origin: Reading | None = None) -> bytes:
        """Return the file for a plain tree. With ``origin``, the reading of a file, its text is kept where values are unchanged,
        and so is its encoding.

        Raises WriteError, which names the field that the grammar cannot spell.
        """
        start = self.form.start
        if origin is None:
            return self._bytes(lambda: settled(self.form, start.spell(values, ""), None))
        patch = Patch(origin.data.decode("latin-1"), frozenset(one.rule.name for one in self.engine.derivations))
        return self._bytes(lambda: settled(self.form, patch.write(origin.root, values, start, ""), patch.text), origin.encoding)

    @cached_property
    def unsettled(self) -> bool:
        """Whether the format has fields that are derived from the texts of others or from other records, so that stretches cannot
        be written one by one.
        """
        return bool(self.engine.looking_out) or any(one.unsettled for one in self.engine.derivations)

    def corrected(self, data: bytes) -> bytes:
        """Return a file in which every derived field has its derived value. Raises WriteError where that cannot be reached."""
        return self._bytes(lambda: settled(self.form, data.decode("latin-1"), None))

    def list_of(self, field: str) -> int | None:
        """Return the index of the item of the start rule that is an unlimited list of this field, so that stretches of the list
        can be written one by one. None where the field is in another or several items, or the text depends on the whole list.
        """
        start = self.form.start
        words = start.rule.words
        # Trimming and the required line end apply to the end of the whole text, which only the last stretch has.
        if words.trim or words.ends is not None or self.unsettled:
            return None
        found = [(at, item) for at, item in enumerate(start.body.steps) if field in item.names]
        at, item = found[0]
        return at if len(found) == 1 and isinstance(item, RepeatExpression) and item.most is None else None

    def write_list(self, values: Mapping[str, object], field: str, first: bool, last: bool) -> bytes:
        """Return the text for a stretch of a list field's elements; with ``first`` also the text before the list, with ``last``
        that after it.

        Only for a field for which `list_of` returns an index; raises WriteError like `write`.
        """
        at, start = self.list_of(field), self.form.start
        assert at is not None
        assert isinstance(start, RecordRule)
        items = start.body.steps[0 if first else at : None if last else at + 1]

        given = dict(values) if first else {field: values.get(field, [])}

        def spelled() -> str:
            left = PendingValues(given, lists_of(given), "", start.places, start.derive)
            text = left.template("".join([item.write(left) for item in items]))[1]
            left.all_taken(start.rule.name)
            return text

        return self._bytes(spelled)

    def _bytes(self, spelled: Callable[[], str], encoding: MarkedText | None = None) -> bytes:
        """Return the text that ``spelled`` returns as the bytes of a file, in Latin-1 or in the ``encoding`` of the file that was
        read. Raises WriteError where a value cannot be spelled, or a character has no byte.
        """
        try:
            data = spelled().encode("latin-1")
            return data if encoding is None else encoding.encode(data)
        except CannotEncode as error:
            raise WriteError(f"{self.spec.id} cannot be written: {error.path}: {error}", lacking=error.lacking) from None
        except UnicodeEncodeError as error:
            raise WriteError(f"{self.spec.id} has no character {error.object[error.start]!r}") from None
