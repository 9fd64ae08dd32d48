"""The bidder for users, which takes hands and auctions as text or as values of the model.

`Bidder` parses the arguments, calls a `BiddingEngine`, and returns values of the model. Wrong arguments raise UsageError.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bridgespec.bidding.best_auction import Search
from bridgespec.bidding.engine import BiddingEngine
from bridgespec.bidding.judgement import MEMORY_MB, CallJudge, Leads, rank_leads
from bridgespec.bidding.knowledge import KnownHand
from bridgespec.bidding.meaning_system import CardSystem, is_card, read_card
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, Turn, call_of, number_of
from bridgespec.errors import UsageError
from bridgespec.model.auction import Auction, AuctionCall, Call, first_illegal
from bridgespec.model.board import Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.cards import SUITS, Seat, Side
from bridgespec.model.convention_card import System
from bridgespec.model.deal import Deal
from bridgespec.model.evaluate import HandBits, evaluate, hand_of, hands_of_deal
from bridgespec.model.hand import Hand
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Solver

SystemSource = BiddingSystem | System | str | Path
"""What `Bidder` takes as a system: a name or file, a system, or a Full Disclosure table of the model."""
_WORD = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class HandKnowledge:
    """The ranges that calls have shown of one hand, in whole numbers: high-card points, points with length, the lengths S H D C.

    Created from a `KnownHand`, over all of its boxes.
    """

    hcp: tuple[int, int]
    points: tuple[int, int]
    lengths: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        parts = [f"{_span(self.hcp, 37)} hcp"] if self.hcp != (0, 37) else []
        parts += [f"{_span(span, 13)} {suit}" for suit, span in zip(SUITS, self.lengths, strict=True) if span[0] > 0 or span[1] < 8]
        return ", ".join(parts) or "anything"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the calls of an auction show of each hand, W N E S, and the interpretation of each call.

    >>> told = Bidder("sayc").knowledge("1N P 2H P")
    >>> told.of(Seat.NORTH).hcp, str(told.of(Seat.SOUTH))
    ((15, 17), '5+ S')
    """

    hands: tuple[HandKnowledge, HandKnowledge, HandKnowledge, HandKnowledge]
    meanings: tuple[str, ...]

    def of(self, seat: Seat) -> HandKnowledge:
        """Return what the calls have shown of the hand of a seat."""
        return self.hands[seat]


@dataclass(frozen=True, slots=True)
class Considered:
    """One rule of a `Trace`: its call, explanation, file and line, and the reason why it was not chosen (None: it was)."""

    call: Call
    text: str
    place: str
    why_not: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """How a call was chosen: the rules that apply at the turn, and what the calls have shown before and after the call.

    Created by `Bidder.explain`. If no rule in ``considered`` was chosen, the call is the fallback.
    """

    call: Call
    considered: tuple[Considered, ...]
    knowledge: Knowledge
    after: Knowledge


@dataclass(frozen=True, slots=True)
class BestAuction:
    """The best auction of a deal that the rules of both sides allow, and the auction as bid. Created by `Bidder.best`.

    ``score`` and ``bid_score`` are their points for North-South, double dummy by ``tricks``. ``left`` is the index of the first
    call in which they differ (None: they do not), ``places`` has the file and line of the rule of each call of the best auction. At
    most ``departures`` calls of an auction were allowed to differ from what the rules prefer; ``complete`` is whether allowing more
    changes nothing. ``visits`` is the number of turns that were visited.
    """

    best: Auction
    as_bid: Auction
    score: int
    bid_score: int
    left: int | None
    places: tuple[str, ...]
    tricks: Tricks
    departures: int
    complete: bool
    visits: int


LAYOUTS = 50
"""The number of layouts by which leads are ranked, unless the bidder has a number of samples."""
DECISIONS = 4
"""The most calls of one auction that are judged by sampling."""


@dataclass(slots=True)
class _Budget:
    """The number of layouts for each call that is judged, and how many more calls may be judged. Created for one auction."""

    samples: int
    left: int = 0

    def __post_init__(self) -> None:
        self.left = DECISIONS if self.samples else 0


