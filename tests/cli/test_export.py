"""The command ``export``: what other tools can use of a schema, and what they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridgespec.engines import engine

from .running import run as call


def test_exports_say_what_they_cannot(tmp_path: Path) -> None:
    """Stock Kaitai is the schema itself; a grammar is not a Kaitai schema; a look at the stream is not a construct declaration."""
    assert call("export", "zrd", "--to", "ksy").output == Path(engine().spec("zrd").path).read_text()
    assert "deal" in json.loads(call("export", "zrd", "--to", "json-schema").output)["$defs"]["Board"]["properties"]
    for id, target in (("ber", "ksy"), ("zrd", "lark"), ("zbs", "construct")):
        refused = call("export", id, "--to", target)
        assert refused.exit_code == 2, refused.output


@pytest.mark.long
def test_the_types_of_a_reader_are_written_beside_it(tmp_path: Path) -> None:
    """Compilers look for them there; on standard output the module stands alone."""
    assert call("export", "zrd", "--to", "javascript", "-o", tmp_path / "deals.mjs").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deals.d.mts", "deals.mjs"]
    assert (tmp_path / "deals.d.mts").read_text() == call("export", "zrd", "--to", "typescript").output
    assert (tmp_path / "deals.mjs").read_text() == call("export", "zrd", "--to", "javascript").output
