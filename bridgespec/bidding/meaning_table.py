"""A system as a table of meanings: the calls that its rules define in every auction up to some depth.

Both sides' calls are followed: the opponents pass, or come in once, with a call that the same system has for it. Each auction is
read in all sixteen situations (four seats of the opening, four vulnerabilities); situations with the same meaning share one record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridgespec.bidding.compiled import Ready
from bridgespec.bidding.condition import NEVER
from bridgespec.bidding.engine import BiddingEngine, Candidate
from bridgespec.bidding.rule_file import WrittenCondition
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import FIRST_BID, P, Turn, call_of, level_of, suit_of
from bridgespec.model.cards import SUITS
from bridgespec.model.convention_card import Danger, Disposition, Flags, Header, Meaning, OpeningSeat, Record, Step, System, When

DEPTH = 3
"""The default number of calls of the side in one auction."""
MOST_RECORDS = 20_000
"""The most records that are made: files above some two million bytes are not shared."""
THEIR_HIGHEST = 4
"""The highest level of the opponents' openings and overcalls."""

Situation = tuple[int, Danger]
_VULNERABLE = {"vulnerable", "they-vulnerable"}
_WORDS = (
    ("transfer", Disposition.TRANSFER),
    ("puppet", Disposition.PUPPET),
    ("relay", Disposition.RELAY),
    ("preempt", Disposition.PREEMPTIVE),
    ("control", Disposition.CONTROL_BID),
)
"""Words of an explanation that name a disposition."""


@dataclass(frozen=True, slots=True)
class _Said:
    """The contents of a record without its auction and situation."""

    flags: Flags
    disposition: Disposition | None
    lengths: tuple[int, int] | None
    text: str


@dataclass(slots=True)
class _Group:
    """Situations with the same meaning so far, and one turn that represents all of them."""

    turn: Turn
    situations: frozenset[Situation]


@dataclass(slots=True)
class _OpeningTable:
    """The records of one kind of opening, in the order of the auctions: for each auction the meaning in each situation."""

    opponents_opened: bool
    said: dict[tuple[int, ...], dict[Situation, _Said]] = field(default_factory=dict)
    """By the calls from the opening on."""


