"""Plain values that a binary schema allows, drawn from its intermediate representation alone, bridge or no bridge.

Enums, ``valid``, ``contents``, sizes, repeats and conditions are respected; constants and derived fields are left to the
writer. An integer that a size, a count or a condition depends on is drawn small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

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


def files(spec: ir.Spec) -> st.SearchStrategy[dict[str, Any]]:
    """The plain values of whole files."""
    return _records(spec, spec.top, None, ())


def can_draw(spec: ir.Spec) -> str | None:
    """Why no values can be drawn for a schema, or None."""
    if spec.language != "ksy":
        return "its values are drawn from its grammar"
    for record in spec.records.values():
        if any(isinstance(instance, ir.PosInstance) for instance in record.instances.values()):
            return f"{record.name} has fields at positions"
        for each in record.fields:
            if getattr(each.type, "process", None) is not None:
                return f"{record.name}.{each.name} is stored transformed"
    return None


@st.composite
def _records(draw: st.DrawFn, spec: ir.Spec, record: ir.Record, parent: Draft | None, args: tuple[Any, ...]) -> dict[str, Any]:
    return _draw_record(draw, spec, record, parent, args).values


def _draw_record(
    draw: st.DrawFn, spec: ir.Spec, record: ir.Record, parent: Draft | None, args: tuple[Any, ...], index: int | None = None
) -> Draft:
    draft = Draft(record, parent, index=index)
    draft.seen.update({parameter.name: arg for parameter, arg in zip(record.params, args, strict=True)})
    counted = _counted(record)
    for each in record.fields:
        if each.condition is not None and not _evaluate(each.condition, draft):
            continue
        if _is_constant(each) or each.binding.value is not None:
            continue
        if each.repeat is None:
            draft.values[each.name], draft.seen[each.name] = _draw_value(draw, spec, each, draft, each.name in counted)
        else:
            draft.values[each.name], draft.seen[each.name] = _draw_list(draw, spec, each, draft)
    return draft


def _draw_list(draw: st.DrawFn, spec: ir.Spec, each: ir.Field, draft: Draft) -> tuple[list[Any], list[Any]]:
    values: list[Any] = []
    seen: list[Any] = []
    if each.repeat is ir.Repeat.EXPR and each.repeat_expr is not None:
        count = int(_evaluate(each.repeat_expr, draft))
        assume(0 <= count <= 1000)
    else:
        count = draw(st.integers(1, MOST)) if draft.depth <= DEEP else 0
    for index in range(ATTEMPTS if each.repeat is ir.Repeat.UNTIL else count):
        draft.index = index
        value, shown = _draw_value(draw, spec, each, draft, False)
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
    assume(each.repeat is not ir.Repeat.UNTIL)
    return values, seen


def _draw_value(draw: st.DrawFn, spec: ir.Spec, each: ir.Field, draft: Draft, small: bool) -> tuple[Any, Any]:
    """A value as the writer takes it, and as expressions see it."""
    kind = _resolve(each.type, draft)
    if isinstance(kind, ir.RecordType):
        args = tuple(_evaluate(arg, draft) for arg in kind.args)
        inner = _draw_record(draw, spec, spec.records[kind.target], draft, args, draft.index)
        return inner.values, inner
    strategy = _leaf(spec, each, kind, draft, small)
    if each.valid is not None and each.valid.expr is not None:
        strategy = strategy.filter(lambda value: _passes(each.valid.expr, draft, value))  # type: ignore[union-attr]
    value = draw(strategy)
    return value, value


def _resolve(kind: ir.FieldType, draft: Draft) -> ir.FieldType:
    while isinstance(kind, ir.SwitchType):
        on = _evaluate(kind.on, draft)
        cases = [case for test, case in kind.cases if test is None or _evaluate(test, draft) == on]
        assume(cases)
        kind = cases[0]
    return kind


def _leaf(spec: ir.Spec, each: ir.Field, kind: ir.FieldType, draft: Draft, small: bool) -> st.SearchStrategy[Any]:
    valid = each.valid
    if valid is not None and valid.eq is not None:
        return st.just(_evaluate(valid.eq, draft))
    if valid is not None and valid.any_of:
        return st.sampled_from([_evaluate(choice, draft) for choice in valid.any_of])
    match kind:
        case ir.BitsType(boolean=True):
            return st.booleans()
        case ir.Primitive(range=(int() as low, int() as high)):
            pass
        case ir.FloatType(size=size):
            return st.floats(width=8 * size, allow_nan=False)  # type: ignore[arg-type]
        case ir.StringType():
            return _texts(each, kind, draft)
        case ir.BytesType():
            return _bytes(kind.extent, draft)
        case _:
            raise AssertionError(f"{each.name}: a leaf of type {type(kind).__name__}")
    if each.enum is not None:
        codes = [code for code in spec.enums[each.enum].members if low <= code <= high]
        return st.sampled_from(sorted(codes))
    if valid is not None:
        low = low if valid.min is None else max(low, int(_evaluate(valid.min, draft)))
        high = high if valid.max is None else min(high, int(_evaluate(valid.max, draft)))
    return st.integers(max(low, 0), max(low, min(high, SMALL))) if small else st.integers(low, high)


def _octets(least: int, most: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=least, max_size=most)


def _printable(least: int, most: int) -> st.SearchStrategy[bytes]:
    return st.lists(st.integers(0x20, 0x7E), min_size=least, max_size=most).map(bytes)


def _bytes(
    extent: ir.Extent, draft: Draft, draws: Callable[[int, int], st.SearchStrategy[bytes]] = _octets
) -> st.SearchStrategy[bytes]:
    stop = extent.terminator
    size = None if extent.size is None or _follows(extent.size, draft) else int(_evaluate(extent.size, draft))
    if size is not None and stop is None and extent.pad_right is None:
        return draws(size, size)
    content = draws(0, 12 if size is None else size)
    if stop is not None:
        content = content.filter(lambda value: stop not in value)
    if extent.pad_right is not None:
        pad = bytes([extent.pad_right])
        content = content.map(lambda value: value.rstrip(pad))
    if extent.include and stop is not None:
        content = content.filter(lambda value: size is None or len(value) + len(stop) <= size).map(lambda value: value + stop)
    return content


def _texts(each: ir.Field, kind: ir.StringType, draft: Draft) -> st.SearchStrategy[str]:
    if each.binding.number is not None:
        size = 3 if kind.extent.size is None else int(_evaluate(kind.extent.size, draft))
        pad = each.binding.number.pad_left
        numbers = st.integers(0, 10**size - 1).map(str)
        return numbers if pad is None else numbers.map(lambda text: text.rjust(size, pad))
    lenient = set(each.binding.lenient)

    def text(raw: bytes) -> str | None:
        try:
            value = decode(raw, kind.encoding)
            codec = python_encoding(kind.encoding) or "ascii"
            return value if value.encode(codec) == raw and not lenient & set(raw) else None
        except (ValueError, LookupError):
            return None

    plain = _bytes(kind.extent, draft, _printable)
    return st.one_of(plain, plain, plain, _bytes(kind.extent, draft)).map(text).filter(lambda value: value is not None)  # type: ignore[return-value]


def _follows(size: Expression, draft: Draft) -> bool:
    """Whether a size is a field that follows from what it is the size of, so that a writer takes any."""
    derived = {each.name for each in draft.record.fields if each.binding.value is not None}
    return isinstance(size.tree, Name) and size.tree.id in derived


def _passes(condition: Expression, draft: Draft, value: Any) -> bool:
    draft.it = value
    return bool(_evaluate(condition, draft))


def _evaluate(expression: Expression, draft: Draft) -> Any:
    """The value; a draw in which it cannot be told is given up."""
    try:
        return compile_expression(expression)(draft)
    except EvaluationError:
        assume(False)
        raise


def _is_constant(each: ir.Field) -> bool:
    return isinstance(each.type, ir.BytesType) and each.type.contents is not None


def _counted(record: ir.Record) -> set[str]:
    """The fields that sizes, counts, conditions and arguments of the same record depend on."""
    used: list[Expression | None] = []
    for each in record.fields:
        used.append(each.repeat_expr if each.repeat is ir.Repeat.EXPR else None)
        extent = getattr(each.type, "extent", None)
        used.append(extent.size if extent is not None else None)
        used.extend(getattr(each.type, "args", ()))
    trees = [tree for expression in used if expression is not None for tree in walk(expression.tree)]
    return {tree.id for tree in trees if isinstance(tree, Name)}
