"""Bidding systems as a table of meanings: the meaning of a call in a situation.

The vocabulary is that of the Full Disclosure convention cards of Bridge Base Online.
"""

from __future__ import annotations

import re
from collections.abc import ItemsView, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache

from bridgespec.model.auction import DOUBLE, PASS, REDOUBLE, Call, CallKind, Illegal, first_illegal
from bridgespec.model.carding import Carding
from bridgespec.model.cards import Strain

ANY_LENGTH = 8
"""The greatest length; as an upper bound it means "or more"."""


class OpeningSeat(IntEnum):
    """In which seat the opening was made, counted from the dealer; the initial passes are not part of a sequence."""

    ANY = 0
    FIRST = 1
    SECOND = 2
    THIRD = 3
    FOURTH = 4
    FIRST_SECOND = 5
    THIRD_FOURTH = 6

    @property
    def seats(self) -> frozenset[int]:
        """The seats 1..4 of the position."""
        return frozenset({0: (1, 2, 3, 4), 5: (1, 2), 6: (3, 4)}.get(self, (int(self),)))

    @property
    def label(self) -> str:
        """The position in words; ``""`` for any."""
        return ("", "1st seat", "2nd seat", "3rd seat", "4th seat", "1st/2nd seat", "3rd/4th seat")[self]


class Danger(IntEnum):
    """The vulnerability as the system's owners ("we") see it: bit 0 we, bit 1 they."""

    NONE = 0
    WE = 1
    THEY = 2
    BOTH = 3


class When(IntEnum):
    """The vulnerabilities at which a record applies."""

    ANY = 0
    NONE = 1
    WE_ONLY = 2
    THEY_ONLY = 3
    BOTH = 4
    WE_NOT = 5
    WE = 6
    THEY_NOT = 7
    THEY = 8

    @property
    def covers(self) -> frozenset[Danger]:
        """The vulnerabilities that it covers."""
        table = ((0, 1, 2, 3), (0,), (1,), (2,), (3,), (0, 2), (1, 3), (0, 1), (2, 3))
        return frozenset(map(Danger, table[self]))

    @property
    def label(self) -> str:
        """The condition in words; ``""`` for any."""
        return (
            "", "none vul", "only we vul", "only they vul", "both vul", "we not vul", "we vul", "they not vul", "they vul",
        )[self]  # fmt: skip


class Disposition(IntEnum):
    """How strongly a call asks partner to go on."""

    NONE = 0
    SIGNOFF = 1
    NON_FORCING = 2
    CONSTRUCTIVE = 3
    INVITATIONAL = 4
    FORCING = 5
    GAME_FORCING = 6
    SLAM_TRY = 7
    CONTROL_BID = 8
    PREEMPTIVE = 9
    TRANSFER = 10
    PUPPET = 11
    RELAY = 12
    ASKING = 13
    RESPONSE = 14

    @property
    def code(self) -> str:
        """The digit or letter that it is written as."""
        return "0123456789ABCDE"[self]

    @property
    def label(self) -> str:
        """The word that is shown for it; ``""`` where there is no agreement."""
        return _DISPOSITIONS[self]


