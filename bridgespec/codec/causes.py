"""The cause of several errors in a binary file: the one value that, if it were different, would leave the file without errors.

`explained` returns the findings of a reading without those that only follow from another one. It reads the file again with other
values, one at a time: the value that a constant or a derived field should have, or another length, count or offset. Nothing is
assumed of what a field means: a value is named as the cause only where no other one that was tried makes the file clean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bridgespec.codec.binary.byte_errors import BAD_SIZE, CONTENTS, EXPRESSION, NO_CASE, TRUNCATED, WRONG_EXTENT
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.samples.dependence import UNKNOWN, GrownLeaf, GrownReading
from bridgespec.codec.samples.lengths import parts
from bridgespec.codec.samples.uses import shapes
from bridgespec.codec.shared_findings import DERIVED
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Span
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.evaluator import compile_expression
from bridgespec.spec.kaitai.expr.tree import Name
from bridgespec.spec.kaitai.sizes import record_bits

LARGEST = 1 << 15
"""The size of the largest file whose errors are explained."""
_READINGS, _VOLUME, _FOUND = 400, 1 << 18, 10_000
"""The maximum number of readings of a file with other values, of bytes read in all of them, and of errors reported in all."""
_NEAR = 16
"""The greatest difference between a value and the ones that are tried in its place; 0 to this number are tried too."""
_SEVERAL = 3
"""The maximum number of values of which any one may be the cause."""
_MORE = 64
"""How many bytes are added to a file that is cut off, to see which values depend on them."""
_STRUCTURAL = frozenset([CONTENTS.name, NO_CASE.name, TRUNCATED.name, BAD_SIZE.name])
"""The codes of errors by which a record is not of its type."""
_TOO_LARGE = frozenset([TRUNCATED.name, BAD_SIZE.name])
"""The codes of errors by which a part exceeds the data."""
_COVERED = 8
"""The maximum number of errors for which dependent derived values are searched (`_Search.without_dependents`)."""
_RUN = 4
"""The number of broken elements in a row that are read at wrong offsets: fewer may be wrong each by itself."""
_ELEMENT = re.compile(r"\[(\d+)\]")


def explained(codec: object, reading: Reading) -> list[Diagnostic] | None:
    """Return the findings of a reading of a whole file without those that follow from others; None where none follows. Findings
    of the binding to the model are all kept.
    """
    found = _without_consequences(codec, reading)
    # A run is looked for even where no single value is the cause: a list out of step has no other one.
    kept = list(reading.diagnostics) if found is None else found
    told = out_of_step(codec.spec, kept) if isinstance(codec, BinaryCodec) else kept
    return told if len(told) < len(kept) else found


def out_of_step(spec: ir.Spec, found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings with each run of broken elements of a list reduced to its first finding.

    An element is broken where it is not of its type (`_STRUCTURAL`). Where a list has no count and its elements have sizes of
    their own, the offset of an element is known only from the one before it: `_RUN` broken elements in a row are read at wrong
    offsets. The help of the remaining finding has the number of the others.
    """
    broken: dict[tuple[str, int], Diagnostic] = {}
    for one in found:
        for path, index in _elements(one) if one.code in _STRUCTURAL else ():
            if _has_own_sizes(spec, path):
                # The first finding of an element is the reason for the others in it.
                broken.setdefault((path, index), one)
    heads: dict[tuple[str, int], Diagnostic] = {}
    for path, index in broken:
        if (path, index - 1) not in broken:
            run = [(path, index)]
            while (following := (path, run[-1][1] + 1)) in broken:
                run.append(following)
            if len(run) >= _RUN:
                heads |= dict.fromkeys(run, broken[path, index])
    kept, others = list[Diagnostic](), Counter[int]()
    for one in found:
        head = next((heads[place] for place in _elements(one) if place in heads), one)
        if head is one:
            kept.append(one)
        else:
            others[id(head)] += 1
    return [replace(one, help=_with_number(one.help, others[id(one)])) if others[id(one)] else one for one in kept]


