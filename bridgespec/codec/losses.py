"""Losses of a conversion: content that a source states and the values written for it do not.

`lost_in` compares a document with the document of the values placed (`placed.placed_document`). Nothing is read back; the test
suite and `check-spec` verify that a document read back lacks the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import BOARD
from bridgespec.codec.binding_words import OF_FILE, below, entry_of, has_no_meaning, pair_entry
from bridgespec.codec.declaration import Declaration, PairDeclaration
from bridgespec.codec.node import FieldNode
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.terms import TERMS, Term, is_stated
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import BOARDS, Field, Spec

LOST = define(
    "lost",
    Severity.WARNING,
    """the target cannot hold this

    The source says more than the target format has room for. The file is written without it. With ``--strict`` nothing is
    written and the exit status is 1.
    """,
)
_FOLLOWING = object()
"""In `_TERMS`, in place of a default: the term may lose something although its own field has the default value."""
_TERMS = tuple(
    # A term with a comparison of its own may lose something although its field is not stated.
    (term, getattr(Board(), name) if (type(term).compared, type(term).losses) == (Term.compared, Term.losses) else _FOLLOWING)
    for name in BOARD
    if (term := TERMS.get(name)) is not None
)
"""The terms of boards, each with the default value of its field: a board with this value loses nothing of the term."""
_AROUND, _OF_BOARDS, _OWN_AROUND, _OWN = range(4)
"""The ranks of `Losses`: content for all boards, content of single boards, then the fields without a meaning in the model, first
those for all boards.
"""
_BLANK = ("", 0, b"", False, None)
"""The values of a field that need not be kept."""
_IDLE = ", 0"
"""The characters of an empty list, and of a count of zero."""
_TEXTS = frozenset({"event", "site", "date"})
"""The fields of a document that a file may state of each board instead."""
_NAMES = {"system": "the bidding system", "tags": "the tags of the whole file", "comments": "the comments on the whole file"}


class Losses(Counter[tuple[int, str]]):
    """The number of times that each kind of content of a document is lost in a target format, by rank and description.

    Ranks order the report: content for all boards, content of single boards, then fields that only the source's format has. A
    loss of content for all boards counts once.
    """

    def include(self, more: Losses, times: int = 1) -> None:
        """Add the losses of the next batch; ``times`` is the number of equal batches."""
        for (rank, kind), number in more.items():
            self[rank, kind] = 1 if rank == _AROUND else self[rank, kind] + number * times

    def in_words(self, spec: str, rooms: int = 0) -> list[Diagnostic]:
        """Return the losses as findings about the target format ``spec``. ``rooms`` is the number of boards left out because
        their deal is written for another room.
        """
        several = f"{rooms} board{'s' * (rooms > 1)} of another room with the same deal: each deal is written once"
        told = [several] if rooms else []
        kinds: Counter[str] = Counter()
        for (_, kind), number in sorted(self.items(), key=lambda item: item[0][0]):
            kinds[kind] += number
        told += [kind if number == 1 else f"{kind} ({number} times)" for kind, number in kinds.items()]
        return [Diagnostic(LOST.name, LOST.severity, f"{spec} cannot hold {what}") for what in told]


def lost_in(binder: Binder, document: Document, back: Document, fresh: bool) -> Losses:
    """Return what ``document`` states and ``back``, the document that its written form states, does not. ``fresh``: no text of
    the source was kept.
    """
    lost = Losses()
    if not binder.terms:
        return lost
    for name in OF_FILE:
        if _is_lost_around(document, back, name):
            written = name in _TEXTS and name in binder.terms and back.boards
            lost[_AROUND, _NAMES.get(name, f"the {name}") + " as it is written" * bool(written)] = 1
    for what in _lost_of_boards(binder, document, back):
        lost[_OF_BOARDS, what] += 1
    lost.update(own_losses(document, binder.spec.id, fresh))
    return lost


def _is_lost_around(document: Document, back: Document, name: str) -> bool:
    """Whether a document states a value for all its boards, and neither ``back`` nor each of its boards has this value."""
    value = getattr(document, name)
    if not is_stated(value) or (not document.boards and document.system is None and name in _TEXTS):
        return False  # other batches have the boards that state it
    if getattr(back, name) == value:
        return False
    # The target may state the value of each board in place of the file: then it is not lost.
    return not back.boards or any(getattr(board, name, None) != value for board in back.boards)


def _lost_of_boards(binder: Binder, document: Document, back: Document) -> Iterator[str]:
    """Yield a description of each loss of a board, in the order of boards and terms."""
    # Boards that the target lacks are compared with boards that have a number only.
    none = (Board(number=number) for number in count(len(back.boards) + 1))
    # A value that the target states around its boards applies to each of them.
    around = {name: value for name in sorted(_TEXTS) if (value := getattr(back, name)) is not None}
    for one, two in zip(document.boards, chain(back.boards, none), strict=False):
        if around:
            two = replace(two, **{name: value for name, value in around.items() if getattr(two, name) is None})
        for term, unstated in _TERMS:
            has_field = term.NAME in binder.terms
            if unstated is not _FOLLOWING:
                # Most boards state few terms; a value that is not stated, or that is placed unchanged, is no loss.
                value = getattr(one, term.NAME)
                if value == unstated or (has_field and value == getattr(two, term.NAME)):
                    continue
            yield from term.losses(one, two, has_field)


def lost_to_all(lost: Sequence[Sequence[Diagnostic]]) -> list[Diagnostic]:
    """Return the losses that several targets have in common, given the findings for each; compared by message without the
    target's name.
    """
    first, *others = lost
    kinds = [{found.message.partition(" ")[2] for found in other} for other in others]
    return [found for found in first if all(found.message.partition(" ")[2] in other for other in kinds)]


# --- fields that a format alone has


def own_losses(document: Document, spec: str = "", fresh: bool = False) -> Losses:
    """Return as losses the fields without a meaning in the model, which only the source's own format has; ``spec`` is the target
    format.

    There are none in the source's own format, except for pairs of a text that is encoded anew (``fresh``).
    """
    found = Losses()
    for rank, own in ((_OWN_AROUND, own_around), (_OWN, own_of_boards)):
        found.update({(rank, what): times for what, times in own(document, spec, fresh).items()})
    return found


def own_around(document: Document, spec: str, fresh: bool) -> Counter[str]:
    """Return the fields around a document's boards that have no meaning in the model and are lost in the format ``spec``, with
    their counts.
    """
    file = document.origin
    if not isinstance(file, FileOrigin) or not (fresh or file.spec != spec):
        return Counter()
    root, table = file.reading.root, file.sequence.table
    fields = _around(root, table.top, _clean(table.spec)) if table.top.of_text else _own_below(root, table.top)
    found = Counter(f"the field {name} of {file.spec}" for name in fields)
    if table.listed is not None and table.listed.case is not None:
        others = (one for one in table.elements(root) if not table.listed.is_one(one))
        found.update(f"a record of {_kind(table.listed, one)} of {file.spec}" for one in others)
    return found


def _clean(spec: Spec) -> Collection[str]:
    """Return the names of the fields of a text that a writer makes without the model, such as the heading of PBN."""
    form = getattr(spec.text, "form", None)
    return () if form is None else form.clean


def _kind(listed: Declaration, node: FieldNode) -> str:
    """Return words for the type of a record that is no board: name and value of the field that selects it, ``the kind remark``."""
    values = {child.name: child.value for child in node.children or ()}
    by = next((choice.by for choice in listed.choices if choice.by in values), None)
    if by is None:
        return "another kind"
    return f"the {by.replace('_', ' ')} {listed.fields[by].name_of(values[by]) or values[by]!r}"


def own_of_boards(document: Document, spec: str, fresh: bool) -> Counter[str]:
    """Return the fields of a document's boards that have no meaning in the model and are lost in the format ``spec``, with their
    counts.
    """
    found: Counter[str] = Counter()
    for board in document.boards:
        origin = board.origin
        if not isinstance(origin, Origin) or (origin.spec == spec and not fresh):
            continue
        if origin.spec != spec and origin.sequence.table.own_fields:
            found.update(f"the field {name} of {origin.spec}" for name in _own_parts(origin))
        found.update(f"the field {key} of {origin.spec}" for key in _own_pairs(origin))
    return found


def _own_parts(origin: Origin) -> Iterator[str]:
    """Yield the names of a board's fields, without its pairs, that have a value and no meaning in the model."""
    sequence = origin.sequence
    rows, board, names = sequence.rows(origin.index), sequence.table.board, sequence.table.own_fields
    if board is None or not names:
        return
    if rows is not None:
        # Most boards of pairs have none of these fields, and need no tree.
        spans = [(board.fields[name], start, stop) for name, start, stop in sequence.spans_of(rows[1]) if name in names]
        # A row without a key is another element of the array of pairs, whose fields are in the tree.
        if all(row[0] for row in rows[0]) and all(decl.binding.opaque for decl, *_ in spans):
            yield from (decl.name for decl, start, stop in spans if not _is_blank(decl, sequence.text[start:stop]))
            return
    yield from _own_below(origin.node, board)


