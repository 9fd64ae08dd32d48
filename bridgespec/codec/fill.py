"""Filling a schema from a document: the plain values that its writer takes, and what the format cannot hold.

What was read by the same spec and not changed keeps its raw values, so that it is written back as it stood; what changed is
spelled anew, and only that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.decl import Decl, FieldDecl, RuleDecl
from bridgespec.codec.facts import BOARD
from bridgespec.codec.fit import Asking, Fitter, Matches
from bridgespec.codec.node import Reading
from bridgespec.codec.node import plain as plain_of_bytes
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.pairs import PairFiller, terms_of
from bridgespec.codec.patch import apart, arranged, commented, holding, patched
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._values import Unholdable
from bridgespec.codec.text.supply import Unfit
from bridgespec.codec.text.tree import plain as plain_of_text
from bridgespec.codec.words import below, entry_of
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar

LOST = define(
    "lost",
    Severity.WARNING,
    """the target cannot hold this

    The source says more than the target format has room for. The file is written without it. With ``--strict`` nothing is
    written and the exit status is 1.
    """,
)
CANNOT_HOLD = define(
    "cannot-hold",
    Severity.ERROR,
    """the target cannot hold this board at all

    The target has no way to spell what the board says (half a deal in a format for whole deals, fifteen tricks), or needs
    something that the board does not say. `convert` leaves such boards out and ends with status 1; where all are such, it writes
    nothing. Choose another target, other boards, or give what is missing.
    """,
)
_COMMON = ("event", "site", "date", "teams")
"""What a file may say once for all its boards."""


@dataclass(slots=True)
class Filled:
    """The plain values of a whole file, and the findings: ``cannot-hold`` errors."""

    values: dict[str, Any] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    origin: Reading | None = None
    """The reading whose bytes stay where the values are those that were read, for writers that keep them so."""


class Filler:
    """Fills the spec of a binder; ``canonical`` spells everything anew, as the schema writes it.

    A ``careful`` filler leaves out pairs that the grammar cannot spell: it tries each.
    """

    def __init__(
        self,
        binder: Binder,
        matches: Matches,
        canonical: bool = False,
        careful: bool = False,
        held: frozenset[str] = frozenset(),
    ) -> None:
        self.binder = binder
        self.spec = binder.spec
        self.canonical = canonical
        self.careful = careful
        self.fitter = Fitter(matches)
        self.findings: list[Diagnostic] = []
        self.fresh = True
        """Whether the whole file is spelled anew."""
        self.moved: set[str] = set()
        """What has changed in a record so far, so that those that rest on it must be spelled anew."""
        self.held = set(held)
        """The keys of pairs that hold for the records that follow."""

    def fill(self, document: Document) -> Filled:
        """The values of a document."""
        origin = document.origin if isinstance(document.origin, FileOrigin) and document.origin.spec == self.spec.id else None
        if not self.binder.terms:
            return self._meaningless(origin)
        if self.canonical:
            origin = None
        self.fresh = origin is None
        same = origin is not None and [id(b.origin) for b in document.boards] == [id(b.origin) for b in origin.as_read.boards]
        base = None if origin is None else self._plain(origin.reading.root)
        if self.binder.board is self.binder.top:
            if len(document.boards) != 1:
                self._cannot(None, f"{self.spec.id} holds one board, not {len(document.boards)}")
            values = self._board(document.boards[0], 0, document, same) if document.boards else {}
        else:
            self._count_room(document)
            values = self._file(self.binder.top, document, origin, base if isinstance(base, dict) else {}, same)
        return Filled(values, self.findings, origin.reading if origin is not None and self.binder.top.of_text else None)

    def _plain(self, node: Any) -> Any:
        return plain_of_text(node) if self.binder.top.of_text else plain_of_bytes(node)

    def _meaningless(self, origin: FileOrigin | None) -> Filled:
        """What was read by a spec that knows no bridge, as it was; nothing else can be put into one."""
        if origin is None:
            self._cannot(None, f"{self.spec.id} has no bridge meaning: it can hold nothing of another format")
            return Filled({}, self.findings)
        return Filled(self._plain(origin.reading.root), self.findings, origin.reading if self.binder.top.of_text else None)

    def _cannot(self, index: int | None, message: str, help: str | None = None) -> None:
        self.findings.append(Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=index, help=help))

    # --- the file around the boards ---------------------------------------------------------------------------------

    def _file(self, decl: Decl, document: Document, origin: FileOrigin | None, base: dict[str, Any], same: bool) -> dict[str, Any]:
        values = dict(base)
        asking = Asking(_common(document), document, 0, True)
        clean = self.spec.text.form.clean if isinstance(self.spec.text, Grammar) else {}
        for name, inner in decl.fields.items():
            entry = entry_of(inner)
            if entry.kind == "boards":
                records = [self._board(board, index, document, same) for index, board in enumerate(document.boards)]
                if records or name in values or origin is None or not decl.of_text:
                    values[name] = records
            elif entry.kind == "term" and TERMS[entry.term].ON == "document":
                if document.system is not None and (origin is None or document.system != origin.as_read.system):
                    values[name] = self.fitter.many(inner, entry.term, self.fitter.offer(entry.term, "", asking), asking)
            elif origin is None and name in clean:
                values[name] = clean[name]
            elif self.binder.listed is not None and self.binder.listed in below(inner):
                inside = base.get(name)
                values[name] = self._file(inner, document, origin, inside if isinstance(inside, dict) else {}, same)
            elif decl.of_text:
                if origin is None and not inner.many:
                    values.update(self._head(name, inner, asking))
            else:
                self._of_bytes(name, inner, values, document, origin, same, asking)
        if not same:
            self._add_unused(decl, document, values)
        return values

    def _head(self, name: str, decl: Decl, asking: Asking) -> dict[str, Any]:
        """What holds for all boards, by itself or as a record, where there is anything to say."""
        if decl.pair is not None or decl.binding.opaque:
            return {}
        entry = entry_of(decl)
        offer = self.fitter.offer(entry.term, entry.member, asking) if entry.kind == "term" else {}
        if decl.kind != "record":
            return {name: self.fitter.fit(decl, entry.term, offer, asking)} if offer else {}
        found = self.fitter.record(decl, entry.term, offer, asking) if isinstance(offer, dict) else {}
        for inner, one in decl.fields.items():
            if one.pair is not None and found:
                pairs = PairFiller(one, self.fitter, self._wrapped, self.canonical).pairs(asking)
                found[inner] = [pair.values for pair in pairs]
        said = [one for one in found if decl.fields[one].default is None]
        return {name: found} if said else {}

    def _of_bytes(
        self,
        name: str,
        decl: Decl,
        values: dict[str, Any],
        document: Document,
        origin: FileOrigin | None,
        same: bool,
        asking: Asking,
    ) -> None:
        entry = entry_of(decl)
        if entry.kind == "term":
            if (
                origin is not None
                and name in values
                and getattr(origin.as_read, entry.term, None) == getattr(asking.board, entry.term)
            ):
                return
            offer = self.fitter.offer(entry.term, entry.member, asking)
            values[name] = _absent(decl) if offer is None else self.fitter.fit(decl, entry.term, offer, asking)
        elif not same and not _is_kept(decl):
            values.pop(name, None)

    def _count_room(self, document: Document) -> None:
        """A file of so many places has none for boards of a higher number."""
        for decl in self.binder.top.fields.values():
            places = decl.fill.to if decl.fill is not None else None
            for index, board in enumerate(document.boards if places is not None else ()):
                number = board.number or index + 1
                if places is not None and number > places:
                    message = f"board {index + 1}: {self.spec.id} cannot hold its number: it is not one of 1 to {places}"
                    self._cannot(index, message, f"take boards up to {places} (--boards 1-{places}), or number them anew")

    def _add_unused(self, top: Decl, document: Document, values: dict[str, Any]) -> None:
        for name, decl in top.fields.items():
            if decl.fill is None or name in values:
                continue
            last = max((board.number or 0 for board in document.boards), default=0)
            number = decl.fill.number
            alone = {
                field: one.literal for field, one in decl.fields.items() if isinstance(one, RuleDecl) and one.literal is not None
            }
            values[name] = [{number: n, **alone} for n in range(last + 1, decl.fill.to + 1)]

    # --- boards -----------------------------------------------------------------------------------------------------

    def _board(self, board: Board, index: int, document: Document, same: bool) -> dict[str, Any]:
        decl = self.binder.board
        if decl is None:
            return {}
        origin = board.origin if isinstance(board.origin, Origin) and board.origin.spec == self.spec.id else None
        base = self._plain(origin.node) if origin is not None and not self.canonical else None
        changed = set() if origin is None else {name for name in BOARD if getattr(board, name) != getattr(origin.as_read, name)}
        if not decl.of_text:
            return self._record(decl, "", board, base if isinstance(base, dict) else None, changed, index, document, same)
        if isinstance(base, dict) and (same or not self._leans) and origin is not None:
            if "comments" in changed:
                changed |= commented(set(board.comments) ^ set(origin.as_read.comments))
            self.moved |= changed
            changed |= self._resting(decl, base, board)
            made = base if not changed else self._changed(decl, board, index, document, base, changed)
            return self._emptied(decl, made, board)
        return self._emptied(decl, self._spelled(decl, board, index, document), board)

    def _record(
        self,
        decl: Decl,
        term: str,
        board: Board,
        base: dict[str, Any] | None,
        changed: set[str],
        index: int,
        document: Document,
        same: bool,
    ) -> dict[str, Any]:
        """The values of a record of bytes: every field that is not constant or derived has one."""
        values: dict[str, Any] = dict(base) if base is not None else {}
        asking = Asking(board, document, index)
        for name, inner in decl.fields.items():
            entry = entry_of(inner, term)
            if entry.kind == "look" and not inner.many:
                known = values.get(name)
                known = known if isinstance(known, dict) else None
                values[name] = self._record(inner, term, board, known, changed, index, document, same)
            elif entry.kind != "term":
                if base is None and not (inner.fixed or inner.settled) and inner.binding.default is None:
                    values[name] = _absent(inner)
                elif not same and not _is_kept(inner):
                    values.pop(name, None)
            elif base is not None and not self._touched(entry.term, inner, changed, same):
                continue
            else:
                try:
                    values[name] = self._code(inner, entry.term, entry.member, asking)
                except Unholdable as problem:
                    what = entry.member or entry.term
                    self._cannot(index, f"board {index + 1}: {self.spec.id} cannot hold its {what}: {problem}")
        return values

    @staticmethod
    def _touched(term: str, decl: Decl, changed: set[str], same: bool) -> bool:
        if TERMS[term].ON == "file":
            return not same
        return term in changed or bool(decl.binding.at and "declarer" in changed)

    def _code(self, decl: Decl, term: str, member: str, asking: Asking) -> Any:
        """The plain value of a field of bytes; `Unholdable` where it has none."""
        offer = self.fitter.offer(term, member, asking)
        offer = offer.get("", offer) if isinstance(offer, dict) and "" in offer else offer
        value = self.fitter.fit(decl, term, offer, asking)
        if value is None:
            if TERMS[term].NEEDED:
                hint = ": say which with --declarer" if term == "declarer" else ""
                raise Unholdable(f"there is none{hint}")
            return _absent(decl)
        return value

    # --- boards of text ---------------------------------------------------------------------------------------------

    def _spelled(self, decl: Decl, board: Board, index: int, document: Document) -> dict[str, Any]:
        """A record spelled anew."""
        known = replace(board, number=board.number if board.number is not None else index + 1)
        if self._placed:
            known = replace(known, number=index + 1, dealer=None)
        asking = Asking(known, document, index)
        values: dict[str, Any] = {}
        try:
            self._fields(decl, asking, values, set())
        except Unholdable as problem:
            self._cannot(index, f"board {index + 1}: {self.spec.id} cannot hold its deal: {problem}")
        return values

    def _fields(
        self, decl: Decl, asking: Asking, values: dict[str, Any], done: set[tuple[str, str]], repeated: bool = False
    ) -> None:
        """Fill the fields of a record; ``done`` is what has been said already, there or around it. Where the record is
        ``repeated``, a field of it may have several values, one for each time.
        """
        for name, inner in decl.fields.items():
            entry = entry_of(inner)
            if inner.only_read:
                continue
            if entry.kind == "pair":
                said = "pair", inner.word_name
                if said not in done:
                    done.add(said)
                    filler = PairFiller(inner, self.fitter, self._wrapped, self.canonical)
                    pairs = [pair.values for pair in arranged(inner, filler.pairs(asking))]
                    values[name] = [one for one in pairs if not self.careful or self.fitter.matches(inner, one)]
            elif entry.kind == "term" and (entry.term, entry.member) not in done:
                offer = self._remarks(asking) if entry.term == "comments" else self.fitter.offer(entry.term, entry.member, asking)
                many = (inner.many or repeated) and not entry.whole
                found = self.fitter.many(inner, entry.term, offer, asking) if inner.many or many else None
                if isinstance(offer, list) and not many and not inner.many:
                    offer = offer[0] if offer else None
                value = found or None if many else self.fitter.fit(inner, entry.term, offer, asking)
                if inner.many and not many and value is None:
                    value = found or None
                if isinstance(value, dict) and not self.fitter.says(inner, entry.term, offer, value):
                    continue
                if value is not None:
                    done.add((entry.term, entry.member))
                    values[name] = value
            elif entry.kind == "look":
                inside: dict[str, Any] = {}
                self._fields(inner, asking, inside, done, repeated or inner.many)
                if any(inside.values()):
                    values[name] = apart(inner, inside) if inner.many else inside
            elif entry.kind == "rest" and inner.default is not None:
                values[name] = inner.default

    def _remarks(self, asking: Asking) -> list[str]:
        return [self._wrapped(comment) for comment in asking.board.comments if not comment.after]

    def _wrapped(self, comment: Comment) -> str:
        """A comment's text; in a fresh file in lines that the format has room for, what it stands between counted too."""
        text = comment.text.replace("}", ")")
        limit = self.spec.text.form.lines if isinstance(self.spec.text, Grammar) else None
        if not self.fresh or limit is None or limit.ends is None:
            return text
        room = limit.most - len(limit.ends)
        lines = [part for line in f"{{{text}}}".splitlines() for part in ([line] if len(line) <= room else wrap(line, room))]
        return limit.ends.join(lines)[1:-1]

    # --- boards that were read and changed

    def _changed(
        self, decl: Decl, board: Board, index: int, document: Document, base: dict[str, Any], changed: set[str]
    ) -> dict[str, Any]:
        return patched(decl, base, self._spelled(decl, board, index, document), changed)

    def _resting(self, decl: Decl, base: dict[str, Any], board: Board) -> set[str]:
        """What the record leaves to earlier ones that say something else now: it must say it itself."""
        found: set[str] = set()
        for name, inner in holding(decl) if self.moved else ():
            assert inner.pair is not None
            pairs, same = base.get(name, []), None if inner.inherit is None else inner.inherit[0]
            terms = terms_of(inner, [str(pair.get(inner.pair.key)) for pair in pairs])
            said = {term for term, pair in zip(terms, pairs, strict=True) if same is None or pair.get(inner.pair.value) != same}
            found |= self.moved - said
        return {name for name in found if _is_said(getattr(board, name, None))}

    def _emptied(self, decl: Decl, made: dict[str, Any], board: Board) -> dict[str, Any]:
        """The record, saying that there is none of what earlier ones say for those that follow and what it has not itself."""
        for name, inner in holding(decl):
            pair, inherit, pairs = inner.pair, inner.inherit, made.get(name, [])
            assert pair is not None
            keys = {str(one.get(pair.key)) for one in pairs}
            for key in sorted(self.held - keys):
                term = terms_of(inner, [key])[0]
                if (self.fresh or term in self.moved) and not _is_said(getattr(board, term, "said")):
                    empty = {pair.key: key} if inherit is None else {pair.key: key, pair.value: ""}
                    made = {**made, name: [*made.get(name, []), empty]}
            self.held |= keys & pair.repeats
            if inherit is not None:
                self.held |= {str(one[pair.key]) for one in pairs if str(one.get(pair.value, "")).startswith(inherit[1])}
        return made

    @property
    def _leans(self) -> bool:
        """Whether a record may rest on an earlier one, so that it cannot be moved as it stands."""
        pairs = [decl for decl in below(self.binder.top) if decl.pair is not None]
        return self._placed or any(decl.inherit is not None or (decl.pair is not None and decl.pair.repeats) for decl in pairs)

    @property
    def _placed(self) -> bool:
        """Whether hands stand in the dealer's order and the dealer follows from a record's place alone."""
        told = self.binder.terms & {"number", "first_number", "dealer"}
        return not told and any(decl.binding.at.get("seat") == "dealer" for decl in below(self.binder.top))


