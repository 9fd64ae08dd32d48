"""Comments of a text record that was read: added and removed, while everything beside them stays as it stood.

The input is the plain values of a record, the comments that it had, and those that it is to have. `CommentEdit.on_record` edits the
comments of a record, `on_pair` those of a pair and of its section, `among` comments that are pairs of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bridgespec.codec.decl import Decl
from bridgespec.codec.fit import Asking, Fitter
from bridgespec.codec.pairs import PairFiller, Plain
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._base import COMMENT, COMMENTS, Place
from bridgespec.codec.terms.remarks import place_of
from bridgespec.codec.words import entry_of, pair_entry
from bridgespec.model.board import Board, Comment


class CommentEdit:
    """The edit of one record, made by `Records` while it writes the record."""

    def __init__(self, fitter: Fitter, wrap: Callable[[Comment], str], before: Sequence[Comment], asking: Asking) -> None:
        self.fitter, self.wrap, self.asking = fitter, wrap, asking
        self.before, self.after = before, asking.board.comments

    def _texts(self, place: Place) -> tuple[list[str], list[str]]:
        """The comments that a place had, and those that it is to have."""
        one, two = ([comment.text for comment in comments if comment.after == place] for comments in (self.before, self.after))
        return one, two

    def on_record(self, decl: Decl, term: str, values: Plain, place: Place) -> Plain:
        """The values of a record with the comments of a place: those that stay are not touched, new ones follow them."""
        before, after = self._texts(place)
        gone, added = Counter(before) - Counter(after), Counter(after) - Counter(before)
        fields = [(name, one) for name, one in decl.fields.items() if _is_comment(one, term)]
        if not fields or not (gone or added):
            return values
        out = dict(values)
        for name, inner in fields:
            kept = []
            for text in out.get(name, ()):
                said = inner.decoded(text if inner.between is None else inner.between.inside(text), None)
                gone[said] -= 1
                if gone[said] < 0:
                    kept.append(text)
            if name in out:
                out[name] = kept
        name, inner = fields[0]
        fresh = [self.fitter.fit(inner, COMMENTS, self.wrap(Comment(text)), self.asking) for text in added.elements()]
        # A comment on a whole record precedes what stands in it; on an entry it follows.
        stands = any(field in out for field, _ in fields)
        out = out if stands or len(place) > 1 else {name: [], **out}
        out[name] = [*out.get(name, ()), *(text for text in fresh if text is not None)]
        return {name: value for name, value in out.items() if value != []}

    def on_pair(self, filler: PairFiller, pair: Plain) -> Plain:
        """A pair with the comments on it and on the entries of its section."""
        key = str(pair.get(filler.pair.key))
        word = filler.pair.word(key) or key
        section = filler.section(key)
        changed = set(self.before) ^ set(self.after)
        if section is None or filler.pair.section is None or not any(one.after[:1] == (word,) for one in changed):
            return pair
        term, body = pair_entry(filler.decl, key).term or "tags", pair.get(filler.pair.section, {})
        if not isinstance(body, dict):
            return pair
        out = self.on_record(section, term, body, (word,))
        for name, inner in section.fields.items():
            if entry_of(inner, term).role in TERMS[term].ENTRIES and isinstance(out.get(name), list):
                items = enumerate(out[name])
                out = {**out, name: [self._on_entry(inner, term, item, (word, at)) for at, item in items]}
        if out == body:
            return pair
        beside = {name: value for name, value in pair.items() if name != filler.pair.section}
        return {**beside, filler.pair.section: out} if out else beside

    def _on_entry(self, decl: Decl, term: str, item: Any, place: Place) -> Any:
        return self.on_record(decl, term, item, place) if isinstance(item, dict) else item

    def among(self, filler: PairFiller, pairs: Sequence[Plain], board: Board) -> list[Plain]:
        """The pairs of a record in which each comment is a pair, behind what it follows."""
        gone, added = Counter(self.before) - Counter(self.after), Counter(self.after) - Counter(self.before)
        out: list[tuple[Place, bool, Plain]] = []
        for place, term, pair in _placed(filler, pairs, board):
            comment = Comment(filler.text_of(pair), place) if term == COMMENTS else None
            if comment is None or gone[comment] <= 0:
                out.append((place, bool(term), pair))
            else:
                gone[comment] -= 1
        for comment in added.elements():
            fresh = list(filler.remark_pairs([comment.text], self.asking))
            at = [index for index, (place, means, _) in enumerate(out) if place == comment.after and means]
            # A pair of several entries takes the comment on any of them behind it.
            later = (index for index, (place, _, _) in enumerate(out) if _is_later(place, comment.after))
            # A comment of the board precedes the deal, after which it would be one of the auction.
            index = at[-1] + 1 if at else 0 if not comment.after else next(later, len(out) - 1) + 1
            out[index:index] = [(comment.after, True, pair) for pair in fresh]
        return [pair for _, _, pair in out]


def _is_later(place: Place, other: Place) -> bool:
    """Whether a place is a later entry of the same section."""
    return len(place) == len(other) == 2 and place[0] == other[0] and int(place[1]) > int(other[1])


def _is_comment(decl: Decl, term: str) -> bool:
    entry = entry_of(decl, term)
    return decl.many and (entry.role == COMMENT or (entry.term == COMMENTS and entry.kind == "term"))


def _placed(filler: PairFiller, pairs: Sequence[Plain], board: Board) -> Iterator[tuple[Place, str, Plain]]:
    """Each pair with its term, and the place that a comment behind it has."""
    counts: Counter[str] = Counter()
    dealt = False
    for pair in pairs:
        entry = pair_entry(filler.decl, str(pair.get(filler.pair.key)))
        value = pair.get(filler.pair.value)
        if entry.member and entry.term in filler.sections and entry.member in TERMS[entry.term].SEQUENCE:
            several = value.get(entry.member) if isinstance(value, dict) else None
            counts[entry.term] += len(several) if isinstance(several, list) else 1
        dealt = dealt or entry.term == "deal"
        yield place_of(board.auction, board.play, counts["auction"], counts["play"]) if dealt else (), entry.term, pair
