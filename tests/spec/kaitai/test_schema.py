"""The schema loader: what it keeps of a schema, and what it says of a wrong one."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from bridgespec.codec.lint import lint
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.spec import ir
from bridgespec.spec.kaitai import schema as ksy
from bridgespec.spec.kaitai.sizes import record_bits

DEAL = """\
meta: {id: pair, title: Two deals, file-extension: [pr, pair], endian: le, bit-endian: le, encoding: ASCII}
doc: What it is.
-bridge-sources: [{title: A page, url: 'https://example.org', quote: As they say.}]
-bridge-samples:
  - {name: one, hex: "0102 03", codes: [truncated]}
-bridge-checks:
  - {that: boards.size < 3, code: too-many, severity: warning, message: more than two}
seq:
  - id: boards
    type: board
    repeat: eos
    -bridge-end: {bits: 32, short: 4}
types:
  board:
    seq:
      - id: deal
        doc: The seats.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: text
        type: str
        size: 3
        -bridge-number: {pad-left: "0"}
        -bridge-lenient: {0x00: 0x20}
        -bridge-value: "'001'"
enums:
  seat:
    0: west
    1: {id: north, doc: The top.}
    0x2: east
"""


def findings(text: str, search: Path | None = None) -> list[Diagnostic]:
    """The errors of a schema that is refused."""
    with pytest.raises(SpecError) as caught:
        ksy.loads(text, str(search / "x.ksy") if search else "x.ksy")
    return [d for d in caught.value.diagnostics if isinstance(d, Diagnostic)]


def test_everything_is_kept() -> None:
    """Identity, provenance, samples, checks, fields, bindings, enums and sizes come out of the file as it says them."""
    spec = ksy.loads(DEAL)
    assert (spec.id, spec.title, spec.extensions, spec.doc, spec.encoding) == (
        "pair",
        "Two deals",
        ("pr", "pair"),
        "What it is.",
        "ASCII",
    )
    assert spec.sources[0].quote == "As they say."
    assert [(s.name, s.data, s.codes) for s in spec.samples] == [("one", b"\x01\x02\x03", ("truncated",))]
    assert spec.top.checks[0].severity is Severity.WARNING
    assert spec.top.fields[0].binding.end == ir.EndRecord(32, 4)
    deal, text = spec.records["pair::board"].fields
    assert deal.type == ir.BitsType(2, "le", False)
    assert deal.enum == "pair::seat"
    assert deal.binding.axes == (ir.Axis("suit", "SHDC"), ir.Axis("rank", "AKQJT98765432"))
    assert text.binding.number == ir.NumberText("0")
    assert text.binding.lenient == {0: 32}
    assert text.binding.value is not None
    members = spec.enums["pair::seat"].members
    assert [(code, m.name, m.doc) for code, m in members.items()] == [(0, "west", ""), (1, "north", "The top."), (2, "east", "")]
    assert record_bits("pair::board", spec.records) == 104 + 24
    assert spec.warnings == ()


def test_every_element_has_its_place() -> None:
    """Line and column count from 1, the offset in bytes from 0."""
    text = "# ü\n" + DEAL
    lines = text.splitlines()
    spec = ksy.loads(text)
    deal = spec.records["pair::board"].fields[0]
    assert (deal.place.line, deal.place.column) == (lines.index("      - id: deal") + 1, 9)
    assert text.encode()[deal.place.offset :].startswith(b"id: deal")
    assert spec.enums["pair::seat"].members[2].place.line == lines.index("    0x2: east") + 1


def one(seq: str, more: str = "") -> str:
    """A schema with one line of fields."""
    return f"meta: {{id: x, endian: le}}\nseq: {seq}\n{more}"


@pytest.mark.parametrize(
    ("text", "line", "words", "help"),
    [
        (one("[{id: a, typ: u1}]"), 2, "unknown key 'typ'", "did you mean 'type'?"),
        (one("[{id: a, type: u1, -bridge-axis: []}]"), 2, "unknown key '-bridge-axis'", "did you mean '-bridge-axes'?"),
        (one("[{id: a, type: bord}]", "types: {board: {seq: []}}"), 2, "type 'bord' is not declared", "did you mean 'board'?"),
        (
            one("[{id: a, type: u1, enum: sea}]", "enums: {seat: {0: west}}"),
            2,
            "enum 'sea' is not declared",
            "did you mean 'seat'?",
        ),
        (one("[{id: len, type: u1}, {id: a, size: lem}]"), 2, "'lem' is not declared", "did you mean 'len'?"),
        (one("[{id: a, type: u1}, {id: a, type: u1}]"), 2, "'a' stands twice", None),
        (one("[{id: A, type: u1}]"), 2, "is not a field name", None),
        (one("[{id: a, type: b65}]"), 2, "1 to 64 bits", None),
        (one("[{id: a, type: str, size: 4}]"), 2, "needs an encoding", None),
        (one("[{id: a, size: 4, process: aes(1)}]"), 2, "process 'aes' is not supported", None),
        (one("[{id: a, type: u1, if: 3}]"), 2, "a boolean is expected", None),
        (one("[{id: a, type: u1, repeat: expr}]"), 2, "needs 'repeat-expr'", None),
        (one("[{id: a, type: u1, valid: '\"x\"'}]"), 2, "cannot be compared", None),
        (one("[{id: a, type: u1, size: 3}]"), 2, "cannot apply to u1", None),
        (one("[{id: a, size: 1 +}]"), 2, "ends too early", None),
        (one("[{id: a, type: 'p(1, 2)'}]", "types: {p: {params: [{id: n, type: u1}]}}"), 2, "takes 1 argument, not 2", None),
        ("meta: {id: x}\nseq: [{id: a, type: u2}]", 2, "needs a byte order", None),
        ("meta: {id: x, ks-version: 9.9}\n", 1, "0.11 is supported", None),
        ("meta: {id: x, ks-version: 0.12}\n", 1, "0.11 is supported", None),
        ("meta: {title: x}\n", 1, "needs meta/id", None),
        ("meta: {id: x}\nmeta: {id: y}\n", 2, "stands twice", None),
        ("- a\n", 1, "a schema is a mapping", None),
        ("meta: {id: x\n", 1, "this '{' is not closed", None),
        ("meta: {id: x}\nseq: &a [*a]\n", 2, "aliases", None),
        ("meta: {id: x}\nenums: {e: {a: b}}\n", 2, "must be an integer", None),
        ("meta: {id: x}\ninstances: {v: {value: e::b}}\nenums: {e: {0: a}}\n", 2, "enum 'e' has no 'b'", None),
        ("meta: {id: x}\ninstances: {v: {value: 1, size: 3}}\n", 2, "does not go with 'value'", None),
        ("meta: {id: x}\n-bridge-samples: [{name: a, hex: 0g}]\n", 2, "not hexadecimal", None),
    ],
)
def test_a_wrong_schema_is_refused_with_its_place(text: str, line: int, words: str, help: str | None) -> None:
    """Every message has a line and a column, says what is wrong, and names the nearest name where there is one."""
    found = findings(text)
    match = [d for d in found if words in d.message]
    assert match, found
    assert match[0].span is not None
    assert match[0].span.line == line
    assert (match[0].span.column or 0) >= 1
    assert help is None or match[0].help == help


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (one("[{id: a, tpye: u1}, {id: n, type: u1, repaet: expr, repeat-expr: 3}]"), ["tpye", "repaet"]),
        (one("[{id: a, typ: u2, repeat: expr, repeat-exp: 3}, {ide: b, type: u1, if: 'a[0] == 1'}]"), ["typ", "repeat-exp", "ide"]),
        (one("[{id: a, kind: u1}]"), ["kind"]),
        (one("[{id: a, type: r(1)}]", "tpyes: {r: {parms: [{id: n}], sqe: [{id: x, type: u1}]}}"), ["tpyes", "parms", "sqe"]),
        (one("[{id: a, type: u1, enum: e}]", "enusm: {e: {0: {ide: x}}}"), ["enusm", "ide"]),
        ("meta: {id: x, endain: le}\nseq: [{id: a, type: u2}]", ["endain"]),
        ("meta: {id: x, encodnig: ASCII}\nseq: [{id: a, type: str, size: 1}]", ["encodnig"]),
        ("mata: {id: x, endian: le}\nseq: [{id: a, type: u2}]", ["mata"]),
        ("meta: {idd: x}\n", ["idd"]),
        ("head: {id: x}\n", ["head"]),
        (one("[{id: a, type: {swich-on: 1, cases: {1: u1}}}]"), ["swich-on"]),
        (one("[{id: a, type: str, sizee: 4, encoding: ASCII, inclde: true, terminatr: 0}]"), ["sizee", "inclde", "terminatr"]),
        (one("[{id: a, type: u1, vaild: {minn: 3}}]"), ["vaild", "minn"]),
        (one("[]", "instances: {v: {valeu: 3 + 4}, w: {value: v, eum: e}}\nenums: {e: {7: x}}"), ["valeu", "eum"]),
        (one("[{id: a, type: u1}]", "-bridge-checks: [{tat: a == 1, code: x, mesage: y}]"), ["tat", "mesage"]),
        (one("[{id: a, type: u1, count: 3}]"), ["count"]),
    ],
)
def test_what_follows_from_an_unknown_key_is_not_reported(text: str, keys: list[str]) -> None:
    """A misspelled key is read as the one that is meant; another may be any that is missing."""
    found = findings(text)
    assert [d.message.split("'")[1] for d in found] == keys, found
    assert all("unknown key" in d.message for d in found)


def test_all_errors_are_reported_at_once() -> None:
    """An author sees every error of a schema, in the order of the file."""
    found = findings(one("[{id: a, type: nope}, {id: b, typ: u1}, {id: c, size: 1 +}]", "bogus: 1\n"))
    assert len(found) >= 4
    columns = [(d.span.line, d.span.column) for d in found if d.span]
    assert columns == sorted(columns)


def test_keys_of_others_are_ignored() -> None:
    """Keys that begin with a hyphen belong to other tools, as in Kaitai; ``-bridge-`` ones are ours."""
    assert ksy.loads(one("[{id: a, type: u1, -webide-representation: x}]", "-foo: {bar: 1}\n")).top.fields[0].name == "a"


def test_style_is_a_warning() -> None:
    """A size that is not called ``len_`` and an encoding spelled otherwise leave the schema usable."""
    spec = ksy.loads("meta: {id: x, encoding: utf8}\nseq: [{id: n, type: u1}, {id: a, size: n}, {id: b, type: str, size: 1}]")
    assert [(d.severity, d.message.split(":")[0]) for d in spec.warnings] == [
        (Severity.WARNING, "encoding 'utf8' is spelled 'UTF-8'"),
        (Severity.WARNING, "'n' is only the size of 'a'"),
    ]


def test_imports(tmp_path: Path) -> None:
    """Schemas import one another, loops included; their types and enums are seen by name."""
    (tmp_path / "a.ksy").write_text(
        "meta: {id: a, imports: [sub/b]}\nseq: [{id: x, type: 'b::inner'}, {id: y, type: u1, enum: 'b::e'}]"
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.ksy").write_text(
        "meta: {id: b, imports: [../a]}\ntypes: {inner: {seq: [{id: v, type: u1}]}}\nenums: {e: {1: one}}"
    )
    spec = ksy.load(tmp_path / "a.ksy")
    assert set(spec.records) == {"a", "b", "b::inner"}
    assert spec.top.fields[1].enum == "b::e"


def test_so_many_schemas_are_imported_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is counted once, the first with them."""
    monkeypatch.setattr(ksy, "MAX_IMPORTS", 3)
    for name in "bcd":
        (tmp_path / f"{name}.ksy").write_text(f"meta: {{id: {name}}}")
    (tmp_path / "a.ksy").write_text("meta: {id: a, imports: [b, c, b]}")
    assert set(ksy.load(tmp_path / "a.ksy").records) == {"a", "b", "c"}
    found = findings("meta: {id: a, imports: [b, c, d]}", tmp_path)
    assert [d.message for d in found] == ["more than 3 schemas are imported"]


