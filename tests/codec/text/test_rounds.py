"""A repeated section is written alike whether its choices are tried for each round or known from the first."""

from __future__ import annotations

from typing import Any

import pytest

from bridgespec import Board, Document
from bridgespec.codec.specimens import specimen
from bridgespec.codec.text.pieces import Many
from bridgespec.engines import Engine, engine
from bridgespec.model.board import Comment

FORMATS = sorted(spec.id for spec in engine().catalog.all() if spec.language == "lark" and engine().of(spec).binder.written)


def boards() -> Document:
    """Boards whose auctions and plays are whole, cut short and remarked."""
    remark = Comment("remark", ("auction", 1))
    return Document(tuple(board for seed in range(6) for board in (specimen(seed), Board(**_remarked(specimen(seed + 6), remark)))))


def _remarked(board: Board, remark: Comment) -> dict[str, object]:
    names = ("number", "dealer", "deal", "declarer", "play", "auction", "contract", "result")
    return {**{name: getattr(board, name) for name in names}, "comments": (remark,)}


@pytest.mark.parametrize("format", FORMATS)
def test_known_rounds_are_written_as_choices_write_them(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, and the same reasons for what is refused; most sections have such rounds."""
    known: list[int] = []
    rounds = Many._rounds

    def watched(self: Many, left: Any) -> list[str]:
        written = rounds(self, left)
        known.append(len(written))
        return written

    monkeypatch.setattr(Many, "_rounds", watched)
    fast = Engine().spell(boards(), format, partial=True)
    monkeypatch.setattr(Many, "_rounds", lambda self, left: [])
    plain = Engine().spell(boards(), format, partial=True)
    assert (fast.data, fast.refused, fast.findings) == (plain.data, plain.refused, plain.findings)
    assert format != "pbn" or sum(known) > 100
