"""What a conversion reports as lost, told by what is placed while it is written, is what reading it back finds.

Fields that only their own format has, wherever an author declares them, are reported as lost in every other form.

Every PBN file of the corpus is converted to every format that can hold a deal, and nothing is lost unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bridgespec import Board, Document, dumps, engine
from bridgespec.codec.binding import BOARD
from bridgespec.codec.losses import lost_in, own_losses
from bridgespec.codec.probe_boards import specimen
from bridgespec.codec.terms import TERMS
from bridgespec.engines import Engine
from bridgespec.errors import WriteError
from bridgespec.model.board import Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import UNSOLVED, Tricks
from tests.cli.running import run
from tests.listed import listed

SAMPLES = Path(__file__).parents[1] / "samples"
CORPUS = Path(__file__).parents[3] / "shared" / "data" / "pbn"
FILES = sorted(path for path in CORPUS.rglob("*") if path.suffix.lower() == ".pbn")


@listed
def formats_of_boards() -> list[str]:
    """The formats that hold boards."""
    return sorted(spec.id for spec in engine().catalog.all() if engine().of(spec).binder.board is not None)


TARGETS = formats_of_boards()


def files(folder: Path) -> list[Path]:
    """The samples in a folder."""
    return sorted(path for path in folder.glob("*") if path.is_file() and path.suffix != ".json")


def check(target: str, document: Document) -> None:
    """Compare the losses of what was placed with those of what is read, of all boards and of the first alone."""
    known = engine().of(engine().spec(target))
    for some in (document, replace(document, boards=document.boards[:1])):
        try:
            data, written, placed = known.trial(some)
        except WriteError:
            continue
        back = known.load(data)
        found, wanted = (lost_in(known.binder, written, one, False) for one in (placed, back))
        assert found == wanted, target


def edited(document: Document) -> Iterator[Document]:
    """A document with each field of a board in the middle changed, and removed from all boards."""
    at = len(document.boards) // 2
    for name in (one.name for one in fields(Board) if one.name != "origin"):
        changed = replace(document.boards[at], **{name: getattr(specimen(at), name)})
        yield replace(document, boards=(*document.boards[:at], changed, *document.boards[at + 1 :]))
        bare = {name: getattr(Board(), name)}
        yield replace(document, boards=tuple(replace(board, **bare) for board in document.boards))


def generated() -> Iterator[Document]:
    """Boards that state everything, each field alone with the deal, and values that formats may refuse."""
    whole = tuple(specimen(seed) for seed in range(8))
    yield Document(whole)
    yield Document(tuple(replace(board, number=place) for place, board in enumerate(whole, 1)))
    names = [one.name for one in fields(Board) if one.name not in ("deal", "origin", "number")]
    for name in names:
        boards = [Board(place, deal=one.deal, **{name: getattr(one, name)}) for place, one in enumerate(whole[:6], 1)]
        yield Document(tuple(boards))
    # Dealer and vulnerability follow from a number: of the same deal, one at its place, shifted, repeated and far away.
    for numbers in (range(1, 20), range(17, 36), range(2, 21), (1, 1, 1, 2, 3), (999, 1000, 4, 5), (250, 255, 256, 257, 5, 6)):
        for tricks in (None, whole[0].tricks):
            yield Document(tuple(Board(number, deal=whole[1].deal, tricks=tricks) for number in numbers))
            yield Document(tuple(Board(number, deal=whole[1].deal, tricks=tricks, dealer=Seat.EAST) for number in numbers))
    few = bytearray(whole[0].deal.holders if whole[0].deal is not None else b"")
    few[0] = 5
    odd = replace(whole[1], deal=Deal(bytes(few)), tricks=Tricks(bytes([UNSOLVED] * 20)), number=70_000, dealer=None)
    yield Document((*whole[:2], odd, replace(odd, vulnerability=None), *whole[2:4]))
    remarks = (Comment("on a call", ("auction", 0)), Comment("\u2660 on a card", ("play", 3)), Comment("{odd} | text"))
    yield Document(tuple(replace(one, comments=remarks, players=("A|b", "", None, "D, e")) for one in whole[:5]))


@pytest.mark.slice(5, quick=0)
@pytest.mark.parametrize("target", TARGETS)
def test_generated_boards_lose_what_reading_back_finds(target: str) -> None:
    """Boards of every field, whole and in part."""
    for document in generated():
        check(target, document)


@pytest.mark.slice(6, quick=2)
@pytest.mark.parametrize("target", TARGETS)
def test_samples_lose_what_reading_back_finds(target: str) -> None:
    """A sample of every format."""
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        path = min(files(folder))
        document = engine().load(path.read_bytes(), folder.name)
        check(target, replace(document, boards=document.boards[:6]))


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize("format", TARGETS)
def test_edits_lose_what_reading_back_finds(format: str) -> None:
    """Fields of a file in its own format that are changed, while everything else stays as it was."""
    document = engine().load(min(files(SAMPLES / format)).read_bytes(), format)
    for some in edited(replace(document, boards=document.boards[:3])):
        check(format, some)


@pytest.mark.slice(None, quick=5)
@pytest.mark.parametrize("format", [name for name in TARGETS if (SAMPLES / name / "bad").exists()])
def test_broken_files_lose_what_reading_back_finds(format: str) -> None:
    """A record that cannot be read stays as it is; boards in another order are compared if none runs into the next."""
    known = engine().of(engine().spec(format))
    for path in files(SAMPLES / format / "bad"):
        document = known.load(path.read_bytes())
        for boards in (document.boards[1:], document.boards[::-1], (*document.boards, *document.boards[:1])):
            some = replace(document, boards=boards)
            data, written, _ = known.trial(some)
            if len(known.load(data).boards) == len(written.boards):
                check(format, some)


def test_what_is_not_placed_is_found() -> None:
    """The comparison fails where a writer says of a value that was not written that it was placed."""
    known = engine().of(engine().spec("pbn"))
    board = specimen(0)
    _, written, placed = known.trial(Document((board,)))
    back = known.load(known.trial(Document((replace(board, event=None, auction=None),)))[0])
    assert not lost_in(known.binder, written, placed, False)
    assert {kind for _, kind in lost_in(known.binder, written, back, False)} == {"the event", "the auction"}


@pytest.mark.slice(None, quick=2)
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES[::30], ids=lambda path: path.name)
def test_some_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """A few real files, to every format."""
    document = engine().load(path.read_bytes(), "pbn")
    for target in TARGETS:
        check(target, replace(document, boards=document.boards[:4]))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_all_samples_lose_what_reading_back_finds(target: str) -> None:
    """Every sample and every broken sample."""
    for folder in sorted(path for path in SAMPLES.iterdir() if path.is_dir()):
        known = engine().of(engine().spec(folder.name))
        for path in [*files(folder), *files(folder / "bad")] if known.binder.terms else ():
            check(target, known.load(path.read_bytes()))


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_files_lose_what_reading_back_finds(path: Path) -> None:
    """All real files, to every format."""
    for target in TARGETS:
        check(target, engine().load(path.read_bytes(), "pbn"))


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


CORPUS_FILES = sorted(CORPUS.rglob("*.pbn")) + sorted(CORPUS.rglob("*.PBN"))


def formats() -> list[str]:
    """The formats whose schemas bind a deal."""
    known = engine()
    specs = [known.spec(head.id) for head in known.catalog.heads() if head.extensions]
    return [spec.id for spec in specs if "deal" in known.of(spec).binder.terms]


def without_second_rooms(boards: Sequence[Board]) -> tuple[Board, ...]:
    """The boards with each deal of a number once, as the first room has it."""
    rooms: dict[object, str | None] = {}
    return tuple(
        board for board in boards if board.room is None or rooms.setdefault((board.number, board.deal), board.room) == board.room
    )


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS_FILES, reason="the corpus of PBN files is not here")
@pytest.mark.parametrize("path", CORPUS_FILES, ids=lambda path: path.name)
def test_a_real_file_loses_nothing_unsaid(path: Path) -> None:
    """It loads; each target takes its boards or refuses each with a reason; what comes back otherwise is in the list of losses."""
    document = engine().load(path.read_bytes(), path=str(path))
    refused: dict[str, str] = {}
    for format in formats():
        binder = engine().of(engine().spec(format)).binder
        boards = document.boards
        if "declarer" in binder.terms and "contract" not in binder.terms:
            boards = tuple(replace(board, declarer=board.declarer or Seat.SOUTH) for board in boards)
        boards = boards if binder.listed is not None else boards[:1]
        try:
            output = engine().spell(replace(document, boards=boards), format, partial=True)
            if output.rooms:
                # A deal of two rooms is written once; so that boards can be compared one by one, here it stands in one.
                boards = without_second_rooms(boards)
                output = engine().spell(replace(document, boards=boards), format, partial=True)
        except WriteError as error:
            refused[format] = str(error)
            continue
        said = {found.message for found in output.findings}
        left = [board for at, board in enumerate(boards) if at not in {found.record for found in output.refused}]
        back = engine().read(output.data, format).document.boards
        assert not output.rooms
        assert len(back) == len(left), (format, len(back), len(left))
        for one, two in zip(left, back, strict=True):
            for name in (name for name in BOARD if name in TERMS and name in binder.terms):
                lost = set(TERMS[name].losses(one, two))
                unsaid = [kind for kind in lost if not any(f"cannot hold {kind}" in message for message in said)]
                assert not unsaid, (format, name, unsaid)
    assert all("cannot hold" in reason for reason in refused.values()), refused


def test_the_corpus_is_converted_to_something() -> None:
    """There are formats of both languages to convert to."""
    assert {"lin", "rbn", "zbd", "dup"} <= set(formats())
