"""Score a session: compare the results of each board, sum the scores of each contestant with awards, penalties and carry-over,
and rank the contestants.

`score_session` is the entry: results and `EventRules` in, a `ScoredSession` out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError
from bridgespec.model.cards import Side
from bridgespec.scoring.comparison import BoardScore, Comparison, Method, SideScore, compare
from bridgespec.scoring.result import TableResult
from bridgespec.scoring.victory import VictoryScale

Contestant = tuple[str, str]
"""The direction in which a contestant is ranked (``NS``, ``EW``; empty where there is one winner) and its name or number."""
PLACES = 2
"""The number of decimal places in which percentages, IMPs and victory points are shown."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A contestant's names, carry-over and penalty, which is subtracted; both are in MP or IMP, or in VP where the session has a
    scale of victory points. ``top_share`` is a further penalty, as a share of the top of one board.
    """

    names: str = ""
    carry: Fraction = Fraction(0)
    penalty: Fraction = Fraction(0)
    top_share: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class EventRules:
    """How a session is scored and ranked.

    ``winners`` is 1 or 2; None: 2 where North-South and East-West are different contestants throughout. In the rounds
    ``arrow_switched``, contestants sat in the other direction than the source states. ``per_board``: contestants are ranked by
    their IMPs per board.
    """

    method: Method = field(default_factory=Method)
    winners: int | None = None
    arrow_switched: frozenset[str] = frozenset()
    victory: VictoryScale | None = None
    per_board: bool = False


@dataclass(frozen=True, slots=True)
class ContestantBoard:
    """The score of one contestant for one result: on which board and side, in which round, and against whom. ``count`` is that of
    the `TableResult`.
    """

    board: int
    round: str
    side: Side
    opponent: str
    score: SideScore
    count: int


@dataclass(slots=True)
class Standing:
    """The boards and sums of one contestant: ``total`` out of ``available``, victory points (None without a scale), penalty, and
    ``final``, the value that determines its ``rank``, which counts from 1 and is shared where ``tied``.
    """

    contestant: Contestant
    entrant: Entrant
    plays: list[ContestantBoard] = field(default_factory=list)
    total: Fraction = Fraction(0)
    available: Fraction = Fraction(0)
    victory: Fraction | None = None
    penalty: Fraction = Fraction(0)
    final: Fraction = Fraction(0)
    rank: int = 0
    tied: bool = False

    @property
    def boards(self) -> int:
        """The number of boards that the contestant played or has an award for."""
        return sum(one.count for one in self.plays if one.score.value is not None)


@dataclass(frozen=True, slots=True)
class ScoredSession:
    """A session as scored by `score_session`: the boards, and the standings of each direction, best first. ``expected`` is the
    number of results on a full board; ``notes`` state the method, ties, rounding and who sat out.

    ``findings`` are the rows that cannot be read and the results that are probably wrong.
    """

    rules: EventRules
    winners: int
    expected: int
    boards: tuple[BoardScore, ...]
    standings: tuple[Standing, ...]
    notes: tuple[str, ...]
    findings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"ScoredSession({self.rules.method.comparison.value}: {len(self.boards)} boards, {len(self.standings)} contestants)"

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are ranked separately: ``NS`` and ``EW``, or an empty text for one ranking of all contestants."""
        return ("NS", "EW") if self.winners == 2 else ("",)


