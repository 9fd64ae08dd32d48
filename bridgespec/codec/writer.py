"""Write documents in a format: completely, or the boards that the format can represent, with the reasons for the others.

The call path: a `DocumentWriter` tries the encodings of the format; for each, a `ValueMaker` makes the plain values of the file and
its boards, by `records.Records` where these are text, and the codec writes them. Values that were read by the same schema and not
changed are written back unchanged; only changes are encoded. `DocumentWriter.placed` returns the document that the values state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import RecordContent
from bridgespec.codec.binding_words import below, entry_of
from bridgespec.codec.declaration import CaseDeclaration, Declaration, FieldBinding, RuleDeclaration
from bridgespec.codec.encode import EncodeContext, PairValues, absent, completed
from bridgespec.codec.origin import FileOrigin, Origin, Regrouped
from bridgespec.codec.placed import WrittenRecord, placed_document
from bridgespec.codec.records import Records
from bridgespec.codec.terms import TERMS, CannotRepresent, is_stated
from bridgespec.codec.terms.deal_terms import why_incomplete
from bridgespec.codec.text.text_tree import Kept
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.errors import WriteError
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document

CANNOT_HOLD = define(
    "cannot-hold",
    Severity.ERROR,
    """the target cannot hold this board at all

    The target has no way to spell what the board says (half a deal in a format for whole deals, fifteen tricks), or needs
    something that the board does not say. `convert` leaves such boards out and ends with status 1; where all are such, it writes
    nothing. Choose another target, other boards, or give what is missing.
    """,
)
_BOARD = re.compile(r"^board \d+: ")
"""The number of the board at the beginning of a message."""
_OF_BOARD = re.compile(r"^\w+\[\d+\]\.")
"""The record at the beginning of the path of a field, which messages replace by the number of the board."""
_COMMON = ("event", "site", "date", "round", "scoring", "teams")
"""The fields that a file may state once for all its boards."""
_UNSET: Any = object()
"""In place of a plain value: the mapping has none for the field, which the codec derives or takes from its default."""


@dataclass(frozen=True, slots=True)
class _OuterRecord:
    """The input for the plain values of a record around boards, or of the file; made by `ValueMaker` for each such record.

    ``base`` are the values that were read, and ``boards`` those of the boards inside. ``origin`` is None for a new record.
    ``regrouped`` are the records around the boards that were read, if they can be written back.
    """

    decl: Declaration
    document: Document
    origin: FileOrigin | None
    base: PairValues
    boards: list[Mapping[str, Any]]
    context: EncodeContext
    regrouped: Regrouped | None = None


class ValueMaker:
    """Makes the plain values of a document in one format; one is made for each attempt to write. With ``canonical`` everything is
    encoded anew.

    With ``careful``, a pair that the grammar cannot spell is left out. ``source`` is the complete document if the written one is a
    part of it: the content around the boards is taken from it.
    """

    def __init__(
        self,
        binder: Binder,
        canonical: bool = False,
        careful: bool = False,
        inherited_keys: Set[str] = frozenset(),
        encoding: str = "latin-1",
        source: Document | None = None,
    ) -> None:
        self.binder = binder
        self.source = source
        self.spec = binder.spec
        self.canonical = canonical
        self.records = Records(binder, canonical, careful, inherited_keys, encoding)
        self.encoder = self.records.encoder
        self.findings: list[Diagnostic] = []
        self.same = False
        """Whether the document has the same boards as its file, in the same order; their content may have changed."""
        self.still = False
        """Whether `same` is true and no board has changed."""
        self.made: list[Mapping[str, Any]] = []
        """The plain values of each board from which losses are computed; unchanged records are `Kept`."""
        self.boards: list[Mapping[str, Any]] = []
        """The plain values of each board as the codec writes them."""
        self.origin: FileOrigin | None = None
        """The origin of the document, if its text or bytes are to be kept."""
        self.others: FileOrigin | None = None
        """The origin of the document, if that is a file of this format: it may have records of other types, which no board states.
        """

    def make(self, document: Document, partial: bool = False) -> tuple[PairValues, FileOrigin | None, Document]:
        """Return the plain values of a document, the origin of the file whose unchanged text is kept (None for a new file or a
        binary one), and the document without boards that are left out.

        With ``partial``, a board that cannot be represented is left out and its reasons become findings, unless other boards
        depend on it. Raises WriteError with everything that the format cannot represent.
        """
        base = self._compare(document)
        origin = self.origin
        if not self.binder.terms:
            values = base
        elif self.binder.board is not self.binder.top:
            # Where a file is patched, or states the first number for all boards, leaving one out changes the others.
            partial = partial and origin is None and not self.binder.numbers_all
            document = document if self.binder.board is None else self._encode(document, partial)
            # What applies to every board of a part is that of the document which it is a part of.
            whole = document if self.source is None else self.source
            values = self._file(
                _OuterRecord(
                    self.binder.top,
                    document,
                    origin,
                    base,
                    self.boards,
                    EncodeContext(_common(whole), whole, 0, True),
                    self._regrouped(document),
                )
            )
        else:
            if len(document.boards) != 1:
                self._cannot(None, f"{self.spec.id} holds one board, not {len(document.boards)}")
            values = dict(self._board(document.boards[0], 0, document)) if document.boards else {}
        if self.findings and not (partial and document.boards):
            raise refusal(self.findings)
        return values, origin if self.binder.top.of_text else None, document

    def _compare(self, document: Document) -> PairValues:
        """Set what in a document is as in the file that was read: `origin`, `others`, `same`, `kept` and `still`. Return the plain
        values of that file, on which the written ones are based; empty for a new file.
        """
        origin = document.origin if isinstance(document.origin, FileOrigin) and document.origin.spec == self.spec.id else None
        if not self.binder.terms and origin is None:
            self._cannot(None, f"{self.spec.id} has no bridge meaning: it can hold nothing of another format")
        self.others = origin
        origin = None if self.canonical and self.binder.terms else origin
        self.records.fresh = origin is None
        read = () if origin is None else origin.as_read.boards
        # By identity: two boards of a file may be equal, and each has its own place.
        self.same = origin is not None and [id(one.origin) for one in document.boards] == [id(one.origin) for one in read]
        # A board that is the very one of the file has not changed.
        self.kept = frozenset(map(id, read))
        self.origin = origin
        self.still = self.same and all(id(board) in self.kept for board in document.boards)
        if origin is None:
            return {}
        base: PairValues = origin.reading.root.as_plain()
        if "trailing" in base and not self.still and self.spec.placing and not origin.reading.diagnostics:
            base.pop("trailing")  # these bytes belong to parts at offsets, which are written again
        return base

    def _cannot(self, index: int | None, message: str, help: str | None = None) -> None:
        """Add a finding on the board with this index, or on the document (None), that the format cannot represent."""
        message = message if index is None else f"board {index + 1}: {self.spec.id} cannot hold its {message}"
        self.findings.append(Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=index, help=help))

    # --- the file around the boards ---------------------------------------------------------------------------------

    def _file(self, outer: _OuterRecord) -> PairValues:
        """Return the plain values of the file, or of a record around boards."""
        values = dict(outer.base)
        for name, inner in outer.decl.fields.items():
            value = self._outer_field(outer, inner, values.get(name, _UNSET))
            if value is _UNSET:
                values.pop(name, None)
            else:
                values[name] = value
        if not self.same:
            # Added last, since values are written in the order of the mapping.
            unused = [inner for name, inner in outer.decl.fields.items() if inner.fill is not None and name not in values]
            values.update({inner.name: _unused(inner, outer.document) for inner in unused})
        return values

    def _outer_field(self, outer: _OuterRecord, inner: Declaration, read: Any) -> Any:
        """Return the plain value of a field around boards, or `_UNSET`. ``read`` is its value in the file that was read."""
        entry, form = entry_of(inner), self.records.form
        if entry.kind == "boards":
            return self._list_of_boards(outer, inner, read)
        if entry.kind == "term" and TERMS[entry.term].ON == "document":
            return self._system(outer, inner, entry, read)
        if outer.origin is None and form is not None and inner.name in form.clean:
            return form.clean[inner.name]
        if inner.name in self.binder.around or (entry.kind == "look" and not outer.decl.of_text and not inner.many):
            return self._record_around(outer, inner, read)
        if outer.decl.of_text:
            return self._text_around(outer, inner, read)
        if entry.kind == "term":
            return self._term_of_file(outer, inner, entry, read)
        # The count of its elements may be derived from the field, which therefore must be a list.
        return self._unless_stale(inner, True, [] if read is _UNSET and _is_raw_list(inner) else read)

    def _list_of_boards(self, outer: _OuterRecord, inner: Declaration, read: Any) -> Any:
        """Return the plain value of the field that the boards are in: a list, or one record where the schema has no list of boards.
        `_UNSET` if a text that was read without boards has none now.
        """
        records = outer.boards if inner.case is None else self._with_others(inner, outer.boards, outer.document)
        # A text that was read without boards, such as a file of comments, is written back without the field.
        if not records and read is _UNSET and outer.origin is not None and outer.decl.of_text:
            return _UNSET
        return records if inner.many else records[0]

    def _system(self, outer: _OuterRecord, inner: Declaration, entry: FieldBinding, read: Any) -> Any:
        """Return the plain values of the lines of a bidding system: those that were read (``read``) if the system is unchanged,
        else encoded anew.
        """
        system, origin, context = outer.document.system, outer.origin, outer.context
        if system is None or (origin is not None and system == origin.as_read.system):
            return read
        return self.encoder.encode_array(inner, entry.term, self.encoder.offer(entry.term, "", context), context) or []

    def _record_around(self, outer: _OuterRecord, inner: Declaration, read: Any) -> Any:
        """Return the plain value of a field around the boards whose records contain boards or bound fields. ``read`` is its value
        in the file that was read, `_UNSET` without one.
        """
        if inner.name in self.binder.around:
            if outer.regrouped is not None:
                return outer.regrouped.field(inner)
            if inner.many:
                return self._blocks(inner, outer.document, outer.boards)
        base = read if isinstance(read, dict) else {}
        return self._file(replace(outer, decl=inner, base=base, regrouped=None))

    def _text_around(self, outer: _OuterRecord, inner: Declaration, read: Any) -> Any:
        """Return the plain value of a field around the boards of a text: encoded anew for a new file or the canonical form, if the
        document states it, else the value that was read (``read``, `_UNSET` without one).
        """
        if inner.many:
            of_top = self.canonical and outer.decl is self.binder.top
            found = self._of_other_kinds(inner, outer.document) or None if of_top else None
        else:
            found = self._head(inner, outer.context) if outer.origin is None else None
        return read if found is None else found

    def _term_of_file(self, outer: _OuterRecord, inner: Declaration, entry: FieldBinding, read: Any) -> Any:
        """Return the plain value of a field of a binary file that states a term for all boards: the value that was read (``read``)
        if the term is unchanged, else encoded anew.
        """
        term, origin, context = entry.term, outer.origin, outer.context
        # The defaults differ, so that a term that neither of the two has is not taken for an unchanged one.
        if read is not _UNSET and origin is not None and getattr(origin.as_read, term, 0) == getattr(context.board, term, 1):
            return read
        offer = self.encoder.offer(term, entry.member, context)
        return absent(inner) if offer is None else self.encoder.encode(inner, term, offer, context)

    def _regrouped(self, document: Document) -> Regrouped | None:
        """Return the records around the boards of the file that was read, if they can be written back with the boards as they are
        now; else None.
        """
        read = document.origin
        if not self.binder.around or not isinstance(read, FileOrigin) or read.spec != self.spec.id:
            return None
        if not self.binder.top.of_text and self.canonical:
            return None
        found = Regrouped(self.binder, document, read, self.boards, lambda inner: inner.of_text or self.same or _is_kept(inner))
        return found if found.is_ordered and not found.is_restated else None

    def _of_other_kinds(self, decl: Declaration, document: Document) -> list[Any]:
        """Return the plain values of an opaque list of records around the boards of a text that was read; the canonical form
        keeps them.
        """
        read, listed = document.origin, self.binder.listed
        kept = decl.many and decl.kind == "record" and decl.binding.opaque and decl.fill is None
        if not kept or listed is None or not isinstance(read, FileOrigin) or read.spec != self.spec.id:
            return []
        found: list[Any] = read.reading.root.as_plain().get(decl.name, [])
        return found

    def _blocks(self, decl: Declaration, document: Document, boards: list[Mapping[str, Any]]) -> list[PairValues]:
        """Return the plain values of new repeated records around boards: one for each run of boards with equal values, or one for
        each board where a record can have only one.
        """
        names, whole = sorted(self.binder.block_terms), document if self.source is None else self.source
        common, listed, found = _common(whole), self.binder.listed, list[PairValues]()
        stated = [tuple(_stated(board, common, name) for name in names) for board in document.boards]
        alone = listed is not None and not listed.many and decl.fields.get(listed.name) is listed
        starts = [at for at, what in enumerate(stated) if alone or at == 0 or what != stated[at - 1]]
        for start, stop in pairwise([*starts, len(stated)]):
            first, part = document.boards[start], replace(document, boards=document.boards[start:stop])
            board = replace(first, **dict(zip(names, stated[start], strict=True)))
            context = EncodeContext(board, part, start, True)
            own = self._own_of_block(decl, first)
            found.append(self._file(_OuterRecord(decl, part, None, own, boards[start:stop], context)))
        return found

    def _own_of_block(self, decl: Declaration, board: Board) -> PairValues:
        """Return the plain values of the opaque fields in the repeated record around the board when it was read."""
        origin, file = board.origin, self.others
        if not isinstance(origin, Origin) or file is None or origin.sequence is not file.sequence:
            return {}
        node = next((node for one, node in origin.sequence.blocks.get(id(origin.node), ()) if one is decl), None)
        values = {} if node is None else node.as_plain()
        return {name: value for name, value in values.items() if name in decl.fields and decl.fields[name].binding.opaque}

    def _with_others(
        self, decl: Declaration, records: Sequence[Mapping[str, Any]], document: Document
    ) -> Sequence[Mapping[str, Any]]:
        """Return the plain values of boards, each followed by the records of other types that follow it in the file that was
        read.
        """
        origin = self.others
        if origin is None:
            return records
        nodes = [
            one.origin.node if isinstance(one.origin, Origin) and one.origin.sequence is origin.sequence else None
            for one in document.boards
        ]
        stay = {id(node) for node in nodes}
        behind: dict[int, list[Mapping[str, Any]]] = {}
        last = 0
        for one in self.binder.elements(origin.reading.root):
            if not decl.is_one(one):
                behind.setdefault(last, []).append(one.as_plain())
            elif id(one) in stay:
                last = id(one)
        found = behind.get(0, [])
        for node, record in zip(nodes, records, strict=True):
            found += [record, *behind.get(id(node), ())]
        return found

    def _head(self, decl: Declaration, context: EncodeContext) -> Any:
        """Return the plain value of a field before the boards with content for all boards; None where there is nothing to state."""
        if decl.pair is not None or decl.binding.opaque:
            return None
        entry = entry_of(decl)
        offer = self.encoder.offer(entry.term, entry.member, context) if entry.kind == "term" else {}
        if decl.kind != "record":
            return self.encoder.encode(decl, entry.term, offer, context) if offer else None
        found = self.encoder.encode_record(decl, entry.term, offer, context) if isinstance(offer, dict) else {}
        for name, inner in decl.fields.items() if found else ():
            if inner.pair is not None:
                found[name] = self.records.pairs(inner, context)
        # A record of constants alone states nothing of the boards.
        return found if any(decl.fields[name].default is None for name in found) else None

    def _encode(self, document: Document, partial: bool) -> Document:
        """Make the plain values of all boards. Return the document; with ``partial`` without the boards that cannot be
        represented.
        """
        left: list[Board] = []
        for place, board in enumerate(document.boards):
            known, index = len(self.findings), len(left)
            self._check_room(board, index)
            values = self._board(board, index, document)
            if len(self.findings) > known:
                self.findings[known:] = [renumbered(one, place) for one in self.findings[known:]]
                if partial:
                    # `_board` has added the values of the refused board.
                    self.made.pop()
                    continue
            self.boards.append(values)
            left.append(board)
        return document if len(left) == len(document.boards) else replace(document, boards=tuple(left))

    def _check_room(self, board: Board, index: int) -> None:
        """Add a finding on a board whose number exceeds the number of boards that a file of fixed size has."""
        for most in (decl.fill.to for decl in self.binder.top.fields.values() if decl.fill is not None):
            if (board.number or index + 1) > most:
                help = f"take boards up to {most} (--boards 1-{most}), or number them anew"
                self._cannot(index, f"number: it is not one of 1 to {most}", help)

    # --- boards of bytes --------------------------------------------------------------------------------------------

    def _board(self, board: Board, index: int, document: Document) -> Mapping[str, Any]:
        """Return the plain values of a board for the codec, and add those from which losses are computed to ``made``."""
        values, record = self._encoded(board, index, document)
        self.made.append(record)
        return values

    def _encoded(self, board: Board, index: int, document: Document) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the plain values of a board twice: as they are written, and as losses are computed from them, where an unchanged
        record is `Kept`.
        """
        decl = self.binder.board
        assert decl is not None
        origin = board.origin if isinstance(board.origin, Origin) and board.origin.spec == self.spec.id else None
        before = None
        if origin is not None:
            # A board of the file that is kept is the same object as there, whose fields may be bound already.
            file = self.origin
            is_of_file = file is not None and file.sequence is origin.sequence
            before = file.as_read.boards[origin.index] if file is not None and is_of_file else origin.as_read
        changed = set() if origin is None or before is None or id(board) in self.kept else origin.changed(board, before)
        context = EncodeContext(board, document, index, given=self.binder.given)
        if not decl.of_text:
            return self._of_bytes(decl, origin, changed, context)
        try:
            # Where records repeat values of earlier ones, another order changes what each of them must state.
            if origin is None or before is None or self.canonical or (self.binder.has_dependent_records and not self.same):
                made: Mapping[str, Any] = self.records.fresh_one(decl, context)
            else:
                made = self.records.changed_one(decl, context, origin, before, changed)
        except CannotRepresent as problem:
            deal = board.deal
            # The same message as from `_words`, whatever boards are before this one.
            self._cannot(index, f"deal: {problem if deal is None or deal.is_complete else why_incomplete(deal)}")
            made = {}
        return made, made

    def _of_bytes(
        self, decl: Declaration, origin: Origin | None, changed: Set[str], context: EncodeContext
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the plain values of a board of a binary file, and the same as `Kept` if the record is written as it was read.
        ``changed`` are the changed terms of a board that was read (``origin``).
        """
        base = None
        # A record that breaks off would take the bytes that it lacks from a board behind it.
        if (
            origin is not None
            and not self.canonical
            and (not origin.node.broken or context.index + 1 == len(context.document.boards))
        ):
            base = origin.node.as_plain()
        values = self._record(decl, "", base, changed, context)
        stays = origin is not None and base is not None and (values == base or origin.node.broken)
        return values, Kept(origin.node) if origin is not None and stays else values

    def _record(
        self,
        decl: Declaration,
        term: str,
        base: PairValues | None,
        changed: Set[str],
        context: EncodeContext,
        choice: CaseDeclaration | None = None,
    ) -> PairValues:
        """Return the plain values of a binary record: one for every field that is neither constant nor derived.

        ``base`` are the values that were read, None for a new record; ``changed`` are the terms to encode anew; ``choice`` is the
        case of a record with a switch.
        """
        if base is not None and not changed and (self.still or not isinstance(base, dict)):
            return base
        # A copy: the result is compared with ``base`` afterwards.
        values = dict(base or {})
        chosen = self._chosen_case(decl, term, changed, context, choice) if base is None else {}
        values.update(chosen)
        for name, inner in decl.fields.items():
            if name not in chosen:
                value = self._field(inner, term, values.get(name, _UNSET), base is None, changed, context)
                if value is _UNSET:
                    values.pop(name, None)
                else:
                    values[name] = value
        return values

    def _field(self, inner: Declaration, term: str, read: Any, new: bool, changed: Set[str], context: EncodeContext) -> Any:
        """Return the plain value of a field of a binary record, or `_UNSET`. ``read`` is its value in the record that was read;
        ``new`` is true where none was.
        """
        entry = entry_of(inner, term)
        if entry.kind == "look" and not inner.many:
            there = read if isinstance(read, dict) else None
            # A record that was cut off or could not be read is kept unchanged, until a change states something in it.
            stays = there is None and not new and not self._states(inner, term, changed)
            return read if stays else self._record(inner, term, there, changed, context)
        if entry.kind == "look" and inner.choices and (new or self._states(inner, term, changed)):
            return list(self._chosen(inner, term, () if read is _UNSET else read, changed, context))
        if entry.kind != "term" or _is_default_of_file(inner, entry):
            return absent(inner) if new and _needs_value(inner) else self._unless_stale(inner, bool(changed), read)
        if new or self._must_be_encoded(entry.term, inner, changed):
            try:
                return self._required_value(inner, entry, context)
            except CannotRepresent as problem:
                self._cannot(context.index, f"{entry.member or entry.term}: {problem}")
        return read

    def _chosen_case(
        self, decl: Declaration, term: str, changed: Set[str], context: EncodeContext, choice: CaseDeclaration | None
    ) -> PairValues:
        """Return the plain values of the two fields that make the case of a new record: the selecting one and the selected one.

        Without a ``choice`` the first case that the board has values for is taken; empty if there is none, or no switch.
        """
        if choice is None:
            choice = next(iter(decl.choices if decl.case else self._stated_cases(decl, term, context)), None)
        if choice is None:
            return {}
        return {choice.by: choice.value, choice.name: self._record(choice.case, term, None, changed, context)}

    def _stated_cases(self, decl: Declaration, term: str, context: EncodeContext) -> Iterator[CaseDeclaration]:
        """Yield the cases of a record for which the board has a value for every term."""
        for choice in decl.choices:
            bound = [(inner, entry_of(inner, term)) for inner in choice.case.fields.values()]
            with suppress(CannotRepresent):
                found = [self._plain_value(inner, entry, context) for inner, entry in bound if entry.kind == "term"]
                if found and all(value is not None for value in found):
                    yield choice

    def _chosen(
        self, decl: Declaration, term: str, there: Sequence[PairValues], changed: Set[str], context: EncodeContext
    ) -> Iterator[PairValues]:
        """Yield the plain values of a list of records with a switch: those that were read (``there``) without records of changed
        terms, and new ones.
        """
        for record in there:
            cases = (one for one in decl.choices if record.get(one.by) == one.value)
            if not any(self._states(one.case, term, changed) for one in cases):
                yield record
        for choice in self._stated_cases(decl, term, context):
            if there and not self._states(choice.case, term, changed):
                continue
            record = self._record(decl, term, None, changed, context, choice)
            lists = [name for name, value in record[choice.name].items() if isinstance(value, list)]
            several = next((name for name in lists if not choice.case.fields[name].many), None)
            if several is None:
                yield record
            else:
                yield from ({**record, choice.name: {**record[choice.name], several: one}} for one in record[choice.name][several])

    def _states(self, decl: Declaration, term: str, changed: Set[str], seen: frozenset[Declaration] = frozenset()) -> bool:
        """Whether a field of a record, or of a record inside it without a role, states one of the ``changed`` terms."""
        entries = [(inner, entry_of(inner, term)) for inner in decl.fields.values() if decl not in seen]
        return any(
            entry.term in changed or (entry.kind == "look" and self._states(inner, term, changed, seen | {decl}))
            for inner, entry in entries
        )

    def _unless_stale(self, decl: Declaration, changed: bool, read: Any) -> Any:
        """Return the value ``read`` of a field without a meaning, or `_UNSET` if it is to be derived again because its record
        (``changed``) or the list of boards has changed.
        """
        if not (self.same or _is_kept(decl)):
            return _UNSET
        # A length or an offset of the file changes with any board.
        stale = not self.still and decl.binding.value is not None and (changed or decl.reaches)
        return _UNSET if stale else read

    def _must_be_encoded(self, term: str, decl: Declaration, changed: Set[str]) -> bool:
        """Whether a field that states ``term`` is encoded anew in a record that was read; ``changed`` are the board's changed
        terms.
        """
        if TERMS[term].ON == "file":
            return not self.same
        # A field with the tricks of the declarer only (`at`) has those of another hand if the declarer changes.
        return term in changed or bool(decl.binding.at and "declarer" in changed)

    def _required_value(self, decl: Declaration, entry: FieldBinding, context: EncodeContext) -> Any:
        """Return the plain value of a binary field that states a term. Raises `CannotRepresent` if it has none."""
        value = self._plain_value(decl, entry, context)
        if value is None and TERMS[entry.term].NEEDED:
            raise CannotRepresent(f"there is none{': say which with --declarer' if entry.term == 'declarer' else ''}")
        return absent(decl) if value is None else value

    def _plain_value(self, decl: Declaration, entry: FieldBinding, context: EncodeContext) -> Any:
        """Return the plain value of a binary field that states a term; None where the board has none for it."""
        offer = self.encoder.offer(entry.term, entry.member, context)
        whole = offer.get("", offer) if isinstance(offer, dict) else offer
        if decl.many and decl.kind == "record" and isinstance(whole, list):
            return [completed(decl, row) for row in self.encoder.encode_array(decl, entry.term, whole, context) or ()] or None
        if decl.many and isinstance(whole, list):
            return self.encoder.encode_array(decl, entry.term, whole, context)
        found = self.encoder.encode(decl, entry.term, whole, context)
        # A text in a record, behind its length, is a part of the term.
        return self.encoder.encode(decl, entry.term, offer, context) if found is None and decl.kind == "record" else found


def renumbered(found: Diagnostic, place: int) -> Diagnostic:
    """Return a finding on a board with the board's index in the whole document, ``place``, also in its message."""
    return replace(found, record=place, message=_BOARD.sub(f"board {place + 1}: ", found.message))


def refusal(findings: Sequence[Diagnostic]) -> WriteError:
    """Return the error for a document that cannot be written: its message is the first finding, and the number of others."""
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return WriteError(findings[0].message + more, tuple(findings))


def _common(document: Document) -> Board:
    """Return a board with the values that the document states, or that are equal in all of its boards."""
    values: dict[str, set[Any]] = {name: set() for name in _COMMON}
    # Board by board, since only the content of one record is cached at a time.
    for board in document.boards:
        for name, distinct in values.items():
            distinct.add(getattr(board, name))
    found: dict[str, Any] = {}
    for name, distinct in values.items():
        value = getattr(document, name, None) or (distinct.pop() if len(distinct) == 1 else None)
        if value is not None:
            found[name] = value
    return Board(**found)


def _stated(board: Board, common: Board, name: str) -> Any:
    """Return a term's value of the board, or that of ``common`` where the board states none."""
    value = getattr(board, name)
    return value if is_stated(value) else getattr(common, name)


def _unused(decl: Declaration, document: Document) -> list[PairValues]:
    """Return plain values for the unused boards at the end of a file with a fixed number of boards."""
    assert decl.fill is not None
    alone = {name: one.literal for name, one in decl.fields.items() if isinstance(one, RuleDeclaration) and one.literal is not None}
    last = max((board.number or 0 for board in document.boards), default=0)
    return [{decl.fill.number: number, **alone} for number in range(last + 1, decl.fill.to + 1)]


def _is_default_of_file(decl: Declaration, entry: FieldBinding) -> bool:
    """Whether a field states a term of the file, such as the number of its first or last board, and has a default, which the codec
    writes.
    """
    return decl.binding.default is not None and TERMS[entry.term].ON == "file"


def _is_raw_list(decl: Declaration) -> bool:
    """Whether a field without a meaning and a default is an array whose length depends on other fields."""
    return decl.binding.opaque and decl.binding.default is None and decl.counted and decl.size is None


def _needs_value(decl: Declaration) -> bool:
    """Whether a field without a meaning needs a value in a new record, because the schema neither fixes nor derives it."""
    return not (decl.fixed or decl.settled) and decl.binding.default is None


def _is_kept(decl: Declaration) -> bool:
    """Whether a value that was read stays valid if the list of boards changes, as it is not derived from other records."""
    binding = decl.binding
    return binding.value is None and (binding.default is None or "." not in binding.default.source)


# --- the bytes of a document


@dataclass(frozen=True, slots=True)
class Written:
    """The result of writing: the bytes, the document of the boards that were written, and an error for each board that was left
    out.
    """

    data: bytes
    document: Document
    refused: tuple[Diagnostic, ...] = ()


class DocumentWriter:
    """Writes documents in the format of a binder; one is made for each stretch. With ``canonical`` everything is encoded anew.

    ``to_bytes`` is the codec's function that makes bytes of plain values, given also the reading if its text is kept.
    ``inherited_keys`` are the keys of pairs that later boards inherit, initially from boards before the document. ``encodings`` are
    tried in order. ``source`` is the complete document if the written ones are parts of it.
    """

    def __init__(
        self,
        binder: Binder,
        to_bytes: Callable[..., bytes],
        canonical: bool,
        inherited_keys: frozenset[str] = frozenset(),
        encodings: Sequence[str] = (),
        source: Document | None = None,
    ) -> None:
        self.binder, self.to_bytes, self.canonical = binder, to_bytes, canonical
        self.encodings = encodings or binder.encodings
        self.before = self.inherited_keys = inherited_keys
        self.source = source
        self._values: Mapping[str, Any] = {}
        self._records: Sequence[WrittenRecord] = ()
        self.lossy = False
        """Whether the encoding of the last text written lacks characters."""

    def write_all(self, document: Document) -> bytes:
        """Return the bytes of all boards. Raises WriteError with a reason for each board that cannot be represented."""
        return self._attempt(document, False).data

    def _attempt(self, document: Document, partial: bool) -> Written:
        """Write a document, if necessary without the pairs that cannot be spelled. Raises WriteError with a reason for each board
        that cannot be represented; with ``partial`` such boards are left out where this is possible without encoding others again.
        """
        try:
            return self._bytes(document, partial)
        except WriteError as error:
            found = _findings(error)
            if found and all(one.record is not None for one in found):
                raise refusal(_first(found)) from None
            return self._mended(document, partial, error)

    def _mended(self, document: Document, partial: bool, error: WriteError) -> Written:
        """Write a document without the pairs that cannot be spelled. Where that does not help, raise WriteError with a reason for
        each board that cannot be written.
        """
        if self.binder.top.of_text:
            try:
                return self._bytes(document, partial, careful=True)
            except WriteError:
                pass
        refused = [found for at in range(len(document.boards)) if (found := self._reason(document, at)) is not None]
        raise refusal(refused) if refused else error

    def write_possible(self, document: Document) -> Written:
        """Write the boards that can be represented. Raises WriteError if none can, or for an error that is not about a single
        board.

        Boards that `_attempt` leaves out by itself cost nothing more. If it raises an error for a board instead, all other boards
        are encoded again without that board.
        """
        places = list(range(len(document.boards)))
        refused: list[Diagnostic] = []
        while True:
            left = replace(document, boards=tuple(document.boards[place] for place in places))
            try:
                done = self._attempt(left, True)
            except WriteError as error:
                first = {one.record: one for one in _findings(error)}
                if None in first or not first:
                    raise
                # Each round refuses a board at least, so that the loop ends.
                refused += [renumbered(one, places[at or 0]) for at, one in first.items()]
                places = [place for at, place in enumerate(places) if at not in first]
                if not places:
                    raise refusal(sorted(refused, key=lambda one: one.record or 0)) from None
                continue
            refused += [renumbered(one, places[one.record or 0]) for one in done.refused]
            return replace(done, refused=tuple(sorted(refused, key=lambda one: one.record or 0)))

    def placed(self, done: Written, first: int = 0, file: RecordContent | None = None) -> tuple[Document, RecordContent]:
        """Return the document that the values written last state, and the content for all boards (`placed_document`)."""
        return placed_document(self.binder, done.document, self._values, self._records, first, file)

    def _bytes(self, document: Document, partial: bool = False, careful: bool = False) -> Written:
        """Write a document in the first encoding that has all its characters, else in the last. Raises WriteError."""
        for encoding in self._encodings(document):
            maker = ValueMaker(self.binder, self.canonical, careful, self.before, encoding, self.source)
            values, origin, written = maker.make(document, partial)
            self.lossy = bool(maker.encoder.lacking)
            if not self.lossy:
                break
        self.inherited_keys = frozenset(maker.records.inherited_keys)
        self._values, self._records = values, list(zip(maker.boards or maker.made, maker.made, strict=True))
        try:
            data = self.to_bytes(values) if origin is None else self.to_bytes(values, origin.reading)
        except WriteError as error:
            raise self._with_remedy(error) from None
        return Written(data, written, tuple(_first(maker.findings)) if maker.findings else ())

    def _with_remedy(self, error: WriteError) -> WriteError:
        """Return an error about a missing opaque field with the advice to declare a default; any other error unchanged."""
        if error.lacking is None or not any(one.name == error.lacking and one.binding.opaque for one in below(self.binder.top)):
            return error
        return WriteError(f"{error}: what is kept raw needs a `default` in new files", error.diagnostics)

    def _encodings(self, document: Document) -> Sequence[str]:
        """Return the encodings to try, in order: that of the file that was read if its format is this one and it is not all
        ASCII, else those of the schema.

        A file that is not UTF-8 is taken as Windows-1252.
        """
        origin = document.origin
        if not isinstance(origin, FileOrigin) or origin.spec != self.binder.spec.id:
            return self.encodings
        text = origin.sequence.text
        if text.isascii():
            # The text of a file with a byte order mark is UTF-8, whatever the schema prefers.
            return self.encodings if origin.reading.encoding is None else ("utf-8",)
        try:
            text.encode("latin-1").decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return ("cp1252",)
        return ("utf-8",)

    def _reason(self, document: Document, at: int) -> Diagnostic | None:
        """Return why a board cannot be written even alone; None where it can."""
        board = document.boards[at]
        # Without a number of its own it would be refused or accepted as board 1.
        alone = replace(document, boards=(board if board.number is not None else replace(board, number=at + 1),), origin=None)
        try:
            self._bytes(alone, careful=True)
        except WriteError as error:
            message = f"board {at + 1}: {self._words(board.deal, error)}"
            return Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=at)
        return None

    def _words(self, deal: Deal | None, error: WriteError) -> str:
        """Return the message that a board with this deal cannot be written alone; ``error`` is what the attempt raised."""
        format = self.binder.spec.id
        if "deal" not in self.binder.terms or (deal is not None and deal.is_complete):
            field = next((one.field for one in _findings(error) if one.field), None)
            name, reason = _OF_BOARD.sub("", field or ""), str(error).partition(": ")[2]
            return f"{format} cannot hold its {name}: {reason}" if name and reason else str(error)
        if deal is None:
            return f"{format} cannot hold its deal: there is none"
        return f"{format} cannot hold its deal: {why_incomplete(deal)}"


def _first(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the first finding of each board."""
    # A dict keeps the last value of a key: read from the end, that is the first reason of each board.
    return list({one.record: one for one in reversed(found)}.values())[::-1]


def _findings(error: WriteError) -> list[Diagnostic]:
    """Return the diagnostics among the findings of an error, whose type is not declared."""
    found: Iterable[object] = error.diagnostics
    return [one for one in found if isinstance(one, Diagnostic)]
