"""The errors of the solver; `raise_for` turns a status of the C library into one of them."""

from __future__ import annotations

from bridgespec.errors import BridgespecError
from bridgespec.model.cards import Card, Seat
from bridgespec.model.deal import UNKNOWN
from bridgespec.solver.library import ffi, lib


class PositionError(BridgespecError, ValueError):
    """A position or a play is impossible. ``seat``, ``card`` and ``index`` locate the error; ``index`` is that of a card in a play,
    or of a deal in a batch. None if it does not apply.
    """

    def __init__(self, message: str, seat: Seat | None = None, card: Card | None = None, index: int | None = None) -> None:
        super().__init__(message)
        self.seat = seat
        self.card = card
        self.index = index


class Cancelled(BridgespecError):
    """The search was stopped before its end, by `Solver.cancel` or by the parameter ``cancel``."""


class SolverError(BridgespecError):
    """The solver cannot be used (it is closed, or busy in another thread), or an argument is out of range."""


def status_text(status: int) -> str:
    """Return the C library's message for a status.

    >>> status_text(lib.BSDD_HAND_SIZE)
    'a hand holds too many or too few cards'
    """
    text: bytes = ffi.string(lib.bsdd_status_text(status))
    return text.decode("ascii")


def raise_for(status: int, holders: bytes, problem: object = None) -> None:
    """Raise the exception for a status of the C library, unless it is success.

    ``holders`` is the deal, for the message. ``problem`` is the C structure that locates the error, None if there is none.
    """
    if status == lib.BSDD_OK:
        return
    if status == lib.BSDD_CANCELLED:
        raise Cancelled("the solver was stopped")
    if status == lib.BSDD_NO_MEMORY:
        raise MemoryError("not enough memory for the solver")
    if status == lib.BSDD_BAD_ARGUMENT:
        raise SolverError(status_text(status))
    where = {name: _problem_field(problem, name) for name in ("seat", "card", "index")}
    seat = None if where["seat"] is None or where["seat"] > 3 else Seat(where["seat"])
    card = None if where["card"] is None or where["card"] > 51 else Card(where["card"])
    raise PositionError(_message(status, holders, seat, card, where["index"]), seat, card, where["index"])


def _problem_field(problem: object, name: str) -> int | None:
    """Return a field of the C structure ``bsdd_problem``; None if it is not set."""
    value = -1 if problem is None else int(getattr(problem, name))
    return None if value < 0 else value


def _message(status: int, holders: bytes, seat: Seat | None, card: Card | None, index: int | None) -> str:
    """Return the message of a PositionError; the C library's text where there is none with seat and card."""
    who = "nobody" if seat is None else seat.name.capitalize()
    at = "" if index is None else f"card {index + 1} of the play: "
    if status == lib.BSDD_BAD_HOLDER and card is not None and holders[card] == UNKNOWN:
        return f"nobody says who holds {card}: a position needs every card's place"
    if status == lib.BSDD_HAND_SIZE and seat is not None:
        sizes = ", ".join(f"{other.letter} {holders.count(other)}" for other in Seat)
        return f"{who} holds too many or too few cards ({sizes}): hands are equal, less one for the current trick's cards"
    if status == lib.BSDD_TRICK_CARD_HELD:
        return f"{card} was played to the current trick, but {who} still holds it"
    if status == lib.BSDD_CARD_TWICE:
        return f"{card} stands twice in the current trick"
    if status == lib.BSDD_REVOKE:
        return f"{who} played {card} to the current trick, but holds the suit led"
    if status == lib.BSDD_PLAY_NOT_HELD:
        return f"{at}{who} does not hold {card}"
    if status == lib.BSDD_PLAY_REVOKE:
        return f"{at}{who} plays {card}, but holds the suit led"
    if status == lib.BSDD_PLAY_TOO_LONG:
        return f"{at}no cards are left"
    return at + status_text(status)
