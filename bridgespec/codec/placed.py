"""Compute the document that a written file states, from the plain values before they are written. The difference to the source
are the losses.

A `ValueMaker` makes the plain values. A `PlacedSequence` exposes them to the terms, as a `RecordSequence` does the records of a
file that was read; `placed_document` returns the document that the terms make of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import RecordContent, RecordSequence
from bridgespec.codec.binding_words import OF_FILE, pair_entry
from bridgespec.codec.declaration import Declaration, FieldBinding, PairDeclaration, RuleDeclaration
from bridgespec.codec.key_binding import KeyBinding
from bridgespec.codec.origin import Origin
from bridgespec.codec.record_views import FieldView, Memo, PairParts, RecordView, T, ViewType, with_blocks
from bridgespec.codec.text.pending_values import SharedRecord
from bridgespec.codec.text.text_tree import Kept, TextNode
from bridgespec.model.board import Board
from bridgespec.model.document import Document

WrittenRecord = tuple[Mapping[str, Any], Mapping[str, Any]]
"""The plain values of a board, twice: as the codec writes them, and with the unchanged ones as `Kept`, which is what losses are
computed from.
"""
Blocks = tuple[RecordView, ...]
"""The repeated records around a board, the outermost first."""


class PlacedView(RecordView):
    """The view of a plain value that is written; `placed` makes it. If many records share the value, the view is cached with the
    value, and keeps the results that terms compute from it.
    """

    __slots__ = ("item", "value")

    def __init__(self, type: ViewType, value: Any) -> None:
        super().__init__(type, "")
        self.value = value
        self.item: Any = None
        """For a pair: the result of `PlacedSequence._stated_by`, cached."""

    @property
    def raw(self) -> str:
        """The characters of the value: a text itself, the joined characters of an array's elements, or what the rule of a code or
        record of a text writes. Empty for a value of a binary file that is no text.
        """
        if isinstance(self.value, list):
            return "".join([one.raw for one in self.items()])
        if isinstance(self.value, str) and self.decl.kind == "leaf":
            return self.value
        return self.type.types.spelled(self.decl, self.value) if self.decl.of_text else ""

    @property
    def code(self) -> str | None:
        if self.decl.kind != "code" or self.decl.of_text:
            return super().code
        return self.decl.name_of(self.value)

    @property
    def number(self) -> int | None:
        return self.value if isinstance(self.value, int) and self.decl.kind != "code" else super().number

    @property
    def raw_value(self) -> object:
        return self.value

    @property
    def raw_values(self) -> Sequence[object]:
        return [*self.value]

    @property
    def is_present(self) -> bool:
        return self.value not in ("", b"", [])

    def items(self) -> Sequence[RecordView]:
        return [placed(self.type, one) for one in self.value]

    def children(self) -> Iterator[tuple[FieldBinding, RecordView]]:
        type, decl = self.type, self.type.decl
        if not isinstance(self.value, dict) or decl.kind != "record":
            return
        fields, delegated = type.fields, decl.delegated
        for name, value in self.value.items():
            field = self._field(name) if name in delegated else fields.get(name)
            if field is None:
                continue
            if value.__class__ is list and not (field.entry.array_as_one and field.type.decl.many):
                for one in value:
                    yield field.entry, placed(field.type, one)
            else:
                yield field.entry, placed(field.type, value)

    def _field(self, name: str) -> FieldView | None:
        """Return the binding and view type of a delegated field, whose text another rule reads; None where it has no meaning."""
        delegated = self.type.delegated[name]
        chosen = delegated.choose(self.value.get(delegated.by))
        if chosen is None:
            return self.type.fields.get(name)
        entry = self.type.types.entry(chosen.decl, self.type.term)
        return None if entry.kind in ("rest", "boards") else FieldView(entry, chosen)

    def _own_parts(self) -> Sequence[tuple[str, RecordView]]:
        if self._parts is None:
            found: list[tuple[str, RecordView]] = []
            for entry, view in self.children():
                if entry.kind == "role":
                    found.append((entry.role, view))
                elif entry.kind == "look":
                    found += view.parts()
            self._parts = found
        return self._parts

    def each(self, make: Callable[[str, RecordView], T]) -> list[T]:
        type, found = self.type, list[T]()
        if self.value.__class__ not in (dict, SharedRecord) or self.decl.delegated:
            return [view.made(make, role) for role, view in self.parts()]
        for name, value in self.value.items():
            field = type.fields.get(name)
            if field is None or field.entry.kind not in ("role", "look"):
                continue
            entry, inner = field
            whole = value.__class__ is not list or (entry.array_as_one and inner.decl.many)
            for one in (value,) if whole else value:
                if entry.kind == "look":
                    found += placed(inner, one).each(make)
                elif one.__class__ is not str:
                    found.append(placed(inner, one).made(make, entry.role))
                else:
                    # Most texts, such as ranks, calls and cards, have a result from another record.
                    key = make, entry.role, one
                    made = inner.results.get(key, inner)
                    found.append(inner.results.keep(key, make(entry.role, placed(inner, one))) if made is inner else made)
        return found if self.pair is None or self.pair.section is None else found + self.pair.section.each(make)

    def each_inside(self, make: Callable[[str, RecordView], T]) -> list[tuple[str, list[T]]] | None:
        value, found = self.value, list[tuple[str, list[T]]]()
        if (
            value.__class__ not in (dict, SharedRecord)
            or self.decl.delegated
            or (self.pair is not None and self.pair.section is not None)
        ):
            return None
        for name, inner in value.items():
            field = self.type.fields.get(name)
            if field is None:
                continue
            entry, type = field
            if entry.kind != "role" or (entry.array_as_one and type.decl.many):
                return None
            for one in inner if inner.__class__ is list else (inner,):
                part = placed(type, one)
                found.append((entry.role, part.each(make) if type.decl.kind == "record" else [part.made(make, entry.role)]))
        return found

    def alike(self, type: ViewType) -> RecordView:
        return PlacedView(type, self.value)


def placed(type: ViewType, value: Any) -> RecordView:
    """Return the view of a plain value. For an unchanged value (`Kept`) it is a view of its node or text, for a text in place of a
    record a view of the text, else a `PlacedView`.
    """
    if value.__class__ is SharedRecord:
        if value.view is None or value.view.type is not type:
            # Cached with the value, which many records share.
            value.view = view = PlacedView(type, value)
            view.results = Memo()
        return cast("RecordView", value.view)
    if value.__class__ is Kept:
        node = value.node
        if isinstance(node, TextNode):
            return RecordView(type, node.source, node.start // 8, node.stop // 8)
        return RecordView(type, node)
    # A text in place of a record is read by the record's rule, as a reader would.
    if value.__class__ is str and type.decl.kind == "record" and type.decl.of_text:
        return RecordView(type, value, 0, len(value))
    return PlacedView(type, value)


class PlacedContent(RecordContent):
    """The content of one record as it will be written."""

    __slots__ = ("_placed",)

    def __init__(self, sequence: RecordSequence, index: int, items: list[Any] | None = None) -> None:
        super().__init__(sequence, index, items)
        self._placed: list[tuple[str, RecordView]] = []
        """The pairs with a section, each with the word of its key."""

    def _add(self, items: Sequence[Any]) -> None:
        """Add the statements of a record to `_stated`. An item is a pair, a field with its binding, or the name of a term with its
        statement.
        """
        assert self._stated is not None
        for item in items:
            if item[0].__class__ is not str:
                super()._add([item])
                continue
            self._stated.setdefault(item[0], []).append(item[1])
            if self._order is not None:
                self._order.append(item)

    def _put(self, entry: FieldBinding, view: RecordView) -> None:
        super()._put(entry, view)
        if view.pair is not None and view.pair.section is not None and view.pair.decl.pair is not None:
            self._placed.append((view.pair.decl.pair.word(view.key) or view.key, view))

    def _memo(self, name: str, stated: Sequence[Any]) -> tuple[Memo[Any] | None, Any]:
        if len(stated) == 1 and isinstance(stated[0][1], PlacedView):
            return stated[0][1].results, name
        return super()._memo(name, stated)

    def sections(self, role: str) -> Sequence[tuple[str, RecordView]]:
        return [*super().sections(role), *(one for one in self._placed if self._may_have(role, one[1]))]

    def _may_have(self, role: str, view: RecordView) -> bool:
        """Whether a part with a role may be in a pair or its section. True for values, since only texts can be searched for the
        part's delimiter.
        """
        assert view.pair is not None
        section = view.pair.section
        if section is None or isinstance(view, PlacedView) or isinstance(section, PlacedView):
            return True
        of = self.table.keys(view.pair.decl)[view.key]
        return of.may_have(self.table, role, (view.key, view.raw, "", section.raw))


class PlacedSequence(RecordSequence):
    """The records of one file as they will be written. ``values`` are the plain values of the file, ``records`` the plain values of
    its boards; ``first`` is the index of the first of these boards in the file.
    """

    def __init__(
        self, binder: Binder, boards: Sequence[Board], values: Mapping[str, Any], records: Sequence[WrittenRecord], first: int
    ) -> None:
        super().__init__(binder, placed(binder.file_type, values), [])
        self.boards, self.first = boards, first
        self.records = [one for one in records if self._is_board(one[1])]
        self.around_each = dict(self._placed_blocks(binder.top, values, ())) if binder.block_terms else {}

    def _placed_blocks(self, decl: Declaration, values: Mapping[str, Any], blocks: Blocks) -> Iterator[tuple[int, Blocks]]:
        """Yield the identity of each board's plain value, with the views of the repeated records around the board, the outermost
        first.
        """
        for name, inner in decl.fields.items():
            value = values.get(name)
            items: Sequence[Any] = () if value is None else value if inner.many else (value,)
            if inner is self.table.listed:
                yield from ((id(item), blocks) for item in items)
            elif name in self.table.around:
                for item in items:
                    view = placed(self.table.view_type(inner, "", None), item)
                    yield from self._placed_blocks(inner, item, (*blocks, view) if inner.many else blocks)

    def _is_board(self, record: Mapping[str, Any]) -> bool:
        """Whether a record reads back as a board: in a binary file if it has any bytes, in a text if it does not look like an
        unused board.
        """
        table = self.table
        if not table.top.of_text:
            # A record without a byte is not in the file.
            return isinstance(record, Kept) or any(value != [] for value in record.values())
        unused = [one for one in table.top.fields.values() if one.fill is not None]
        text = table.spelled(table.board_type.decl, record) if unused else ""
        return not any(table.fits(one, text, 0, len(text)) for one in unused)

    def content(self, index: int) -> RecordContent:
        written, record = self.records[index]
        items, origin = self._items(placed(self.table.board_type, record)), self.boards[index].origin
        items = with_blocks(items, self.around_each.get(id(written), ()), self._items)
        # Unchanged pairs may be marks that repeat a value of an earlier record.
        if isinstance(origin, Origin) and origin.spec == self.table.spec.id and (origin.sequence.depends or origin.sequence.same):
            items = _resolved(items, origin)
        found = self.made_of(index, items)
        if self.first_stated is None and (first := found["first_number"]) is not None:
            self.first_stated = first
        return found

    def forget(self) -> None:
        super().forget()
        self.boards, self.records = (), []

    def _items(self, view: RecordView, depth: int = 0) -> list[Any]:
        """Return the items of a record in the order in which it is written: its pairs, and its other fields that state terms. The
        item of a pair that many records share is cached with the pair.
        """
        value = view.raw_value
        if not isinstance(view, PlacedView) or value.__class__ is not dict or len(value) != 1:
            return super()._items(view, depth)
        ((name, pairs),) = cast("dict[str, Any]", value).items()
        field = view.type.fields.get(name)
        if field is None or field.entry.kind != "pair" or pairs.__class__ is not list or name in view.decl.delegated:
            return super()._items(view, depth)
        found: list[Any] = []
        for one in pairs:
            known = one.view if one.__class__ is SharedRecord else None
            # A shared value may have been written by another schema, whose view has other types.
            if known is None or known.type is not field.type or known.item is None:
                known = placed(field.type, one)
                item = self._pair(known)
            else:
                item = known.item
            if item:
                found.append(item)
        return found

    def made_of(self, index: int, items: list[Any] | None = None) -> RecordContent:
        return PlacedContent(self, index, items)

    def _pair(self, view: RecordView) -> Any:
        pair = view.decl.pair
        if pair is None or not isinstance(view, PlacedView):
            return super()._pair(view)
        if view.item is None:
            view.item = self._stated_by(view, pair)
        return view.item or None

    def _stated_by(self, view: PlacedView, pair: PairDeclaration) -> tuple[Any, Any] | tuple[()]:
        """Return what a pair states: (term, statement) or (binding, view); empty where the pair has no meaning."""
        key, value = str(view.value.get(pair.key)), view.value.get(pair.value, "")
        of = self.table.keys(view.decl)[key]
        if not of.term:
            return ()
        read, kept, under = of.views(self.table, of.term)
        if read is not None and isinstance(read.decl, RuleDeclaration) and read.decl.words.trim and isinstance(value, dict):
            # Trimming may leave a text that its rule does not match, such as an auction without a call.
            value = self.table.spelled(read.decl, value)
        section = placed(under, view.value[pair.section]) if under is not None and pair.section in view.value else None
        alone = of.alone and section is None
        if isinstance(value, str) and (read is None or read.decl.kind != "code"):
            row = key, value, "", ""
            if alone:
                return of.term, (of, row)
            made = of.view(self.table, of.term, row)
            made = made if section is None else made.with_section(section)
        else:
            made = own = PlacedView(read or kept, value)
            own.results = None if view.results is None else Memo()
            own.pair = PairParts(key, view.decl, read or kept, section)
        return (of.term, (of.member, made)) if alone else (pair_entry(view.decl, key), made)


def _resolved(items: Sequence[Any], origin: Origin) -> list[Any]:
    """Return the items of a record of the source's own format. Repetition signs in unchanged pairs are replaced by the values that
    they repeat, and pairs inherited from earlier records are added at the end.
    """
    read = {item[0].key: item for item in origin.sequence.resolved_items(origin.index) if len(item) > 2}
    keys = {_key(*item[:2]) for item in items}
    held = [item for key, item in read.items() if not item[7] and key not in keys]
    # A mark that repeats nothing, as no record before it has the key, states nothing.
    stated = (read.get(item[0].key) if _repeats(item) else item for item in items)
    return [*(item for item in stated if item is not None), *held]


def _repeats(item: Sequence[Any]) -> bool:
    """Whether an item is an unchanged pair that has a repetition sign, or the mark of a value that later records inherit."""
    marks = None if len(item) == 2 else item[0].decl.inherit
    return marks is not None and item[1].startswith(marks, item[2], item[3])


def _key(of: Any, stated: Any) -> str:
    """Return the key of an item that is a pair, given its two parts; empty for any other item."""
    if isinstance(of, KeyBinding):
        return of.key
    view = stated if isinstance(of, FieldBinding) else stated[0] if isinstance(stated[0], KeyBinding) else stated[1]
    return str(view.key)


def placed_document(
    binder: Binder,
    document: Document,
    values: Mapping[str, Any],
    records: Sequence[WrittenRecord],
    first: int = 0,
    file: RecordContent | None = None,
) -> tuple[Document, RecordContent]:
    """Return the document that the plain ``values`` of a file and ``records`` of its boards state, and the content for all
    boards. In a later stretch, ``file`` is the content for all boards that an earlier one has written.
    """
    sequence = PlacedSequence(binder, document.boards, values, records, first)
    if file is not None:
        sequence.file, sequence.first_stated = file, file.sequence.first_stated
    boards = tuple(Board(**sequence.content(at).fields()) for at in range(len(sequence.records)))
    made = {name: value for name in OF_FILE if (value := sequence.file[name]) is not None}
    sequence.forget()
    return Document(boards=boards, **made), sequence.file
