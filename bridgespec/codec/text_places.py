"""Where in a text a place of the model stands: found again when a finding needs it, so that reading need not keep it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.codec import text_values as values
from bridgespec.codec.node import Node
from bridgespec.codec.text_facts import HANDS, PLAYERS, term_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_tree import RecordMaker, TextNode, plain
from bridgespec.model.board import Board
from bridgespec.model.cards import RANKS, Card, Seat
from bridgespec.spec.grammar import Rule

Place = tuple[str | int, ...]


@dataclass(slots=True)
class _Said:
    """Where a term is said: the node of its value, that of the section after it, and the rule whose fields the value has."""

    value: Node
    body: Node | None
    rule: Rule


def _gather(compiler: Compiler, node: Node, rule: Rule, said: dict[str, list[_Said]]) -> None:
    for child in node.children or ():
        field = compiler.field_rule(rule, child.name)
        array = child.decl is not None and child.decl.repeat is not None and child.children is not None
        term = term_of(field, child.name)
        if term is not None and term != "comment":
            said.setdefault(term, []).append(_Said(child, None, field))
            continue
        for item in (child.children or ()) if array else (child,):
            if field.words.extra.get("name") is not None:
                _pair(compiler, item, field, said)
            elif term is not None:
                said.setdefault(term, []).append(_Said(item, None, field))
            elif item.children is not None:
                _gather(compiler, item, field, said)


def _pair(compiler: Compiler, node: Node, rule: Rule, said: dict[str, list[_Said]]) -> None:
    named, terms = str(rule.words.extra["name"]), rule.words.extra.get("terms")
    key = str(node[named].value) if named in node else ""
    term = str(terms.get(key) or terms.get(key.lower()) or "tag") if isinstance(terms, dict) else "tag"
    name = (
        "value"
        if "value" in compiler.fields(compiler.grammar.resolve(rule).expr)
        else next(c.name for c in node.children or () if c.name != named)
    )
    if name not in node:
        return
    inner = compiler.field_rule(rule, name)
    for content in rule.words.contents:
        target = content.cases.get(key, content.otherwise) if content.of == name else None
        if target is not None:
            inner = compiler.grammar.rules[target]
    said.setdefault(term, []).append(_Said(node[name], next((c for c in node.children or () if c.name == "body"), None), inner))


def nodes_of(compiler: Compiler, node: Node, rule: Rule, board: Board, place: Place) -> list[Node]:
    """The nodes of a place of a board: the exact one where it can be told, else the field that says the term."""
    said: dict[str, list[_Said]] = {}
    _gather(compiler, node, rule, said)
    term = str(place[0])
    if term in ("deal", "hand"):
        found = list(_cards(compiler, said, board, place))
        if found:
            return found[:1] if len(place) > 1 else found
        term = "deal"
    if term == "auction" and len(place) > 1 and isinstance(place[1], int) and "auction" in said:
        return _made(said["auction"], place[1], ("call", "odd_call", "skipped"))
    if term == "play" and len(place) > 2 and "play" in said:
        return _played(said["play"], board, int(place[1]), int(place[2]))
    names = {"players": ("players", *PLAYERS), "number": ("number", "header", "place"), "result": ("result", "claim")}.get(
        term, (term,)
    )
    return [fact.value for name in names for fact in said.get(name, ())[:1]]


def _made(found: list[_Said], index: int, names: tuple[str, ...]) -> list[Node]:
    body = found[0].body or found[0].value
    if "call_made" not in body:
        return [fact.value for fact in found[index : index + 1]] if found[0].body is None else [body]
    entries = [entry for entry in body["call_made"].children or () if any(name in entry for name in names)]
    if index < len(entries):
        return [next(entries[index][name] for name in names if name in entries[index])]
    last = [entry for entry in body["call_made"].children or () if "all_pass" in entry]
    return last[:1] or [body]


def _played(found: list[_Said], board: Board, trick: int, index: int) -> list[Node]:
    if board.play is None or trick >= len(board.play.tricks):
        return []
    at = sum(len(part.cards) for part in board.play.tricks[:trick]) + index
    body, value = found[0].body, found[0].value
    if body is None:
        if "card" in value and value["card"].children is not None:
            return list(value["card"].children or ())[at : at + 1]
        return [fact.value for fact in found[at : at + 1]]
    first = values.seat(plain(value) if value.children is not None else None)
    if first is None or "card_played" not in body:
        return [body]
    place = 4 * trick + (board.play.tricks[trick].leader + index - first) % 4
    return list(body["card_played"].children or ())[place : place + 1]


def _cards(compiler: Compiler, said: dict[str, list[_Said]], board: Board, place: Place) -> Iterator[Node]:
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
    given = {child.name: child for child in hand.children or ()}
    return [given.get(name, empty) for name in values.SUIT_FIELDS]


def _hands(compiler: Compiler, said: dict[str, list[_Said]], board: Board) -> Iterator[tuple[Seat, Node]]:
    for fact in said.get("deal", ())[:1]:
        node, rule = fact.value, fact.rule
        hands = None
        if "hands_given" in node:
            hands = [part["hand"] for part in node["hands_given"].children or () if "hand" in part]
            rule = compiler.field_rule(rule, "hands_given")
        elif "hand" in node:
            hands = list(node["hand"].children or ())
        if hands is None:
            return
        value = plain(node)
        order = values.seats(
            compiler, compiler.field_rule(rule, "hand"), value if isinstance(value, dict) else {}, board.effective_dealer
        )
        yield from zip(order, hands, strict=False)
    for i, name in enumerate(HANDS):
        for fact in said.get(name, ())[:1]:
            yield Seat(i), fact.value


_SYSTEM_FIELDS = {
    "sequence": ("step", "suit_bid", "notrump_bid", "other_call"),
    "when": ("when",), "position": ("position",), "flags": ("flags",),
    "disposition": ("disposition",), "lengths": ("lengths",), "text": ("text", "summary"),
    "letters": ("letters",), "name": ("name", "file"),
}  # fmt: skip


def node_of_record(record: Node, place: Place) -> Node:
    """The node of a place of a bidding system, in the node of its record: the field that is named, else the whole record."""
    whole = _part(record, None) or record
    for name in _SYSTEM_FIELDS.get(str(place[2]), ()) if len(place) > 2 else ():
        node = _part(whole, name)
        if node is not None:
            return node
    return whole


def _part(node: Node, name: str | None) -> Node | None:
    """A field of a record, or the first that is there, without making the others; None where it is not there."""
    if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
        return None
    maker = node.maker
    for slot in maker.shape.slots.values():
        if name == slot.name or (name is None and maker.span(slot.group)[0] >= 0):
            found = maker.node(slot)
            if found is not None:
                return found
    return None


_FEW = 20


def path_below(node: Node | None, start: int, stop: int) -> str:
    """The dotted path from a node to the smallest field that holds the bits; arrays may overlap."""
    if node is None:
        return ""
    array = node.decl is not None and node.decl.repeat is not None and not node.name.isdigit()
    children = node.around(start, stop) if isinstance(node, TextNode) else node.children or ()
    if array and len(children) > _FEW:
        at = bisect_right(children, start, key=_start)
        children = children[max(at - 1, 0) : at]
    best = ""
    for child in children:
        if child.start <= start and stop <= child.stop and (child.stop > child.start or child.children is None):
            inner = path_below(child, start, stop)
            own = f"[{child.name}]" if array or child.name.isdigit() else f".{child.name}"
            empty = child.decl is not None and child.decl.repeat is not None and not child.name.isdigit() and not inner
            if not empty and len(own + inner) > len(best):
                best = own + inner
    return best


def _start(node: Node) -> int:
    return node.start
