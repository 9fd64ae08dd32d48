"""Encode what terms of the model offer for writing: select what a schema has fields for, and make the pairs of a board.

The call path: `TermEncoder.encode` returns the plain value of a field of a record, `PairEncoder.pairs` the pairs of a board; both
call `EncodeContext.offer`, for which the term computes an `Offer`: the parts of the board's value by role, with alternatives. A
schema without a field for an offer "has no room for it". PairValues values of entries, such as calls, are cached by their offer
(`frozen`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, Any

from bridgespec.codec.binding_words import certain_of, entry_of, pair_entry, roles_in, stated_term
from bridgespec.codec.declaration import Declaration, FieldBinding, FieldDeclaration, PairDeclaration, RuleDeclaration
from bridgespec.codec.spelling import SIGNS, Memo, escaped, suit_marks
from bridgespec.codec.terms import CLAIMS, TERMS, _tables
from bridgespec.codec.terms._term import COMMENT, COMMENTS, INDEX, INSTEAD, NOTE, NOTE_TEXT, UNSAID, Offer, SharedOffer
from bridgespec.codec.terms._values import LEFT_OUT, NOTHING, CannotRepresent
from bridgespec.codec.text.pending_values import CannotEncode, SharedRecord
from bridgespec.codec.text.text_tree import Kept
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document

if TYPE_CHECKING:
    # A binary file needs nothing of what reads grammars.
    from bridgespec.codec.text.grammar_engine import TextEngine

_WrittenField = tuple[str, Declaration, FieldBinding, Mapping[Offer, str | None], bool]
"""A field of a record: name, declaration, binding, a cache of encoded texts, and whether it may contain the record itself."""
SHORT = 16
"""The length below which an encoded text is cached."""


@dataclasses.dataclass(slots=True)
class EncodeContext:
    """The input of an encoder: a board, its document, and the index of the board in it. One is made for each board that is
    written.

    ``of_file`` is true for content that applies to every board; ``wanted`` are the terms to encode, None for all.
    """

    board: Board
    document: Document
    index: int
    of_file: bool = False
    wanted: Set[str] | None = None
    given: Callable[[str], Set[str]] | None = None
    """Returns the roles of a term that the target has."""
    _offers: dict[str, Offer] = dataclasses.field(default_factory=dict)

    def offer(self, term: str) -> Offer:
        """Return the offer of a term for the board. It is computed once, since several fields or pairs may take parts of it."""
        if term not in self._offers:
            self._offers[term] = TERMS[term].write(self)
        return self._offers[term]

    def has_role(self, term: str, role: str) -> bool:
        """Whether the target schema has a field for a role of a term; true where the roles are not known."""
        return self.given is None or role in self.given(term)

    def wants(self, term: str) -> bool:
        """Whether a term is to be encoded."""
        return self.wanted is None or term in self.wanted


class TermEncoder:
    """Encodes offers of terms as plain values of the fields of one schema; None where a field cannot represent the offer.
    ``engine`` reads the schema's texts.

    ``encoding`` is that of the files that are written; `lacking` counts the characters that the encoding could not represent. A
    binding table keeps one encoder for each encoding, so that short texts and entries are encoded once for all files.
    """

    def __init__(self, engine: TextEngine | None, encoding: str = "latin-1") -> None:
        self.engine = engine
        self.encoding = encoding
        self.lacking = 0
        self.entries: dict[tuple[int, str], list[_WrittenField]] = {}
        """By declaration and term, the fields of a record that are written."""
        self.texts: dict[int, Memo[str | None]] = {}
        """By declaration, the encoded texts of short offers: most offers repeat, such as numbers of tricks."""
        self.shared: dict[object, Memo[list[SharedRecord]]] = {}
        """The pairs of entries, such as calls and cards, and of plain terms: by declaration, key and term, then by offer."""
        self.alone: dict[tuple[int, str], bool] = {}
        """By declaration and term, the result of `is_alone`."""
        self.elements: dict[tuple[int, str], Memo[Any]] = {}
        """By declaration and term, the plain values of array elements by their offers."""

    def encode(self, decl: Declaration, term: str, offer: Offer, context: EncodeContext) -> Any:
        """Return the plain value of an offer for a field that is not an array; None where the field cannot represent it. Of a
        tuple of offers the first that fits is taken.
        """
        if callable(offer):
            offer = _called(decl, term, offer)
            if not decl.of_text:
                return offer
        if isinstance(offer, tuple):
            return self._first_of(decl, term, offer, context)
        if decl.kind == "record":
            return self.encode_record(decl, term, offer, context) if isinstance(offer, dict) else None
        if type(offer) is list and (decl.kind == "code" or not offer or isinstance(offer[0], dict)):
            # A schema may give a list, such as the notes of an auction, to a field of one value.
            return None
        if type(offer) is not str and isinstance(offer, dict):
            if "" in offer:
                return self.encode(decl, term, offer[""], context)
            offer = NOTHING if NOTHING in offer and decl.kind == "code" else None
        if offer is None:
            return None
        if decl.kind == "code":
            return _code(decl, offer)
        found = self._leaf(decl, offer)
        return self._respelled(decl, term, offer) if found is None and isinstance(offer, str) and term in TERMS else found

    def _first_of(self, decl: Declaration, term: str, offers: tuple[Offer, ...], context: EncodeContext) -> Any:
        """Return the plain value of the first of several alternative offers that the field can represent; None if it can represent
        none.
        """
        for one in offers:
            if (found := self.encode(decl, term, one, context)) is not None:
                return found
        return None

    def _respelled(self, decl: Declaration, term: str, text: str) -> Any:
        """Return the plain value of the first other spelling of ``text`` that the field can represent; None without one. The term
        gives the spellings.
        """
        others = (self._leaf(decl, one) for one in TERMS[term].respelled(text))
        return next((one for one in others if one is not None), None)

    def _leaf(self, decl: Declaration, offer: Offer) -> Any:
        """Return the plain value of a text or number for a field that is neither a code nor a record; None where its rule does not
        match. Raises `CannotRepresent` for a number with too many digits.
        """
        if isinstance(decl, RuleDeclaration):
            if offer is True:
                return decl.literal
            known = self.texts.setdefault(id(decl), Memo())
            # By type: a member of an enumeration is equal to its number, and would share the entry of that.
            short = type(offer) is int or (type(offer) is str and len(offer) < SHORT)
            # The memo itself is the default for a missing entry, since None may be a cached result.
            if short and (kept := known.get(offer, known)) is not known:
                return kept
            # A text with characters that the encoding lacks is not cached: each of its uses must be counted.
            lacking = self.lacking
            text = self.spelled(decl, offer)
            assert self.engine is not None
            found = text if self.engine.value(decl.shape.name).fits(text) else None
            return known.keep(offer, found) if short and lacking == self.lacking else found
        if isinstance(offer, int) and decl.numeral is not None:
            text = decl.numeral.write(offer)
            if decl.numeral.width is not None and len(text) > decl.numeral.width:
                raise CannotRepresent(f"{offer} has more than {decl.numeral.width} digits")
            return text
        return offer

    def spelled(self, decl: RuleDeclaration, value: object, escape: str | None = None) -> str:
        """Return the text of a value: a number as digits, a text in the encoding of the file, escaped and with its delimiters."""
        if isinstance(value, int) and decl.numeral is not None:
            text = decl.numeral.write(value)
        else:
            text = self.encoded(str(value), decl.escape or escape, decl.suits)
        return text if decl.between is None else decl.between.around(text)

    def encoded(self, text: str, escape: str | None = None, suits: str | None = None) -> str:
        """Return characters as bytes in the encoding of the file, in the form of Latin-1 text. A character that the encoding
        lacks is a question mark.
        """
        write = escaped if suits is None else partial(suit_marks, suits)
        try:
            return write(escape, text, self.encoding)
        except UnicodeEncodeError:
            self.lacking += 1
        # `suit_marks` has a spelling for suit signs, whatever the encoding lacks.
        signs = SIGNS if suits is not None else ""
        known = (one if one in signs else one.encode(self.encoding, "replace").decode(self.encoding) for one in text)
        return write(escape, "".join(known), self.encoding)

    def encode_array(self, decl: Declaration, term: str, offer: Offer, context: EncodeContext) -> list[Any] | None:
        """Return the plain values of the elements of an array; None where there are none, or one of them cannot be represented."""
        if decl.kind == "code" and isinstance(offer, dict) and callable(offer.get("")):
            # The whole array is one value, such as the codes of a hand.
            offer = offer[""]
        if callable(offer):
            offer = _called(decl, term, offer)
            if not decl.of_text:
                return offer if isinstance(offer, list) else None
        items = offer if isinstance(offer, list) else [] if offer is None else [offer]
        found = self._elements(decl, term, items, context)
        if entry_of(decl).member in TERMS[term].SINGLY:
            found = [one for one in found if one and (not decl.of_text or self.spells(decl, one))]
        return None if None in found else found or None

    def _elements(self, decl: Declaration, term: str, offers: list[Offer], context: EncodeContext) -> list[Any]:
        """Return the plain values of offers for the elements of an array; None for each that cannot be represented."""
        known = self.elements.setdefault((id(decl), term), Memo()) if self.is_alone(decl, term) else None
        if known is None:
            return [self.encode(decl, term, one, context) for one in offers]
        found = []
        for item in offers:
            # Most elements, such as calls and cards, have been encoded for another record.
            same = item if type(item) is str else frozen(item)
            if same is None:
                found.append(self.encode(decl, term, item, context))
                continue
            value = known.get(same, known)
            if value is known:
                lacking, value = self.lacking, self.encode(decl, term, item, context)
                # Made only where it is cached, since a shared record and its view refer to each other.
                if lacking == self.lacking:
                    value = known.keep(same, SharedRecord(value) if type(value) is dict else value)
            found.append(value)
        return found

    def is_alone(self, decl: Declaration, term: str) -> bool:
        """Whether plain values of a declaration depend on the offer alone, so that they can be cached by it: a text that contains
        no other terms.
        """
        what = id(decl), term
        if what not in self.alone:
            inside = (one for one in decl.walk() if one is not decl)
            self.alone[what] = decl.of_text and not any(entry_of(one, term).kind == "term" for one in inside)
        return self.alone[what]

    def encode_field(self, decl: Declaration, term: str, offer: Offer, context: EncodeContext) -> Any:
        """Return the plain value of a field, a list if the field is an array."""
        if decl.many:
            return self.encode_array(decl, term, offer, context)
        return self.encode(decl, term, offer[0] if isinstance(offer, list) and len(offer) == 1 else offer, context)

    def encode_record(self, decl: Declaration, term: str, offer: Mapping[str, Offer], context: EncodeContext) -> dict[str, Any]:
        """Return the plain values of a record's fields by name: each role is in the first field that can represent it; fields
        that are other terms are encoded from the offers of those terms.
        """
        instead = offer.get(INSTEAD)
        entries = self._written_fields(decl, term)
        if not instead:
            return self._fields(decl, term, entries, offer, context)
        # A field that is only written where another cannot represent its role must come after that field.
        entries = sorted(entries, key=lambda one: one[2].role in instead)
        values = self._fields(decl, term, entries, offer, context)
        # A record is written in the order of the schema.
        return {name: values[name] for name in decl.fields if name in values}

    def _written_fields(self, decl: Declaration, term: str) -> list[_WrittenField]:
        """Return the fields of a record that is a part of ``term`` that are written; cached."""
        what = id(decl), term
        if what not in self.entries:
            self.entries[what] = [
                (name, one, entry, {} if one.many else self.texts.setdefault(id(one), Memo()), loops)
                for name, one in decl.fields.items()
                if not one.only_read
                for entry, loops in [(entry_of(one, term), any(inner is decl for inner in one.walk()))]
                # A term inside itself, by a recursive rule, has been encoded already.
                if not (loops and entry.kind == "term")
            ]
        return self.entries[what]

    def _fields(
        self,
        decl: Declaration,
        term: str,
        entries: list[_WrittenField],
        offer: Mapping[str, Offer],
        context: EncodeContext,
    ) -> dict[str, Any]:
        """Return the plain values by name of the fields in ``entries``, encoded in this order from the offer of ``term``. A role is
        encoded by the first field that can represent it.
        """
        values: dict[str, Any] = {}
        done: set[str] = set()
        instead = offer.get(INSTEAD)
        for name, field, entry, texts, loops in entries:
            role = entry.role
            value: Any = None
            if instead and instead.get(role) in done:
                continue
            if entry.kind == "role" and role in offer and role not in done:
                part = part_of(offer, role)
                value = texts.get(part) if type(part) is str else None
                if value is None:
                    value = self.encode_field(field, term, part, context)
                if value is not None:
                    done.add(role)
            elif entry.kind == "term":
                value = self.encode_field(field, entry.term, self.offer(entry.term, entry.member, context), context)
            elif entry.kind == "look":
                left = _remaining(offer, done)
                if loops and len(left) == len(offer):
                    # A recursive record would get the same offer again, without end.
                    continue
                value = self._look(field, term, left, context)
                if value:
                    done |= roles_in(field, term)
            if decl.of_text and (value is None or value == {}):
                value = field.default
            if value is not None:
                values[name] = value
        return values

    def _look(self, field: Declaration, term: str, offer: Mapping[str, Offer], context: EncodeContext) -> Any:
        """Return the plain value of a field without a role, whose own fields are bound; None where none of them has a value."""
        if field.many:
            return self._array(field, term, offer, context)
        return self.encode_record(field, term, offer, context) or None

    def _array(self, field: Declaration, term: str, offer: Mapping[str, Offer], context: EncodeContext) -> list[Any] | None:
        """Return the plain values of an array of records without a role: the n-th record gets the n-th element of every list in
        the offer.
        """
        lists: dict[str, list[Offer]] = {}
        for inner in field.fields.values():
            role = entry_of(inner, term).role
            items = offer.get(role)
            items = items(inner) if callable(items) else items
            if isinstance(items, list):
                lists[role] = items
        rows = [
            self.encode_record(field, term, {role: items[at] for role, items in lists.items() if at < len(items)}, context)
            for at in range(max(map(len, lists.values()), default=0))
        ]
        if not rows:
            row = self.encode_record(field, term, offer, context)
            rows = self.apart(field, row) if row else []
        return rows if rows and all(rows) else None

    def spells(self, decl: Declaration, values: dict[str, Any]) -> bool:
        """Whether the grammar can spell a text record with these plain values."""
        assert isinstance(decl, RuleDeclaration)
        assert self.engine is not None
        try:
            self.engine.value(decl.rule.name).spell(values, "")
        except CannotEncode:
            return False
        return True

    def rereads(self, decl: Declaration, values: dict[str, Any]) -> bool:
        """Whether a text record with these plain values reads back as exactly one record: no text in it is read as the begin of
        another.
        """
        assert isinstance(decl, RuleDeclaration)
        assert self.engine is not None
        rule = self.engine.value(decl.rule.name)
        try:
            return rule.fits(rule.spell(values, ""))
        except CannotEncode:
            return False

    def begins(self, decl: Declaration, values: dict[str, Any], record: RuleDeclaration) -> bool:
        """Whether the text of these plain values begins like a new record of the rule ``record``."""
        assert isinstance(decl, RuleDeclaration)
        assert self.engine is not None
        boundary = self.engine.value(record.rule.name).restart
        return boundary is not None and boundary.at(self.engine.value(decl.rule.name).spell(values, "")) is not None

    def apart(self, decl: Declaration, values: dict[str, Any]) -> list[dict[str, Any]]:
        """Return plain values of a text array's element as a list: one element if the grammar can spell it, else one for each of
        the values.
        """
        if not decl.of_text or self.spells(decl, values):
            return [values]
        if len(values) > 1:
            return [one for name, value in values.items() for one in self.apart(decl, {name: value})]
        return [
            {name: one}
            for name, value in values.items()
            for one in (self.apart(decl.fields[name], value) if isinstance(value, dict) else [value])
        ]

    @staticmethod
    def is_informative(decl: Declaration, term: str, offer: Offer, value: Mapping[str, Any]) -> bool:
        """Whether plain values of a record contain information, other than that something is unknown or absent."""
        silent = {NOTHING}
        if isinstance(offer, dict):
            if offer.keys() <= silent:
                return False
            silent |= offer.get(UNSAID, frozenset())
        for field in (decl.fields[name] for name in value):
            entry = entry_of(field, term)
            roles = roles_in(field, term) if entry.kind == "look" else {entry.role}
            if field.default is None and roles - silent:
                return True
        return False

    @staticmethod
    def offer(term: str, member: str, context: EncodeContext) -> Offer:
        """Return the offer of a term for the board, or its part ``member``; None where it has no such part."""
        offer = context.offer(term)
        if not member:
            return offer
        return part_of(offer, member) if isinstance(offer, dict) else offer if isinstance(offer, list) else None


def part_of(offer: Mapping[str, Offer], role: str) -> Offer:
    """Return the part of an offer for a role. Numbered notes are listed only here, after the calls or cards that refer to them
    have been encoded.
    """
    part = offer.get(role)
    return part() if role == NOTE and callable(part) else part


def _remaining(offer: Mapping[str, Offer], done: Set[str]) -> dict[str, Offer]:
    """Return the parts of an offer without those whose roles are in ``done``."""
    return {role: part for role, part in offer.items() if role not in done}


def frozen(offer: Offer) -> Any:
    """Return a hashable value that is equal for equal offers; None if a part of the offer, such as a callable, cannot be hashed."""
    kind = type(offer)
    if kind is SharedOffer:
        # A shared offer is compared by its identity, which is faster than freezing its content.
        return offer.same
    if kind is str or offer is None or offer is True:
        return (offer,)
    # With its type, since True is equal to 1.
    if kind is int:
        return kind, offer
    items: Any = offer
    if isinstance(offer, dict):
        if any(map(callable, offer.values())):
            return None
        items = [part for pair in offer.items() for part in pair]
    elif kind is not list and kind is not tuple:
        return None
    found = tuple([one if type(one) is str else frozen(one) for one in items])
    return None if None in found else (kind, found)


def _called(decl: Declaration, term: str, offer: Callable[[Declaration], Offer]) -> Offer:
    """Return the offer that a function makes for a declaration; None where it has none and a text may leave the value out."""
    try:
        return offer(decl)
    except CannotRepresent:
        # A text may leave out what has no spelling; a board without its deal is not a board.
        if not decl.of_text or TERMS[term].TOGETHER:
            raise
        return None


def _code(decl: Declaration, offer: Offer) -> Any:
    """Return the code of a field for a name (True: the first code); None where it has none and need not have one. Raises
    `CannotRepresent` for a binary field without a code that it needs.
    """
    if offer is True:
        return next(iter(decl.codes), None)
    if str(offer) in decl.codes:
        return decl.codes[str(offer)]
    if decl.of_text or offer in LEFT_OUT:
        return None
    raise CannotRepresent(f"there is no code for {offer}")


def absent(decl: Declaration) -> Any:
    """Return the plain value that is written to a binary field without a value: empty or zero. For a record it is a dict with such
    a value for each field that a writer does not compute, for an array a list of its fixed size.
    """
    assert isinstance(decl, FieldDeclaration)
    value: Any = decl.absent
    if decl.kind == "record":
        stored = decl.made.spec.records[decl.targets[0]].fields
        inside = [decl.fields[one.name] for one in stored if one.condition is None and one.binding.default is None]
        value = {inner.name: absent(inner) for inner in inside if not (inner.fixed or inner.settled)}
    return [value] * (decl.size or 0) if decl.many else value


def completed(decl: Declaration, values: Mapping[str, Any]) -> PairValues:
    """Return the plain values of a binary record, with absent values for the missing fields that a writer does not compute."""
    found = dict(values)
    for name in certain_of(decl):
        inner = decl.fields[name]
        if isinstance(found.get(name), dict):
            found[name] = completed(inner, found[name])
        elif name not in found and not (inner.fixed or inner.settled) and inner.binding.default is None:
            found[name] = absent(inner)
    return found


# --- pairs

Wrap = Callable[[Comment], str]
"""Returns the text of a comment, in lines of the length that the format allows."""
PairValues = dict[str, Any]
"""The plain values of a pair."""


class PairEncoder:
    """Encodes the terms of boards as the pairs of one declaration. `Records` makes one for each declaration of a file."""

    def __init__(self, decl: Declaration, encoder: TermEncoder, wrap: Wrap, canonical: bool) -> None:
        assert decl.pair is not None
        value = decl.fields[decl.pair.value]
        assert isinstance(value, RuleDeclaration)
        self.decl, self.pair, self.value = decl, decl.pair, value
        self.encoder, self.wrap, self.canonical = encoder, wrap, canonical
        self.alone: dict[tuple[str, str], bool] = {}
        """By key and term, the result of `_alone`."""
        entries = [(key, pair_entry(decl, key)) for key in decl.pair.words]
        self.notes = [key for key, entry in entries if entry.member == NOTE]
        self.remark = next((key for key, entry in entries if entry.term == COMMENTS and not entry.member), None)
        """The key of a pair that is a comment, which follows the pair that it is about."""
        self.sections = frozenset(entry.term for _, entry in entries if entry.term and entry.member in TERMS[entry.term].SEQUENCE)
        """The terms of which each entry is a pair of its own, so that comments can be between the entries."""
        self.keys: dict[bool, list[tuple[str, str, str]]] = {
            of_file: [
                (key, entry.term, entry.member)
                for key, entry in entries
                if entry.kind == "term" and entry.member != NOTE and (TERMS[entry.term].ON == "file") == of_file
            ]
            for of_file in (False, True)
        }
        """By whether a term applies to the whole file: the keys of pairs, each with its term and the part of the term that it
        states.
        """

    def pairs(self, context: EncodeContext) -> list[PairValues]:
        """Return every pair that has a value, in the order of the schema's keys, then the board's pairs that are not in the model
        (``tags``, ``tables``).
        """
        made: list[PairValues] = []
        done: set[tuple[str, str]] = set()
        remarked = bool(context.board.comments)
        for key, term, member in self.keys[context.of_file]:
            what = term, member
            if not context.wants(term) or (what in done and key not in self.pair.also):
                continue
            offer = context.offer(term)
            found: Sequence[PairValues] = ()
            if self._may_have(key, member, offer, remarked):
                found = self._of_key(key, term, member, context) if remarked else self._of_term(key, term, member, offer, context)
            if not found and key in self.pair.mandatory:
                section = self._remarks(key, term, context) if remarked else None
                found = [self._pair_of(key, "", section)] if section else self._blank(key)
            if found:
                done.add(what)
                made += found
        if self.pair.tags and not context.of_file and (context.wants("tags") or context.wants("tables")):
            made += self._further(context)
        return made

    def _of_term(self, key: str, term: str, member: str, offer: Offer, context: EncodeContext) -> Sequence[PairValues]:
        """Return the pairs of a key for a board without comments; cached by the offer if it has neither lists nor callables."""
        same = None
        if key != self.remark and self._alone(key, term):
            plain = type(offer) is SharedOffer or not any(type(one) is list or callable(one) for one in offer.values())
            same = frozen(offer) if plain else None
        if same is None:
            return self._of_key(key, term, member, context)
        known, lacking = self._shared(key, term), self.encoder.lacking
        if (kept := known.get(same)) is not None:
            return kept
        found = self._of_key(key, term, member, context)
        return found if lacking != self.encoder.lacking else _cached(known, same, found)

    def _shared(self, key: str, what: str) -> Memo[list[SharedRecord]]:
        """Return the cache of pairs for a key and a term or part (``what``), by offer."""
        return self.encoder.shared.setdefault((id(self.decl), key, what), Memo())

    def _blank(self, key: str) -> Sequence[PairValues]:
        """Return a list of one pair of a key with an empty value."""
        known = self._shared(key, "")
        return known.get("") or _cached(known, "", [self._pair_of(key, "")])

    def _alone(self, key: str, term: str) -> bool:
        """Whether the pairs of a key depend on the term's offer alone, so that they can be cached by it."""
        if (key, term) not in self.alone:
            read = self._reader_of(self.pair.value, key) or self.value, self._reader_of(self.pair.section, key)
            self.alone[key, term] = all(one is None or self.encoder.is_alone(one, term) for one in read)
        return self.alone[key, term]

    def _may_have(self, key: str, member: str, offer: Offer, remarked: bool) -> bool:
        """Whether there may be a pair for a key: true where the offer has its part, or where comments or notes may need a pair."""
        if self.remark is not None and (key == self.remark or remarked):
            return True
        return isinstance(offer, dict) and (not member or offer.get(member) is not None or bool(self.notes))

    def _pair_of(self, key: str, value: Any, section: Any = None) -> PairValues:
        """Return the plain values of one pair, without the field of the section if that is empty."""
        values = {self.pair.key: key, self.pair.value: value}
        if section and self.pair.section is not None:
            values[self.pair.section] = section
        return values

    def _reader_of(self, field: str | None, key: str) -> Declaration | None:
        """Return the declaration of the rule that reads the text of a field, the value or section, of pairs with this key; None
        where the field is a plain text.
        """
        delegated = self.decl.delegated.get(field or "")
        return None if delegated is None else delegated.choose(key)

    def _of_key(self, key: str, term: str, member: str, context: EncodeContext) -> list[PairValues]:
        """Return the pairs of a key, which states ``member`` of a term (empty: all of it), with comments and notes on entries."""
        offer = context.offer(term)
        made: list[PairValues] = []
        if key == self.remark:
            made += self.remark_pairs(self._elsewhere(context.board), context)
        if not isinstance(offer, dict):
            return made
        if isinstance(offer.get("rows"), list) and key in self.pair.heads:
            return [*made, self._pair_of(key, *_tables.rows_of(self.pair.heads[key], self.pair.columns, offer["rows"]))]
        if not member:
            made += self._whole(key, term, self._with_remarks(key, term, offer, context), context)
        elif not self._entries(key, term, member, offer, context, made):
            return made
        if self.notes:
            made += self._notes(term, offer.get(NOTE))
        return made

    def _entries(
        self, key: str, term: str, member: str, offer: Mapping[str, Offer], context: EncodeContext, made: list[PairValues]
    ) -> bool:
        """Add to ``made`` one pair for each entry of a part of a term, such as a call, with the comments between them. Return
        whether all entries could be represented.
        """
        of_term = TERMS[term]
        if self.remark is not None and member in of_term.SEQUENCE:
            offer = self._with_remarks(key, term, offer, context)
            made += self.remark_pairs(offer.get(COMMENT, ()), context)
        part = offer.get(member)
        items = part if isinstance(part, list) else [] if part is None else [part]
        alone = bool(items) and self.encoder.is_alone(self._reader_of(self.pair.value, key) or self.value, term)
        known = self._shared(key, f"{term} {member}")
        for at, item in enumerate(items):
            same = frozen(item) if alone else None
            entry = known.get(same) or self._entry(key, term, member, item, context, known, same)
            if not entry:
                return False
            made += entry
            if type(item) is not SharedOffer:
                remarks = remarks_on(item)
                if remarks and (at + 1 < len(items) or offer.get(of_term.CLOSING) is None):
                    made += self.remark_pairs(remarks, context)
        if member == of_term.CLOSING:
            for entries in (offer.get(name) for name in of_term.SEQUENCE):
                made += self.remark_pairs(remarks_on(entries[-1]) if entries else (), context)
        return True

    def _entry(
        self,
        key: str,
        term: str,
        member: str,
        item: Offer,
        context: EncodeContext,
        known: Memo[list[SharedRecord]],
        same: object,
    ) -> Sequence[PairValues]:
        """Return the pair of an entry, such as a call, followed by the pairs of its other parts, such as notes; empty where the
        entry cannot be represented. If the offer alone determines the pairs, they are cached in ``known`` under ``same``.
        """
        lacking = self.encoder.lacking
        value = self._value(key, term, item, context, member)
        made = [] if value is None else [self._pair_of(key, value)]
        for other in self.pair.words if made and isinstance(item, dict) else ():
            entry = pair_entry(self.decl, other)
            inner = item.get(entry.member) if entry.member and entry.term == term and other != key else None
            value = None if inner is None else self._value(other, term, inner, context)
            made += [] if value is None else [self._pair_of(other, value)]
        return made if same is None or lacking != self.encoder.lacking else _cached(known, same, made)

    def _whole(self, key: str, term: str, offer: Mapping[str, Offer], context: EncodeContext) -> Iterator[PairValues]:
        """Yield the pair that states a term by its value and section; none where neither has any information."""
        value = self._value(key, term, offer, context)
        section = self._reader_of(self.pair.section, key)
        roles = frozenset() if section is None else roles_in(section, term)
        body = self.encoder.encode_record(section, term, offer, context) if section is not None and roles & offer.keys() else {}
        if section is not None and len(body) > 1:
            # Comments on the section as a whole come before its entries: the writer depends on this order.
            body = dict(sorted(body.items(), key=lambda one: entry_of(section.fields[one[0]], term).role != COMMENT))
        if value is None and not (body and roles - {COMMENT}):
            return
        if body or not roles - {COMMENT, _tables.ENTRY} or any(map(offer.get, TERMS[term].ALONE)):
            yield self._pair_of(key, "" if value is None else value, body)

    def _value(self, key: str, term: str, offer: Offer, context: EncodeContext, member: str = "") -> Any:
        """Return the plain value of a pair; None where the offer is empty or cannot be represented."""
        decl = self._reader_of(self.pair.value, key) or self.value
        if member and decl.kind == "record" and (member in roles_in(decl, term) or not isinstance(offer, dict)):
            offer = {member: [offer]}
        value = self.encoder.encode(decl, term, offer, context)
        if isinstance(value, dict):
            return value if self.encoder.is_informative(decl, term, offer, value) else None
        if self.value.escape is not None and decl.escape is None and decl.kind == "leaf" and isinstance(value, str):
            assert isinstance(decl, RuleDeclaration)
            value = self.encoder.spelled(decl, _plain(offer), self.value.escape)
        return value or None

    def _notes(self, term: str, notes: Offer) -> Iterator[PairValues]:
        """Yield a pair for each numbered note that calls or cards refer to."""
        keys = self.notes
        if not keys or not callable(notes) or TERMS[term] not in CLAIMS.get(NOTE, ()):
            return
        numbered = self._reader_of(self.pair.value, keys[0])
        texts = [] if numbered is None else [one for one in numbered.walk() if entry_of(one, term).role == NOTE_TEXT]
        # A note is not left empty where the schema has a word for one that explains nothing.
        silent = next((one.unknown[0] for one in texts if one.unknown), "")
        for note in notes():
            reader = next((one for one in texts if isinstance(one, RuleDeclaration)), self.value)
            index, text = note[INDEX], self.encoder.spelled(reader, note[NOTE_TEXT] or silent, self.value.escape)
            if numbered is not None:
                yield self._pair_of(keys[0], f"{index}:{text}")
            elif index in keys:
                yield self._pair_of(index, text)

    # --- remarks

    def _remarks(self, key: str, term: str, context: EncodeContext) -> Any:
        """Return the plain values of a pair's section that has comments only; None without any."""
        section = self._reader_of(self.pair.section, key)
        offer = self._with_remarks(key, term, {}, context)
        return self.encoder.encode_record(section, term, offer, context) if section is not None and offer else None

    def _with_remarks(self, key: str, term: str, offer: Mapping[str, Offer], context: EncodeContext) -> Mapping[str, Offer]:
        """Return the offer of a term with the board's comments on the pair of a key added, and those on its entries."""
        if not context.board.comments:
            return offer
        words = {self.pair.word(key) or key, key} | ({term} if term in self.sections else set())
        wrap = self.wrap if self.remark is None else _text
        said = [comment for comment in context.board.comments if comment.after and comment.after[0] in words]
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
        """Yield the texts of the comments that are written at the place of the comment key: those on the board itself, and those on
        a section whose entries are not pairs, or of which the board has no entries.
        """
        for comment in board.comments:
            section = str(comment.after[0]) if comment.after else ""
            if section not in self.sections or not TERMS[section].is_entered(board):
                yield comment.text

    def remark_pairs(self, texts: Iterable[str], context: EncodeContext) -> Iterator[PairValues]:
        """Yield a pair for each comment text, if the grammar has comment pairs and can spell the text."""
        if self.remark is None:
            return
        for text in texts:
            value = self._value(self.remark, COMMENTS, text, context)
            if value is not None and self.encoder.rereads(self.decl, pair := self._pair_of(self.remark, value)):
                yield pair

    def section(self, key: str) -> Declaration | None:
        """Return the declaration that reads the section of a pair with this key; None where none does."""
        return self._reader_of(self.pair.section, key)

    def text_of(self, pair: PairValues) -> str:
        """Return the decoded text of a pair that is a comment."""
        reader = self._reader_of(self.pair.value, str(pair.get(self.pair.key))) or self.value
        return reader.decoded(str(pair.get(self.pair.value) or ""), self.value.escape)

    # --- further pairs

    def _further(self, context: EncodeContext) -> list[PairValues]:
        """Return the pairs of the board's tags and tables, whose keys the schema need not declare; sorted by key in the canonical
        form.
        """
        board = context.board
        made = [
            self._pair_of(key, self.encoder.spelled(self.value, text), self._remarks(key, "tags", context))
            for key, text in board.tags
        ]
        made += [self._pair_of(table.name, *map(self.encoder.encoded, _tables.spelled(table))) for table in board.tables]
        return sorted(made, key=lambda one: str(one[self.pair.key])) if self.canonical else made


