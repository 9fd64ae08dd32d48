"""Views of the trees that readers make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from bridgespec.codec.decl import Decl, Entry
from bridgespec.codec.node import Cells, Node
from bridgespec.codec.view import Unread, View
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.diagnostic import Code, Span

if TYPE_CHECKING:
    from bridgespec.codec.spans import Space

T = TypeVar("T")
_SHORT = 64
_MANY = 10_000


@dataclass(slots=True)
class Source:
    """What the views of one file share: its text, where findings go, and what has been made of its pieces, by their text."""

    text: str
    found: Callable[[Code, str, Node], None] | None = None
    again: Any = None
    """What a pickle keeps of the file (`origin.Again`)."""
    memos: dict[tuple[object, ...], Any] = field(default_factory=dict)
    space: Space | None = None
    """Of a text, what makes views of its pieces by their places alone."""


class NodeView(View):
    """A view of a node, as part of the term named ``term``; ``parts`` are those of a record that together say a term whole."""

    __slots__ = ("_parts", "decl", "escape", "node", "source", "term")

    def __init__(
        self,
        source: Source,
        node: Node,
        decl: Decl,
        term: str,
        escape: str | None = None,
        parts: list[tuple[str, NodeView]] | None = None,
    ) -> None:
        self.source = source
        self.node = node
        self.decl = decl
        self.term = term
        self.escape = decl.escape or escape
        self._parts = parts

    def __repr__(self) -> str:
        return f"<{self.term} {self.decl.name} {self.raw!r}>"

    @property
    def raw(self) -> str:
        """The characters as they stand."""
        value = self.node.value
        if isinstance(value, str) and self.decl.kind == "leaf":
            return value
        return self.source.text[self.node.start // 8 : self.node.stop // 8]

    @property
    def raw_value(self) -> object:
        return self.node.value

    @property
    def raw_values(self) -> Sequence[object]:
        children = self.node.children or ()
        return children.values if isinstance(children, Cells) else [child.value for child in children]

    @property
    def text(self) -> str:
        decl, text = self.decl, self.raw
        if decl.between is not None:
            text = decl.between.inside(text)
        text = decl.decoded(text, self.escape)
        return "" if text in decl.unknown else text

    @property
    def code(self) -> str | None:
        return self.decl.name_of(self.node.value) if self.decl.kind == "code" else None

    @property
    def number(self) -> int | None:
        value = self.node.value
        if isinstance(value, int):
            return None if self.decl.kind == "code" else value
        if self.decl.numeral is None:
            return None
        return self.decl.numeral.read(value if self.decl.between is None and isinstance(value, str) else self.text)

    @property
    def span(self) -> Span:
        return self.node.span

    @property
    def broken(self) -> bool:
        return self.node.broken

    def parts(self) -> Sequence[tuple[str, NodeView]]:
        if self._parts is None:
            found = walked(self.source, self.node, self.decl, self.term, self.escape)
            self._parts = [(entry.role, view) for entry, view in found if entry.role]
        return self._parts

    def each(self, make: Callable[[str, View], T]) -> list[T]:
        memo = self.source.memos
        made: list[T] = []
        for role, view in self.parts():
            key = make, id(view.decl), view.raw
            found = memo.get(key)
            if found is None:
                found = make(role, view)
                if len(key[2]) <= _SHORT and len(memo) < _MANY:
                    memo[key] = found
            made.append(found)
        return made

    def items(self) -> Sequence[NodeView]:
        return [NodeView(self.source, node, self.decl, self.term, self.escape) for node in self.node.children or ()]

    def lines(self) -> Iterator[View]:
        """As `View.lines`."""
        space, source = self.source.space, self.source
        if space is None:
            raise Unread
        kind = space.kind(self.decl, self.term, self.escape)
        return (
            kind.view(source.text, node.start, node.stop) if not node.broken else NodeView(source, node, self.decl, self.term)
            for node in self.node.children or ()
        )

    def has(self, name: str) -> bool:
        return name in roles_in(self.decl, self.term)

    def sign(self, at: int) -> NodeView:
        node = self.node
        start = node.start + 8 * at
        return NodeView(self.source, Node(node.decl, node.name, start, start + 8, str(node.value)[at]), self.decl, self.term)

    def report(self, code: Code, message: str) -> None:
        if self.source.found is not None:
            self.source.found(code, message, self.node)


class PairView(NodeView):
    """The value of a pair, with the section that follows it: its parts are those of both.

    ``mark`` is the sign with which the value says that it repeats an earlier one or holds for those that follow.
    """

    __slots__ = ("body", "declared", "key", "mark", "pair", "start")

    def __init__(self, source: Source, node: Node, decl: Decl, key: str, term: str) -> None:
        assert decl.pair is not None
        pair = decl.pair
        value = node[pair.value] if pair.value in node else Node(None, pair.value, node.stop, node.stop, "")
        held = decl.fields[pair.value]
        handed = decl.handed.get(pair.value)
        super().__init__(source, value, inner_decl(decl, value, node) or held, term, held.escape)
        self.pair, self.key = decl, key
        self.declared = (handed.choose(key) if handed is not None else None) or held
        self.start = node
        self.mark = ""
        self.body = node[pair.section] if pair.section is not None and pair.section in node else None
        inherit = decl.inherit
        if inherit is not None:
            same, header = inherit
            raw = super().raw
            if raw.startswith(header) or source.text[: value.start // 8].endswith(header):
                self.mark = header
            elif raw == same:
                self.mark = same

    @property
    def raw(self) -> str:
        raw = super().raw
        return raw.removeprefix(self.mark) if self.mark else raw

    @property
    def section(self) -> str:
        return "" if self.body is None else self.source.text[self.body.start // 8 : self.body.stop // 8]

    @property
    def columns(self) -> Mapping[str, Decl]:
        return self.pair.pair.columns if self.pair.pair is not None else {}

    def has(self, name: str) -> bool:
        return name in roles_in(self.declared, self.term)

    def parts(self) -> Sequence[tuple[str, NodeView]]:
        if self._parts is None:
            found = list(walked(self.source, self.node, self.decl, self.term, self.escape))
            if self.body is not None:
                inner = inner_decl(self.pair, self.body, self.start)
                if inner is not None:
                    found += walked(self.source, self.body, inner, self.term, self.pair.fields[self.body.name].escape)
            self._parts = [(entry.role, view) for entry, view in found if entry.role]
        return self._parts

    def terms(self) -> Iterator[tuple[Entry, NodeView]]:
        """Parts of the value that are terms of their own."""
        for entry, view in walked(self.source, self.node, self.decl, self.term, self.escape):
            if entry.kind == "term":
                yield entry, view

    def over(self, earlier: PairView) -> PairView:
        """The earlier pair's value with this one's section."""
        made = PairView(self.source, earlier.start, earlier.pair, earlier.key, earlier.term)
        made.body, made.start, made.mark = self.body, earlier.start, earlier.mark
        return made


def walked(
    source: Source, node: Node, decl: Decl, term: str, escape: str | None = None, through: bool = True
) -> Iterator[tuple[Entry, NodeView]]:
    """The parts of a record that mean something, in file order: roles of the term, terms of their own, pairs. Records that mean
    nothing themselves are seen through, or given as they are.
    """
    for child in node.inside:
        if child.absent:
            continue
        inner, below = inner_decl(decl, child, node), escape
        if inner is None:
            continue
        if child.name in decl.handed:
            below = decl.fields[child.name].escape or escape
        entry = entry_of(inner, term)
        if entry.kind in ("rest", "boards"):
            continue
        whole = not inner.many or entry.whole
        for item in (child,) if whole else (child.children or ()):
            if entry.kind == "look" and through:
                yield from walked(source, item, inner, term, below)
            elif whole or not item.broken:
                yield entry, NodeView(source, item, inner, entry.term, below)


def inner_decl(decl: Decl, child: Node, node: Node) -> Decl | None:
    """The declaration of a node below another: that which reads its text, where it was handed over and fits."""
    found = decl.part(child)
    handed = decl.handed.get(child.name)
    if handed is None or found is None or child.broken:
        return found
    key = None
    if handed.by is not None:
        key = str(node[handed.by].value) if handed.by in node else None
    chosen = handed.choose(key)
    if chosen is None or (chosen.kind == "record" and child.children is None):
        return found
    return chosen
