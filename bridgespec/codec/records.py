"""Make the plain values of boards of text: only changed terms are encoded, and later records that inherited one of them get it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from textwrap import wrap
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding_words import entry_of, pair_entry
from bridgespec.codec.declaration import Declaration, RuleDeclaration
from bridgespec.codec.encode import EncodeContext, PairEncoder, PairValues, TermEncoder, Wrap, keys_of, terms_of
from bridgespec.codec.origin import Origin
from bridgespec.codec.terms import TERMS, CannotRepresent, is_stated
from bridgespec.codec.terms._term import COMMENT, COMMENTS, Place
from bridgespec.codec.terms.remarks import place_of
from bridgespec.codec.text.text_tree import Kept
from bridgespec.model.board import Board, Comment
from bridgespec.spec.grammar import Grammar


class Records:
    """Makes the plain values of one file's boards, in order. With ``careful``, a pair that the grammar cannot spell is left out."""

    def __init__(
        self, binder: Binder, canonical: bool, careful: bool, inherited_keys: Set[str] = frozenset(), encoding: str = "latin-1"
    ) -> None:
        self.binder, self.canonical, self.careful = binder, canonical, careful
        self.form = binder.spec.text.form if isinstance(binder.spec.text, Grammar) else None
        if encoding not in binder.encoders:
            binder.encoders[encoding] = TermEncoder(binder.engine, encoding)
        self.encoder: TermEncoder = binder.encoders[encoding]
        self.encoder.lacking = 0
        self.pair_encoders: dict[int, PairEncoder] = {}
        self.fresh = False
        """Whether the whole file is encoded anew."""
        self.moved: set[str] = set()
        """The terms changed in the records so far: later records that inherit them must state them anew."""
        self.inherited_keys = set(inherited_keys)
        """The keys of pairs that later records inherit."""

    def fresh_one(self, decl: Declaration, context: EncodeContext) -> PairValues:
        """Return a board's plain values, all encoded anew."""
        return self._with_empty_pairs(decl, self._encoded(decl, context), context.board)

    def changed_one(
        self, decl: Declaration, context: EncodeContext, origin: Origin, before: Board, changed: set[str]
    ) -> Mapping[str, Any]:
        """Return plain values of a board read as ``before``; encode anew ``changed`` and terms no longer inherited, added to it."""
        board, record = context.board, Kept(origin.node)
        # Nothing that later records or this one depend on has changed: the record is not opened.
        if not (changed or self.moved or self.inherited_keys or origin.sequence.depends):
            return record
        base = self._opened(record, origin)
        if "comments" in changed:
            base, changed = self._with_comments(decl, base, changed, context, before)
        resting = self._no_longer_inherited(decl, base, board)
        self.moved |= changed
        changed |= resting
        made = patched(decl, base, self._encoded(decl, context, changed), changed) if changed else base
        return self._with_empty_pairs(decl, made, board)

    def _opened(self, record: Kept, origin: Origin) -> PairValues:
        """Return the fields of a record as it was read, with the keys of its pairs set, so that these are not parsed."""
        found = record.opened()
        rows = origin.sequence.rows(origin.index)
        if rows is None:
            return found
        pairs, keyed = found.get(origin.sequence.table.pair_keys.decl.name), [row for row in rows[0] if row[0]]
        # Layout between pairs has rows without a key, and no pair.
        if isinstance(pairs, list) and len(pairs) == len(keyed):
            for one, row in zip(pairs, keyed, strict=True):
                one.key, one.text = row[0], row[1]
        return found

    def _encoded(self, decl: Declaration, context: EncodeContext, wanted: Set[str] | None = None) -> PairValues:
        """Return the plain values of a board encoded anew: of all terms, or of the ``wanted`` ones only."""
        board, place = context.board, context.index + 1
        # Where the position of a board determines the dealer, hands are in the order of that dealer.
        if self.binder.dealer_by_position:
            board = replace(board, number=place, dealer=None)
        elif board.number is None:
            board = replace(board, number=place)
        values: PairValues = {}
        context = EncodeContext(board, context.document, context.index, wanted=wanted, given=self.binder.given)
        self._fields(decl, context, values, set())
        return values

    def _fields(
        self, decl: Declaration, context: EncodeContext, values: PairValues, done: set[tuple[str, str]], repeated: bool = False
    ) -> None:
        """Fill ``values`` with the fields of a record whose terms ``done`` lacks. ``repeated``: a field may have a list
        of values.
        """
        for name, inner in decl.fields.items():
            entry = entry_of(inner)
            # A term is stated once, by the first field that can represent it.
            what = ("pair", inner.word_name) if entry.kind == "pair" else (entry.term, entry.member)
            if inner.only_read or (what in done and entry.kind in ("pair", "term")):
                continue
            value: Any = None
            if entry.kind == "pair":
                value = self.pairs(inner, context)
                done.add(what)
            elif entry.kind == "term" and context.wants(entry.term):
                value = self._term(inner, context, repeated)
                done |= {what} if value is not None else set()
            elif entry.kind == "look":
                inside: PairValues = {}
                self._fields(inner, context, inside, done, repeated or inner.many)
                if any(inside.values()):
                    value = (
                        [one for all in apart(inner, inside) for one in self.encoder.apart(inner, all)] if inner.many else inside
                    )
            elif entry.kind == "rest" and context.wanted is None:
                value = inner.default
            if value is not None:
                values[name] = value

    def _term(self, decl: Declaration, context: EncodeContext, repeated: bool) -> Any:
        """Return the plain value of a field that states a term or a part of one."""
        entry = entry_of(decl)
        offer = self.encoder.offer(entry.term, entry.member, context)
        if entry.term == "comments":
            offer = [self._wrapped(comment) for comment in context.board.comments if not comment.after]
        if (decl.many or repeated) and not entry.array_as_one:
            return self.encoder.encode_array(decl, entry.term, offer, context)
        if isinstance(offer, list) and not decl.many:
            offer = offer[0] if offer else None
        value = self.encoder.encode(decl, entry.term, offer, context)
        if value is None and decl.many:
            value = self.encoder.encode_array(decl, entry.term, offer, context)
        return value if not isinstance(value, dict) or self.encoder.is_informative(decl, entry.term, offer, value) else None

    def pairs(self, decl: Declaration, context: EncodeContext) -> list[PairValues]:
        """Return the plain values of a field of pairs, in the order in which they are written."""
        pairs = self.pair_encoder(decl).pairs(context)
        if context.of_file:
            return pairs
        if self.pair_encoder(decl).remark is not None:
            pairs = self._with_leading_pair(decl, pairs)
        return [pair for pair in arranged(decl, pairs) if not self.careful or self.encoder.spells(decl, pair)]

    def pair_encoder(self, decl: Declaration) -> PairEncoder:
        """Return the encoder for pairs of a declaration; cached."""
        if id(decl) not in self.pair_encoders:
            self.pair_encoders[id(decl)] = PairEncoder(decl, self.encoder, self._wrapped, self.canonical)
        return self.pair_encoders[id(decl)]

    def _with_leading_pair(self, decl: Declaration, pairs: list[PairValues]) -> list[PairValues]:
        """Return the pairs of a new record; an empty pair precedes a leading comment, which would belong to the record before."""
        pair_encoder, board = self.pair_encoders[id(decl)], self.binder.board
        if not isinstance(board, RuleDeclaration) or board.rule.words.restart is None:
            return pairs
        if not pairs or pair_encoder.remark is None or pairs[0][pair_encoder.pair.key] != pair_encoder.remark:
            return pairs
        empty = ({pair_encoder.pair.key: key, pair_encoder.pair.value: ""} for key in pair_encoder.pair.words)
        return [next(pair for pair in empty if self.encoder.begins(decl, pair, board)), *pairs]

    def _wrapped(self, comment: Comment) -> str:
        """Return a comment's text; in a new file wrapped to the format's line length, which includes the delimiters."""
        text = comment.text
        limit = self.form.lines if self.form is not None else None
        if not self.fresh or limit is None or limit.ends is None:
            return text
        room = limit.most - len(limit.ends)
        lines = [part for line in f"{{{text}}}".splitlines() for part in ([line] if len(line) <= room else wrap(line, room))]
        return limit.ends.join(lines)[1:-1]

    # --- comments, and values that later records inherit

    def _with_comments(
        self, decl: Declaration, base: PairValues, changed: set[str], context: EncodeContext, before: Board
    ) -> tuple[PairValues, set[str]]:
        """Return plain values with comments added and removed, and the terms left to encode, which take their comments along."""
        edit = CommentEdit(self.encoder, self._wrapped, before.comments, context)
        out = dict(base)
        left = changed - {"comments"}
        for name, inner in decl.fields.items():
            if inner.pair is None or not isinstance(out.get(name), list):
                continue
            pair_encoder = self.pair_encoder(inner)
            if pair_encoder.remark is not None:
                # The entries of a changed section are new pairs, and comments are between them.
                if left & pair_encoder.sections:
                    return base, left | {"comments"}
                out[name] = self._with_leading_pair(inner, edit.among(pair_encoder, out[name], before))
                continue
            terms = terms_of(inner, out[name])
            out[name] = [
                pair if term in left else edit.on_pair(pair_encoder, pair) for term, pair in zip(terms, out[name], strict=True)
            ]
        return edit.on_record(decl, "", out, ()), left

    def _no_longer_inherited(self, decl: Declaration, base: PairValues, board: Board) -> set[str]:
        """Return the changed terms that the record inherited from an earlier one, so that it must state them itself."""
        found: set[str] = set()
        repeated: set[str] = set()
        for name, inner in decl.fields.items() if self.moved else ():
            if inner.may_be_inherited and inner.pair is not None:
                pairs, same = base.get(name, []), None if inner.inherit is None else inner.inherit[0]
                field = inner.pair.value
                said = [same is None or not _repeats(pair, field, same) for pair in pairs]
                terms = terms_of(inner, pairs)
                # A record that states the term itself does not inherit it.
                found |= self.moved - {term for term, own in zip(terms, said, strict=True) if own}
                repeated |= {term for term, own in zip(terms, said, strict=True) if not own}
                repeated -= {terms_of(inner, [{inner.pair.key: key}])[0] for key in self.inherited_keys}
        found = {name for name in found if is_stated(getattr(board, name, None))}
        # From here on a repetition sign repeats this record's own value.
        self.moved -= found & repeated
        return found

    def _with_empty_pairs(self, decl: Declaration, made: PairValues, board: Board) -> PairValues:
        """Return the record with an empty pair for each value that it would inherit, but that its board does not have."""
        for name, inner in decl.fields.items() if self.binder.has_dependent_records else ():
            pair, inherit, pairs = inner.pair, inner.inherit, made.get(name, [])
            if not inner.may_be_inherited or pair is None:
                continue
            keys = {*keys_of(pair, pairs)}
            spelled = set(terms_of(inner, pairs)) - {"tags"}
            for key in sorted((self.inherited_keys | pair.repeats) - keys):
                empty = {pair.key: key} if inherit is None else {pair.key: key, pair.value: ""}
                term = terms_of(inner, [empty])[0]
                if not (self.fresh or term in self.moved) or term not in TERMS:
                    continue
                # An empty pair would mean that there is no value; without a pair, an earlier value would be inherited.
                if TERMS[term].TOGETHER and is_stated(getattr(board, term, None)):
                    raise CannotRepresent("it has no spelling, and that of an earlier board would be inherited")
                if key in self.inherited_keys and term not in spelled:
                    made = {**made, name: [*made.get(name, []), empty]}
            self.inherited_keys |= keys & pair.repeats
            if inherit is not None and (holding := [one for one in pairs if _starts_with(one, pair.value, inherit[1])]):
                self.inherited_keys |= {*keys_of(pair, holding)}
        return made


