"""The pairs of a board in a text format: a key, a value, and the section that follows it, each spelled by what the grammar says of
the key.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from bridgespec.codec import text_offers as offers
from bridgespec.codec.bind_text import TextBinder
from bridgespec.codec.fill import Filler
from bridgespec.codec.text_facts import HANDS, encoded
from bridgespec.codec.text_strict import order_of
from bridgespec.codec.text_tables import text_of_table, tricks_rows
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Rule

TEXTS = ("event", "site", "date", "round", "scoring", "par")
"""Terms that are a text each."""


@dataclass(slots=True)
class _Pair:
    """A pair to be written: its plain values and the term that it says."""

    term: str
    values: dict[str, Any]


class PairFiller(Filler):
    """Fills the pairs of a text binder's grammar."""

    def __init__(self, binder: TextBinder, canonical: bool = False) -> None:
        super().__init__(binder, canonical)
        self.compiler = binder.compiler
        self.grammar = binder.grammar
        self.fitter = offers.Fitter(binder.compiler)
        self.fresh = True
        """Whether the whole file is spelled anew."""

    @abstractmethod
    def _offer(self, term: str, rule: Rule, board: Board, document: Document) -> offers.Offer:
        """What the board says of a term."""

    def _pairs(self, rule: Rule, board: Board, document: Document) -> list[_Pair]:
        terms = rule.words.extra.get("terms")
        mandatory = rule.words.extra.get("mandatory")
        wanted = [str(key) for key in mandatory] if isinstance(mandatory, list) else []
        also = rule.words.extra.get("also")
        also = also if isinstance(also, list) else []
        pairs: list[_Pair] = []
        done: set[str] = set()
        for key, term in (terms or {}).items() if isinstance(terms, dict) else ():
            term = str(term)
            if term in done and term not in ("note",) and key not in also:
                continue
            found = list(self._pair(rule, str(key), term, board, document))
            if not found and key in wanted:
                found = [self._made(rule, str(key), term, "")]
            if found:
                done.add(term)
            pairs += found
        said = set(terms.values()) if isinstance(terms, dict) else set()
        if "contract" in said and "declarer" not in said and board.declarer is not None and offers.bought(board)[0] is None:
            self.lost["a declarer without a contract"] += 1
        if rule.words.extra.get("tags"):
            pairs += self._tags(rule, board)
        return self._arranged(rule, pairs)

    @staticmethod
    def _arranged(rule: Rule, pairs: list[_Pair]) -> list[_Pair]:
        """The pairs in the order of the strict form, where there is one."""
        form = rule.words.form
        if form is None or form.strict is None or form.strict.order is None:
            return pairs
        mandatory, columns = rule.words.extra.get("mandatory"), rule.words.extra.get("columns")
        first = [str(key) for key in mandatory] if isinstance(mandatory, list) else []
        tables = frozenset(map(str, columns.get("tables", ()))) if isinstance(columns, dict) else frozenset()
        keys = [str(pair.values[str(rule.words.extra["name"])]) for pair in pairs]
        ranks = order_of(first, form.strict.sections, tables, frozenset(form.within), keys)
        return [pairs[index] for index in sorted(range(len(pairs)), key=lambda index: ranks[index])]

    def _pair(self, rule: Rule, key: str, term: str, board: Board, document: Document) -> Iterator[_Pair]:
        value_rule = self._content(rule, "value", key)
        section = self._content(rule, "body", key)
        if term == "auction":
            yield from self._auction(rule, key, value_rule, section, board)
        elif term == "play":
            yield from self._play(rule, key, value_rule, section, board)
        elif term == "tricks" and value_rule is not None and "column" in self.compiler.fields(value_rule.expr):
            if board.tricks is not None:
                head, body = tricks_rows(board.tricks)
                yield self._made(rule, key, term, head, body)
        elif term == "explanation" or term == "note" or term == "layout":
            return
        else:
            offer = self._offer(term, value_rule or rule, board, document)
            if offer is None:
                return
            fitted = (
                self.fitter.fit(value_rule, offer)
                if value_rule is not None
                else encoded(self._value_rule(rule), offers.text_of(offer))
            )
            if fitted is None or fitted == {} or (isinstance(fitted, dict) and "unknown" in fitted) or fitted == "":
                if term == "players":
                    self._count_names(board, {})
                if term in TEXTS and isinstance(offer, tuple):
                    self.lost[f"the {term} as it is written"] += 1
                return
            if term == "players":
                self._count_names(board, fitted)
            yield self._made(rule, key, term, fitted, self._remarks(board, term, key))

    def _count_names(self, board: Board, fitted: Any) -> None:
        """Names that hold signs of the format's own are not written: say so."""
        given = sum(map(bool, board.players))
        kept = given if not isinstance(fitted, dict) or "player" in fitted else sum(name in fitted for name in HANDS)
        if kept < given:
            self.lost["a player's name as it is written"] += given - kept

    def _made(self, rule: Rule, key: str, term: str, value: Any, body: Any = None) -> _Pair:
        named = str(rule.words.extra["name"])
        values: dict[str, Any] = {named: key, "value": value}
        if body:
            values["body"] = body
        return _Pair(term, values)

    def _content(self, rule: Rule, field: str, key: str) -> Rule | None:
        for content in rule.words.contents:
            if content.of == field:
                name = content.cases.get(key, content.otherwise)
                return None if name is None else self.grammar.rules[name]
        return None

    def _value_rule(self, rule: Rule) -> Rule:
        return self.compiler.field_rule(rule, "value")

    def _auction(self, rule: Rule, key: str, value_rule: Rule | None, section: Rule | None, board: Board) -> Iterator[_Pair]:
        auction = board.auction
        if auction is None or value_rule is None:
            return
        first = auction.first if auction.first is not None else board.effective_dealer
        notes: dict[str, str] = {}
        made = offers.calls(auction, notes)
        if section is not None and "call_made" in self.compiler.fields(section.expr):
            body = self.fitter.fit(
                section, {"call_made": self._commented(made, board, "auction"), **({"stop": ["*"]} if auction.closed else {})}
            )
            yield self._made(rule, key, "auction", self.fitter.fit(value_rule, offers.seat(first)), body)
            yield from self._notes(rule, notes)
        elif "call_made" in self.compiler.fields(value_rule.expr):
            offer = {
                **offers.seat(board.effective_dealer),
                **offers.vulnerability(board.effective_vulnerability),
                "call_made": made,
            }
            yield self._made(rule, key, "auction", self.fitter.fit(value_rule, offer))
            yield from self._notes(rule, notes)
        else:
            terms = rule.words.extra.get("terms")
            said = next((str(k) for k, term in terms.items() if term == "explanation"), None) if isinstance(terms, dict) else None
            for offer, call in zip(made, auction.calls, strict=True):
                yield self._made(rule, key, "auction", self.fitter.fit(value_rule, offer))
                if said is not None and call.explanation is not None:
                    text = encoded(self._value_rule(rule), call.explanation)
                    yield self._made(rule, said, "auction", text)

    def _play(self, rule: Rule, key: str, value_rule: Rule | None, section: Rule | None, board: Board) -> Iterator[_Pair]:
        play = board.play
        if play is None or value_rule is None:
            return
        if section is not None and "card_played" in self.compiler.fields(section.expr):
            declarer = offers.bought(board)[1]
            first = play.tricks[0].leader if play.tricks else declarer.next if declarer is not None else None
            if first is None or not (play.tricks or board.play):
                return
            notes: dict[str, str] = {}
            made = self._commented(offers.rows(play, first, notes), board, "play")
            stop = {"stop": ["*"]} if len(play.cards) < 52 else {}
            body = self.fitter.fit(section, {"card_played": made, **stop})
            if play.tricks:
                yield self._made(rule, key, "play", self.fitter.fit(value_rule, offers.seat(first)), body)
                yield from self._notes(rule, notes)
        elif "trick" in self.compiler.fields(value_rule.expr):
            fitted = self.fitter.fit(value_rule, {"trick": [{"card": offers.followed(trick)} for trick in play.tricks]})
            if fitted:
                yield self._made(rule, key, "play", fitted)
        elif "card" in self.compiler.fields(value_rule.expr):
            array = self.compiler.fields(value_rule.expr)["card"][1]
            cards = [str(card) for card in play.cards]
            for part in [cards] if array and cards else cards:
                yield self._made(rule, key, "play", self.fitter.fit(value_rule, {"card": part}))

    def _notes(self, rule: Rule, notes: Mapping[str, str]) -> Iterator[_Pair]:
        terms = rule.words.extra.get("terms")
        key = next((str(k) for k, term in terms.items() if term == "note"), None) if isinstance(terms, dict) else None
        numbered = key is not None and self._content(rule, "value", key) is not None
        for text, index in notes.items() if key is not None else ():
            said = encoded(self._value_rule(rule), text)
            yield self._made(rule, key or "", "note", f"{index}:{said}") if numbered else self._made(rule, index, "note", said)

    def _commented(self, made: list[dict[str, Any]], board: Board, part: str) -> list[dict[str, Any]]:
        for comment in board.comments:
            if len(comment.after) == 2 and comment.after[0] == part and int(comment.after[1]) < len(made):
                made[int(comment.after[1])].setdefault("comment", []).append(self._comment(comment))
        return made

    def _comment(self, comment: Comment) -> str:
        """A comment in braces; in a fresh file, in lines that the format has room for."""
        text = offers.comment_text(comment)
        limit = self.grammar.form.lines
        if not self.fresh or limit is None or limit.ends is None:
            return text
        room = limit.most - len(limit.ends)
        lines = [part for line in text.splitlines() for part in ([line] if len(line) <= room else wrap(line, room))]
        return limit.ends.join(lines)

    def _remarks(self, board: Board, term: str, key: str) -> Any:
        found = [self._comment(c) for c in board.comments if c.after in ((term,), (key,))]
        return {"comment": [encoded(None, text) for text in found]} if found else None

    def _tags(self, rule: Rule, board: Board) -> list[_Pair]:
        value_rule = self._value_rule(rule)
        pairs = [_Pair("tag", {str(rule.words.extra["name"]): key, "value": encoded(value_rule, text)}) for key, text in board.tags]
        for table in board.tables:
            head, body = text_of_table(table)
            pairs.append(self._made(rule, table.name, "tag", head, body))
        return sorted(pairs, key=lambda pair: str(pair.values[str(rule.words.extra["name"])])) if self.canonical else pairs
