"""Analysis of the play: the winner of each trick, and where the play broke the laws of the game.

`play_of_cards` and `play_of_columns` make a `Play` of recorded cards, `analyse` finds its winners and faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.deal import OUT, Deal
from bridgespec.model.play import Play, Trick, tricks_of

# An index into a tuple takes a fifteenth of the time of `Seat(number)`, which goes through the enumeration's metaclass.
_SEATS = tuple(Seat)


def winner(trick: Trick, strain: Strain) -> Seat | None:
    """The seat that wins the trick in the strain, or is winning it so far; None for a trick without cards, or of which one is not
    known.

    >>> trick = Trick(Seat.WEST, tuple(map(Card.parse, ("HA", "S2", "HK", "DA"))))
    >>> winner(trick, Strain.SPADES).name, winner(trick, Strain.NOTRUMP).name
    ('NORTH', 'WEST')
    """
    cards = trick.cards
    return None if not cards or None in cards else _winner(trick.leader, cast("Sequence[Card]", cards), strain)


def _heights(led: int, trump: int) -> bytes:
    """Return the height of each card in a trick: 0 for a discard, then the suit led from the two up, then the trumps."""
    # A trump is higher than every card of the suit led: its height is 14 to 26. A suit index of -1 (notrump) is no card's.
    return bytes(13 - slot % 13 + 13 * (slot // 13 == trump) if slot // 13 in (led, trump) else 0 for slot in range(52))


_HEIGHTS = tuple(tuple(_heights(slot // 13, strain - 1) for slot in range(52)) for strain in Strain)
"""The heights of the 52 cards, by strain and by the card led."""


def _winner(leader: Seat, cards: Sequence[Card], strain: Strain) -> Seat:
    return _SEATS[(leader + _best(cards, _HEIGHTS[strain][cards[0]])) % 4]


def _best(cards: Sequence[Card], heights: bytes) -> int:
    """Return the index of the highest card."""
    best = [heights[card] for card in cards]
    return best.index(max(best))


def play_of_cards(cards: Sequence[Card | None], leader: Seat, strain: Strain, holders: Sequence[int] | None = None) -> Play:
    """Return the play of cards in order, the first trick led by ``leader``, each later one by the winner of the trick before.

    None is a card that is not known. After a trick with such a card the leader follows from the seat that was dealt the next known
    card (``holders``, see `Deal.holders`); where that is not known either, the highest known card of the trick wins.

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
    """Return the leader of the ``following`` cards, after a trick with an unknown card."""
    for turn, card in enumerate(following):
        # The seat that was dealt the card played it, and the leader is as many seats before it.
        if card is not None and holders is not None and holders[card] < len(_SEATS):
            return _SEATS[(holders[card] - turn) % 4]
    known = [(turn, card) for turn, card in enumerate(trick.cards) if card is not None]
    if not known:
        return trick.leader
    cards = [card for _, card in known]
    return _SEATS[(trick.leader + known[_best(cards, _HEIGHTS[strain][cards[0]])][0]) % 4]


def play_of_columns(rows: Sequence[Sequence[Card | None]], first: Seat, strain: Strain) -> Play:
    """Return the play of a table with a row per trick and a column per seat, clockwise from ``first``, who leads the first trick.

    None is a card that is not given: later cards of the trick are kept, and the highest known card wins such a trick. The play ends
    with the first trick without any card.

    >>> rows = [[Card.parse(text) for text in "HA H2 HK H3".split()], [None, Card.parse("DA"), None, None]]
    >>> play = play_of_columns(rows, Seat.WEST, Strain.NOTRUMP)
    >>> [(trick.leader.name, [card and str(card) for card in trick.cards]) for trick in play.tricks]
    [('WEST', ['HA', 'H2', 'HK', 'H3']), ('WEST', [None, 'DA'])]
    """
    return play_of_table([card for row in rows for card in (*row, None, None, None, None)[:4]], first, strain)


def play_of_table(cards: Sequence[Card | None], first: Seat, strain: Strain) -> Play:
    """Return `play_of_columns` for a flat list of cells, four per row; the last row may be short."""
    heights = _HEIGHTS[strain]
    seats = _SEATS[first:] + _SEATS[:first]
    cards = tuple(cards)
    # Tricks before the first unknown card take the fast loop, which needs no test for None.
    whole = (cards.index(None) if None in cards else len(cards)) // 4 * 4
    leaders: list[Seat] = []
    turns: list[tuple[Card | None, ...]] = []
    place = 0
    known: Iterator[Any] = iter(cards[:whole])
    for turn in zip(known, known, known, known, strict=True):
        # The columns begin with `first`, the trick with its leader.
        if place:
            turn = turn[place:] + turn[:place]
        leaders.append(seats[place])
        turns.append(turn)
        one, two, three, four = turn
        high = heights[one]
        # Written out: `_best` takes three times as long, for thirteen tricks of each board.
        best, won = high[one], 0
        if high[two] > best:
            best, won = high[two], 1
        if high[three] > best:
            best, won = high[three], 2
        if high[four] > best:
            won = 3
        place = (place + won) % 4
    for at in range(whole, len(cards), 4):
        part = _turn(cards[at : at + 4], place)
        given = [(index, card) for index, card in enumerate(part) if card is not None]
        if not given:
            break
        leaders.append(seats[place])
        turns.append(part)
        place = (place + given[_best([card for _, card in given], heights[given[0][1]])][0]) % 4
    return Play(tricks_of(leaders, turns))


