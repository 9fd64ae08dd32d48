"""The results of one board compared with each other: match points, IMPs against every other table, IMPs against a datum.

`compare` is the only entry: results and a `Method` in, a `BoardScore` out. All values are exact fractions, which callers round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product

from bridgespec.errors import UsageError
from bridgespec.model.cards import Side
from bridgespec.model.score import imps
from bridgespec.scoring.result import ScoreShares, TableResult

HALF = Fraction(1, 2)


class Comparison(StrEnum):
    """How the results of a board are compared."""

    MATCHPOINTS = "matchpoints"
    CROSS_IMPS = "cross-imps"
    BUTLER = "butler"
    TEAMS = "teams"


@dataclass(frozen=True, slots=True)
class Method:
    """How a session is scored.

    ``expected`` is the number of results on a full board (Neuberg's E); None: that of the board with most. ``ascherman``: a score
    is also compared with itself, which is a tie. ``neuberg``: the matchpoints of boards with fewer results are scaled by Neuberg's
    formula, else in proportion. ``total``: cross-IMPs are summed over the comparisons, else their mean is taken. ``extremes`` is
    the share of the scores that Butler's datum leaves out at each end, ``rounding`` the number of which the datum is a multiple.
    ``average_imps`` is the number of IMPs for average plus, for each comparison (Law 12C2(b) gives 3 in a match of teams).
    """

    comparison: Comparison = Comparison.MATCHPOINTS
    expected: int | None = None
    neuberg: bool = True
    ascherman: bool = False
    total: bool = False
    extremes: Fraction = Fraction(1, 10)
    rounding: int = 10
    average_imps: Fraction = Fraction(3)

    def __post_init__(self) -> None:
        # Comparisons with nan are false, so each test is true for allowed values only.
        allowed = {
            "expected": (self.expected is None or self.expected >= 1, "at least 1"),
            "extremes": (0 <= self.extremes < HALF, "a share from 0 to less than 1/2"),
            "rounding": (self.rounding >= 1, "at least 1"),
            "average_imps": (0 <= self.average_imps <= 24, "0 to 24 IMPs"),
        }
        for name, (is_allowed, words) in allowed.items():
            if not is_allowed:
                raise UsageError(f"{name}={getattr(self, name)!r}: give {words}")

    @property
    def unit(self) -> str:
        """The unit of the values: ``MP`` or ``IMP``."""
        return "MP" if self.comparison is Comparison.MATCHPOINTS else "IMP"

    def described(self) -> str:
        """Return a description in one line: what is compared, scaled and rounded."""
        match self.comparison:
            case Comparison.MATCHPOINTS:
                compared = "every score with itself too (Ascherman)" if self.ascherman else "2 for a win, 1 for a tie"
                scaled = self.neuberg and not self.ascherman
                fewer = "; boards with fewer results by Neuberg's formula, (M+1)E/A-1" if scaled else ""
                return f"matchpoints, {compared}{fewer}; percentages of the boards played"
            case Comparison.CROSS_IMPS:
                return f"cross-IMPs, {'total over the comparisons' if self.total else 'mean per comparison'}"
            case Comparison.BUTLER:
                left = f"{_plain(100 * self.extremes)}% of the scores left out at each end, rounded down"
                return f"Butler: IMPs against a datum, {left}; datum rounded to {self.rounding}, halves away from 0"
            case Comparison.TEAMS:
                return "teams: IMPs between the two tables of a match"


def _plain(value: Fraction) -> str:
    """Return a value as decimals without trailing zeros."""
    return f"{float(value):g}"


@dataclass(frozen=True, slots=True)
class SideScore:
    """The score of one side for one result: ``value`` out of ``top`` (0 for IMPs), and whether it is artificial.

    ``value`` is None if there is no other result to compare with. ``session`` is that of the side's `Award`, else 0.
    """

    value: Fraction | None
    top: Fraction = Fraction(0)
    artificial: bool = False
    session: int = 0


@dataclass(frozen=True, slots=True)
class BoardScore:
    """The results of one board with the score of each side for each of them, in the same order. ``datum`` is Butler's; ``note``
    describes how the scores of a board with fewer results were scaled, empty for a full board.
    """

    number: int
    results: tuple[TableResult, ...]
    ns: tuple[SideScore, ...]
    ew: tuple[SideScore, ...]
    datum: int | None = None
    note: str = ""

    def of(self, side: Side) -> tuple[SideScore, ...]:
        """Return the scores of a side, in the order of the results."""
        return self.ns if side is Side.NS else self.ew


def compare(number: int, results: Sequence[TableResult], method: Method, expected: int) -> BoardScore:
    """Return the scores of both sides for the results of a board, where ``expected`` results make a full board.

    >>> field = [TableResult(1, score=score) for score in (620, 620, 170, -100)]
    >>> [str(one.value) for one in compare(1, field, Method(), 4).ns]
    ['5', '5', '2', '0']
    """
    fields = {side: [(one.shares(side), one.count) for one in results] for side in Side}
    datum = _datum(fields[Side.NS], method) if method.comparison is Comparison.BUTLER else None
    scored: dict[Side, tuple[SideScore, ...]] = {}
    note = ""
    for side, field in fields.items():
        count = sum(many for shares, many in field if shares)
        if method.comparison is Comparison.TEAMS:
            values = [_against_match(one, results, side) for one in results]
        elif datum is not None:
            values = [_against_datum(shares, datum, side) for shares, _ in field]
        else:
            values = _against_field(field, side, method, count)
        top = Fraction(0)
        if method.unit == "MP":
            top = Fraction(2 * expected if method.ascherman else 2 * (expected - 1))
            # Only match points depend on the number of results: a board with fewer has a lower top.
            if count and count != expected:
                values, note = _scaled(values, method, expected, count)
        # With one score Butler's datum is that score, so that the result would be worth 0 IMPs instead of not counting.
        elif count == 1 and method.comparison is not Comparison.TEAMS:
            values, note = [None] * len(values), "1 result, nothing to compare: it does not count"
        awarded = [_awarded(one, side, method, top, expected) for one in results]
        # An award has no score to compare: its value does not change the values of other results.
        scored[side] = tuple(award or SideScore(value, top) for award, value in zip(awarded, values, strict=True))
    return BoardScore(number, tuple(results), scored[Side.NS], scored[Side.EW], datum, note)


ResultValues = list[Fraction | None]
"""The value of each result of a board for one side; None if there is no other result to compare with."""


def _sign(side: Side) -> int:
    """Return the factor by which points of North-South become points of a side: 1 or -1."""
    return 1 if side is Side.NS else -1


def _scaled(values: ResultValues, method: Method, expected: int, count: int) -> tuple[ResultValues, str]:
    """Return the match points of a board with ``count`` results, scaled to ``expected`` results, and a note on how.

    Neuberg's formula for 2 points a win is (M+1)E/A - 1 (Laws and Ethics Committee of the EBU, "Neuberg's formula": add 1,
    multiply by the number of times that the board should have been played, divide by the number of times that it was, subtract
    1). With Ascherman's count a score has a tie with itself, which makes it a plain proportion. A board with one result is an
    average.
    """
    if method.ascherman:
        factor, shift, how = Fraction(expected, count), 0, "in proportion"
    elif method.neuberg:
        factor, shift, how = Fraction(expected, count), 1, "Neuberg"
    elif count == 1:
        factor, shift, how = Fraction(expected), 1, "an average"
    else:
        factor, shift, how = Fraction(expected - 1, count - 1), 0, "in proportion"
    scaled = [None if value is None else (value + shift) * factor - shift for value in values]
    return scaled, f"{count} of {expected} results, {how}"


def _awarded(result: TableResult, side: Side, method: Method, top: Fraction, expected: int) -> SideScore | None:
    """Return the artificial score that a ruling gives a side, without regard to the side's session; None for any other result."""
    award = result.ruling.of(side) if result.ruling is not None else None
    if award is None or award.level is None:
        return None
    # A total of cross-IMPs sums expected - 1 comparisons, and the award is worth its IMPs in each of them.
    tables = expected - 1 if method.comparison is Comparison.CROSS_IMPS and method.total else 1
    value = award.level * top if method.unit == "MP" else (award.level - HALF) * 10 * method.average_imps * tables
    return SideScore(value, top, True, award.session)