def score_session(
    results: Sequence[TableResult], rules: EventRules, entrants: Mapping[str, Entrant] | None = None
) -> ScoredSession:
    """Compare the results of a session and rank its contestants; ``entrants`` are by direction and name (``NS3``) or name alone.

    >>> field = [TableResult(1, "1", "2", score=420), TableResult(1, "3", "4", score=-50)]
    >>> [(one.contestant, one.rank, float(one.final)) for one in score_session(field, EventRules()).standings]
    [(('NS', '1'), 1, 100.0), (('NS', '3'), 2, 0.0), (('EW', '4'), 1, 100.0), (('EW', '2'), 2, 0.0)]
    """
    # First of all: comparison and ranking need the directions in which contestants sat.
    switched = [_switched(one) if one.round in rules.arrow_switched else one for one in results]
    played = [one for one in switched if one.is_played]
    by_board: dict[int, list[TableResult]] = {}
    for one in sorted(played, key=lambda one: one.number):
        by_board.setdefault(one.number, []).append(one)
    # Unless the method has the number, the board with the most results counts as full.
    expected = rules.method.expected or max((sum(one.count for one in field) for field in by_board.values()), default=1)
    boards = tuple(compare(number, field, rules.method, expected) for number, field in by_board.items())
    winners = rules.winners or _winners(played, rules.method)
    # In a match each team has two results of a board, with the same IMPs: only the one as North-South is counted.
    sides = (Side.NS,) if rules.method.comparison is Comparison.TEAMS else tuple(Side)
    standings = _standings(boards, winners, sides, entrants or {})
    for standing in standings.values():
        _take_awards(standing)
        _sum(standing, rules)
    ranked = [one for name in ("NS", "EW", "") for one in _ranked([two for two in standings.values() if two.contestant[0] == name])]
    notes = (
        *_method_notes(rules, winners, expected, boards),
        *_tie_notes(ranked, _unit(rules)),
        *_absence_notes(switched, ranked),
        *_self_notes(played, winners),
    )
    return ScoredSession(rules, winners, expected, boards, tuple(ranked), notes)


def refuse_unfit(rules: EventRules, results: Sequence[TableResult]) -> None:
    """Raise UsageError for rules that do not fit the results, so that a ranking by them would be meaningless."""
    if rules.victory is not None and rules.method.comparison is Comparison.MATCHPOINTS:
        raise UsageError("victory points follow from IMPs: the method is cross-imps, butler or teams")
    rounds = dict.fromkeys(one.round for one in results if one.round)
    if unknown := sorted(rules.arrow_switched - rounds.keys()):
        known = f"the rounds are {', '.join(rounds)}" if rounds else "no result states its round"
        raise UsageError(f"there is no round {unknown[0]} to switch: {known}")
    counts = Counter[int]()
    for one in results:
        # On a board with more results than a full one, Neuberg's factor would be less than 1.
        counts[one.number] += one.count if one.is_played else 0
    number, most = max(counts.items(), key=lambda item: item[1], default=(0, 0))
    if rules.method.expected is not None and most > rules.method.expected:
        raise UsageError(f"board {number} has {most} results, more than the {rules.method.expected} of a full board")
    if rules.method.comparison is Comparison.TEAMS and len(unmatched(results)) == len(results):
        raise UsageError("no two tables are of one match: each board is played twice, with the teams the other way round")


def unmatched(results: Sequence[TableResult]) -> list[int]:
    """Return the indices of the results whose board has no result at the other table of the match, with the teams exchanged."""
    there = {(one.number, one.round, one.ns, one.ew) for one in results}
    return [index for index, one in enumerate(results) if (one.number, one.round, one.ew, one.ns) not in there]


def _switched(result: TableResult) -> TableResult:
    return replace(result, ns=result.ew, ew=result.ns, players=result.players[::-1])


def _winners(results: Iterable[TableResult], method: Method) -> int:
    """Return the number of winners: 2 where no contestant sat in both directions, or where each direction has numbers of its
    own (`numbered_by_direction`), else 1.
    """
    found = [one for one in results if one.ns and one.ew]
    # By section: two sections may use one set of numbers for different contestants.
    apart = {(one.section, one.ns) for one in found}.isdisjoint((one.section, one.ew) for one in found)
    return 2 if method.comparison is not Comparison.TEAMS and (apart or numbered_by_direction(found)) else 1


def numbered_by_direction(results: Sequence[TableResult]) -> bool:
    """Whether the same numbers are given to contestants of both directions, so that 3 North-South is not 3 East-West.

    Such numbers play against themselves, and occur on one board in both directions; a single such result may be a mistake.

    >>> numbered_by_direction([TableResult(1, "1", "1"), TableResult(1, "2", "2")])
    True
    >>> numbered_by_direction([TableResult(1, "1", "1"), TableResult(1, "2", "3")])
    False
    """
    # In a Mitchell movement numbered by direction, pair 1 North-South plays against pair 1 East-West.
    alone = {(one.section, one.ns) for one in results if one.ns and one.ns == one.ew}
    others = [one for one in results if one.ns != one.ew]
    north_south = {(one.number, one.section, one.ns) for one in others if one.ns}
    both = north_south & {(one.number, one.section, one.ew) for one in others}
    return bool(alone) and (len(alone) > 1 or len(both) > 1 or not others)