# --- unchanged values, and the positions of new ones


def _repeats(pair: Mapping[str, Any], field: str, same: str) -> bool:
    """Whether the value of a pair, in its field ``field``, is the repetition sign ``same``."""
    # The text of a kept pair is known without parsing it.
    if pair.__class__ is Kept and pair.text is not None and (pair.text == same or not pair.text.startswith(same)):
        # The sign alone is a plain text, which no other rule reads.
        return pair.text == same
    return bool(pair.get(field) == same)


def _starts_with(pair: Mapping[str, Any], field: str, text: str) -> bool:
    """Whether the value of a pair, in its field ``field``, begins with ``text``."""
    if pair.__class__ is Kept:
        return pair.starts_with(field, text)
    value = pair.get(field)
    return isinstance(value, str) and value.startswith(text)


def patched(decl: Declaration, base: Mapping[str, Any], fresh: PairValues, changed: Set[str]) -> PairValues:
    """Return the plain values of a record as read, in which the values of the changed terms are replaced by the values in
    ``fresh``.
    """
    out = dict(base)
    for name, inner in decl.fields.items():
        entry, old, new = entry_of(inner), base.get(name), fresh.get(name)
        if entry.kind == "pair":
            merged = _merged(inner, _listed(old), _listed(new), changed)
            out[name] = merged if inner.many else merged[0] if merged else None
        elif entry.kind == "look" and inner.many:
            kept = [(one, patched(inner, one, {}, changed)) for one in old or ()]
            # Elements that a change has emptied are left out; those that were empty before stay.
            out[name] = [one for before, one in kept if one == before or _has_value(one)]
            out[name] += filter(_has_value, new or ())
        elif entry.kind == "look" and isinstance(old, Mapping):
            out[name] = patched(inner, old, new or {}, changed)
        elif entry.kind == "term" and entry.term in changed:
            out[name] = new
    return {name: value for name, value in out.items() if value is not None}


