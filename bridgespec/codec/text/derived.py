"""Derived fields of a text: find those whose text differs from the one that their expression gives.

The reader reports them as findings; a writer replaces them in the text that it has written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.rule_values import RecordRule, RuleValue
from bridgespec.codec.text.scope import TextScope
from bridgespec.codec.text.text_tree import FileNode, Kept, TextNode
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError

Deviation = tuple[TextNode, TextNode, str]
"""The record of the file that contains the field, the field, and its derived text."""


def mismatches(shape: RecordRule, scope: TextScope, names: Collection[str]) -> Iterator[tuple[TextNode, str]]:
    """Yield the fields among ``names`` of a record whose text is not the derived one, with the derived text.

    Two spellings of a number with equally many characters are equal. A field whose expression has no value, because another field
    is missing, is skipped.
    """
    for name in names:
        part = scope.first(name)
        if part is None:
            continue
        rule = shape.field(name)
        try:
            right = shape.engine.derivation(rule.rule).text(scope)
        except EvaluationError:
            continue
        if right != part.text and not _same_number(rule.rule.words.number, right, part.text):
            yield part, right


def _same_number(numeral: object, one: str, two: str) -> bool:
    """Whether two texts of equal length spell the same number, such as hexadecimal digits in upper and in lower case."""
    read: Callable[[str], int | None] | None = getattr(numeral, "read", None)
    return read is not None and (found := read(one)) is not None and found == read(two) and len(one) == len(two)


def deviations(engine: TextEngine, root: FileNode, wanted: Collection[str], unread: bool = False) -> Iterator[Deviation]:
    """Yield each field in a file whose text is not the derived one, with both, in the order of the text; only fields with rules in
    ``wanted``. ``unread``: expressions may use positions and bytes of fields that could not be read.
    """
    start = engine.value(engine.grammar.start)
    holding = {name for name, others in engine.grammar.reach.items() if not others.isdisjoint(wanted)}
    waiting: list[tuple[RecordRule, TextScope, TextNode | None]] = []
    if isinstance(start, RecordRule):
        waiting.append((start, TextScope(start, root, None, unread), None))
    while waiting:
        shape, scope, top = waiting.pop()
        names = [name for name in shape.derived if shape.field(name).rule.name in wanted]
        yield from ((top or part, part, right) for part, right in mismatches(shape, scope, names))
        inner: list[tuple[RecordRule, TextScope, TextNode | None]] = []
        for part in scope.nodes():
            rule = part.shape
            if not part.broken and isinstance(rule, RecordRule) and rule.rule.name in holding:
                inner.append((rule, TextScope(rule, part, scope), top or part))
        waiting += reversed(inner)


def underived(rule: RuleValue, value: object, names: Collection[str]) -> object:
    """Return a plain value of ``rule`` without the fields whose rules are in ``names``, at any depth. Records and lists are
    copied.
    """
    if isinstance(value, list):
        return [underived(rule, one, names) for one in value]
    if not isinstance(value, Mapping) or not isinstance(rule, RecordRule):
        return value
    found = {}
    for name, inner in (value.opened() if isinstance(value, Kept) else value).items():
        field = rule.field(name) if name in rule.fields else None
        if field is None:
            found[name] = inner
        elif field.rule.name not in names:
            reader = rule.delegated[name].reader(value) if name in rule.delegated else None
            found[name] = underived(reader or field, inner, names)
    return found