_DISPOSITIONS = (
    "", "Signoff", "Non-forcing", "Constructive", "Invitational", "Forcing", "Forcing to game", "Slam try", "Control bid",
    "Preemptive", "Transfer", "Puppet", "Relay", "Asking bid", "Asking bid response",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flags:
    """Properties of a call: artificial; the strains that may still be played in (C D H S NT); defending undoubled is possible.

    >>> flags = Flags.parse("YNNYYNN")
    >>> flags.artificial, [strain.label for strain in flags.possible], str(flags)
    (True, ['H', 'S'], 'YNNYYNN')
    """

    artificial: bool = False
    strains: tuple[bool, bool, bool, bool, bool] = (True, True, True, True, True)
    defend: bool = True

    @classmethod
    def parse(cls, text: str) -> Flags:
        """The flags of seven letters Y or N; ValueError for anything else."""
        if len(text) != 7 or set(text) - set("YN"):
            raise ValueError(f"flags are seven letters Y or N, not {text!r}")
        first, clubs, diamonds, hearts, spades, notrump, last = (letter == "Y" for letter in text)
        return cls(first, (clubs, diamonds, hearts, spades, notrump), last)

    @property
    def possible(self) -> tuple[Strain, ...]:
        """The strains that may still be played in, clubs first."""
        order = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
        return tuple(strain for strain, possible in zip(order, self.strains, strict=True) if possible)

    def __str__(self) -> str:
        return "".join("NY"[flag] for flag in (self.artificial, *self.strains, self.defend))


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a sequence, with the qualifier that it needs (``12-14``), if any."""

    call: Call
    qualifier: str | None = None

    def __hash__(self) -> int:
        return hash(self.call) if self.qualifier is None else hash((hash(self.call), self.qualifier))


_CODE_OF = {
    **{Call.bid(level, strain): f"{level}{strain.letter}" for level in range(1, 8) for strain in Strain},
    PASS: "P",
    DOUBLE: "D",
    REDOUBLE: "R",
}
_CALLS = {code: call for call, code in _CODE_OF.items()}
_STEP = re.compile(r"(?:[PDR]|[1-7][CDHSN])(?:\{[^}]*\})?")


def parse_sequence(text: str) -> tuple[Step, ...]:
    """The steps of calls written without blanks (``1CP1N{12-14}D``): P, D, R, or level and C D H S N. ValueError gives the position
    of any other character.

    >>> sequence_text(parse_sequence("1N{12-14}P2CP2D"))
    '1N{12-14}P2CP2D'
    """
    place = 0
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None:
            raise ValueError(f"not a call: {text[place : place + 2]!r} at character {place + 1} of {text!r}")
        place = match.end()
    return tuple(map(_step, _STEP.findall(text)))  # Cached steps: a system repeats few calls.


@lru_cache(maxsize=4096)
def _step(text: str) -> Step:
    call, brace, qualifier = text.partition("{")
    return Step(_CALLS[call], qualifier[:-1] if brace else None)


def sequence_text(sequence: Sequence[Step]) -> str:
    """The calls without blanks, as `parse_sequence` reads them."""
    codes = _CODE_OF
    return "".join(codes[step.call] if step.qualifier is None else f"{codes[step.call]}{{{step.qualifier}}}" for step in sequence)


@dataclass(frozen=True, slots=True)
class Header:
    """The system's name and summary; ``floating`` marks a convention that can be added to systems. Its flags have no meaning."""

    name: str = ""
    summary: str = ""
    floating: bool = False
    flags: Flags = Flags()


@dataclass(frozen=True, slots=True)
class StockCard:
    """The name of the ready-made card that the system starts from."""

    name: str


@dataclass(frozen=True, slots=True)
class Include:
    """The name of a convention that is added to the system; the convention cannot include others."""

    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the last call of a sequence means, and when.

    ``sequence`` starts with the opening, ours or (``opponents_opened``) theirs. ``lengths`` are the least and greatest
    length of the suit bid, the greatest 8 for "or more"; they and the disposition are None where not written.
    """

    sequence: tuple[Step, ...]
    opponents_opened: bool = False
    position: OpeningSeat = OpeningSeat.ANY
    when: When = When.ANY
    flags: Flags = Flags()
    disposition: Disposition | None = None
    lengths: tuple[int, int] | None = None
    text: str = ""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls alone."""
        return tuple(step.call for step in self.sequence)

    @property
    def last(self) -> Call | None:
        """The call that the record is about."""
        return self.sequence[-1].call if self.sequence else None

    @property
    def is_ours(self) -> bool:
        """Whether the last call is made by the side that plays the system."""
        return len(self.sequence) % 2 == (0 if self.opponents_opened else 1)

    @property
    def illegal(self) -> tuple[int, Illegal] | None:
        """The first call of the sequence that the laws do not allow, and why."""
        return first_illegal(self.calls)


Record = Header | StockCard | Meaning | Include | Carding
Calls = Sequence[Call] | Sequence[Step]


@dataclass(frozen=True)
class System:
    """A bidding system: its records in file order.

    ``included`` are the systems that its stock card and includes name, None for a file not found; the reader of the files sets it.

    >>> one_club = Meaning(parse_sequence("1C"), flags=Flags.parse("NNNNNNN"), lengths=(3, 8), text="13+")
    >>> System((Header("Mine"), one_club)).name
    'Mine'
    """

    records: tuple[Record, ...] = ()
    included: tuple[tuple[str, System | None], ...] = field(default=(), compare=False, repr=False)

    @property
    def combined(self) -> System:
        """The system with the bidding records of its includes and then of its stock card after its own, so that its own
        come first.

        >>> more = System((Meaning(parse_sequence("1NP2C"), text="Stayman"),))
        >>> mine = System((Meaning(parse_sequence("1N")), Include("Stayman.bss")), (("Stayman.bss", more),))
        >>> mine.combined.find(parse_sequence("1NP2C"))[0][1].text
        'Stayman'
        """
        known = dict(self.included)
        names = [*self.includes, *((self.stock_card,) if self.stock_card is not None else ())]
        added = [meaning for name in names if (other := known.get(name)) is not None for _, meaning in other.meanings]
        return System((*self.records, *added))

    @property
    def header(self) -> Header | None:
        """The first header."""
        return next((record for _, record in self.others if isinstance(record, Header)), None)

    @property
    def name(self) -> str:
        """The header's name, or ``""``."""
        return self.header.name if self.header else ""

    @property
    def stock_card(self) -> str | None:
        """The name of the ready-made card."""
        return next((record.name for _, record in self.others if isinstance(record, StockCard)), None)

    @property
    def includes(self) -> tuple[str, ...]:
        """The names of the included conventions."""
        return tuple(record.name for _, record in self.others if isinstance(record, Include))

    @property
    def carding(self) -> Carding | None:
        """The leads and signals that count: the last carding record."""
        return next((record for _, record in reversed(self.others) if isinstance(record, Carding)), None)

    @cached_property
    def meanings(self) -> ItemsView[int, Meaning]:
        """The bidding records, each with its index among all records."""
        return {index: record for index, record in enumerate(self.records) if isinstance(record, Meaning)}.items()

    @cached_property
    def others(self) -> tuple[tuple[int, Header | StockCard | Include | Carding], ...]:
        """The records that are not bidding records, each with its index among all records."""
        return tuple((index, record) for index, record in enumerate(self.records) if not isinstance(record, Meaning))

    @cached_property
    def texts(self) -> dict[int, str]:
        """The sequences of the bidding records as they are written, by index."""
        known = {id(meaning.sequence): sequence_text(meaning.sequence) for meaning in self._distinct}  # Kept alive by `meanings`.
        return {index: known[id(meaning.sequence)] for index, meaning in self.meanings}

    @cached_property
    def illegal(self) -> dict[int, tuple[int, Illegal]]:
        """The bidding records with an illegal call, by index: which call of the sequence, and why."""
        known = {id(meaning.sequence): fault for meaning in self._distinct if (fault := meaning.illegal) is not None}
        return {index: known[id(meaning.sequence)] for index, meaning in self.meanings if id(meaning.sequence) in known}

    @property
    def _distinct(self) -> Iterable[Meaning]:
        """One bidding record for each sequence. Sequences are compared by identity, because equal sequences of a file are one
        object.
        """
        return {id(meaning.sequence): meaning for _, meaning in self.meanings}.values()

    @cached_property
    def _by_calls(self) -> dict[tuple[bool, tuple[Call, ...]], list[tuple[int, Meaning]]]:
        table: dict[tuple[bool, tuple[Call, ...]], list[tuple[int, Meaning]]] = {}
        for index, meaning in self.meanings:
            table.setdefault((meaning.opponents_opened, meaning.calls), []).append((index, meaning))
        return table

    @cached_property
    def size(self) -> int:
        """About how many bytes the records take when written, line ends of two bytes included."""
        return sum(_width(record) + 2 for record in self.records) + sum(map(len, self.texts.values()))

    def answers(
        self, calls: Calls, seat: int | None = None, danger: Danger | None = None, opponents_opened: bool | None = None
    ) -> list[Answer]:
        """Return what pops up for the last call in each situation that the seat and vulnerability leave open, as `find` determines
        it.

        A call without a qualifier leaves that open too: a record that has one pops up, and hides nothing from the others.
        Records that pop up anywhere come first, in the order of `find`, then those that are hidden everywhere.

        >>> wide, narrow = Meaning(parse_sequence("1N")), Meaning(parse_sequence("1N"), when=When.WE)
        >>> [(answer.index, len(answer.situations)) for answer in System((wide, narrow)).answers(parse_sequence("1N"))]
        [(1, 8), (0, 8)]
        """
        steps, seat, records = self._asked(calls, seat, opponents_opened)
        # Each case is the question with the qualifiers of one of the records.
        together = [(index, zip(steps, meaning.sequence, strict=True)) for index, meaning in records]
        cases = {index: tuple(own if step.qualifier is None else step for step, own in pairs) for index, pairs in together}
        every = [item for item in records if _applies(item[1], cases[item[0]], seat, danger)]
        every.sort(key=lambda item: _breadth(item[1]))  # Stable: equals remain in file order.
        shown: dict[int, set[tuple[int, Danger]]] = {}
        for place in (1, 2, 3, 4) if seat is None else (seat,):
            for state in Danger if danger is None else (danger,):
                for case in {tuple(steps), *(cases[index] for index, _ in every)}:
                    first = next((index for index, meaning in every if _applies(meaning, case, place, state)), None)
                    if first is not None:
                        shown.setdefault(first, set()).add((place, state))
        found = [Answer(index, meaning, frozenset(shown.get(index, ()))) for index, meaning in every]
        return sorted(found, key=lambda answer: not answer.situations)

    def find(
        self, calls: Calls, seat: int | None = None, danger: Danger | None = None, opponents_opened: bool | None = None
    ) -> list[tuple[int, Meaning]]:
        """The records that pop up for the last call, most specific first, each with its index; the first is shown.

        ``calls`` may begin with the dealer's passes: they determine the opening seat, which otherwise is ``seat`` (1..4).
        None leaves the seat or vulnerability open, so that records for any may show. ``opponents_opened``: by default
        the last call is taken as ours. A qualifier of a record must be met by the same one in ``calls``. ValueError
        where seat and passes disagree. More specific are more qualifiers, then fewer seats, then fewer vulnerabilities;
        among equals the earlier record.
        """
        steps, seat, records = self._asked(calls, seat, opponents_opened)
        return sorted((item for item in records if _applies(item[1], steps, seat, danger)), key=lambda item: _breadth(item[1]))

    def _asked(
        self, calls: Calls, seat: int | None, opponents_opened: bool | None
    ) -> tuple[list[Step], int | None, list[tuple[int, Meaning]]]:
        """The calls from the opening on, the opener's seat, and the records of these calls."""
        steps = [item if isinstance(item, Step) else Step(item) for item in calls]
        passes = next((i for i, step in enumerate(steps) if step.call.kind is not CallKind.PASS), len(steps))
        if passes:  # The dealer's passes, which a record does not have.
            if seat not in (None, passes + 1):
                count = "1 pass puts" if passes == 1 else f"{passes} passes put"
                raise ValueError(f"{count} the opening in seat {passes + 1}, not {seat}")
            seat = passes + 1
        steps = steps[passes:]
        if opponents_opened is None:
            opponents_opened = len(steps) % 2 == 0
        return steps, seat, self._by_calls.get((opponents_opened, tuple(step.call for step in steps)), [])


@dataclass(frozen=True, slots=True)
class Answer:
    """A record that applies to a call, and the situations (seat 1..4, vulnerability) in which it pops up; in none, it is hidden by
    others.
    """

    index: int
    meaning: Meaning
    situations: frozenset[tuple[int, Danger]]


def _width(record: Record) -> int:
    """The number of characters of a record, without its sequence."""
    if isinstance(record, Header):
        return 13 + len(record.name) + len(record.summary)
    if isinstance(record, Meaning):
        optional = (record.disposition is not None) + 2 * (record.lengths is not None) + record.opponents_opened
        return 10 + optional + len(record.text)
    if isinstance(record, Carding):
        return 1 + len(record.letters) + len(record.text)
    return 1 + len(record.name)


def _applies(meaning: Meaning, steps: Sequence[Step], seat: int | None, danger: Danger | None) -> bool:
    return (
        (seat is None or seat in meaning.position.seats)
        and (danger is None or danger in meaning.when.covers)
        and all(own.qualifier in (None, step.qualifier) for own, step in zip(meaning.sequence, steps, strict=True))
    )


def _breadth(meaning: Meaning) -> tuple[int, int, int]:
    qualifiers = sum(step.qualifier is not None for step in meaning.sequence)
    return -qualifiers, len(meaning.position.seats), len(meaning.when.covers)  # Sorts the most specific first.
