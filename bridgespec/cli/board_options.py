"""Parse options that describe a board: seats, calls, contracts and cards as people type them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import click

from bridgespec.cli.options import SUIT_LETTERS, VULNERABILITIES
from bridgespec.errors import UsageError
from bridgespec.model.auction import Auction
from bridgespec.model.board import Board
from bridgespec.model.cards import RANKS, SUITS, Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.playing import analyse, play_of_cards


@dataclass(frozen=True)
class Stated:
    """The options of a command that describe a board, as typed. Made once for each call of the command."""

    dealer: str | None = None
    vul: str | None = None
    contract: str | None = None
    auction: str | None = None
    play: str | None = None
    result: int | None = None

    def applied(self, board: Board) -> Board:
        """Return the board with the options applied. Raises UsageError or BadParameter for invalid ones."""
        if self.dealer is not None:
            board = replace(board, dealer=seat_of(self.dealer, "--dealer"))
        if self.vul is not None:
            board = replace(board, vulnerability=VULNERABILITIES[self.vul.lower()])
        if self.auction is not None:
            # Contract and declarer of the source belong to another auction; those of this one follow from it.
            board = replace(board, auction=_auction(self.auction, board.effective_dealer), contract=None, declarer=None)
        if self.contract is not None:
            contract, declarer = _contract(self.contract)
            board = replace(board, contract=contract, declarer=declarer)
        if self.play is not None:
            board = _played(board, cards_of(self.play, "--play"))
        return board if self.result is None else replace(board, result=self.result)


def _played(board: Board, cards: Sequence[Card]) -> Board:
    """Return the board with the play of these cards and, for 52 cards, the declarer's tricks. Raises BadParameter for a wrong
    card.
    """
    contract, declarer = board.effective_contract, board.effective_declarer
    if contract is None or declarer is None:
        raise UsageError("what is played? A play needs --contract or --auction")
    if len(set(cards)) < len(cards):
        raise click.BadParameter("a card is played twice", param_hint="--play")
    play = play_of_cards(cards, declarer.next, contract.strain, board.deal.holders if board.deal else None)
    judged = analyse(play, contract.strain, declarer, board.deal)
    if judged.faults:
        first = judged.faults[0]
        place = 4 * first.trick + (first.index or 0)
        words = first.fault.name.lower().replace("_", " ")
        raise click.BadParameter(
            f"card {place + 1} ({cards[place]}) of {first.seat.name.title()} is not allowed: {words}", param_hint="--play"
        )
    # Only a play of 52 cards counts its tricks: a shorter one may have ended in a claim.
    return replace(board, play=play, result=judged.won(declarer.side) if len(cards) == 52 else board.result)


def seat_of(text: str, option: str) -> Seat:
    """Return the seat that an option names. Raises BadParameter, which names the option, for any other text."""
    """Return the seat that an option names. Raises BadParameter, which names the option, for any other text."""
    try:
        return Seat.parse(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a seat; say W, N, E or S", param_hint=option) from None


def _contract(text: str) -> tuple[Contract, Seat | None]:
    """Return the contract and declarer of ``4SX by south``, ``4SX-S`` or ``4SX S``; ``pass`` has none."""
    words = re.split(r"\s+by\s+|\s*-\s*|\s+", text.strip(), flags=re.IGNORECASE)
    try:
        contract = Contract.parse(" ".join(words[:-1]) if len(words) > 1 else words[0])
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--contract") from None
    if contract.is_passed_out:
        return contract, None
    if len(words) < 2:
        raise click.BadParameter(f"who plays it? Say '{text} by south'", param_hint="--contract")
    return contract, seat_of(words[-1], "--contract")


def _auction(text: str, dealer: Seat | None) -> Auction:
    """Return the auction of ``P 1NT P 3NT``. Raises UsageError without a dealer, BadParameter for a call that is not allowed."""
    """Return the auction of ``P 1NT P 3NT``. Raises UsageError without a dealer, BadParameter for a call that is not allowed."""
    if dealer is None:
        raise UsageError("who deals? An auction needs --dealer")
    try:
        # Auctions are also typed as 1NT-P-3NT.
        auction = Auction.parse(text.replace("-", " ").replace(",", " "), dealer)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--auction") from None
    if auction.first_illegal is not None:
        index, reason = auction.first_illegal
        words = reason.name.lower().replace("_", " ")
        raise click.BadParameter(f"call {index + 1} ({auction.plain[index]}) is not allowed: {words}", param_hint="--auction")
    return auction


def cards_of(text: str, option: str) -> tuple[Card, ...]:
    """Return the cards of ``SQ S8 SK``, ``SQS8SK`` or ``♠Q ♠8``; ``10`` is a ten."""
    plain = re.sub(r"[\s,:-]+", "", text.translate(SUIT_LETTERS).upper()).replace("10", "T")
    if len(plain) % 2:
        raise click.BadParameter(f"{text!r}: cards are a suit and a rank each, like SQ", param_hint=option)
    cards = [plain[at : at + 2] for at in range(0, len(plain), 2)]
    for card in cards:
        if card[0] not in SUITS or card[1] not in RANKS:
            raise click.BadParameter(f"{card!r} is not a card; cards are like SQ or DT", param_hint=option)
    return tuple(map(Card.parse, cards))
