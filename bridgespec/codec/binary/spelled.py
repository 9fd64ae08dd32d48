"""Convert the fields of a binary file to JSON values, and such JSON to plain values.

`JsonForm` converts the tree of a `Reading` to JSON, and `Speller.record` JSON to the values that `BinaryCodec.write` takes.
Integers with an enum are the names of their members, bytes are pairs of hexadecimal digits. Constants and values that can be
computed from other fields are left out. Keys that begin with ``$`` are no fields: ``$raw`` are bytes that could not be decoded;
``$stored`` are the bytes (or the code) of the file for ``$value``, or for the record that has the key, and are written as long as
they mean the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Set
from enum import IntEnum
from functools import partial
from typing import Any

from bridgespec.codec.binary.element import Element, LeafElement
from bridgespec.codec.binary.field import FieldElement
from bridgespec.codec.binary.record import PlaceElement, RecordElement, SwitchElement, UseElement
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.node import (
    ByteNode,
    Cells,
    FieldNode,
    KeptBytes,
    KeptFloat,
    KeptInt,
    KeptRecord,
    KeptText,
    Raw,
    Undecided,
    is_array,
)
from bridgespec.diagnostic import closest, hint
from bridgespec.spec import ir

RAW, STORED, VALUE = "$raw", "$stored", "$value"
PADDING = "padding_before_"
REST = ("trailing", "end", "after_end")
"""The names of nodes for bytes of a record that belong to no field."""
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
ReportJsonError = Callable[[str, str], None]
"""A callback that takes the path of a JSON value, and its error."""


# --- from a tree


class JsonOmission(IntEnum):
    """The fields that the JSON of a file omits since they can be computed from others, so that a value needs to be changed in one
    place only. Each member includes the members before it.
    """

    NOTHING = 0
    DERIVED = 1
    """Constants, and fields that the schema derives."""
    SHOWN = 2
    """Parts at an offset whose bytes are those of other fields."""
    IMPLIED = 3
    """Lengths, counts and offsets that are computed from the parts that they describe (`FieldElement.implied`)."""


class JsonForm:
    """Converts the tree of one file of ``size`` bytes to JSON; ``value`` is the result. One is made for each file."""

    def __init__(self, root: FieldNode, spec: ir.Spec, size: int, left_out: JsonOmission) -> None:
        self.spec = spec
        self.left_out = left_out
        self.shown_bytes = bytearray(size) if left_out >= JsonOmission.SHOWN else None
        self._mark(root)
        self.value = self._of(root)

    def _mark(self, node: FieldNode) -> None:
        """Mark the bytes of the leaves below a node as part of the JSON, if parts at offsets are to be omitted."""
        if self.shown_bytes is None or node.absent or _is_rest(node):
            return
        if node.children is not None and not isinstance(node.children, Cells):
            for child in node.children:
                self._mark(child)
        else:
            start, stop = node.start // 8, -(-node.stop // 8)
            self.shown_bytes[start:stop] = bytes([1]) * (stop - start)

    def _of(self, node: FieldNode) -> Any:
        """Return the JSON value of a node."""
        if node.broken and isinstance(node.value, bytes):
            # An object of its own: hexadecimal text alone would be read as a value of the field.
            return {RAW: node.value.hex(" ")}
        if node.absent:
            return None
        children = node.children
        if children is None:
            return self._leaf(node)
        if isinstance(children, Cells):
            return [self._scalar(value, node.decl) for value in children.values]
        return [self._of(child) for child in children] if is_array(node) else self._record(node, children)

    def _record(self, node: FieldNode, children: Iterable[FieldNode]) -> dict[str, Any]:
        frame = node.scope if isinstance(node, ByteNode) else None
        if not isinstance(node, ByteNode) or frame is None:
            return {one.name: self._of(one) for one in children if not one.absent}
        placed = [one for one in node.instances if self._is_included(one, frame)]
        included = {one.name for one in placed} | frame.element.by_name.keys()
        omitted = {one.label for one in frame.element.fields if self._is_omitted(one, frame, included)}
        found: dict[str, Any] = {}
        for one in (*children, *placed):
            # Trailing bytes may belong to parts at offsets, which are in the JSON already.
            if not one.absent and one.name not in omitted and not (_is_rest(one) and self._is_shown(one, frame)):
                found[one.name] = self._of(one)
        if isinstance(node.kept, bytes):
            found[STORED] = node.kept.hex(" ")
        return found

    def _is_omitted(self, field: FieldElement, frame: RecordFrame, included: Set[str]) -> bool:
        """Whether a field is omitted because it can be computed; ``included`` are the names of the record's parts in the JSON."""
        if self.left_out is JsonOmission.NOTHING or not field.follows(frame):
            return False
        if field.implied_by is None:
            return True
        # An offset is computed from the part to which it leads: the part must be in the JSON.
        return self.left_out is JsonOmission.IMPLIED and (
            field.implied_by in included or field.implied_by not in frame.element.instances
        )

    def _is_included(self, node: FieldNode, frame: RecordFrame) -> bool:
        """Whether an instance is in the JSON: it is read at an offset, and other fields do not show all of its bytes. If so, mark
        its bytes.
        """
        element = frame.element.instances.get(node.name)
        if node.absent or node.stop == node.start or not isinstance(element, PlaceElement) or element.pos is None:
            return False
        if self._is_shown(node, frame):
            return False
        self._mark(node)
        return True

    def _is_shown(self, node: FieldNode, frame: RecordFrame) -> bool:
        """Whether all bytes of a node are in the JSON already. Never for a decoded stream, whose bytes have no offset in the file,
        nor if ``left_out`` is below `JsonOmission.SHOWN`.
        """
        # Rounded to bytes, since a field that begins within a byte marks all of it.
        start, stop = node.start // 8, -(-node.stop // 8)
        return self.shown_bytes is not None and frame.io.fixed is None and self.shown_bytes.find(0, start, stop) < 0

    def _leaf(self, node: FieldNode) -> Any:
        value = self._scalar(node.value, node.decl)
        kept = node.kept if isinstance(node, ByteNode) else None
        if kept is None:
            return value
        return {VALUE: value, STORED: kept.hex(" ") if isinstance(kept, bytes) else kept}

    def _scalar(self, value: Any, decl: ir.Field | None) -> Any:
        if isinstance(value, bytes):
            return value.hex(" ")
        if isinstance(value, float) and not math.isfinite(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        if decl is not None and decl.enum is not None and isinstance(value, int) and not isinstance(value, bool):
            member = self.spec.enums[decl.enum].members.get(value)
            return value if member is None else member.name
        return value


def _is_rest(node: FieldNode) -> bool:
    return node.decl is None and node.name in REST


# --- to plain values


class Misspelt(Exception):
    """Raised for a JSON value that cannot be converted to its field's type."""


class Speller:
    """Converts the JSON of one file to plain values for a writer of ``spec``; ``report`` receives each error with its JSON pointer.
    An error does not end the conversion, so that all of them are reported.
    """

    def __init__(self, spec: ir.Spec, report: ReportJsonError) -> None:
        self.spec = spec
        self.report = report
        self.codes = {name: {member.name: code for code, member in enum.members.items()} for name, enum in spec.enums.items()}

    def record(self, element: RecordElement, value: Any, at: str) -> dict[str, Any]:
        """Return the plain values for the JSON value of a record, which has the JSON pointer ``at``."""
        if not isinstance(value, dict):
            self.report(at, f"an object with the fields of {element.title} is wanted, not {shown(value)}")
            return {}
        found: dict[str, Any] = {}
        for name, inner in value.items():
            where = f"{at}/{name}"
            field = self._field_of(element, name)
            if field is not None:
                found[name] = self.field(field, inner, where)
            elif name in element.instances:
                self.report(where, f"{name} follows from other fields: leave it out")
            elif name in REST:
                found[name] = self._report_misspelt(where, partial(_bytes, inner))
            elif name.startswith(PADDING) and name.removeprefix(PADDING) in element.by_name:
                found[name] = self._report_misspelt(where, partial(_integer, inner, 0, 255))
            elif name != STORED:
                self.report(where, f"{element.title} has no field {name}{hint(name, element.by_name)}")
        if STORED not in value:
            return found
        kept = KeptRecord(found)
        kept.raw = self._report_misspelt(f"{at}/{STORED}", lambda: _bytes(value[STORED])) or b""
        return kept

    @staticmethod
    def _field_of(element: RecordElement, name: str) -> FieldElement | None:
        instance = element.instances.get(name)
        if isinstance(instance, PlaceElement) and instance.pos is not None:
            return instance.field
        return element.by_name.get(name)

    def field(self, field: FieldElement, value: Any, at: str) -> Any:
        """Return the plain value for the JSON value of a field, which has the JSON pointer ``at``; None for null."""
        if value is None:
            return None
        if field.repeat is None or _is_raw(value):
            return self._value(field, field.type, value, at)
        if not isinstance(value, list):
            self.report(at, f"a list is wanted, not {shown(value)}")
            return None
        return [None if one is None else self._value(field, field.type, one, f"{at}/{index}") for index, one in enumerate(value)]

    def _value(self, field: FieldElement, element: Element, value: Any, at: str) -> Any:
        if _is_raw(value):
            return self._report_misspelt(f"{at}/{RAW}", lambda: Raw(_bytes(value[RAW])))
        if isinstance(element, SwitchElement):
            # The type is selected by another value, which the writer knows only when it reaches this field.
            return Undecided(value, lambda chosen: self._value(field, chosen, value, at))
        if isinstance(element, UseElement):
            return self.record(element.target, value, at)
        assert isinstance(element, LeafElement)
        # A misspelt code may select a layout: the most similar code probably selects the intended one.
        codes = self.codes.get(field.decl.enum or "", {})
        near = closest(value, codes) if isinstance(value, str) and value not in codes else None
        instead = _neutral(element.type) if near is None else codes[near]
        return self._report_misspelt(at, lambda: self._leaf(field, element.type, value), instead)

    def _report_misspelt(self, at: str, make: Callable[[], Any], instead: Any = None) -> Any:
        """Return the result of ``make``; report a Misspelt error and return ``instead``, so that later values are checked too."""
        try:
            return make()
        except Misspelt as error:
            self.report(at, str(error))
            return instead

    def _leaf(self, field: FieldElement, kind: Any, value: Any) -> Any:
        if isinstance(value, dict) and value.keys() == {VALUE, STORED}:
            return _kept(field, kind, self._plain(field, kind, value[VALUE]), value[STORED])
        return self._plain(field, kind, value)

    def _plain(self, field: FieldElement, kind: Any, value: Any) -> Any:
        match kind:
            case ir.BytesType():
                return _bytes(value)
            case ir.StringType():
                if not isinstance(value, str):
                    raise Misspelt(f"text in quotation marks is wanted, not {shown(value)}")
                return value
            case ir.FloatType():
                return _float(value)
            case ir.BitsType(boolean=True):
                if not isinstance(value, bool):
                    raise Misspelt(f"true or false is wanted, not {shown(value)}")
                return value
        low, high = kind.range
        codes = self.codes.get(field.decl.enum or "", {})
        if isinstance(value, str) and codes:
            if value not in codes:
                raise Misspelt(f"{shown(value)} is not a name of {field.decl.enum}{hint(value, codes)}")
            return codes[value]
        return _integer(value, low, high)


def _neutral(kind: Any) -> Any:
    """Return any valid value of a type, in place of one that could not be converted."""
    if isinstance(kind, ir.BytesType | ir.StringType):
        size = kind.extent.size.constant if kind.extent.size is not None else None
        filler = bytes(size if isinstance(size, int) and size > 0 else 0)
        return filler if isinstance(kind, ir.BytesType) else filler.decode()
    return 0.0 if isinstance(kind, ir.FloatType) else False if getattr(kind, "boolean", False) else max(kind.range[0], 0)


def _is_raw(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {RAW}


def _kept(field: FieldElement, kind: Any, value: Any, stored: Any) -> Any:
    """Return a value with its bytes or code in the file (``stored``), which a writer then writes; without these if they certainly
    have another value. A writer verifies the bytes of texts and byte arrays itself.
    """
    made: Any
    if isinstance(value, float):
        raw = _bytes(stored)
        # Only NaN has several bit patterns, and differs from itself.
        if value == value or len(raw) != kind.size:
            return value
        made = KeptFloat(value)
    elif isinstance(value, str | bytes):
        raw = _bytes(stored)
        made = KeptText(value) if isinstance(value, str) else KeptBytes(value)
        made.claimed = True
    elif field.lenient.get(stored) == value:
        raw, made = stored, KeptInt(value)
    else:
        return value
    made.raw = raw
    return made


def _bytes(value: Any) -> bytes:
    try:
        if isinstance(value, str):
            return bytes.fromhex(value)
    except ValueError:
        pass
    raise Misspelt(f'bytes are wanted as pairs of hexadecimal digits, as "0a ff", not {shown(value)}')


def _integer(value: Any, low: int, high: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    raise Misspelt(f"a whole number from {low} to {high} is wanted, not {shown(value)}")


def _float(value: Any) -> float:
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise Misspelt(f"a number is wanted, not {shown(value)}")


def shown(value: Any) -> str:
    """Return a short description of a JSON value for messages.

    >>> shown("abc"), shown([1, 2]), shown({}), shown(None), shown(True)
    ('"abc"', 'a list', 'an object', 'null', 'true')
    """
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