def _cached(known: Memo[list[SharedRecord]], same: object, pairs: Sequence[PairValues]) -> Sequence[PairValues]:
    """Cache pairs under the key ``same`` of their offer, and return them."""
    return known.keep(same, [SharedRecord(pair) for pair in pairs])


def remarks_on(item: Offer) -> Sequence[str]:
    """Return the comments in the offer of an entry."""
    return item.get(COMMENT, ()) if isinstance(item, dict) else ()


def _text(comment: Comment) -> str:
    """Return the text of a comment, not wrapped."""
    return comment.text


def _plain(offer: Offer) -> Any:
    """Return the text of an offer that has no parts: of a mapping the value of the empty role, of a list its first element."""
    while isinstance(offer, dict | tuple | list) and offer:
        offer = offer.get("", "") if isinstance(offer, dict) else offer[0]
    return offer


def keys_of(words: PairDeclaration, pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the key of each of the given pairs."""
    name = words.key
    return [one.key if one.__class__ is Kept and one.key is not None else str(one.get(name)) for one in pairs]


def terms_of(decl: Declaration, pairs: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Return the term that each of consecutive pairs states. A note belongs to the last term before it that has notes."""
    assert decl.pair is not None
    keys = tuple(keys_of(decl.pair, pairs))
    # Cached, since most records have the same keys.
    if (kept := decl.terms.get(keys)) is not None:
        return kept
    found: list[str] = []
    stated: list[str] = []
    for key in keys:
        entry = pair_entry(decl, key)
        if len(CLAIMS.get(entry.member, ())) < 2 and entry.term not in stated:
            stated.append(entry.term)
        found.append(stated_term(entry, stated))
    return decl.terms.keep(keys, found)
