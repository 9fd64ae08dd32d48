"""The command ``checksum``: sums of files and of standard input, and whether those of a format are published."""

from __future__ import annotations

from .running import SOLVED, run


def test_checksum_of_standard_input_and_files() -> None:
    """The sum of the words of record 0 is the one that was added by hand; standard input gets no name."""
    words = [0x0A7A5272, 0xF9E47AE1, 0xFC41E052, 0x4949497C, 0x392A2B49, 0x00676739]
    expected = f"{sum(words):016X}"
    assert run("checksum", SOLVED).stdout == f"{expected}  {SOLVED}\n"
    assert run("checksum", "-", "--format", "zrd", data=SOLVED.read_bytes()).stdout == f"{expected}\n"


def test_checksum_reports_whether_sums_of_the_format_are_published() -> None:
    """A sum of text is printed with a remark on standard error, one of a published format without."""
    text = SOLVED.parent.parent / "pbn" / "two-boards.pbn"
    done = run("checksum", text)
    assert done.exit_code == 0
    assert done.stderr.startswith(f"{text}: ")
    assert " pbn " in done.stderr
    assert run("checksum", SOLVED).stderr == ""
