"""Fields that only their own format has, wherever an author declares them, are reported as lost in every other form."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec import Board, Deal, Document, dumps
from bridgespec.codec.losses import own_losses
from bridgespec.engines import Engine
from tests.cli.running import run

TEXT = """//- id: talk
//- extensions: [talk]
//- model: boards
start: head (boards | pause)*
head: "club: " club "\\n"
//- opaque: true
club: /[^\\n]+/
boards: number " " dealer " " mood saying? "\\n"
//- {number: {}}
number: /[1-9][0-9]*/
dealer: "W" -> west | "N" -> north | "E" -> east | "S" -> south
//- {opaque: true, default: '"calm"'}
mood: /[a-z]+/
saying: " ; " remark
//- opaque: true
remark: /[^\\n]+/
//- opaque: true
pause: "-- " words "\\n"
words: /[^\\n]+/
"""
FILE = b"club: The Red Lion\n1 N calm ; a fine board\n-- coffee\n2 E merry\n-- tea\n3 S calm\n"
BYTES = """meta: {id: talk, file-extension: talk, endian: be}
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: number, type: u1}
      - {id: mood, type: u1, -bridge-opaque: true, -bridge-default: 7}
      - {id: extra, type: extra}
      - {id: cells, type: u1, repeat: expr, repeat-expr: 2, -bridge-opaque: true}
  extra:
    seq: [{id: dealer, type: u1, enum: seat}, {id: weight, type: u1, -bridge-opaque: true}]
enums: {seat: {0: north, 1: east, 2: south, 3: west}}
"""


@pytest.mark.parametrize("target", ["pbn", "json", "parquet"])
def test_a_text_loses_nothing_in_silence(target: str, tmp_path: Path) -> None:
    """Fields around the boards, whole records of other kinds and fields in parts of a board are reported as lost, unless they have
    their default."""
    (tmp_path / "talk.lark").write_text(TEXT)
    (tmp_path / "x.talk").write_bytes(FILE)
    done = run("convert", "--specs", str(tmp_path), str(tmp_path / "x.talk"), str(tmp_path / f"y.{target}"))
    said = [line.partition(" hold ")[2] for line in done.stderr.splitlines() if "warning[lost]" in line]
    names = ["the field club of talk", "the field pause of talk (2 times)", "the field remark of talk", "the field mood of talk"]
    assert sorted(said) == sorted(names)


def test_bytes_lose_nothing_in_silence(tmp_path: Path) -> None:
    """Fields of parts of boards, lists of values, and values other than the default."""
    (tmp_path / "talk.ksy").write_text(BYTES)
    engine = Engine([tmp_path])

    def lost(data: str) -> list[str]:
        return [one.message.partition(" hold ")[2] for one in own_losses(engine.load(bytes.fromhex(data), "talk")).in_words("x")]

    assert lost("01 07 00 00 0000") == []
    assert lost("01 08 00 00 0000") == ["the field mood of talk"]
    assert lost("01 07 00 02 0009") == ["the field weight of talk", "the field cells of talk"]


PARTS = r"""//- {id: talk, extensions: [talk]}
start: head boards*
head: "club: " club "\n"
//- {default: '"Lion"'}
club: /[A-Za-z]+/
boards: (tag | pause)+ "\n"
//- name: key
//- terms: {number: number, dealer: dealer}
//- content: {of: value, by: key, cases: {number: numbered, dealer: seated}, code: talk-value, message: "{value!r} is not a value"}
tag: key "=" value "\n"
key: /[a-z]+/
value: /[^\n]+/
numbered: number (" table " table)?
//- {number: {}}
number: /[0-9]+/
//- opaque: true
table: /[a-z]+/
seated: dealer (" at " clock)? (" " mood)?
dealer: "N" -> north | "E" -> east
//- opaque: true
clock: /[0-9]++:[0-9]+/
//- {default: '"calm"'}
mood: /[a-z]+/
pause: "-- " words "\n"
//- {default: '"none"'}
words: /[a-z]+/
"""
PLACED = """meta: {id: talk, file-extension: talk, endian: be}
seq:
  - {id: place, type: u1}
  - {id: boards, type: board, repeat: expr, repeat-expr: 1}
instances:
  club: {pos: place, type: str, size: 3, encoding: ASCII, -bridge-opaque: true}
  first: {pos: 0, type: u1, -bridge-opaque: true}
types:
  board:
    seq:
      - {id: number, type: u1}
      - {id: mood, type: u1, -bridge-default: 7}
      - {id: bid, type: bid, -bridge-as: contract}
  bid: {seq: [{id: level, type: u1}, {id: weight, type: u1, -bridge-default: 3}]}
"""


def test_defaults_and_parts_of_values_are_reported(tmp_path: Path) -> None:
    """Values that are only written by their default are lost, and so are parts of the values of pairs, whose rules read them."""
    (tmp_path / "talk.lark").write_text(PARTS)
    data = b"club: Red\nnumber=3 table red\ndealer=N at 11:20 angry\n-- tea\n\nnumber=4\ndealer=E calm\n-- none\n\n"
    names = [one.message.partition(" field ")[2] for one in own_losses(Engine([tmp_path]).load(data, "talk")).in_words("x")]
    assert sorted(names) == [f"{name} of talk" for name in ("club", "dealer.clock", "dealer.mood", "number.table", "words")]


def test_instances_are_reported_where_no_field_has_their_bytes(tmp_path: Path) -> None:
    """What an instance reads at an offset is lost; one that reads the bytes of a field again is not."""
    (tmp_path / "talk.ksy").write_text(PLACED)
    engine = Engine([tmp_path])

    def lost(data: str) -> list[str]:
        found = own_losses(engine.load(bytes.fromhex(data), "talk")).in_words("x")
        return [one.message.partition(" field ")[2].partition(" of ")[0] for one in found]

    assert lost("05 01 07 02 03 414243") == ["club"]
    assert lost("05 01 07 02 03 000000") == []
    assert lost("05 01 08 02 04 000000") == ["mood", "weight"]


@pytest.mark.long
@pytest.mark.parametrize("boards", [6, 600])
def test_losses_do_not_depend_on_the_size_of_the_file(tmp_path: Path, boards: int) -> None:
    """Records that are converted as arrays lose the same fields as those that are read one by one: codes other than the default."""
    source = tmp_path / "x.dup"
    data = bytearray(dumps(Document(tuple(Board(number=at % 32 + 1, deal=Deal.random(at)) for at in range(boards))), "dup"))
    size = len(data) // boards
    for at in range(0, boards, 3):
        start = at * size
        place = data.index(b"YN", start + size - 12, start + size)
        data[place : place + 2] = b"NY"
    source.write_bytes(data)
    said = run("convert", source, tmp_path / "y.zbd").stderr
    assert [line.partition(" hold ")[2] for line in said.splitlines() if "warning[lost]" in line] == [
        f"the field {name} of dup ({boards // 3} times)" for name in ("random", "backwards")
    ]