@pytest.mark.parametrize("name", ["../outside/c", "/etc/passwd", "../../../../../../tmp/x", "c\\0", "missing", "link"])
def test_imports_stay_inside(tmp_path: Path, name: str) -> None:
    """No import leaves the schema's folder, by path or by link."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/c.ksy").write_text("meta: {id: c}")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.ksy").symlink_to(tmp_path / "outside/c.ksy")
    found = findings(f'meta: {{id: x, imports: ["{name}"]}}', inside)
    assert [d.code for d in found] == ["schema-import"]


def test_a_search_folder_may_hold_imports(tmp_path: Path) -> None:
    """Folders of formats are searched after the schema's own."""
    (tmp_path / "c.ksy").write_text("meta: {id: c}")
    spec = ksy.loads("meta: {id: x, imports: [/c]}", search=[tmp_path])
    assert set(spec.records) == {"x", "c"}


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 4000,
        "meta: {id: x}\ntypes: " + "{a: {types: " * 80 + "{}" + "}}" * 80,
        "meta: {id: x}\ninstances:\n"
        + "".join(f"  v{i}: {{value: v{i + 1} + 1}}\n" for i in range(3000))
        + "  v3000: {value: 1}\n",
        "meta: {id: x}\ninstances: {a: {value: b}, b: {value: a}}",
        "meta: {id: x}\nseq: [{id: a, type: x}]",
        "meta: {id: x}\nseq: [{id: a, type: str, size: 1, encoding: '" + "A" * 100_000 + "'}]",
        "\0",
        "meta: {id: x}\nseq: [{id: a, contents: [256]}]",
        "a: !!python/object/apply:os.system ['true']",
    ],
)
def test_a_hostile_schema_is_refused_or_loaded(text: str) -> None:
    """No schema makes the loader raise anything but SpecError, or run anything."""
    with contextlib.suppress(SpecError):
        assert ksy.loads(text).id == "x"


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    """A file that cannot be read is a SpecError with the file's name."""
    path = tmp_path / "x.ksy"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecError, match="cannot be read"):
        ksy.load(path)
    with pytest.raises(SpecError, match="cannot be read"):
        ksy.load(tmp_path / "missing.ksy")