class Disclosure:
    """Makes the table of meanings of a system; an instance serves one call of `made`.

    ``depth`` counts the calls of the side in an auction: 1 for openings and overcalls, 2 for the answers too, and so on.
    """

    def __init__(self, system: BiddingSystem, depth: int = DEPTH) -> None:
        self.system = system
        self.depth = depth
        self.engine = BiddingEngine(system, system)
        self._calls: dict[int, tuple[Turn, list[int]]] = {}

    def made(self) -> System:
        """Return the header and the records, auctions in the order of the system's rules."""
        title, sources = self.system.title, [source for module in self.system.modules[:1] for source in module.sources]
        records: list[Record] = [Header(_plain(title), _plain("; ".join(sources)), flags=Flags.parse("NYYYYYY"))]
        for opponents in (False, True):
            table = _OpeningTable(opponents)
            groups = [self._start(seat, opponents) for seat in (1, 2, 3, 4)]
            self._walk(table, groups, (), 0, opponents, False)
            for calls, said in table.said.items():
                records.extend(_records(calls, opponents, said))
        return System(tuple(records[: MOST_RECORDS + 1]))

    def _start(self, seat: int, opponents: bool) -> _Group:
        """Return the turn of the opening in a seat, for all vulnerabilities together."""
        turn = self._passed(seat, _vulnerable(Danger.NONE, seat, opponents))
        return _Group(turn, frozenset((seat, danger) for danger in Danger))

    def _passed(self, seat: int, vulnerable: tuple[bool, bool]) -> Turn:
        turn = self.engine.start(vulnerable)
        for _ in range(seat - 1):
            turn = self.engine.after(turn, P)
        return turn

    def _walk(
        self, table: _OpeningTable, groups: list[_Group], calls: tuple[int, ...], own: int, theirs: bool, came_in: bool
    ) -> None:
        """Add the records after one auction. ``own`` calls of the side were made, ``theirs`` is whether the opponents are to call,
        ``came_in`` whether they have bid.
        """
        if own >= self.depth or not groups or groups[0].turn.is_over:
            return
        groups = [part for group in groups for part in self._split(group, table.opponents_opened)]
        found: dict[int, list[_Group]] = {}
        for group in groups:
            for call in self._their_calls(group.turn, calls, came_in, table.opponents_opened) if theirs else self._own(group.turn):
                found.setdefault(call, []).append(_Group(self.engine.after(group.turn, call), group.situations))
        for call, after in found.items():
            made = (*calls, call)
            if not theirs:
                said = table.said.setdefault(made, {})
                for group in after:
                    said.update(dict.fromkeys(group.situations, _said(group.turn)))
            # A pass of the side ends the auction for a card: what follows is the opponents' reopening, which no card lists.
            if theirs or call != P or own == 0:
                bids = came_in or (theirs and call != P)
                self._walk(table, after, made, own + (not theirs and (call != P or table.opponents_opened)), not theirs, bids)

    def _own(self, turn: Turn) -> list[int]:
        """Return the calls for which the rules of a turn have a meaning, in the order of the rules."""
        if turn.first < 0 and not turn.calls and not self._rules(turn):
            return []
        kept = self._calls.get(id(turn))
        if kept is None:
            found: dict[int, None] = {}
            for candidate in self.engine.candidates(turn):
                if candidate.call not in found and _speaks(candidate) and _possible(turn, candidate):
                    found[candidate.call] = None
            kept = self._calls[id(turn)] = turn, list(found)
        # A card does not list the pass of a hand that does not open.
        return [call for call in kept[1] if turn.first >= 0 or call != P]

    def _their_calls(self, turn: Turn, calls: tuple[int, ...], came_in: bool, opened: bool) -> list[int]:
        if not calls:
            return [call for call in self._own(turn) if call >= FIRST_BID and level_of(call) <= THEIR_HIGHEST]
        if came_in and not (opened and len(calls) == 2 and calls[1] == P):
            return [P]
        first = len(calls) <= 2
        own = [call for call in self._own(turn) if call < FIRST_BID or level_of(call) <= THEIR_HIGHEST - 1] if first else []
        return [P, *(call for call in own if call != P)]

    def _rules(self, turn: Turn) -> list[Ready]:
        return self.system.rules(turn)

    def _split(self, group: _Group, opponents: bool) -> Iterator[_Group]:
        """Yield the group, or one group for each vulnerability where a rule of the turn depends on it."""
        dangers = sorted({danger for _, danger in group.situations})
        if len(dangers) == 1 or not self._minds(group.turn, opponents, dangers):
            yield group
            return
        for danger in dangers:
            situations = frozenset(one for one in group.situations if one[1] == danger)
            seat = min(seat for seat, _ in situations)
            yield _Group(_with(group.turn, _vulnerable(danger, seat, opponents)), situations)

    def _minds(self, turn: Turn, opponents: bool, dangers: Sequence[Danger]) -> bool:
        seat = turn.first + 1 if turn.first >= 0 else len(turn.calls) + 1
        signatures = set()
        for danger in dangers:
            rules = self._rules(_with(turn, _vulnerable(danger, seat, opponents)))
            signatures.add(tuple(map(id, rules)))
            if len(signatures) > 1 or any(_mentions(rule.rule.shows) or _mentions(rule.rule.wants) for rule in rules):
                return True
        return False


