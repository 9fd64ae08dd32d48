"""From the model to plain values of text formats: what a board could say of each term, cut down to what a rule has room for.

An offer is a dict that holds every spelling of the vocabulary of `text_values`, or a tuple of spellings to try in turn.
`fit` keeps of it the fields that a rule has. None is what no rule takes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bridgespec.codec.cells import offsets
from bridgespec.codec.coders import CARD_NAMES
from bridgespec.codec.text_derive import spelled
from bridgespec.codec.text_facts import encoded
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Codes
from bridgespec.codec.text_values import MARKS, SUIT_FIELDS, seats
from bridgespec.model.auction import PASS, Auction, AuctionCall, Call, CallKind
from bridgespec.model.board import Board, Comment, Vulnerability
from bridgespec.model.cards import SEATS, Card, Seat, Side, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import OUT, UNKNOWN, Deal
from bridgespec.model.play import Play, Trick
from bridgespec.model.playing import columns_of_play
from bridgespec.model.tricks import Tricks
from bridgespec.spec.grammar import Rule

Offer = Any
_NAMES_OF_CARDS = {slot: name for name, slot in CARD_NAMES.items()}
_HOLDERS = {0: "west", 1: "north", 2: "east", 3: "south", OUT: "out", UNKNOWN: "unknown"}
_VULNERABLE = {Vulnerability.NONE: "none", Vulnerability.NS: "ns", Vulnerability.EW: "ew", Vulnerability.BOTH: "both"}
_NUMBERS = {mark: number for number, mark in reversed(MARKS.items()) if int(number) <= 6}


class Fitter:
    """Cuts offers to the rules of one grammar."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.grammar = compiler.grammar
        self._leaves: dict[str, re.Pattern[str]] = {}

    def fit(self, rule: Rule, offer: Offer) -> Any:
        """The plain value of an offer in a rule; None where it does not fit."""
        if offer is None:
            return None
        if isinstance(offer, tuple):
            return next((value for item in offer if (value := self.fit(rule, item)) is not None), None)
        shape = self.grammar.resolve(rule)
        codes = self.compiler.codes(shape)
        if codes is not None:
            return self._code(codes, offer)
        if self.compiler.is_leaf(rule):
            return self._leaf(rule, shape, offer)
        if not isinstance(offer, Mapping):
            return None
        value = {}
        for name, (ref, array) in self.compiler.fields(shape.expr).items():
            if name not in offer:
                continue
            field = self.grammar.rules[ref.name]
            if array:
                items = offer[name] if isinstance(offer[name], list) else [offer[name]]
                found = [self.fit(field, item) for item in items]
                if found and all(item is not None for item in found):
                    value[name] = found
            elif (inner := self.fit(field, offer[name])) is not None:
                value[name] = inner
        if "skipped" in value:
            value.pop("call", None)
        return value

    def _code(self, codes: Codes, offer: Offer) -> str | None:
        text = str(offer.get("text", "")) if isinstance(offer, Mapping) else str(offer)
        return text if text in codes.spelling else None

    def _leaf(self, rule: Rule, shape: Rule, offer: Offer) -> str | None:
        if isinstance(offer, Mapping):
            return self.fit(rule, offer["text"]) if "text" in offer else None
        text = spelled(rule, offer) if isinstance(offer, int) else encoded(rule, str(offer))
        if shape.name not in self._leaves:
            self._leaves[shape.name] = re.compile(self.compiler.regex(shape.name))
        return text if self._leaves[shape.name].fullmatch(text) else None


def seat(value: Seat | None) -> Offer:
    """A seat by name; ``unknown`` where there is none."""
    if value is None:
        return {"unknown": ""}
    return {"seat": value.name.lower(), "text": value.name.lower()}


def vulnerability(value: Vulnerability | None) -> Offer:
    """A vulnerability by name."""
    if value is None:
        return {"unknown": ""}
    return {"vulnerability": _VULNERABLE[value], "text": _VULNERABLE[value]}


def number(value: int) -> Offer:
    """A number: text, digits, or a code that stands for it, modulo 16 where there is none for it."""
    codes = f"n{value}", f"n{(value - 1) % 16 + 1}"
    return ({"digits": value, "number": value, "text": value, "room": None}, *({"text": code} for code in codes), *codes)


