"""A file's format is settled by its name, or by content that no chance explains.

On standard input, without a name, content alone tells the format.
"""

from __future__ import annotations

import gzip
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bridgespec.api import Engine, check, dumps, loads
from bridgespec.codec.text.codec import TextCodec
from bridgespec.diagnostic import Diagnostic, Severity, Span
from bridgespec.evidence import CERTAIN, FormatTrial
from bridgespec.model.board import Board
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.recognise import GLANCES, PROBE, Try, UnrecognisedError, by_content, matched, other_format
from bridgespec.spec.signature import signature
from bridgespec.spec.store import Head
from tests.cli.running import SAMPLES, run
from tests.told import numbers


def spec(name: str, *extensions: str) -> Head:
    return Head(name, f"The {name} format", "ksy", f"{name}.ksy", extensions)


ONE, TWO, THREE = spec("one", "one", "xyz"), spec("two", "two", "xyz"), spec("three", "three")
ALL = (ONE, TWO, THREE)


class Reader:
    """A trial that finds in each format what it is given; in others neither an error nor a doubt."""

    def __init__(self, **found: FormatTrial) -> None:
        self.found = found

    def __call__(self, head: Head, data: bytes, cut: bool) -> FormatTrial:
        return self.found.get(head.id, FormatTrial())


def recognise(specs: Iterable[Head], path: str | None, data: bytes, attempt: Try) -> Head:
    """The one format that the file is in."""
    return matched(specs, path, data, attempt).head


BROKEN, DOUBTFUL = FormatTrial(99, 0, 0), FormatTrial(records=12, bits=CERTAIN - 1)


def test_an_extension_of_one_format_settles_it() -> None:
    """The content is not read, so that a broken file has its own findings; the case of letters is nothing."""
    assert recognise(ALL, "a/b.ONE", b"x", Reader(one=BROKEN)) is ONE


def test_content_decides_between_formats_that_share_an_extension() -> None:
    """Of the formats with that extension, the one that reads the content without error is meant, though chance is not excluded."""
    assert recognise(ALL, "b.xyz", b"x", Reader(one=BROKEN, two=DOUBTFUL)) is TWO


def test_content_decides_where_it_is_evident_in_one_format_alone() -> None:
    """Standard input and unknown extensions are tried by every format."""
    assert recognise(ALL, "-", b"x", Reader(one=BROKEN, two=BROKEN)) is THREE
    assert recognise(ALL, "b.dat", b"x", Reader(one=DOUBTFUL, three=BROKEN)) is TWO
    assert recognise(ALL, "b.dat", b"x", Reader(one=FormatTrial(records=0), three=BROKEN)) is TWO


def test_what_chance_may_explain_is_not_used() -> None:
    """One format reads all of it, and is named as what it could be, not used."""
    with pytest.raises(UnrecognisedError, match=r"b.dat: it could be one \(12 records\): name it$") as caught:
        recognise(ALL, "b.dat", b"x", Reader(one=DOUBTFUL, two=BROKEN, three=BROKEN))
    assert caught.value.candidates == (ONE,)


def test_content_with_an_error_decides_nothing() -> None:
    """However evident it is: it is named, with its errors."""
    with pytest.raises(UnrecognisedError, match=r"it could be one \(16 records, 1 error\): name it$"):
        recognise(ALL, "b.dat", b"x", Reader(one=FormatTrial(1, 16), two=BROKEN, three=BROKEN))


def test_an_ambiguous_file_is_named_as_what_it_could_be() -> None:
    """The message has each format that fits, with what it finds, and leaves out those that do not."""
    with pytest.raises(UnrecognisedError, match=r"b.dat: it could be two \(12 records\) or three \(1 record\): name it$") as caught:
        recognise(ALL, "b.dat", b"x", Reader(one=BROKEN, two=DOUBTFUL, three=FormatTrial(bits=0)))
    assert caught.value.candidates == (TWO, THREE)


