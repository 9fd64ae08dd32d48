"""The pairs of a board, spelled: a key, a value, and the section that follows it, each by what the schema says of the key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.decl import Decl, RuleDecl
from bridgespec.codec.facts import pair_entry
from bridgespec.codec.fit import Asking, Fitter
from bridgespec.codec.terms import CLAIMS, TERMS, _tables
from bridgespec.codec.terms._base import Offer
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.model.board import Comment

Wrap = Callable[[Comment], str]
"""The text of a comment, in lines that the format has room for."""
_NOTE = "note"


@dataclass(slots=True)
class Made:
    """A pair to be written: its plain values, and the term that it is of."""

    term: str
    values: dict[str, Any]


class PairFiller:
    """Spells the pairs of one declaration."""

    def __init__(self, decl: Decl, fitter: Fitter, wrap: Wrap, canonical: bool) -> None:
        assert decl.pair is not None
        self.decl = decl
        self.pair = decl.pair
        self.fitter = fitter
        self.wrap = wrap
        self.canonical = canonical

    def pairs(self, asking: Asking) -> list[Made]:
        """Every pair that has something to say, in the order in which the schema lists its keys; then the further ones."""
        made: list[Made] = []
        done: set[tuple[str, str]] = set()
        for key in self.pair.words:
            entry = pair_entry(self.decl, key)
            what = entry.term, entry.member
            if entry.kind == "term" and (TERMS[entry.term].ON == "file") != asking.of_file:
                continue
            if entry.kind != "term" or entry.member == _NOTE or (what in done and key not in self.pair.also):
                continue
            found = list(self._of_key(key, entry.term, entry.member, asking))
            if not found and key in self.pair.mandatory:
                found = [self._made(entry.term, key, "", self._remarks(key, entry.term, asking))]
            if found:
                done.add(what)
            made += found
        if self.pair.tags and not asking.of_file:
            made += self._further(asking)
        return made

    def key_of(self, values: Mapping[str, Any]) -> str:
        """The key of a pair's plain values."""
        return str(values.get(self.pair.key))

    def _made(self, term: str, key: str, value: Any, section: Any = None) -> Made:
        values: dict[str, Any] = {self.pair.key: key, self.pair.value: value}
        if section and self.pair.section is not None:
            values[self.pair.section] = section
        return Made(term, values)

    def _handed(self, field: str | None, key: str) -> Decl | None:
        handed = self.decl.handed.get(field or "")
        return None if handed is None else handed.choose(key)

    def _of_key(self, key: str, term: str, member: str, asking: Asking) -> Iterator[Made]:
        offer = self.fitter.offer(term, "", asking)
        if not isinstance(offer, Mapping):
            return
        if isinstance(offer.get("rows"), list) and key in self.pair.heads:
            head, body = _tables.rows_of(self.pair.heads[key], self.pair.columns, offer["rows"])
            yield self._made(term, key, head, body)
            return
        if not member:
            offer = self._with_remarks(key, term, offer, asking)
            yield from self._whole(key, term, offer, asking)
            yield from self._notes(term, offer)
            return
        part = offer.get(member)
        for item in part if isinstance(part, list) else [] if part is None else [part]:
            value = self._value(key, term, item, asking, member)
            if value is None:
                return
            yield self._made(term, key, value)
            yield from self._siblings(key, term, item, asking)
        yield from self._notes(term, offer)

    def _siblings(self, key: str, term: str, item: Offer, asking: Asking) -> Iterator[Made]:
        """What is said of a part by a pair of its own, after it."""
        for other in self.pair.words if isinstance(item, Mapping) else ():
            entry = pair_entry(self.decl, other)
            if other != key and entry.term == term and item.get(entry.member) is not None and entry.member:
                value = self._value(other, term, item[entry.member], asking)
                if value is not None:
                    yield self._made(term, other, value)

    def _whole(self, key: str, term: str, offer: Mapping[str, Offer], asking: Asking) -> Iterator[Made]:
        value = self._value(key, term, offer, asking)
        section = self._handed(self.pair.section, key)
        roles = roles_in(section, term) if section is not None else frozenset()
        body = self.fitter.record(section, term, offer, asking) if section is not None and roles & offer.keys() else None
        if body and section is not None:
            # What is said of the section as a whole stands before its entries: the writer keeps to this order.
            body = dict(sorted(body.items(), key=lambda one: entry_of(section.fields[one[0]], term).role != "comment"))
        if value is None and not (body and roles - {"comment"}):
            return
        if isinstance(section, RuleDecl) and roles - {"comment", "table_cell"} and not body and not offer.get("seat"):
            return
        yield self._made(term, key, "" if value is None else value, body)

    def _value(self, key: str, term: str, offer: Offer, asking: Asking, member: str = "") -> Any:
        """The value; None where there is nothing to say, or no room for it."""
        decl = self._handed(self.pair.value, key) or self.decl.fields[self.pair.value]
        escape = self.decl.fields[self.pair.value].escape
        if member and decl.kind == "record" and not isinstance(offer, Mapping):
            offer = {member: offer}
        value = self.fitter.fit(decl, term, offer, asking)
        if isinstance(value, dict):
            return value if self.fitter.says(decl, term, offer, value) else None
        if (
            decl.kind == "leaf"
            and isinstance(value, str)
            and isinstance(decl, RuleDecl)
            and decl.escape is None
            and escape is not None
        ):
            value = decl.spelled(_plain(offer), escape)
        return None if value == "" else value

    def _notes(self, term: str, offer: Mapping[str, Offer]) -> Iterator[Made]:
        """The numbered notes that calls or cards refer to."""
        notes = offer.get(_NOTE)
        keys = [key for key in self.pair.words if pair_entry(self.decl, key).member == _NOTE]
        claims = {one.NAME for one in CLAIMS.get(_NOTE, ())}
        if not keys or not callable(notes) or term not in claims:
            return
        for note in notes():
            numbered = self._handed(self.pair.value, keys[0])
            escape = self.decl.fields[self.pair.value]
            assert isinstance(escape, RuleDecl)
            text = escape.spelled(note["note_text"])
            if numbered is not None:
                yield self._made(term, keys[0], f"{note['index']}:{text}")
            elif note["index"] in keys:
                yield self._made(term, note["index"], text)

    # --- remarks

    def _remarks(self, key: str, term: str, asking: Asking) -> Any:
        """The section of a pair that has nothing but remarks."""
        section = self._handed(self.pair.section, key)
        offer = self._with_remarks(key, term, {}, asking)
        return self.fitter.record(section, term, offer, asking) if section is not None and offer else None

    def _with_remarks(self, key: str, term: str, offer: Mapping[str, Offer], asking: Asking) -> Mapping[str, Offer]:
        """The offer with the comments on the pair and on its entries."""
        word = self.pair.word(key) or key
        comments = asking.board.comments
        section = [self.wrap(comment) for comment in comments if comment.after in ((word,), (key,))]
        entries = {
            role: list(items) for role, items in offer.items() if role in ("call_made", "card_played") and isinstance(items, list)
        }
        for comment in comments:
            if len(comment.after) == 2 and comment.after[0] in (word, key):
                for items in entries.values():
                    at = int(comment.after[1])
                    if at < len(items) and isinstance(items[at], Mapping):
                        items[at] = {**items[at], "comment": [*items[at].get("comment", ()), self.wrap(comment)]}
        return {**offer, **entries, **({"comment": section} if section else {})}

    # --- further pairs

    def _further(self, asking: Asking) -> list[Made]:
        value = self.decl.fields[self.pair.value]
        assert isinstance(value, RuleDecl)
        made = [self._tag(key, value.spelled(text), asking) for key, text in asking.board.tags]
        for table in asking.board.tables:
            made.append(self._made("tags", table.name, *_tables.spelled(table)))
        return sorted(made, key=lambda one: self.key_of(one.values)) if self.canonical else made

    def _tag(self, key: str, text: str, asking: Asking) -> Made:
        section = self._handed(self.pair.section, key)
        remarks = [self.wrap(comment) for comment in asking.board.comments if comment.after == (key,)]
        body = self.fitter.record(section, "tags", {"comment": remarks}, asking) if section is not None and remarks else None
        return self._made("tags", key, text, body)


def _plain(offer: Offer) -> Any:
    while isinstance(offer, Mapping | tuple | list) and offer:
        offer = offer.get("", "") if isinstance(offer, Mapping) else offer[0]
    return offer


def terms_of(decl: Decl, keys: Sequence[str]) -> list[str]:
    """The term that each of some pairs in a row is of; notes are of the section that they follow."""
    found: list[str] = []
    spoken: list[str] = []
    for key in keys:
        entry = pair_entry(decl, key)
        term = entry.term
        claims = [one.NAME for one in CLAIMS.get(entry.member, ())] if entry.member else []
        if len(claims) > 1:
            term = next((one for one in reversed(spoken) if one in claims), claims[0])
        elif term not in spoken:
            spoken.append(term)
        found.append(term)
    return found
