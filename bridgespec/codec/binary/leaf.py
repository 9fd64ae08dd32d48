"""Constructs of the leaves: integers, bits, floats, byte arrays and text."""

from __future__ import annotations

import math
from typing import Any

import construct

from bridgespec.codec.binary.extent import Range
from bridgespec.codec.binary.problems import BAD_ENCODING, CONTENTS, EXPRESSION, Unreadable, Unwritable
from bridgespec.codec.binary.process import Process
from bridgespec.codec.binary.scope import Frame
from bridgespec.codec.binary.stream import Sink, Source
from bridgespec.codec.node import ByteNode, KeptBytes, KeptFloat, KeptInt, KeptText, Raw
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.ir import Binding, BitsType, BytesType, FloatType, IntType, StringType

_INTEGERS = {
    (size, signed, endian): getattr(construct, f"Int{8 * size}{'s' if signed else 'u'}{endian[0]}")
    for size in (1, 2, 4, 8)
    for signed in (False, True)
    for endian in ("le", "be")
}
_FLOATS = {(size, endian): getattr(construct, f"Float{8 * size}{endian[0]}") for size in (4, 8) for endian in ("le", "be")}


class Element(construct.Construct):  # type: ignore[misc]
    """A construct that reads a ``Source`` into a ``ByteNode`` and writes a plain value into a ``Sink``.

    ``_parse`` raises Unreadable where nothing can be read, ``_build`` Unwritable; ``_build`` returns the value that
    expressions see. ``path`` is the field's name.
    """

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        raise NotImplementedError

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        raise NotImplementedError


class NumberElement(Element):
    """A whole-byte integer or a float; with ``endian`` None the record's byte order decides."""

    def __init__(self, type_: IntType | FloatType) -> None:
        super().__init__()
        self.size = type_.size
        self.whole = isinstance(type_, IntType)
        self.endian = type_.endian if type_.size > 1 else "le"
        if isinstance(type_, IntType):
            self.by_endian = {e: _INTEGERS[type_.size, type_.signed, e] for e in ("le", "be")}
            bits = 8 * type_.size
            self.low, self.high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type_.signed else (0, (1 << bits) - 1)
        else:
            self.by_endian = {e: _FLOATS[type_.size, e] for e in ("le", "be")}
        self.primitive = self.by_endian[self.endian] if self.endian is not None else None

    def _choose(self, context: Frame) -> Any:
        if context.little is None:
            raise Unreadable(EXPRESSION, "the byte order is undecided: no case of the endian switch applies")
        return self.by_endian["le" if context.little else "be"]

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        primitive = self.primitive or self._choose(context)
        stream.bits_left = 0
        start = stream.at
        stream.need(self.size)
        value = primitive._parse(stream, context, path)
        node = ByteNode(None, path, start, stream.upto, value)
        if value != value:
            node.kept = stream.data[stream.pos - self.size : stream.pos]
        return node

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        if isinstance(obj, KeptFloat):
            stream.write(obj.raw)
            return float(obj)
        primitive = self.primitive or self._choose(context)
        stored = obj.raw if isinstance(obj, KeptInt) else obj
        if self.whole and (not isinstance(stored, int) or not self.low <= stored <= self.high):
            raise Unwritable(f"{stored!r} is no integer from {self.low} to {self.high}", context.path_of(path))
        if not isinstance(stored, int | float):
            raise Unwritable(f"{stored!r} is no number", context.path_of(path))
        try:
            primitive._build(stored, stream, context, path)
        except (OverflowError, construct.ConstructError):
            raise Unwritable(f"{stored!r} does not fit into {self.size} bytes", context.path_of(path)) from None
        return float(obj) if not self.whole and math.isfinite(obj) else obj


class BitsElement(Element):
    """``b1`` .. ``b64``."""

    def __init__(self, type_: BitsType) -> None:
        super().__init__()
        self.bits = type_.bits
        self.little = type_.endian == "le"
        self.boolean = type_.boolean

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        start = stream.at
        value = stream.read_bits(self.bits, self.little)
        return ByteNode(None, path, start, stream.upto, bool(value) if self.boolean else value, None, self.little)

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        stored = obj.raw if isinstance(obj, KeptInt) else obj
        if not isinstance(stored, int) or not 0 <= stored < 1 << self.bits:
            raise Unwritable(f"{stored!r} does not fit into {self.bits} bits", context.path_of(path))
        stream.write_bits(int(stored), self.bits, self.little)
        return obj


