"""The auction: calls with their alerts, explanations and remarks.

`AuctionTerm.read` makes an `Auction` of the entries of a record; `AuctionTerm.write` offers every spelling of the calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, cast

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import _call_remarks
from bridgespec.codec.terms._term import (
    INSTEAD,
    EncodeRequest,
    Offer,
    Place,
    SharedOffer,
    Term,
    TermColumn,
    TermContent,
    part_column,
)
from bridgespec.codec.terms._values import SEATS, call_of, seat_of, spellings
from bridgespec.model.auction import PASS, Auction, AuctionCall, Call, closing_passes
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat

_CALL = "call_made"
_PLACES = ("call", "skipped", "all_pass")


@dataclass(frozen=True, slots=True)
class _AuctionEntry:
    """One parsed entry of an auction: a call (``made``), all passes to the end (``rest``), a seat whose turn has not come yet
    (``waits``), an explanation of the call before (``words``), or an entry that is skipped (``passes_over``). An entry with none
    of these ends the auction, since later calls cannot be assigned to seats.
    """

    made: AuctionCall | None = None
    reference: tuple[str, str] | None = None
    rest: bool = False
    waits: bool = False
    words: str | None = None
    passes_over: bool = False


_OVER = _AuctionEntry(passes_over=True)
_STOP = _AuctionEntry(passes_over=True)
"""The mark that the auction ends early; compared by identity."""
_REST = _AuctionEntry(rest=True)
_WAITS = _AuctionEntry(waits=True)


class AuctionTerm(Term):
    """The auction: calls in order, each with its alert, explanation and marks; notes by number."""

    NAME = "auction"
    DOC = "the calls, with alerts and explanations"
    ROLES: Mapping[str, str] = {
        "seat": "the seat that calls first, where that is not the dealer",
        _CALL: "a call with what is said of it",
        "call": "the call itself",
        "all_pass": "that all pass from here on",
        "waiting": "that it is not yet this player's turn",
        "skipped": "a pass that the player could not help, another having called out of turn",
        "irregular_bid": "that the bid that follows was insufficient, and accepted",
        "alert": "that the call was alerted",
        "conventional": "that the call was alerted, where nothing explains it",
        "explanation": "what the call, or the one before, was said to mean",
        "stop": "that the auction ends here though its calls do not",
        "to_come": "that the next call is still to come",
        "unknown": "that the first seat is not known",
        **_call_remarks.ROLES,
    }
    CODES: Mapping[str, frozenset[str]] = {"seat": frozenset({*SEATS, "unknown"})}
    CODED = frozenset(CODES)
    MEMBERS: Mapping[str, str] = {"note": "note"}
    ENTRIES = frozenset({_CALL})
    ALONE = frozenset({"seat"})
    SEQUENCE = ENTRIES
    PARTS: Mapping[str, frozenset[str]] = {
        "alerts of calls": frozenset({"alert", "conventional", "reference"}),
        "explanations of calls": frozenset({"explanation", "reference"}),
        "who calls first": frozenset({"seat", "dealer"}),
    }
    WITHIN: Mapping[str, frozenset[str]] = dict.fromkeys(
        ("call", "all_pass", "waiting", "skipped", "irregular_bid", "alert", "conventional", *_call_remarks.REMARKS),
        frozenset({_CALL}),
    )

    def read(self, group: TermGroup, content: TermContent) -> Auction | None:
        """Return the first auction with a call; if none has one, the first auction."""
        found = [self._of(view.each(_turn), view, group, content) for view in group.wholes]
        # Notes are not an auction by themselves: they explain calls of the auctions above.
        if not found or any(role != "note" for role, _ in group.members):
            members = [turn for role, view in group.members for turn in view.made(_turns, role)]
            found.append(self._of(members, None, group, content))
        return next((one for one in found if one.calls), found[0])

    @staticmethod
    def _of(
        turns: Sequence[_AuctionEntry | AuctionCall], view: RecordView | None, group: TermGroup, content: TermContent
    ) -> Auction:
        """Return the auction of parsed entries. ``view`` is the part that has them; None for entries that are parts themselves."""
        notes = _call_remarks.notes_of(group.members) if group.members else {}
        # Most auctions consist of calls without references to notes, which are used as they are.
        plain = {AuctionCall}.issuperset(map(type, turns))
        calls: list[AuctionCall] = cast("list[AuctionCall]", [*turns]) if plain else []
        waited = 0
        for turn in () if plain else turns:
            if isinstance(turn, AuctionCall):
                calls.append(turn)
            elif turn.made is not None:
                calls.append(_explained(turn, notes))
            elif turn.rest:
                calls += [AuctionCall(PASS)] * closing_passes([made.call for made in calls])
            elif turn.waits:
                # Only ahead of the first call: later marks of waiting do not move the opener.
                waited += not calls
            elif turn.words is not None:
                if calls:
                    calls[-1] = replace(calls[-1], explanation=turn.words)
            # An entry that cannot be read ends the auction: later calls would get wrong seats.
            elif not turn.passes_over:
                break
        first: Seat | None = content["dealer"]
        closed = False
        if view is not None:
            # By identity: `_OVER`, which passes over an entry, is equal to it.
            closed = not plain and any(turn is _STOP for turn in turns)
            if view.has("seat"):
                # A schema with the seat states that it is unknown by leaving it open: the dealer is no substitute.
                first = seat_of(view.role("seat"))
        if first is not None and waited:
            first = Seat((first + waited) % 4)
        return Auction(tuple(calls), first, closed)

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the view of the call at ``("auction", turn)``, or of the seat at ``("auction", "first")``. For final passes that
        one text stands for, it is that text.
        """
        if place[1:] == ("first",):
            yield from [seat for view in group.wholes if (seat := view.role("seat")) is not None]
            return
        members = [(role, one) for role, view in group.members for one in entries_of(role, view)]
        for parts, whole in [*((list(view.parts()), view) for view in group.wholes), (members, None)]:
            entries = [view for role, view in parts if role == _CALL]
            if len(place) == 1:
                yield from [whole] if whole is not None else entries[:1]
            elif entries:
                yield _view_of_turn(entries, int(place[1]), whole)

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the calls in every spelling, with explanations as texts or as numbered notes."""
        auction: Auction | None = request.board.auction
        if auction is None or auction == Auction():
            # An empty auction is not written at all, not even its first seat, which is the dealer that the board's number gives.
            return None
        first = auction.first if auction.first is not None else request.board.effective_dealer
        notes: dict[str, str] = {}
        entries = [_plain_call(made.call) if _is_plain(made) else _offer(made, notes) for made in auction.calls]
        return {
            "seat": None if first is None else first.name.lower(),
            "unknown": "" if first is None else None,
            _CALL: entries,
            "stop": [True] if auction.closed else None,
            "note": lambda: [{"index": index, "note_text": text} for text, index in notes.items()],
        }

    def is_entered(self, board: Board) -> bool:
        """Whether the auction has a call."""
        return board.auction is not None and bool(board.auction.calls)

    def columns(self) -> Sequence[TermColumn]:
        """Return columns for the calls alone, the seat of the first call, and the alerts, explanations and remarks where there are
        any.
        """

        def remarks(auction: Auction) -> Any:
            marked = tuple(None if _is_plain(made) else made for made in auction.calls)
            return marked if any(marked) else None

        column = partial(part_column, self.NAME)
        return (
            column("auction", tuple[Call, ...], "the calls", lambda auction: auction.plain),
            column("auction_first", Seat, "the seat of the first call", lambda auction: auction.first),
            column("auction_closed", bool, "whether it ends though its calls do not", lambda auction: auction.closed or None),
            column("auction_said", tuple[AuctionCall | None, ...], "what was said of each call", remarks),
        )

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the auction that the columns of a table's row give."""
        calls = row.get("auction")
        if calls is None:
            return {}
        remarked = row.get("auction_said") or (None,) * len(calls)
        made = tuple(AuctionCall(call) if one is None else one for call, one in zip(calls, remarked, strict=True))
        return {"auction": Auction(made, row.get("auction_first"), bool(row.get("auction_closed")))}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield a phrase for each kind of loss: calls, alerts, explanations, marks, irregularity, early end, first caller."""
        if before == Auction():
            return
        if after is None or len(after.calls) < len(before.calls):
            yield "the auction" if after is None or not after.calls else "the rest of the auction"
        if after is None:
            return
        kinds: Counter[str] = Counter()
        for one, two in zip(before.calls, after.calls, strict=False):
            if one.call != two.call:
                kinds["the calls as they are"] = 1
            kinds["alerts of calls"] += one.alert and not two.alert
            kinds["that explained calls were not alerted"] += one.explanation is not None and two.alert and not one.alert
            kinds["explanations of calls"] += one.explanation is not None and one.explanation != two.explanation
            kinds["marks and glyphs on calls"] += (one.mark, one.glyphs) != (two.mark, two.glyphs) and bool(one.mark or one.glyphs)
            kinds["that calls are irregular"] += one.irregular and not two.irregular
        yield from kinds.elements()
        if before.closed and not after.closed:
            yield "that the auction ends early"
        if before.first is not None and before.first != after.first:
            yield "who calls first"


def entries_of(role: str, view: RecordView) -> Sequence[RecordView]:
    """Return the entries of one field, which may have several calls."""
    return (view.roles(_CALL) if role == _CALL and view.decl.kind == "record" else ()) or (view,)


def calls_in(group: TermGroup) -> int:
    """Return the number of calls that are fields of their own."""
    return sum(view.made(_count, role) for role, view in group.members if role == _CALL)


def _count(role: str, view: RecordView) -> int:
    """Return the number of entries of one field."""
    return len(entries_of(role, view))


def _turns(role: str, view: RecordView) -> list[_AuctionEntry | AuctionCall]:
    """Return the parsed entries of one field."""
    return [one.made(_turn, role) for one in entries_of(role, view)]


def _turn(role: str, view: RecordView) -> _AuctionEntry | AuctionCall:
    """Return a parsed entry: an `AuctionCall` for a call without a reference to a note, else an `_AuctionEntry`."""
    if role == "explanation":
        return _AuctionEntry(words=view.text)
    if role != _CALL:
        return _STOP if role == "stop" else _OVER
    if view.decl.kind != "record":
        call = call_of(view.text)
        return _AuctionEntry() if call is None else AuctionCall(call)
    parts = list(view.parts())
    by_role: dict[str, RecordView] = {}
    for name, part in parts:
        by_role.setdefault(name, part)
    if "all_pass" in by_role:
        return _REST
    if "waiting" in by_role:
        return _WAITS
    call = PASS if "skipped" in by_role else call_of(by_role["call"].text) if "call" in by_role else None
    if call is None:
        return _AuctionEntry()
    remark = _call_remarks.remark_of(parts)
    words = by_role["explanation"].text if "explanation" in by_role else None
    alert = "alert" in by_role or "conventional" in by_role
    irregular = "skipped" in by_role or "irregular_bid" in by_role
    made = AuctionCall(call, alert, words, remark.mark, remark.glyphs, irregular)
    return made if remark.reference is None else _AuctionEntry(made, remark.reference)


def _explained(turn: _AuctionEntry, notes: Mapping[str, str]) -> AuctionCall:
    """Return the call of an entry with its note: alerted, and explained by the note's text if it has any."""
    assert turn.made is not None
    assert turn.reference is not None
    made, text = turn.made, notes.get(*turn.reference)
    # A note means an alert; an explanation beside the call takes precedence over the note's.
    return replace(made, alert=True, explanation=made.explanation if made.explanation is not None else text or None)


