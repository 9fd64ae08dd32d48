"""A file's format is told by its name, or else by what reads it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from bridgespec.api import Engine, check
from bridgespec.diagnostic import Diagnostic, Severity, Span
from bridgespec.recognise import GLANCE, PROBE, Trial, UnrecognisedError, best_by_content, by_content, other_format, recognise
from bridgespec.spec.ir import Spec
from bridgespec.spec.store import Head
from tests.cli.running import SAMPLES, run


def spec(name: str, *extensions: str) -> Spec:
    return Spec(name, f"The {name} format", "ksy", f"{name}.ksy", "", extensions, name, {}, {})


ONE, TWO, THREE = spec("one", "one", "xyz"), spec("two", "two", "xyz"), spec("three", "three")
ALL = (ONE, TWO, THREE)


class Reader:
    """A check that finds in each format what it is told to find."""

    def __init__(self, found: Mapping[str, Sequence[Diagnostic]], empty: Collection[str] = ()) -> None:
        self.found = found
        self.empty = empty

    def __call__(self, spec: Spec, data: bytes) -> Trial:
        return Trial(self.found.get(spec.id, ()), spec.id not in self.empty)


def problem(severity: Severity, at: int = 0) -> Diagnostic:
    return Diagnostic("x", severity, "m", span=Span.of_bytes(at, 1))


def test_an_extension_of_one_format_settles_it() -> None:
    """The content is not asked, so that a broken file is told what is wrong with it; the case of letters is nothing."""
    broken = Reader({"one": [problem(Severity.ERROR)]})
    assert recognise(ALL, "a/b.ONE", b"x", broken) is ONE


def test_content_decides_between_formats_that_share_an_extension() -> None:
    """Of the formats with that extension, the one that reads the content without error is meant."""
    assert recognise(ALL, "b.xyz", b"x", Reader({"one": [problem(Severity.ERROR)]})) is TWO


def test_content_decides_where_the_name_says_nothing() -> None:
    """Standard input and unknown extensions are tried by every format; one that warns loses to one that does not."""
    found = {"one": [problem(Severity.ERROR)], "two": [problem(Severity.WARNING)]}
    assert recognise(ALL, "-", b"x", Reader(found)) is THREE
    assert recognise(ALL, "b.dat", b"x", Reader({**found, "three": [problem(Severity.ERROR)]})) is TWO


def test_a_format_that_finds_nothing_loses() -> None:
    """A format that can call anything a comment reads any text; one that finds boards in it is meant, warnings or not."""
    found = {"one": [problem(Severity.WARNING)], "three": [problem(Severity.ERROR)]}
    assert recognise(ALL, "b.dat", b"x", Reader(found, empty=["two", "three"])) is ONE
    assert recognise(ALL, "b.dat", b"x", Reader(found, empty=["one", "two", "three"])) is TWO


def test_an_ambiguous_file_says_what_it_could_be() -> None:
    """The message names each format that fits and leaves out those that do not."""
    with pytest.raises(UnrecognisedError, match=r"(?s)b.dat: could be .*two .*three") as caught:
        recognise(ALL, "b.dat", b"x", Reader({"one": [problem(Severity.ERROR)]}))
    assert caught.value.candidates == (TWO, THREE)


def test_what_nothing_reads_is_said() -> None:
    """A file of no known format is refused with the reason."""
    nothing = Reader({name: [problem(Severity.ERROR)] for name in ("one", "two", "three")})
    with pytest.raises(UnrecognisedError, match="no known format"):
        recognise(ALL, "b.dat", b"x", nothing)
    with pytest.raises(UnrecognisedError, match="is empty"):
        recognise(ALL, None, b"", nothing)


def test_the_cut_end_of_a_probe_is_no_fault() -> None:
    """A large file is judged by its beginning, and what is cut off there does not count against a format."""
    large = bytes(PROBE + 1)
    cut = {"one": [problem(Severity.ERROR, PROBE - 1)], "two": [problem(Severity.ERROR)], "three": [problem(Severity.ERROR)]}
    assert recognise(ALL, "-", large, Reader(cut)) is ONE
    with pytest.raises(UnrecognisedError):
        recognise(ALL, "-", bytes(PROBE), Reader(cut))


def test_content_of_another_format_is_told_in_one_finding() -> None:
    """Where most is wrong and one other format reads the content; not where none or several do, or where most is right."""
    wrong = [problem(Severity.ERROR)] * 9
    fits = Reader({"one": wrong, "three": wrong})
    said = other_format(ALL, ONE, b"x", wrong, 2, fits)
    assert said is not None
    assert (said.code, said.severity, said.help) == (
        "other-format", Severity.ERROR, "use --format two, or --format one to see the errors",
    )  # fmt: skip
    assert "The two format, not The one format: 9 errors are not listed" in said.message
    assert other_format(ALL, ONE, b"x", wrong, 5, fits) is None
    assert other_format(ALL, ONE, b"x", [problem(Severity.WARNING)] * 9, 0, fits) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader({"one": wrong})) is None
    assert other_format(ALL, ONE, b"x", wrong, 0, Reader({**fits.found, "two": wrong})) is None


SAMPLE_FILES = Path(__file__).parent / "samples"


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
    """One leading finding that names the format, for text and binary files; with the format named, every error."""
    path = tmp_path / name
    path.write_bytes((SAMPLE_FILES / file).read_bytes())
    (only,) = check(path)
    assert only.code == "other-format"
    assert f"--format {format}" in (only.help or "")
    assert len(check(path, path.suffix[1:])) > 1
    assert not [d for d in check(path, format) if d.severity is Severity.ERROR]


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


def test_a_schema_that_cannot_be_used_breaks_no_other_file(tmp_path: Path) -> None:
    """It is left out with one warning, whatever is wrong with it, where it is loaded or where it is tried."""
    (tmp_path / "leaf.lark").write_text("//- {id: leaf, extensions: [leaf]}\n\nstart: /x/\n")
    (tmp_path / "deep.lark").write_text("//- {id: deep, extensions: [deep]}\n\nstart: " + "(" * 3000 + '"x"' + ")" * 3000 + "\n")
    (tmp_path / "raises.ksy").write_text("meta: {id: raises, file-extension: raises}\nseq: [{id: a, size-eos: true}]\n")
    data = (SAMPLE_FILES / "dup" / "sixteen.dup").read_bytes()
    known = Engine([tmp_path])
    real = known.of

    def of(spec: Spec) -> object:
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


def tried(known: Engine, data: bytes) -> tuple[list[str], int]:
    """The formats that fit best, and how many bytes were read by all formats together to find them."""
    read = 0

    def attempt(head: Head, part: bytes) -> Trial:
        nonlocal read
        read += len(part)
        return known._attempt(head, part)

    return [head.id for head in by_content(known.catalog.heads(), data, attempt)], read


def test_what_a_glance_rules_out_is_not_read_on() -> None:
    """Most formats look at the beginning alone, and what is found is what they would find in all of it."""
    known, data = Engine(), BOARD * 500
    heads = list(known.catalog.heads())
    found, read = tried(known, data)
    assert found == ["pbn"]
    assert read <= GLANCE * len(heads) + 5 * PROBE
    for name in ("zrd/record0.zrd", "dup/sixteen.dup", "lin", "bss"):
        path = SAMPLES / name
        sample = max(path.glob(f"*.{name}"), key=lambda one: one.stat().st_size) if path.is_dir() else path
        whole = best_by_content(heads, data := sample.read_bytes() * (1 if path.is_dir() else 20), known._attempt)[0]
        assert tried(known, data)[0] == [head.id for head in whole]


def test_a_few_errors_in_the_beginning_rule_nothing_out() -> None:
    """A sum that only the whole file gives is an error in every part of it."""

    def attempt(head: Spec, data: bytes) -> Trial:
        wrong = [problem(Severity.ERROR)] * (99 if head is not ONE else 1) if head is not ONE or len(data) == GLANCE else []
        return Trial(wrong)

    assert recognise(ALL, "-", bytes(PROBE), attempt) is ONE