class BytesElement(Element):
    """A byte array: of a size, to a terminator, to the end; constant, or stored under a process."""

    def __init__(self, type_: BytesType, process: Process | None, binding: Binding) -> None:
        super().__init__()
        self.range = Range(type_.extent)
        self.contents = type_.contents
        self.process = process
        self.binding = binding
        self.lenient = _table(binding)

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        stream.bits_left = 0
        start, at = stream.pos, stream.at
        if self.contents is not None:
            return self._constant(stream, context, path)
        found = self.range.locate(stream, context)
        raw = stream.data[found.start : found.stop]
        whole = stream.data[start : found.whole]
        value = raw.translate(self.lenient) if self.lenient else raw
        if self.process is not None:
            value = self.process.decode(value, context)
        node = ByteNode(None, path, at, stream.upto, value)
        if self.process is not None or self.lenient or self.range.strips:
            self._keep(node, whole, context)
        return node

    def _keep(self, node: ByteNode, whole: bytes, context: Frame) -> None:
        assert isinstance(node.value, bytes)
        try:
            stored = self.process.encode(node.value, context) if self.process is not None else node.value
            same = self.range.wrap(stored, self.range.size_of(whole)) == whole
        except Unwritable:
            same = False
        if not same:
            node.kept = whole

    def _constant(self, stream: Source, context: Frame, path: str) -> ByteNode:
        wanted = self.contents or b""
        at = stream.at
        value = stream.read(len(wanted))
        node = ByteNode(None, path, at, stream.upto, value)
        if value != wanted:
            if self.lenient and value.translate(self.lenient) == wanted:
                node.value, node.kept = wanted, value
            else:
                named, severity = self.binding.code, self.binding.severity
                shown = f"these bytes should be {_show(wanted)}, they are {_show(value)}"
                context.report(CONTENTS, shown, node.start, node.stop, path, named=named, severity=severity)
        return node

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        if isinstance(obj, KeptBytes):
            stream.write(obj.raw)
            return bytes(obj)
        if not isinstance(obj, bytes | bytearray | memoryview):
            raise Unwritable(f"{obj!r} is no byte array", context.path_of(path))
        value = bytes(obj)
        if self.contents is not None:
            stream.write(value)
            return value
        size, room = self.range.space(context, stream)
        stored = value
        if self.process is not None:
            with stream.ahead(len(value) if size is None else size):
                stored = self.process.encode(value, context)
        stream.write(self.range.wrap(stored, size, context.path_of(path), room))
        return value


class StringElement(Element):
    """Text of an encoding."""

    def __init__(self, type_: StringType, binding: Binding) -> None:
        super().__init__()
        self.range = Range(type_.extent)
        self.encoding = type_.encoding
        self.codec = python_encoding(type_.encoding)
        self.binding = binding
        self.lenient = _table(binding)
        plain = self.codec in ("ascii", "utf-8") or (self.codec or "").startswith(("iso8859", "cp"))
        self.checked = self.range.strips or bool(self.lenient) or not plain

    def _parse(self, stream: Source, context: Frame, path: str) -> ByteNode:
        stream.bits_left = 0
        at = stream.at
        data = stream.data
        if self.lenient:
            window = stream.window(stream.pos, stream.end)
            window.data = data.translate(self.lenient)
            found = self.range.locate(window, context)
            stream.pos = window.pos
            raw = window.data[found.start : found.stop]
        else:
            found = self.range.locate(stream, context)
            raw = data[found.start : found.stop]
        whole = data[found.start : found.whole]
        node = ByteNode(None, path, at, stream.upto)
        try:
            if self.codec is None:
                raise ValueError(f"encoding {self.encoding} is unknown")
            node.value = raw.decode(self.codec)
        except ValueError as error:
            reason = getattr(error, "reason", None) or str(error)
            named, severity = self.binding.code, self.binding.severity
            message = f"this is not {self.encoding} text: {reason}"
            context.report(BAD_ENCODING, message, node.start, node.stop, path, named=named, severity=severity)
            node.broken = True
            node.value = whole
            return node
        if self.checked and not self._same(node.value, whole):
            node.kept = whole
        return node

    def _same(self, text: str, whole: bytes) -> bool:
        try:
            data = text.encode(self.codec or "ascii")
            return self.range.wrap(data, self.range.size_of(whole)) == whole
        except (Unwritable, UnicodeEncodeError):
            return False

    def _build(self, obj: Any, stream: Sink, context: Frame, path: str) -> Any:
        if isinstance(obj, KeptText):
            stream.write(obj.raw)
            return str(obj)
        if not isinstance(obj, str):
            raise Unwritable(f"{obj!r} is no text", context.path_of(path))
        try:
            if self.codec is None:
                raise Unwritable(f"encoding {self.encoding} is unknown", context.path_of(path))
            data = obj.encode(self.codec)
        except UnicodeEncodeError:
            raise Unwritable(f"{obj!r} cannot be spelled in {self.encoding}", context.path_of(path)) from None
        number = self.binding.number
        size, room = self.range.space(context, stream)
        if number is not None and number.pad_left and size is not None and len(data) < size:
            data = data.rjust(size, number.pad_left.encode(self.codec))
        stream.write(self.range.wrap(data, size, context.path_of(path), room))
        return obj


def broken_node(stream: Source, path: str) -> ByteNode:
    """A node that keeps all bytes that are left."""
    start = stream.at if not stream.bits_left else stream.at - (8 - stream.bits_left)
    return _broken(ByteNode(None, path, start, 0, Raw(stream.rest())), stream)


def _broken(node: ByteNode, stream: Source) -> ByteNode:
    node.stop = stream.upto
    node.broken = True
    return node


def _table(binding: Binding) -> bytes | None:
    if not binding.lenient:
        return None
    return bytes(binding.lenient.get(code, code) & 0xFF for code in range(256))


def _show(data: bytes) -> str:
    shown = data[:16].hex(" ") + (" ..." if len(data) > 16 else "")
    return f"{shown} ({data[:16].decode('ascii')!r})" if data and all(32 <= b < 127 for b in data[:16]) else shown
