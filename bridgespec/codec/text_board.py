"""One board of a text format: the facts that its record says, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bridgespec.codec import text_values as values
from bridgespec.codec.coders import VULNERABILITY_NAMES
from bridgespec.codec.node import Reading
from bridgespec.codec.text_facts import HANDS, PLAYERS, AnyFact, FactFinder, PairFact, decoded, scalar
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_tables import table_of, tricks_of_table
from bridgespec.codec.text_tree import RecordMaker
from bridgespec.model.auction import Auction
from bridgespec.model.board import Comment, Vulnerability, standard_dealer
from bridgespec.model.cards import Seat, Side, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Conflict, Deal, compose
from bridgespec.model.play import Play, Trick
from bridgespec.model.playing import play_of_cards, play_of_columns

_TEXTS = ("event", "site", "date", "round", "scoring", "par")
_NOTHING = ("", "?", "-")


@dataclass(slots=True)
class Memory:
    """What earlier records and the file's head said that still holds."""

    previous: dict[str, PairFact] = field(default_factory=dict)
    headers: dict[str, PairFact] = field(default_factory=dict)
    file: dict[str, AnyFact] = field(default_factory=dict)

    def of_file(self, fact: AnyFact) -> None:
        """Remember a fact of the file's head."""
        self.file.setdefault(fact.term, fact)

    def resolve(self, fact: PairFact) -> PairFact | None:
        """The fact that a pair stands for: itself, or the one that it repeats; None for nothing."""
        rule = fact.inherit
        key = fact.key or ""
        if rule is None:
            return fact
        text = fact.raw
        if not text.startswith(rule.same):
            self.previous[key] = fact
            return fact
        if text.startswith(rule.header):
            self.headers[key] = self.previous[key] = fact
            return fact
        if len(text) > len(rule.same):
            self.previous[key] = fact
            return fact
        earlier = self.previous.get(key)
        return None if earlier is None else repeated(earlier, fact.raw_body)


def repeated(fact: PairFact, body: str) -> PairFact:
    """What an earlier pair said, once more."""
    again = PairFact(fact.kind, fact.term, fact.key or "", fact.raw, body)
    again.inherited = True
    return again


