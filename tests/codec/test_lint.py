"""check-spec holds a schema against the table of meaning: every field means something, and every word is known."""

# ruff: noqa: E501  (schemas on one line each)

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgespec.engines import Engine
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Seat
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.schema_checks import findings, trial_findings
from tests.codec.terms.support import SPECS

HEAD = "//- {id: mine, title: Mine, extensions: [mine]}\n"


def said(tmp_path: Path, text: str, name: str = "mine.lark") -> list[tuple[str, str]]:
    """The findings about a schema, with their help."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return [(one.code, f"{one.message} ({one.help})") for one in findings(path, [SPECS])[1]]


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("start: boards*\nboards: title \",\" number \"\\n\"\n//- as: evnt\ntitle: /[a-z]+/\n//- number: {}\nnumber: /[0-9]+/\n", "schema-unknown-word", "did you mean 'event'"),
        ("start: boards*\nboards: title \",\" number \"\\n\"\ntitle: /[a-z]+/\n//- number: {}\nnumber: /[0-9]+/\n", "schema-unbound", "boards.title"),
        ("start: boards*\nboards: deal \"\\n\"\ndeal: card~52\n//- {role: cel, axes: [{suit: SHDC}, {rank: AKQJT98765432}]}\ncard: \"1\" -> north | \"2\" -> east\n", "schema-unknown-word", "did you mean 'cell'"),
        ("start: boards*\nboards: deal \"\\n\"\ndeal: cell~52\n//- axes: [{suit: SHDC}, {rank: AKQJT98765432}]\ncell: \"1\" -> north | \"2\" -> eest\n", "schema-unknown-word", "'eest' stands for nothing in deal"),
        ("start: boards*\nboards: deal \"\\n\"\ndeal: cell~52\n//- axes: [{siut: SHDC}, {rank: AKQJT98765432}]\ncell: \"1\" -> north\n", "schema-unknown-word", "did you mean 'suit'"),
        ("start: boards*\nboards: deal \"\\n\"\ndeal: hand~4\n//- axes: [{seat: NESN}]\nhand: card~13\n//- axes: []\ncard: \"1\" -> sa\n", "schema-axis", "'N' twice"),
        ("start: boards*\nboards: deal \"\\n\"\ndeal: hand~4\n//- axes: [{seat: NESX}]\nhand: card~13\ncard: \"1\" -> sa\n", "schema-axis", "'X'"),
        ("start: boards*\nboards: number \"\\n\" remark*\n//- number: {}\nnumber: /[0-9]+/\n//- as: comment\nremark: \"# \" /[a-z]+/ _NL\n_NL: \"\\n\"\n", "schema-line-end", "make the text alone a rule"),
        ("start: boards*\nboards: number event\n//- number: {}\nnumber: /[0-9]+/\nevent: /[a-z]+/ (/\\r?\\n/)\n", "schema-line-end", "event: the text of event includes the end of its line"),
    ],
)  # fmt: skip
def test_a_word_that_is_unknown_is_an_error_with_a_suggestion(text: str, code: str, words: str, tmp_path: Path) -> None:
    """A misspelt term, role, code or axis; a field that means nothing; labels that repeat or are none."""
    assert [message for found, message in said(tmp_path, HEAD + text) if found == code and words in message]


def test_a_field_that_means_nothing_is_told_every_way_out(tmp_path: Path) -> None:
    """A guess at the name does not hide how a field is kept raw, in the words of the schema's own language."""
    text = HEAD + 'start: boards*\nboards: numbr " " event "\\n"\nnumbr: /[0-9]+/\nevent: /[a-z]+/\n'
    help_ = "did you mean 'number'? Else bind it (as, role), derive it (value) or keep it raw (opaque: true)"
    assert ("schema-unbound", f"boards.numbr is neither bound, a role, constant, derived nor opaque ({help_})") in said(
        tmp_path, text
    )
    text = "meta: {id: mine, file-extension: mine}\nseq: [{id: boards, type: board, repeat: eos}]\n"
    text += "types: {board: {seq: [{id: number, type: u1}, {id: xyzzy, type: u1}]}}\n"
    assert any("(-bridge-opaque: true)" in words for _, words in said(tmp_path, text, "mine.ksy"))


