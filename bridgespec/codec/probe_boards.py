"""Probe boards: generated boards, with which `trials` tests that every term of a schema survives writing and reading.

A board is computed from its seed, an integer, so that every run tests the same boards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import BOARD
from bridgespec.codec.terms import TERMS, Term, _tables, is_stated
from bridgespec.errors import WriteError
from bridgespec.model.auction import PASS, Auction, AuctionCall, AuctionState, Call
from bridgespec.model.board import Board, Comment, standard_dealer, standard_vulnerability
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.play import Play, Trick
from bridgespec.model.playing import analyse, winner
from bridgespec.model.tricks import UNSOLVED, Tricks

_BIDS = [Call.bid(level, strain) for level in range(1, 8) for strain in Strain]
SPECIMENS = 8
"""The number of probe boards that `trials` writes."""
_MOST = 60
"""The maximum length of a value in a message."""
_TEXTS: dict[str, Any] = {one.name: one.name.capitalize() for one in fields(Board) if one.type == "str | None"}
"""The fields that are texts: each is its own name, unless it must have a form."""
_TEXTS |= {"scoring": "IMP", "date": "2001.02.03", "room": "Open"}


VOIDS = Deal(bytes((suit + 1 + index % 3) % 4 for suit in range(4) for index in range(13)))
"""A deal in which each hand is void in one suit, and each suit is lacking in one hand."""


def specimen(seed: int, deal: Deal | None = None) -> Board:
    """Return a board with values in nearly all fields, computed from a seed. Its number is 1 to 16; dealer and vulnerability are
    the standard ones of the number. The deal is random unless one is given.
    """
    rng = Random(seed)
    number = 1 + seed % 16
    first = standard_dealer(number)
    made = _deal(rng)
    deal = made if deal is None else deal
    auction = _auction(rng, first)
    contract, declarer = auction.contract, auction.declarer
    assert contract is not None
    play = result = None
    if declarer is not None:
        # A play that breaks off, one with a claim for the last trick, and a complete one.
        length = (3, 12, 13)[seed % 3]
        play = _play(rng, deal, declarer, contract.strain, length)
        result = analyse(play, contract.strain).won(declarer.side) if length == 13 else rng.randint(0, 13)
        play = play if length == 13 else replace(play, claim=result)
    return Board(
        number=number,
        dealer=first,
        vulnerability=standard_vulnerability(number),
        deal=deal,
        tricks=_tricks(rng, declarer if seed % 4 == 3 else None),
        declarer=declarer,
        play=play,
        auction=auction,
        contract=contract,
        result=result,
        score=10 * rng.randint(-100, 100),
        players=("West", "North", "East", "South"),
        teams=("Home", "Away"),
        comments=(Comment("a remark"),),
        **_TEXTS,
    )


def _tricks(rng: Random, alone: Seat | None) -> Tricks:
    """Return a trick table of random numbers; with ``alone`` only those of that declarer are known, as some formats have no
    others.
    """
    return Tricks(bytes(UNSOLVED if alone is not None and at % 4 != alone else rng.randint(0, 13) for at in range(20)))


def _deal(rng: Random) -> Deal:
    holders = [slot % 4 for slot in range(52)]
    rng.shuffle(holders)
    return Deal(bytes(holders))


def _auction(rng: Random, first: Seat) -> Auction:
    """Return a complete legal auction, not passed out. Some calls are alerted and have an explanation."""
    calls: list[AuctionCall] = []
    state = AuctionState()
    while not state.is_over:
        # Among the next six bids, so that most auctions end below a grand slam.
        legal = [call for call in _BIDS if state.why_not(call) is None][:6]
        # Somebody opens: a board that is passed out has neither a declarer nor a play.
        call = rng.choice(legal) if legal and (state.bid is None or rng.random() < 0.35) else PASS
        words = rng.choice([None, "words", "two words"]) if rng.random() < 0.4 else None
        calls.append(AuctionCall(call, words is not None, words))
        state = state.then(call)
    return Auction(tuple(calls), first)


def _play(rng: Random, deal: Deal, declarer: Seat, strain: Strain, tricks: int) -> Play:
    """Return the play of the first ``tricks`` tricks: random cards, following suit."""
    hands = {seat: list(deal.cards(seat)) for seat in Seat}
    leader, made = declarer.next, list[Trick]()
    for _ in range(tricks):
        cards: list[Card] = []
        for turn in range(4):
            hand = hands[Seat((leader + turn) % 4)]
            follow = [card for card in hand if cards and card.suit == cards[0].suit] or hand
            cards.append(rng.choice(follow))
            hand.remove(cards[-1])
        made.append(Trick(leader, tuple(cards)))
        won = winner(made[-1], strain)
        leader = leader if won is None else won
    return Play(tuple(made))


@dataclass(frozen=True, slots=True)
class Probe:
    """A failed trial: ``lost`` describes how ``term`` came back (an empty term means the whole board); ``help`` is the remedy."""

    term: str
    lost: str
    help: str | None = None


def trials(
    binder: Binder,
    write: Callable[[Document], tuple[bytes, Document]],
    read: Callable[[bytes], tuple[Document, str | None]],
    count: int = SPECIMENS,
) -> Iterator[Probe]:
    """Write probe boards, read them back, and yield a `Probe` for each declared term that does not come back.

    ``write`` returns the bytes and the document that they should state; ``read`` returns a document and its first error. A board
    that cannot be written is no failure, unless that is so for all boards. A difference between what is lost and what would be
    reported as lost is a failure too.
    """
    made = _Trials(binder, write, read)
    seeds = range(count if made.claimed else 0)
    for seed in seeds:
        made.write_back(seed)
    if made.refused and len(made.refused) == count:
        yield Probe("", f"no generated board can be written: {made.refused[0]}")
        return
    yield from (Probe(name, reason) for name, reason in made.failed.items())
    yield from (
        Probe(term.NAME, "nothing that was generated comes back whole")
        for term in made.claimed
        if term.NAME not in made.kept and term.NAME not in made.failed and is_stated(term.compared(specimen(0)))
    )
    if "deal" in made.kept:
        seed = next(seed for seed in seeds if seed not in made.refused)
        try:
            write(Document((made.board(seed, VOIDS),)))
        except WriteError as error:
            yield Probe("deal", f"a hand that is void in a suit cannot be written: {error}", _SPELL_VOIDS)


_SPELL_VOIDS = "spell a void too, with the mark - or as an empty text, or make the part of a suit optional"


class _Trials:
    """Probe boards written in one format and read back, with the results; made by `trials` for one schema."""

    def __init__(
        self,
        binder: Binder,
        write: Callable[[Document], tuple[bytes, Document]],
        read: Callable[[bytes], tuple[Document, str | None]],
    ) -> None:
        self.write, self.read = write, read
        self.claimed = [TERMS[name] for name in BOARD if name in TERMS and name in binder.written and TERMS[name].ON == "board"]
        """The terms that the schema states of a board."""
        self.words = set(_words(binder))
        self.rows = binder.given("tables")
        self.refused: dict[int, str] = {}
        """Why a probe board cannot be written, by its seed."""
        self.failed: dict[str, str] = {}
        """The first failure of each term; that of the whole board under the empty name."""
        self.kept: set[str] = set()
        """The terms that at least one board has brought back without loss."""

    def board(self, seed: int, deal: Deal | None = None) -> Board:
        """Return the probe board of a seed with its number, and only the fields of the claimed terms."""
        whole = specimen(seed, deal)
        whole = replace(whole, tables=_tables.made_up(whole, self.rows, seed % 3))
        return Board(
            number=whole.number, **{term.NAME: getattr(whole, term.NAME) for term in self.claimed if term.NAME != "number"}
        )

    def write_back(self, seed: int) -> None:
        """Write the probe board of a seed, read it back, and compare each term."""
        board = self.board(seed)
        try:
            data, placed = self.write(Document((board,)))
        except WriteError as error:
            self.refused[seed] = str(error)
            return
        document, wrong = self.read(data)
        if wrong is not None:
            self.failed.setdefault("", f"what is written cannot be read: {wrong}")
        stated = placed.boards[0] if placed.boards else Board()
        for term in self.claimed:
            self._compare(term, board, stated, document)

    def _compare(self, term: Term, board: Board, placed: Board, document: Document) -> None:
        """Compare a term of a board with ``document``, which was read back, and with ``placed``, which was predicted from the plain
        values. Add the term to `kept` if nothing is lost, and to `failed` with the reason if it is another or mispredicted.
        """
        back = document.boards[0] if document.boards else Board()
        own: Any = getattr(back, term.NAME)
        stated = own if is_stated(own) else getattr(document, term.NAME, own)  # not `or`: West is 0
        found = back if stated == own else replace(back, **{term.NAME: stated})
        roomless = {kind for kind, roles in term.PARTS.items() if not roles & self.words}
        lost = set(term.losses(board, found)) - roomless
        if not lost:
            self.kept.add(term.NAME)
        # A format may have no field for some values of a term; a value read back as another is a fault of the schema.
        elif is_stated(term.compared(found)):
            self.failed.setdefault(term.NAME, "{} comes back as {}".format(*_shown(term.compared(board), term.compared(found))))
        reported = term.losses(board, placed)
        # The losses reported while writing must be those that reading back shows.
        if reported != term.losses(board, back):
            what = "is reported as lost, and comes back" if reported else "is written, and does not come back"
            self.failed.setdefault(term.NAME, f"{next(_shown(term.compared(board)))} {what}")


def _words(binder: Binder) -> Iterator[str]:
    """Yield the names and words of a schema's fields that may be roles."""
    for decl in binder.top.walk():
        yield from (decl.word_name, decl.binding.role or "")
        yield from (word.rpartition(".")[2] for word in (decl.pair.words.values() if decl.pair is not None else ()))


def _shown(*values: Any) -> Iterator[str]:
    """Yield each value as text, cut to a part that begins shortly before the first difference."""
    texts = [str(value) for value in values]
    # Long values mostly begin alike: the first difference must be visible.
    alike = next((at for at, signs in enumerate(zip(*texts, strict=False)) if len({*signs}) > 1), 0)
    start = max(alike - _MOST // 3, 0)
    for text in texts:
        yield "..." * (start > 0) + text[start : start + _MOST] + "..." * (len(text) > start + _MOST)
