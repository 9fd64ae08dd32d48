"""Fitting what terms have to say to what a schema has room for: the plain values that a writer takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bridgespec.codec.decl import Decl, FieldDecl, RuleDecl
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._base import INSTEAD, UNSAID, Offer
from bridgespec.codec.terms._values import NOTHING, Unholdable
from bridgespec.codec.words import entry_of, roles_in
from bridgespec.model.board import Board
from bridgespec.model.document import Document

Matches = Callable[[Decl, str | Mapping[str, Any]], bool]
"""Whether a text is one that a declaration can read, from its first character to its last, or plain values such as it can spell."""


@dataclass(slots=True)
class Asking:
    """What is to be written: a board, the document it is of, and its place there; ``of_file``: what holds for every board."""

    board: Board
    document: Document
    index: int
    of_file: bool = False


class Fitter:
    """Cuts offers to the declarations of one schema. An offer that nothing takes is None."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches

    def fit(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> Any:
        """The plain value of an offer in a field that is no array; None where it does not fit."""
        if callable(offer):
            offer = self._called(decl, term, offer)
            if not decl.of_text:
                return offer
        if offer is None:
            return None
        if isinstance(offer, tuple):
            return next((value for one in offer if (value := self.fit(decl, term, one, asking)) is not None), None)
        if decl.kind == "record":
            return self.record(decl, term, offer, asking) if isinstance(offer, Mapping) else None
        if isinstance(offer, Mapping):
            if "" in offer:
                return self.fit(decl, term, offer[""], asking)
            offer = NOTHING if NOTHING in offer and decl.kind == "code" else None
        if decl.kind == "code":
            return self._code(decl, offer)
        return None if offer is None else self._leaf(decl, offer)

    @staticmethod
    def _called(decl: Decl, term: str, offer: Callable[[Decl], Offer]) -> Offer:
        try:
            return offer(decl)
        except Unholdable:
            # A text may leave out what has no spelling; a board without its deal is none.
            if not decl.of_text or TERMS[term].TOGETHER:
                raise
            return None

    def _code(self, decl: Decl, offer: Offer) -> Any:
        if offer is True:
            return next(iter(decl.codes), None)
        if str(offer) in decl.codes:
            return decl.codes[str(offer)]
        if decl.of_text or offer is None or offer == NOTHING:
            return None
        raise Unholdable(f"there is no code for {offer}")

    def _leaf(self, decl: Decl, offer: Offer) -> Any:
        if isinstance(decl, RuleDecl):
            if offer is True:
                return decl.literal
            text = decl.spelled(offer)
            return text if self.matches(decl, text) else None
        assert isinstance(decl, FieldDecl)
        if isinstance(offer, int) and decl.numeral is not None:
            text = decl.numeral.write(offer)
            if decl.numeral.width is not None and len(text) > decl.numeral.width:
                raise Unholdable(f"{offer} has more than {decl.numeral.width} digits")
            return text
        return offer

    def many(self, decl: Decl, term: str, offer: Offer, asking: Asking) -> list[Any]:
        """The plain values of an array; none where any does not fit."""
        if callable(offer):
            offer = self._called(decl, term, offer)
            if not decl.of_text:
                return offer if isinstance(offer, list) else []
        items = offer if isinstance(offer, list) else [] if offer is None else [offer]
        found = [self.fit(decl, term, item, asking) for item in items]
        return [] if any(value is None for value in found) else found

    def record(self, decl: Decl, term: str, offer: Mapping[str, Offer], asking: Asking) -> dict[str, Any]:
        """The plain values of a record's fields: of each role the first that takes it, and the terms that stand inside."""
        values: dict[str, Any] = {}
        done: set[str] = set()
        instead = offer.get(INSTEAD, {})
        for name, field in sorted(decl.fields.items(), key=lambda one: entry_of(one[1], term).role in instead):
            entry = entry_of(field, term)
            if instead.get(entry.role) in done or field.only_read:
                continue
            if entry.kind == "role" and entry.role in offer and entry.role not in done:
                value = self._field(field, term, offer[entry.role], asking)
                if value is not None:
                    done.add(entry.role)
                    values[name] = value
            elif entry.kind == "term":
                value = self._field(field, entry.term, self.offer(entry.term, entry.member, asking), asking)
                if value is not None:
                    values[name] = value
            elif entry.kind == "look":
                left = {role: part for role, part in offer.items() if role not in done}
                found = dict(self._within(name, field, term, left, asking))
                done |= roles_in(field, term) if found else set()
                values.update(found)
            if name not in values and field.default is not None and decl.of_text:
                values[name] = field.default
        return {name: values[name] for name in decl.fields if name in values}

    @staticmethod
    def says(decl: Decl, term: str, offer: Offer, value: Mapping[str, Any]) -> bool:
        """Whether the values of a record say anything, not only that nothing is known."""
        if isinstance(offer, Mapping) and offer.keys() <= {NOTHING}:
            return False
        silent = {NOTHING, *(offer.get(UNSAID, ()) if isinstance(offer, Mapping) else ())}
        fields = [decl.fields[name] for name in value if decl.fields[name].default is None]
        return any(_said(field, term, silent) for field in fields)

    def _field(self, field: Decl, term: str, offer: Offer, asking: Asking) -> Any:
        if field.many:
            return self.many(field, term, offer, asking) or None
        return self.fit(field, term, offer[0] if isinstance(offer, list) and len(offer) == 1 else offer, asking)

    def _within(self, name: str, field: Decl, term: str, offer: Mapping[str, Offer], asking: Asking) -> Iterator[tuple[str, Any]]:
        """A record that is seen through: one takes all, of an array each takes one of every list."""
        if not field.many:
            found = self.record(field, term, offer, asking)
            if found:
                yield name, found
            return
        lists: dict[str, list[Offer]] = {}
        for inner in field.fields.values():
            role = entry_of(inner, term).role
            items = offer.get(role)
            items = items(inner) if callable(items) else items
            if isinstance(items, list):
                lists[role] = items
        count = max(map(len, lists.values()), default=0)
        found_ = [
            self.record(field, term, {role: items[at] for role, items in lists.items() if at < len(items)}, asking)
            for at in range(count)
        ]
        if found_ and all(found_):
            yield name, found_

    def offer(self, term: str, member: str, asking: Asking) -> Offer:
        """What is said of a term, or of a part of one."""
        offer = TERMS[term].write(asking)
        if not member:
            return offer
        return offer.get(member) if isinstance(offer, Mapping) else None


def _said(field: Decl, term: str, silent: set[str]) -> bool:
    entry = entry_of(field, term)
    return bool(roles_in(field, term) - silent) if entry.kind == "look" else entry.role not in silent
