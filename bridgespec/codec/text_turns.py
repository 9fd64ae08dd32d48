"""Calls and cards of text formats: auctions and plays of the entries of sections and lists.

What a round of a section says as a call or as a card is worked out once and stays with the round; where the whole section is needed
(notes by number, leads out of turn), its plain values are gone through instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any

from bridgespec.codec.text_facts import scalar
from bridgespec.codec.text_shape import Element
from bridgespec.codec.text_values import MARKS, Value, call, card, is_number
from bridgespec.model.auction import PASS, Auction, AuctionCall, Call, closing_passes
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.playing import play_of_columns, play_of_table

_PLAIN_CALLS: dict[Call, AuctionCall] = {}


class _Turn(Enum):
    """What a round can be that is not simply a call or a card."""

    STOP = auto()
    ALL_PASS = auto()
    NO_CARD = auto()
    NOTHING = auto()
    ODD = auto()


# --- auctions


def auction_of(elements: Sequence[Element], first: Seat | None) -> Auction | None:
    """The auction of a section's rounds; None where more than the rounds is needed."""
    turns = [element.call for element in elements]
    if not all(turns):
        turns = [element.call or _as_call(element) for element in elements]
    if set(map(type, turns)) <= {AuctionCall}:
        return Auction(tuple(turns), first, False)
    calls: list[AuctionCall] = []
    for turn in turns:
        if turn is _Turn.ODD:
            return None
        if turn is _Turn.ALL_PASS:
            calls += [_plain_call(PASS)] * closing_passes([made.call for made in calls])
        elif not isinstance(turn, _Turn):
            calls.append(turn)
    return Auction(tuple(calls), first, _Turn.STOP in turns)


def _as_call(element: Element) -> AuctionCall | _Turn:
    entry = _entry(element, "call_made")
    made: AuctionCall | _Turn = entry if isinstance(entry, _Turn) else _Turn.ODD
    if not isinstance(entry, _Turn) and len(entry) == 1:
        text = entry.get("call") or entry.get("odd_call")
        if "all_pass" in entry:
            made = _Turn.ALL_PASS
        elif "skipped" in entry:
            made = AuctionCall(PASS, irregular=True)
        elif text and (found := call(text)) is not None:
            made = _plain_call(found)
    element.call = made
    return made


def _entry(element: Element, name: str) -> Value | _Turn:
    """The entry of a name that a round is; what else it is where it has none."""
    names = [field for field, _ in element.fields]
    if name not in names:
        return _Turn.STOP if "stop" in names else _Turn.NOTHING
    value = element.fields[0][1]
    return value if len(names) == 1 and isinstance(value, Mapping) else _Turn.ODD


def _plain_call(made: Call) -> AuctionCall:
    return _PLAIN_CALLS.setdefault(made, AuctionCall(made))


def auction(made: Sequence[Value], first: Seat | None, notes: Mapping[str, str], closed: bool) -> Auction:
    """The auction of a list of calls; notes by their number."""
    calls: list[AuctionCall] = []
    waited = 0
    for entry in made:
        if "waiting" in entry:
            waited += not calls
            continue
        if "all_pass" in entry:
            calls += [_plain_call(PASS)] * closing_passes([made.call for made in calls])
            continue
        text = entry.get("call") or entry.get("odd_call")
        found = PASS if "skipped" in entry else call(text) if text else None
        if found is None:
            break
        if len(entry) == 1 and "skipped" not in entry:
            calls.append(_plain_call(found))
            continue
        irregular = "skipped" in entry or "irregular_bid" in entry
        mark, glyphs, note = said_of(entry, notes)
        said = entry.get("explanation")
        alert = "alert" in entry or note is not None or "conventional" in entry
        calls.append(AuctionCall(found, alert, said if said is not None else note, mark, glyphs, irregular))
    if first is not None and waited:
        first = Seat((first + waited) % 4)
    return Auction(tuple(calls), first, closed)


def said_of(entry: Value, notes: Mapping[str, str]) -> tuple[str | None, tuple[int, ...], str | None]:
    """An entry's mark, its numbered glyphs, and the note that it refers to (its number where there is none)."""
    mark = scalar(entry.get("suffix")) or None
    numbers = [text[1:] for text in entry.get("glyph", ()) if is_number(text[1:])]
    if mark is None and numbers and numbers[0] in MARKS:
        mark, numbers = MARKS[numbers[0]], numbers[1:]
    reference = scalar(entry.get("reference")).strip("=^")
    note = notes.get(reference, f"={reference}=") if reference else None
    return mark, tuple(int(number) for number in numbers), note


# --- plays


def play_of(elements: Sequence[Element], first: Seat, strain: Strain) -> tuple[Play, bool] | None:
    """The play of a section's rounds, in columns clockwise from ``first``, and whether it is said to stop there.

    None where more than the rounds is needed.
    """
    turns = [element.card for element in elements]
    if None in turns:
        turns = [_as_card(element) if element.card is None else element.card for element in elements]
    stopped = bool(turns) and turns[-1] is _Turn.STOP
    if stopped:
        turns.pop()
    if not set(map(type, turns)) <= {Card}:
        if _Turn.ODD in turns:
            return None
        stopped = stopped or _Turn.STOP in turns
        cards = (turn if isinstance(turn, Card) else None for turn in turns if turn is not _Turn.STOP and turn is not _Turn.NOTHING)
        return play_of_table(list(cards), first, strain), stopped
    return play_of_table(turns, first, strain), stopped


def _as_card(element: Element) -> Card | _Turn:
    entry = _entry(element, "card_played")
    made: Card | _Turn = entry if isinstance(entry, _Turn) else _Turn.ODD
    if not isinstance(entry, _Turn) and len(entry) == 1:
        found = card(entry.get("card") or entry.get("odd_card") or "")
        made = _Turn.NO_CARD if found is None else found
    element.card = made
    return made


def play_of_entries(entries: Sequence[Any], first: Seat, strain: Strain, notes: Mapping[str, str]) -> Play:
    """The play of entries in columns, clockwise from ``first``; a lead out of turn begins a trick where it stands."""
    cards = [card(entry.get("card") or entry.get("odd_card") or "") for entry in entries]
    led = {i // 4: i % 4 for i, entry in enumerate(entries) if "L" in str(entry.get("irregular_card", ""))}
    play = _with_leads(cards, first, strain, led) if led else play_of_table(cards, first, strain)
    order = {}
    for number, trick in enumerate(play.tricks):
        for turn in range(len(trick.cards)):
            order[4 * number + (trick.leader + turn - first) % 4] = (number, turn)
    return Play(play.tricks, notes=_card_notes(entries, order, notes))


def _card_notes(entries: Sequence[Value], order: Mapping[int, tuple[int, int]], notes: Mapping[str, str]) -> tuple[CardNote, ...]:
    """What is said of cards; ``order`` gives the trick and place of each entry."""
    found = []
    for index, entry in enumerate(entries):
        if len(entry) > 1 and index in order:
            mark, glyphs, note = said_of(entry, notes)
            irregular = "irregular_card" in entry
            if mark or glyphs or note or irregular:
                found.append(CardNote(*order[index], note, mark, glyphs, irregular))
    return tuple(found)


def _with_leads(cards: Sequence[Card | None], first: Seat, strain: Strain, led: Mapping[int, int]) -> Play:
    tricks: list[Trick] = []
    for number, row in enumerate(cards[i : i + 4] for i in range(0, len(cards), 4)):
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
