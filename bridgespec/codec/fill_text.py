"""Filling a text grammar from a document: the plain values that its writer takes.

A board that was read by the same spec and not changed keeps its values; of a changed one, what changed is spelled anew. A fresh
one is spelled term by term: fields by the terms that they hold, pairs in the order in which the grammar lists their keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from bridgespec.codec import text_offers as offers
from bridgespec.codec.bind import FileOrigin, Origin
from bridgespec.codec.bind_text import TextBinder
from bridgespec.codec.fill import CANNOT_HOLD, LOST, Filled
from bridgespec.codec.fill_pairs import TEXTS, PairFiller
from bridgespec.codec.text_facts import HANDS, PLAYERS, term_of
from bridgespec.codec.text_system import lines_of_system
from bridgespec.codec.text_tree import TextNode, plain
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board, standard_dealer
from bridgespec.model.cards import Seat
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Rule

_ATTRIBUTES = {
    **dict.fromkeys(PLAYERS, "players"), **dict.fromkeys(HANDS, "deal"), "home_team": "teams", "visiting_team": "teams",
    "header": "number", "place": "room", "claim": "result", "note": "auction", "explanation": "auction",
}  # fmt: skip


class TextFiller(PairFiller):
    """Fills the grammar of a text binder."""

    def __init__(self, binder: TextBinder, canonical: bool = False) -> None:
        super().__init__(binder, canonical)
        self.moved: set[str] = set()
        """What has changed in a record so far, so that those that rest on it must be spelled anew."""
        self.held: set[str] = set()
        """The keys of pairs that hold for the records that follow."""

    def fill(self, document: Document) -> Filled:
        """The values of a document, with everything that is lost counted by kind."""
        self._count_losses(document)
        self._count_unknown_suits(document)
        origin = document.origin if isinstance(document.origin, FileOrigin) and document.origin.spec == self.spec.id else None
        if self.canonical:
            origin = None
        self.fresh = origin is None
        start = self.grammar.rules[self.grammar.start]
        self._count_room(start, document)
        values: dict[str, Any] = {}
        if origin is not None:
            base = plain(origin.reading.root)
            values = dict(base) if isinstance(base, dict) else {}
        same = origin is not None and [b.origin for b in document.boards] == [b.origin for b in origin.as_read.boards]
        for name, (ref, array) in self.compiler.fields(start.expr).items():
            rule = self.grammar.rules[ref.name]
            term = rule.words.binding.term or name
            if term == "boards":
                records = [self._record_of(rule, board, index, document, same) for index, board in enumerate(document.boards)]
                if records or name in values or origin is None:
                    values[name] = records
            elif term == "system":
                if document.system is not None and (origin is None or document.system != origin.as_read.system):
                    values[name] = lines_of_system(document.system)
            elif origin is None and name in self.grammar.form.clean:
                values[name] = self.grammar.form.clean[name]
            elif origin is None and not array:
                self._head(name, rule, document, values)
        if not values.get("system") and document.system is not None and "system" not in self.binder.terms:
            self.lost["the bidding system"] += 1
        if not same:
            self._add_unused(start, document, values)
        for kind, count in self.lost.items():
            what = kind if count == 1 else f"{kind} ({count} times)"
            self.findings.append(Diagnostic(LOST.name, LOST.severity, f"{self.spec.id} cannot hold {what}"))
        return Filled(values, self.findings, origin.reading if origin is not None else None)

    def _count_unknown_suits(self, document: Document) -> None:
        """Hands that are written out leave no card unknown: where four are, a suit that nobody spoke of reads as out of play."""
        for board in document.boards:
            deal = board.deal
            if "deal" in self.binder.terms and deal is not None and UNKNOWN in deal.holders and Deal.parse(str(deal)) != deal:
                self.lost["that some suits are unknown"] += 1

    def _count_room(self, start: Rule, document: Document) -> None:
        """A file of so many places has none for boards of a higher number."""
        for ref, _ in self.compiler.fields(start.expr).values():
            fill = self.grammar.rules[ref.name].words.extra.get("fill")
            places = int(fill["to"]) if isinstance(fill, dict) else None
            for index, board in enumerate(document.boards if places is not None else ()):
                number = board.number or index + 1
                if places is not None and number > places:
                    message = f"{self.spec.id} holds boards 1 to {places}, not board {number}"
                    help_ = f"take boards up to {places} (--boards 1-{places}), or number them anew"
                    self.findings.append(Diagnostic(CANNOT_HOLD.name, CANNOT_HOLD.severity, message, record=index, help=help_))

    # --- the file around the boards

    def _head(self, name: str, rule: Rule, document: Document, values: dict[str, Any]) -> None:
        numbers = [board.number if board.number is not None else i + 1 for i, board in enumerate(document.boards)] or [1]
        events = {board.event for board in document.boards}
        event = document.event or (next(iter(events)) if len(events) == 1 else None)
        teams = {board.teams for board in document.boards}
        home, visiting = next(iter(teams)) if len(teams) == 1 else (None, None)
        known = {
            "first_number": numbers[0],
            "last_number": numbers[-1],
            "event": event or "",
            "home": home or "",
            "visiting": visiting or "",
        }
        offer = {**known, "match": {**known, "first": numbers[0], "last": numbers[-1]}}
        renamed = {}
        for field, (ref, _) in self.compiler.fields(self.grammar.resolve(rule).expr).items():
            term = term_of(self.grammar.rules[ref.name], field)
            default = self.grammar.rules[ref.name].words.binding.default
            if term in offer:
                renamed[field] = offer[term]
            elif default is not None:
                renamed[field] = default.constant
        if renamed and (event or home or visiting or "first_number" in self.binder.terms):
            found = self.fitter.fit(rule, renamed)
            if found:
                values[name] = found

    def _add_unused(self, start: Rule, document: Document, values: dict[str, Any]) -> None:
        for name, (ref, _) in self.compiler.fields(start.expr).items():
            fill = self.grammar.rules[ref.name].words.extra.get("fill")
            if isinstance(fill, dict) and name not in values:
                last = max((board.number or 0 for board in document.boards), default=0)
                values[name] = [{str(fill["number"]): n} for n in range(last + 1, int(fill["to"]) + 1)]
                for item in values[name]:
                    rule = self.grammar.rules[ref.name]
                    for field, (inner, _) in self.compiler.fields(rule.expr).items():
                        literal = self.compiler.regex(inner.name)
                        plain_text = re.sub(r"^\(\?>|\)$", "", literal)
                        if field not in item and plain_text.isalpha():
                            item[field] = plain_text

    # --- boards

    def _record_of(self, rule: Rule, board: Board, index: int, document: Document, same: bool) -> dict[str, Any]:
        origin = board.origin
        if isinstance(origin, Origin) and origin.spec == self.spec.id and not self.canonical and isinstance(origin.node, TextNode):
            base = plain(origin.node)
            if isinstance(base, dict) and (same or not self._leans):
                changed = {
                    f.name
                    for f in fields(Board)
                    if f.name != "origin" and getattr(board, f.name) != getattr(origin.as_read, f.name)
                }
                if "comments" in changed:
                    moved = set(board.comments) ^ set(origin.as_read.comments)
                    changed |= {_ATTRIBUTES.get(str(c.after[0]), str(c.after[0])) for c in moved if c.after}
                self.moved |= changed
                changed |= self._resting(rule, base, board)
                made = base if not changed else self._changed(rule, board, index, document, base, changed)
                return self._emptied(rule, made, board)
        return self._emptied(rule, self._fresh(rule, board, index, document), board)

    def _resting(self, rule: Rule, base: dict[str, Any], board: Board) -> set[str]:
        """What the record leaves to earlier ones that say something else now: it must say it itself."""
        found: set[str] = set()
        for name, field in self._holding_pairs(rule) if self.moved else ():
            pairs, inherit = base.get(name, []), field.words.inherit
            same = None if inherit is None else inherit.same
            keys = zip(self._attributes(field, pairs), pairs, strict=True)
            found |= self.moved - {attribute for attribute, pair in keys if same is None or pair.get("value") != same}
        return {name for name in found if _is_said(getattr(board, name, None))}

    def _emptied(self, rule: Rule, made: dict[str, Any], board: Board) -> dict[str, Any]:
        """The record, saying that there is none of what earlier ones say for those that follow and what it has not itself."""
        for name, field in self._holding_pairs(rule):
            named, inherit, pairs = str(field.words.extra["name"]), field.words.inherit, made.get(name, [])
            keys = {str(pair.get(named)) for pair in pairs}
            for key in sorted(self.held - keys):
                term = self._term_of_key(field, key)
                attribute = _ATTRIBUTES.get(term, term)
                if (self.fresh or attribute in self.moved) and not _is_said(getattr(board, attribute, "said")):
                    empty = {named: key} if inherit is None else {named: key, "value": ""}
                    made = {**made, name: [*made.get(name, []), empty]}
            repeats = field.words.extra.get("repeats")
            if isinstance(repeats, list):
                self.held |= keys & set(map(str, repeats))
            if inherit is not None:
                self.held |= {str(pair[named]) for pair in pairs if str(pair.get("value", "")).startswith(inherit.header)}
        return made

    def _holding_pairs(self, rule: Rule) -> list[tuple[str, Rule]]:
        """The pairs of a record that may hold for those that follow."""
        fields = self.compiler.fields(self.grammar.resolve(rule).expr).items()
        pairs = [(name, self.grammar.rules[ref.name]) for name, (ref, _) in fields]
        return [(name, pair) for name, pair in pairs if pair.words.inherit or pair.words.extra.get("repeats")]

    @property
    def _leans(self) -> bool:
        """Whether a record may rest on an earlier one, so that it cannot be moved as it stands."""
        return self._placed or any(rule.words.inherit or rule.words.extra.get("repeats") for rule in self.grammar.rules.values())

    @property
    def _placed(self) -> bool:
        """Whether hands stand in the dealer's order and the dealer follows from a record's place alone."""
        told = self.binder.terms & {"number", "first_number", "dealer"}
        return not told and any(rule.words.binding.at.get("seat") == "dealer" for rule in self.grammar.rules.values())

    def _changed(
        self, rule: Rule, board: Board, index: int, document: Document, base: dict[str, Any], changed: set[str]
    ) -> dict[str, Any]:
        fresh = self._fresh(rule, board, index, document)
        out = dict(base)
        for name, (ref, _) in self.compiler.fields(self.grammar.resolve(rule).expr).items():
            field = self.grammar.rules[ref.name]
            if field.words.extra.get("name") is not None:
                out[name] = self._merged(field, base.get(name, []), fresh.get(name, []), changed)
                continue
            term = term_of(field, name)
            if term is not None and _ATTRIBUTES.get(term, term) in changed:
                out.pop(name, None)
                if name in fresh:
                    out[name] = fresh[name]
        return out

    def _merged(self, rule: Rule, base: Sequence[Any], fresh: Sequence[Any], changed: set[str]) -> list[Any]:
        """The pairs as they stood, those of changed terms in their fresh form: where their like stood, or where a fresh record has
        them.
        """

        def touched(attribute: str) -> bool:
            return attribute in changed or (attribute == "tag" and bool(changed & {"tags", "tables"}))

        new: dict[str, list[Any]] = {}
        for attribute, pair in zip(self._attributes(rule, fresh), fresh, strict=True):
            if touched(attribute):
                new.setdefault(attribute, []).append(pair)
        out: list[Any] = []
        for attribute, pair in zip(self._attributes(rule, base), base, strict=True):
            if touched(attribute):
                out += new.pop(attribute, ())
            else:
                out.append(pair)
        named = str(rule.words.extra["name"])
        order = [str(pair.get(named)) for pair in fresh]
        for pairs in new.values():
            before = set(order[: order.index(str(pairs[0].get(named)))])
            at = max((i + 1 for i, pair in enumerate(out) if str(pair.get(named)) in before), default=len(out))
            out[at:at] = pairs
        return out

    def _attributes(self, rule: Rule, pairs: Sequence[Any]) -> list[str]:
        """What each of the pairs says of a board; notes speak of the section that they follow."""
        found: list[str] = []
        section = "auction"
        for pair in pairs:
            term = self._term_of_key(rule, str(pair.get(str(rule.words.extra["name"]))))
            section = term if term in ("auction", "play") else section
            found.append(section if term == "note" else _ATTRIBUTES.get(term, term))
        return found

    def _term_of_key(self, rule: Rule, key: str) -> str:
        terms = rule.words.extra.get("terms")
        return str(terms.get(key) or terms.get(key.lower()) or "tag") if isinstance(terms, dict) else "tag"

    def _fresh(self, rule: Rule, board: Board, index: int, document: Document) -> dict[str, Any]:
        values: dict[str, Any] = {}
        known = replace(board, number=board.number if board.number is not None else index + 1)
        if self._placed:
            known = replace(known, number=index + 1, dealer=None)
        for name, (ref, array) in self.compiler.fields(self.grammar.resolve(rule).expr).items():
            field = self.grammar.rules[ref.name]
            if field.words.extra.get("name") is not None:
                values[name] = [pair.values for pair in self._pairs(field, known, document)]
                continue
            term = term_of(field, name)
            if term == "comment" and array and name not in ("unclosed", "line_comment"):
                found = [
                    text for c in board.comments if not c.after and (text := self.fitter.fit(field, self._comment(c))) is not None
                ]
                if found:
                    values[name] = found
            elif term is not None and (value := self.fitter.fit(field, self._offer(term, field, known, document))) is not None:
                values[name] = value
                if term == "number" and isinstance(value, str) and re.fullmatch(rf"n?0*{known.number}", value) is None:
                    self.lost["board numbers above 16"] += 1
            elif term is None and field.words.binding.default is not None:
                values[name] = field.words.binding.default.constant
        return values

    def _offer(self, term: str, rule: Rule, board: Board, document: Document) -> offers.Offer:
        """What the board says of a term."""
        dealer = board.effective_dealer
        dealer = standard_dealer(board.number or 1) if dealer is None else dealer
        if term == "deal":
            if board.deal is None and "dealer" not in self.compiler.fields(self.grammar.resolve(rule).expr):
                return None
            return offers.deal(self.compiler, rule, board.deal or Deal(bytes([UNKNOWN] * 52)), dealer)
        if term in HANDS:
            return None if board.deal is None else offers.hand_or_none(board.deal, Seat(HANDS.index(term)))
        if term == "tricks":
            return None if board.tricks is None else offers.tricks(self.compiler, rule, board.tricks)
        if term == "dealer":
            return offers.seat(board.effective_dealer)
        if term == "vulnerability":
            return offers.vulnerability(board.effective_vulnerability)
        if term == "declarer":
            irregular = {"irregular": "^"} if "declarer" in board.irregular else {}
            return {**offers.seat(offers.bought(board)[1]), **irregular}
        if term in ("number", "header"):
            return offers.number(board.number or 1)
        if term == "contract":
            return offers.contract(board)
        if term == "claim" and board.play is not None and len(board.play.cards) == 52:
            return None
        if term in ("result", "claim"):
            return offers.result(board)
        if term == "score":
            return offers.score(board)
        return self._text_offer(term, board, document)

    def _text_offer(self, term: str, board: Board, document: Document) -> offers.Offer:
        if term in TEXTS:
            text = getattr(board, term) or (getattr(document, term, None) if term in ("event", "site", "date") else None)
            return offers.dated(text) if text else {"unknown": ""}
        if term in PLAYERS:
            return board.players[PLAYERS.index(term)]
        if term == "players":
            names = [name or "" for name in board.players]
            if not any(names):
                return None
            south, west, north, east = names[3], names[0], names[1], names[2]
            seats = {name: text for name, text in zip(HANDS, names, strict=True) if text}
            return {"player": [south, west, north, east], **seats}
        if term in ("home_team", "visiting_team"):
            return board.teams[term == "visiting_team"]
        if term == "teams":
            return {"home": board.teams[0] or "", "visiting": board.teams[1] or ""} if any(board.teams) else None
        room = (board.room or "").lower()
        if term == "room":
            return ({"room_name": room, "room": room, "text": room}, board.room) if room else {"unknown": ""}
        if term == "place":
            return {"room": room, "number": board.number} if room in ("open", "closed") else None
        return None


def _is_said(value: Any) -> bool:
    """Whether a part of a board says anything."""
    return any(value) if isinstance(value, tuple) else value is not None