def _mean(shares: ScoreShares, value: Callable[[int], Fraction]) -> Fraction | None:
    """Return the sum of ``value`` of each score times its share (the value of a weighted score); None without a score."""
    return sum((share * value(score) for share, score in shares), Fraction(0)) if shares else None


def _against_field(field: Iterable[tuple[ScoreShares, int]], side: Side, method: Method, count: int) -> ResultValues:
    """Return the match points or IMPs of each result against all others. ``field`` has the shares of each result and how often it
    occurs; ``count`` is the number of results.

    Equal scores are counted first, so that 1,000 results take as many comparisons as they have different scores.
    """
    entries = list(field)
    # Fractions throughout: weighted scores (60% of 620) must add up exactly, or equal contestants would not tie.
    weights: dict[int, Fraction] = {}
    for shares, many in entries:
        for share, score in shares:
            weights[score] = weights.get(score, Fraction(0)) + share * many
    points, sign = method.unit == "MP", _sign(side)

    def outcome(mine: int, other: int) -> int:
        difference = sign * (mine - other)
        # Law 78A counts 2 for a lower score and 1 for an equal one; 1 plus the sign is both.
        return 1 + (difference > 0) - (difference < 0) if points else imps(difference)

    against = {mine: sum((weight * outcome(mine, other) for other, weight in weights.items()), Fraction(0)) for mine in weights}
    found: ResultValues = []
    for shares, _ in entries:
        value = _mean(shares, against.__getitem__)
        if value is not None and not (points and method.ascherman):
            # Each result was compared with all results: subtract the comparison with itself.
            value -= sum((one * two * outcome(mine, other) for one, mine in shares for two, other in shares), Fraction(0))
        if value is not None and not points and not method.total:
            value = value / (count - 1) if count > 1 else None
        found.append(value)
    return found


