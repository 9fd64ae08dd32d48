"""Documents are pickled and copied: equal to what was loaded, and still written back as they stood."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bridgespec import dumps, load
from bridgespec.codec.origin import FileOrigin
from bridgespec.engines import Engine, engine
from tests import twins

SAMPLES = {path.parent.name: path for path in reversed(twins.samples())}
"""The first sample of each format."""


@pytest.mark.parametrize("path", SAMPLES.values(), ids=SAMPLES)
def test_a_document_is_pickled_and_copied(path: Path) -> None:
    """Whether or not its boards have been touched; the copy keeps every byte that it does not change."""
    document, data = load(path, path.parent.name), path.read_bytes()
    touched = load(path, path.parent.name)
    for board in touched.boards:
        for one in fields(board):
            getattr(board, one.name)
    for one in (document, touched):
        for other in (pickle.loads(pickle.dumps(one)), deepcopy(one), copy(one)):
            assert other == one
            assert dumps(other, path.parent.name) == data


def test_a_pickle_keeps_the_file_and_not_its_schema() -> None:
    """It grows with what the boards hold, not with what reads them; a board's change is kept."""
    path = SAMPLES["pbn"]
    document = load(path)
    changed = replace(document, boards=(replace(document.boards[0], room="Open"), *document.boards[1:]))
    kept = pickle.dumps(changed)
    assert len(kept) < 8 * path.stat().st_size
    assert dumps(pickle.loads(kept), "pbn") == dumps(changed, "pbn")
    assert pickle.loads(kept).findings == document.findings


def test_a_pickle_of_a_format_that_is_gone_keeps_the_boards(tmp_path: Path) -> None:
    """They are read without the schema, of which nothing is known any more; so are those of bytes that nobody can read again."""
    schema = tmp_path / "gone.ksy"
    schema.write_text((Path(__file__).parents[2] / "specs" / "zrd.ksy").read_text("utf-8").replace("id: zrd", "id: gone"))
    data = SAMPLES["zrd"].read_bytes()
    document = Engine((tmp_path,)).load(data, "gone")
    kept = pickle.dumps(document)
    schema.unlink()
    alone = pickle.loads(kept)
    assert alone == document
    assert alone.origin is None
    format = engine().of(engine().spec("zrd"))
    bound = format.load(data)
    assert isinstance(bound.origin, FileOrigin)
    assert pickle.loads(pickle.dumps(bound)) == bound
