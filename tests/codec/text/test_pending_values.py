"""A record is written alike whether its choices are tried for its values or known from another with as many values."""

from __future__ import annotations

from typing import Any

import pytest

from bridgespec import Board, Document
from bridgespec.codec.probe_boards import specimen
from bridgespec.codec.text import pending_values
from bridgespec.codec.text.pending_values import Template
from bridgespec.engines import Engine, engine
from bridgespec.model.board import Comment
from tests.listed import listed


@listed
def written_formats() -> list[str]:
    """Return the text formats that can be written."""
    return sorted(spec.id for spec in engine().catalog.all() if spec.language == "lark" and engine().of(spec).binder.written)


def boards() -> Document:
    """Boards whose auctions and plays are whole, cut short and remarked."""
    remark = Comment("remark", ("auction", 1))
    return Document(tuple(board for seed in range(6) for board in (specimen(seed), Board(**_remarked(specimen(seed + 6), remark)))))


def _remarked(board: Board, remark: Comment) -> dict[str, object]:
    names = ("number", "dealer", "deal", "declarer", "play", "auction", "contract", "result")
    return {**{name: getattr(board, name) for name in names}, "comments": (remark,)}


@pytest.mark.slice(None, quick=4)
@pytest.mark.parametrize("format", written_formats())
def test_known_templates_are_written_as_choices_write_them(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, and the same reasons for what is refused; most records have the template of another."""
    known: list[str] = []
    spelled = Template.spelled

    def watched(self: Template, lists: Any) -> str:
        known.append(spelled(self, lists))
        return known[-1]

    monkeypatch.setattr(Template, "spelled", watched)
    fast = Engine().spell(boards(), format, partial=True)
    monkeypatch.setattr(pending_values, "SHAPES", 0)
    count = len(known)
    plain = Engine().spell(boards(), format, partial=True)
    assert len(known) == count
    assert (fast.data, fast.refused, fast.findings) == (plain.data, plain.refused, plain.findings)
    assert format != "pbn" or count > 100
