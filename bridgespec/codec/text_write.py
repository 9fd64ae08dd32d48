"""Writing text by its grammar: the rules are walked with a plain tree, and what does not change is kept as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from bridgespec.codec.node import Node, Reading
from bridgespec.codec.text_derive import derive, spelled
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_tree import plain
from bridgespec.errors import WriteError
from bridgespec.spec.grammar import Choice, Content, Expr, Literal, Pattern, Ref, Repeat, Rule, Sequence

_LINE_END = re.compile(r"\r\n|\r|\n")
_LINE_ENDS = re.compile(rb"\r\n|\r|\n")
_SPELLINGS = ("", "\r\n", " ", "0", "a")


class _Unfit(Exception):
    """An expression cannot spell what is left of the values; ``depth`` tells how far it came."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(slots=True)
class _Supply:
    """The values of one record that are still to be written."""

    values: dict[str, list[object]]
    siblings: Mapping[str, object]
    rule: Rule
    path: str
    failure: _Unfit | None = None
    turns: dict[str, int] = field(default_factory=dict)

    def take(self, name: str) -> object:
        left = self.values.get(name)
        if not left:
            raise _Unfit(f"{name} is missing", f"{self.path}.{name}".lstrip("."))
        return left.pop(0)

    def mark(self) -> dict[str, list[object]]:
        return {name: list(left) for name, left in self.values.items()}

    @property
    def count(self) -> int:
        return sum(len(left) for left in self.values.values())