def test_what_nothing_reads_is_refused() -> None:
    """A file of no known format is refused with the reason; so is an empty one."""
    nothing = Reader(one=BROKEN, two=BROKEN, three=BROKEN)
    with pytest.raises(UnrecognisedError, match="it could be"):
        recognise(ALL, "b.xyz", b"x", nothing)
    none = FormatTrial(99, 0, 0)
    with pytest.raises(UnrecognisedError, match="no known format"):
        recognise(ALL, "b.dat", b"x", Reader(one=none, two=none, three=none))
    with pytest.raises(UnrecognisedError, match="is empty"):
        recognise(ALL, None, b"", nothing)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"x", mtime=0), "gzip data: unpack it first .gunzip"),
        (b"PK\3\4...", "a ZIP archive"),
        ("hello".encode("utf-16"), "UTF-16 text"),
        (b'{"format": "gif", "fields": {}}', "JSON of the fields of gif: `bridgespec convert --fields b.dat FILE` makes the file"),
    ],
)
def test_what_is_packed_or_wide_is_identified(content: bytes, words: str) -> None:
    """With what to do about it."""
    none = FormatTrial(99, 0, 0)
    with pytest.raises(UnrecognisedError, match=words):
        recognise(ALL, "b.dat", content, Reader(one=none, two=none, three=none))


def test_a_large_file_is_read_whole_before_its_content_decides() -> None:
    """What its beginning looks like is not enough; errors at the cut end of that are not counted."""
    cuts: list[tuple[int, bool]] = []

    def attempt(head: Head, data: bytes, cut: bool) -> FormatTrial:
        cuts.append((len(data), cut))
        return FormatTrial(errors=0 if head is ONE and len(data) <= PROBE else 1 if head is ONE else 99)

    with pytest.raises(UnrecognisedError, match="it could be one"):
        recognise(ALL, "-", bytes(PROBE + 1), attempt)
    assert (PROBE + 1, False) in cuts
    assert {cut for size, cut in cuts if size <= PROBE} == {True}


def test_content_of_another_format_is_a_finding() -> None:
    """Where most is wrong and one other format is recognised in the content, with two records at least."""
    wrong = 9
    fits = Reader(one=BROKEN, two=FormatTrial(0, 16), three=BROKEN)
    found = other_format(ALL, ONE, b"x", wrong, 2, fits)
    assert found is not None
    assert (found.code, found.severity, found.help) == ("other-format", Severity.ERROR, "use --format two")
    assert (re.findall(r"The (\w+) format", found.message), numbers(found.message)) == (["two", "one"], [16])
    assert other_format(ALL, ONE, b"x", wrong, 5, fits) is None
    assert other_format(ALL, ONE, b"x", 0, 0, fits) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader(two=FormatTrial(0, 1), three=BROKEN)) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader(two=DOUBTFUL, three=BROKEN)) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader(two=FormatTrial(1, 16), three=BROKEN)) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader(two=FormatTrial(0, 16), three=FormatTrial(0, 16))) is None


def problem(severity: Severity) -> Diagnostic:
    return Diagnostic("x", severity, "m", span=Span.of_bytes(0, 1))


SAMPLE_FILES = Path(__file__).parent / "samples"
RECORDS = {
    "pbn/sixteen.pbn": 16, "lin/match.lin": 32, "rbn/sixteen.rbn": 16, "bss/example1.bss": 15, "bri/sixteen.bri": 16,
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "name", "format"),
    [
        ("pbn/sixteen.pbn", "x.lin", "pbn"),
        ("lin/match.lin", "x.pbn", "lin"),
        ("rbn/sixteen.rbn", "x.pbn", "rbn"),
        ("bss/example1.bss", "x.lin", "bss"),
        ("pbn/sixteen.pbn", "x.bri", "pbn"),
        ("bri/sixteen.bri", "x.pbn", "bri"),
    ],
)
def test_a_file_with_the_wrong_name_is_told_so(file: str, name: str, format: str, tmp_path: Path) -> None:
    """A leading finding that names the format, for text and binary files; it hides none of the others."""
    path = tmp_path / name
    path.write_bytes((SAMPLE_FILES / file).read_bytes())
    first, *others = check(path)
    assert first.code == "other-format"
    assert f"--format {format}" in (first.help or "")
    assert f"({RECORDS[file]} records)" in first.message
    alone = check(path.read_bytes(), path.suffix[1:])
    assert [replace(one, path=None) for one in others] == [replace(one, path=None) for one in alone]
    assert not [d for d in check(path, format) if d.severity is Severity.ERROR]


@pytest.mark.long
@pytest.mark.parametrize("format", ["bre", "dup", "zbd"])
def test_findings_are_capped(format: str) -> None:
    """Random bytes give a thousand findings of the reader and a thousand of the rules at most, and one note of how many more."""
    found = check(Random(1).randbytes(100_000), format)
    assert len(found) <= 2001
    assert [d.code for d in found].count("too-many-findings") == 1
    assert found[-1].code == "too-many-findings"
    assert "more findings are not shown" in found[-1].message