def _turn(row: Sequence[Card | None], place: int) -> tuple[Card | None, ...]:
    """The cards of a row in turn from a place, up to the last that is given."""
    cards = [row[index % 4] if index % 4 < len(row) else None for index in range(place, place + 4)]
    while cards and cards[-1] is None:
        cards.pop()
    return tuple(cards)


def columns_of_play(play: Play, first: Seat) -> list[list[Card | None]]:
    """The rows that `play_of_columns` reads: a trick each, clockwise from ``first``, None where no card is recorded."""
    rows: list[list[Card | None]] = []
    for trick in play.tricks:
        cards, turn = [*trick.cards, None, None, None, None][:4], (first - trick.leader) % 4
        rows.append(cards[turn:] + cards[:turn])
    return rows


class CardFault(IntEnum):
    """The kinds of faults of a card or a lead."""

    NOT_HELD = 0
    PLAYED_BEFORE = 1
    REVOKE = 2
    WRONG_LEADER = 3
    UNFINISHED = 4
    TOO_MANY = 5


@dataclass(frozen=True, slots=True)
class PlayFault:
    """A fault in trick ``trick`` (from 0), by its card ``index`` (None: the lead, or the whole trick).

    ``seat`` made the fault; ``other`` is the seat that has the card (`CardFault.NOT_HELD`), or should lead
    (`CardFault.WRONG_LEADER`); ``could`` are the cards that would have followed suit.
    """

    fault: CardFault
    trick: int
    index: int | None
    seat: Seat
    other: Seat | None = None
    could: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayAnalysis:
    """The result of `analyse`: the winners of the tricks (None: unfinished, or not determined), the faults, and whether all 52
    cards were played.
    """

    winners: tuple[Seat | None, ...]
    faults: tuple[PlayFault, ...]
    is_complete: bool

    def won(self, side: Side) -> int:
        """How many finished tricks the side won."""
        return sum(seat is not None and seat.side == side for seat in self.winners)


def analyse(play: Play, strain: Strain, declarer: Seat | None = None, deal: Deal | None = None) -> PlayAnalysis:
    """Return the winners and faults of a play: given the deal, cards not held and revokes; given the declarer, the opening lead.

    The deal is that before the first card. Hands that are not known are not checked. A card that the source marks as irregular is
    no fault.

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
        # The last trick may break off: the record ends with a claim, or with the source.
        elif len(cards) < 4 and number < last:
            faults.append(PlayFault(CardFault.UNFINISHED, number, None, trick.leader))
        faults += [fault for fault in table.judge(number, trick) if (number, fault.index) not in excused]
        # After an unfinished trick the next leader is not known, and no lead can be wrong.
        leader = winner(trick, strain) if len(cards) == 4 else None
        winners.append(leader)
    return PlayAnalysis(tuple(winners), tuple(faults), len(table.played) == 52)


class _PlayTable:
    """The hands during an analysis, as played cards are removed; cards and seats are plain numbers."""

    def __init__(self, deal: Deal | None) -> None:
        # A played card is set to OUT, so a seat's remaining cards of a suit are found in a slice of 13 bytes.
        self.held = None if deal is None else bytearray(deal.holders)
        self.known = b"" if deal is None else deal.holders
        self.played: set[int] = set()
        self.unsure: set[int] = set()
        """Seats that played an unknown card, so that their remaining cards are unknown too."""

    def judge(self, number: int, trick: Trick) -> list[PlayFault]:
        """Return the faults of the trick's cards, and remove them from the hands."""
        faults = []
        played, held = self.played, self.held
        led = None if not trick.cards or trick.cards[0] is None else trick.cards[0] // 13
        seat = int(trick.leader)
        # A fifth card is a fault of the trick (`TOO_MANY`), and has no seat of its own.
        for index, card in enumerate(trick.cards[:4]):
            if card is None:
                self.unsure.add(seat)
            # Nothing else is checked of it: the card left its holder's hand with the first play.
            elif card in played:
                faults.append(PlayFault(CardFault.PLAYED_BEFORE, number, index, _SEATS[seat]))
            else:
                played.add(card)
                if held is not None:
                    holder, held[card] = held[card], OUT
                    if holder != seat:
                        # A card without a place may be anybody's, unless the hand of the seat is known and does not have it.
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