def disclose(system: BiddingSystem, depth: int = DEPTH) -> System:
    """Return the system as a table of meanings: calls, flags, dispositions and lengths from its rules.

    >>> table = disclose(BiddingSystem.load("sayc"), 1)
    >>> from bridgespec.model.convention_card import parse_sequence
    >>> index, meaning = table.find(parse_sequence("1H"), seat=1)[0]
    >>> meaning.lengths, str(meaning.flags), meaning.disposition.label
    ((5, 8), 'NYYYYYY', 'Non-forcing')
    """
    return Disclosure(system, depth).made()


def _vulnerable(danger: Danger, seat: int, opponents: bool) -> tuple[bool, bool]:
    """Return the vulnerability of the dealer's side and of the other, for a danger as the system's owners see it.

    The owners open in ``seat``, or their opponents do.
    """
    we, they = bool(danger & Danger.WE), bool(danger & Danger.THEY)
    return (we, they) if (seat % 2 == 1) != opponents else (they, we)


def _with(turn: Turn, vulnerable: tuple[bool, bool]) -> Turn:
    return turn if turn.vulnerable == vulnerable else Turn(turn.calls, turn.known, turn.sides, vulnerable, turn.meanings)


def _mentions(words: WrittenCondition | None) -> bool:
    return words is not None and (words.name in _VULNERABLE or any(map(_mentions, words.parts)))


def _speaks(candidate: Candidate) -> bool:
    rule = candidate.rule.rule
    return NEVER not in (candidate.shows, candidate.wants) and bool(rule.text or rule.shows)


def _possible(turn: Turn, candidate: Candidate) -> bool:
    """Whether a hand that made the caller's earlier calls may make this one, by the ranges shown."""
    return any(box.meet(ranges) is not None for box in turn.own.boxes for ranges in candidate.shows.boxes())


def _said(turn: Turn) -> _Said:
    """Return the meaning of the last call of a turn as the contents of a record."""
    meaning, call, caller = turn.meanings[-1], turn.calls[-1], (len(turn.calls) - 1) % 4
    known, side = turn.known[caller], turn.sides[caller % 2]
    suit = suit_of(call) if call >= FIRST_BID else None
    lengths = None
    if suit is not None:
        low, high = known.lengths[suit]
        lengths = (min(int(low), 8), min(int(high), 8))
    partner = turn.known[(caller + 2) % 4]
    strains = [known.lengths[other][1] + partner.lengths[other][1] >= 7 for other in (3, 2, 1, 0)] + [True]
    if side.trump is not None:
        strains = [other == side.trump for other in (3, 2, 1, 0)] + [True]
    if meaning.signoff and call >= FIRST_BID:
        strains = [other == suit for other in (3, 2, 1, 0, None)]
    clubs, diamonds, hearts, spades, notrump = strains
    flags = Flags(meaning.artificial, (clubs, diamonds, hearts, spades, notrump), not (side.forcing or side.game_forced))
    parts = [meaning.text, _points(known.hcp, known.points)]
    parts += [_suit(span, other) for other, span in enumerate(known.lengths) if other != suit]
    text = ". ".join(part for part in (parts[0], ", ".join(filter(None, parts[1:]))) if part)
    return _Said(flags, disposition(turn, call), lengths, _plain(text))


def disposition(turn: Turn, call: int) -> Disposition:
    """Return how strongly the call asks partner to go on."""
    meaning, caller = turn.meanings[-1], (len(turn.calls) - 1) % 4
    side = turn.sides[caller % 2]
    text = meaning.text.lower()
    answered = len(turn.meanings) >= 3 and turn.meanings[-3].asks is not None
    if meaning.signoff:
        return Disposition.SIGNOFF
    for word, found in _WORDS:
        if word in text and (found is not Disposition.TRANSFER or meaning.artificial):
            return found
    if meaning.asks is not None:
        return Disposition.ASKING
    if answered and call != P:
        return Disposition.RESPONSE
    if side.game_forced and call >= FIRST_BID:
        return Disposition.GAME_FORCING
    if side.forcing:
        return Disposition.FORCING
    if call < FIRST_BID:
        # Written out, or the first digit of a text would be read as one.
        return Disposition.NONE
    return Disposition.INVITATIONAL if "invit" in text else Disposition.NON_FORCING


