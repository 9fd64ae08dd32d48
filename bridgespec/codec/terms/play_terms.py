"""The play: cards by trick, with notes and the claim.

`PlayTerm.read` makes a `Play` of columns or tricks of cards; `PlayTerm.write` offers columns, tricks, and cards in order of play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import Any, cast

from bridgespec.codec.record_views import RecordView, TermGroup
from bridgespec.codec.terms import _call_remarks
from bridgespec.codec.terms._term import (
    COMMENT,
    Byte,
    EncodeRequest,
    Offer,
    Place,
    SharedOffer,
    Term,
    TermColumn,
    TermContent,
    part_column,
)
from bridgespec.codec.terms._values import SEATS, bought, card_of, card_text, card_texts, seat_of
from bridgespec.codec.terms.auction_terms import calls_in
from bridgespec.model.auction import Auction
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.play import CardNote, Play, Trick
from bridgespec.model.playing import columns_of_play, play_of_cards, play_of_columns, play_of_table, winner

_CARD = "card_played"
_UNPLAYED = SharedOffer({"unplayed": True})


@dataclass(frozen=True, slots=True)
class _Entry:
    """One parsed position in a column of cards: the card, None where it is unknown, and the remark on it."""

    card: Card | None = None
    remark: _call_remarks.Remark = _call_remarks.NO_REMARK
    irregular: bool = False
    leads: bool = False


class PlayTerm(Term):
    """The play: cards in columns, clockwise from one seat, or in order of play."""

    NAME = "play"
    DOC = "the cards as they were played"
    ROLES: Mapping[str, str] = {
        "seat": "the seat of the first column: a row of four cards is a trick",
        "unknown": "that the first column is the opening leader's",
        _CARD: "a card in a column, with what is said of it",
        "card": "a card; outside columns the next that fell. A rank alone is of the suit that was led to its trick",
        "trick": "the cards of a trick, in the order in which they fell",
        "unplayed": "that the card is not known, or was not played",
        "to_come": "that the card is still to come",
        "irregular_card": "that the card that follows was a revoke",
        "irregular_lead": "that the card that follows was led out of turn",
        "stop": "that the play ends here: the rest was claimed or conceded",
        "claim": "how many tricks in all the declarer claimed",
        **_call_remarks.ROLES,
    }
    CODES: Mapping[str, frozenset[str]] = {"seat": frozenset({*SEATS, "unknown"})}
    CODED = frozenset(CODES)
    MEMBERS: Mapping[str, str] = {"note": "note", "claim": "claim"}
    ENTRIES = frozenset({_CARD})
    ALONE = frozenset({"seat"})
    SEQUENCE = frozenset({"card"})
    CLOSING = "claim"
    WITHIN = dict.fromkeys(("unplayed", "irregular_card", "irregular_lead", *_call_remarks.REMARKS), frozenset({_CARD}))

    def read(self, group: TermGroup, content: TermContent) -> Play | None:
        """Return the first play that has a card, and with it the claim."""
        # The view None stands for cards that are pairs of their own.
        play = next((one for view in (*group.wholes, None) if (one := self._of(view, group, content))), None)
        claim = claim_of(content)
        return play if play is None or claim is None or len(play.recorded) >= 52 else replace(play, claim=claim)

    def _of(self, view: RecordView | None, group: TermGroup, content: TermContent) -> Play | None:
        """Return the play in one view, or in the members of a group (None); None without a card or a known leader."""
        strain = _strain(content)
        if view is not None and view.has("seat"):
            first = seat_of(view.role("seat"))
            declarer = _declarer(content) if first is None else None
            first = declarer.next if declarer is not None else first
            return None if first is None else _in_columns(view, first, strain, group, content)
        declarer = _declarer(content)
        cards = _in_order(group.members if view is None else list(view.parts()))
        if declarer is None or not cards:
            return None
        # A trick with an unknown card has no computable winner: the seat that was dealt the next card played won it.
        return play_of_cards(cards, declarer.next, strain, _holders(content) if None in cards else None)

    def places(self, group: TermGroup, place: Place, content: TermContent) -> Iterator[RecordView]:
        """Yield the view of the card at ``("play", trick, index)``."""
        if len(place) < 3:
            yield from super().places(group, place[:1], content)
            return
        play = content["play"]
        trick, index = int(place[1]), int(place[2])
        if play is None or trick >= len(play.tricks):
            return
        at = sum(len(part.cards) for part in play.tricks[:trick]) + index
        for parts, whole in [*((list(view.parts()), view) for view in group.wholes), (group.members, None)]:
            entries = [view for role, view in parts if role == _CARD]
            first = seat_of(whole.role("seat")) if whole is not None and whole.has("seat") else None
            if first is not None and entries:
                yield from entries[4 * trick + (play.tricks[trick].leader + index - first) % 4 :][:1]
            elif whole is not None and whole.has("seat"):
                yield whole
            else:
                yield from list(_card_views(parts))[at : at + 1]

    def write(self, request: EncodeRequest) -> Offer:
        """Return the offer of the play: columns, tricks, and cards in order of play."""
        play: Play | None = request.board.play
        if play is None:
            return {"claim": request.board.result} if request.board.result is not None else None
        declarer = bought(request.board)[1]
        first = play.tricks[0].leader if play.tricks else declarer.next if declarer is not None else None
        notes: dict[str, str] = {}
        tricks = _in_turn(play, request.board)
        offer: dict[str, Any] = {"seat": None if first is None else first.name.lower()}
        # Only the forms that the target has fields for: cards in order, by tricks, or in columns.
        if request.has_role(self.NAME, "card"):
            offer["card"] = _remarked(play, [card for cards in tricks for card in cards], request.board.comments)
        if request.has_role(self.NAME, "trick"):
            offer["trick"] = [{"card": _followed(cards)} for cards in tricks]
        if first is not None and play.tricks:
            if request.has_role(self.NAME, _CARD):
                offer[_CARD] = _rows(play, first, notes, bought(request.board)[0])
            offer["stop"] = [True] if len(play.recorded) < 52 else None
        result = request.board.result if request.board.result is not None else play.claim
        if result is not None and (sum(map(len, tricks)) < 52 or result != counted(play, *bought(request.board))):
            offer["claim"] = result
        offer["note"] = lambda: [{"index": index, "note_text": text} for text, index in notes.items()]
        return offer

    def is_entered(self, board: Board) -> bool:
        """Whether the play has a card whose seat is known."""
        return board.play is not None and any(_in_turn(board.play, board))

    def columns(self) -> Sequence[TermColumn]:
        """Return columns for the cards in order of play, the leader of each trick, and the sizes of the tricks where one before
        the last does not have four cards.
        """

        def sizes(play: Play) -> Any:
            counts = tuple(len(trick.cards) for trick in play.tricks)
            return None if counts == _sizes(sum(counts)) else counts

        column = partial(part_column, self.NAME)
        return (
            column("play", tuple[Card | None, ...], self.DOC, lambda play: [card for t in play.tricks for card in t.cards]),
            column("play_leaders", tuple[Seat, ...], "who led to each trick", lambda play: [t.leader for t in play.tricks]),
            column("play_sizes", tuple[Byte, ...], "the cards of each trick, where they are not four each", sizes),
            column("play_claim", int, self.ROLES["claim"], lambda play: play.claim),
            column("play_notes", tuple[CardNote, ...], "what was said of cards", lambda play: play.notes or None),
        )

    def of_columns(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the play of a row; none without leaders."""
        cards, leaders = row.get("play"), row.get("play_leaders")
        if cards is None or leaders is None:
            return {}
        left = iter(cards)
        sizes = row.get("play_sizes") or _sizes(len(cards))
        tricks = tuple(Trick(leader, tuple(islice(left, size))) for leader, size in zip(leaders, sizes, strict=True))
        return {"play": Play(tricks, row.get("play_claim"), row.get("play_notes") or ())}

    def lost(self, before: Any, after: Any) -> Iterator[str]:
        """Yield the cards, notes and remarks that are lost."""
        if after is None:
            yield "the play"
            return
        if [trick.cards for trick in before.tricks] != [trick.cards for trick in after.tricks]:
            yield "the rest of the play" if before.cards[: len(after.cards)] == after.cards else "the play as it is"
        elif [trick.leader for trick in before.tricks] != [trick.leader for trick in after.tricks]:
            yield "who led to each trick"
        kinds: Counter[str] = Counter()
        kept = {(note.trick, note.index): note for note in after.notes}
        for one in before.notes:
            two = kept.get((one.trick, one.index), CardNote(one.trick, one.index))
            kinds["notes on cards"] += one.text is not None and one.text != two.text
            kinds["marks and glyphs on cards"] += bool(one.mark or one.glyphs) and (one.mark, one.glyphs) != (two.mark, two.glyphs)
            kinds["that cards are irregular"] += one.irregular and not two.irregular
        yield from kinds.elements()
        if before.claim is not None and after.claim is not None and before.claim != after.claim:
            yield "the claim"


