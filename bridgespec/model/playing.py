"""Analyse the play: `play_of_cards` and `play_of_columns` return a `Play` for recorded cards, `winner` the winner of a trick, and
`analyse` the winners of all tricks and the faults of the play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.play import Play, Trick, tricks_of

# Indexing this tuple takes a fifteenth of the time of `Seat(number)`.
_SEATS = tuple(Seat)


def winner(trick: Trick, strain: Strain) -> Seat | None:
    """Return the seat that wins a trick in a strain, or is winning it so far; None for a trick without cards or with an unknown
    card.

    >>> trick = Trick(Seat.WEST, tuple(map(Card.parse, ("HA", "S2", "HK", "DA"))))
    >>> winner(trick, Strain.SPADES).name, winner(trick, Strain.NOTRUMP).name
    ('NORTH', 'WEST')
    """
    cards = trick.cards
    return None if not cards or None in cards else _winner(trick.leader, cast("Sequence[Card]", cards), strain)


def _heights(led: int, trump: int) -> bytes:
    """Return for each card a number by which the highest card of a trick wins: 0 for a discard, 1 to 13 for a card of the suit led,
    14 to 26 for a trump (``trump`` is the suit, -1 in notrump).
    """
    return bytes(13 - slot % 13 + 13 * (slot // 13 == trump) if slot // 13 in (led, trump) else 0 for slot in range(52))


_HEIGHTS = tuple(tuple(_heights(slot // 13, strain - 1) for slot in range(52)) for strain in Strain)
"""The heights of the 52 cards, by strain and by the card led."""


def _winner(leader: Seat, cards: Sequence[Card], strain: Strain) -> Seat:
    """Return `winner` for a trick without unknown cards."""
    return _SEATS[(leader + _best(cards, _HEIGHTS[strain][cards[0]])) % 4]


def _best(cards: Sequence[Card], heights: bytes) -> int:
    """Return the index of the highest card."""
    best = [heights[card] for card in cards]
    return best.index(max(best))


def play_of_cards(cards: Sequence[Card | None], leader: Seat, strain: Strain, holders: Sequence[int] | None = None) -> Play:
    """Return the play of cards in the order of play; ``leader`` leads the first trick, and the winner of a trick the next one.

    None is an unknown card. After a trick with an unknown card the leader is computed from the seat that was dealt the next known
    card, by ``holders`` (see `Deal.holders`); if that is unknown, the highest known card of the trick is taken to win it.

    >>> play = play_of_cards([Card.parse(text) for text in "HA H2 HK H3 DA".split()], Seat.WEST, Strain.NOTRUMP)
    >>> [trick.leader.name for trick in play.tricks]
    ['WEST', 'WEST']
    """
    leaders: list[Seat] = []
    turns: list[tuple[Card | None, ...]] = []
    for start in range(0, len(cards), 4):
        part = tuple(cards[start : start + 4])
        leaders.append(leader)
        turns.append(part)
        if None in part:
            leader = _leader_after(Trick(leader, part), cards[start + 4 : start + 8], strain, holders)
        else:
            leader = _winner(leader, cast("Sequence[Card]", part), strain)
    return Play(tricks_of(leaders, turns))


def _leader_after(trick: Trick, following: Sequence[Card | None], strain: Strain, holders: Sequence[int] | None) -> Seat:
    """Return the leader of the trick after ``trick``, which has an unknown card; ``following`` are the cards of the next trick."""
    for turn, card in enumerate(following):
        # The seat that was dealt the card has played it, ``turn`` seats after the leader.
        if card is not None and holders is not None and holders[card] < len(_SEATS):
            return _SEATS[(holders[card] - turn) % 4]
    known = [(turn, card) for turn, card in enumerate(trick.cards) if card is not None]
    if not known:
        return trick.leader
    cards = [card for _, card in known]
    return _SEATS[(trick.leader + known[_best(cards, _HEIGHTS[strain][cards[0]])][0]) % 4]


def play_of_columns(rows: Sequence[Sequence[Card | None]], first: Seat, strain: Strain) -> Play:
    """Return the play of a table with a row for each trick and a column for each seat, clockwise from ``first``, who leads the
    first trick.

    None is an unknown card; the highest known card of a trick is taken to win it. The play ends before the first trick without a
    card.

    >>> rows = [[Card.parse(text) for text in "HA H2 HK H3".split()], [None, Card.parse("DA"), None, None]]
    >>> play = play_of_columns(rows, Seat.WEST, Strain.NOTRUMP)
    >>> [(trick.leader.name, [card and str(card) for card in trick.cards]) for trick in play.tricks]
    [('WEST', ['HA', 'H2', 'HK', 'H3']), ('WEST', [None, 'DA'])]
    """
    return play_of_table([card for row in rows for card in (*row, None, None, None, None)[:4]], first, strain)


def play_of_table(cards: Sequence[Card | None], first: Seat, strain: Strain) -> Play:
    """Return `play_of_columns` for a flat list of cells, four for each row; the last row may be shorter."""
    heights = _HEIGHTS[strain]
    seats = _SEATS[first:] + _SEATS[:first]
    cards = tuple(cards)
    # The complete tricks before the first unknown card are played by a faster loop, without tests for None.
    complete = (cards.index(None) if None in cards else len(cards)) // 4 * 4
    leaders: list[Seat] = []
    turns: list[tuple[Card | None, ...]] = []
    # The column of the leader.
    column = 0
    known: Iterator[Any] = iter(cards[:complete])
    for turn in zip(known, known, known, known, strict=True):
        if column:
            turn = turn[column:] + turn[:column]
        leaders.append(seats[column])
        turns.append(turn)
        one, two, three, four = turn
        high = heights[one]
        # Not by `_best`, which takes three times as long.
        best, won = high[one], 0
        if high[two] > best:
            best, won = high[two], 1
        if high[three] > best:
            best, won = high[three], 2
        if high[four] > best:
            won = 3
        column = (column + won) % 4
    for at in range(complete, len(cards), 4):
        part = _turn(cards[at : at + 4], column)
        given = [(index, card) for index, card in enumerate(part) if card is not None]
        if not given:
            break
        leaders.append(seats[column])
        turns.append(part)
        column = (column + given[_best([card for _, card in given], heights[given[0][1]])][0]) % 4
    return Play(tricks_of(leaders, turns))


def _turn(row: Sequence[Card | None], column: int) -> tuple[Card | None, ...]:
    """Return the cards of a row in the order of play, from the column of the leader on, without unknown cards at the end."""
    cards = [row[index % 4] if index % 4 < len(row) else None for index in range(column, column + 4)]
    while cards and cards[-1] is None:
        cards.pop()
    return tuple(cards)


def columns_of_play(play: Play, first: Seat) -> list[list[Card | None]]:
    """Return the rows of which `play_of_columns` makes the play: one for each trick, clockwise from ``first``, None for a card that
    is not recorded.
    """
    rows: list[list[Card | None]] = []
    for trick in play.tricks:
        cards, turn = [*trick.cards, None, None, None, None][:4], (first - trick.leader) % 4
        rows.append(cards[turn:] + cards[:turn])
    return rows


class CardFault(IntEnum):
    """The kinds of faults of a card, a lead or a trick."""

    NOT_HELD = 0
    PLAYED_BEFORE = 1
    REVOKE = 2
    WRONG_LEADER = 3
    UNFINISHED = 4
    TOO_MANY = 5


@dataclass(frozen=True, slots=True)
class PlayFault:
    """A fault in the trick with the index ``trick``, of the card with the index ``index`` (None: of the lead, or of the trick).
    Created by `analyse`.

    ``seat`` is the seat that made the fault. ``other`` is the seat that has the card (for NOT_HELD), or that had to lead (for
    WRONG_LEADER). ``could`` are the cards with which the seat could have followed suit (for REVOKE).
    """

    fault: CardFault
    trick: int
    index: int | None
    seat: Seat
    other: Seat | None = None
    could: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayAnalysis:
    """The result of `analyse`: the winner of each trick (None: it is unfinished or has an unknown card), the faults, and whether
    all 52 cards were played.
    """

    winners: tuple[Seat | None, ...]
    faults: tuple[PlayFault, ...]
    is_complete: bool

    def won(self, side: Side) -> int:
        """Return the number of finished tricks that a side has won."""
        return sum(seat is not None and seat.side == side for seat in self.winners)


def analyse(play: Play, strain: Strain, declarer: Seat | None = None, deal: Deal | None = None) -> PlayAnalysis:
    """Return the winners and faults of a play. Without ``deal`` the holders of cards and revokes are not checked; without
    ``declarer`` the opening lead is not.

    ``deal`` is the deal before the first card; its unknown hands are not checked. A card that the source marks as irregular has no
    fault.

    >>> trick = Trick(Seat.WEST, tuple(map(Card.parse, ("HA", "H2", "HK", "H3"))))
    >>> analyse(Play((trick,)), Strain.NOTRUMP, Seat.SOUTH).won(Side.EW)
    1
    """
    excused = {(note.trick, note.index) for note in play.notes if note.irregular}
    winners: list[Seat | None] = []
    leader = None if declarer is None else declarer.next
    faults: list[PlayFault] = []
    table = _PlayTable(deal)
    last = len(play.tricks) - 1
    for number, trick in enumerate(play.tricks):
        cards = trick.cards
        if leader is not None and cards and trick.leader != leader and (number, 0) not in excused:
            faults.append(PlayFault(CardFault.WRONG_LEADER, number, None, trick.leader, leader))
        if len(cards) > 4 or number > 12:
            faults.append(PlayFault(CardFault.TOO_MANY, number, None, trick.leader))
        # The last trick may be unfinished, because of a claim or because the record ends.
        elif len(cards) < 4 and number < last:
            faults.append(PlayFault(CardFault.UNFINISHED, number, None, trick.leader))
        faults += [fault for fault in table.judge(number, trick) if (number, fault.index) not in excused]
        # After an unfinished trick the next leader is unknown, and the lead is not checked.
        leader = winner(trick, strain) if len(cards) == 4 else None
        winners.append(leader)
    return PlayAnalysis(tuple(winners), tuple(faults), len(table.played) == 52)


class _PlayTable:
    """The hands during an analysis, from which played cards are removed. Created for one call of `analyse`."""

    def __init__(self, deal: Deal | None) -> None:
        # The holders of the cards that were not played; played cards are OUT.
        self.held = None if deal is None else bytearray(deal.holders)
        self.known = b"" if deal is None else deal.holders
        self.played: set[int] = set()
        self.unsure: set[int] = set()
        """The seats that have played an unknown card, so that their remaining cards are uncertain."""

    def judge(self, number: int, trick: Trick) -> list[PlayFault]:
        """Return the faults of the cards of a trick, and remove the cards from the hands; ``number`` is the index of the trick."""
        faults = []
        played, held = self.played, self.held
        led = None if not trick.cards or trick.cards[0] is None else trick.cards[0] // 13
        seat = int(trick.leader)
        # A fifth card is the fault TOO_MANY of the trick, which `analyse` finds.
        for index, card in enumerate(trick.cards[:4]):
            if card is None:
                self.unsure.add(seat)
            # A card that was played before has no other fault.
            elif card in played:
                faults.append(PlayFault(CardFault.PLAYED_BEFORE, number, index, _SEATS[seat]))
            else:
                played.add(card)
                if held is not None:
                    holder, held[card] = held[card], OUT
                    if holder != seat:
                        # A card whose holder is unknown may belong to the seat, unless cards of the seat's hand are known.
                        if holder < OUT or seat in self.known:
                            other = _SEATS[holder] if holder < OUT else None
                            faults.append(PlayFault(CardFault.NOT_HELD, number, index, _SEATS[seat], other))
                    elif led is not None and card // 13 != led and seat not in self.unsure:
                        suit = range(13 * led, 13 * led + 13)
                        if seat in held[suit.start : suit.stop]:
                            could = tuple(Card(slot) for slot in suit if held[slot] == seat)
                            faults.append(PlayFault(CardFault.REVOKE, number, index, _SEATS[seat], None, could))
            seat = (seat + 1) % 4
        return faults
