"""The pairs of a board, spelled: a key, a value, and the section that follows it, each by what the schema says of the key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bridgespec.codec.decl import Decl, Pair, RuleDecl
from bridgespec.codec.fit import MANY, Asking, Fitter, frozen
from bridgespec.codec.terms import CLAIMS, TERMS, _tables
from bridgespec.codec.terms._base import COMMENT, COMMENTS, INDEX, NOTE, NOTE_TEXT, Offer
from bridgespec.codec.text.supply import SharedRecord
from bridgespec.codec.text.tree import Kept
from bridgespec.codec.words import entry_of, pair_entry, roles_in, term_said
from bridgespec.model.board import Board, Comment

Wrap = Callable[[Comment], str]
"""The text of a comment, in lines that the format has room for."""
Plain = dict[str, Any]
"""The plain values of a pair."""


class PairFiller:
    """Spells the pairs of one declaration."""

    def __init__(self, decl: Decl, fitter: Fitter, wrap: Wrap, canonical: bool) -> None:
        assert decl.pair is not None
        value = decl.fields[decl.pair.value]
        assert isinstance(value, RuleDecl)
        self.decl, self.pair, self.value = decl, decl.pair, value
        self.fitter, self.wrap, self.canonical = fitter, wrap, canonical
        entries = [(key, pair_entry(decl, key)) for key in decl.pair.words]
        self.notes = [key for key, entry in entries if entry.member == NOTE]
        self.remark = next((key for key, entry in entries if entry.term == COMMENTS and not entry.member), None)
        """The key of a pair that is a comment, which stands behind what it follows."""
        self.sections = frozenset(entry.term for _, entry in entries if entry.term and entry.member in TERMS[entry.term].SEQUENCE)
        """The terms of which each entry is a pair of its own, so that comments can stand among them."""
        self.keys = [
            (key, entry.term, entry.member, TERMS[entry.term].ON == "file")
            for key, entry in entries
            if entry.kind == "term" and entry.member != NOTE
        ]

    def pairs(self, asking: Asking) -> list[Plain]:
        """Every pair that has something to say, in the order in which the schema lists its keys; then the further ones."""
        made: list[Plain] = []
        done: set[tuple[str, str]] = set()
        for key, term, member, of_file in self.keys:
            what = term, member
            if of_file != asking.of_file or not asking.wants(term) or (what in done and key not in self.pair.also):
                continue
            found = list(self._of_key(key, term, member, asking)) if self._may_have(key, member, asking.offer(term), asking) else []
            if not found and key in self.pair.mandatory:
                found = [self._made(key, "", self._remarks(key, term, asking))]
            if found:
                done.add(what)
            made += found
        if self.pair.tags and not asking.of_file and (asking.wants("tags") or asking.wants("tables")):
            made += self._further(asking)
        return made

    def _may_have(self, key: str, member: str, offer: Offer, asking: Asking) -> bool:
        """Whether a key may have a pair: False if there are neither remarks nor notes, and no part that it states."""
        if self.remark is not None and (key == self.remark or asking.board.comments):
            return True
        return isinstance(offer, Mapping) and (not member or offer.get(member) is not None or bool(self.notes))

    def _made(self, key: str, value: Any, section: Any = None) -> Plain:
        values = {self.pair.key: key, self.pair.value: value}
        if section and self.pair.section is not None:
            values[self.pair.section] = section
        return values

    def _handed(self, field: str | None, key: str) -> Decl | None:
        handed = self.decl.handed.get(field or "")
        return None if handed is None else handed.choose(key)

    def _of_key(self, key: str, term: str, member: str, asking: Asking) -> Iterator[Plain]:
        offer = asking.offer(term)
        if key == self.remark:
            yield from self.remark_pairs(self._elsewhere(asking.board), asking)
        if not isinstance(offer, Mapping):
            return
        if isinstance(offer.get("rows"), list) and key in self.pair.heads:
            yield self._made(key, *_tables.rows_of(self.pair.heads[key], self.pair.columns, offer["rows"]))
            return
        if not member:
            yield from self._whole(key, term, self._with_remarks(key, term, offer, asking), asking)
        spoken = TERMS[term]
        if self.remark is not None and member in spoken.SEQUENCE:
            offer = self._with_remarks(key, term, offer, asking)
            yield from self.remark_pairs(offer.get(COMMENT, ()), asking)
        part = offer.get(member) if member else None
        items = part if isinstance(part, list) else [] if part is None else [part]
        for at, item in enumerate(items):
            entry = self._entry(key, term, member, item, asking)
            if not entry:
                return
            yield from entry
            if at + 1 < len(items) or offer.get(spoken.CLOSING) is None:
                yield from self.remark_pairs(remarks_on(item), asking)
        if member and member == spoken.CLOSING:
            for entries in (offer.get(name) for name in spoken.SEQUENCE):
                yield from self.remark_pairs(remarks_on(entries[-1]) if entries else (), asking)
        yield from self._notes(term, offer.get(NOTE))

    def _entry(self, key: str, term: str, member: str, item: Offer, asking: Asking) -> Sequence[Plain]:
        """Return the pairs of an entry: its own, and those of what is said of it, which stand after it; none if it has no room."""
        memo = self.fitter.shared
        same = frozen(item) if self.fitter.is_alone(self._handed(self.pair.value, key) or self.value, term) else None
        lacking = self.fitter.lacking
        what = id(self.decl), key, member, same
        if same is not None and what in memo:
            return memo[what]
        value = self._value(key, term, item, asking, member)
        made = [] if value is None else [self._made(key, value)]
        for other in self.pair.words if made and isinstance(item, Mapping) else ():
            entry = pair_entry(self.decl, other)
            inner = item.get(entry.member) if entry.member and entry.term == term and other != key else None
            value = None if inner is None else self._value(other, term, inner, asking)
            made += [] if value is None else [self._made(other, value)]
        if same is None or len(memo) >= MANY or lacking != self.fitter.lacking:
            return made
        memo[what] = [SharedRecord(pair) for pair in made]
        return memo[what]

    def _whole(self, key: str, term: str, offer: Mapping[str, Offer], asking: Asking) -> Iterator[Plain]:
        value = self._value(key, term, offer, asking)
        section = self._handed(self.pair.section, key)
        roles = frozenset() if section is None else roles_in(section, term)
        body = self.fitter.record(section, term, offer, asking) if section is not None and roles & offer.keys() else {}
        if section is not None and len(body) > 1:
            # What is said of the section as a whole stands before its entries: the writer keeps to this order.
            body = dict(sorted(body.items(), key=lambda one: entry_of(section.fields[one[0]], term).role != COMMENT))
        if value is None and not (body and roles - {COMMENT}):
            return
        if body or not roles - {COMMENT, _tables.ENTRY} or any(map(offer.get, TERMS[term].ALONE)):
            yield self._made(key, "" if value is None else value, body)

    def _value(self, key: str, term: str, offer: Offer, asking: Asking, member: str = "") -> Any:
        """The value; None where there is nothing to say, or no room for it."""
        decl = self._handed(self.pair.value, key) or self.value
        if member and decl.kind == "record" and (member in roles_in(decl, term) or not isinstance(offer, Mapping)):
            offer = {member: [offer]}
        value = self.fitter.fit(decl, term, offer, asking)
        if isinstance(value, dict):
            return value if self.fitter.says(decl, term, offer, value) else None
        if self.value.escape is not None and decl.escape is None and decl.kind == "leaf" and isinstance(value, str):
            assert isinstance(decl, RuleDecl)
            value = self.fitter.spelled(decl, _plain(offer), self.value.escape)
        return value or None

    def _notes(self, term: str, notes: Offer) -> Iterator[Plain]:
        """The numbered notes that calls or cards refer to."""
        keys = self.notes
        if not keys or not callable(notes) or TERMS[term] not in CLAIMS.get(NOTE, ()):
            return
        numbered = self._handed(self.pair.value, keys[0])
        texts = [] if numbered is None else [one for one in numbered.walk() if entry_of(one, term).role == NOTE_TEXT]
        # A note is not left empty where the schema has a word for one that explains nothing.
        silent = next((one.unknown[0] for one in texts if one.unknown), "")
        for note in notes():
            reader = next((one for one in texts if isinstance(one, RuleDecl)), self.value)
            index, text = note[INDEX], self.fitter.spelled(reader, note[NOTE_TEXT] or silent, self.value.escape)
            if numbered is not None:
                yield self._made(keys[0], f"{index}:{text}")
            elif index in keys:
                yield self._made(index, text)

    # --- remarks

    def _remarks(self, key: str, term: str, asking: Asking) -> Any:
        """The section of a pair that has nothing but remarks."""
        section = self._handed(self.pair.section, key)
        offer = self._with_remarks(key, term, {}, asking)
        return self.fitter.record(section, term, offer, asking) if section is not None and offer else None

    def _with_remarks(self, key: str, term: str, offer: Mapping[str, Offer], asking: Asking) -> Mapping[str, Offer]:
        """The offer with the comments on the pair and on its entries."""
        if not asking.board.comments:
            return offer
        words = {self.pair.word(key) or key, key} | ({term} if term in self.sections else set())
        wrap = self.wrap if self.remark is None else _text
        said = [comment for comment in asking.board.comments if comment.after and comment.after[0] in words]
        section = [wrap(comment) for comment in said if len(comment.after) == 1]
        entries = {role: list(offer[role]) for role in TERMS[term].ENTRIES if isinstance(offer.get(role), list)}
        for comment in said:
            at = int(comment.after[1]) if len(comment.after) == 2 else -1
            for items in entries.values():
                at = min(at, len(items) - 1) if self.remark is not None else at
                if 0 <= at < len(items) and isinstance(items[at], Mapping):
                    items[at] = {**items[at], COMMENT: [*items[at].get(COMMENT, ()), wrap(comment)]}
        return {**offer, **entries, **({COMMENT: section} if section else {})}

    def _elsewhere(self, board: Board) -> Iterator[str]:
        """Yield the comments that precede every section: those of the board, and of what has no pair that they could follow."""
        for comment in board.comments:
            section = str(comment.after[0]) if comment.after else ""
            if section not in self.sections or not TERMS[section].is_entered(board):
                yield comment.text

    def remark_pairs(self, texts: Iterable[str], asking: Asking) -> Iterator[Plain]:
        """A pair for each comment that the grammar can spell."""
        if self.remark is None:
            return
        for text in texts:
            value = self._value(self.remark, COMMENTS, text, asking)
            if value is not None and self.fitter.rereads(self.decl, pair := self._made(self.remark, value)):
                yield pair

    def section(self, key: str) -> Decl | None:
        """What reads the section of a pair with a key."""
        return self._handed(self.pair.section, key)

    def text_of(self, pair: Plain) -> str:
        """The text of a comment that is a pair."""
        reader = self._handed(self.pair.value, str(pair.get(self.pair.key))) or self.value
        return reader.decoded(str(pair.get(self.pair.value) or ""), self.value.escape)

    # --- further pairs

    def _further(self, asking: Asking) -> list[Plain]:
        board = asking.board
        made = [
            self._made(key, self.fitter.spelled(self.value, text), self._remarks(key, "tags", asking)) for key, text in board.tags
        ]
        made += [self._made(table.name, *_tables.spelled(table)) for table in board.tables]
        return sorted(made, key=lambda one: str(one[self.pair.key])) if self.canonical else made


def remarks_on(item: Offer) -> Sequence[str]:
    """The comments on an entry."""
    return item.get(COMMENT, ()) if isinstance(item, Mapping) else ()


def _text(comment: Comment) -> str:
    return comment.text


def _plain(offer: Offer) -> Any:
    while isinstance(offer, Mapping | tuple | list) and offer:
        offer = offer.get("", "") if isinstance(offer, Mapping) else offer[0]
    return offer


def keys_of(words: Pair, pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys of some pairs."""
    name = words.key
    return [one.key if isinstance(one, Kept) and one.key is not None else str(one.get(name)) for one in pairs]


def terms_of(decl: Decl, pairs: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Return the term of each of some pairs in a row; notes are of the section that they follow."""
    assert decl.pair is not None
    keys = tuple(keys_of(decl.pair, pairs))
    # Most records have the keys of others.
    if keys in decl.terms:
        return decl.terms[keys]
    found: list[str] = []
    spoken: list[str] = []
    for key in keys:
        entry = pair_entry(decl, key)
        if len(CLAIMS.get(entry.member, ())) < 2 and entry.term not in spoken:
            spoken.append(entry.term)
        found.append(term_said(entry, spoken))
    if len(decl.terms) < MANY:
        decl.terms[keys] = found
    return found