def _datum(field: Iterable[tuple[ScoreShares, int]], method: Method) -> int | None:
    """Return Butler's datum: the mean of the scores without the extremes at each end; None where there is no score."""
    means = [sum((share * score for share, score in shares), Fraction(0)) for shares, many in field if shares for _ in range(many)]
    if not means:
        return None
    # Rounded down: a field of nine leaves out none at a tenth.
    left = int(len(means) * method.extremes)
    # `Method` allows less than one half at each end, so that a score is left.
    kept = sorted(means)[left : len(means) - left]
    datum = sum(kept, Fraction(0)) / len(kept) / method.rounding
    # Python's round takes halves to the even number, 25 to 20 but 35 to 40; the datum takes them away from 0.
    rounded = int(abs(datum) + HALF) * method.rounding
    return rounded if datum >= 0 else -rounded


def _against_match(result: TableResult, results: Sequence[TableResult], side: Side) -> Fraction | None:
    """Return the IMPs against the other table of a match, where the same two contestants sit the other way round."""
    others = [one for one in results if (one.ns, one.ew, one.round) == (result.ew, result.ns, result.round) and one.shares(side)]
    # With two results at the other table it is not known which one counts, and any choice would decide the match.
    if len(others) != 1 or not result.shares(side):
        return None
    pairs = product(result.shares(side), others[0].shares(side))
    return sum((one * two * imps(_sign(side) * (mine - theirs)) for (one, mine), (two, theirs) in pairs), Fraction(0))


def _against_datum(shares: ScoreShares, datum: int, side: Side) -> Fraction | None:
    """Return the IMPs of a result against Butler's datum; None without a score."""
    return _mean(shares, lambda score: Fraction(imps(_sign(side) * (score - datum))))
