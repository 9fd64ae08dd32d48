"""Plain values that a binary schema allows, drawn by chance from what the schema says, bridge or no bridge.

Enums, ``valid``, ``contents``, sizes, repeats and conditions are respected; constants and derived fields are left to the
writer. An integer that a size, a count or a condition depends on is drawn small.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bridgespec.errors import BridgespecError
from bridgespec.spec import ir
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.kaitai.expr.evaluate import EvaluationError, compile_expression, decode
from bridgespec.spec.kaitai.expr.tree import Expression, Name, walk

MOST = 3
"""Elements of a list whose schema does not say how many."""
DEEP = 3
"""Records in one another from which on lists to the end of the data are empty."""
SMALL = 6
"""The greatest integer that a size or a count may depend on."""
ATTEMPTS = 40
_LONG = 12


class Undrawn(BridgespecError):
    """What has been drawn so far leads to no file; another try may."""


class Stream:
    """What ``_io`` is while a file is drawn: nothing is known of it but that more may follow."""

    def scope_attribute(self, name: str) -> Any:
        """``eof`` is false; EvaluationError for the rest."""
        if name == "eof":
            return False
        raise EvaluationError(f"_io.{name} is not known before the file is written")


@dataclass
class Draft:
    """A record that is being drawn, as expressions see it."""

    record: ir.Record
    parent: Draft | None
    values: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    it: Any = None
    index: Any = None

    @property
    def depth(self) -> int:
        """In how many records it stands."""
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def root(self) -> Draft:
        """The record that the file is."""
        return self if self.parent is None else self.parent.root

    @property
    def io(self) -> Stream:
        """The stream."""
        return Stream()

    def get(self, name: str) -> Any:
        """A field drawn before, a parameter or an instance; EvaluationError for what only the writer knows."""
        if name in self.seen:
            return self.seen[name]
        instance = self.record.instances.get(name)
        if isinstance(instance, ir.ValueInstance):
            return compile_expression(instance.value)(self)
        raise EvaluationError(f"{name} is not drawn yet")

    scope_attribute = get


def why_not(spec: ir.Spec) -> str | None:
    """Why no values can be drawn for a schema; None where they can."""
    if spec.language != "ksy":
        return "its values are drawn from its grammar"
    for record in spec.records.values():
        if any(isinstance(instance, ir.PosInstance) for instance in record.instances.values()):
            return f"{record.name} has fields at positions"
        for each in record.fields:
            if getattr(each.type, "process", None) is not None:
                return f"{record.name}.{each.name} is stored transformed"
    return None


def counted(record: ir.Record) -> frozenset[str]:
    """The fields that sizes, counts, conditions, switches and arguments of the same record depend on."""
    return frozenset(tree.id for one in shapes(record) for tree in walk(one.tree) if isinstance(tree, Name))


def shapes(record: ir.Record) -> list[Expression]:
    """What tells which fields of a record stand, where, and how long they are."""
    used: list[Expression | None] = []
    for each in record.fields:
        used += [each.repeat_expr, each.condition, getattr(each.type, "on", None)]
        for kind in (each.type, *(case for _, case in getattr(each.type, "cases", ()))):
            used += [getattr(getattr(kind, "extent", None), "size", None), *getattr(kind, "args", ())]
    used += [one.pos for one in record.instances.values() if isinstance(one, ir.PosInstance)]
    return [one for one in used if one is not None]


class Drawing:
    """Files of one schema, drawn by one source of chance."""

    def __init__(self, spec: ir.Spec, random: Random) -> None:
        self.spec = spec
        self.random = random

    def file(self) -> dict[str, Any]:
        """The plain values of a whole file; `Undrawn` where they lead nowhere."""
        return self._record(self.spec.top, None, (), None).values

    def _record(self, record: ir.Record, parent: Draft | None, args: tuple[Any, ...], index: int | None) -> Draft:
        draft = Draft(record, parent, index=index)
        draft.seen.update({parameter.name: arg for parameter, arg in zip(record.params, args, strict=True)})
        small = counted(record)
        for each in record.fields:
            if each.condition is not None and not _evaluate(each.condition, draft):
                continue
            if is_constant(each) or each.binding.value is not None:
                continue
            if each.repeat is None:
                draft.values[each.name], draft.seen[each.name] = self._value(each, draft, each.name in small)
            else:
                draft.values[each.name], draft.seen[each.name] = self._list(each, draft)
        return draft

    def _list(self, each: ir.Field, draft: Draft) -> tuple[list[Any], list[Any]]:
        values: list[Any] = []
        seen: list[Any] = []
        if each.repeat is ir.Repeat.EXPR and each.repeat_expr is not None and not _follows(each.repeat_expr, draft):
            count = int(_evaluate(each.repeat_expr, draft))
            _go_on(0 <= count <= 1000)
        else:
            count = self.random.randint(1, MOST) if draft.depth <= DEEP else 0
        for index in range(ATTEMPTS if each.repeat is ir.Repeat.UNTIL else count):
            draft.index = index
            value, shown = self._value(each, draft, False)
            values.append(value)
            seen.append(shown)
            if each.repeat is ir.Repeat.UNTIL and each.repeat_expr is not None:
                draft.it = shown
                try:
                    done = bool(compile_expression(each.repeat_expr)(draft))
                except EvaluationError:
                    done = index + 1 == count
                if done:
                    return values, seen
        _go_on(each.repeat is not ir.Repeat.UNTIL)
        return values, seen

    def _value(self, each: ir.Field, draft: Draft, small: bool) -> tuple[Any, Any]:
        """A value as the writer takes it, and as expressions see it."""
        kind = each.type
        while isinstance(kind, ir.SwitchType):
            on = _evaluate(kind.on, draft)
            cases = [case for test, case in kind.cases if test is None or _evaluate(test, draft) == on]
            _go_on(bool(cases))
            kind = cases[0]
        if isinstance(kind, ir.RecordType):
            args = tuple(_evaluate(arg, draft) for arg in kind.args)
            inner = self._record(self.spec.records[kind.target], draft, args, draft.index)
            return inner.values, inner
        for _ in range(ATTEMPTS):
            value = self._leaf(each, kind, draft, small)
            if each.valid is None or each.valid.expr is None or _passes(each.valid.expr, draft, value):
                return value, value
        raise Undrawn(f"{each.name}: no value passes")

    def _leaf(self, each: ir.Field, kind: ir.FieldType, draft: Draft, small: bool) -> Any:
        valid = each.valid
        if valid is not None and valid.eq is not None:
            return _evaluate(valid.eq, draft)
        if valid is not None and valid.any_of:
            return _evaluate(self.random.choice(valid.any_of), draft)
        match kind:
            case ir.BitsType(boolean=True):
                return self.random.random() < 0.5
            case ir.Primitive(range=(int() as low, int() as high)):
                pass
            case ir.FloatType():
                return self.random.randint(-(1 << 20), 1 << 20) / 16
            case ir.StringType():
                return self._text(each, kind, draft)
            case ir.BytesType():
                return self._bytes(kind.extent, draft, range(256))
            case _:
                raise Undrawn(f"{each.name}: a value of type {type(kind).__name__}")
        if each.enum is not None:
            codes = sorted(code for code in self.spec.enums[each.enum].members if low <= code <= high)
            _go_on(bool(codes))
            return self.random.choice(codes)
        if valid is not None:
            low = low if valid.min is None else max(low, int(_evaluate(valid.min, draft)))
            high = high if valid.max is None else min(high, int(_evaluate(valid.max, draft)))
        return self.random.randint(max(low, 0), max(low, min(high, SMALL))) if small else self.random.randint(low, high)

    def _bytes(self, extent: ir.Extent, draft: Draft, alphabet: Iterable[int]) -> bytes:
        stop = extent.terminator
        size = None if extent.size is None or _follows(extent.size, draft) else int(_evaluate(extent.size, draft))
        _go_on(size is None or 0 <= size <= 1000)
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

    def _text(self, each: ir.Field, kind: ir.StringType, draft: Draft) -> str:
        if each.binding.number is not None:
            size = 3 if kind.extent.size is None else int(_evaluate(kind.extent.size, draft))
            pad = each.binding.number.pad_left
            number = str(self.random.randint(0, 10**size - 1))
            return number if pad is None else number.rjust(size, pad)
        codec = python_encoding(kind.encoding) or "ascii"
        plain = range(0x20, 0x7F)
        for _ in range(ATTEMPTS):
            raw = self._bytes(kind.extent, draft, range(256) if self.random.random() < 0.25 else plain)
            try:
                value = decode(raw, kind.encoding)
                if value.encode(codec) == raw and not set(each.binding.lenient) & set(raw):
                    return value
            except (ValueError, LookupError):
                continue
        raise Undrawn(f"{each.name}: no text of {kind.encoding}")


def is_constant(each: ir.Field) -> bool:
    """Whether a field's bytes are always the same."""
    return isinstance(each.type, ir.BytesType) and each.type.contents is not None


def _go_on(possible: bool) -> None:
    if not possible:
        raise Undrawn("what was drawn leads nowhere")


def _follows(size: Expression, draft: Draft) -> bool:
    """Whether a size is a field that follows from what it is the size of, so that a writer takes any."""
    derived = {each.name for each in draft.record.fields if each.binding.value is not None}
    return isinstance(size.tree, Name) and size.tree.id in derived


def _passes(condition: Expression, draft: Draft, value: Any) -> bool:
    draft.it = value
    return bool(_evaluate(condition, draft))


def _evaluate(expression: Expression, draft: Draft) -> Any:
    """The value; `Undrawn` where it cannot be told."""
    try:
        return compile_expression(expression)(draft)
    except EvaluationError as error:
        raise Undrawn(str(error)) from None
