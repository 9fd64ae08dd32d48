"""`Board`: a deal with its number, dealer and vulnerability, and what was recorded at the table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import repeat

from bridgespec.model.auction import Auction
from bridgespec.model.cards import NamedNumber, Seat, Side, not_text
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Conflict, Deal
from bridgespec.model.drawn import Drawn
from bridgespec.model.number_texts import integer, whole_number
from bridgespec.model.play import Play
from bridgespec.model.table import Table
from bridgespec.model.tricks import Tricks


class Vulnerability(NamedNumber):
    """Which sides are vulnerable.

    >>> Vulnerability.BOTH.covers(Side.EW), Vulnerability.NS.covers(Side.EW)
    (True, False)
    """

    NONE = 0
    NS = 1
    EW = 2
    BOTH = 3

    @property
    def spellings(self) -> tuple[str, ...]:
        """The name, and the other words of PBN for the value."""
        return self.name, *(("-", "LOVE"), (), (), ("ALL",))[self]

    def covers(self, side: Side) -> bool:
        """Return whether a side is vulnerable."""
        return bool(self & (1 << side))


_DEALERS = (Seat.NORTH, Seat.EAST, Seat.SOUTH, Seat.WEST)
# Law 2. Each block of four boards begins with the next condition, so that no dealer has the same vulnerability each time.
_VULNERABILITIES = tuple(Vulnerability("-NEB".index(letter)) for letter in "-NEBNEB-EB-NB-NE")


def standard_dealer(number: int) -> Seat:
    """Return the dealer of a board number: N E S W for 1 2 3 4, and so on.

    >>> standard_dealer(1).name, standard_dealer(16).name
    ('NORTH', 'WEST')
    """
    return _DEALERS[(number - 1) % 4]


def standard_vulnerability(number: int) -> Vulnerability:
    """Return the vulnerability of a board number; it repeats after 16 boards.

    >>> [standard_vulnerability(n).name for n in (1, 2, 3, 4, 16)]
    ['NONE', 'NS', 'EW', 'BOTH', 'EW']
    """
    return _VULNERABILITIES[(number - 1) % 16]


@dataclass(frozen=True, slots=True)
class Comment:
    """An annotator's comment. ``after`` is the part of the board that it follows, as names and indices such as ``("auction", 3)``;
    ``()`` for the board itself.
    """

    text: str
    after: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Board(Drawn):
    """One board; a field that the source does not state is None or empty.

    ``dealer`` and ``vulnerability`` are what the source states; `effective_dealer` and `effective_vulnerability` are those of the
    number if it states none. ``declarer`` is the seat of ``contract``, or of a table of results for one declarer.

    ``result`` is the number of tricks that the declarer won, ``score`` the points of North and South (negative: East and West
    scored). ``players`` are names by seat, W N E S; ``teams`` are the names of North-South and East-West, or of the home and
    visiting team. ``par`` is the text of the source for the best score. ``conflicts`` are cards that the source deals twice.
    ``irregular`` has the names of fields that the source marks as contrary to the game (``"declarer"``, ``"result"``). ``tags`` are
    all other pairs of name and value, in order. ``origin`` belongs to the codec that made the board; copies of the board keep it,
    so that their unchanged fields are written back byte for byte.

    It prints as one line, which `Board.parse` reads; a contract that names its declarer sets ``declarer``.

    >>> board = Board.parse("7; dealer S; deal N:A... K... Q... J...; contract 4S by N; result 9")
    >>> board, board.declarer.name
    (Board('7; dealer S; deal N:A... K... Q... J...; contract 4S; declarer N; result 9'), 'NORTH')
    """

    number: int | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    deal: Deal | None = None
    tricks: Tricks | None = None
    declarer: Seat | None = None
    play: Play | None = None
    auction: Auction | None = None
    contract: Contract | None = None
    result: int | None = None
    score: int | None = None
    scoring: str | None = None
    event: str | None = None
    site: str | None = None
    date: str | None = None
    round: str | None = None
    room: str | None = None
    players: tuple[str | None, str | None, str | None, str | None] = (None, None, None, None)
    teams: tuple[str | None, str | None] = (None, None)
    par: str | None = None
    comments: tuple[Comment, ...] = ()
    tables: tuple[Table, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    irregular: tuple[str, ...] = ()
    origin: object = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            # Without this check dealer="N" would be accepted here, and fail later in a writer.
            if value is not None and not isinstance(value, kind):
                way = "" if kind is int else f": {kind.__name__}.parse reads text"
                raise TypeError(f"Board: {name} is of type {kind.__name__}, not {value!r}{way}")
        declarer = None if self.contract is None else self.contract.declarer
        if self.contract is None or declarer is None:
            return
        # The declarer of the contract becomes that of the board, so that equal boards have equal fields.
        if self.declarer not in (None, declarer):
            raise ValueError(f"the contract is {self.contract}, and the declarer {self.declarer}")
        _set(self, "declarer", declarer)
        _set(self, "contract", replace(self.contract, declarer=None))

    @classmethod
    def parse(cls, text: str) -> Board:
        """Return the board of fields that are separated by semicolons, each a name and a value; a number alone is the board's
        number.

        The fields are number, dealer, vulnerability, deal, auction, play, contract, declarer, result, score and tricks; the tricks
        of a play are separated by commas. Raises ValueError for any other text.
        """
        if not isinstance(text, str):
            raise not_text(cls, text)
        found: dict[str, object] = {}
        for part in filter(None, map(str.strip, text.split(";"))):
            # A number alone is the board's number, as in "7; dealer S".
            name, _, value = part.partition(" ") if whole_number(part) is None else ("number", "", part)
            if name not in _PARSERS or name in found:
                raise ValueError(f"not a field of a board: {part!r}; the fields are {', '.join(_PARSERS)}, each once")
            found[name] = _PARSERS[name](value)
        return cls(**found)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return number, dealer, vulnerability, deal, contract, declarer and result in one line, without those that are None."""
        stated = ((name, getattr(self, name)) for name in _SHOWN)
        parts = (value if name == "number" else f"{name} {_short(value)}" for name, value in stated if value is not None)
        return "; ".join(map(str, parts))

    def __repr__(self) -> str:
        return f"Board({str(self)!r})"

    def __getattr__(self, name: str) -> object:
        """Bind and return a field of a board that was loaded, on the first access to the field."""
        # If `origin` itself is not set, accessing it would call this method again, without end.
        bind = None if name == "origin" else getattr(self.origin, "bind", None)
        if bind is None or name not in _FIELDS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found: Mapping[str, object] = bind(name)
        # A loop in C: files of boards are bound field by field millions of times.
        deque(map(_set, repeat(self), found, found.values()), 0)
        return found[name]

    @classmethod
    def untouched(cls, origin: object) -> Board:
        """Return a board whose fields are bound on first access: ``origin.bind(name)`` returns the values of this and perhaps other
        fields by name.
        """
        # Without the constructor, whose `__post_init__` would access, and so bind, the fields of every board of a file.
        board = object.__new__(cls)
        object.__setattr__(board, "origin", origin)
        return board

    @property
    def effective_dealer(self) -> Seat | None:
        """The dealer that is stated, else that of the number; None without either."""
        if self.dealer is None and self.number is not None:
            return standard_dealer(self.number)
        return self.dealer

    @property
    def effective_vulnerability(self) -> Vulnerability | None:
        """The vulnerability that is stated, else that of the number; None without either."""
        if self.vulnerability is None and self.number is not None:
            return standard_vulnerability(self.number)
        return self.vulnerability

    @property
    def effective_contract(self) -> Contract | None:
        """The contract that is stated, else that of the auction; None without either."""
        if self.contract is None and self.auction is not None:
            return self.auction.contract
        return self.contract

    @property
    def effective_declarer(self) -> Seat | None:
        """The declarer that is stated, else that of the auction; None without either, and if all passed."""
        if self.declarer is None and self.auction is not None:
            return self.auction.declarer
        return self.declarer


_KINDS = {"number": int, "dealer": Seat, "vulnerability": Vulnerability, "deal": Deal, "declarer": Seat, "contract": Contract}
"""The fields whose type the constructor checks, because a value of another type would fail only when it is written."""
# The fields of `str`, and the parsers of `Board.parse`.
_SHOWN = ("number", "dealer", "vulnerability", "deal", "contract", "declarer", "result")
_PARSERS: Mapping[str, Callable[[str], object]] = {
    "number": integer,
    "dealer": Seat.parse,
    "vulnerability": Vulnerability.parse,
    "deal": Deal.parse,
    "auction": Auction.parse,
    "play": lambda text: Play.parse(text.replace(",", ";")),
    "contract": Contract.parse,
    "declarer": Seat.parse,
    "result": integer,
    "score": integer,
    "tricks": Tricks.parse,
}


def _short(value: object) -> object:
    """Return a seat as its letter, any other value unchanged."""
    return value.letter if isinstance(value, Seat) else value


# Sets a field of the frozen dataclass.
_set = object.__setattr__
_FIELDS = frozenset(one.name for one in fields(Board))