IDLE = [
    ("seq: [{id: a, type: f4, -bridge-lenient: {1: 2}}]", "'-bridge-lenient' can apply to integers, bytes or text only"),
    ("seq: [{id: a, type: t, -bridge-lenient: {1: 2}}]\ntypes: {t: {}}", "'-bridge-lenient' can apply to"),
    ("seq: [{id: a, size: 4, -bridge-digits: {base: 5}}]", "'-bridge-digits' can apply to an integer only"),
    ("seq: [{id: a, type: u4, -bridge-number: {}}]", "'-bridge-number' can apply to text only"),
    ("seq: [{id: a, type: str, size: 2, -bridge-unknown: 3}]", "'-bridge-unknown' can apply to an integer only"),
    (
        "seq: [{id: a, type: str, size: 2, -bridge-codes: e}]\nenums: {e: {1: x}}",
        "'-bridge-codes' of a text needs '-bridge-number'",
    ),
    ("seq: [{id: a, type: u1, -bridge-value: 1 + 1, -bridge-default: 3}]", "'-bridge-default' cannot apply to a derived field"),
    ("instances: {a: {pos: 0, type: u1, -bridge-value: 3}}", "'-bridge-value' cannot apply to an instance that is read"),
    ("instances: {a: {pos: 0, type: u1, -bridge-default: 3}}", "'-bridge-default' cannot apply to an instance that is read"),
    ("instances: {a: {value: 3, -bridge-value: 3}}", "'-bridge-value' cannot apply to a computed value"),
    ("instances: {a: {value: 3, -bridge-lenient: {1: 3}}}", "'-bridge-lenient' cannot apply to a computed value"),
    ("instances: {a: {value: 3, -bridge-code: odd}}", "'-bridge-code' needs 'valid' beside a computed value"),
    ("seq: [{id: a, type: u1, parent: _root}]", "'parent' cannot apply to u1"),
    (
        "seq: [{id: b, type: u1}, {id: a, type: u1, -bridge-axes: [{strain: NS}, {leader: WN}], -bridge-at: {seat: b}}]",
        "'-bridge-at' cannot apply: the axes give the seat",
    ),
    ("seq: [{id: a, terminator: 0, pad-right: 1}]", "pad-right needs a size"),
    ("seq: [{id: a, type: u1, -bridge-end: {bits: 8}}]", "-bridge-end needs a repeated field"),
]


