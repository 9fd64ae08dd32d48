"""Turn a system into a Full Disclosure table: a record for each call that its rules define, in every auction up to some depth.

`disclose` takes a `BiddingSystem` and returns a `convention_card.System`. The auctions are those in which the opponents pass, or
come in once with a call that the same system defines. Each auction is interpreted in sixteen situations (four seats of the opening,
four vulnerabilities); situations in which the call has the same meaning share a record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bridgespec.bidding.compiled import CompiledRule
from bridgespec.bidding.engine import BiddingEngine, Candidate
from bridgespec.bidding.rule_file import WrittenCondition
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import FIRST_BID, P, Turn, call_of, level_of, suit_of
from bridgespec.dealing.algebra import NEVER
from bridgespec.model.cards import SUITS
from bridgespec.model.convention_card import (
    CardRecord,
    Danger,
    Disposition,
    Flags,
    Header,
    Meaning,
    OpeningSeat,
    Step,
    System,
    When,
)

DEPTH = 3
"""The default number of calls of the side in one auction."""
MOST_RECORDS = 20_000
"""The most records of a table, so that its file has at most about two million bytes; further records are left out."""
THEIR_HIGHEST = 4
"""The highest level at which the opponents open; they overcall up to one level less."""

SeatAndDanger = tuple[int, Danger]
"""The seat of the opening, 1 to 4, and the vulnerability as the side of the table sees it."""
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
class _RecordContents:
    """The contents of a record without its auction, seat and vulnerability. Created for the last call of a turn."""

    flags: Flags
    disposition: Disposition | None
    lengths: tuple[int, int] | None
    text: str


@dataclass(slots=True)
class _Group:
    """Situations in which the calls so far have the same meaning, and one turn that represents all of them."""

    turn: Turn
    situations: frozenset[SeatAndDanger]


@dataclass(slots=True)
class _OpeningTable:
    """The records of the auctions that one side opens; created for one call of `Disclosure.made`."""

    opponents_opened: bool
    contents: dict[tuple[int, ...], dict[SeatAndDanger, _RecordContents]] = field(default_factory=dict)
    """The meaning of the last call in each situation, by the calls from the opening on."""


class Disclosure:
    """Makes the table of one system. Created by `disclose` for one call of `made`.

    ``depth`` is the most calls of the side in an auction: 1 for openings and overcalls, 2 for the answers too, and so on.
    """

    def __init__(self, system: BiddingSystem, depth: int = DEPTH) -> None:
        self.system = system
        self.depth = depth
        self.engine = BiddingEngine(system, system)
        self._calls: dict[int, tuple[Turn, list[int]]] = {}

    def made(self) -> System:
        """Return the table: a header, then the records, auctions in the order of the system's rules."""
        title, sources = self.system.title, [source for module in self.system.modules[:1] for source in module.sources]
        records: list[CardRecord] = [Header(_plain(title), _plain("; ".join(sources)), flags=Flags.parse("NYYYYYY"))]
        for opponents in (False, True):
            table = _OpeningTable(opponents)
            groups = [self._start(seat, opponents) for seat in (1, 2, 3, 4)]
            self._walk(table, groups, (), 0, opponents, False)
            for calls, contents in table.contents.items():
                records.extend(_records(calls, opponents, contents))
        return System(tuple(records[: MOST_RECORDS + 1]))

    def _start(self, seat: int, opponents: bool) -> _Group:
        """Return the group of the turn before an opening in a seat, for all vulnerabilities together."""
        turn = self._passed(seat, _vulnerable(Danger.NONE, seat, opponents))
        return _Group(turn, frozenset((seat, danger) for danger in Danger))

    def _passed(self, seat: int, vulnerable: tuple[bool, bool]) -> Turn:
        """Return the turn of a seat, 1 to 4, before which everyone has passed."""
        turn = self.engine.start(vulnerable)
        for _ in range(seat - 1):
            turn = self.engine.after(turn, P)
        return turn

    def _walk(
        self, table: _OpeningTable, groups: list[_Group], calls: tuple[int, ...], own: int, theirs: bool, came_in: bool
    ) -> None:
        """Add the records of all auctions that begin with ``calls`` to ``table``.

        ``own`` is the number of the side's calls, ``theirs`` whether an opponent is to call, ``came_in`` whether an opponent has
        made another call than pass.
        """
        if own >= self.depth or not groups or groups[0].turn.is_over:
            return
        groups = [part for group in groups for part in self._split(group, table.opponents_opened)]
        found: dict[int, list[_Group]] = {}
        for group in groups:
            for call in (
                self._their_calls(group.turn, calls, came_in, table.opponents_opened) if theirs else self._own_calls(group.turn)
            ):
                found.setdefault(call, []).append(_Group(self.engine.after(group.turn, call), group.situations))
        for call, after in found.items():
            made = (*calls, call)
            if not theirs:
                contents = table.contents.setdefault(made, {})
                for group in after:
                    contents.update(dict.fromkeys(group.situations, _record_contents(group.turn)))
            # A pass of the side ends the auction for a card: what follows is the opponents' reopening, which no card lists.
            if theirs or call != P or own == 0:
                bids = came_in or (theirs and call != P)
                self._walk(table, after, made, own + (not theirs and (call != P or table.opponents_opened)), not theirs, bids)

    def _own_calls(self, turn: Turn) -> list[int]:
        """Return the calls for which the rules of a turn have a meaning, in the order of the rules."""
        if turn.first < 0 and not turn.calls and not self._rules(turn):
            return []
        kept = self._calls.get(id(turn))
        if kept is None:
            found: dict[int, None] = {}
            for candidate in self.engine.candidates(turn):
                if candidate.call not in found and _has_meaning(candidate) and _possible(turn, candidate):
                    found[candidate.call] = None
            kept = self._calls[id(turn)] = turn, list(found)
        # A card does not list the pass of a hand that does not open.
        return [call for call in kept[1] if turn.first >= 0 or call != P]

    def _their_calls(self, turn: Turn, calls: tuple[int, ...], came_in: bool, opened: bool) -> list[int]:
        """Return the opponents' calls after ``calls`` that the table covers; ``opened`` is whether the opponents opened."""
        if not calls:
            return [call for call in self._own_calls(turn) if call >= FIRST_BID and level_of(call) <= THEIR_HIGHEST]
        if came_in and not (opened and len(calls) == 2 and calls[1] == P):
            return [P]
        first = len(calls) <= 2
        own = [call for call in self._own_calls(turn) if call < FIRST_BID or level_of(call) <= THEIR_HIGHEST - 1] if first else []
        return [P, *(call for call in own if call != P)]

    def _rules(self, turn: Turn) -> list[CompiledRule]:
        return self.system.rules(turn)

    def _split(self, group: _Group, opponents: bool) -> Iterator[_Group]:
        """Yield the group, or if a rule of its turn depends on vulnerability one group for each vulnerability."""
        dangers = sorted({danger for _, danger in group.situations})
        if len(dangers) == 1 or not self._depends_on_vulnerability(group.turn, opponents, dangers):
            yield group
            return
        for danger in dangers:
            situations = frozenset(one for one in group.situations if one[1] == danger)
            seat = min(seat for seat, _ in situations)
            yield _Group(_with_vulnerability(group.turn, _vulnerable(danger, seat, opponents)), situations)

    def _depends_on_vulnerability(self, turn: Turn, opponents: bool, dangers: Sequence[Danger]) -> bool:
        """Return whether other rules apply at some of the vulnerabilities, or a condition of a rule mentions vulnerability."""
        seat = turn.first + 1 if turn.first >= 0 else len(turn.calls) + 1
        signatures = set()
        for danger in dangers:
            rules = self._rules(_with_vulnerability(turn, _vulnerable(danger, seat, opponents)))
            signatures.add(tuple(map(id, rules)))
            if len(signatures) > 1 or any(
                _mentions_vulnerability(rule.written.shows) or _mentions_vulnerability(rule.written.wants) for rule in rules
            ):
                return True
        return False