def named(result: TableResult, side: Side, sections: bool) -> str:
    """Return the name of the contestant on a side of a result, after its section if the session has ``sections``; empty where the
    result has none.
    """
    name = result.contestant(side)
    return f"{result.section}{name}" if sections and name else name


def _standings(
    boards: Sequence[BoardScore], winners: int, sides: Iterable[Side], entrants: Mapping[str, Entrant]
) -> dict[Contestant, Standing]:
    """Return the standing of each contestant with its boards, in order of first occurrence; sums and ranks are not yet set."""
    sections = len({one.section for board in boards for one in board.results}) > 1
    found: dict[Contestant, Standing] = {}
    for board in boards:
        for side in sides:
            for result, score in zip(board.results, board.of(side), strict=True):
                name = named(result, side, sections)
                if not name:
                    continue
                contestant = side.name if winners == 2 else "", name
                if contestant not in found:
                    players = result.players[0 if side is Side.NS else 1]
                    entrant = entrants.get("".join(contestant)) or entrants.get(name) or Entrant()
                    found[contestant] = Standing(contestant, replace(entrant, names=entrant.names or players))
                opponent = named(result, side.opponents, sections)
                found[contestant].plays.append(ContestantBoard(board.number, result.round, side, opponent, score, result.count))
    return found


def _take_awards(standing: Standing) -> None:
    """Replace the value of average plus by the contestant's mean of the session if that is higher, that of average minus if it is
    lower (Laws 12C2(c) and 88).
    """
    # Law 88: the mean of the boards that were played, without other awards.
    own = [one.score for one in standing.plays if not one.score.artificial and one.score.value is not None]
    if not own:
        return
    tops = sum((one.top for one in own), Fraction(0))
    total = sum((one.value for one in own if one.value is not None), Fraction(0))
    share = total / tops if tops else None
    for index, play in enumerate(standing.plays):
        score = play.score
        if score.artificial and score.value is not None and score.session:
            earned = share * score.top if share is not None else total / len(own)
            better = max if score.session > 0 else min
            standing.plays[index] = replace(play, score=replace(score, value=better(score.value, earned)))


def _sum(standing: Standing, rules: EventRules) -> None:
    """Sum a contestant's boards, and set the value that it is ranked by: a percentage, IMPs in all or per board, or VPs."""
    counted = [(one, one.score.value) for one in standing.plays if one.score.value is not None]
    standing.total = sum((value * one.count for one, value in counted), Fraction(0))
    standing.available = sum((one.score.top * one.count for one, _ in counted), Fraction(0))
    # The top for a penalty is that of a full board: the highest of the contestant's boards.
    top = max((one.score.top for one, _ in counted), default=Fraction(0))
    entrant = standing.entrant
    standing.penalty = entrant.penalty + entrant.top_share * top
    change = entrant.carry - standing.penalty
    if rules.victory is not None:
        matches: dict[tuple[str, str], list[Fraction]] = {}
        for one, value in counted:
            # Victory points are of a match and not linear, so IMPs are summed by match before they are converted.
            matches.setdefault((one.round, one.opponent), []).append(value)
        points = (rules.victory.points(sum(values, Fraction(0)), len(values)) for values in matches.values())
        standing.victory = sum(points, Fraction(0))
        standing.final = standing.victory + change
    elif rules.method.comparison is Comparison.MATCHPOINTS:
        standing.final = 100 * (standing.total + change) / standing.available if standing.available else Fraction(0)
    else:
        standing.final = standing.total + change
        if rules.per_board and standing.boards:
            standing.final /= standing.boards


def _ranked(standings: Iterable[Standing]) -> list[Standing]:
    """Set the ranks of contestants of one direction. Return them best first; tied ones are sorted by name."""
    # By the length of the number first, so that 9 comes before 10 although both are texts.
    found = sorted(standings, key=lambda one: (-one.final, len(one.contestant[1]), one.contestant))
    for index, one in enumerate(found):
        before = found[index - 1] if index else None
        # Exact fractions are compared: values that only look equal after rounding are no tie, and `_tie_notes` explains them.
        one.tied = before is not None and before.final == one.final
        one.rank = before.rank if before is not None and one.tied else index + 1
        if before is not None and one.tied:
            before.tied = True
    return found