def _listed(value: Any) -> list[Any]:
    """Return a field's pairs as a list, whether its value is a list, a single pair or None."""
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _has_value(value: Any) -> bool:
    """Whether plain values have any value other than None and empty lists."""
    return any(map(_has_value, value.values())) if isinstance(value, Mapping) else value not in (None, [], ())


def _merged(decl: Declaration, base: Sequence[PairValues], fresh: Sequence[PairValues], changed: Set[str]) -> list[PairValues]:
    """Return the pairs as read; those of changed terms are replaced where they are, new ones inserted in the schema's order."""
    # Tables are pairs with undeclared keys, like tags.
    changed = changed | {"tags"} if "tables" in changed else changed
    new: dict[str, list[PairValues]] = {}
    for term, pair in zip(terms_of(decl, fresh), fresh, strict=True):
        new.setdefault(term, []).append(pair)
    out: list[PairValues] = []
    for term, pair in zip(terms_of(decl, base), base, strict=True):
        out += new.pop(term, ()) if term in changed else [pair]
    for pairs in new.values():
        rank = _ranks(decl, pairs)[0]
        # Behind the last pair that precedes it in the schema: the pairs read may be in any order.
        at = max((index + 1 for index, before in enumerate(_ranks(decl, out)) if before < rank), default=0)
        out[at:at] = pairs
    return out