def test_a_role_outside_of_its_term_is_an_error_that_names_the_term(tmp_path: Path) -> None:
    """The help for an unbound field with the name of a role lists the terms that have the role, not the word spelled most alike."""
    text = (
        HEAD + 'start: boards*\nboards: number " " level " " pair_ns "\\n"\nnumber: /[0-9]+/\nlevel: /[1-7]/\npair_ns: /[0-9]+/\n'
    )
    found = {message.split()[0]: message for code, message in said(tmp_path, text) if code == "schema-unbound"}
    assert set(found) == {"boards.level", "boards.pair_ns"}
    assert "contract or score_row" in found["boards.level"]
    assert "score_row" in found["boards.pair_ns"]


def test_a_key_that_means_nothing_is_an_error(tmp_path: Path) -> None:
    """A pair's key with a term that there is none of."""
    text = (
        HEAD
        + 'start: boards*\nboards: item+ "\\n"\n//- {name: key, terms: {E: evnt}}\nitem: key ":" value ";"\nkey: /[A-Z]/\nvalue: /[a-z]*/\n'
    )
    assert ("schema-unknown-word", "item: there is no term 'evnt' for E (did you mean 'event'?)") in said(tmp_path, text)


def test_a_schema_without_meaning_gets_one_note(tmp_path: Path) -> None:
    """Nothing is wrong with a schema that binds nothing."""
    assert [code for code, _ in said(tmp_path, HEAD + 'start: line*\nline: /[a-z]+/ "\\n"\n')] == ["schema-meaningless"]


def test_a_text_that_ends_with_itself_is_checked(tmp_path: Path) -> None:
    """The last part of a rule may be that rule again: the search for a line end there comes to an end."""
    text = HEAD + 'start: boards*\nboards: number " " remark _NL\n//- number: {}\nnumber: /[0-9]+/\n_NL: "\\n"\n'
    text += '//- as: comment\nremark: "x" _more?\n_more: "y" _more?\n'
    assert "schema-line-end" not in {code for code, _ in said(tmp_path, text)}


NESTED = (
    HEAD
    + """start: boards*
boards: _open part+ "end\\n"
_open: "board\\n"
part: line | group
group: "(\\n" line+ ")\\n"
//- name: key
//- terms: {N: north, E: east, S: south, W: west, D: dealer, V: vulnerability, B: number, R: result, EV: event}
//- content: [{of: value, by: key, cases: {N: hand, E: hand, S: hand, W: hand, D: dealer, V: vulnerable, B: digits, R: digits}}]
line: key "=" value "\\n"
key: /[A-Z]+/
value: /[^\\n]*/
hand: holding "." holding "." holding "." holding
holding: /[AKQJT2-9]*/
dealer: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- as: vulnerability
vulnerable: "none" -> none | "ns" -> ns | "ew" -> ew | "all" -> both
//- number: {}
digits: /[0-9]+/
"""
)


ANY_ORDER = (
    b"board\nS=962.AJ7.KT82.J75\n(\nV=ew\nN=K843.T542.J6.863\n)\nD=W\nB=12\n"
    b"(\nE=AQJ7.K.Q75.AT942\nEV=Cup\n)\nR=9\nW=T5.Q9863.A943.KQ\nend\n"
)


def test_fields_in_any_order_through_nested_and_repeated_rules_bind(tmp_path: Path) -> None:
    """Keys and values in any order, some in groups: every one is read and the board is written whole."""
    schema = NESTED
    assert not [one for one in said(tmp_path, schema) if one[0].startswith("schema-un")]
    engine, data = Engine([tmp_path]), ANY_ORDER
    board = engine.examine(data, "mine").document.boards[0]
    assert board.deal is not None
    assert board.deal.is_complete
    assert (board.dealer, board.number, board.event, board.result) == (Seat.WEST, 12, "Cup", 9)
    output = engine.spell(engine.examine(data, "mine").document, "mine", canonical=True)
    assert not output.findings
    assert engine.examine(output.data, "mine").document.boards[0] == board