class Bidder:
    """Bids by one system for both sides, or by one system for each side (``ns``, ``ew``).

    A system is a name, a file, or a `BiddingSystem`. Names are looked for in ``folders``, in the folders of the environment
    variable ``BRIDGESPEC_BIDDING``, and in the package. It may also be a Full Disclosure table (a file, or a
    `convention_card.System`): the table interprets and vetoes calls, and the system ``base`` chooses them.

    ``samples`` is the number of layouts that are dealt and solved where several rules fit a hand, 0 for none. A hand is a `Hand`,
    its text (``AKQ95.AT3.KJ2.97``) or four holdings. An auction is its text (``1N P 2C P``) or a list of calls, from the dealer's
    on. Every method raises UsageError for an invalid hand, auction or system, with the position in the text.

    >>> bidder = Bidder("sayc")
    >>> str(bidder.call("AKQ95.AT3.KJ2.97", "")), str(bidder.call("Q732.K65.AJ72.T9", "1N P"))
    ('1NT', '2C')
    >>> deal = "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"
    >>> " ".join(str(call) for call in bidder.auction(deal, board=1))  # doctest: +ELLIPSIS
    'Pass 1S Pass ...'
    """

    def __init__(
        self,
        system: SystemSource = "sayc",
        *,
        ns: SystemSource | None = None,
        ew: SystemSource | None = None,
        samples: int = 0,
        folders: Sequence[Path] = (),
        base: str = "sayc",
    ) -> None:
        ours, theirs = (system if own is None else own for own in (ns, ew))
        # One object for both sides where they bid alike: an engine then indexes its rules once.
        made = system_of(ours, folders, base)
        self._systems = {Side.NS: made, Side.EW: made if theirs is ours else system_of(theirs, folders, base)}
        self._engines: dict[Side, BiddingEngine] = {}
        self.samples = samples

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle: the systems, without the engines and their turns."""
        # Thousands of turns refer to each other, and are cheaper to compute again.
        return {**self.__dict__, "_engines": {}}

    @property
    def told(self) -> tuple[str, ...]:
        """A sentence for each Full Disclosure table on how much of it can be used; empty if both sides bid by rules."""
        tables = [system.coverage for system in self._systems.values() if isinstance(system, CardSystem)]
        return tuple(dict.fromkeys(tables))

    @property
    def modules(self) -> tuple[object, ...]:
        """The files of both systems as read (`Module`); bidders with equal modules and samples bid alike."""
        return tuple(module for system in self._systems.values() for module in system.modules)

    def _engine(self, dealer: Seat) -> BiddingEngine:
        """Return the engine for auctions that a seat deals, which is made once for each side."""
        side = dealer.side
        if side not in self._engines:
            self._engines[side] = BiddingEngine(self._systems[side], self._systems[side.opponents])
        return self._engines[side]

    def turn(self, auction: str | Sequence[Call], dealer: str | Seat = "N", vulnerable: str | Vulnerability = "none") -> Turn:
        """Return the turn after an auction, with the interpretation of its calls and what they have shown of each hand."""
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        engine = self._engine(seat)
        turn = engine.start(_sides(seat, vulnerable))
        for call in legal_calls(auction):
            turn = engine.after(turn, number_of(call))
        return turn

    def call(
        self,
        hand: str | Hand | HandBits,
        auction: str | Sequence[Call] = "",
        dealer: str | Seat = "N",
        vulnerable: str | Vulnerability = "none",
    ) -> Call:
        """Return the call of the hand after the auction."""
        holdings = _hand(hand)
        turn = self.turn(auction, dealer, vulnerable)
        if turn.is_over:
            raise UsageError(_over(turn))
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        return call_of(self._choose(self._engine(seat), turn, holdings, _Budget(self.samples)))

    def auction(
        self, deal: Deal | str, board: int | None = None, dealer: str | Seat = "N", vulnerable: str | Vulnerability = "none"
    ) -> Auction:
        """Bid a deal, and return the auction with an explanation of each call.

        ``board`` is a number by which dealer and vulnerability are set, instead of ``dealer`` and ``vulnerable``.
        """
        engine, turn, hands, seat = self._deal(deal, board, dealer, vulnerable)
        # One budget for the whole auction: solving layouts takes far longer than a call by the rules.
        budget = _Budget(self.samples)
        while not turn.is_over:
            call = self._choose(engine, turn, hands[turn.me], budget)
            turn = engine.after(turn, call)
        return explained_auction(turn, seat)

    def best(
        self, deal: Deal | str, board: int | None = None, dealer: str | Seat = "N", vulnerable: str | Vulnerability = "none"
    ) -> BestAuction:
        """Return the auction in which each side makes its best calls against the best calls of the other, double dummy, among the
        calls that its rules allow.

        >>> deal = "N:KQ62.A74.K32.Q95 T85.J62.QJ9.T843 AJ93.KQ5.A85.A72 74.T983.T764.KJ6"
        >>> found = Bidder("sayc").best(deal, board=1)
        >>> str(found.as_bid.contract), str(found.best.contract)
        ('4S', '3NT')
        """
        engine, turn, hands, seat = self._deal(deal, board, dealer, vulnerable)
        parsed = Deal.parse(deal) if isinstance(deal, str) else deal
        with Solver(MEMORY_MB) as solver:
            tricks = solver.table(parsed)
        found = Search(engine, hands, tricks.cells, seat).run(turn)
        bid, best = explained_auction(found.as_bid, seat), explained_auction(found.best, seat)
        places = tuple(meaning.place for meaning in found.best.meanings)
        scores = found.score, found.bid_score
        return BestAuction(best, bid, *scores, found.left, places, tricks, found.departures, found.complete, found.visits)

    def _deal(
        self, deal: Deal | str, board: int | None, dealer: str | Seat, vulnerable: str | Vulnerability
    ) -> tuple[BiddingEngine, Turn, tuple[HandBits, ...], Seat]:
        """Return the engine, the first turn, the four hands with the dealer's first, and the dealer."""
        try:
            hands = hands_of_deal((Deal.parse(deal) if isinstance(deal, str) else deal).holders)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if board is not None:
            dealer, vulnerable = standard_dealer(board), standard_vulnerability(board)
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        engine = self._engine(seat)
        return engine, engine.start(_sides(seat, vulnerable)), tuple(hands[(seat + place) % 4] for place in range(4)), seat

    def knowledge(
        self, auction: str | Sequence[Call], dealer: str | Seat = "N", vulnerable: str | Vulnerability = "none"
    ) -> Knowledge:
        """Return what the calls of an auction show of each hand, and their explanations."""
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        return _knowledge(self.turn(auction, seat, vulnerable), seat)

    def explain(
        self,
        hand: str | Hand | HandBits,
        auction: str | Sequence[Call] = "",
        dealer: str | Seat = "N",
        vulnerable: str | Vulnerability = "none",
    ) -> Trace:
        """Return how the rules, without samples, choose the call: each rule that applies, and why it was not chosen."""
        holdings = _hand(hand)
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        turn = self.turn(auction, seat, vulnerable)
        if turn.is_over:
            raise UsageError(_over(turn))
        engine = self._engine(seat)
        choice = engine.choose(turn, holdings)
        values = evaluate(holdings)
        considered = []
        for candidate in engine.candidates(turn):
            why = None if candidate is choice.candidate else candidate.why_not(values)
            rule = candidate.rule.written
            considered.append(Considered(call_of(candidate.call), rule.text, str(rule.place), why))
        after = engine.after(turn, choice.call)
        return Trace(call_of(choice.call), tuple(considered), _knowledge(turn, seat), _knowledge(after, seat))

    def leads(
        self,
        hand: str | Hand | HandBits,
        auction: str | Sequence[Call],
        dealer: str | Seat = "N",
        vulnerable: str | Vulnerability = "none",
    ) -> Leads:
        """Return the opening leads of a hand against the contract of a finished auction, best first.

        They are judged by ``samples`` layouts that fit the auction, or by `LAYOUTS` if ``samples`` is 0. The hand is that of the
        leader.
        """
        seat = dealer if isinstance(dealer, Seat) else _seat(dealer)
        turn = self.turn(auction, seat, vulnerable)
        if not turn.is_over or turn.last_turn < 0:
            raise UsageError("a lead needs an auction that ended in a contract")
        return rank_leads(turn, _hand(hand), self.samples or LAYOUTS)

    def _choose(self, engine: BiddingEngine, turn: Turn, hand: HandBits, budget: _Budget) -> int:
        """Return the number of the call: by samples as long as the budget allows, else by the rules."""
        if budget.left <= 0:
            return engine.choose(turn, hand).call
        call, used = CallJudge(engine, budget.samples, _seed(turn, hand)).choose(turn, hand)
        budget.left -= used
        return call