def _own_below(node: FieldNode, decl: Declaration, term: str = "") -> Iterator[str]:
    """Yield the names of the fields below a node, without boards and pairs, that have a value and no meaning in the model."""
    for child in _stored(node):
        inner = decl.part(child)
        if inner is None or child.absent or inner.pair is not None or (entry := entry_of(inner, term)).kind == "boards":
            continue
        if has_no_meaning(inner, term):
            if _has_value(inner, child):
                yield inner.name
        elif not inner.binding.opaque:
            for item in (child.children or ()) if inner.many else (child,):
                yield from _own_below(item, inner, entry.term or term)


def _stored(node: FieldNode) -> Iterator[FieldNode]:
    """Yield the fields of a record, and its instances that read bytes outside of the range of those fields."""
    parts = node.children or ()
    yield from parts
    fields = [one for one in parts if one.decl is not None]
    first, last = (fields[0].start, fields[-1].stop) if fields else (0, 0)
    yield from (one for one in node.inside[len(parts) :] if not first <= one.start < one.stop <= last)


def _own_in(origin: Origin, decl: Declaration, term: str, text: str, start: int, stop: int) -> Iterator[str]:
    """Yield the names of the fields, at any depth of a rule that reads a text, that have a value and no meaning in the model."""
    for name, first, last in origin.sequence.table.spans(decl, text, start, stop) or ():
        inner = decl.fields[name]
        if has_no_meaning(inner, term):
            if not _is_blank(inner, text[first:last]):
                yield inner.name
        elif inner.kind == "record" and not inner.binding.opaque:
            yield from _own_in(origin, inner, entry_of(inner, term).term or term, text, first, last)