def _call_part(view: RecordView) -> RecordView | None:
    """Return the part of an entry that spells its call; None without one."""
    if view.decl.kind != "record":
        return view
    found = dict(reversed(list(view.parts())))
    return next((found[role] for role in _PLACES if role in found), None)


def _view_of_turn(entries: Sequence[RecordView], turn: int, whole: RecordView | None) -> RecordView:
    """Return the view of a call by its turn; for a final pass without an entry of its own, the text that stands for all of them."""
    made = [part for view in entries if (part := _call_part(view)) is not None]
    # A part with the role `all_pass` is several passes.
    if turn < len(made) and _role_of(made[turn]) != "all_pass":
        return made[turn]
    passes = [view for view in made if _role_of(view) == "all_pass"]
    return passes[-1] if passes else whole or entries[-1]


def _role_of(view: RecordView) -> str:
    """Return the role of a part of an entry."""
    return view.decl.binding.role or view.decl.name


def _is_plain(made: AuctionCall) -> bool:
    """Whether a call has no alert, explanation or remark."""
    return not (made.alert or made.irregular or made.glyphs) and made.explanation is None and made.mark is None


@cache
def _plain_call(call: Call) -> SharedOffer:
    """Return the offer of a call without alert, explanation and remarks."""
    return SharedOffer(_offer(AuctionCall(call), {}))