def test_the_cap_drops_no_error_for_warnings() -> None:
    """An error after thousands of warnings is still told."""
    text = b"".join(b'[Event ""]\n[Date "1 May"]\n\n' for _ in range(1100)) + b'[Event ""]\n[oops]\n'
    found = check(text, "pbn")
    assert "pbn-tag" in {d.code for d in found}
    assert found[-1].code == "too-many-findings"


def test_no_code_crowds_out_another() -> None:
    """Of thousands of findings of one kind some make place for the few of another."""
    lines = [b"001N=NYYYYYC22%d\r\n" % i for i in range(1500)] + [b"001N1S1H=NYYYYYC22\r\n"] * 2
    codes = [d.code for d in check(b"*00{Two}=NYYYYYY\r\n" + b"".join(lines), "bss")]
    assert codes.count("duplicate-situation") > 900
    assert codes.count("system-illegal-call") == 2


@pytest.mark.long
def test_a_schema_that_cannot_be_used_breaks_no_other_file(tmp_path: Path) -> None:
    """It is left out with one warning, whatever is wrong with it, where it is loaded or where it is tried."""
    (tmp_path / "leaf.lark").write_text("//- {id: leaf, extensions: [leaf]}\n\nstart: /x/\n")
    (tmp_path / "deep.lark").write_text("//- {id: deep, extensions: [deep]}\n\nstart: " + "(" * 3000 + '"x"' + ")" * 3000 + "\n")
    (tmp_path / "raises.ksy").write_text("meta: {id: raises, file-extension: raises}\nseq: [{id: a, size-eos: true}]\n")
    data = (SAMPLE_FILES / "dup" / "sixteen.dup").read_bytes()
    known = Engine([tmp_path])
    real = known.of

    def of(spec: Any) -> object:
        if spec.id == "raises":
            raise KeyError(spec.id)
        return real(spec)

    known.of = of  # type: ignore[method-assign, assignment]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert known.examine(data).spec.id == "dup"
        assert known.examine(data).spec.id == "dup"
    assert len([warning for warning in told if "raises.ksy" in str(warning.message)]) == 1
    (tmp_path / "raises.ksy").unlink()
    result = run("validate", "-", "--specs", tmp_path, data=data)
    assert result.exit_code == 0
    assert "internal error" not in result.stderr
    assert result.stderr.count("deep.lark") <= 1


BOARD = b'[Board "1"]\n[Dealer "N"]\n[Deal "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3"]\n\n'


@pytest.mark.long
def test_what_a_glance_rules_out_is_not_read_on() -> None:
    """Most formats read the beginning alone, and nearly all others no more than the probe."""
    known, data, read = Engine(), BOARD * 500, 0

    def attempt(head: Head, part: bytes, cut: bool) -> FormatTrial:
        nonlocal read
        read += len(part)
        return known._attempt(head, part, cut)

    heads = known.catalog.heads()
    assert [match.head.id for match in by_content(heads, data, attempt)] == ["pbn"]
    assert read <= GLANCES[0] * len(heads) + 5 * (GLANCES[1] + PROBE) + len(data)


def test_a_few_errors_in_the_beginning_rule_nothing_out() -> None:
    """A sum that only the whole file gives is an error in every part of it."""

    def attempt(head: Head, data: bytes, cut: bool) -> FormatTrial:
        return FormatTrial(errors=99 if head is not ONE else len(data) <= PROBE)

    assert recognise(ALL, "-", bytes(2 * PROBE), attempt) is ONE


def test_a_ruler_in_a_system_is_not_another_format() -> None:
    """A file of calls with a wrong flag and a line of dashes keeps its findings; dashes are deals, but equal ones."""
    line = b"001N=NYYYYYC22\r\n"
    text = b"*00{Two}=NYYYYYY\r\n001N=NYYYYYYYC22\r\n" + b"-" * (14 * 20 - 2 * len(line) - 4) + b"\r\n"
    for size in range(14):
        codes = [found.code for found in Engine().examine(text + b"-" * size, None, "x.bss").diagnostics]
        assert "other-format" not in codes
        assert "unreadable-line" in codes


@pytest.mark.long
@pytest.mark.parametrize("format", ["ber", "deck"])
def test_digits_are_no_deal_by_chance(format: str) -> None:
    """A line of digits is a whole deal once in 378 times; five different deals are none by chance, one over and over is."""
    boards = tuple(Board(number=at + 1, deal=Deal.random(at)) for at in range(5))
    assert Engine().recognise(None, dumps(Document(boards), format)).id == format
    for others in (boards[:4], boards[:1] * 30):
        with pytest.raises(UnrecognisedError, match=f"{format} "):
            Engine().recognise(None, dumps(Document(others), format))