def hand(deal: Deal, place: Seat) -> Offer:
    """One hand in every spelling; ``missing`` where nothing is known of it."""
    cards = deal.cards(place)
    if not cards and UNKNOWN in deal.holders:
        return {"missing": "-", "spades": None}
    holdings = [deal.holding(place, suit) for suit in sorted({Card(13 * i).suit for i in range(4)})]
    named = {name: text for name, text in zip(SUIT_FIELDS, holdings, strict=True) if text}
    return {"holding": holdings, "card": [_NAMES_OF_CARDS[card] for card in cards], **named}


def deal(compiler: Compiler, rule: Rule, value: Deal, dealer: Seat) -> Offer:
    """A deal in every spelling that a rule may have."""
    offer: dict[str, Any] = {"first": dealer.name.lower(), "dealer": dealer.name.lower()}
    fields = compiler.fields(compiler.grammar.resolve(rule).expr)
    inner = compiler.field_rule(rule, "hands_given") if "hands_given" in fields else rule
    if "hand" in compiler.fields(compiler.grammar.resolve(inner).expr):
        order = seats(compiler, compiler.field_rule(inner, "hand"), offer if "first" in fields else {}, dealer)
        offer["hand"] = [hand(value, place) for place in order]
        offer["hands_given"] = [{"hand": item} for item in offer["hand"]]
    for name, (ref, array) in fields.items():
        field = compiler.grammar.rules[ref.name]
        if array and field.words.binding.axes and name not in offer:
            offer[name] = _cells(field, value)
    return offer


def _cells(field: Rule, value: Deal) -> list[str]:
    holders = [_HOLDERS[value.holders[place]] for place in offsets(field.words.binding.axes)]
    digits = field.words.extra.get("digits")
    if not isinstance(digits, dict):
        return holders
    names = [str(name) for name in digits["codes"]]
    base, first = int(digits["base"]), int(digits.get("from", 0))
    found = []
    for one, two in zip(holders[::2], holders[1::2], strict=True):
        if one not in names or two not in names:
            return []
        low, high = (two, one) if digits.get("first") == "high" else (one, two)
        found.append(f"n{first + names.index(low) + base * names.index(high)}")
    return found


def tricks(compiler: Compiler, rule: Rule, value: Tricks) -> Offer:
    """A trick table as cells of a rule's axes, by declarer or by leader."""
    offer: dict[str, Any] = {}
    for name, (ref, array) in compiler.fields(compiler.grammar.resolve(rule).expr).items():
        field = compiler.grammar.rules[ref.name]
        axes = field.words.binding.axes
        if not array or not axes:
            continue
        if all(axis.name != "leader" for axis in axes):
            offer[name] = [f"n{value.cells[place]}" if value.cells[place] <= 13 else "unknown" for place in offsets(axes)]
            continue
        cells = []
        for label in axes[0].labels:
            for leader in axes[1].labels:
                declarer = Seat((SEATS.index(leader) + 3) % 4)
                won = value.get(Strain("NSHDC".index(label)), declarer)
                cells.append("unknown" if won is None else f"n{won if declarer.side is Side.NS else 13 - won}")
        offer[name] = cells
    return offer


def contract(board: Board) -> Offer:
    """The contract, stated or bought by the auction; the declarer with it."""
    value, declarer = bought(board)
    if value is None:
        return {"unknown": ""}
    if value.is_passed_out:
        return {"contract": "Pass", "passed_out": "P"}
    offer = {"contract": str(value), "level": value.level, "strain": value.strain.name.lower()}
    if value.doubling:
        offer["doubling"] = value.doubling.name.lower()
    if declarer is not None:
        offer["declarer"] = declarer.name.lower()
    return offer


def bought(board: Board) -> tuple[Contract | None, Seat | None]:
    """Contract and declarer, as stated or as the auction gives them."""
    auction = board.auction
    value = board.contract or (auction.contract if auction is not None else None)
    declarer = board.declarer
    if declarer is None and auction is not None:
        declarer = auction.declarer if auction.first is not None else None
    return value, declarer


def result(board: Board) -> Offer:
    """The tricks of the declarer."""
    won = board.result
    if won is None and board.play is not None:
        won = board.play.claim
    if won is None:
        return {"unknown": ""}
    offer: dict[str, Any] = {"tricks_won": [won], "tricks": won, "text": won}
    if "result" in board.irregular:
        offer["irregular"] = "^"
    return offer