class Writer:
    """Spells plain trees by a grammar."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.grammar = compiler.grammar
        self._layout: dict[str, str] = {}
        self._ends: str | None = None

    def write(self, values: Mapping[str, object], origin: Reading | None) -> bytes:
        """The file of the values; see `TextCodec.write`."""
        start = self.grammar.rules[self.grammar.start]
        try:
            self._ends = None if origin is None else _line_end(origin.data)
            if origin is not None:
                text = self._patch(origin.root, values, start, origin.data.decode("latin-1"), "")
            else:
                text = self._value(start, values, "")
        except _Unfit as error:
            raise WriteError(f"{self.compiler.spec.id} cannot be written: {error.path}: {error}") from None
        try:
            return text.encode("latin-1")
        except UnicodeEncodeError as error:
            raise WriteError(f"{self.compiler.spec.id} has no character {text[error.start]!r}") from None

    # --- fresh text

    def _value(self, rule: Rule, value: object, path: str) -> str:
        shape = self.grammar.resolve(rule)
        codes = self.compiler.codes(shape)
        if codes is not None:
            name = codes.named(value)
            if name is None or name not in codes.spelling:
                raise _Unfit(f"{value!r} is none of {', '.join(codes.spelling)}", path)
            return codes.spelling[name]
        if isinstance(value, Mapping):
            if self.compiler.is_leaf(rule):
                raise _Unfit(f"a text is wanted, not {type(value).__name__}", path)
            return self._record(rule, shape, value, path)
        text = spelled(rule, value) if isinstance(value, int) else str(value)
        if re.fullmatch(self.compiler.regex(shape.name), text) is None:
            raise _Unfit(f"{text!r} is no {rule.words.says or rule.name.lower().replace('_', ' ')}", path)
        return text

    def _record(self, rule: Rule, shape: Rule, value: Mapping[str, object], path: str) -> str:
        supply = _Supply({name: list(v) if isinstance(v, list | tuple) else [v] for name, v in value.items()}, value, rule, path)
        known = self.compiler.fields(shape.expr)
        for name in value:
            if name not in known:
                raise _Unfit(f"{rule.name} has no field {name}", path)
        text = self._emit(shape.expr, supply)
        left = [name for name, values in supply.values.items() if values]
        if left:
            where = f"{path}.{left[0]}".lstrip(".")
            raise supply.failure or _Unfit(f"{supply.values[left[0]][0]!r} finds no place in {rule.name}", where)
        text = text.rstrip(rule.words.trim or shape.words.trim) if rule.words.trim or shape.words.trim else text
        ends = rule.words.ends or shape.words.ends
        if ends is not None and text:
            text = text.rstrip(" ")
            text += "" if text.endswith(ends) else ends
        return text

    def _emit(self, expr: Expr, supply: _Supply) -> str:
        match expr:
            case Literal(text):
                return text
            case Pattern(regex):
                return self._shortest(regex, supply.path)
            case Sequence(items):
                return "".join([self._emit(item, supply) for item in items])
            case Choice(options):
                return self._choice(options, supply)
            case Repeat(item, least, most):
                return self._repeat(item, least, most, supply)
            case Ref(name):
                rule = self.grammar.rules[name]
                if expr.field is not None:
                    return self._field(expr.field, rule, supply)
                if rule.words.write is not None or rule.is_terminal or not self.compiler.fields(rule.expr):
                    return self._spelling(rule, supply)
                return self._emit(rule.expr, supply)

    def _field(self, name: str, rule: Rule, supply: _Supply) -> str:
        path = f"{supply.path}.{name}".lstrip(".")
        value = self._given(name, rule, supply)
        for content in supply.rule.words.contents or self.grammar.resolve(supply.rule).words.contents:
            if content.of == name:
                inner = self._content_rule(content, supply.siblings)
                if inner is not None and not isinstance(value, str):
                    value = self._value(inner, value, path)
                elif inner is not None and (codes := self.compiler.program(inner.name).codes) is not None:
                    value = codes.spelling.get(str(value), value)
        return self._value(rule, value, path)

    def _given(self, name: str, rule: Rule, supply: _Supply) -> object:
        """The value of a field: the one given, the one that is derived, or the default."""
        if supply.values.get(name):
            return supply.take(name)
        if rule.words.xor:
            try:
                return spelled(rule, derive(self.compiler, supply.rule, rule, supply.siblings))
            except (KeyError, ValueError):
                raise _Unfit(f"{name} cannot be derived", f"{supply.path}.{name}".lstrip(".")) from None
        default = rule.words.binding.default
        if default is not None and default.constant is not None:
            return default.constant
        return supply.take(name)

    def _content_rule(self, content: Content, siblings: Mapping[str, object]) -> Rule | None:
        name = content.otherwise if content.by is None else content.cases.get(str(siblings.get(content.by)), content.otherwise)
        return None if name is None else self.grammar.rules[name]

    def _choice(self, options: tuple[Expr, ...], supply: _Supply) -> str:
        before = supply.mark()
        best: tuple[tuple[int, int], str, dict[str, list[object]]] | None = None
        failure: _Unfit | None = None
        apt = [option for option in options if any(before.get(name) for name in self.compiler.fields(option))]
        for option in apt or options:
            supply.values = {name: list(left) for name, left in before.items()}
            try:
                text = self._emit(option, supply)
            except _Unfit as error:
                if failure is None or len(error.path) > len(failure.path):
                    failure = error
                if supply.failure is None or len(error.path) >= len(supply.failure.path):
                    supply.failure = error
                continue
            rank = supply.count, _first_used(before, supply.values)
            if best is None or rank < best[0]:
                best = rank, text, supply.values
        if best is None:
            supply.values = before
            raise failure or _Unfit("nothing fits", supply.path)
        supply.values = best[2]
        return best[1]

    def _repeat(self, item: Expr, least: int, most: int | None, supply: _Supply) -> str:
        fields = self.compiler.fields(item)
        if not fields:
            spelled = isinstance(item, Ref) and most == 1 and self.grammar.rules[item.name].words.write is not None
            return "".join(self._emit(item, supply) for _ in range(1 if spelled else least))
        written: list[str] = []
        while (most is None or len(written) < most) and any(supply.values.get(name) for name in fields):
            before = supply.mark()
            try:
                text = self._emit(item, supply)
            except _Unfit:
                supply.values = before
                if len(written) < least or any(self._only_here(name, supply) for name in fields if before.get(name)):
                    raise
                break
            if supply.count == sum(len(left) for left in before.values()):
                break
            written.append(text)
        if len(written) < least:
            raise _Unfit(f"{least} of {', '.join(fields)} are wanted, not {len(written)}", supply.path)
        return "".join(written)

    def _only_here(self, name: str, supply: _Supply) -> bool:
        return sum(1 for field_ in self._places(self.grammar.resolve(supply.rule).expr) if field_ == name) == 1

    def _places(self, expr: Expr) -> list[str]:
        match expr:
            case Ref(name):
                if expr.field is not None:
                    return [expr.field]
                rule = self.grammar.rules[name]
                return [] if rule.is_terminal else self._places(rule.expr)
            case Sequence(items) | Choice(items):
                return [name for item in items for name in self._places(item)]
            case Repeat(item):
                return self._places(item)
            case _:
                return []

    def _spelling(self, rule: Rule, supply: _Supply) -> str:
        write = rule.words.write
        if write is not None:
            turn = supply.turns.get(rule.name, 0)
            supply.turns[rule.name] = turn + 1
            return write[turn % len(write)]
        if rule.name not in self._layout:
            literal = rule.expr.text if isinstance(rule.expr, Literal) else None
            self._layout[rule.name] = self._shortest(self.compiler.regex(rule.name), supply.path) if literal is None else literal
        return self._layout[rule.name]

    def _shortest(self, regex: str, path: str) -> str:
        for text in _SPELLINGS:
            if re.fullmatch(regex, text):
                return text
        raise _Unfit(f"the grammar does not say how /{regex}/ is written", path)

    # --- text that was read, changed in places

    def _patch(self, node: Node, value: object, rule: Rule, text: str, path: str) -> str:
        start, stop = node.start // 8, node.stop // 8
        if self._same(node, value, rule, text):
            return text[start:stop]
        if isinstance(value, Mapping) and node.children is not None:
            nodes = {child.name: child for child in node.children if child.name in value or not _is_empty(child)}
            if set(nodes) == set(value):
                try:
                    return self._fill(
                        node, [(nodes[name], value[name], self._rule_of(rule, name, value)) for name in nodes], text, path
                    )
                except _Unfit:
                    pass
        return self._fresh(rule, value, path)

    def _fresh(self, rule: Rule, value: object, path: str) -> str:
        """New text in a file that was read: its lines end as the file's do."""
        text = self._value(rule, value, path)
        return text if self._ends is None else _LINE_END.sub(self._ends, text)

    def _same(self, node: Node, value: object, rule: Rule, text: str) -> bool:
        if node.children is not None:
            whole = plain(node)
            return whole is value or whole == value
        raw = text[node.start // 8 : node.stop // 8]
        codes = self.compiler.codes(self.grammar.resolve(rule))
        return raw == str(value) if codes is None else codes.name(raw) == codes.named(value)

    def _fill(self, node: Node, parts: list[tuple[Node, object, Rule]], text: str, path: str) -> str:
        out, at = [], node.start // 8
        for child, value, rule in sorted(parts, key=lambda part: part[0].start):
            start, stop = child.start // 8, child.stop // 8
            if start < at:
                if not self._same(child, value, rule, text):
                    raise _Unfit("fields overlap", path)
                continue
            out.append(text[at:start])
            inner = f"{path}.{child.name}".lstrip(".")
            if isinstance(value, list):
                out.append(self._elements(child, value, rule, text, inner))
            else:
                out.append(self._patch(child, value, rule, text, inner))
            at = stop
        out.append(text[at : node.stop // 8])
        return "".join(out)

    def _elements(self, node: Node, values: list[object], rule: Rule, text: str, path: str) -> str:
        start, stop = node.start // 8, node.stop // 8
        whole = list(node.children or ())
        sound = [child for child in whole if not child.broken]
        if len(sound) == len(values):
            return self._fill(node, [(child, value, rule) for child, value in zip(sound, values, strict=True)], text, path)
        edges = [start, *(child.start // 8 for child in whole[1:]), stop]
        if whole and any(child.stop // 8 != edge for child, edge in zip(whole, edges[1:], strict=True)):
            raise _Unfit("the number of elements changes and they are not side by side", path)
        head = 0
        while head < min(len(sound), len(values)) and self._same(sound[head], values[head], rule, text):
            head += 1
        tail = 0
        while tail < min(len(sound), len(values)) - head and self._same(sound[-1 - tail], values[-1 - tail], rule, text):
            tail += 1
        cut = sound[head].start // 8 if head < len(sound) else stop
        resume = sound[len(sound) - tail].start // 8 if tail else stop
        kept = "".join(text[c.start // 8 : c.stop // 8] for c in whole if c.broken and cut <= c.start // 8 < resume)
        fresh = self._between(sound[head : len(sound) - tail], values[head : len(values) - tail], rule, text, path)
        return text[start:cut] + fresh + kept + text[resume:stop]

    def _between(self, nodes: Sequence_[Node], values: Sequence_[object], rule: Rule, text: str, path: str) -> str:
        """Elements of which some are new: the others stay as they stand."""
        blocks = SequenceMatcher(None, [repr(plain(node)) for node in nodes], [repr(value) for value in values], False)
        old = {two + i: nodes[one + i] for one, two, size in blocks.get_matching_blocks() for i in range(size)}
        return "".join(
            text[old[i].start // 8 : old[i].stop // 8] if i in old else self._fresh(rule, value, path)
            for i, value in enumerate(values)
        )

    def _is_code(self, rule: Rule, value: object) -> bool:
        """Whether a rule is a code and the value one of its names."""
        codes = self.compiler.program(rule.name).codes
        return codes is not None and str(value) in codes.spelling

    def _rule_of(self, rule: Rule, name: str, values: Mapping[str, object]) -> Rule:
        shape = self.grammar.resolve(rule)
        for content in rule.words.contents or shape.words.contents:
            if content.of == name:
                inner = self._content_rule(content, values)
                if inner is not None and (not isinstance(values[name], str) or self._is_code(inner, values[name])):
                    return inner
        return self.grammar.rules[self.compiler.fields(shape.expr)[name][0].name]


def _line_end(data: bytes) -> str | None:
    """The one way in which all lines of a file end; None where there are several, or none."""
    ends = {match.decode("latin-1") for match in _LINE_ENDS.findall(data)}
    return ends.pop() if len(ends) == 1 else None


def _is_empty(node: Node) -> bool:
    return node.decl is not None and node.decl.repeat is not None and not node.children


def _first_used(before: Mapping[str, list[object]], after: Mapping[str, list[object]]) -> int:
    """The place, among the fields given, of the first that was written: what stands first is written first."""
    return next((i for i, name in enumerate(before) if len(after.get(name, ())) < len(before[name])), len(before))