@pytest.mark.long
def test_a_text_that_passes_over_most_of_a_file_does_not_read_it() -> None:
    """One board in a program's source is no file of that format, though its grammar lets text stand between boards."""
    source = b"".join(b"line %d of a program\n" % at for at in range(60))
    with pytest.raises(UnrecognisedError):
        Engine().recognise(None, source + BOARD + source)
    assert Engine().recognise(None, BOARD + b"made by a program\n").id == "pbn"


SIGNED = """meta: {id: signed, file-extension: sgn, endian: le}
seq:
  - {id: head, type: head}
  - {id: value, type: u1, repeat: eos}
types:
  head: {seq: [{id: magic, contents: [0x89, SIG]}, {id: version, type: u2}]}
"""


def test_a_signature_decides(tmp_path: Path) -> None:
    """Constant bytes at the beginning, also inside the first record; fewer than four are none, and errors after them count."""
    (tmp_path / "signed.ksy").write_text(SIGNED)
    known = Engine([tmp_path])
    assert signature(known.spec("signed")) == b"\x89SIG"
    assert known.recognise(None, b"\x89SIG\1\0abc").id == "signed"
    with pytest.raises(UnrecognisedError):
        known.recognise(None, b"\x89SIG\1")
    (tmp_path / "short.ksy").write_text(SIGNED.replace("SIG", "SG").replace("signed", "short").replace("sgn", "sht"))
    assert signature(Engine([tmp_path]).spec("short")) == b""


def test_faulty_content_is_named_not_used() -> None:
    """A file with one broken tag is not read without being named, from Python and on the command line."""
    broken = BOARD * 3 + b"[oops]\n"
    with pytest.raises(UnrecognisedError, match=r"it could be pbn \(3 records, 1 error\): name it"):
        loads(broken)
    result = run("validate", "-", data=broken)
    assert result.exit_code == 2
    assert "--format pbn" in result.stderr
    assert len(loads(broken, "pbn").boards) == 3


@pytest.mark.long
@pytest.mark.parametrize("call", [Engine.examine, Engine.load], ids=["examine", "load"])
def test_a_file_is_read_whole_once(call: Callable[[Engine, bytes], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """What has settled the format is used: the content was read once for that, and again for use."""
    data = BOARD * 200
    whole: list[int] = []
    for name in ("read", "split"):
        before = getattr(TextCodec, name)

        def counted(codec: TextCodec, given: bytes, *more: object, before: Any = before, **other: object) -> object:
            whole.append(len(given) == len(data))
            return before(codec, given, *more, **other)

        monkeypatch.setattr(TextCodec, name, counted)
    call(Engine(), data)
    assert sum(whole) == 1


@pytest.mark.slice(20, quick=6)
@pytest.mark.parametrize(
    "path", [path for path in sorted(SAMPLES.glob("*/*.*")) if path.suffix != ".json"], ids=lambda path: path.name
)
def test_content_alone_tells_the_format(path: Path) -> None:
    """On standard input, without a name, a sample is recognised as what it is, or named as what it could be."""
    if not path.parent.joinpath("bad").is_dir():
        pytest.skip("no sample of a format")
    name = path.parent.name
    dumped = run("dump", "-", "--record", "1", data=path.read_bytes())
    if dumped.exit_code == 0:
        assert f"({name})" in dumped.stdout.splitlines()[0]
    else:
        # Few records of a format without a signature, or of one without meaning in the model.
        assert dumped.exit_code == 2
        assert re.search(f"it could be .*{name} \\([0-9]+ records?\\)", dumped.stderr)
        assert path.suffix == ".bid" or len(path.read_bytes()) < 400


@pytest.mark.parametrize("name", ["bri", "cds", "deck", "dge", "pbn", "lin", "zbd"])
def test_content_alone_settles_many_deals(name: str) -> None:
    """A hundred deals are recognised in formats with words and without."""
    boards = tuple(Board(number=at + 1, deal=Deal.random(at)) for at in range(100))
    shown = run("show", "-", "--boards", "1", data=dumps(Document(boards), name))
    assert shown.exit_code == 0
    assert all(suit in shown.stdout for suit in str(Deal.random(0)).removeprefix("N:").replace(".", " ").split())
