"""The four players and the two teams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from operator import itemgetter
from typing import Any

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms._term import EncodeRequest, Offer, SharedOffer, Term, TermColumn, TermContent, part_column
from bridgespec.codec.terms._values import SEATS, seats_named
from bridgespec.codec.terms.results import is_closed, results
from bridgespec.model.cards import Seat


class Players(Term):
    """The names of the four players."""

    NAME = "players"
    DOC = "the names of the four players"
    ROLES: Mapping[str, str] = {
        **{name: f"the name of {name.title()}" for name in SEATS},
        "player": "a name, its seat (and room) given by its axes",
    }
    MEMBERS: Mapping[str, str] = {f"{name}_player": name for name in SEATS}
    AXES = frozenset({"player"})
    FOLLOWS = frozenset({"players"})

    def read(self, group: TermGroup, content: TermContent) -> tuple[str | None, ...] | None:
        """Return the names by seat: those of single parts override those of one view, and those of the record override those of
        the file.
        """
        players: list[str | None] = [None] * 4
        of_file = content.of_file(self.NAME)
        wholes = [*(of_file.wholes if of_file is not None else ()), *reversed(group.wholes)]
        closed = bool(wholes) and is_closed(content["room"])
        for view in wholes:
            for seat, part in _named(view, closed):
                players[seat] = part.text or players[seat]
        listed = [view for role, view in group.members if role == "player"]
        named = zip(_seats(listed[0].decl) if listed else (), listed, strict=False)
        for seat, view in (*named, *((SEATS[role], view) for role, view in group.members if role in SEATS)):
            players[seat] = view.text or players[seat]
        return tuple(players) if any(players) else None

    def without(self, content: TermContent) -> Any:
        """Return the names that the file states for all boards."""
        return self.read(TermGroup(), content) if content.of_file(self.NAME) is not None else None

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the four names."""
        names = request.board.players
        return _offer(names) if any(names) else None

    def columns(self) -> Sequence[TermColumn]:
        """Return a column for the name of each seat."""
        column = partial(part_column, self.NAME)
        return [column(word, str, f"the name of {role.title()}", itemgetter(SEATS[role])) for word, role in self.MEMBERS.items()]

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the four names that the columns of a table's row give."""
        names = {SEATS[role]: row.get(word) for word, role in self.MEMBERS.items()}
        return {"players": tuple(names[seat] for seat in Seat)} if any(name is not None for name in names.values()) else {}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield a loss for each name that is not written."""
        for one, two in zip(before, after, strict=True):
            if one and one != two:
                yield "a player's name as it is written"


@lru_cache(1 << 10)
def _offer(names: tuple[str | None, ...]) -> SharedOffer:
    """Return the offer of the names by seat; an array of names has empty texts for unknown ones."""
    offer: dict[str, Any] = {name: names[seat] or None for name, seat in SEATS.items()}
    return SharedOffer({**offer, "player": lambda decl: [names[seat] or "" for seat in _seats(decl)]})


def _named(view: RecordView, closed: bool) -> Iterator[tuple[Seat, RecordView]]:
    """Yield seat and name of each player in a view, for one room."""
    listed = view.roles("player")
    if listed:
        order = _order(listed[0].decl)
        if len(listed) <= 4:
            # Four names are those of one room, whichever the axis gives first.
            order, closed = [(None, seat) for seat in _seats(listed[0].decl)], False
        for (room, seat), part in zip(order, listed, strict=False):
            if room is None or (room == "C") == closed:
                yield seat, part
    yield from [(SEATS[role], part) for role, part in view.parts() if role in SEATS]


@cache
def _order(decl: Any) -> list[tuple[str | None, Seat]]:
    """Return room and seat of each name in an array, in the order of its axes; without axes seats from West on."""
    axes = {axis.name: axis.labels for axis in decl.binding.axes}
    seats = seats_named(axes.get("seat", "WNES"))
    return [(room, seat) for room in (axes.get("room") or [None]) for seat in seats]


def _seats(decl: Any) -> list[Seat]:
    """Return the seats of an array's names for one room."""
    return [seat for room, seat in _order(decl) if room != "C"]


class Teams(Term):
    """The names of the two teams."""

    NAME = "teams"
    DOC = "the names of the two teams"
    ROLES: Mapping[str, str] = {
        "home": "the team of North and South, or the home team",
        "visiting": "the other team",
        "first": "the number of the first board",
        "last": "the number of the last board",
    }
    MEMBERS: Mapping[str, str] = {"home_team": "home", "visiting_team": "visiting"}
    FOLLOWS = frozenset({"teams"})

    def read(self, group: TermGroup, content: TermContent) -> tuple[str | None, str | None] | None:
        """Return both names: those of the record, else those of the file."""
        of_file = content.of_file(self.NAME)
        for one in (group, of_file or group):
            home, visiting = (None if (part := one.role(role)) is None else part.text or None for role in ("home", "visiting"))
            if home or visiting:
                return home, visiting
        return None

    def without(self, content: TermContent) -> Any:
        """Return the names that the file states for all boards."""
        return self.read(TermGroup(), content) if content.of_file(self.NAME) is not None else None

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of both names."""
        home, visiting = request.board.teams
        # Formats that state the match once (LIN's vg) do it in the record of the teams.
        match = request.of_file and any((request.board.event, request.board.round, request.board.scoring))
        # A list of results has no board numbers: it starts with the first board, whose number is in the record of the teams.
        if not (home or visiting or match or (request.of_file and results.write(request) is not None)):
            return None
        boards = request.document.boards
        first, last = (boards[0].number, boards[-1].number) if boards else (None, None)
        return {
            "home": home or "",
            "visiting": visiting or "",
            "first": 1 if first is None else first,
            "last": max(1, len(boards)) if last is None else last,
        }

    def columns(self) -> Sequence[TermColumn]:
        """Return a column for each name."""
        column = partial(part_column, self.NAME)
        return [column(word, str, self.ROLES[role], itemgetter(at)) for at, (word, role) in enumerate(self.MEMBERS.items())]

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return both names of a row."""
        teams = row.get("home_team"), row.get("visiting_team")
        return {} if teams == (None, None) else {"teams": teams}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the loss where a name changed."""
        if [name or None for name in before] != [name or None for name in after]:
            yield self.kind


players = Players()
teams = Teams()