def arranged(decl: Declaration, pairs: list[PairValues]) -> list[PairValues]:
    """Return the pairs in the order of the format's strict form; unchanged where it has no such order."""
    order = _strict(decl, pairs) if len(pairs) > 1 else None
    return pairs if order is None else [pairs[at] for at in sorted(range(len(pairs)), key=order.__getitem__)]


def _ranks(decl: Declaration, pairs: Sequence[PairValues]) -> Sequence[Any]:
    """Return one sort key for each pair: by the format's strict order where there is one, else by the schema's list of keys."""
    assert decl.pair is not None
    order = {key: at for at, key in enumerate(decl.pair.words)}
    return _strict(decl, pairs) or [order.get(key, len(order)) for key in keys_of(decl.pair, pairs)]


def _strict(decl: Declaration, pairs: Sequence[PairValues]) -> Sequence[Any] | None:
    """Return a sort key for each pair by the order of the format's strict form; None where the format has no such order."""
    assert isinstance(decl, RuleDeclaration)
    assert decl.pair is not None
    said = decl.rule.words.pair
    if said is None or said.strict is None or said.strict.order is None:
        return None
    keys = tuple(keys_of(decl.pair, pairs))
    # Cached, since most records have the same keys.
    return decl.ranks.get(keys) or decl.ranks.keep(keys, said.strict.order.ranks(said, keys))


def apart(decl: Declaration, inside: PairValues) -> list[PairValues]:
    """Return plain values as elements of an array of records: several where a field of one value has a list of them."""
    # Each value in the list of a field that is no array needs a record of its own.
    alone = {name for name, value in inside.items() if isinstance(value, list) and not decl.fields[name].many}
    together = {name: value for name, value in inside.items() if value and name not in alone}
    return [*([together] if together else []), *({name: one} for name in inside if name in alone for one in inside[name])]


# --- comments of a record that was read: added and removed, while everything beside them stays as it was