def matcher(codec: Any) -> Matches:
    """Whether a text is one that a declaration of the codec's grammar can read, or plain values such as it can spell."""

    def matches(decl: Decl, value: str | Mapping[str, Any]) -> bool:
        assert isinstance(decl, RuleDecl)
        if isinstance(value, str):
            fits: bool = codec.engine.value(decl.shape.name).fits(value)
            return fits
        try:
            codec.engine.value(decl.rule.name).spell(value, "")
        except Unfit:
            return False
        return True

    return matches


def _common(document: Document) -> Board:
    """What the document, or every board of it, says."""
    found: dict[str, Any] = {}
    for name in _COMMON:
        values = {getattr(board, name) for board in document.boards}
        value = getattr(document, name, None) or (next(iter(values)) if len(values) == 1 else None)
        if value is not None:
            found[name] = value
    return Board(**found)


def _is_kept(decl: Decl) -> bool:
    """Whether a raw value survives a change of the list of boards: all but what is derived from it."""
    binding = decl.binding
    return binding.value is None and (binding.default is None or "." not in binding.default.source)


def _is_said(value: Any) -> bool:
    """Whether a part of a board says anything."""
    return any(value) if isinstance(value, tuple) else value is not None


def _absent(decl: Decl) -> Any:
    assert isinstance(decl, FieldDecl)
    return [decl.absent] * (decl.size or 0) if decl.many else decl.absent


__all__ = ["CANNOT_HOLD", "LOST", "Filled", "Filler", "matcher"]
