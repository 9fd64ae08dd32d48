"""Nothing from a file reaches a terminal as it stands: every command, on hostile files, through a pseudo-terminal, byte by byte."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

import bridgespec
from bridgespec.cli.app import short_helps
from bridgespec.cli.terminal import TerminalOutput
from bridgespec.escapes import visible
from bridgespec.export.json import dump as as_json
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document

from ..warm import ended, warm
from .running import ROOT, SAMPLES, run

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

HOSTILE = "\x1b[31mred\x9b2J\u202eback\u2066\x07\x7f"
ALLOWED = re.compile(rb"[\x20-\x7e\r\n\t]|[\xc2-\xf4][\x80-\xbf]+")
"""What may be written: printable ASCII, line ends, and whole characters of UTF-8, which are looked at one by one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of hostile files."""
    folder = tmp_path_factory.mktemp("hostile")
    deal = bridgespec.Deal.parse("N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974")
    names = (HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    board = Board(
        1, deal=deal, event=HOSTILE, site=HOSTILE, players=names, comments=(Comment(HOSTILE),), tags=(("Annotator", HOSTILE),)
    )
    (folder / "x.json").write_bytes(as_json(Document((board,))))
    text = (
        f'[Event "{HOSTILE}"]\n[Board "1"]\n[Deal "{deal}"]\n[West "{HOSTILE}"]\n[Dealer "{HOSTILE}"]\n{{{HOSTILE}}}\n{HOSTILE}\n'
    )
    (folder / "x.pbn").write_bytes(text.encode())
    (folder / "raw.pbn").write_bytes(text.encode("utf-16-le").replace(b"\0", b""))
    rows = f"board,ns,ew,contract,score\n1,{HOSTILE},b,3NT,400\n{HOSTILE},a,b,{HOSTILE},-50\n1,c,d,{HOSTILE},50\n"
    (folder / "x.csv").write_bytes(rows.encode())
    (folder / "x.bss").write_bytes((SAMPLES / "bss" / "example1.bss").read_bytes() + f"1D=00NYYYYYYY0{HOSTILE}\r\n".encode())
    (folder / "x.zbd").write_bytes(bytes.fromhex("72527a0ae17ae4f952e041fc7c") + b"\x1b[31m\x9b")
    (folder / "bad.ksy").write_text(
        f"meta:\n  id: bad\n  title: {HOSTILE!r}\n  file-extension: bad\nseq:\n  - {{id: {HOSTILE!r}}}\n"
    )
    (folder / "good.ksy").write_text(
        'meta:\n  id: good\n  title: "\\e[31mred\\u009b\\u202e"\n  file-extension: good\nseq:\n  - {id: a, size-eos: true}\n'
    )
    (folder / f"{HOSTILE}.pbn").write_bytes(text.encode())
    return folder


COMMANDS = {
    "board": [["--deal", HOSTILE], ["--deal", "77", "--event", HOSTILE], ["--deal", "77", "--dealer", "N", "--auction", HOSTILE]],
    "bid": [["x.pbn"], ["--hand", HOSTILE], ["--hand", "AKQ95.AT3.KJ2.97", "--auction", HOSTILE], [f"{HOSTILE}.pbn"]],
    "check-system": [[HOSTILE], ["x.pbn"]],
    "lsp": [[HOSTILE], ["--stdio", HOSTILE]],
    "serve": [[HOSTILE], ["--port", HOSTILE], [HOSTILE, "--port", "0"]],
    "match": [["--a", HOSTILE, "--b", "sayc", "--deals", "1"]],
    "spec-diff": [["good.ksy", "bad.ksy"], ["good.ksy", "good.ksy"], [f"{HOSTILE}.ksy", "good.ksy"]],
    "check-spec": [["bad.ksy"], ["good.ksy"], ["bad.ksy", "--output-format", "json"]],
    "checksum": [["x.zbd"], [f"{HOSTILE}.pbn"]],
    "convert": [
        ["x.json", "-", "--to", "text"],
        ["x.json", "-", "--to", "pbn"],
        ["x.pbn", "-", "--to", "text"],
        ["x.pbn", "y.zbd"],
    ],
    "deal": [[HOSTILE], [f"north: {HOSTILE}"]],
    "docs": [["site", "--specs", "."], [f"{HOSTILE}.pbn"]],
    "dump": [["x.pbn"], ["x.pbn", "--json"], ["raw.pbn"], ["x.zbd"], ["x.bss", "--record", "1"]],
    "explain": [[HOSTILE]],
    "export": [["good", "--to", "json-schema", "--specs", "."], ["good", "--to", "construct", "--specs", "."], [HOSTILE]],
    "formats": [["--specs", "."], ["good", "--specs", "."], ["--specs", ".", "--output-format", "json"]],
    "generate": [["rpdd", "--deals", "0-1", "-o", f"{HOSTILE}.nothing"]],
    "join": [["x.pbn", "x.zbd", "-", "--to", "pbn"]],
    "new": [[HOSTILE]],
    "sample": [[HOSTILE, "-o", "made"], ["good", "-o", f"{HOSTILE}s", "--specs", "."]],
    "page": [["x.pbn"], ["x.json", "-o", "page.html"], [f"{HOSTILE}.pbn", "-o", f"{HOSTILE}.html"], [HOSTILE, "-o", "page.html"]],
    "query": [
        ["SELECT north_player, tags, comments FROM 'x.pbn'"],
        ["FROM 'x.json'", "x.json", "--from", "json"],
        ["SELECT north_player FROM 'x.pbn'", "--output-format", "csv"],
        ["FROM 'x.pbn'", "--output-format", "json"],
        ["SELECT north_player, 1 AS n FROM 'x.pbn'", "--chart"],
        [HOSTILE],
        [f"SELECT * FROM '{HOSTILE}'"],
    ],
    "score": [["x.pbn"], ["x.csv"], ["x.csv", "--travellers", "--pairs", "x.csv"], [f"{HOSTILE}.pbn"], ["x.csv", "--vp", HOSTILE]],
    "show": [["x.pbn"], ["raw.pbn"], ["x.json"], ["x.bss"], ["x.bss", "--auction", f"1D {HOSTILE}"], [f"{HOSTILE}.pbn"]],
    "solve": [["x.pbn"], ["x.pbn", "--lead", HOSTILE], ["x.bss"]],
    "suit": [["x.pbn"], [HOSTILE, "32"], ["AQ", HOSTILE], [f"{HOSTILE}.pbn"], ["--deal", HOSTILE], ["AQ", "32", "--seat", HOSTILE]],
    "split": [["x.pbn", "a.zbd", f"{HOSTILE}.nothing"]],
    "systems": [[HOSTILE]],
    "used": [["x.pbn"], ["x.json", "--archive", "."], [f"{HOSTILE}.pbn"]],
    "validate": [
        ["."],
        ["x.pbn", "--output-format", "json"],
        ["x.pbn", "--output-format", "sarif"],
        ["x.bss", "--all"],
        [f"{HOSTILE}.pbn"],
        ["x.pbn", "--format", HOSTILE],
    ],
}


def seen(folder: Path, args: list[str]) -> bytes:
    """All that a command writes on a terminal, which has no colours so that no escape is the command's own."""
    first, second = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    with open(os.devnull, "rb") as nothing:
        begun = warm().begin(args, folder, environment, (nothing.fileno(), second, second))
    os.close(second)
    parts = []
    while True:
        try:
            part = os.read(first, 1 << 16)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    ended(begun)
    os.close(first)
    return b"".join(parts)


