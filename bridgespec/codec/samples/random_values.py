"""Random plain values that a binary schema allows, with or without bridge meaning. `Drawing.file` returns those of a whole file.

Enums, ``valid``, ``contents``, sizes, repeats, conditions and switches are respected; constants, derived fields, lengths, counts
and offsets are left to the writer. Integers that other fields depend on are small.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bridgespec.codec.node import ZeroFill
from bridgespec.codec.samples.uses import Uses, is_from_end, name_of, why_not
from bridgespec.errors import BridgespecError
from bridgespec.spec import ir
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, NamedScope, compile_expression, decode
from bridgespec.spec.kaitai.expr.tree import Expression, LiteralExpression, Name, walk

MOST = 3
"""The maximum number of elements of a list whose schema does not give their number."""
DEEP = 3
"""The nesting depth of records beyond which lists to the end of the data are empty."""
SMALL = (6, 6, 40)
"""The greatest integers of sizes and counts; one of them is chosen for each file."""
LONGEST = 4096
"""The greatest size, and number of elements, of any field."""
DEEPEST = 30
"""The nesting depth of records at which drawing is given up."""
OFTEN = 0.9
"""The probability that a field which selects a case of a switch gets the value of a case."""
AT_END = 300
"""The maximum number of bytes added for parts that are located from the end of a file."""
ATTEMPTS = 40
"""The number of values that are drawn for a field, or elements for a list, until drawing is given up."""
_LONG = 12
"""The maximum size of a text or byte array whose schema gives no size."""


class Undrawn(BridgespecError):
    """Raised where the random values so far lead to no valid file; another attempt may succeed."""


@dataclass(frozen=True)
class SampleStream:
    """The value of ``_io`` in expressions while values are drawn: only ``eof`` is known."""

    eof: bool

    def scope_attribute(self, name: str) -> Any:
        """Return ``eof``. Raises EvaluationError for any other name."""
        if name == "eof":
            return self.eof
        raise EvaluationError(f"_io.{name} is not known before the file is written")


@dataclass
class RecordDraft(NamedScope):
    """The values drawn so far for one record, as the scope of expressions."""

    record: ir.Record
    parent: RecordDraft | None
    values: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    it: Any = None
    index: Any = None
    ends: bool = False
    """Whether the last element of a list is being drawn: the value of ``_io.eof``."""

    @property
    def depth(self) -> int:
        """The number of enclosing records."""
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def root(self) -> RecordDraft:
        """The record of the whole file."""
        return self if self.parent is None else self.parent.root

    @property
    def io(self) -> SampleStream:
        """The stream (``_io``)."""
        return SampleStream(self.ends)

    def get(self, name: str) -> Any:
        """Return the value of a field that was drawn before, of a parameter or of an instance. Raises EvaluationError for a value
        that only the writer knows.
        """
        if name in self.seen:
            return self.seen[name]
        instance = self.record.instances.get(name)
        if isinstance(instance, ir.ValueInstance):
            return compile_expression(instance.value)(self)
        raise EvaluationError(f"{name} is not drawn yet")


class Drawing:
    """Draws the values of files of one schema from one random generator."""

    def __init__(self, spec: ir.Spec, random: Random) -> None:
        self.spec = spec
        self.random = random
        self.uses = Uses(spec)
        self.left: set[tuple[str, str]] = set()
        """The lengths, counts and offsets (record, field) that are left to the writer in this file."""
        self.led_to: set[str] = set()
        """The parts whose sizes, numbers or offsets these are."""
        self.fixed_places = False
        """Whether parts at constant offsets have bytes of their own in this file."""
        self.small = SMALL[0]
        """The greatest integer that other fields may depend on in this file."""

    @property
    def why_not(self) -> str | None:
        """The reason why no file can be drawn; None where files can be."""
        return why_not(self.spec)

    def file(self) -> dict[str, Any]:
        """Return the plain values of a whole file. Raises `Undrawn` where the values drawn lead to no valid file.

        Three properties cannot be determined from the schema and are chosen anew for each file: whether the writer computes
        lengths that other fields depend on, whether a part at a fixed position has bytes of its own or shows those of other
        fields, and the greatest length.
        """
        left = self.uses.implied if self.random.random() < 0.5 else self.uses.sole
        self.left = set(left)
        self.led_to = {self.uses.implied[key][0] for key in left}
        self.fixed_places = self.random.random() < 0.5
        self.small = self.random.choice(SMALL)
        values = self._record(self.spec.top, None, (), None).values
        if self.uses.from_end and self.random.random() < 0.5:
            values["trailing"] = bytes(self.random.randint(0, AT_END))
        return values

    def _record(self, record: ir.Record, parent: RecordDraft | None, args: tuple[Any, ...], index: int | None) -> RecordDraft:
        """Return a record with values drawn for its fields, and for its parts at offsets; ``index`` is that in a list."""
        draft = RecordDraft(record, parent, index=index)
        # A record that contains itself may not end: each draw decides anew whether it goes deeper.
        _require(draft.depth < DEEPEST, f"{record.name} stands in itself without end")
        draft.seen.update({parameter.name: arg for parameter, arg in zip(record.params, args, strict=True)})
        for each in record.fields:
            left_to_writer = is_constant(each) or each.binding.value is not None or (record.name, each.name) in self.left
            if not left_to_writer and self._is_there(each, draft):
                self._field(each, draft)
        for instance in record.instances.values():
            if isinstance(instance, ir.PosInstance) and self._is_placed(instance, record) and self._is_there(instance.field, draft):
                self._field(instance.field, draft)
        return draft

    def _field(self, each: ir.Field, draft: RecordDraft) -> None:
        draw = self._value if each.repeat is None else self._list
        draft.values[each.name], draft.seen[each.name] = draw(each, draft)

    def _is_there(self, each: ir.Field, draft: RecordDraft) -> bool:
        """Whether a record has a field, by the field's condition; by chance where the condition cannot be evaluated."""
        try:
            return each.condition is None or bool(compile_expression(each.condition)(draft))
        except EvaluationError:
            # The condition depends on a value that only the writer knows.
            return self.random.random() < 0.5

    def _is_placed(self, instance: ir.PosInstance, record: ir.Record) -> bool:
        """Whether an instance is written at its offset: where the writer computes the offset, or where it is constant in files
        with `fixed_places`. Never for an offset that is a drawn value.
        """
        if instance.pos is None:
            return False
        if instance.name in self.led_to or is_from_end(instance.pos):
            return True
        try:
            compile_expression(instance.pos)(RecordDraft(record, RecordDraft(self.spec.top, None)))
        except EvaluationError:
            return False
        return self.fixed_places

    def _list(self, each: ir.Field, draft: RecordDraft) -> tuple[list[Any], list[Any]]:
        """Return random values of the elements of a list, in the form for the writer and in the form for expressions."""
        values: list[Any] = []
        seen: list[Any] = []
        draft.seen[each.name] = seen
        wanted = self._number(each.repeat_expr, draft) if each.repeat is ir.Repeat.EXPR and each.repeat_expr is not None else None
        # Deep inside, lists are empty: their sizes multiply.
        count = wanted if wanted is not None else self.random.randint(1, MOST) if draft.depth <= DEEP else 0
        for index in range(ATTEMPTS if each.repeat is ir.Repeat.UNTIL else count):
            draft.index, draft.ends = index, index + 1 >= count
            value, shown = self._value(each, draft)
            values.append(value)
            seen.append(shown)
            if each.repeat is ir.Repeat.UNTIL and each.repeat_expr is not None:
                draft.it = shown
                try:
                    done = bool(compile_expression(each.repeat_expr)(draft))
                except EvaluationError:
                    done = index + 1 == count
                if done:
                    break
        else:
            # The `else` of the loop: no element of a list with a condition has ended it.
            _require(each.repeat is not ir.Repeat.UNTIL, f"{each.name} repeats without end")
        draft.ends = False
        return values, seen

    def _number(self, size: Expression, draft: RecordDraft) -> int | None:
        """Return the value of an expression for a size or a count; None where only the writer knows it. Raises `Undrawn` where it
        is out of range.
        """
        if _is_derived_size(size, draft):
            return None
        try:
            found = compile_expression(size)(draft)
        except EvaluationError:
            return None
        _require(isinstance(found, int) and 0 <= found <= LONGEST, f"a size or count ({size.shown}) is out of range")
        return int(found)

    def _value(self, each: ir.Field, draft: RecordDraft) -> tuple[Any, Any]:
        """Return a random value of a field, in the form for the writer and in the form for expressions."""
        kind = each.type
        while isinstance(kind, ir.SwitchType):
            on = _evaluate(kind.on, draft)
            cases = [case for test, case in kind.cases if test is None or _evaluate(test, draft) == on]
            if not cases:
                return None, None
            kind = cases[0]
        if isinstance(kind, ir.RecordType):
            args = tuple(_evaluate(arg, draft) for arg in kind.args)
            inner = self._record(self.spec.records[kind.target], draft, args, draft.index)
            return inner.values, inner
        # Values are drawn until one passes: a constraint may be any expression.
        for _ in range(ATTEMPTS):
            value = self.leaf(each, kind, draft)
            if each.valid is None or _passes(each, each.valid, draft, value):
                return value, value
        raise Undrawn(f"{each.name}: no value passes")

    def leaf(self, each: ir.Field, kind: ir.FieldType, draft: RecordDraft) -> Any:
        """Return a random value of a field of type ``kind`` that is no record. Expressions in ``valid`` may still refuse it."""
        valid = each.valid
        if valid is not None and valid.eq is not None:
            with suppress(EvaluationError):
                return compile_expression(valid.eq)(draft)
        if valid is not None and valid.any_of:
            return _evaluate(self.random.choice(valid.any_of), draft)
        if self.random.random() < OFTEN and (known := self._selecting(each, kind, draft)):
            return self.random.choice(known)
        match kind:
            case ir.BitsType(boolean=True):
                return self.random.random() < 0.5
            case ir.Primitive(range=(int() as low, int() as high)):
                return self._integer(each, draft, low, high)
            case ir.FloatType():
                # 21 bits at most, so that the number is exact in a float of four bytes too.
                return self.random.randint(-(1 << 20), 1 << 20) / 16
            case ir.StringType():
                return self._text(each, kind, draft)
            case ir.BytesType():
                return self._bytes(kind.extent, draft, range(256))
        raise Undrawn(f"{each.name}: a value of type {type(kind).__name__}")

    def known(self, each: ir.Field, kind: ir.FieldType, draft: Any) -> list[Any]:
        """Return the values that a field's constraint lists; without such a list those with which a switch or a condition compares
        the field, since other random values would rarely equal them.
        """
        valid = each.valid
        if valid is not None and valid.eq is not None:
            return [_evaluate(valid.eq, draft)]
        if valid is not None and valid.any_of:
            return [_evaluate(one, draft) for one in valid.any_of]
        return self._selecting(each, kind, draft)

    def _selecting(self, each: ir.Field, kind: ir.FieldType, draft: RecordDraft) -> list[Any]:
        """Return values of a field that select a case of a switch, or that a condition compares it with."""
        found: list[Any] = []
        for case in self.uses.cases.get(each.name, ()):
            with suppress(EvaluationError):
                found.append(compile_expression(case)(draft))
        if each.valid is not None and each.valid.expr is not None:
            found += [node.value for node in walk(each.valid.expr.tree) if isinstance(node, LiteralExpression)]
        if isinstance(kind, ir.BytesType):
            return [one for one in found if isinstance(one, bytes)]
        if isinstance(kind, ir.StringType):
            return [one for one in found if isinstance(one, str)]
        if isinstance(kind, ir.FloatType) or getattr(kind, "boolean", False):
            return []
        low, high = kind.range if isinstance(kind, ir.Primitive) and kind.range is not None else (0, -1)
        # True would be taken for 1: a Boolean literal in an expression is no value of an integer.
        return [one for one in found if isinstance(one, int) and not isinstance(one, bool) and low <= one <= high]

    def _integer(self, each: ir.Field, draft: RecordDraft, low: int, high: int) -> int:
        """Return a random integer from ``low`` to ``high`` that is a code of the field's enum and within its constraint."""
        if each.enum is not None:
            codes = sorted(code for code in self.spec.enums[each.enum].members if low <= code <= high)
            _require(bool(codes), f"{each.name} has no code that fits")
            return self.random.choice(codes)
        valid = each.valid
        if valid is not None:
            low = low if valid.min is None else max(low, int(_evaluate(valid.min, draft)))
            high = high if valid.max is None else min(high, int(_evaluate(valid.max, draft)))
        _require(low <= high, f"{each.name} has no value that is allowed")
        small = each.name in self.uses.shaping
        return self.random.randint(max(low, 0), max(low, min(high, self.small))) if small else self.random.randint(low, high)

    def _bytes(self, extent: ir.Extent, draft: RecordDraft, alphabet: Iterable[int]) -> bytes:
        """Return random bytes of an alphabet for an extent, without padding; `ZeroFill` where only the writer knows the size."""
        stop = extent.terminator
        size = None if extent.size is None else self._number(extent.size, draft)
        if size is None and extent.size is not None and not self._is_free(extent.size, draft):
            return ZeroFill()
        known = list(alphabet)
        if size is not None and stop is None and extent.pad_right is None:
            return bytes(self.random.choices(known, k=size))
        room = _LONG if size is None else size - (len(stop) if extent.include and stop is not None else 0)
        content = bytes(self.random.choices(known, k=self.random.randint(0, max(0, room))))
        if stop is not None:
            content = content.partition(stop)[0]
        if extent.pad_right is not None:
            content = content.rstrip(bytes([extent.pad_right]))
        return content + stop if extent.include and stop is not None else content

    def _is_free(self, size: Expression, draft: RecordDraft) -> bool:
        """Whether any size is allowed, since the writer computes the field with the size from the content."""
        names = {name_of(node) for node in walk(size.tree)}
        return _is_derived_size(size, draft) or any(name in names for _, name in self.left)

    def _text(self, each: ir.Field, kind: ir.StringType, draft: RecordDraft) -> str:
        """Return a random text; digits for a field that is a number or is read as one. Raises `Undrawn` where none is found."""
        if each.binding.number is not None:
            size = 3 if kind.extent.size is None else int(_evaluate(kind.extent.size, draft))
            pad = each.binding.number.pad_left
            number = str(self.random.randint(0, 10**size - 1))
            return number if pad is None else number.rjust(size, pad)
        if each.name in self.uses.numerals:
            room = None if kind.extent.size is None else self._number(kind.extent.size, draft)
            return str(self.random.randint(0, min(self.small, 9))).rjust(room or 1, "0")  # one figure fits everywhere
        codec = python_encoding(kind.encoding) or "ascii"
        plain = range(0x20, 0x7F)
        for _ in range(ATTEMPTS):
            raw = self._bytes(kind.extent, draft, range(256) if self.random.random() < 0.25 else plain)
            try:
                value = decode(raw, kind.encoding)
                # Bytes that are read as a text of another spelling, or leniently, would not be written as they were drawn.
                if value.encode(codec) == raw and not set(each.binding.lenient) & set(raw):
                    return value
            except (ValueError, LookupError):
                continue
        raise Undrawn(f"{each.name}: no text of {kind.encoding}")


