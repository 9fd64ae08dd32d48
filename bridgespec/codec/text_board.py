"""One board of a text format: the facts that its record says, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bridgespec.codec import text_values as values
from bridgespec.codec.coders import VULNERABILITY_NAMES
from bridgespec.codec.text_facts import HANDS, PLAYERS, decoded, scalar
from bridgespec.codec.text_find import FactFinder
from bridgespec.codec.text_memory import Memory, repeated
from bridgespec.codec.text_pairs import AnyFact, PairFact, once
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Codes, Program
from bridgespec.codec.text_tables import table_of, tricks_of_table
from bridgespec.codec.text_tree import RecordMaker
from bridgespec.codec.text_turns import auction, auction_of, play_of, play_of_entries
from bridgespec.model.auction import Auction
from bridgespec.model.board import Comment, Vulnerability, standard_dealer
from bridgespec.model.cards import Seat, Side, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal, compose
from bridgespec.model.play import Play
from bridgespec.model.playing import play_of_cards
from bridgespec.spec.grammar import Rule

_TEXTS = ("event", "site", "date", "round", "scoring", "par")
_NOTHING = ("", "?", "-")


class BoardMaker:
    """Makes boards of a reading."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.finder = FactFinder(compiler)

    def board(self, maker: RecordMaker, number: int, memory: Memory) -> dict[str, Any]:
        """The board's fields."""
        said, tags = self._gather(maker, memory)
        made: dict[str, Any] = {}
        self._codes(said, made, number)
        dealer = standard_dealer(made["number"]) if made.get("dealer") is None else made["dealer"]
        self._deal(said, made, dealer, memory)
        for term in _TEXTS:
            if term in said:
                fact = said[term][0]
                text = fact.words if term != "date" else _after_mark(fact, once(fact, values.date))
                if text not in _NOTHING[:2]:
                    made[term] = text
        self._names(said, made, memory)
        self._contract(said, made)
        if "auction" in said:
            made["auction"] = self._auction(said, made)
        if "play" in said:
            self._play(said, made)
        if "claim" in said and values.is_number(claimed := scalar(said["claim"][0].value)) and int(claimed) <= 13:
            made["result"] = int(claimed)
            if "play" in made and len(made["play"].cards) < 52:
                made["play"] = replace(made["play"], claim=int(claimed))
        self._rest(said, made, tags)
        return made

    def _gather(self, maker: RecordMaker, memory: Memory) -> tuple[dict[str, list[Any]], list[PairFact]]:
        said: dict[str, list[Any]] = {}
        tags: list[PairFact] = []
        section = "auction"
        facts = self.finder.facts(maker)
        previous: dict[str, Any] = memory.previous
        for fact in facts:
            if fact.plain:
                previous[fact.key] = fact
                term = fact.term
                if term in said:
                    said[term].append(fact)
                else:
                    said[term] = [fact]
                continue
            if fact.__class__ is PairFact:
                of = fact.of
                rule = of.inherit
                if rule is not None:
                    if fact.raw.startswith(rule.same):
                        found = memory.resolve(fact, rule)
                        if found is None:
                            continue
                        fact = found
                    else:
                        previous[of.name] = fact
                if of.repeats:
                    memory.headers[of.name] = fact
                if fact.raw_body and ("{" in fact.raw_body or ";" in fact.raw_body):
                    said.setdefault("bodies", []).append(fact)
                term = of.term
                if term == "tag":
                    tags.append(fact)
                    continue
            else:
                term = fact.term
            if term == "note":
                said.setdefault(f"note of {section}", []).append(fact)
                continue
            if term in ("auction", "play", "explanation"):
                if term != "play":
                    said.setdefault("explained", []).append(fact)
                if term not in said and term != "explanation":
                    section = term
            if term in said:
                said[term].append(fact)
            else:
                said[term] = [fact]
        if memory.headers:
            seen = {fact.key for fact in facts}
            for key, fact in memory.headers.items():
                if key not in seen:
                    kept = repeated(fact, "")
                    if kept.term == "tag":
                        tags.append(kept)
                    else:
                        said.setdefault(kept.term, []).append(kept)
        return said, tags

    def _codes(self, said: Mapping[str, list[Any]], made: dict[str, Any], number: int) -> None:
        stated = self._number(said)
        made["number"] = number if stated is None else stated
        if "dealer" in said:
            made["dealer"] = once(said["dealer"][0], values.seat)
        if "vulnerability" in said:
            made["vulnerability"] = once(said["vulnerability"][0], _vulnerability)
        for term in ("auction", "deal"):
            if term not in said or not (said[term][0].holds("vulnerability") or said[term][0].holds("dealer")):
                continue
            value = said[term][0].value
            if isinstance(value, Mapping):
                if "vulnerability" in value and "vulnerability" not in made:
                    made["vulnerability"] = _vulnerability(value["vulnerability"])
                    made.setdefault("dealer", values.seat(value.get("seat")))
                if term == "deal" and "dealer" in value:
                    made.setdefault("dealer", values.seat(value["dealer"]))

    @staticmethod
    def _number(said: Mapping[str, list[Any]]) -> int | None:
        for term in ("number", "header", "place"):
            if term in said and (number := once(said[term][0], _number)) is not None:
                return number
        return None

    def _deal(self, said: Mapping[str, list[Any]], made: dict[str, Any], dealer: Seat, memory: Memory) -> None:
        if "deal" in said:
            fact = said["deal"][0]
            deal = self._dealt(fact, memory)
            found = (deal, ()) if deal is not None else values.deal(self.compiler, fact.rule, fact.value, dealer)
            if found is not None:
                made["deal"], made["conflicts"] = found
        else:
            hands = {Seat(i): cards for i, name in enumerate(HANDS) if name in said and (cards := values.hand(said[name][0].value))}
            if hands:
                made["deal"], made["conflicts"] = compose(hands)
        tricks = None
        for fact in said.get("tricks", ()):
            tricks = tricks or tricks_of_table(fact) or values.tricks(self.compiler, fact.rule, fact.value)
        if tricks is not None:
            made["tricks"] = tricks

    def _dealt(self, fact: AnyFact, memory: Memory) -> Deal | None:
        """The deal by the short way: four hands clockwise from the seat that the text names, 52 cards in all."""
        if not isinstance(fact, PairFact):
            return None
        deal = memory.deals.get(fact.raw)
        handed = fact.match() if deal is None else None
        if handed is not None and handed[0].kind == "record":
            program, match = handed
            known = self.compiler.worked.get(("hands", program.rule.name))
            if known is None:
                known = self.compiler.worked["hands", program.rule.name] = _hand_groups(program)
            codes, groups = known
            if codes is not None:
                first, *holdings = match.group(*groups)
                place = values.seat(codes.name(first or ""))
                if place is not None and None not in holdings:
                    deal = values.deal_of_holdings(holdings, [Seat((place + i) % 4) for i in range(4)])
            if deal is not None:
                memory.deals[fact.raw] = deal
        return deal

    @staticmethod
    def _names(said: Mapping[str, list[Any]], made: dict[str, Any], memory: Memory) -> None:
        players: list[str | None] = [None] * 4
        room = None
        if "room" in said:
            room = once(said["room"][0], scalar)
        elif "place" in said and isinstance(value := said["place"][0].value, Mapping) and "room" in value:
            room = scalar(value["room"])
        if room and room not in _NOTHING:
            made["room"] = room.capitalize() if room in ("open", "closed") else room
        for fact in [*said.get("players", ())[::-1], *filter(None, [memory.file.get("players")])][::-1]:
            rule = fact.of.kind.value.rule if isinstance(fact, PairFact) else fact.rule
            _seat_players(fact.value, players, room == "closed", rule)
        for i, name in enumerate(PLAYERS):
            if name in said and (text := said[name][0].text) not in ("", "?"):
                players[i] = _after_mark(said[name][0], text)
        if any(players):
            made["players"] = tuple(players)
        teams = [said[t][0].words or None if t in said else None for t in ("home_team", "visiting_team")]
        for fact in (*said.get("teams", ()), *filter(None, [memory.file.get("match")])):
            if isinstance(value := fact.value, Mapping):
                teams = [scalar(value.get("home")) or None, scalar(value.get("visiting")) or None]
                if "event" not in made and scalar(value.get("event")):
                    made["event"] = scalar(value.get("event"))
        if any(teams):
            made["teams"] = tuple(teams)

    @staticmethod
    def _contract(said: Mapping[str, list[Any]], made: dict[str, Any]) -> None:
        irregular = []
        if "contract" in said:
            made["contract"], declarer = once(said["contract"][0], values.contract)
            if declarer is not None:
                made["declarer"] = declarer
        if "declarer" in said:
            made["declarer"], odd = once(said["declarer"][0], _declarer)
            irregular += ["declarer"] if odd else []
        declarer = made.get("declarer")
        if "result" in said:
            number, side, odd = once(said["result"][0], _result)
            irregular += ["result"] if odd else []
            if number is not None and number <= 13:
                made["result"] = number if declarer is None or side in (None, declarer.side) else 13 - number
        if "score" in said:
            number, side = once(said["score"][0], _score)
            side = declarer.side if side is None and declarer is not None else side
            if number is not None and side is not None:
                made["score"] = number if side is Side.NS else -number
        if irregular:
            made["irregular"] = tuple(irregular)

    # --- calls and cards

    def _auction(self, said: Mapping[str, list[Any]], made: dict[str, Any]) -> Auction:
        fact: AnyFact = said["auction"][0]
        first = made.get("dealer")
        if fact.has_section:
            first = once(fact, values.seat)
            if fact.elements is not None and (short := auction_of(fact.elements, first)) is not None:
                return short
        notes = _notes(said.get("note of auction", ()))
        value, section = fact.value, fact.section
        if isinstance(section, Mapping):
            return auction(section.get("call_made", ()), first, notes, "stop" in section)
        if fact.has_section:
            return auction((), first, notes, False)
        if isinstance(value, Mapping) and "call_made" in value:
            entries = value["call_made"]
            if any("explanation" in entry for entry in entries):
                rule = self.compiler.field_rule(self.compiler.field_rule(fact.rule, "call_made"), "explanation")
                entries = [
                    {**e, "explanation": decoded(rule, e["explanation"])[1:-1]} if "explanation" in e else e for e in entries
                ]
            return auction(entries, first, notes, False)
        return auction(self._spread(said), first, notes, False)

    @staticmethod
    def _spread(said: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
        """Calls that are a pair each, with the explanations that follow them."""
        entries: list[dict[str, Any]] = []
        for fact in said.get("explained", said["auction"]):
            if fact.term == "explanation":
                if entries:
                    entries[-1]["explanation"] = fact.text
            elif isinstance(value := fact.value, Mapping):
                entries.append(dict(value))
        return entries

    def _play(self, said: Mapping[str, list[Any]], made: dict[str, Any]) -> None:
        auction: Auction | None = made.get("auction")
        contract: Contract | None = made.get("contract") or (auction.contract if auction else None)
        declarer = made.get("declarer")
        if declarer is None and auction is not None and len(auction.calls) >= len(said["auction"]):
            declarer = auction.declarer
        fact: AnyFact = said["play"][0]
        strain = contract.strain if contract is not None else Strain.NOTRUMP
        if fact.has_section:
            first = once(fact, values.seat)
            if first is None and declarer is not None:
                first = declarer.next
            if first is not None:
                self._section_of_play(fact, first, strain, said, made)
            return
        if isinstance(fact.value, Mapping) and isinstance(fact.value.get("card"), list):
            texts = fact.value["card"]
        elif isinstance(fact.value, Mapping) and isinstance(fact.value.get("trick"), list):
            texts = values.followed(fact.value["trick"])
        else:
            texts = [value.get("card") for f in said["play"] if isinstance(value := f.value, Mapping)]
        cards = []
        for text in texts:
            card = values.card(text) if isinstance(text, str) else None
            if card is None:
                break
            cards.append(card)
        if declarer is not None and cards:
            made["play"] = play_of_cards(cards, declarer.next, strain)

    @staticmethod
    def _section_of_play(fact: AnyFact, first: Seat, strain: Strain, said: Mapping[str, list[Any]], made: dict[str, Any]) -> None:
        short = None if fact.elements is None else play_of(fact.elements, first, strain)
        if short is not None:
            play, stopped = short
        elif isinstance(section := fact.section, Mapping):
            play = play_of_entries(section.get("card_played", ()), first, strain, _notes(said.get("note of play", ())))
            stopped = "stop" in section
        else:
            return
        if play.tricks:
            ended = stopped and (len(play.tricks) < 13 or len(play.cards) < 52)
            made["play"] = Play(play.tricks, made.get("result"), play.notes) if ended else play

    # --- the rest

    def _rest(self, said: Mapping[str, list[Any]], made: dict[str, Any], tags: Sequence[PairFact]) -> None:
        tables = []
        comments = [Comment(_plain_comment(fact.text)) for fact in said.get("comment", ()) for _ in (0,)]
        kept = []
        for fact in tags:
            table = table_of(fact) if fact.raw_body else None
            if table is not None:
                tables.append(table)
            else:
                kept.append((fact.of.name, fact.words))
        for fact in said.get("bodies", ()):
            comments += _comments(fact)
        if comments:
            made["comments"] = tuple(comments)
        if tables:
            made["tables"] = tuple(tables)
        if kept:
            made["tags"] = tuple(kept)


def _hand_groups(program: Program) -> tuple[Codes | None, Sequence[int]]:
    """The codes of a deal's first seat, and the groups of that and of the four holdings of each hand."""
    slots = program.shape.slots
    first, hands = slots.get("first"), slots.get("hand")
    if first is None or hands is None or len(hands.parts) != 4:
        return None, ()
    groups = [first.group]
    for hand in hands.parts:
        holding = hand.shape.slots.get("holding") if hand.shape is not None else None
        if holding is None or len(holding.parts) != 4:
            return None, ()
        groups += [suit.group for suit in holding.parts]
    return first.codes, groups


def _after_mark(fact: AnyFact, text: str) -> str:
    """A pair's text without the mark that makes it hold for what follows."""
    inherit = fact.of.inherit if isinstance(fact, PairFact) else None
    return text[len(inherit.header) :] if inherit is not None and text.startswith(inherit.header) else text


def _number(value: Any) -> int | None:
    text = value.get("number", "") if isinstance(value, Mapping) and "number" in value else scalar(value)
    text = text[1:] if isinstance(text, str) and text[:1] == "n" else text
    return int(text) if isinstance(text, str) and values.is_number(text) else None


def _declarer(value: Any) -> tuple[Seat | None, bool]:
    """The declarer, and whether the source says that it is contrary to the game."""
    return values.seat(value), isinstance(value, Mapping) and "irregular" in value


def _result(value: Any) -> tuple[int | None, Side | None, bool]:
    """The number of tricks, whose they are (None: the declarer's), and whether the source says that it is contrary to the game."""
    side = None
    if isinstance(value, Mapping) and "tricks" in value:
        number: str | None = scalar(value["tricks"])
    else:
        number, side = values.by_side(value, "tricks_won")
    odd = isinstance(value, Mapping) and "irregular" in value
    return int(number) if number is not None and values.is_number(number) else None, side, odd


def _score(value: Any) -> tuple[int | None, Side | None]:
    """The score and the side whose it is (None: the declarer's)."""
    number, side = values.by_side(value, "points")
    return int(number) if number is not None and values.is_number(number.lstrip("+-")) else None, side


def _vulnerability(value: Any) -> Vulnerability | None:
    number = VULNERABILITY_NAMES.get(scalar(value))
    return None if number is None else Vulnerability(number)


def _seat_players(value: Any, players: list[str | None], closed: bool, rule: Rule) -> None:
    if not isinstance(value, Mapping):
        return
    names = value.get("player")
    if isinstance(names, list):
        part = names[4:8] if closed and len(names) > 4 else names[:4]
        for seat, name in zip((Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST), part, strict=False):
            players[seat] = decoded(rule, name) or players[seat]
        return
    for i, name in enumerate(HANDS):
        players[i] = decoded(rule, scalar(value.get(name))) or players[i]


def _notes(found: Sequence[PairFact]) -> dict[str, str]:
    notes = {}
    for fact in found:
        if isinstance(value := fact.value, Mapping):
            notes[scalar(value.get("index"))] = decoded(fact.of.kind.value.rule, scalar(value.get("note_text")))
        else:
            notes[fact.key or ""] = fact.text
    return notes


def _plain_comment(text: str) -> str:
    if text.startswith("{"):
        return text[1:-1] if text.endswith("}") else text[1:]
    return text[1:].rstrip("\r\n") if text.startswith(";") else text


def _comments(fact: PairFact) -> list[Comment]:
    section = fact.section
    after = (fact.term if fact.term != "tag" else fact.key or "",)
    if isinstance(section, str):
        return []
    found = []
    if isinstance(section, Mapping):
        for name in ("comment", "line_comment", "unclosed", "late_comment"):
            found += [Comment(decoded(None, _plain_comment(text)), after) for text in section.get(name, ())]
        for name in ("call_made", "card_played"):
            for index, entry in enumerate(section.get(name, ())):
                for kind in ("comment", "line_comment"):
                    found += [Comment(decoded(None, _plain_comment(text)), (*after, index)) for text in entry.get(kind, ())]
    return found