def turns_of(play: Play) -> list[int]:
    """Return for each card, in order of play, its index in columns clockwise from the opening leader."""
    first = play.tricks[0].leader if play.tricks else 0
    return [
        4 * row + (trick.leader + turn - first) % 4 for row, trick in enumerate(play.tricks) for turn in range(len(trick.cards))
    ]


def _sizes(cards: int) -> tuple[int, ...]:
    """Return the sizes of the tricks that a number of cards makes: four each, the last one fewer."""
    return (4,) * (cards // 4) + ((cards % 4,) if cards % 4 else ())


def claim_of(content: TermContent) -> int | None:
    """Return the number of tricks claimed; None without a claim, or for more than 13."""
    part = content.part("play", "claim")
    own = None if part is None else part.own("claim")
    found = None if own is None else own.number
    return found if found is not None and found <= 13 else None


def _strain(content: TermContent) -> Strain:
    """Return the strain of the contract, or of the auction; notrump without either."""
    auction: Auction | None = content["auction"]
    contract = content["contract"] or (auction.contract if auction else None)
    return contract.strain if contract is not None else Strain.NOTRUMP


def _declarer(content: TermContent) -> Seat | None:
    """Return the declarer: the stated one, else that of an auction without unread calls."""
    declarer: Seat | None = content["declarer"]
    auction: Auction | None = content["auction"]
    group = content.group("auction")
    if declarer is not None or auction is None or group is None:
        return declarer
    return auction.declarer if len(auction.calls) >= max(calls_in(group), 1) else None


def _holders(content: TermContent) -> bytes | None:
    """Return the holder of each card of the deal, by slot; None where the record gives no deal."""
    dealt = content["deal"]
    # The value of the term is a `Dealt`; that of a board whose fields are bound is the deal itself.
    deal = getattr(dealt, "deal", dealt)
    return None if deal is None else cast("bytes", deal.holders)


def _entry(role: str, view: RecordView) -> _Entry | Card | str | None:
    """Return a part of the play, parsed: a card without a remark as itself, else an `_Entry`; for a part that is no entry its
    role.
    """
    if role != _CARD:
        return role
    if view.decl.kind != "record":
        return card_of(view.text)
    parts = list(view.parts())
    card = next((card_of(part.text) for name, part in parts if name == "card"), None)
    roles = {name for name, _ in parts}
    leads = "irregular_lead" in roles
    remark, irregular = _call_remarks.remark_of(parts), leads or "irregular_card" in roles
    return _Entry(card, remark, irregular, leads) if irregular or remark is not _call_remarks.NO_REMARK else card


_PLAIN = frozenset({Card, type(None)})


def _in_columns(view: RecordView, first: Seat, strain: Strain, group: TermGroup, content: TermContent) -> Play | None:
    """Return the play of cards that are written in columns, clockwise from ``first``; None without a card."""
    parsed = view.each(_entry)
    # A play whose last card is unknown ends there, too.
    stops = parsed[-1:] == [None]
    if parsed and parsed[-1].__class__ is str:
        stops = parsed.pop() == "stop"
    kinds = set(map(type, parsed))
    if str in kinds:
        stops = stops or "stop" in parsed
        parsed = [entry for entry in parsed if entry.__class__ is not str]
        kinds.remove(str)
    if kinds <= _PLAIN:
        # Nearly all plays have cards without remarks only.
        play = play_of_table(cast("list[Card | None]", parsed), first, strain)
    else:
        entries = [entry if isinstance(entry, _Entry) else _Entry(cast("Card | None", entry)) for entry in parsed]
        cards = [entry.card for entry in entries]
        led = {index // 4: index % 4 for index, entry in enumerate(entries) if entry.leads}
        play = _with_leads(cards, first, strain, led) if led else play_of_table(cards, first, strain)
        play = Play(play.tricks, notes=_notes(entries, play, first, _call_remarks.notes_of(group.members)))
    if not play.tricks:
        return None
    ended = stops and (len(play.tricks) < 13 or len(play.recorded) < 52)
    return Play(play.tricks, content["result"], play.notes) if ended else play


def _notes(entries: Sequence[_Entry], play: Play, first: Seat, notes: Mapping[str, str]) -> tuple[CardNote, ...]:
    """Return the notes on the cards of the entries, by trick and index."""
    places: dict[int, tuple[int, int]] = {}
    for number, trick in enumerate(play.tricks):
        for turn in range(len(trick.cards)):
            places[4 * number + (trick.leader + turn - first) % 4] = number, turn
    found = []
    for index, entry in enumerate(entries):
        remark = entry.remark
        if index in places and (entry.irregular or remark is not _call_remarks.NO_REMARK):
            found.append(CardNote(*places[index], _call_remarks.note(remark, notes), remark.mark, remark.glyphs, entry.irregular))
    return tuple(found)


def _with_leads(cards: Sequence[Card | None], first: Seat, strain: Strain, led: Mapping[int, int]) -> Play:
    """Return a play read from columns with leads out of turn; ``led`` is the column of the leader of each such trick."""
    tricks: list[Trick] = []
    for number, row in enumerate(cards[i : i + 4] for i in range(0, len(cards), 4)):
        leader = Seat((first + led[number]) % 4) if number in led else None
        if leader is None:
            leader = first if not tricks else _next_leader(tricks[-1], strain)
        turn = [row[(leader + i - first) % 4] if (leader + i - first) % 4 < len(row) else None for i in range(4)]
        part = play_of_columns([turn], leader, strain)
        if not part.tricks:
            break
        tricks.append(part.tricks[0])
    return Play(tuple(tricks))


def _next_leader(trick: Trick, strain: Strain) -> Seat:
    # The leader of a second row is the winner of the first, also where one of its cards is not known.
    follow = play_of_columns([list(trick.cards), list(trick.cards)], trick.leader, strain)
    return follow.tricks[1].leader if len(follow.tricks) > 1 else trick.leader


def _rows(play: Play, first: Seat, notes: dict[str, str], contract: Contract | None) -> list[dict[str, Any]]:
    """Return the entries of a play in columns, clockwise from ``first``, row by row."""
    strain = contract.strain if contract is not None else Strain.NOTRUMP
    notes_at = {(note.trick, note.index): note for note in play.notes}
    entries: list[dict[str, Any]] = []
    for number, row in enumerate(columns_of_play(play, first)):
        leader = play.tricks[number].leader
        for place, card in enumerate(row):
            if card is None:
                entries.append(_UNPLAYED)
                continue
            entry: dict[str, Any] = _plain(card)
            note = notes_at.get((number, (first + place - leader) % 4)) if notes_at else None
            if note is not None:
                entry = {**entry, **_call_remarks.offer(note.mark, note.glyphs)}
                if note.text is not None:
                    entry["reference"] = _noted(note.text, notes)
                if note.irregular:
                    entry["irregular_lead" if _led_out_of_turn(play, number, note, strain) else "irregular_card"] = True
            entries.append(entry)
    return entries


@cache
def _plain(card: Card) -> SharedOffer:
    # The empty role is for a target without fields for remarks, in which a card is a text.
    return SharedOffer({"": card_texts(card), "card": card_texts(card)})


def _remarked(play: Play, cards: Sequence[Card], comments: Sequence[Comment]) -> list[Offer]:
    """Return the offers of cards in order of play, with the comments after each; the last card has those after later cards, too."""
    texts: dict[int, list[str]] = {}
    if cards and comments:
        at = {column: turn for turn, column in enumerate(turns_of(play)[: len(cards)])}
        for comment in comments:
            if comment.after[:1] == (PlayTerm.NAME,) and len(comment.after) == 2:
                texts.setdefault(at.get(int(comment.after[1]), len(cards) - 1), []).append(comment.text)
    offers: list[Offer] = []
    for turn, card in enumerate(cards):
        spelled = _plain(card)
        offers.append({**spelled, COMMENT: texts[turn]} if turn in texts else spelled)
    return offers


def _led_out_of_turn(play: Play, number: int, note: CardNote, strain: Strain) -> bool:
    """Whether a note is on the lead to a trick by a seat that did not win the trick before."""
    return note.index == 0 and number > 0 and play.tricks[number].leader != winner(play.tricks[number - 1], strain)


def _noted(text: str, notes: dict[str, str]) -> Any:
    return lambda decl: notes.setdefault(text, str(len(notes) + 1))  # numbered only if the target refers to the note


def _card_views(parts: Sequence[tuple[str, RecordView]]) -> Iterator[RecordView]:
    """Yield the views of the cards in order of play, also of those in tricks."""
    for role, view in parts:
        if role == "trick":
            yield from _card_views(list(view.parts()))
        elif role == "card":
            yield view


def _in_order(parts: Sequence[tuple[str, RecordView]]) -> list[Card | None]:
    """Return the cards of parts in order of play, None for one that cannot be read. A rank alone is of the suit led."""
    cards: list[Card | None] = []
    for role, view in parts:
        if role == "card":
            cards.append(view.made(_card, role))
        elif role == "trick":
            cards += _cards([part.text for inner, part in view.parts() if inner == "card" and part.text])
    while cards and cards[-1] is None:
        cards.pop()
    return cards


def _cards(texts: Sequence[str]) -> list[Card | None]:
    """Return the cards that the texts of one trick spell."""
    led = next((text[0] for text in texts if text), "")
    return [card_of(text if len(text) > 1 else led + text) for text in texts]


def _card(_: str, view: RecordView) -> Card | None:
    """Return the card that a text, or a record with a card, spells; None for any other text."""
    found = view.own("card")
    return None if found is None else _cards([found.text])[0]


def _in_turn(play: Play, board: Any) -> list[list[Card]]:
    """Return the cards of each trick, as far as the order of play determines who played them: up to the first unknown card or
    lead out of turn.
    """
    contract, declarer = bought(board)
    strain = contract.strain if contract is not None else Strain.NOTRUMP
    leader = declarer.next if declarer is not None else None
    found: list[list[Card]] = []
    for trick in play.tricks:
        if leader is not None and trick.leader != leader:
            break
        cards = cast("list[Card]", [*trick.cards[: trick.cards.index(None)]] if None in trick.cards else [*trick.cards])
        if cards:
            found.append(cards)
        if len(cards) < 4:
            break
        leader = winner(trick, strain)
    return found


def counted(play: Play | None, contract: Contract | None, declarer: Seat | None) -> int | None:
    """Return the declarer's tricks in a play to the last card; None where cards are missing or the strain is unknown."""
    if play is None or contract is None or contract.is_passed_out or declarer is None or len(play.recorded) < 52:
        return None
    winners = [winner(trick, contract.strain) for trick in play.tricks if len(trick.cards) == 4]
    return sum(seat is not None and seat.side == declarer.side for seat in winners)


def _followed(cards: Sequence[Card]) -> list[str]:
    """Return the texts of a trick's cards, those of the suit led by rank alone."""
    texts = [card_text(card) for card in cards]
    return [text if index == 0 or text[0] != texts[0][0] else text[1:] for index, text in enumerate(texts)]


play = PlayTerm()
