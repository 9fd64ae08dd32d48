"""Fields of a text that follow from others: which of them are not what they should be, and writing them right.

`deviations` gives the fields of a file that hold something else than what they are derived from; the reader makes findings of them,
`settled` corrects them in a text that has been written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.scope import TextScope
from bridgespec.codec.text.supply import Unfit
from bridgespec.codec.text.tree import FileNode, TextNode
from bridgespec.codec.text.values import Record
from bridgespec.spec.kaitai.expr.evaluate import EvaluationError

_ROUNDS = 8
"""How often a text is corrected until its values agree: each follows from others at most so deeply, or lengths grow."""
Deviation = tuple[TextNode, TextNode, str]
"""The record of the file in which it is, the field, and what its text should be."""


def mismatches(shape: Record, scope: TextScope, names: Collection[str]) -> Iterator[tuple[TextNode, str]]:
    """The fields of a record, of those named, that hold something else than what they are derived from, with what they should hold.

    A number that is spelled otherwise is the same; what cannot be derived, since something is missing, is passed over.
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
    read: Callable[[str], int | None] | None = getattr(numeral, "read", None)
    return read is not None and (found := read(one)) is not None and found == read(two) and len(one) == len(two)


def deviations(engine: TextEngine, root: FileNode, wanted: Collection[str], unread: bool = False) -> Iterator[Deviation]:
    """All mismatches in a file of fields whose rules are wanted, in the order of the text; ``unread`` as of `TextScope`."""
    start = engine.value(engine.grammar.start)
    holding = {name for name, others in engine.grammar.reach.items() if not others.isdisjoint(wanted)}
    waiting: list[tuple[Record, TextScope, TextNode | None]] = []
    if isinstance(start, Record):
        waiting.append((start, TextScope(start, root, None, unread), None))
    while waiting:
        shape, scope, top = waiting.pop()
        names = [name for name in shape.derived if shape.field(name).rule.name in wanted]
        yield from ((top or part, part, right) for part, right in mismatches(shape, scope, names))
        inner: list[tuple[Record, TextScope, TextNode | None]] = []
        for part in scope.nodes():
            rule = part.shape
            if not part.broken and isinstance(rule, Record) and rule.rule.name in holding:
                inner.append((rule, TextScope(rule, part, scope), top or part))
        waiting += reversed(inner)


def settled(engine: TextEngine, text: str, read: Callable[[str], FileNode], before: FileNode | None) -> str:
    """Return a text in which every derived field holds what it is derived from; `Unfit` where no text is found that does.

    What was not so in the file ``before``, and still is what it was beside what it should be, stays.
    """
    wanted = {one.rule.name for one in engine.derivations}
    earlier = () if before is None else deviations(engine, before, wanted, True)
    kept = {(part.field, part.text, right) for _, part, right in earlier}
    last = ""
    for _ in range(_ROUNDS):
        found = [(part, right) for _, part, right in deviations(engine, read(text), wanted, True)]
        found = [(part, right) for part, right in found if (part.field, part.text, right) not in kept]
        if not found:
            return text
        for part, right in sorted(found, key=lambda one: -one[0].start):
            text, last = text[: part.start // 8] + right + text[part.stop // 8 :], part.field
    raise Unfit("what it is derived from changes with each time it is written", last)
