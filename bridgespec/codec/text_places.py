"""Where in a text a place of the model stands: found again when a finding needs it, so that reading need not keep it."""

from __future__ import annotations

from collections.abc import Iterator

from bridgespec.codec import text_values as values
from bridgespec.codec.node import Node
from bridgespec.codec.text_facts import HANDS, PLAYERS, Fact, facts, scalar
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_tree import RecordMaker, TextNode
from bridgespec.model.board import Board
from bridgespec.model.cards import RANKS, Card, Seat

Place = tuple[str | int, ...]


def nodes_of(compiler: Compiler, node: Node, board: Board, place: Place) -> list[Node]:
    """The nodes of a place of a board: the exact one where it can be told, else the field that says the term."""
    if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
        return []
    said: dict[str, list[Fact]] = {}
    for fact in facts(node.maker):
        said.setdefault(fact.term, []).append(fact)
    term = str(place[0])
    if term in ("deal", "hand"):
        found = list(_cards(compiler, said, board, place))
        if found:
            return found[:1] if len(place) > 1 else found
        term = "deal"
    if term == "auction" and len(place) > 1 and "auction" in said:
        return _made(said["auction"], int(place[1]), ("call", "odd_call", "skipped"))
    if term == "play" and len(place) > 2 and "play" in said:
        return _played(said["play"], board, int(place[1]), int(place[2]))
    names = {"players": ("players", *PLAYERS), "number": ("number", "header", "place"), "result": ("result", "claim")}.get(term, (term,))
    return [made for name in names for fact in said.get(name, ())[:1] if (made := fact.maker.node(fact.slot)) is not None]


def _made(found: list[Fact], index: int, names: tuple[str, ...]) -> list[Node]:
    if found[0].body is None and not isinstance(found[0].value, dict):
        return []
    body = found[0].maker.node(found[0].body) if found[0].body is not None else found[0].maker.node(found[0].slot)
    if body is None or "call_made" not in body:
        spread = [node for fact in found if (node := fact.maker.node(fact.slot)) is not None]
        return spread[index : index + 1]
    entries = [entry for entry in body["call_made"].children or () if any(name in entry for name in names)]
    if index < len(entries):
        return [next(entry[name] for entry in entries[index : index + 1] for name in names if name in entry)]
    last = [entry for entry in body["call_made"].children or () if "all_pass" in entry]
    return last[:1] or [body]


def _played(found: list[Fact], board: Board, trick: int, index: int) -> list[Node]:
    if board.play is None or trick >= len(board.play.tricks):
        return []
    at = sum(len(part.cards) for part in board.play.tricks[:trick]) + index
    if found[0].body is None:
        node = found[0].maker.node(found[0].slot)
        if node is not None and "card" in node and node["card"].children is not None:
            return list(node["card"].children or ())[at : at + 1]
        spread = [made for fact in found if (made := fact.maker.node(fact.slot)) is not None]
        return spread[at : at + 1]
    body = found[0].maker.node(found[0].body)
    first = values.seat(found[0].value)
    if body is None or first is None or "card_played" not in body:
        return [body] if body is not None else []
    entries = list(body["card_played"].children or ())
    place = 4 * trick + (board.play.tricks[trick].leader + index - first) % 4
    return entries[place : place + 1]


def _cards(compiler: Compiler, said: dict[str, list[Fact]], board: Board, place: Place) -> Iterator[Node]:
    """The characters of cards or the hands that a place names."""
    for seat, hand in _hands(compiler, said, board):
        if place[0] == "hand":
            if seat == place[1]:
                yield hand
            continue
        if len(place) < 2:
            yield hand
            continue
        card = Card(int(place[1]))
        holdings = _holdings(hand)
        if len(holdings) > card.suit:
            holding = holdings[card.suit]
            text = str(holding.value)
            at = next((i for i, rank in enumerate(text) if rank.upper() == RANKS[card % 13]), -1)
            if at >= 0:
                yield Node(holding.decl, holding.name, holding.start + 8 * at, holding.start + 8 * at + 8, text[at])


def _holdings(hand: Node) -> list[Node]:
    if "marked_hand" in hand:
        hand = hand["marked_hand"]
    if "holding" in hand:
        return list(hand["holding"].children or ())
    empty = Node(None, "", hand.stop, hand.stop, "")
    return [hand[name] if name in hand else empty for name in values.SUIT_FIELDS]


def _hands(compiler: Compiler, said: dict[str, list[Fact]], board: Board) -> Iterator[tuple[Seat, Node]]:
    for fact in said.get("deal", ())[:1]:
        node = fact.maker.node(fact.slot)
        if node is None:
            return
        hands = [part["hand"] for part in node["hands_given"].children or () if "hand" in part] if "hands_given" in node else None
        if hands is None and "hand" in node:
            hands = list(node["hand"].children or ())
        if hands is None:
            return
        handover = fact.maker.shape.contents.get(fact.slot.name)
        program = handover.program(fact.maker.key(fact.slot.name)) if handover is not None else None
        rule = program.rule if program is not None else fact.slot.rule
        if "hands_given" in node:
            rule = compiler.field_rule(rule, "hands_given")
        value = fact.value
        order = values.seats(compiler, compiler.field_rule(rule, "hand"), value if isinstance(value, dict) else {}, board.effective_dealer)
        yield from zip(order, hands, strict=False)
    for i, name in enumerate(HANDS):
        for fact in said.get(name, ())[:1]:
            node = fact.maker.node(fact.slot)
            if node is not None:
                yield Seat(i), node


__all__ = ["nodes_of", "scalar"]