def _elements(found: Diagnostic) -> Iterator[tuple[str, int]]:
    """Yield path and index of each list element that a finding is in, the outermost first."""
    field = found.field or ""
    return ((field[: match.start()], int(match[1])) for match in _ELEMENT.finditer(field))


def _with_number(help: str | None, others: int) -> str:
    """Return a help text extended by the number of findings that follow from its finding."""
    told = f"{others} findings after it follow: the list is out of step from here"
    return told if help is None else f"{help}; {told}"


def _has_own_sizes(spec: ir.Spec, path: str) -> bool:
    """Return whether all lists with the name in ``path`` have elements of differing sizes and no count of elements."""
    name = path.rpartition(".")[2]
    lists = [one for record in spec.records.values() for one in record.fields if one.name == name and one.repeat is not None]
    return bool(lists) and all(
        one.repeat is not ir.Repeat.EXPR
        and isinstance(one.type, ir.RecordType)
        and record_bits(one.type.target, spec.records) is None
        for one in lists
    )


def _without_consequences(codec: object, reading: Reading) -> list[Diagnostic] | None:
    """Return the findings of a small file without those that follow from one wrong value; None where none does."""
    errors = [one for one in reading.diagnostics if _is_error(one)]
    if not isinstance(codec, BinaryCodec) or len(reading.data) > LARGEST or not _may_follow(codec.spec, errors):
        return None
    # The reading may have findings of other checks, which another value would not remove.
    own = codec.read(reading.data)
    errors = [one for one in own.diagnostics if _is_error(one)]
    if not errors:
        return None
    search = _Search(codec, own, errors)
    found = search.with_labels((search.cause() or search.without_dependents()) if len(errors) > 1 else None)
    return None if found is None else [*found, *(one for one in reading.diagnostics if one not in own.diagnostics)]


def _may_follow(spec: ir.Spec, errors: list[Diagnostic]) -> bool:
    """Whether one wrong value may be the cause of several errors. It cannot be where all records have a fixed layout without
    derived or constant fields.
    """
    if len(errors) < 2 and not any(one.code in _TOO_LARGE for one in errors):
        return False
    return any(
        any(one.constant is None for one in shapes(record))
        or any(one.binding.value is not None or getattr(one.type, "contents", None) is not None for one in record.fields)
        for record in spec.records.values()
    )


def _is_error(found: Diagnostic) -> bool:
    """Whether a finding is an error, not a warning or a note."""
    return found.severity is Severity.ERROR


