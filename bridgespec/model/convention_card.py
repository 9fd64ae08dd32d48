"""Bidding systems as Full Disclosure tables, the convention cards of Bridge Base Online: `System`, a list of records.

Most records are a `Meaning`: a sequence of calls, and the meaning of its last call in some situations.
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
"""The greatest length of a suit in a record; as an upper bound it means "or more"."""


class OpeningSeat(IntEnum):
    """The seat of the opening, counted from the dealer, for which a record applies; passes before it are not in the sequence."""

    ANY = 0
    FIRST = 1
    SECOND = 2
    THIRD = 3
    FOURTH = 4
    FIRST_SECOND = 5
    THIRD_FOURTH = 6

    @property
    def seats(self) -> frozenset[int]:
        """The seats, 1 to 4."""
        return frozenset({0: (1, 2, 3, 4), 5: (1, 2), 6: (3, 4)}.get(self, (int(self),)))

    @property
    def label(self) -> str:
        """The seats in words; ``""`` for ANY."""
        return ("", "1st seat", "2nd seat", "3rd seat", "4th seat", "1st/2nd seat", "3rd/4th seat")[self]


class Danger(IntEnum):
    """The vulnerability as the side that plays the system ("we") sees it: bit 0 we, bit 1 the opponents."""

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
        """The vulnerabilities at which the record applies."""
        table = ((0, 1, 2, 3), (0,), (1,), (2,), (3,), (0, 2), (1, 3), (0, 1), (2, 3))
        return frozenset(map(Danger, table[self]))

    @property
    def label(self) -> str:
        """The vulnerabilities in words; ``""`` for ANY."""
        return (
            "", "none vul", "only we vul", "only they vul", "both vul", "we not vul", "we vul", "they not vul", "they vul",
        )[self]  # fmt: skip


class Disposition(IntEnum):
    """What a call asks of partner: how strongly it invites another call, or its kind (transfer, relay, asking bid)."""

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
        """The digit or letter in the file."""
        return "0123456789ABCDE"[self]

    @property
    def label(self) -> str:
        """The text that is shown; ``""`` for NONE."""
        return _DISPOSITIONS[self]


_DISPOSITIONS = (
    "", "Signoff", "Non-forcing", "Constructive", "Invitational", "Forcing", "Forcing to game", "Slam try", "Control bid",
    "Preemptive", "Transfer", "Puppet", "Relay", "Asking bid", "Asking bid response",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flags:
    """Properties of a call: artificial; the strains in which the side may still play (C D H S NT); it may defend undoubled.

    >>> flags = Flags.parse("YNNYYNN")
    >>> flags.artificial, [strain.label for strain in flags.possible], str(flags)
    (True, ['H', 'S'], 'YNNYYNN')
    """

    artificial: bool = False
    strains: tuple[bool, bool, bool, bool, bool] = (True, True, True, True, True)
    defend: bool = True

    @classmethod
    def parse(cls, text: str) -> Flags:
        """Return the flags of seven letters Y or N. Raises ValueError for any other text."""
        if len(text) != 7 or set(text) - set("YN"):
            raise ValueError(f"flags are seven letters Y or N, not {text!r}")
        first, clubs, diamonds, hearts, spades, notrump, last = (letter == "Y" for letter in text)
        return cls(first, (clubs, diamonds, hearts, spades, notrump), last)

    @property
    def possible(self) -> tuple[Strain, ...]:
        """The strains in which the side may still play, clubs first."""
        order = (Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES, Strain.NOTRUMP)
        return tuple(strain for strain, possible in zip(order, self.strains, strict=True) if possible)

    def __str__(self) -> str:
        return "".join("NY"[flag] for flag in (self.artificial, *self.strains, self.defend))


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a sequence. ``qualifier`` distinguishes meanings of the call, such as ``12-14`` for 1NT; None without one."""

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
    """Return the steps of calls such as ``1CP1N{12-14}D``: P, D, R, or level and C D H S N. Raises ValueError with the position.

    >>> sequence_text(parse_sequence("1N{12-14}P2CP2D"))
    '1N{12-14}P2CP2D'
    """
    place = 0
    while place < len(text):
        match = _STEP.match(text, place)
        if match is None:
            raise ValueError(f"not a call: {text[place : place + 2]!r} at character {place + 1} of {text!r}")
        place = match.end()
    return tuple(map(_step, _STEP.findall(text)))


@lru_cache(maxsize=4096)
def _step(text: str) -> Step:
    """Return the step of a text that matches `_STEP`."""
    call, brace, qualifier = text.partition("{")
    return Step(_CALLS[call], qualifier[:-1] if brace else None)


def sequence_text(sequence: Sequence[Step]) -> str:
    """Return the calls of a sequence without blanks, as `parse_sequence` reads them."""
    codes = _CODE_OF
    return "".join(codes[step.call] if step.qualifier is None else f"{codes[step.call]}{{{step.qualifier}}}" for step in sequence)