def _has_value(decl: Declaration | Field, node: FieldNode) -> bool:
    """Whether a node, or a part of it, has a value other than the default of the field."""
    if node.absent:
        return False
    if isinstance(node, TextNode):
        return not _is_blank(decl, node.text)
    return not _is_blank(decl, node.value) if node.children is None else any(_has_value(decl, one) for one in node.children)


def _is_blank(decl: Declaration | Field, value: object) -> bool:
    """Whether a value is empty, zero or the default that the schema declares."""
    default = decl.binding.default
    value = value.strip().strip("\0") if isinstance(value, str) else value.strip(b"\0") if isinstance(value, bytes) else value
    return value in _BLANK or (default is not None and default.stated in (None, value))


def _own_pairs(origin: Origin) -> list[str]:
    """Return the keys of a board's pairs that have a value and no meaning in the model; for a pair with a meaning, the fields of
    its value that have none.
    """
    if origin.sequence.table.pairs is None:
        return []
    decl = origin.sequence.table.pair_keys.decl
    pair = decl.pair
    table = origin.sequence.table
    if pair is None or not table.has_own_pairs:
        return []
    rows = origin.sequence.rows(origin.index)
    values = _pairs_of(origin.node, decl.name, pair) if rows is None else [(key, value) for key, value, *_ in rows[0] if key]
    found = [key.lower() for key, value in values if value.strip(_IDLE) and pair_entry(decl, key).kind == "rest"]
    for key, value in values:
        if (read := table.own_value(key)) is not None:
            term = pair_entry(decl, key).term
            found += [f"{key.lower()}.{name}" for name in _own_in(origin, read, term, value, 0, len(value))]
    return found