ROWS = "types: {row: {seq: [{id: a, type: u2}, {id: b, type: u1}]}}"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("seq: [{id: a, type: u1, -bridge-unknown: 255}, {id: b, type: s1, -bridge-unknown: -1}]", []),
        ("seq: [{id: a, type: u1, -bridge-unknown: 256}]", ["a: 256 does not fit into 8 bits"]),
        ("seq: [{id: a, type: u1, -bridge-unknown: -255}]", ["a: -255 does not fit into 8 bits"]),
        ("seq: [{id: a, type: s1, -bridge-unknown: -129}]", ["a: -129 does not fit into 8 bits"]),
        (
            "seq: [{id: a, type: s1, -bridge-unknown: 128}, {id: b, type: s1, -bridge-unknown: -128}]",
            ["a: 128 does not fit into 8 bits"],
        ),
        ("seq: [{id: a, type: b4, -bridge-unknown: -16}]", ["a: -16 does not fit into 4 bits"]),
        ("seq: [{id: a, type: row, repeat: eos, -bridge-end: {bits: 24}}]\n" + ROWS, []),
        (
            "seq: [{id: a, type: row, repeat: eos, -bridge-end: {bits: 32}}]\n" + ROWS,
            ["a: a record has 24 bits, the end needs 32 null ones"],
        ),
    ],
)
def test_what_a_field_has_no_bits_for_is_told(text: str, messages: list[str]) -> None:
    """A code for what is unknown, and the null bits that end a list; what just fits is right."""
    found = lint(ksy.loads(f"meta: {{id: x, endian: le}}\n{text}\n"))
    assert [one.message for one in found if "bits" in one.message] == messages


@pytest.mark.parametrize(("text", "message"), IDLE)
def test_words_that_cannot_act_are_refused(text: str, message: str) -> None:
    """A word that is accepted acts; where it cannot, it is refused, and the place is the word's own."""
    whole = f"meta: {{id: idle, endian: le, encoding: ASCII}}\n{text}\n"
    with pytest.raises(SpecError) as error:
        ksy.loads(whole)
    (found,) = error.value.diagnostics
    assert isinstance(found, Diagnostic)
    assert found.message.startswith(message)
    assert found.span is not None
    word = next(part.strip("'") for part in message.split() if part.strip("'").startswith(("-bridge", "parent", "pad-right")))
    assert whole[found.span.byte_start :].startswith(word)