@pytest.mark.long
def test_records_in_sections_and_remarks_of_boards(tmp_path: Path) -> None:
    """Boards may stand within what groups them, and have a remark each."""
    text = 'start: section*\nsection: "[" boards* "]\\n"\nboards: number (" " comment)? ";"\n//- number: {}\nnumber: /[0-9]+/\n'
    assert not said(tmp_path, HEAD + text + "comment: /[a-z ]+/\n")
    engine = Engine([tmp_path])
    document = engine.examine(b"[1;2 two;]\n[3;]\n", "mine").document
    assert [(board.number, [one.text for one in board.comments]) for board in document.boards] == [(1, []), (2, ["two"]), (3, [])]
    board = Board(number=7, comments=(Comment("hello"), Comment("there", ("auction",))))
    assert engine.spell(Document((board,)), "mine").data == b"[7 hello;]\n"


def test_calls_may_be_plain_texts(tmp_path: Path) -> None:
    """Of which nothing else is said; what is not a call ends what can be followed."""
    text = 'start: boards*\nboards: number ":" auction "\\n"\n//- number: {}\nnumber: /[0-9]+/\nauction: (call_made " "?)*\n'
    assert not said(tmp_path, HEAD + text + "call_made: /[1-7](?:NT|[CDHS])|P|XX?|\\?/\n")
    boards = Engine([tmp_path]).examine(b"1:P 1NT X XX\n2:P 1C ? 1D\n", "mine").document.boards
    called = [[str(call) for call in board.auction.plain] if board.auction else None for board in boards]
    assert called == [["Pass", "1NT", "X", "XX"], ["Pass", "1C"]]


STRANGE = (
    HEAD
    + """start: (game "\\n")*
//- as: boards
game: "<" (" " part)* ">"
part: "(" (no | where | cards | bids | says) ")"
no: "no " number
//- number: {}
number: /[0-9]{1,4}/
where: "where " place+
place: "(" (("room " room) | ("site " site)) ")"
room: "open" -> open | "closed" -> closed
site: /[^)]+/
//- as: deal
cards: "cards " owned+
owned: "(" (("N " north) | ("E " east) | ("S " south) | ("W " west)) ")"
north: spades "." hearts "." diamonds "." clubs
east: spades "." hearts "." diamonds "." clubs
south: spades "." hearts "." diamonds "." clubs
west: spades "." hearts "." diamonds "." clubs
spades: _R?
hearts: _R?
diamonds: _R?
clubs: _R?
_R: /[AKQJT2-9]+/
//- as: auction
bids: "bids " starter (" " bid)*
//- role: seat
starter: "N" -> north | "E" -> east | "S" -> south | "W" -> west
//- role: call_made
bid: /[1-7][CDHSN]|P|X{1,2}/
says: "says " words
//- as: comment
words: /[^)]+/
"""
)


def test_named_fields_in_any_order_are_written_where_the_grammar_has_room(tmp_path: Path) -> None:
    """Alternatives in a repeated rule, some of them lists of alternatives again, and a call that is a text: read and written whole."""
    assert said(tmp_path, STRANGE) == []
    engine = Engine([SPECS, tmp_path])
    data = (
        b"< (says hello) (cards (W Q8.KT84.AQT9.QT5)(S AK9542.7.K82.K94)(N JT73.AQ6.J3.AJ86)(E 6.J9532.7654.732))"
        b" (where (site Hall)(room closed)) (no 3) (bids S 1S P 4S P P P)>\n"
    )
    board = engine.examine(data, "mine").document.boards[0]
    assert (board.number, board.site, board.room, board.comments[0].text) == (3, "Hall", "Closed", "hello")
    assert board.deal == Deal.parse("N:JT73.AQ6.J3.AJ86 6.J9532.7654.732 AK9542.7.K82.K94 Q8.KT84.AQT9.QT5")
    output = engine.spell(engine.examine(data, "mine").document, "mine", canonical=True)
    assert not output.findings
    assert engine.examine(output.data, "mine").document.boards[0] == board
    for format in ("pbn", "rbn"):
        there = engine.spell(engine.examine(data, "mine").document, format).data
        again = engine.spell(engine.examine(there, format).document, "mine").data
        back = engine.examine(again, "mine").document.boards[0]
        assert (back.deal, back.auction, back.number, back.site) == (board.deal, board.auction, 3, "Hall")