def test_every_command_is_tried() -> None:
    """A new command needs its hostile calls here."""
    assert COMMANDS.keys() == short_helps().keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_escape_reaches_the_terminal(command: str, folder: Path) -> None:
    """Every byte is printable, a line end, or a character that is fit to be seen."""
    for args in COMMANDS[command]:
        written = seen(folder, [command, *args])
        assert written
        assert ALLOWED.sub(b"", written) == b"", (args, written)
        text = written.decode("utf-8")
        assert visible(text.replace("\r\n", "\n")) == text.replace("\r\n", "\n"), args
        assert "Traceback" not in text


def test_a_converted_file_stays_as_it_is(folder: Path, tmp_path: Path) -> None:
    """In a pipe or a file there is what the file says; in text that is made to be looked at there is not."""
    result = run("convert", folder / "x.json", "-", "--to", "json")
    assert HOSTILE[-1] in result.stdout
    assert run("convert", folder / "x.pbn", tmp_path / "y.pbn").exit_code == 0
    assert b"\x1b[31mred" in (tmp_path / "y.pbn").read_bytes()
    assert "\x1b" not in run("convert", folder / "x.json", "-", "--to", "text").stdout


def test_pieces_end_anywhere() -> None:
    """A character or a line's end that two writes divide is printed as one, and half a character at the end is spelled out."""
    for data in ("ä♠\r\n\x1b".encode(), b"a\r\n\r", b"\xc3"):
        whole, divided = io.BytesIO(), io.BytesIO()
        for stream, pieces in ((whole, [data]), (divided, [bytes([byte]) for byte in data])):
            out = TerminalOutput(stream)
            out.writelines(pieces)
            out.finish()
        assert divided.getvalue() == whole.getvalue() != b""
        assert b"\\xc3" in whole.getvalue() if data == b"\xc3" else b"\\xc3" not in whole.getvalue()