def score(board: Board) -> Offer:
    """The points of North and South."""
    return None if board.score is None else {"side": ["ns"], "points": [str(board.score)], "text": str(board.score)}


# --- calls and cards


def call(value: Call) -> Offer:
    """A call in every spelling, the short ones first."""
    if value.kind is CallKind.PASS:
        return "P", "p", "Pass"
    if value.kind is CallKind.DOUBLE:
        return "D", "X", "d", "x"
    if value.kind is CallKind.REDOUBLE:
        return "R", "XX", "r", "xx"
    short = f"{value.level}{value.strain.letter}"
    return short, str(value), short.lower()


def calls(auction: Auction, notes: dict[str, str]) -> list[dict[str, Any]]:
    """The calls with what is said of them; explanations become numbered notes."""
    return [{"call": call(made.call), **_said(made, notes)} for made in auction.calls]


def _said(made: AuctionCall, notes: dict[str, str]) -> dict[str, Any]:
    offer: dict[str, Any] = _annotated(made.mark, made.glyphs, 0)
    if made.explanation is not None or made.alert:
        offer["reference"] = _reference(made.explanation or "", notes)
        offer["alert"] = "!" if made.alert else None
        offer["explanation"] = None if made.explanation is None else f"({made.explanation})"
    if made.irregular:
        offer.update({"irregular_bid": "^I "} if made.call.is_bid else {"skipped": "^S"} if made.call == PASS else {})
    return offer


def _reference(text: str, notes: dict[str, str]) -> Offer:
    index = notes.setdefault(text, str(len(notes) + 1))
    return f"={index}=", f"^{index}"


def _annotated(mark: str | None, glyphs: Sequence[int], base: int) -> dict[str, Any]:
    numbers = [str(int(_NUMBERS[mark]) + base)] if mark in _NUMBERS else []
    numbers += [str(glyph) for glyph in sorted(glyphs)]
    return {"glyph": [f"${text}" for text in numbers], "suffix": None} if numbers else {}


def rows(play: Play, first: Seat, notes: dict[str, str]) -> list[dict[str, Any]]:
    """The entries of a play in columns, clockwise from ``first``."""
    said = {(note.trick, note.index): note for note in play.notes}
    entries: list[dict[str, Any]] = []
    for number_, row in enumerate(columns_of_play(play, first)):
        leader = play.tricks[number_].leader
        for place, card in enumerate(row):
            if card is None:
                entries.append({"unplayed": "-"})
                continue
            entry: dict[str, Any] = {"card": str(card)}
            note = said.get((number_, (first + place - leader) % 4))
            if note is not None:
                entry |= _annotated(note.mark, note.glyphs, 6)
                if note.text is not None:
                    entry["reference"] = _reference(note.text, notes)
                if note.irregular:
                    entry["irregular_card"] = "^R "
            entries.append(entry)
    return entries


def followed(trick: Trick) -> list[str]:
    """The cards of a trick, those of the suit that was led by their rank alone."""
    led = str(trick.cards[0])[0] if trick.cards else ""
    texts = [str(card) for card in trick.cards]
    return [text if index == 0 or text[0] != led else text[1:] for index, text in enumerate(texts)]


# --- texts


def hand_or_none(deal: Deal, seat: Seat) -> Offer:
    """A hand, None where nothing is known of it."""
    offer = hand(deal, seat)
    return None if "missing" in offer else offer


def comment_text(comment: Comment) -> str:
    """A comment in braces."""
    return "{" + comment.text.replace("}", ")") + "}"


def text_of(offer: Offer) -> str:
    """The text of an offer."""
    if isinstance(offer, tuple):
        return next((text for item in offer if (text := text_of(item))), "")
    if isinstance(offer, Mapping):
        return str(offer.get("text", ""))
    return "" if offer is None else str(offer)


def dated(text: str) -> Offer:
    """A text, and as a date in the forms that formats have."""
    parts = re.fullmatch(r"([0-9?]{4})([.\-/]?)([0-9?]{2})\2([0-9?]{2})", text)
    days = (".".join(parts.group(1, 3, 4)), "".join(parts.group(1, 3, 4)), text) if parts else (text,)
    return {"text": text, "day": days, "odd_par": text}, text