class _Search:
    """The search for the cause of the errors of one reading: reads the file again with one value changed at a time, up to a limit
    of attempts.
    """

    def __init__(self, codec: BinaryCodec, reading: Reading, errors: list[Diagnostic]) -> None:
        self.codec, self.reading, self.errors = codec, reading, errors
        self.now = GrownReading(codec, reading.data)
        # Three bounds: of attempts, of bytes read in all, and of files whose many errors make each attempt slow.
        self.left = min(_READINGS, _VOLUME // (1 + len(reading.data)), _FOUND // len(errors))
        self.known = {one.code for one in reading.diagnostics if not _is_error(one)}

    def cause(self) -> list[Diagnostic] | None:
        """Return one finding in place of all errors, where one changed value makes the file clean. Of several such values, the
        first error, with a label for each of them. None where no value, or too many, would do it.
        """
        values: dict[str, list[Any]] = {}
        leaves: dict[str, GrownLeaf] = {}
        for leaf, value in self._candidates():
            if self._is_clean(leaf, value):
                leaves[leaf.path] = leaf
                values.setdefault(leaf.path, []).append(value)
        # With many possible values none is shown to be the cause; beyond the bound not all were tried.
        if not 0 < len(leaves) <= _SEVERAL or self.left < 0:
            return None
        if len(leaves) > 1:
            place = min((one for one in self.errors if not self._is_derived(one)), key=_start, default=None)
            if place is None:
                return None
            labels = tuple(Label(_span(leaf.node), f"or {path}: {_wrong(leaf, values[path])}") for path, leaf in leaves.items())
            return [replace(place, labels=(*place.labels, *labels))]
        (leaf,) = leaves.values()
        # A finding of the value itself is better than a new one: it has the code of its field.
        own = next((one for one in self.errors if one.field == leaf.path), None)
        return [own or self._finding(leaf, values[leaf.path])]

    def without_dependents(self) -> list[Diagnostic] | None:
        """Return the findings without errors of derived values, such as checksums, that depend on bytes with an error of their
        own; None where none is left out.
        """
        derived = [one for one in self.errors if self._is_derived(one)]
        others = [one for one in self.errors if one not in derived and one.span is not None]
        kept = list(self.reading.diagnostics)
        for error in others[:_COVERED] if derived else ():
            of = self._dependents(error, [one for one in derived if one in kept])
            shown = 0 if self._is_cut_off(error) else _SEVERAL
            labels = tuple(
                Label(one.span, f"{one.field} depends on it: {one.message}") for one in of[:shown] if one.span is not None
            )
            kept = [replace(one, labels=(*one.labels, *labels)) if one is error else one for one in kept if one not in of]
        return kept if len(kept) < len(self.reading.diagnostics) else None

    def _dependents(self, error: Diagnostic, derived: list[Diagnostic]) -> list[Diagnostic]:
        """Return the errors in ``derived`` that depend on the bytes of ``error``: if one of these bytes is changed, the findings
        change too.
        """
        assert error.span is not None
        data = bytearray(self.reading.data)
        # Bytes beyond the end cannot be inverted: bytes are added there, and derived values that depend on them change.
        if self._is_cut_off(error):
            data += bytes([1]) * _MORE
        elif error.span.stop > error.span.start:
            data[error.span.byte_start] ^= 0xFF
        after = {(one.span, one.field, one.message) for one in self.codec.read(bytes(data)).diagnostics}
        # A derived value whose finding changes with the byte depends on it, so that its error follows from that byte.
        return [one for one in derived if (one.span, one.field, one.message) not in after]

    def _is_cut_off(self, error: Diagnostic) -> bool:
        """Whether an error is of a part that is too large for the data, and begins at their end."""
        return error.code in _TOO_LARGE and error.span is not None and error.span.byte_start >= len(self.reading.data)

    def with_labels(self, found: list[Diagnostic] | None) -> list[Diagnostic] | None:
        """Return findings with a label at the length, count or offset that makes a part exceed the data. ``found`` are the findings
        to label; None for all findings of the reading, and the result is None if no part exceeds the data.
        """
        kept = self.reading.diagnostics if found is None else found
        if not any(one.code in _TOO_LARGE for one in kept):
            return found
        used: dict[str, GrownLeaf] = {}
        for path, frame in self.now.frames.items():
            for where, leaf in parts(self.now, path, frame):
                used.setdefault(where, leaf)
        labelled = []
        for one in kept:
            field = one.field or ""
            known = (used.get(field) or used.get(field.rpartition("[")[0])) if one.code in _TOO_LARGE else None
            if known is not None:
                one = replace(one, labels=(*one.labels, Label(_span(known.node), f"{known.path} is {known.node.value!r}")))
            labelled.append(one)
        return labelled

    def _candidates(self) -> Iterator[tuple[GrownLeaf, Any]]:
        """Yield values to try, each with the leaf to write it into: expected values first, then those near the first error."""
        seen: set[tuple[str, Any]] = set()
        for error in self.errors:
            leaf, value = self.now.leaves.get(error.field or ""), self._expected(error)
            if leaf is not None and value is not None and (leaf.path, value) not in seen:
                seen.add((leaf.path, value))
                yield leaf, value
        structural = [one.span.start for one in self.errors if one.span is not None and self._expected(one) is None]
        first = min(structural, default=0)
        extents = ((leaf, _near(leaf)) for path, frame in self.now.frames.items() for _, leaf in parts(self.now, path, frame))
        kinds = (one for frame in self.now.frames.values() for one in self._kinds(frame))
        # The cause mostly precedes the first error closely: the attempts are bounded, so near values come first.
        for leaf, values in sorted((*extents, *kinds), key=lambda one: abs(one[0].node.start - first)):
            for value in values:
                if value != leaf.node.value and (leaf.path, value) not in seen:
                    seen.add((leaf.path, value))
                    yield leaf, value

    def _kinds(self, frame: Any) -> Iterator[tuple[GrownLeaf, list[Any]]]:
        """Yield each value in a record that selects the type of another field, with the values of all cases."""
        for field in self.now.spec.records[frame.element.name].fields:
            if isinstance(field.type, ir.SwitchType) and isinstance(field.type.on.tree, Name):
                cases = [case for case, _ in field.type.cases if case is not None]
                for leaf in self.now.of(field.type.on.tree, frame):
                    with suppress(*UNKNOWN):
                        yield leaf, [compile_expression(case)(frame) for case in cases]

    def _expected(self, error: Diagnostic) -> Any:
        """Return the value that a field with an error should have; None where the schema does not determine one."""
        leaf, element = self.now.leaves.get(error.field or ""), self.now.field(error.field or "")
        if leaf is None or element is None:
            return None
        if self._is_constant(error):
            return getattr(leaf.decl.type, "contents", None)
        if element.derived is not None and error.code in (DERIVED.name, leaf.decl.binding.code):
            with suppress(*UNKNOWN):
                return element.derived(leaf.frame)
        return None

    def _is_derived(self, error: Diagnostic) -> bool:
        """Whether an error is that a derived field has another value than its expression, or that the expression has no value."""
        element = self.now.field(error.field or "")
        known = element is not None and element.derived is not None
        return known and (error.code == EXPRESSION.name or (not self._is_constant(error) and self._expected(error) is not None))

    def _is_constant(self, error: Diagnostic) -> bool:
        """Whether an error is that a field does not have its constant content."""
        return error.code == CONTENTS.name

    def _is_clean(self, leaf: GrownLeaf, value: Any) -> bool:
        """Whether the file with another value at ``leaf`` would be read without errors, and without warnings of codes that the
        reading does not have.
        """
        data = bytearray(self.reading.data)
        if self.left < 0 or not leaf.put(data, value):
            return False
        self.left -= 1
        found = self.codec.read(bytes(data)).diagnostics
        # A value that hides errors by making others, such as trailing bytes, is no explanation.
        return all(not _is_error(one) and one.code in self.known for one in found)

    def _finding(self, leaf: GrownLeaf, values: list[Any]) -> Diagnostic:
        """Return the finding that a leaf should have one of ``values``, with an unsafe fix if there is only one."""
        node, data = leaf.node, bytearray(self.reading.data)
        leaf.put(data, values[0])
        start, stop = node.start // 8, -(-node.stop // 8)
        fix = Fix(f"write {values[0]}", (Edit(start, stop, bytes(data[start:stop])),), safe=False) if len(values) == 1 else None
        message = f"{_wrong(leaf, values)}: nothing else in the file is wrong then"
        return Diagnostic(
            WRONG_EXTENT.name, WRONG_EXTENT.severity, message, None, leaf.frame.record, leaf.path, _span(node), fix=fix
        )


def _wrong(leaf: GrownLeaf, values: list[Any]) -> str:
    """Return the message that a leaf should have one of ``values``; of many the nearest ones."""
    now = leaf.node.value
    near = sorted(values, key=lambda value: abs(value - now) if isinstance(now, int) else 0)[:_SEVERAL]
    return f"this should be {' or '.join(map(str, near))}, it is {now!r}"


def _near(leaf: GrownLeaf) -> list[int]:
    """Return the values to try in place of a length, a count or an offset: those near the present one, ascending, then small ones;
    none is negative. Empty for a leaf that is no integer.
    """
    now = leaf.node.value
    tried = (*range(now - _NEAR, now + _NEAR + 1), *range(_NEAR + 1)) if isinstance(now, int) else ()
    return [value for value in dict.fromkeys(tried) if value >= 0]


def _start(found: Diagnostic) -> int:
    """Return the first bit of a finding; 0 for one without a position."""
    return found.span.start if found.span is not None else 0


def _span(node: FieldNode) -> Span:
    """Return the bits of a node in the file."""
    return Span(node.start, node.stop, node.lsb)