def is_constant(each: ir.Field) -> bool:
    """Whether a field has the same bytes in every file."""
    return isinstance(each.type, ir.BytesType) and each.type.contents is not None


def _require(possible: bool, reason: str) -> None:
    """Raise `Undrawn` with a reason if drawing cannot go on."""
    if not possible:
        raise Undrawn(reason)


def _is_derived_size(size: Expression, draft: RecordDraft) -> bool:
    """Whether a size is the name of a derived field, so that any size is allowed."""
    derived = {each.name for each in draft.record.fields if each.binding.value is not None}
    return isinstance(size.tree, Name) and size.tree.id in derived


def _passes(each: ir.Field, valid: ir.Valid, draft: RecordDraft, value: Any) -> bool:
    """Whether the expressions of a constraint allow a value; they may refer to the field by its name."""
    before = dict(draft.seen)
    draft.it = draft.seen[each.name] = value
    try:
        if valid.eq is not None and _evaluate(valid.eq, draft) != value:
            return False
        return valid.expr is None or bool(_evaluate(valid.expr, draft))
    finally:
        draft.seen = before


def _evaluate(expression: Expression, draft: RecordDraft) -> Any:
    """Return the value of an expression. Raises `Undrawn` where it needs values that are not drawn yet."""
    try:
        return compile_expression(expression)(draft)
    except EvaluationError as error:
        raise Undrawn(str(error)) from None