@dataclass(frozen=True, slots=True)
class Header:
    """The record with a system's name and summary; ``floating`` marks a convention to be added. Its flags have no meaning."""

    name: str = ""
    summary: str = ""
    floating: bool = False
    flags: Flags = Flags()


@dataclass(frozen=True, slots=True)
class StockCard:
    """The record with the name of the ready-made card on which a system is based."""

    name: str


@dataclass(frozen=True, slots=True)
class Include:
    """The record with the name of a convention that is added to a system; the convention itself cannot include others."""

    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """The record with the meaning of the last call of a sequence, for some seats of the opening and vulnerabilities.

    ``sequence`` begins with the opening, which is the opponents' with ``opponents_opened``. ``lengths`` are the least and the
    greatest length of the suit that is bid (8: "or more"). ``lengths`` and ``disposition`` are None if the record does not state
    them.
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
        """The calls of the sequence, without qualifiers."""
        return tuple(step.call for step in self.sequence)

    @property
    def last(self) -> Call | None:
        """The last call, which the record explains; None for an empty sequence."""
        return self.sequence[-1].call if self.sequence else None

    @property
    def is_ours(self) -> bool:
        """Whether the last call is made by the side that plays the system."""
        return len(self.sequence) % 2 == (0 if self.opponents_opened else 1)

    @property
    def illegal(self) -> tuple[int, Illegal] | None:
        """The index of the first call that the laws do not allow, and why; None if there is none."""
        return first_illegal(self.calls)


CardRecord = Header | StockCard | Meaning | Include | Carding
Calls = Sequence[Call] | Sequence[Step]


@dataclass(frozen=True)
class System:
    """A bidding system as a table: its records in file order.

    ``included`` are the systems that its stock card and its includes name, by name, with None for a file that was not found. The
    reader of the files sets it.

    >>> one_club = Meaning(parse_sequence("1C"), flags=Flags.parse("NNNNNNN"), lengths=(3, 8), text="13+")
    >>> System((Header("Mine"), one_club)).name
    'Mine'
    """

    records: tuple[CardRecord, ...] = ()
    included: tuple[tuple[str, System | None], ...] = field(default=(), compare=False, repr=False)

    @property
    def combined(self) -> System:
        """The system with the meanings of its includes, then those of its stock card, behind its own, which prevail.

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
        """The first header; None without one."""
        return next((record for _, record in self.others if isinstance(record, Header)), None)

    @property
    def name(self) -> str:
        """The header's name, or ``""``."""
        return self.header.name if self.header else ""

    @property
    def stock_card(self) -> str | None:
        """The name of the ready-made card; None without one."""
        return next((record.name for _, record in self.others if isinstance(record, StockCard)), None)

    @property
    def includes(self) -> tuple[str, ...]:
        """The names of the included conventions."""
        return tuple(record.name for _, record in self.others if isinstance(record, Include))

    @property
    def carding(self) -> Carding | None:
        """The leads and signals: those of the last carding record, None without one."""
        return next((record for _, record in reversed(self.others) if isinstance(record, Carding)), None)

    @cached_property
    def meanings(self) -> ItemsView[int, Meaning]:
        """The meanings, each with its index among all records."""
        return {index: record for index, record in enumerate(self.records) if isinstance(record, Meaning)}.items()

    @cached_property
    def others(self) -> tuple[tuple[int, Header | StockCard | Include | Carding], ...]:
        """The records that are no meanings, each with its index among all records."""
        return tuple((index, record) for index, record in enumerate(self.records) if not isinstance(record, Meaning))

    @cached_property
    def texts(self) -> dict[int, str]:
        """The sequences of the meanings as texts, by the index of the record."""
        known = {id(meaning.sequence): sequence_text(meaning.sequence) for meaning in self._distinct}
        return {index: known[id(meaning.sequence)] for index, meaning in self.meanings}

    @cached_property
    def illegal(self) -> dict[int, tuple[int, Illegal]]:
        """The meanings with an illegal call, by index: the index of the call in the sequence, and why it is illegal."""
        known = {id(meaning.sequence): fault for meaning in self._distinct if (fault := meaning.illegal) is not None}
        return {index: known[id(meaning.sequence)] for index, meaning in self.meanings if id(meaning.sequence) in known}

    @property
    def _distinct(self) -> Iterable[Meaning]:
        """One meaning for each different sequence. Compared by identity, because equal sequences of a file are one object."""
        return {id(meaning.sequence): meaning for _, meaning in self.meanings}.values()

    @cached_property
    def _by_calls(self) -> dict[tuple[bool, tuple[Call, ...]], list[tuple[int, Meaning]]]:
        """The meanings with their indices, by ``opponents_opened`` and calls."""
        table: dict[tuple[bool, tuple[Call, ...]], list[tuple[int, Meaning]]] = {}
        for index, meaning in self.meanings:
            table.setdefault((meaning.opponents_opened, meaning.calls), []).append((index, meaning))
        return table

    @cached_property
    def size(self) -> int:
        """The approximate size of the file in bytes, with line ends of two bytes."""
        return sum(_record_size(record) + 2 for record in self.records) + sum(map(len, self.texts.values()))

    def answers(
        self, calls: Calls, seat: int | None = None, danger: Danger | None = None, opponents_opened: bool | None = None
    ) -> list[Answer]:
        """Return the meanings that apply to the last call, each with the situations in which it is shown, those shown nowhere last.

        ``seat`` (1 to 4) and ``danger`` limit the situations; None is any. Other arguments are those of `find`, which determines
        the meaning that is shown. A call without a qualifier matches each qualifier, separately.

        >>> wide, narrow = Meaning(parse_sequence("1N")), Meaning(parse_sequence("1N"), when=When.WE)
        >>> [(answer.index, len(answer.situations)) for answer in System((wide, narrow)).answers(parse_sequence("1N"))]
        [(1, 8), (0, 8)]
        """
        steps, seat, records = self._matching(calls, seat, opponents_opened)
        # For each record the given steps, completed by the qualifiers of the record.
        together = [(index, zip(steps, meaning.sequence, strict=True)) for index, meaning in records]
        cases = {index: tuple(own if step.qualifier is None else step for step, own in pairs) for index, pairs in together}
        every = [item for item in records if _applies(item[1], cases[item[0]], seat, danger)]
        # The sort is stable: of equally specific meanings the earlier record stays first.
        every.sort(key=lambda item: _breadth(item[1]))
        shown: dict[int, set[tuple[int, Danger]]] = {}
        for one_seat in (1, 2, 3, 4) if seat is None else (seat,):
            for one_danger in Danger if danger is None else (danger,):
                for case in {tuple(steps), *(cases[index] for index, _ in every)}:
                    first = next((index for index, meaning in every if _applies(meaning, case, one_seat, one_danger)), None)
                    if first is not None:
                        shown.setdefault(first, set()).add((one_seat, one_danger))
        found = [Answer(index, meaning, frozenset(shown.get(index, ()))) for index, meaning in every]
        return sorted(found, key=lambda answer: not answer.situations)

    def find(
        self, calls: Calls, seat: int | None = None, danger: Danger | None = None, opponents_opened: bool | None = None
    ) -> list[tuple[int, Meaning]]:
        """Return the meanings that apply to the last of ``calls``, each with its index, the most specific first; that one is shown.

        ``calls`` may begin with the passes before the opening, which determine its seat; otherwise ``seat`` (1 to 4) is the seat.
        With None for the seat or for ``danger``, meanings for any seat or vulnerability apply. With None for ``opponents_opened``,
        the last call is one of our side. A qualifier of a meaning must be in ``calls`` too. More qualifiers are more specific, then
        fewer seats, then fewer vulnerabilities; of equally specific meanings the earlier record comes first. Raises ValueError if
        ``seat`` and the passes disagree.
        """
        steps, seat, records = self._matching(calls, seat, opponents_opened)
        return sorted((item for item in records if _applies(item[1], steps, seat, danger)), key=lambda item: _breadth(item[1]))

    def _matching(
        self, calls: Calls, seat: int | None, opponents_opened: bool | None
    ) -> tuple[list[Step], int | None, list[tuple[int, Meaning]]]:
        """Return the calls from the opening on, the seat of the opening (None: any), and the meanings of these calls by index."""
        steps = [item if isinstance(item, Step) else Step(item) for item in calls]
        passes = next((i for i, step in enumerate(steps) if step.call.kind is not CallKind.PASS), len(steps))
        if passes:
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
    """A meaning that applies to a call, with its index, and the situations (seat 1 to 4, vulnerability) in which it is shown."""

    index: int
    meaning: Meaning
    situations: frozenset[tuple[int, Danger]]


def _record_size(record: CardRecord) -> int:
    """Return the number of characters of a record in the file, without its sequence."""
    if isinstance(record, Header):
        return 13 + len(record.name) + len(record.summary)
    if isinstance(record, Meaning):
        optional = (record.disposition is not None) + 2 * (record.lengths is not None) + record.opponents_opened
        return 10 + optional + len(record.text)
    if isinstance(record, Carding):
        return 1 + len(record.letters) + len(record.text)
    return 1 + len(record.name)


def _applies(meaning: Meaning, steps: Sequence[Step], seat: int | None, danger: Danger | None) -> bool:
    """Return whether a meaning for the calls of ``steps`` applies at a seat and vulnerability (None: any) with their qualifiers."""
    return (
        (seat is None or seat in meaning.position.seats)
        and (danger is None or danger in meaning.when.covers)
        and all(own.qualifier in (None, step.qualifier) for own, step in zip(meaning.sequence, steps, strict=True))
    )


def _breadth(meaning: Meaning) -> tuple[int, int, int]:
    """Return a key that sorts the most specific meaning first."""
    qualifiers = sum(step.qualifier is not None for step in meaning.sequence)
    return -qualifiers, len(meaning.position.seats), len(meaning.when.covers)