def disclose(system: BiddingSystem, depth: int = DEPTH) -> System:
    """Return the Full Disclosure table of a system: its calls with the flags, dispositions, lengths and texts of their rules.

    >>> table = disclose(BiddingSystem.load("sayc"), 1)
    >>> from bridgespec.model.convention_card import parse_sequence
    >>> index, meaning = table.find(parse_sequence("1H"), seat=1)[0]
    >>> meaning.lengths, str(meaning.flags), meaning.disposition.label
    ((5, 8), 'NYYYYYY', 'Non-forcing')
    """
    return Disclosure(system, depth).made()


def _vulnerable(danger: Danger, seat: int, opponents: bool) -> tuple[bool, bool]:
    """Return whether the dealer's side and whether the other is vulnerable, for a vulnerability as the side of the table sees it.

    The opening is in ``seat``, by the side of the table or by its opponents.
    """
    we, they = bool(danger & Danger.WE), bool(danger & Danger.THEY)
    return (we, they) if (seat % 2 == 1) != opponents else (they, we)


def _with_vulnerability(turn: Turn, vulnerable: tuple[bool, bool]) -> Turn:
    return turn if turn.vulnerable == vulnerable else Turn(turn.calls, turn.known, turn.sides, vulnerable, turn.meanings)


def _mentions_vulnerability(words: WrittenCondition | None) -> bool:
    return words is not None and (words.name in _VULNERABLE or any(map(_mentions_vulnerability, words.parts)))


