"""Boards of text, spelled: as they stood, what has changed anew, and what they leave to those before them."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from textwrap import wrap
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.fit import Asking, Fitter
from bridgespec.codec.pairs import PairFiller, Plain, terms_of
from bridgespec.codec.patch import apart, arranged, commented, patched
from bridgespec.codec.terms import is_said
from bridgespec.codec.text.supply import Unfit
from bridgespec.codec.words import entry_of
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar


class Records:
    """The records of one file, in order. If ``careful``, pairs that the grammar cannot spell are left out: each is tried."""

    def __init__(self, binder: Binder, codec: Any, canonical: bool, careful: bool, held: Set[str] = frozenset()) -> None:
        self.binder, self.codec = binder, codec
        self.canonical, self.careful = canonical, careful
        self.form = binder.spec.text.form if isinstance(binder.spec.text, Grammar) else None
        self.fitter = Fitter(lambda decl, text: bool(codec.engine.value(decl.shape.name).fits(text)), self._can_spell)
        self.fresh = False
        """Whether the whole file is spelled anew."""
        self.moved: set[str] = set()
        """What has changed in a record so far, so that those that rest on it must be spelled anew."""
        self.held = set(held)
        """The keys of pairs that hold for the records that follow."""

    def fresh_one(self, decl: Decl, board: Board, index: int, document: Document) -> Plain:
        """A board spelled anew."""
        return self._emptied(decl, self._spelled(decl, board, index, document), board)

    def changed_one(
        self, decl: Decl, board: Board, index: int, document: Document, base: Plain, before: Board, changed: set[str]
    ) -> Plain:
        """A board that stood as ``before``, with values as ``base``: only what has changed is spelled anew."""
        if "comments" in changed:
            changed |= commented(set(board.comments) ^ set(before.comments))
        self.moved |= changed
        changed |= self._resting(decl, base, board)
        made = patched(decl, base, self._spelled(decl, board, index, document, changed), changed) if changed else base
        return self._emptied(decl, made, board)

    def _spelled(self, decl: Decl, board: Board, index: int, document: Document, wanted: Set[str] | None = None) -> Plain:
        """A record spelled anew, or what it has of the terms that are wanted."""
        known = replace(board, number=board.number if board.number is not None else index + 1)
        if self.binder.placed:
            known = replace(known, number=index + 1, dealer=None)
        values: Plain = {}
        self._fields(decl, Asking(known, document, index, wanted=wanted), values, set())
        return values

    def _fields(self, decl: Decl, asking: Asking, values: Plain, done: set[tuple[str, str]], repeated: bool = False) -> None:
        """Fill the fields of a record; ``done`` is what has been said already, there or around it. Where the record is
        ``repeated``, a field of it may have several values, one for each time.
        """
        for name, inner in decl.fields.items():
            entry = entry_of(inner)
            what = ("pair", inner.word_name) if entry.kind == "pair" else (entry.term, entry.member)
            if inner.only_read or (what in done and entry.kind in ("pair", "term")):
                continue
            value: Any = None
            if entry.kind == "pair":
                value = self.pairs(inner, asking)
                done.add(what)
            elif entry.kind == "term" and asking.wants(entry.term):
                value = self._term(inner, asking, repeated)
                done |= {what} if value is not None else set()
            elif entry.kind == "look":
                inside: Plain = {}
                self._fields(inner, asking, inside, done, repeated or inner.many)
                if any(inside.values()):
                    value = [one for all in apart(inner, inside) for one in self.fitter.apart(inner, all)] if inner.many else inside
            elif entry.kind == "rest" and asking.wanted is None:
                value = inner.default
            if value is not None:
                values[name] = value

    def _term(self, decl: Decl, asking: Asking, repeated: bool) -> Any:
        """The value of a field that says a term, or a part of one."""
        entry = entry_of(decl)
        offer = self.fitter.offer(entry.term, entry.member, asking)
        if entry.term == "comments":
            offer = [self._wrapped(comment) for comment in asking.board.comments if not comment.after]
        if (decl.many or repeated) and not entry.whole:
            return self.fitter.many(decl, entry.term, offer, asking)
        if isinstance(offer, list) and not decl.many:
            offer = offer[0] if offer else None
        value = self.fitter.fit(decl, entry.term, offer, asking)
        if value is None and decl.many:
            value = self.fitter.many(decl, entry.term, offer, asking)
        return value if not isinstance(value, dict) or self.fitter.says(decl, entry.term, offer, value) else None

    def pairs(self, decl: Decl, asking: Asking) -> list[Plain]:
        """The pairs of a field, in the order of the schema."""
        pairs = PairFiller(decl, self.fitter, self._wrapped, self.canonical).pairs(asking)
        if asking.of_file:
            return pairs
        return [pair for pair in arranged(decl, pairs) if not self.careful or self._can_spell(decl, pair)]

    def _can_spell(self, decl: Decl, values: Plain) -> bool:
        assert isinstance(decl, RuleDecl)
        try:
            self.codec.engine.value(decl.rule.name).spell(values, "")
        except Unfit:
            return False
        return True

    def _wrapped(self, comment: Comment) -> str:
        """A comment's text; in a fresh file in lines that the format has room for, what it stands between counted too."""
        text = comment.text.replace("}", ")")
        limit = self.form.lines if self.form is not None else None
        if not self.fresh or limit is None or limit.ends is None:
            return text
        room = limit.most - len(limit.ends)
        lines = [part for line in f"{{{text}}}".splitlines() for part in ([line] if len(line) <= room else wrap(line, room))]
        return limit.ends.join(lines)[1:-1]

    # --- what holds from one record to the next ---------------------------------------------------------------------

    def _resting(self, decl: Decl, base: Plain, board: Board) -> set[str]:
        """What the record leaves to earlier ones that say something else now: it must say it itself."""
        found: set[str] = set()
        for name, inner in decl.fields.items() if self.moved else ():
            if inner.holds and inner.pair is not None:
                pairs, same = base.get(name, []), None if inner.inherit is None else inner.inherit[0]
                said = [same is None or pair.get(inner.pair.value) != same for pair in pairs]
                found |= self.moved - {term for term, own in zip(terms_of(inner, pairs), said, strict=True) if own}
        return {name for name in found if is_said(getattr(board, name, None))}

    def _emptied(self, decl: Decl, made: Plain, board: Board) -> Plain:
        """The record, saying that there is none of what earlier ones say for those that follow and what it has not itself."""
        for name, inner in decl.fields.items() if self.binder.leans else ():
            pair, inherit, pairs = inner.pair, inner.inherit, made.get(name, [])
            if not inner.holds or pair is None:
                continue
            keys = {str(one.get(pair.key)) for one in pairs}
            for key in sorted(self.held - keys):
                empty = {pair.key: key} if inherit is None else {pair.key: key, pair.value: ""}
                term = terms_of(inner, [empty])[0]
                if (self.fresh or term in self.moved) and not is_said(getattr(board, term, "said")):
                    made = {**made, name: [*made.get(name, []), empty]}
            self.held |= keys & pair.repeats
            if inherit is not None:
                self.held |= {str(one[pair.key]) for one in pairs if str(one.get(pair.value, "")).startswith(inherit[1])}
        return made