@pytest.mark.parametrize(
    "text",
    [
        'auction: bid (" " bid)*\n//- role: call_made\nbid: call\ncall: /[1-7][CDHSN]|P|X|XX/\n',
        'auction: bid (" " bid)*\n//- role: call_made\nbid: /[1-7][CDHSN]|P|X|XX/\n',
        'auction: bid (" " bid)*\n//- role: call_made\nbid: call star?\ncall: /[1-7][CDHSN]|P|X|XX/\n//- role: alert\nstar: "!"\n',
    ],
)
def test_an_auction_need_not_have_room_for_all_that_is_said_of_calls(text: str, tmp_path: Path) -> None:
    """A schema without alerts, explanations or a dealer is a whole one; what it lacks is told as lost."""
    start = 'start: boards*\nboards: number ":" auction "\\n"\n//- number: {}\nnumber: /[0-9]+/\n'
    assert said(tmp_path, HEAD + start + text) == []


@pytest.mark.parametrize(
    ("change", "gone", "new"),
    [
        ({"event": "Other"}, b"EV=Cup\n", b"EV=Other\n"),
        ({"event": None}, b"EV=Cup\n", b""),
        ({"dealer": Seat.NORTH}, b"D=W\n", b"D=N\n"),
        ({"result": 3}, b"R=9\n", b"R=3\n"),
    ],
)
def test_a_change_reaches_a_field_of_a_nested_or_repeated_rule(
    change: dict[str, Any], gone: bytes, new: bytes, tmp_path: Path
) -> None:
    """The changed field is spelled anew, wherever it stands, and every other line stays."""
    (tmp_path / "mine.lark").write_text(NESTED, "utf-8")
    engine = Engine([tmp_path])
    document = engine.examine(ANY_ORDER, "mine").document
    changed = replace(document, boards=(replace(document.boards[0], **change),))
    output = engine.spell(changed, "mine")
    assert not output.findings
    assert engine.examine(output.data, "mine").document.boards[0] == changed.boards[0]
    assert sorted(output.data.splitlines(True)) == sorted([*ANY_ORDER.replace(gone, b"").splitlines(True), *([new] if new else [])])


TABLE = """meta: {id: mine, file-extension: mine, endian: be}
seq:
  - {id: num_boards, type: u1, -bridge-value: boards.size}
  - {id: places, type: place, REPEAT}
  - {id: boards, type: board, repeat: expr, repeat-expr: num_boards}
types:
  place: {seq: [{id: mark, type: u1, -bridge-value: 7}, {id: ofs_board, type: u2, -bridge-value: "_root.boards[_index]._offset"}]}
  board: {seq: [{id: number, type: u1}]}
"""


def test_a_counted_table_of_derived_fields_needs_no_binding(tmp_path: Path) -> None:
    """A list that an expression counts can be written without a binding; a list without a count cannot."""
    counted = TABLE.replace("REPEAT", "repeat: expr, repeat-expr: num_boards")
    assert not said(tmp_path, counted, "mine.ksy")
    path = tmp_path / "mine.ksy"
    spec, _ = findings(path, [SPECS])
    assert spec is not None
    assert not list(trial_findings(Engine([tmp_path]), spec))
    until = TABLE.replace("REPEAT", "repeat: until, repeat-until: _.mark == 7")
    assert [code for code, _ in said(tmp_path, until, "mine.ksy")] == ["schema-unbound"]