def rounded(value: Fraction, places: int = PLACES) -> str:
    """Return a value in decimals, halves away from 0.

    >>> rounded(Fraction(2, 3)), rounded(Fraction(-1, 200)), rounded(Fraction(5))
    ('0.67', '-0.01', '5.00')
    """
    # format() would round a float with halves to even: 0.125 to 0.12.
    scaled = int(abs(value) * 10**places + Fraction(1, 2))
    # A value that rounds to 0 has no sign: -0.00 would look like an error.
    sign = "-" if value < 0 and scaled else ""
    whole, part = divmod(scaled, 10**places)
    return f"{sign}{whole}.{part:0{places}}" if places else f"{sign}{whole}"


def _unit(rules: EventRules) -> str:
    """Return the unit of the value by which contestants are ranked."""
    if rules.victory is not None:
        return "VP"
    return "%" if rules.method.comparison is Comparison.MATCHPOINTS else "IMP a board" if rules.per_board else "IMP"


def _method_notes(rules: EventRules, winners: int, expected: int, boards: Sequence[BoardScore]) -> Iterable[str]:
    """Yield the notes on the method of scoring, and on the boards with fewer results."""
    yield rules.method.described()
    if rules.victory is not None:
        yield f"victory points: {rules.victory.described()}; a match is the boards of a round against one opponent"
    numbers = ((winners, "winner"), (len(boards), "board"), (expected, "result"))
    counts = [f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in numbers]
    yield f"{counts[0]}; {counts[1]}, {counts[2]} on a full one"
    if expected == 1 and rules.method.comparison is not Comparison.TEAMS:
        yield "no board has two results: there is nothing to compare, and every value is 0"
    if rules.arrow_switched:
        yield f"arrow-switched: round {', '.join(sorted(rules.arrow_switched))}"
    fewer = [f"{board.number} ({board.note})" for board in boards if board.note]
    if fewer:
        yield f"fewer results: board {', '.join(fewer)}"


def _tie_notes(standings: Sequence[Standing], unit: str) -> Iterable[str]:
    """Yield a note on contestants that share a rank, and on those whose values look equal only because they are rounded."""
    for one, other in pairwise(standings):
        if one.contestant[0] == other.contestant[0] and rounded(one.final) == rounded(other.final):
            pair = f"{' '.join(filter(None, one.contestant))} and {' '.join(filter(None, other.contestant))}"
            if one.final == other.final:
                yield f"tie: {pair} share rank {one.rank} with {rounded(one.final)} {unit}"
            else:
                exact = f"{rounded(one.final, 6)} and {rounded(other.final, 6)}"
                yield f"rounding: {pair} both show {rounded(one.final)} {unit}, but have {exact}"


def _self_notes(results: Iterable[TableResult], winners: int) -> Iterable[str]:
    """Yield a note on numbers that played against themselves where both directions are ranked together."""
    both = sorted({one.ns for one in results if one.ns and one.ns == one.ew})
    if winners == 1 and both:
        yield f"one winner: {', '.join(both)} met itself, so that two contestants with one number are probably ranked as one"


def _absence_notes(results: Sequence[TableResult], standings: Sequence[Standing]) -> Iterable[str]:
    """Yield a note on each contestant that was at no table in a round in which others played."""
    rounds = list(dict.fromkeys(one.round for one in results if one.round))
    sections = len({one.section for one in results if one.is_played}) > 1
    # All results, also those that could not be read or were not played: their contestants were at the table.
    seated = {(side.name, named(one, side, sections), one.round) for one in results if one.ns and one.ew for side in Side}
    for one in standings:
        direction, name = one.contestant
        sides = [direction] if direction else [side.name for side in Side]
        absent = [number for number in rounds if not any((side, name, number) in seated for side in sides)]
        if absent:
            yield f"sit-out: {' '.join(filter(None, one.contestant))} in round {', '.join(absent)}"
