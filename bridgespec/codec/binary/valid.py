"""Constraints of a schema on values: Kaitai's ``valid``, compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bridgespec.codec.binary.byte_errors import INVALID, UnreadValueError
from bridgespec.codec.binary.scope import RecordFrame
from bridgespec.codec.node import Cells
from bridgespec.spec.ir import Binding, Enum, Valid
from bridgespec.spec.kaitai.expr.condition_words import condition
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_expression
from bridgespec.spec.kaitai.expr.tree import LiteralExpression, Name, walk

ValueTest = Callable[[RecordFrame, Any], str | None]
"""Returns the message for a value that is not allowed, None for one that is."""


class Constraint:
    """The ``valid`` key of one field, compiled. Reports values that it does not allow. The compiler makes one for each field with
    the key.
    """

    def __init__(self, valid: Valid, enum: Enum | None, binding: Binding) -> None:
        self.tests = list(_tests(valid, enum))
        self.binding = binding
        self.alone = _depends_on_value_only(valid)
        self.good: set[Any] = set()
        """Values that a constraint on the value alone allows, as found so far."""

    def check_cells(self, frame: RecordFrame, cells: Cells, name: str) -> None:
        """Report elements of an array that are not allowed. A constraint that depends on nothing but the value is evaluated once
        for each different value.
        """
        seen = set(cells.values)
        bad = seen - self.good if self.alone else seen
        for value in tuple(bad) if self.alone else ():
            if self.passes(frame, value):
                self.good.add(value)
                bad.discard(value)
        if not bad:
            return
        for index, value in enumerate(cells.values):
            if value in bad:
                frame.index = index
                node = cells[index]
                self.check(frame, value, f"{name}[{index}]", node.start, node.stop, cells.lsb)

    def passes(self, frame: RecordFrame, value: Any) -> bool:
        """Whether the constraint allows a value; False where it has no result."""
        # `_` is the checked value here; an enclosing `repeat-until` has its own.
        outer, frame.it = frame.it, value
        try:
            return all(test(frame, value) is None for test in self.tests)
        except (EvaluationError, TypeError):
            return False
        finally:
            frame.it = outer

    def check(self, frame: RecordFrame, value: Any, name: str, start: int, stop: int, lsb: bool = False) -> None:
        """Report ``value`` where the schema does not allow it."""
        outer, frame.it = frame.it, value
        try:
            for test in self.tests:
                message = test(frame, value)
                if message is not None:
                    named, severity = self.binding.code, self.binding.severity
                    frame.report(INVALID, message, start, stop, name, lsb, named, severity)
                    return
        # The field that could not be read has a finding; another one here would report the same fault again.
        except UnreadValueError:
            return
        except EvaluationError as error:
            # A constraint that has no value is no proof that the data are valid.
            frame.report(INVALID, f"it cannot be told whether this is valid: {error}", start, stop, name, lsb)
        except TypeError:
            frame.report(INVALID, f"{show(value)} cannot be compared with what is allowed", start, stop, name, lsb)
        finally:
            frame.it = outer


def _depends_on_value_only(valid: Valid) -> bool:
    """Whether a constraint depends on the value alone: its expressions name nothing but ``_``."""
    return all(
        node.id == "_"
        for expression in (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
        if expression is not None
        for node in walk(expression.tree)
        if isinstance(node, Name)
    )


def _tests(valid: Valid, enum: Enum | None) -> list[ValueTest]:
    """Return one test for each condition of a ``valid`` key."""
    tests: list[ValueTest] = []
    if valid.eq is not None:
        wanted = compile_expression(valid.eq)

        def equal(frame: RecordFrame, value: Any) -> str | None:
            should = wanted(frame)
            return None if value == should else f"this should be {show(should)}, it is {show(value)}"

        tests.append(equal)
    if valid.min is not None:
        low = compile_expression(valid.min)

        def at_least(frame: RecordFrame, value: Any) -> str | None:
            bound = low(frame)
            return None if value >= bound else f"{show(value)} is below the least allowed, {show(bound)}"

        tests.append(at_least)
    if valid.max is not None:
        high = compile_expression(valid.max)

        def at_most(frame: RecordFrame, value: Any) -> str | None:
            bound = high(frame)
            return None if value <= bound else f"{show(value)} is above the most allowed, {show(bound)}"

        tests.append(at_most)
    if valid.any_of:
        options = [compile_expression(option) for option in valid.any_of]

        def one_of(frame: RecordFrame, value: Any) -> str | None:
            allowed = [option(frame) for option in options]
            shown = ", ".join(map(show, allowed[:12])) + (" ..." if len(allowed) > 12 else "")
            return None if value in allowed else f"{show(value)} is not one of {shown}"

        tests.append(one_of)
    if valid.in_enum and enum is not None:
        codes = frozenset(enum.members)
        name = enum.name

        def known(frame: RecordFrame, value: Any) -> str | None:
            return None if value in codes else f"{show(value)} is not a code of {name}"

        tests.append(known)
    if valid.expr is not None:
        source, holds = valid.expr.shown, compile_expression(valid.expr)
        words = condition(valid.expr.tree)
        allowed = " ".join(show(word.value) if isinstance(word, LiteralExpression) else word for word in words or ())

        def passes(frame: RecordFrame, value: Any) -> str | None:
            if holds(frame):
                return None
            if allowed:
                return f"this should be {allowed}, it is {show(value)}"
            return f"{show(value)} does not meet the condition '{source}'"

        tests.append(passes)
    return tests


def show(value: Any) -> str:
    """Return a value as messages quote it.

    >>> show(14), show(b"\\x0d\\x0a"), show("x"), show([1, 2]), show([{"a": 1}]), show({"a": 1}), show(None), show(True)
    ('14', '0d 0a', "'x'", '[1, 2]', 'a list of 1', 'a record', 'nothing', 'true')
    """
    if isinstance(value, bytes):
        return value[:16].hex(" ") + (" ..." if len(value) > 16 else "") or "no bytes"
    if isinstance(value, list | tuple) and any(isinstance(one, list | Mapping | RecordFrame) for one in value):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    if isinstance(value, Mapping | RecordFrame):
        return "a record"
    # Python refuses to make decimal digits of very large integers.
    text = hex(value) if isinstance(value, int) and value.bit_length() > 256 else repr(value)
    return text if len(text) < 60 else text[:57] + "..."
