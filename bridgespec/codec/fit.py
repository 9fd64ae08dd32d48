"""Fitting what terms have to say to what a schema has room for: the plain values that a writer takes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import TYPE_CHECKING, Any

from bridgespec.codec.decl import Decl, Entry, FieldDecl, RuleDecl
from bridgespec.codec.spelling import SIGNS, escaped, suit_marks
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._base import INSTEAD, UNSAID, Offer, first
from bridgespec.codec.terms._values import NOTHING, Unholdable
from bridgespec.codec.text.supply import SharedRecord, Unfit
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.model.board import Board
from bridgespec.model.document import Document

if TYPE_CHECKING:
    # A binary file needs nothing of what reads grammars.
    from bridgespec.codec.text.engine import TextEngine

MANY, SHORT = 10_000, 16
"""So many short texts are kept of those that have been made."""


@dataclasses.dataclass(slots=True)
class Asking:
    """What is to be written: a board, the document it is of, and its place there; ``of_file``: what holds for every board;
    ``wanted``: the terms that are asked for, None for all.
    """

    board: Board
    document: Document
    index: int
    of_file: bool = False
    wanted: Set[str] | None = None
    given: Callable[[str], Set[str]] | None = None
    """Gives the roles of a term that the target has."""
    _offers: dict[str, Offer] = dataclasses.field(default_factory=dict)

    def offer(self, term: str) -> Offer:
        """What the board has to say of a term, worked out once: several fields or pairs may be for parts of it."""
        if term not in self._offers:
            self._offers[term] = TERMS[term].write(self)
        return self._offers[term]

    def has_role(self, term: str, role: str) -> bool:
        """Whether the target may have a part of a term."""
        return self.given is None or role in self.given(term)

    def wants(self, term: str) -> bool:
        """Whether a term is asked for."""
        return self.wanted is None or term in self.wanted


class Fitter:
    """Cuts offers to the declarations of one schema, whose texts ``engine`` reads. An offer that nothing takes is None.

    ``encoding`` is that of the files that are written; `lacking` counts the characters that it lacked. A binding keeps one for each
    encoding, so that what is made of a short text or of an entry is made once for all files.
    """

    def __init__(self, engine: TextEngine | None, encoding: str = "latin-1") -> None:
        self.engine = engine
        self.encoding = encoding
        self.lacking = 0
        self.entries: dict[tuple[int, str], list[tuple[str, Decl, Entry]]] = {}
        self.texts: dict[tuple[int, Offer], str | None] = {}
        """What fields of text make of short offers: most have stood before, such as numbers of tricks."""
        self.shared: dict[object, list[SharedRecord]] = {}
        """The pairs of entries, such as calls and cards, by their key and what is said of them."""
        self.alone: dict[tuple[int, str], bool] = {}
        """Whether a declaration is a text that states nothing of other terms, so that an offer alone decides its values."""
        self.elements: dict[object, Any] = {}
        """The values of elements by their declaration and offer."""

    def fit(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> Any:
        """The plain value of an offer in a field that is not an array; None where it does not fit."""
        if callable(offer):
            offer = _called(decl, term, offer)
            if not decl.of_text:
                return offer
        if isinstance(offer, tuple):
            return first(self.fit(decl, term, one, asking) for one in offer)
        if decl.kind == "record":
            return self.record(decl, term, offer, asking) if isinstance(offer, Mapping) else None
        if type(offer) is not str and isinstance(offer, Mapping):
            if "" in offer:
                return self.fit(decl, term, offer[""], asking)
            offer = NOTHING if NOTHING in offer and decl.kind == "code" else None
        if offer is None:
            return None
        return _code(decl, offer) if decl.kind == "code" else self._leaf(decl, offer)

    def _leaf(self, decl: Decl, offer: Offer) -> Any:
        if isinstance(decl, RuleDecl):
            if offer is True:
                return decl.literal
            what = id(decl), offer
            short = type(offer) is int or (type(offer) is str and len(offer) < SHORT)
            if short and what in self.texts:
                return self.texts[what]
            lacking = self.lacking
            text = self.spelled(decl, offer)
            assert self.engine is not None
            found = text if self.engine.value(decl.shape.name).fits(text) else None
            if short and len(self.texts) < MANY and lacking == self.lacking:
                self.texts[what] = found
            return found
        if isinstance(offer, int) and decl.numeral is not None:
            text = decl.numeral.write(offer)
            if decl.numeral.width is not None and len(text) > decl.numeral.width:
                raise Unholdable(f"{offer} has more than {decl.numeral.width} digits")
            return text
        return offer

    def spelled(self, decl: RuleDecl, value: object, escape: str | None = None) -> str:
        """Return the text of a value: a number's digits, or characters, between what encloses them.

        A question mark is written for a character that the encoding of the file lacks.
        """
        if isinstance(value, int) and decl.numeral is not None:
            text = decl.numeral.write(value)
        else:
            text, escape = str(value), decl.escape or escape
            write = escaped if decl.suits is None else partial(suit_marks, decl.suits)
            try:
                text = write(escape, text, self.encoding)
            except UnicodeEncodeError:
                self.lacking += 1
                spelled = SIGNS if decl.suits is not None else ""
                text = "".join(
                    one if one in spelled else one.encode(self.encoding, "replace").decode(self.encoding) for one in text
                )
                text = write(escape, text, self.encoding)
        return text if decl.between is None else decl.between.around(text)

    def many(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> list[Any] | None:
        """The plain values of an array; None where there is none, or any does not fit."""
        if callable(offer):
            offer = _called(decl, term, offer)
            if not decl.of_text:
                return offer if isinstance(offer, list) else None
        items = offer if isinstance(offer, list) else [] if offer is None else [offer]
        found = [self._element(decl, term, item, asking) for item in items]
        return None if any(value is None for value in found) else found or None

    def _element(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> Any:
        """As `fit`, of an element such as a call or a card, most of which have been made for another."""
        same = frozen(offer) if self.is_alone(decl, term) else None
        what = id(decl), term, same
        if same is not None and what in self.elements:
            return self.elements[what]
        lacking = self.lacking
        value = self.fit(decl, term, offer, asking)
        value = SharedRecord(value) if type(value) is dict else value
        if same is not None and lacking == self.lacking and len(self.elements) < MANY:
            self.elements[what] = value
        return value

    def is_alone(self, decl: Decl, term: str) -> bool:
        """Whether an offer alone decides the values of a declaration: of a text that states nothing of other terms."""
        what = id(decl), term
        if what not in self.alone:
            inside = (one for one in decl.walk() if one is not decl)
            self.alone[what] = decl.of_text and not any(entry_of(one, term).kind == "term" for one in inside)
        return self.alone[what]

    def field(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> Any:
        """The plain value of a field, an array or not."""
        if decl.many:
            return self.many(decl, term, offer, asking)
        return self.fit(decl, term, offer[0] if isinstance(offer, list) and len(offer) == 1 else offer, asking)

    def record(self, decl: Decl, term: str, offer: Mapping[str, Offer], asking: Asking) -> dict[str, Any]:
        """The plain values of a record's fields: of each role the first that takes it, and the terms that stand inside."""
        values: dict[str, Any] = {}
        done: set[str] = set()
        instead = offer.get(INSTEAD, {})
        what = id(decl), term
        if what not in self.entries:
            self.entries[what] = [(name, one, entry_of(one, term)) for name, one in decl.fields.items() if not one.only_read]
        entries = self.entries[what]
        if instead:
            entries = sorted(entries, key=lambda one: one[2].role in instead)
        for name, field, entry in entries:
            role, value = entry.role, None
            if instead.get(role) in done:
                continue
            if entry.kind == "role" and role in offer and role not in done:
                value = self.field(field, term, offer[role], asking)
                done |= {role} if value is not None else set()
            elif entry.kind == "term":
                value = self.field(field, entry.term, self.offer(entry.term, entry.member, asking), asking)
            elif entry.kind == "look":
                left = {role: part for role, part in offer.items() if role not in done}
                value = self._array(field, term, left, asking) if field.many else self.record(field, term, left, asking) or None
                done |= roles_in(field, term) if value else set()
            if value is None and decl.of_text:
                value = field.default
            if value is not None:
                values[name] = value
        return {name: values[name] for name in decl.fields if name in values} if instead else values

    def _array(self, field: Decl, term: str, offer: Mapping[str, Offer], asking: Asking) -> list[Any] | None:
        """An array of records that are seen through: each takes one of every list."""
        lists: dict[str, list[Offer]] = {}
        for inner in field.fields.values():
            role = entry_of(inner, term).role
            items = offer.get(role)
            items = items(inner) if callable(items) else items
            if isinstance(items, list):
                lists[role] = items
        rows = [
            self.record(field, term, {role: items[at] for role, items in lists.items() if at < len(items)}, asking)
            for at in range(max(map(len, lists.values()), default=0))
        ]
        if not rows:
            row = self.record(field, term, offer, asking)
            rows = self.apart(field, row) if row else []
        return rows if rows and all(rows) else None

    def spells(self, decl: Decl, values: dict[str, Any]) -> bool:
        """Whether a record of text has room for plain values together."""
        assert isinstance(decl, RuleDecl)
        assert self.engine is not None
        try:
            self.engine.value(decl.rule.name).spell(values, "")
        except Unfit:
            return False
        return True

    def rereads(self, decl: Decl, values: dict[str, Any]) -> bool:
        """Whether a record of text, as it is spelled, is read as one record again: no text of it is taken for the next."""
        assert isinstance(decl, RuleDecl)
        assert self.engine is not None
        rule = self.engine.value(decl.rule.name)
        try:
            return rule.fits(rule.spell(values, ""))
        except Unfit:
            return False

    def begins(self, decl: Decl, values: dict[str, Any], pattern: str) -> bool:
        """Whether a record of text is spelled with a text that matches a pattern at its beginning."""
        assert isinstance(decl, RuleDecl)
        assert self.engine is not None
        return re.match(pattern, self.engine.value(decl.rule.name).spell(values, "")) is not None

    def apart(self, decl: Decl, values: dict[str, Any]) -> list[dict[str, Any]]:
        """The elements of an array of text that say all this: one, or as many as it takes where one has no room for it."""
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
    def says(decl: Decl, term: str, offer: Offer, value: Mapping[str, Any]) -> bool:
        """Whether the values of a record say anything, not only that nothing is known."""
        silent = {NOTHING}
        if isinstance(offer, Mapping):
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
    def offer(term: str, member: str, asking: Asking) -> Offer:
        """What is said of a term, or of a part of one."""
        offer = asking.offer(term)
        if not member:
            return offer
        return offer.get(member) if isinstance(offer, Mapping) else offer if isinstance(offer, list) else None