def _points(hcp: tuple[float, float], points: tuple[float, float]) -> str:
    """Return high-card points in words, or points with length where only those are limited; empty where neither is.

    >>> _points((15, 17), (15, 18)), _points((0, 37), (6, 46)), _points((0, 37), (0, 46))
    ('15-17 HCP', '6+ points', '')
    """
    for (low, high), most, name in ((hcp, 30, "HCP"), (points, 30, "points")):
        if low > 0 or high < most:
            return f"{_span(low, high, most)} {name}"
    return ""


def _suit(span: tuple[float, float], suit: int) -> str:
    """Return a length in words, with the suit as Full Disclosure writes it (``!s``); empty for a length that promises little."""
    low, high = span
    letter = f"!{SUITS[suit].lower()}"
    if low >= 4 or (low > 0 and high - low <= 1):
        return f"{_span(low, high, 8)} {letter}"
    return f"{_span(0, high, 8)} {letter}" if high <= 2 else ""


def _span(low: float, high: float, most: int) -> str:
    low, high = int(low), int(high)
    return f"{low}" if low == high else f"{low}+" if high >= most else f"{low}-{high}"


def _plain(text: str) -> str:
    """Return the text on one line, in the characters that the file format allows."""
    return " ".join(text.encode("latin-1", "replace").decode("latin-1").split())


def _records(calls: Sequence[int], opponents: bool, said: dict[Situation, _Said]) -> Iterator[Meaning]:
    """Yield the fewest records with this meaning: for any situation, for seats or pairs of seats, and within them for
    vulnerabilities.
    """
    sequence = tuple(Step(call_of(call)) for call in calls)
    for position, seats in _positions(said):
        by_danger = {danger: said[seats[0], danger] for danger in Danger if (seats[0], danger) in said}
        for when, one in _whens(by_danger):
            yield Meaning(sequence, opponents, position, when, one.flags, one.disposition, one.lengths, one.text)


def _positions(said: dict[Situation, _Said]) -> list[tuple[OpeningSeat, tuple[int, ...]]]:
    """Return the positions, each with its seats, that have one meaning at each vulnerability."""
    rows = {seat: tuple(said.get((seat, danger)) for danger in Danger) for seat in (1, 2, 3, 4)}
    if all(map(any, rows.values())):
        # A record for any seat, and one for the seat that differs, which is more specific and so comes before it.
        usual, count = Counter(rows.values()).most_common(1)[0]
        if count >= 3:
            seats = [seat for seat, row in rows.items() if row == usual]
            return [(OpeningSeat.ANY, tuple(seats)), *((OpeningSeat(seat), (seat,)) for seat in rows if seat not in seats)]
    found: list[tuple[OpeningSeat, tuple[int, ...]]] = []
    for pair, position in (((1, 2), OpeningSeat.FIRST_SECOND), ((3, 4), OpeningSeat.THIRD_FOURTH)):
        if rows[pair[0]] == rows[pair[1]]:
            found.append((position, pair))
        else:
            found.extend((OpeningSeat(seat), (seat,)) for seat in pair)
    return [(position, seats) for position, seats in found if any(rows[seats[0]])]


def _whens(said: dict[Danger, _Said]) -> Iterable[tuple[When, _Said]]:
    """Return the vulnerabilities that have one meaning, in the fewest groups."""
    each = (When.NONE, When.WE_ONLY, When.THEY_ONLY, When.BOTH)
    for groups in ((When.ANY,), (When.WE_NOT, When.WE), (When.THEY_NOT, When.THEY), each):
        found = []
        for when in groups:
            told = {said.get(danger) for danger in when.covers}
            if len(told) > 1:
                break
            found.append((when, told.pop()))
        else:
            return [(when, one) for when, one in found if one is not None]
    return []
