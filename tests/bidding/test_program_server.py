"""Programs of other versions can play: the line protocol, its refusals, and a match through pipes."""

from __future__ import annotations

import io
import os
import shlex
import sys
from pathlib import Path

import pytest

from bridgespec.bidding import program_client, program_server
from bridgespec.bidding.bidder import Bidder
from bridgespec.bidding.match import Contest, play
from bridgespec.bidding.program_client import Program
from bridgespec.bidding.program_server import serve
from bridgespec.bidding.two_tables import sequence
from bridgespec.errors import UsageError
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Seat
from bridgespec.model.evaluate import hand_of
from tests.bidding import load
from tests.cli.running import run

OURS = shlex.join([sys.executable, program_server.__file__, "--system", "sayc"])
OLD = "BRIDGESPEC_OLD_PYTHON"
"""Names the Python of an environment with the wheel of an earlier version."""


def _program(text: str) -> str:
    return shlex.join([sys.executable, "-c", text])


def test_each_request_has_one_reply() -> None:
    """Calls come with their meaning; what cannot be a request gets an error, and the next one is answered."""
    out = io.StringIO()
    asked = ["call N none AKQ95.AT3.KJ2.97", "nonsense", "call N none AKQ95.AT3", "call N both Q732.K65.AJ72.T9 1NT Pass", ""]
    serve(Bidder("sayc"), asked, out, "sayc")
    greeting, *replies = out.getvalue().splitlines()
    assert greeting == "bidding-lines 1\tsayc"
    assert [reply.split("\t")[0] for reply in replies] == ["1NT", "error", "error", "2C", "error"]
    assert replies[3].endswith(" (stayman)")


@pytest.mark.long
def test_a_match_through_pipes_is_the_match_within() -> None:
    """The same system behind pipes bids as it does in this process, so that every board is bid alike."""
    sayc = load()
    with Program(OURS) as other:
        swings = list(Contest(sayc, sayc, other).play(sequence(0, 8)))
    assert [swing.auctions for swing in swings] == [swing.auctions for swing in play(sayc, sayc, 0, 8)]


def test_an_earlier_version_plays() -> None:
    """The wheel of an earlier version, built apart and named by the environment, bids whole boards."""
    if OLD not in os.environ:
        pytest.skip(f"no earlier version: {OLD} names the Python of an environment that has its wheel")
    sayc = load()
    with Program([os.environ[OLD], "-I", program_server.__file__, "--system", "sayc"]) as other:
        assert len(list(Contest(sayc, sayc, other).play(sequence(0, 8)))) == 8


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print('hello')", "greets with 'hello'"),
        ("pass", "has ended"),
        ("print('bidding-lines 1'); input(); print('error\\twhat')", "reports for 'call N none"),
        ("print('bidding-lines 1'); input(); print('8C')", "which is not a call"),
        ("print('bidding-lines 1'); input()", "has ended"),
    ],
)
def test_a_program_that_breaks_the_protocol_is_named(text: str, told: str) -> None:
    """Each way out of the protocol is a usage error that names the program and what it did."""
    with pytest.raises(UsageError, match=told), Program(_program(text)) as other:
        other.call(hand_of("AKQ95.AT3.KJ2.97"), (), Seat.NORTH, Vulnerability.NONE)


def test_a_silent_program_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has so many seconds to greet."""
    monkeypatch.setattr(program_client, "PATIENCE", 0.01)
    with pytest.raises(UsageError, match="does not reply within"):
        Program(_program("import time; time.sleep(60)"))


@pytest.mark.long
def test_the_commands(tmp_path: Path) -> None:
    """`bid --lines` answers, `match --program` plays against a program and reports one that cannot be run or bids illegally."""
    served = run("bid", "--lines", "--system", "sayc", data=b"call N none AKQ95.AT3.KJ2.97\n")
    assert served.stdout.splitlines()[1] == "1NT\tbalanced (openings)"
    assert run("bid", "--lines", "--hand", "AKQ95.AT3.KJ2.97").exit_code == 2
    played = run("match", "--a", "sayc", "--b", "sayc", "--program", OURS, "--deals", "3", "--blame")
    assert played.exit_code == 0
    assert "+0.000 IMPs" in played.stdout
    assert "sayc lost" in played.stdout
    missing = run("match", "--a", "sayc", "--b", "sayc", "--program", str(tmp_path / "nothing"), "--deals", "1")
    assert missing.exit_code == 2
    assert "cannot run" in missing.stderr
    illegal = _program("print('bidding-lines 1\tbad', flush=True)\nwhile input(): print('7NT', flush=True)")
    refused = run("match", "--a", "sayc", "--b", "sayc", "--program", illegal, "--deals", "1")
    assert refused.exit_code == 2
    assert "bad calls 7NT" in refused.stderr
