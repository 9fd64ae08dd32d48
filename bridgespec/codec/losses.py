"""What a format lost of a document: told by reading back what was written, and comparing it term by term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from bridgespec.codec.bind import Binder, FileOrigin, Origin
from bridgespec.codec.fill import LOST
from bridgespec.codec.terms import TERMS
from bridgespec.codec.terms._base import Term
from bridgespec.diagnostic import Diagnostic
from bridgespec.model.board import Board
from bridgespec.model.document import Document

_EMPTY = Board()
_BLANK = ("", 0, b"", False, None)


def losses(binder: Binder, document: Document, again: Callable[[], Document]) -> list[Diagnostic]:
    """A finding for each kind of what is lost, with its count; ``again`` reads what was written."""
    if not binder.terms:
        return []
    lost: Counter[str] = Counter()
    back = again()
    for name in ("event", "site", "date", "system"):
        value = getattr(document, name)
        if value is not None and getattr(back, name) != value and any(getattr(board, name, None) != value for board in back.boards or [_EMPTY]):
            lost["the bidding system" if name == "system" else f"the {name}"] += 1
    if len(back.boards) != len(document.boards):
        lost["boards"] += abs(len(document.boards) - len(back.boards))
    for one, two in zip(document.boards, back.boards, strict=False):
        for term in TERMS.values():
            if term.ON == "board" and not _unchanged(one, term, binder):
                lost.update(term.lost(_value(one, term), _value(two, term)))
    lost.update(_kept(binder, document))
    return [
        Diagnostic(LOST.name, LOST.severity, f"{binder.spec.id} cannot hold {kind if count == 1 else f'{kind} ({count} times)'}")
        for kind, count in lost.items()
    ]


def _unchanged(board: Board, term: Term, binder: Binder) -> bool:
    """Whether a board stands as it was read by the same format."""
    del board, term, binder
    return False


def _value(board: Board, term: Term) -> Any:
    """What a board says of a term, as it is played out: dealer and vulnerability follow from the number."""
    value = getattr(board, f"effective_{term.NAME}", None)
    return getattr(board, term.NAME) if value is None else value


def _kept(binder: Binder, document: Document) -> Counter[str]:
    """Fields that only the source's own format has."""
    found: Counter[str] = Counter()
    for board in document.boards:
        origin = board.origin
        if not isinstance(origin, Origin) or origin.spec == binder.spec.id:
            continue
        for child in origin.node.children or ():
            decl = child.decl
            if decl is not None and decl.binding.opaque and decl.binding.default is None and child.value not in _BLANK:
                found[f"the field {decl.name} of {origin.spec}"] += 1
    return found


__all__ = ["FileOrigin", "fields", "losses"]
