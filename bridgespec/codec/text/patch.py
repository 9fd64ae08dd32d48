"""Write changed values to a file that was read: `Patch.write` returns its text, in which unchanged text is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from bridgespec.codec.node import FieldNode, is_array
from bridgespec.codec.text.derived import deviations, underived
from bridgespec.codec.text.parse_state import ParseOptions, ParseState
from bridgespec.codec.text.pending_values import CannotEncode
from bridgespec.codec.text.reader import FileForm, TextReader
from bridgespec.codec.text.rule_values import RecordRule, RuleValue
from bridgespec.codec.text.text_tree import FileNode, Kept, TextNode, fields_of, plain
from bridgespec.spec.grammar import Expr, GrammarChoice, GrammarRepeat, Ref
from bridgespec.spec.grammar.rules import walk

_LINE_END = re.compile(r"\r\n|\r|\n")
_ENDED = re.compile(r"(?:\r\n|\r|\n)\Z")
Part = tuple[FieldNode, object, RuleValue]
"""A node, the value that replaces its own, and its rule."""
_GONE = object()
"""The value of an element that is removed."""
_ROUNDS = 8
"""The maximum number of times that the derived fields of a text are corrected: one that depends on another, or on positions that a
correction moves, is right only after a further round.
"""


class Patch:
    """Writes one file with changes; made for each writing. ``derived`` are the names of the rules of derived fields. If all lines
    of the file have the same line end, new text has it too.

    A derived field need not be among the values, and a difference in it is no change: its text stays until `settled` corrects it.
    """

    def __init__(self, text: str, derived: frozenset[str] = frozenset()) -> None:
        self.text = text
        self.derived = derived
        # In a file with several line ends new text has those of the grammar.
        ends = set(_LINE_END.findall(text))
        self.ends = ends.pop() if len(ends) == 1 else None

    def write(self, node: FieldNode, value: object, rule: RuleValue, path: str) -> str:
        """Return the text for a plain value that replaces a node, the node's own text where nothing has changed."""
        if self._same(node, value, rule):
            return self._old(node)
        if isinstance(value, Mapping) and node.children is not None:
            nodes = {child.name: child for child in node.children if child.name in value or not self._is_derived(rule, child.name)}
            # Added or removed fields change the text around them: the record is then spelled anew below.
            if set(nodes) == set(value) and all(_may_grow(rule, node, value[name]) for name, node in nodes.items()):
                try:
                    return self._in_place(node, [(nodes[name], value[name], _inner(rule, name, value)) for name in nodes], path)
                # Fields that cannot be written in place can still be written as a new record.
                except CannotEncode:
                    pass
        fresh = self._fresh(rule, value, path)
        if not isinstance(value, Mapping) or node.children is None:
            return fresh
        # If one record replaces a list, it takes the layout of the first element.
        return self._grafted(node.children[0] if is_array(node) and node.children else node, rule, fresh)

    def _grafted(self, node: FieldNode, rule: RuleValue, fresh: str) -> str:
        """Return new text for a record, in which unchanged fields and the text between fields are taken from the old record."""
        made = _read(rule, fresh)
        if not isinstance(node, TextNode) or not node.parts or made is None or not made.parts:
            return fresh
        old, new = node.parts, made.parts
        ours, theirs = ([(part.field, repr(plain(part))) for part in parts] for parts in (old, new))
        # ``autojunk`` is off: it ignores values that are frequent, which calls and cards are.
        matcher = SequenceMatcher(None, ours, theirs, False)
        kept = {two + i: one + i for one, two, size in matcher.get_matching_blocks() for i in range(size)}
        text = "".join(self._beside(node, made, kept, at) for at in range(len(new) + 1))
        # Separators of the old record may mean something else beside a new field: the text is used only if it reads to the same
        # values.
        again = _read(rule, text)
        return text if again is not None and plain(again) == plain(made) else fresh

    def _beside(self, node: TextNode, made: TextNode, kept: Mapping[int, int], at: int) -> str:
        """Return the part with index ``at`` of a new record, preceded by a separator. ``kept`` maps indexes of new parts to those
        of equal old parts: their text and the separators between them are taken from the old record. For the index after the last
        part, return the text after it.
        """
        old, new = node.parts or [], made.parts or []
        before, here = kept.get(at - 1, -1), kept.get(at, len(old) if at == len(new) else -1)
        # The separator is kept where the two fields were adjacent; at the ends, where the field was the first or last.
        beside = here >= 0 and here - 1 == before and (before >= 0 or at == 0)
        where, parts, index = (node, old, here) if beside else (made, new, at)
        start = parts[index - 1].stop if index else where.start
        stop = parts[index].start if index < len(parts) else where.stop
        gap = where.source[start // 8 : stop // 8]
        return gap + (old[here].text if at in kept else new[at].text if at < len(new) else "")

    def _is_derived(self, rule: RuleValue, name: str) -> bool:
        """Whether the child of a node with this name is a derived field."""
        if not self.derived or not isinstance(rule, RecordRule):
            return False
        # If a record replaces a list, the children are elements, whose names are indexes.
        return name in rule.fields and rule.field(name).rule.name in self.derived

    def _compared(self, rule: RuleValue, value: object) -> str:
        """Return a text for a plain value; it is equal for values that differ only in derived fields."""
        return repr(underived(rule, value, self.derived) if self.derived else value)

    def _old(self, node: FieldNode) -> str:
        return self.text[node.start // 8 : node.stop // 8]

    def _fresh(self, rule: RuleValue, value: object, path: str) -> str:
        """Return new text for a plain value, with the line ends of the file."""
        text = rule.spell(value, path)
        return text if self.ends is None else _LINE_END.sub(self.ends, text)

    def _same(self, node: FieldNode, value: object, rule: RuleValue) -> bool:
        """Whether a value does not change a node, so that the node's text can stay."""
        if isinstance(value, Kept) and value.node is node:
            return True
        if node.children is None:
            return rule.same(self._old(node), value)
        # A derived field that is absent or old is no difference: `settled` corrects it.
        return _equal(node, value) or (bool(self.derived) and self._compared(rule, plain(node)) == self._compared(rule, value))

    def _in_place(self, node: FieldNode, parts: Sequence[Part], path: str) -> str:
        """Return the text of a record or an array in which some parts change; the text between the parts is kept."""
        out, at = [], node.start // 8
        reached = at
        for child, value, rule in _separate(parts):
            start, stop = child.start // 8, child.stop // 8
            # The text before a removed element is kept: it separates the elements before and after.
            if value is _GONE:
                out.append(self.text[at:start])
                at = reached = stop
                continue
            if value.__class__ is Kept and value.node is child:
                # Most fields are unchanged, and so is the text around them.
                reached = max(reached, stop)
                continue
            # Two lists whose elements alternate overlap: the second one is skipped, but must be unchanged.
            if start < reached:
                if not self._same(child, value, rule):
                    raise CannotEncode("fields overlap", path)
                continue
            inner = f"{path}.{child.name}".lstrip(".")
            write = self._elements if isinstance(value, list) else self.write
            out += [self.text[at:start], write(child, value, rule, inner)]
            at = reached = stop
        return "".join([*out, self.text[at : node.stop // 8]])

    def _elements(self, node: FieldNode, value: object, rule: RuleValue, path: str) -> str:
        """Return the text of an array with changed, added or removed elements; broken elements stay where they are."""
        assert isinstance(value, list)
        values: list[object] = value
        text, start, stop = self.text, node.start // 8, node.stop // 8
        whole = list(node.children or ())
        sound = [child for child in whole if not child.broken]
        if len(sound) == len(values):
            return self._in_place(node, [(child, each, rule) for child, each in zip(sound, values, strict=True)], path)
        # With text between the elements it is not known which part of it to remove together with an element.
        if not _are_adjacent(node):
            raise CannotEncode("the number of elements changes and they are not side by side", path)
        head, tail = self._same_ends(sound, values, rule)
        cut = sound[head].start // 8 if head < len(sound) else stop
        resume = sound[len(sound) - tail].start // 8 if tail else stop
        # Broken elements are not among the values, and must not be lost with the elements around them.
        kept = "".join(self._old(child) for child in whole if child.broken and cut <= child.start // 8 < resume)
        fresh = self._between(sound[head : len(sound) - tail], values[head : len(values) - tail], rule, path)
        before = text[start:cut]
        if fresh and before and sound and cut == len(text):
            before += self._closing(sound[-1], rule, path)
        return before + fresh + kept + text[resume:stop]

    def _same_ends(self, nodes: Sequence[FieldNode], values: Sequence[object], rule: RuleValue) -> tuple[int, int]:
        """Return how many elements are unchanged at the beginning and at the end of an array of another length."""
        # Equal elements at both ends are cut off first: comparing all elements is quadratic.
        most = min(len(nodes), len(values))
        head = next((i for i in range(most) if not self._same(nodes[i], values[i], rule)), most)
        tail = next((i for i in range(most - head) if not self._same(nodes[-1 - i], values[-1 - i], rule)), most - head)
        return head, tail

    def _closing(self, node: FieldNode, rule: RuleValue, path: str) -> str:
        """Return the line end that an element at the end of the file lacks and needs before another element; else an empty text."""
        if node.stop // 8 < len(self.text) or _ENDED.search(self._old(node)) is not None:
            return ""
        found = _ENDED.search(self._fresh(rule, plain(node), path))
        return "" if found is None else found[0]

    def _between(self, nodes: Sequence[FieldNode], values: Sequence[object], rule: RuleValue, path: str) -> str:
        """Return the text for a range of elements: the old text of each value that is among ``nodes``, new text for the others."""
        ours, theirs = ([self._compared(rule, one) for one in all] for all in (map(plain, nodes), values))
        blocks = SequenceMatcher(None, ours, theirs, False)
        old = {two + i: nodes[one + i] for one, two, size in blocks.get_matching_blocks() for i in range(size)}
        made = []
        for i, value in enumerate(values):
            made.append(self._old(old[i]) if i in old else self._fresh(rule, value, path))
            if i in old and i + 1 < len(values):
                made.append(self._closing(old[i], rule, path))
        return "".join(made)


def _are_adjacent(array: FieldNode) -> bool:
    """Whether an array has no text but that of its elements, broken ones included."""
    elements = array.children or ()
    # The first element is not compared with the beginning of the array: text before it stays where it is.
    ends = [*(child.start // 8 for child in elements[1:]), array.stop // 8]
    return not elements or all(child.stop // 8 == end for child, end in zip(elements, ends, strict=True))


def _separate(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a record in file order. Lists whose elements alternate in the file are split into single elements, if it
    is known which elements stay; the value of a removed element is `_GONE`.
    """
    found = sorted(parts, key=_start)
    if all(one[0].stop <= two[0].start for one, two in pairwise(found)):
        return found
    single: list[Part] = []
    for child, value, rule in found:
        sound = [one for one in child.children or () if not one.broken]
        if not isinstance(value, list) or not is_array(child):
            single.append((child, value, rule))
        elif len(sound) == len(value):
            single += [(one, each, rule) for one, each in zip(sound, value, strict=True)]
        else:
            # Only `Kept` values show which elements stay; equal texts would not.
            kept = {id(one.node): one for one in value if isinstance(one, Kept)}
            if len(kept) != len(value) or [id(one) for one in sound if id(one) in kept] != list(kept):
                return found
            single += [(one, kept.get(id(one), _GONE), rule) for one in sound]
    return sorted(single, key=_start)


def _start(part: Part) -> int:
    return part[0].start


def settled(form: FileForm, text: str, before: str | None) -> str:
    """Return a written text with every derived field corrected. Raises `CannotEncode` where fields are still wrong after `_ROUNDS`
    corrections.

    A field that was wrong in ``before``, the text that was read, stays wrong if neither its own text nor the derived one has
    changed. With ``before`` None, every field is corrected.
    """
    engine = form.engine
    wanted = {one.rule.name for one in engine.derivations}
    if not wanted or text == before:
        return text

    def wrong(text: str) -> list[tuple[TextNode, str]]:
        root = TextReader(form, text.encode("latin-1"), look=False, accelerated=engine.accelerated).read().root
        assert isinstance(root, FileNode)
        return [(part, right) for _, part, right in deviations(engine, root, wanted, True)]

    # A change of one field must not also repair a wrong checksum elsewhere in the file that was read.
    kept = {(part.field, part.text, right) for part, right in wrong(before or "")}
    last = ""
    for _ in range(_ROUNDS):
        found = [(part, right) for part, right in wrong(text) if (part.field, part.text, right) not in kept]
        if not found:
            return text
        # From the end on, so that the offsets of the parts before stay right.
        for part, right in sorted(found, key=lambda one: -one[0].start):
            text, last = text[: part.start // 8] + right + text[part.stop // 8 :], part.field
    raise CannotEncode("what it is derived from changes with each time it is written", last)


def _equal(node: FieldNode, value: object) -> bool:
    """Whether a value equals the plain value of a node. `Kept` values of the same node are recognised without computing it."""
    if isinstance(value, Kept):
        return value.node is node or plain(value.node) == plain(node)
    if isinstance(value, list) and is_array(node):
        sound = [child for child in node.children or () if not child.broken]
        return len(sound) == len(value) and all(map(_equal, sound, value))
    if isinstance(value, dict) and any(isinstance(one, Kept | list) for one in value.values()):
        fields = fields_of(node)
        return fields.keys() == value.keys() and all(_equal(fields[name], one) for name, one in value.items())
    return plain(node) == value


def _read(rule: RuleValue, text: str) -> TextNode | None:
    """Return the node for a text of a rule; None where the rule does not match all of it."""
    return rule.whole(text, 0, len(text), ParseState(ParseOptions()))


def _may_grow(rule: RuleValue, node: FieldNode, value: object) -> bool:
    """Whether elements can be written directly after the last one of the array ``node``.

    Two elements show whether there is a separator between them; an array of one does not, so that the grammar decides.
    """
    if not isinstance(value, list) or len(node.children or ()) != 1 or len(value) < 2:
        return True
    return _is_item(rule.shape.expr, node.name)


def _is_item(expr: Expr, name: str) -> bool:
    """Whether the last reference to a field in an expression is the whole item of a repetition, or one alternative of that item,
    so that another element can follow without other text.
    """
    found = [part for part in walk(expr) if isinstance(part, Ref) and part.field == name]
    repeated = [part.item for part in walk(expr) if isinstance(part, GrammarRepeat) and part.most != 1]
    options = [one for item in repeated for one in (item.options if isinstance(item, GrammarChoice) else (item,))]
    return bool(found) and all(any(part is one for one in options) for part in found[-1:])


def _inner(rule: RuleValue, name: str, values: Mapping[str, object]) -> RuleValue:
    """Return the rule that spells the field ``name`` of a record: for a delegated field the rule that reads its text, if the value
    is a record or a code of that rule; else the field's own.
    """
    if not isinstance(rule, RecordRule) or name not in rule.fields:
        raise CannotEncode(f"{rule.rule.name} has no field {name}", name)
    handover = rule.delegated.get(name)
    if handover is not None:
        inner = handover.reader(values)
        if inner is not None and (not isinstance(values[name], str) or inner.named(values[name]) == values[name]):
            return inner
    return rule.field(name)