def _around(node: FieldNode, decl: Declaration, written: Collection[str]) -> Iterator[str]:
    """Yield the names of pairs, fields and records around the boards of a text that have no meaning in the model, without the
    fields that a writer makes itself (``written``).
    """
    for child in node.children or ():
        if not isinstance(child, TextNode) or _is_list_of_boards(child):
            continue
        inner = decl.fields.get(child.field)
        if not child.text.strip(_IDLE) or child.field in written or child.own.words.fill is not None:
            continue
        pair = child.rule.words.pair
        if child.name == child.field and child.decl is not None and child.decl.repeat is not None:
            yield from _around(child, decl, written)
        elif pair is not None and pair.key in child:
            yield from _opaque_key(child, pair.key, pair.terms)
        elif inner is not None and has_no_meaning(inner):
            if not _is_blank(inner, child.text):
                yield child.field.replace("_", " ")
        elif inner is not None and child.children is not None and not inner.binding.opaque:
            yield from _stated_of_no_board(child, inner)
            yield from _around(child, inner, written)


def _opaque_key(node: TextNode, key_field: str, terms: Mapping[str, str]) -> Iterator[str]:
    """Yield the key of a pair around the boards of a text, if its value is not empty and the schema declares it as opaque.
    ``terms`` are the declared terms by key.
    """
    key = str(node[key_field].value).lower()
    values = [one for one in node.children or () if isinstance(one, TextNode) and one.field != key_field]
    if terms.get(key, terms.get("*")) == "opaque" and values and values[0].text.strip(_IDLE):
        yield key


def _stated_of_no_board(node: TextNode, decl: Declaration) -> Iterator[str]:
    """Yield the fields with a meaning of a block around boards that has no board."""
    # A block's fields apply to the boards in it; in a block without boards, no board states them.
    if any(entry_of(one).kind == "boards" for one in below(decl)) and not _has_boards(node):
        yield from (f"{one.name} (of no board)" for one in node.children or () if _is_stated(one, decl))


def _is_list_of_boards(node: TextNode) -> bool:
    """Whether a node of a text is the list of boards, by its name or its binding."""
    return BOARDS in (node.field, node.rule.words.binding.term)


def _has_boards(node: FieldNode) -> bool:
    """Whether a node of a text has a board below it, at any depth."""
    return any(isinstance(child, TextNode) and (_is_list_of_boards(child) or _has_boards(child)) for child in node.children or ())


def _is_stated(node: FieldNode, decl: Declaration) -> bool:
    """Whether a field of a text has a value, and a meaning in the model."""
    inner = decl.fields.get(node.name)
    return inner is not None and isinstance(node, TextNode) and not has_no_meaning(inner) and not _is_blank(inner, node.text)


def _pairs_of(node: FieldNode, name: str, pair: PairDeclaration) -> list[tuple[str, str]]:
    """Return key and value of each pair of a record from its nodes, where the record cannot be split into rows."""
    pairs = [one for child in node.children or () if child.name == name for one in child.children or ()]
    return [(str(one[pair.key].value), str(one[pair.value].value or "")) for one in pairs if pair.key in one and pair.value in one]