def frozen(offer: Offer) -> Any:
    """Return what is equal for equal offers; None if a part of the offer is made when it is asked for."""
    kind = type(offer)
    if kind is str or offer is None or offer is True:
        return (offer,)
    if kind is int:
        return kind, offer
    items = [part for pair in offer.items() for part in pair] if isinstance(offer, Mapping) else offer
    if not isinstance(items, list | tuple):
        return None
    found = tuple([one if type(one) is str else frozen(one) for one in items])
    return None if None in found else (kind, found)


def _called(decl: Decl, term: str, offer: Callable[[Decl], Offer]) -> Offer:
    try:
        return offer(decl)
    except Unholdable:
        # A text may leave out what has no spelling; a board without its deal is not a board.
        if not decl.of_text or TERMS[term].TOGETHER:
            raise
        return None


def _code(decl: Decl, offer: Offer) -> Any:
    if offer is True:
        return next(iter(decl.codes), None)
    if str(offer) in decl.codes:
        return decl.codes[str(offer)]
    if decl.of_text or offer == NOTHING:
        return None
    raise Unholdable(f"there is no code for {offer}")


def absent(decl: Decl) -> Any:
    """What a field of bytes holds that has no value."""
    assert isinstance(decl, FieldDecl)
    return [decl.absent] * (decl.size or 0) if decl.many else decl.absent