def _offer(made: AuctionCall, notes: dict[str, str]) -> Offer:
    """Return the offer of a call. ``notes`` has the numbers of notes by their texts; one is added when the target refers to it."""
    # The empty role is for a target without fields for remarks, in which a call is a text.
    offer: dict[str, Any] = {"": spellings(made.call), "call": spellings(made.call), **_call_remarks.offer(made.mark, made.glyphs)}
    if made.irregular and made.call.is_bid:
        offer["irregular_bid"] = True
    elif made.irregular and made.call == PASS:
        offer |= {"skipped": True, INSTEAD: {**offer.get(INSTEAD, {}), "call": "skipped"}}
    if made.explanation is not None or made.alert:
        offer["reference"] = lambda decl: notes.setdefault(made.explanation or "", str(len(notes) + 1))
        offer["alert"] = made.alert or None
        offer["conventional"] = (made.explanation is None and made.alert) or None
        offer["explanation"] = made.explanation
        # A note implies an alert; another word of the schema for an explanation is for calls that were not alerted.
        instead = {"reference": "conventional"} if made.explanation is None else {"explanation": "reference"}
        instead = instead if made.alert else {"reference": "explanation"}
        offer[INSTEAD] = {**offer.get(INSTEAD, {}), **instead}
    return offer


auction = AuctionTerm()