class BoardMaker:
    """Makes boards of a reading."""

    def __init__(self, compiler: Compiler, reading: Reading) -> None:
        self.compiler = compiler
        self.reading = reading
        self.finder = FactFinder(compiler)

    def board(self, maker: RecordMaker, number: int, memory: Memory, index: int) -> dict[str, Any]:
        """The board's fields."""
        said, tags = self._gather(maker, memory)
        made: dict[str, Any] = {}
        self._codes(said, made, number, memory)
        dealer = standard_dealer(made["number"]) if made.get("dealer") is None else made["dealer"]
        self._deal(said, made, dealer)
        for term in _TEXTS:
            if term in said:
                text = _after_mark(said[term][0], said[term][0].text if term != "date" else scalar(said[term][0].value))
                if text not in _NOTHING[:2]:
                    made[term] = text
        self._names(said, made, memory)
        self._contract(said, made)
        if "auction" in said:
            made["auction"] = self._auction(said, made)
        if "play" in said:
            self._play(said, made, dealer)
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
        seen: set[str] = set()
        for order, fact in enumerate(self.finder.facts(maker)):
            key, term = fact.key, fact.term
            fact.order = order
            if isinstance(fact, PairFact) and key is not None:
                seen.add(key)
                found = memory.resolve(fact)
                if found is None:
                    continue
                fact = found
                if key in fact.kind.repeats:
                    memory.headers[key] = fact
                if fact.raw_body and ("{" in fact.raw_body or ";" in fact.raw_body):
                    said.setdefault("bodies", []).append(fact)
            if term == "tag" and isinstance(fact, PairFact):
                tags.append(fact)
            elif term == "note":
                said.setdefault(f"note of {section}", []).append(fact)
            elif term in said:
                said[term].append(fact)
            else:
                said[term] = [fact]
                if term in ("auction", "play"):
                    section = term
        for key, fact in memory.headers.items():
            if key not in seen:
                kept = repeated(fact, "")
                if fact.term == "tag":
                    tags.append(kept)
                else:
                    said.setdefault(fact.term, []).append(kept)
        return said, tags

    def _codes(self, said: Mapping[str, list[Any]], made: dict[str, Any], number: int, memory: Memory) -> None:
        stated = self._number(said)
        made["number"] = number if stated is None else stated
        if "dealer" in said:
            made["dealer"] = values.seat(said["dealer"][0].value)
        if "vulnerability" in said:
            made["vulnerability"] = _vulnerability(said["vulnerability"][0].value)
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
            value = said[term][0].value if term in said else None
            text = value.get("number", "") if isinstance(value, Mapping) and "number" in value else scalar(value)
            text = text[1:] if isinstance(text, str) and text[:1] == "n" else text
            if isinstance(text, str) and values.is_number(text):
                return int(text)
        return None

    def _deal(self, said: Mapping[str, list[Any]], made: dict[str, Any], dealer: Seat) -> None:
        if "deal" in said:
            fact = said["deal"][0]
            found = self._dealt(fact) or values.deal(self.compiler, self._rule(fact), fact.value, dealer)
            if found is not None:
                made["deal"], made["conflicts"] = found
        else:
            hands = {Seat(i): cards for i, name in enumerate(HANDS) if name in said and (cards := values.hand(said[name][0].value))}
            if hands:
                made["deal"], made["conflicts"] = compose(hands)
        tricks = None
        for fact in said.get("tricks", ()):
            tricks = tricks or tricks_of_table(fact) or values.tricks(self.compiler, self._rule(fact), fact.value)
        if tricks is not None:
            made["tricks"] = tricks

    def _dealt(self, fact: Any) -> tuple[Deal, tuple[Conflict, ...]] | None:
        """The deal by the short way: four hands clockwise from the seat that the text names, 52 cards in all."""
        handed = fact.match()
        if handed is None or handed[0].kind != "record":
            return None
        maker = RecordMaker(fact.raw, handed[0].shape, handed[1].span, len(fact.raw))
        first, hands = maker.shape.slots.get("first"), maker.shape.slots.get("hand")
        if first is None or hands is None or first.codes is None or maker.span(first.group)[0] < 0:
            return None
        place = values.seat(first.codes.name(maker.field_text("first") or ""))
        deal = None if place is None else values.deal_of_groups(maker, [Seat((place + i) % 4) for i in range(4)], hands)
        return None if deal is None else (deal, ())

    def _rule(self, fact: AnyFact) -> Any:
        """The rule whose fields a fact's value has."""
        return fact.rule

    @staticmethod
    def _names(said: Mapping[str, list[Any]], made: dict[str, Any], memory: Memory) -> None:
        players: list[str | None] = [None] * 4
        room = None
        if "room" in said:
            room = scalar(said["room"][0].value)
        elif "place" in said and isinstance(value := said["place"][0].value, Mapping) and "room" in value:
            room = scalar(value["room"])
        if room and room not in _NOTHING:
            made["room"] = room.capitalize() if room in ("open", "closed") else room
        for fact in [*said.get("players", ())[::-1], *filter(None, [memory.file.get("players")])][::-1]:
            _seat_players(fact.value, players, room == "closed")
        for i, name in enumerate(PLAYERS):
            if name in said and said[name][0].text not in ("", "?"):
                players[i] = _after_mark(said[name][0], said[name][0].text)
        if any(players):
            made["players"] = tuple(players)
        teams = [_after_mark(said[t][0], said[t][0].text) or None if t in said else None for t in ("home_team", "visiting_team")]
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
            made["contract"], declarer = values.contract(said["contract"][0].value)
            if declarer is not None:
                made["declarer"] = declarer
        if "declarer" in said:
            value = said["declarer"][0].value
            made["declarer"] = values.seat(value)
            irregular += ["declarer"] if isinstance(value, Mapping) and "irregular" in value else []
        declarer = made.get("declarer")
        if "result" in said:
            value = said["result"][0].value
            number: str | None
            if isinstance(value, Mapping) and "tricks" in value:
                number, side = scalar(value["tricks"]), declarer.side if declarer is not None else None
            else:
                number, side = values.by_side(value, "tricks_won", declarer)
            if number is not None and values.is_number(number) and int(number) <= 13:
                made["result"] = int(number) if declarer is None or side is declarer.side else 13 - int(number)
            irregular += ["result"] if isinstance(value, Mapping) and "irregular" in value else []
        if "score" in said:
            number, side = values.by_side(said["score"][0].value, "points", declarer)
            if number is not None and values.is_number(number.lstrip("+-")) and side is not None:
                made["score"] = int(number) if side is Side.NS else -int(number)
        if irregular:
            made["irregular"] = tuple(irregular)

    # --- calls and cards

    def _auction(self, said: Mapping[str, list[Any]], made: dict[str, Any]) -> Auction:
        fact = said["auction"][0]
        notes = _notes(said.get("note of auction", ()))
        first = made.get("dealer")
        value, section = fact.value, fact.section
        if isinstance(section, Mapping):
            return values.auction(section.get("call_made", ()), values.seat(value), notes, "stop" in section)
        if fact.has_section:
            return values.auction((), values.seat(value), notes, False)
        if isinstance(value, Mapping) and "call_made" in value:
            entries = value["call_made"]
            if any("explanation" in entry for entry in entries):
                rule = self.compiler.field_rule(self.compiler.field_rule(self._rule(fact), "call_made"), "explanation")
                entries = [
                    {**e, "explanation": decoded(rule, e["explanation"])[1:-1]} if "explanation" in e else e for e in entries
                ]
            return values.auction(entries, first, notes, False)
        return values.auction(self._spread(said), first, notes, False)

    @staticmethod
    def _spread(said: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
        """Calls that are a pair each, with the explanations that follow them."""
        explained = sorted([*said["auction"], *said.get("explanation", ())], key=lambda fact: fact.order)
        entries: list[dict[str, Any]] = []
        for fact in explained:
            if fact.term == "explanation":
                if entries:
                    entries[-1]["explanation"] = fact.text
            elif isinstance(value := fact.value, Mapping):
                entries.append(dict(value))
        return entries

    def _play(self, said: Mapping[str, list[Any]], made: dict[str, Any], dealer: Seat) -> None:
        auction: Auction | None = made.get("auction")
        contract: Contract | None = made.get("contract") or (auction.contract if auction else None)
        declarer = made.get("declarer")
        if declarer is None and auction is not None and len(auction.calls) >= len(said["auction"]):
            declarer = auction.declarer
        fact = said["play"][0]
        strain = contract.strain if contract is not None else Strain.NOTRUMP
        section = fact.section
        if fact.has_section:
            first = values.seat(fact.value)
            if first is None and declarer is not None:
                first = declarer.next
            if not isinstance(section, Mapping) or first is None:
                return
            play = _play_of_rows(section.get("card_played", ()), first, strain, _notes(said.get("note of play", ())))
            ended = "stop" in section and play.tricks and len(play.cards) < 52
            if play.tricks:
                made["play"] = replace(play, claim=made.get("result")) if ended else play
            return
        if isinstance(fact.value, Mapping) and isinstance(fact.value.get("card"), list):
            texts = fact.value["card"]
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

    # --- the rest

    def _rest(self, said: Mapping[str, list[Any]], made: dict[str, Any], tags: Sequence[PairFact]) -> None:
        tables = []
        comments = [Comment(_plain_comment(fact.text)) for fact in said.get("comment", ()) for _ in (0,)]
        kept = []
        for fact in tags:
            table = table_of(fact)
            if table is not None:
                tables.append(table)
            else:
                kept.append((fact.key or "", _after_mark(fact, fact.text)))
        for fact in said.get("bodies", ()):
            comments += _comments(fact)
        if comments:
            made["comments"] = tuple(comments)
        if tables:
            made["tables"] = tuple(tables)
        if kept:
            made["tags"] = tuple(kept)


def _after_mark(fact: AnyFact, text: str) -> str:
    """A pair's text without the mark that makes it hold for what follows."""
    return text[len(fact.inherit.header) :] if fact.inherit is not None and text.startswith(fact.inherit.header) else text


def _vulnerability(value: Any) -> Vulnerability | None:
    number = VULNERABILITY_NAMES.get(scalar(value))
    return None if number is None else Vulnerability(number)


def _seat_players(value: Any, players: list[str | None], closed: bool) -> None:
    if not isinstance(value, Mapping):
        return
    names = value.get("player")
    if isinstance(names, list):
        part = names[4:8] if closed and len(names) > 4 else names[:4]
        for seat, name in zip((Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST), part, strict=False):
            players[seat] = name or players[seat]
        return
    for i, name in enumerate(HANDS):
        players[i] = scalar(value.get(name)) or players[i]


def _notes(found: Sequence[PairFact]) -> dict[str, str]:
    notes = {}
    for fact in found:
        if isinstance(value := fact.value, Mapping):
            notes[scalar(value.get("index"))] = decoded(fact.kind.value.rule, scalar(value.get("note_text")))
        else:
            notes[fact.key or ""] = fact.text
    return notes


def _play_of_rows(entries: Sequence[Any], first: Seat, strain: Strain, notes: Mapping[str, str]) -> Play:
    """The play of entries in columns, clockwise from ``first``; a lead out of turn begins a trick where it stands."""
    cards = [values.card(entry.get("card") or entry.get("odd_card") or "") for entry in entries]
    rows = [cards[i : i + 4] for i in range(0, len(cards), 4)]
    led = {i // 4: i % 4 for i, entry in enumerate(entries) if "L" in str(entry.get("irregular_card", ""))}
    play = play_of_columns(rows, first, strain)
    if led:
        play = _with_leads(rows, first, strain, led)
    order = {}
    for number, trick in enumerate(play.tricks):
        for turn in range(len(trick.cards)):
            order[4 * number + (trick.leader + turn - first) % 4] = (number, turn)
    said = values.card_notes(entries, order, notes)
    return replace(play, notes=said) if said else play


def _with_leads(rows: Sequence[Sequence[Any]], first: Seat, strain: Strain, led: Mapping[int, int]) -> Play:
    tricks: list[Trick] = []
    for number, row in enumerate(rows):
        leader = Seat((first + led[number]) % 4) if number in led else None
        if leader is None:
            leader = first if not tricks else _next_leader(tricks[-1], strain)
        part = play_of_columns(
            [[row[(leader + i - first) % 4] if (leader + i - first) % 4 < len(row) else None for i in range(4)]], leader, strain
        )
        if not part.tricks:
            break
        tricks.append(part.tricks[0])
    return Play(tuple(tricks))


def _next_leader(trick: Trick, strain: Strain) -> Seat:
    follow = play_of_columns([list(trick.cards), list(trick.cards)], trick.leader, strain)
    return follow.tricks[1].leader if len(follow.tricks) > 1 else trick.leader


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
            found += [Comment(_plain_comment(text), after) for text in section.get(name, ())]
        for name in ("call_made", "card_played"):
            for index, entry in enumerate(section.get(name, ())):
                for kind in ("comment", "line_comment"):
                    found += [Comment(_plain_comment(text), (*after, index)) for text in entry.get(kind, ())]
    return found


__all__ = ["BoardMaker", "Memory"]
