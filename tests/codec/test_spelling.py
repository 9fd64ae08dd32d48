"""What is made of texts is kept by these texts, and no more of them than fits into a memo."""

from __future__ import annotations

import gc

import pytest

from bridgespec.codec import spelling
from bridgespec.codec.spelling import Memo
from bridgespec.engines import Engine


def test_memos_do_not_grow_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which each board states other texts fills no memo beyond its limit, and each board has its own values."""
    monkeypatch.setattr(spelling, "MOST", 20)
    text = "".join(f'[Event "Cup {n}"]\n[Board "{n}"]\n[West "Player {n}"]\n\n' for n in range(1, 101))
    engine = Engine()
    document = engine.load(text.encode(), "pbn")
    assert [(board.event, board.players[0]) for board in document.boards] == [(f"Cup {n}", f"Player {n}") for n in range(1, 101)]
    written = engine.spell(document, "pbn", canonical=True).data
    assert written.count(b"Player") == 100
    memos = [one for one in gc.get_objects() if isinstance(one, Memo)]
    # Other tests of this process may have filled the memos of other engines.
    own = [memo for memo in memos if any("Cup 100" in str(key) or "Player 100" in str(key) for key in memo)]
    assert own
    assert max(map(len, own)) <= 20