def _has_meaning(candidate: Candidate) -> bool:
    """Return whether a rule has an explanation or a condition, and some hand may meet it at its turn."""
    rule = candidate.rule.written
    return NEVER not in (candidate.shows, candidate.wants) and bool(rule.text or rule.shows)


def _possible(turn: Turn, candidate: Candidate) -> bool:
    """Return whether the ranges that the caller's earlier calls have shown and those of the candidate have a hand in common."""
    return any(box.meet(ranges) is not None for box in turn.own.boxes for ranges in candidate.shows.boxes())


def _record_contents(turn: Turn) -> _RecordContents:
    """Return the meaning of the last call before ``turn``."""
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
    return _RecordContents(flags, disposition(turn, call), lengths, _plain(text))


def disposition(turn: Turn, call: int) -> Disposition:
    """Return what ``call``, the last call before ``turn``, asks of partner, by its rule and the words of its explanation."""
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
        # Written even if there is none, since a reader would take the first digit of a following text for the disposition.
        return Disposition.NONE
    return Disposition.INVITATIONAL if "invit" in text else Disposition.NON_FORCING


def _points(hcp: tuple[float, float], points: tuple[float, float]) -> str:
    """Return the range of high-card points in words, or that of points with length if only these are limited; empty if neither is.

    >>> _points((15, 17), (15, 18)), _points((0, 37), (6, 46)), _points((0, 37), (0, 46))
    ('15-17 HCP', '6+ points', '')
    """
    for (low, high), most, name in ((hcp, 30, "HCP"), (points, 30, "points")):
        if low > 0 or high < most:
            return f"{_span(low, high, most)} {name}"
    return ""


def _suit(span: tuple[float, float], suit: int) -> str:
    """Return a length in words, with the suit as Full Disclosure writes it (``5+ !s``); empty if the range is wide."""
    low, high = span
    letter = f"!{SUITS[suit].lower()}"
    if low >= 4 or (low > 0 and high - low <= 1):
        return f"{_span(low, high, 8)} {letter}"
    return f"{_span(0, high, 8)} {letter}" if high <= 2 else ""


def _span(low: float, high: float, most: int) -> str:
    """Return a range in words; from ``most`` on the upper end is left open."""
    low, high = int(low), int(high)
    return f"{low}" if low == high else f"{low}+" if high >= most else f"{low}-{high}"


def _plain(text: str) -> str:
    """Return the text on one line, in the characters that the file format allows."""
    return " ".join(text.encode("latin-1", "replace").decode("latin-1").split())


def _records(calls: Sequence[int], opponents: bool, contents: dict[SeatAndDanger, _RecordContents]) -> Iterator[Meaning]:
    """Yield few records that state the meaning of the last of ``calls`` in each situation: one for all situations if possible, else
    one for each seat or pair of seats, and for each vulnerability or pair of vulnerabilities.
    """
    sequence = tuple(Step(call_of(call)) for call in calls)
    for position, seats in _positions(contents):
        by_danger = {danger: contents[seats[0], danger] for danger in Danger if (seats[0], danger) in contents}
        for when, one in _vulnerabilities(by_danger):
            yield Meaning(sequence, opponents, position, when, one.flags, one.disposition, one.lengths, one.text)


def _positions(contents: dict[SeatAndDanger, _RecordContents]) -> list[tuple[OpeningSeat, tuple[int, ...]]]:
    """Return the groups of seats between which the meanings do not differ: the format's name for the group, and its seats."""
    rows = {seat: tuple(contents.get((seat, danger)) for danger in Danger) for seat in (1, 2, 3, 4)}
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


def _vulnerabilities(contents: dict[Danger, _RecordContents]) -> Iterable[tuple[When, _RecordContents]]:
    """Return the fewest groups of vulnerabilities within which the meanings do not differ, each with its meaning."""
    each = (When.NONE, When.WE_ONLY, When.THEY_ONLY, When.BOTH)
    for groups in ((When.ANY,), (When.WE_NOT, When.WE), (When.THEY_NOT, When.THEY), each):
        found = []
        for when in groups:
            meanings = {contents.get(danger) for danger in when.covers}
            if len(meanings) > 1:
                break
            found.append((when, meanings.pop()))
        else:
            return [(when, one) for when, one in found if one is not None]
    return []
