"""Transformations of stored bytes (``process``): decoded when reading, encoded when writing."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Protocol

from bridgespec.codec.binary.byte_errors import BAD_DATA, CannotWrite, Unreadable
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction, compile_expression
from bridgespec.spec.kaitai.expr.tree import CallExpression, Expression, Name

_TAKEN, _MADE = 1 << 14, 1 << 20
"""The number of compressed bytes that are taken at a time, and the maximum number of bytes that one step inflates them to."""


class Processor(Protocol):
    """A transformation that a caller provides for a custom ``process`` name."""

    def decode(self, data: bytes, *args: object) -> bytes:
        """Return the plain bytes that stored bytes encode."""

    def encode(self, data: bytes, *args: object) -> bytes:
        """Return the bytes to store for plain bytes."""


class Process:
    """The ``process`` key of a field, with its arguments compiled. The compiler makes one for each field with the key."""

    def __init__(self, expression: Expression, processors: Mapping[str, Processor]) -> None:
        tree = expression.tree
        assert isinstance(tree, CallExpression)
        assert isinstance(tree.of, Name)
        self.name = tree.of.id
        self.args: list[ExpressionFunction] = [compile_expression(Expression(expression.source, arg)) for arg in tree.args]
        self.processor = processors.get(self.name)

    def decode(self, data: bytes, frame: RecordFrame) -> bytes:
        """Return the plain bytes that stored bytes encode. Raises Unreadable where the stored bytes are invalid."""
        args = [arg(frame) for arg in self.args]
        try:
            if self.processor is not None:
                out = self.processor.decode(data, *args)
            elif self.name == "zlib":
                out = _inflate(data, frame.session.volume)
            else:
                out = self._symmetric(data, args, -1)
        except (zlib.error, ValueError, TypeError) as error:
            raise Unreadable(BAD_DATA, f"process {self.name}: {error}") from None
        # `xor` and rotations are counted too: nested substreams would multiply the bytes of the file.
        frame.session.make(len(out))
        return out

    def encode(self, data: bytes, frame: RecordFrame) -> bytes:
        """Return the bytes to store for plain bytes. Raises CannotWrite where the process cannot encode them."""
        args = [arg(frame) for arg in self.args]
        try:
            if self.processor is not None:
                return self.processor.encode(data, *args)
            return zlib.compress(data) if self.name == "zlib" else self._symmetric(data, args, 1)
        except (zlib.error, ValueError, TypeError) as error:
            raise CannotWrite(f"process {self.name}: {error}") from None

    def _symmetric(self, data: bytes, args: list[object], way: int) -> bytes:
        """Apply ``xor`` or a rotation to bytes; ``way`` is -1 for decoding, 1 for encoding."""
        arg = args[0]
        if self.name == "xor":
            key = bytes([arg & 0xFF]) if isinstance(arg, int) else bytes(arg)  # type: ignore[call-overload]
            # An empty key comes from the data, and would be a division by zero below.
            if not key:
                raise EvaluationError("the key of xor is empty")
            mask = (key * (len(data) // len(key) + 1))[: len(data)]
            return (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(len(data), "big")
        if not isinstance(arg, int):
            raise EvaluationError("a rotation needs an integer")
        left = (arg if self.name == "rol" else -arg) % 8
        # `process: rol` names the rotation of a reader; a writer rotates back.
        turn = left if way < 0 else -left % 8
        table = bytes(((b << turn) | (b >> (8 - turn))) & 0xFF for b in range(256))
        return data.translate(table)


def _inflate(data: bytes, room: int) -> bytes:
    """Return decompressed zlib data. Raises ValueError above ``room`` bytes, found in steps, so that a decompression bomb does not
    fill the memory, and for data that end too early.
    """
    machine = zlib.decompressobj()
    out = bytearray()
    for at in range(0, len(data), _TAKEN):
        left = data[at : at + _TAKEN]
        while left:
            out += machine.decompress(left, _MADE)
            left = machine.unconsumed_tail
            if len(out) > room:
                raise ValueError(f"the data inflate to more than the {max(room, 0):,} bytes that a file of this size may make")
    # For an incomplete stream `decompressobj` returns the bytes so far, where `zlib.decompress` raises.
    if not machine.eof:
        raise ValueError("the compressed data end too early")
    return bytes(out)
