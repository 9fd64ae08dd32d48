"""Numbers of boards: of each, and of the first and the last in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridgespec.codec.record import RecordView
from bridgespec.codec.terms._base import Asked, Offer, Said, Term
from bridgespec.codec.terms._values import NOT_A_NUMBER


def number_of(view: RecordView, role: str = "number") -> int | None:
    """The number that a part is or spells; of a record, that of its part ``role``."""
    part = view.own(role)
    if part is None:
        return None
    found = part.number
    if found is None and part.text.strip(" ") and not part.broken:
        part.report(NOT_A_NUMBER, f"{part.text!r} is not a number")
    return found


class Number(Term):
    """The board's number."""

    NAME = "number"
    DOC = "the board's number"
    ROLES: Mapping[str, str] = {"number": "the number", "unknown": "that it is not known"}
    KINDS = "the board numbers"
    UNHELD = "board numbers other than consecutive ones"
    FOLLOWS = None

    def of(self, view: RecordView, said: Said) -> int | None:
        """The number."""
        return number_of(view)

    def without(self, said: Said) -> int:
        """Boards count on."""
        return said.counted()

    def kind_of(self, board: Any, place: int) -> object:
        """Numbers that are the places of their boards, by what they tell of dealer and vulnerability, and by their size."""
        return (place % 16, len(str(place)), place.bit_length()) if board.number == place else super().kind_of(board, place)

    def write(self, asked: Asked) -> Offer:
        """The number; the place in the file where there is none."""
        number = asked.board.number
        number = asked.index + 1 if number is None else number
        spelled = (number, 1) if number < 1 else number
        return {"number": spelled, "": spelled}


class OfFile(Term):
    """The number of a file's first or last board."""

    ON = "file"
    ROLES: Mapping[str, str] = {"number": "the number"}

    def __init__(self, name: str, doc: str, place: int) -> None:
        self.NAME = name
        self.DOC = doc
        self.place = place

    def of(self, view: RecordView, said: Said) -> int | None:
        """The number."""
        return number_of(view)

    def write(self, asked: Asked) -> Offer:
        """The number of the first or the last board of the document, its place where it has none."""
        boards = asked.document.boards
        place = self.place % len(boards) if boards else 0
        number = (boards[place].number if boards else None) or place + 1
        return {"number": number, "": number}


number = Number()
first_number = OfFile("first_number", "the number of the first board", 0)
last_number = OfFile("last_number", "the number of the last board", -1)