class CommentEdit:
    """Applies the changes of one board's comments to the plain values of its record; made by `Records` for each record."""

    def __init__(self, encoder: TermEncoder, wrap: Wrap, before: Sequence[Comment], context: EncodeContext) -> None:
        self.encoder, self.wrap, self.context = encoder, wrap, context
        self.before, self.after = before, context.board.comments

    def _texts(self, place: Place) -> tuple[list[str], list[str]]:
        """Return the texts of the comments at a model path, before and after the change."""
        one, two = ([comment.text for comment in comments if comment.after == place] for comments in (self.before, self.after))
        return one, two

    def on_record(self, decl: Declaration, term: str, values: PairValues, place: Place) -> PairValues:
        """Return a record's values with the comments at a model path as they are now; new ones are added last."""
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
        fresh = [self.encoder.encode(inner, COMMENTS, self.wrap(Comment(text)), self.context) for text in added.elements()]
        # A comment on a whole record precedes its entries; one on an entry follows it.
        stands = any(field in out for field, _ in fields)
        out = out if stands or len(place) > 1 else {name: [], **out}
        out[name] = [*out.get(name, ()), *(text for text in fresh if text is not None)]
        return {name: value for name, value in out.items() if value != []}

    def on_pair(self, pair_encoder: PairEncoder, pair: PairValues) -> PairValues:
        """Return a pair with the comments on the pair and on the entries of its section as they are now."""
        key = str(pair.get(pair_encoder.pair.key))
        word = pair_encoder.pair.word(key) or key
        section = pair_encoder.section(key)
        changed = set(self.before) ^ set(self.after)
        if section is None or pair_encoder.pair.section is None or not any(one.after[:1] == (word,) for one in changed):
            return pair
        term, body = pair_entry(pair_encoder.decl, key).term or "tags", pair.get(pair_encoder.pair.section, {})
        if not isinstance(body, dict):
            return pair
        out = self.on_record(section, term, body, (word,))
        for name, inner in section.fields.items():
            if entry_of(inner, term).role in TERMS[term].ENTRIES and isinstance(out.get(name), list):
                items = enumerate(out[name])
                out = {**out, name: [self._on_entry(inner, term, item, (word, at)) for at, item in items]}
        if out == body:
            return pair
        beside = {name: value for name, value in pair.items() if name != pair_encoder.pair.section}
        return {**beside, pair_encoder.pair.section: out} if out else beside

    def _on_entry(self, decl: Declaration, term: str, item: Any, place: Place) -> Any:
        """Return the entry of a section, such as a call, with the comments on it as they are now."""
        return self.on_record(decl, term, item, place) if isinstance(item, dict) else item

    def among(self, pair_encoder: PairEncoder, pairs: Sequence[PairValues], board: Board) -> list[PairValues]:
        """Return the pairs with the comments as they are now, for a format in which a comment is a pair of its own."""
        gone, added = Counter(self.before) - Counter(self.after), Counter(self.after) - Counter(self.before)
        out: list[tuple[Place, bool, PairValues]] = []
        for place, term, pair in _placed(pair_encoder, pairs, board):
            comment = Comment(pair_encoder.text_of(pair), place) if term == COMMENTS else None
            if comment is None or gone[comment] <= 0:
                out.append((place, bool(term), pair))
            else:
                gone[comment] -= 1
        for comment in added.elements():
            fresh = list(pair_encoder.remark_pairs([comment.text], self.context))
            at = [index for index, (place, means, _) in enumerate(out) if place == comment.after and means]
            # A comment on one of several entries in a pair comes after that pair.
            later = (index for index, (place, _, _) in enumerate(out) if _is_later(place, comment.after))
            # A comment of the board precedes the deal, after which it would be one of the auction.
            index = at[-1] + 1 if at else 0 if not comment.after else next(later, len(out) - 1) + 1
            out[index:index] = [(comment.after, True, pair) for pair in fresh]
        return [pair for _, _, pair in out]


def _is_later(place: Place, other: Place) -> bool:
    """Whether the model path ``place`` is a later entry of the section that ``other`` is in."""
    return len(place) == len(other) == 2 and place[0] == other[0] and int(place[1]) > int(other[1])


def _is_comment(decl: Declaration, term: str) -> bool:
    entry = entry_of(decl, term)
    return decl.many and (entry.role == COMMENT or (entry.term == COMMENTS and entry.kind == "term"))


def _placed(pair_encoder: PairEncoder, pairs: Sequence[PairValues], board: Board) -> Iterator[tuple[Place, str, PairValues]]:
    """Yield the model path that a comment after each pair would have, the term of the pair, and the pair."""
    counts: Counter[str] = Counter()
    dealt = False
    for pair in pairs:
        entry = pair_entry(pair_encoder.decl, str(pair.get(pair_encoder.pair.key)))
        value = pair.get(pair_encoder.pair.value)
        if entry.member and entry.term in pair_encoder.sections and entry.member in TERMS[entry.term].SEQUENCE:
            several = value.get(entry.member) if isinstance(value, dict) else None
            counts[entry.term] += len(several) if isinstance(several, list) else 1
        dealt = dealt or entry.term == "deal"
        yield place_of(board.auction, board.play, counts["auction"], counts["play"]) if dealt else (), entry.term, pair