def explained_auction(turn: Turn, first: Seat) -> Auction:
    """Return the calls before ``turn`` as an auction, with the explanation of each call; ``first`` is the dealer."""
    made = tuple(
        AuctionCall(call_of(number), alert=meaning.artificial, explanation=meaning.text or None)
        for number, meaning in zip(turn.calls, turn.meanings, strict=True)
    )
    return Auction(made, first)


def _seed(turn: Turn, hand: HandBits) -> int:
    """Return the seed for the layouts of one decision."""
    # Not `hash`, which differs from process to process for texts: the same hand must get the same layouts everywhere.
    return zlib.crc32(repr((turn.calls, turn.vulnerable, hand)).encode())


def _over(turn: Turn) -> str:
    """Return the message for a finished auction after which a call is requested."""
    made = " ".join(CALL_NAMES[call] for call in turn.calls)
    return f"the auction is over with call {len(turn.calls)}: nobody has a turn after {made}"


def legal_calls(auction: str | Sequence[Call]) -> list[Call]:
    """Return the calls of an auction. Raises UsageError for a word that is not a call and for an illegal call.

    >>> legal_calls("1S P 1H")
    Traceback (most recent call last):
    bridgespec.errors.UsageError: call 3 of the auction, 1H at character 6, is not allowed: insufficient
    """
    if not isinstance(auction, str):
        calls, words = list(auction), [""] * len(auction)
    else:
        calls, words = [], []
        for word in _WORD.finditer(auction):
            words.append(f" at character {word.start() + 1}")
            try:
                calls.append(Call.parse(word[0]))
            except ValueError:
                raise UsageError(f"call {len(words)} of the auction is not a call: {word[0]!r}{words[-1]}") from None
    wrong = first_illegal(calls)
    if wrong is not None:
        index, why = wrong
        what = f"call {index + 1} of the auction, {calls[index]}{words[index]}"
        raise UsageError(f"{what}, is not allowed: {why.name.lower().replace('_', ' ')}")
    return calls


