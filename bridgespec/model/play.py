"""`Play`, the cards played on a board, as a list of `Trick`."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat, takewhile

from bridgespec.model.cards import Card, Seat, not_text


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick: the seat that led, and the cards in the order of play; fewer than four if it is unfinished.

    None is a card that is not recorded, although a later one is.
    """

    leader: Seat
    cards: tuple[Card | None, ...]

    @classmethod
    def parse(cls, text: str) -> Trick:
        """Return the trick of its printed form: the leader, a colon, and the cards, with ``-`` for one that is not recorded. Raises
        ValueError for any other text.

        >>> print(Trick.parse("W: HK H2 - HA"))
        W: HK H2 - HA
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        leader, colon, cards = text.partition(":")
        found = tuple(None if card == "-" else Card.parse(card) for card in cards.split())
        if not colon or len(found) > 4:
            raise ValueError(f"not a trick: {text!r}; write the leader and four cards at most, as W: HK H2 H4 HA")
        return cls(Seat.parse(leader), found)

    def __str__(self) -> str:
        return f"{self.leader.letter}: " + " ".join("-" if card is None else str(card) for card in self.cards)

    @property
    def by_seat(self) -> dict[Seat, Card]:
        """The card of each seat that has played."""
        return {Seat((self.leader + i) % 4): card for i, card in enumerate(self.cards) if card is not None}


# The setters of the slots, which bypass the check of the frozen dataclass.
_leader, _cards = (vars(Trick)[name].__set__ for name in ("leader", "cards"))


def tricks_of(leaders: Sequence[Seat], cards: Sequence[tuple[Card | None, ...]]) -> tuple[Trick, ...]:
    """Return the tricks with these leaders and cards. It takes a third of the time of calling the constructor for each.

    >>> tricks_of([Seat.WEST], [(Card(0),)])
    (Trick(leader=<Seat.WEST: 0>, cards=(Card('SA'),)),)
    """
    tricks = tuple(map(object.__new__, repeat(Trick, len(leaders))))
    deque(map(_leader, tricks, leaders), 0)
    deque(map(_cards, tricks, cards), 0)
    return tricks


@dataclass(frozen=True, slots=True)
class CardNote:
    """An annotator's note on the card with the index ``index`` of trick ``trick`` (both from 0): a text, a mark (``!``, ``?!``
    ...), numbered glyphs, or that the source marks the card as irregular.
    """

    trick: int
    index: int
    text: str | None = None
    mark: str | None = None
    glyphs: tuple[int, ...] = ()
    irregular: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """The recorded tricks in order. ``claim`` is the number of tricks in all that the declarer claimed (None: no claim), and
    ``notes`` are an annotator's notes on cards.

    >>> Play((Trick(Seat.WEST, (Card(0), Card(1), Card(2), Card(3))),)).cards
    (Card('SA'), Card('SK'), Card('SQ'), Card('SJ'))
    """

    tricks: tuple[Trick, ...]
    claim: int | None = None
    notes: tuple[CardNote, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Play:
        """Return the play of its printed form: tricks separated by semicolons, and perhaps a claim. Raises ValueError for any other
        text.

        >>> play = Play.parse("W: HK H2 H4 HA; S: D3; claim 9")
        >>> len(play.tricks), play.claim, Play.parse(str(play)) == play
        (2, 9, True)
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        # `last` is empty for an empty text.
        *tricks, last = (part.strip() for part in text.split(";"))
        claim = re.fullmatch(r"claim (\d\d?)", last)
        if claim is None and last:
            tricks.append(last)
        return cls(tuple(map(Trick.parse, tricks)), None if claim is None else int(claim[1]))

    def __str__(self) -> str:
        """Return the tricks in one line, without the notes; `Play.parse` reads it."""
        return "; ".join([*map(str, self.tricks), *([] if self.claim is None else [f"claim {self.claim}"])])

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order of play, before the first one that is not recorded."""
        return tuple(takewhile(lambda card: card is not None, self._all))  # type: ignore[arg-type]

    @property
    def recorded(self) -> tuple[Card, ...]:
        """Every card that is recorded, in the order of play."""
        return tuple(card for card in self._all if card is not None)

    @property
    def _all(self) -> tuple[Card | None, ...]:
        return tuple(card for trick in self.tricks for card in trick.cards)
