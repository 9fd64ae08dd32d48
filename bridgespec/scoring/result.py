"""The result of one table on one board (`TableResult`, to which every source is converted), and the adjusted score that a director
may have given (`Ruling.parse`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from bridgespec.model.cards import Card, Seat, Side
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal

ScoreShares = tuple[tuple[Fraction, int], ...]
"""Pairs of a share and a score in points of North and South; the shares add up to 1. A weighted score has several pairs."""

_LEVELS = {"A+": Fraction(3, 5), "A": Fraction(1, 2), "A-": Fraction(2, 5)}
"""Average plus, average and average minus as shares of a top: Law 12C2(a)."""
_PERCENT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*%")
_TERM = re.compile(r"\s*(?:([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*%\s*(?:of|\*|x)?\s*)?([+-]?[0-9]{1,18})\s*(?=;|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Award:
    """The award of one side for a board: a share of a top (``level``), or one or several scores by ``shares``.

    ``session`` is 1 if the side's percentage of the session replaces a lower ``level`` (average plus, Laws 12C2(c) and 88), -1 if
    it replaces a higher one (average minus), else 0.
    """

    level: Fraction | None = None
    session: int = 0
    shares: ScoreShares = ()

    @classmethod
    def parse(cls, text: str) -> Award:
        """Return the award for ``A+``, ``A``, ``A-``, ``45%``, a score, or weighted scores: ``60% 620; 40% -100``. Raises
        ValueError for any other text.

        >>> Award.parse("A+") == Award.parse("average plus")
        True
        >>> [(str(share), score) for share, score in Award.parse("60% 620; 40% -100").shares]
        [('3/5', 620), ('2/5', -100)]
        """
        # "Ave. plus", "A +" and "average+" are the same award in different programs.
        word = re.sub(r"\s+", "", text).upper().replace(".", "")
        word = re.sub(r"\AAV(?:G|E(?:RAGE)?)?", "A", word).replace("PLUS", "+").replace("MINUS", "-")
        if word in _LEVELS:
            return cls(_LEVELS[word], {"+": 1, "-": -1}.get(word[-1], 0))
        if (match := _PERCENT.fullmatch(text.strip())) is not None:
            return cls(_percent(match[1]))
        terms = [_TERM.fullmatch(part) for part in text.split(";")]
        found = [(match[1], int(match[2])) for match in terms if match is not None]
        # Several scores need a weight each; a single one has the weight 1.
        if len(found) != len(terms) or (len(found) > 1 and any(share is None for share, _ in found)):
            raise ValueError(f"not an adjusted score: {text!r}; write A+, A, A-, 60%, a score, or 60% 620; 40% -100")
        shares = tuple((Fraction(1) if share is None else _percent(share), score) for share, score in found)
        if sum(share for share, _ in shares) != 1:
            raise ValueError(f"the weights of {text.strip()!r} do not add up to 100%")
        # Every score of Law 77 is a multiple of 10; another number is a percentage without its sign or a typing error.
        if any(score % 10 for _, score in shares):
            raise ValueError(f"{text.strip()!r} is no score: scores end in 0")
        return cls(shares=shares)

    @property
    def is_artificial(self) -> bool:
        """Whether the award is a share of a top and not a score that could have been obtained at the table."""
        return self.level is not None


def _percent(text: str) -> Fraction:
    """Return a percentage as a fraction. Raises ValueError for more than 100%."""
    value = Fraction(text) / 100
    if value > 1:
        raise ValueError(f"{text}% is more than 100%")
    return value


@dataclass(frozen=True, slots=True)
class Ruling:
    """The awards of North-South and of East-West, given by a director; they need not add up (a split score).

    >>> Ruling.parse("A+/A-").ew.session, Ruling.parse("420 / -50").ns.shares[0][1], Ruling.parse("40%-60%").ew.level
    (-1, 420, Fraction(3, 5))
    """

    ns: Award
    ew: Award

    @classmethod
    def parse(cls, text: str) -> Ruling:
        """Return the ruling for one award of both sides, or for the awards of North-South and East-West with ``/`` between them;
        all scores are in points of North-South. Raises ValueError for any other text.
        """
        # 40%-60% has a hyphen in place of the slash; between two percentages it cannot be a minus sign.
        parts = re.sub(r"(?<=%)\s*-\s*(?=\d+(?:\.\d+)?\s*%)", "/", text).split("/")
        if len(parts) > 2:
            raise ValueError(f"not a ruling: {text!r}; write the award of North-South / that of East-West")
        return cls(Award.parse(parts[0]), Award.parse(parts[-1]))

    def of(self, side: Side) -> Award:
        """Return the award of a side."""
        return self.ns if side is Side.NS else self.ew


@dataclass(frozen=True, slots=True)
class ResultOrigin:
    """The position from which a result was read: the path of its source, and its line (from 1) with the offset and the number of
    bytes of the line, or its record (from 0).
    """

    path: str = ""
    line: int | None = None
    start: int = 0
    length: int = 0
    record: int | None = None


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of one table on the board ``number``, as read from a source.

    ``ns`` and ``ew`` are the names or numbers of contestants, empty where the source does not state them. ``score`` is in points
    of North and South; if ``stated`` it is that of the source, else it follows from the contract. ``count`` is the number of equal
    results that this one stands for. ``given`` has matchpoints, IMPs or percentages that the source states for North-South, each
    with its name. ``deal`` is the deal of the record of the result, None for a row without cards.
    """

    number: int
    ns: str = ""
    ew: str = ""
    contract: Contract | None = None
    declarer: Seat | None = None
    tricks: int | None = None
    score: int | None = None
    stated: bool = False
    lead: Card | None = None
    round: str = ""
    table: str = ""
    section: str = ""
    ruling: Ruling | None = None
    count: int = 1
    given: tuple[tuple[str, Fraction], ...] = ()
    players: tuple[str, str] = ("", "")
    deal: Deal | None = None
    at: ResultOrigin = ResultOrigin()

    def shares(self, side: Side) -> ScoreShares:
        """Return the scores that count for a side, with their shares; empty where the side has an artificial score, or none."""
        if self.ruling is not None:
            return self.ruling.of(side).shares
        return ((Fraction(1), self.score),) if self.score is not None else ()

    @property
    def is_played(self) -> bool:
        """Whether there is a score or a ruling; without either the board was not played, and does not count."""
        return self.score is not None or self.ruling is not None

    def contestant(self, side: Side) -> str:
        """Return the name or number of the contestant on a side."""
        return self.ns if side is Side.NS else self.ew