def system_of(system: SystemSource, folders: Sequence[Path] = (), base: str = "sayc") -> BiddingSystem:
    """Return the system of a name, of a file of rules, or of a Full Disclosure table, for which ``base`` chooses the calls."""
    if isinstance(system, BiddingSystem):
        return system
    if isinstance(system, System):
        return CardSystem(system, BiddingSystem.load(base, folders))
    if is_card(system):
        return CardSystem(read_card(Path(system)), BiddingSystem.load(base, folders), Path(system).name)
    return BiddingSystem.load(system, folders)


def _hand(hand: str | Hand | HandBits) -> HandBits:
    """Return the four holdings of a hand. Raises UsageError if the text is not a hand."""
    if not isinstance(hand, str | Hand):
        return hand
    try:
        return hand_of(str(hand))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _seat(text: str) -> Seat:
    """Return the seat of a letter or name. Raises UsageError if there is none."""
    try:
        return Seat.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _sides(dealer: Seat, vulnerable: str | Vulnerability) -> tuple[bool, bool]:
    """Return whether the dealer's side and whether the other side is vulnerable."""
    if isinstance(vulnerable, str):
        try:
            value = Vulnerability.parse(vulnerable)
        except ValueError:
            raise UsageError(f"vulnerable is none, ns, ew or both, not {vulnerable!r}") from None
    else:
        value = vulnerable
    own, other = value.covers(dealer.side), value.covers(dealer.side.opponents)
    return own, other


def _knowledge(turn: Turn, dealer: Seat) -> Knowledge:
    """Return what the calls before ``turn`` show of each seat's hand."""
    hands = [hand_knowledge(turn.known[(seat - dealer) % 4]) for seat in Seat]
    return Knowledge((hands[0], hands[1], hands[2], hands[3]), tuple(meaning.text for meaning in turn.meanings))


def hand_knowledge(known: KnownHand) -> HandKnowledge:
    """Return the ranges of a hand in whole numbers, as users see them."""
    lengths = tuple((int(low), int(high)) for low, high in known.lengths)
    return HandKnowledge(_rounded_down(known.hcp), _rounded_down(known.points), lengths)


def _rounded_down(span: tuple[float, float]) -> tuple[int, int]:
    return int(span[0]), int(span[1])


def _span(span: tuple[int, int], most: int) -> str:
    """Return a range in words; from ``most`` on the upper end is open, and for a length (13) from 8 on."""
    low, high = span
    # "5-8 spades" would suggest a limit that no rule meant.
    return str(low) if low == high else f"{low}+" if high >= most or (most == 13 and high >= 8) else f"{low}-{high}"
