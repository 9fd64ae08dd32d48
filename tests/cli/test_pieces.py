"""The small parts that the commands are made of."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest

from bridgespec.cli.checksum import CHUNK, checksum
from bridgespec.cli.files import expand, output, write
from bridgespec.cli.fixes import apply_fixes, chosen_fixes
from bridgespec.cli.ranges import Ranges
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("3", {3}, {2, 4}), ("1-3,9", {1, 2, 3, 9}, {0, 4, 8, 10}), ("5-", {5, 10**9}, {4}), ("-2", {1, 2}, {0, 3})],
)
def test_ranges(text: str, inside: set[int], outside: set[int]) -> None:
    """Numbers, ranges, open ranges and lists of them."""
    ranges = Ranges.parse(text)
    assert all(number in ranges for number in inside)
    assert not any(number in ranges for number in outside)


@pytest.mark.parametrize("text", ["", "x", "1-2-3", "4-2", "1,,2", "1.5", "--", "٣", "9" * 5000, f"1-{'9' * 5000}"])
def test_what_is_no_range(text: str) -> None:
    """Anything else is refused, with the part that is wrong."""
    with pytest.raises(ValueError, match=r"is not a number or a range|ends before"):
        Ranges.parse(text)


def test_parts_of_a_range_that_nothing_is_in() -> None:
    """A choice that names boards which are not there can be said to."""
    assert Ranges.parse("1-4,20,30-").missing(range(1, 17)) == ["20", "30-"]


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 4099])
def test_the_checksum_is_the_sum_of_padded_words(size: int) -> None:
    """It equals the plain sum over words, the last of them filled up with zeros."""
    data = bytes(range(256)) * 17
    data = data[:size]
    words = [data[i : i + 4] for i in range(0, size, 4)]
    assert checksum(io.BytesIO(data)) == sum(int.from_bytes(word.ljust(4, b"\0"), "little") for word in words)


def test_the_checksum_of_large_data_carries_past_32_bits() -> None:
    """The sum has 64 bits, and pieces of a large file add up."""
    assert checksum(io.BytesIO(b"\xff" * (CHUNK + 4))) == (CHUNK // 4 + 1) * 0xFFFFFFFF


def test_a_folder_means_its_files_of_known_extensions(tmp_path: Path) -> None:
    """Folders are walked in order, hidden files and strangers left out; a file that is named is always taken."""
    for name in ("b.one", "a.ONE", "c.txt", ".d.one", "sub/e.two", ".hid/f.one"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = expand([str(tmp_path), str(tmp_path / "c.txt"), "-"], frozenset({"one", "two"}))
    assert [os.path.basename(path) for path in found] == ["a.ONE", "b.one", "e.two", "c.txt", "-"]
    assert list(expand(["none"], frozenset())) == ["none"]
    kept = expand([str(tmp_path)], frozenset({"one", "two"}), ["sub", "a.*"])
    assert [os.path.basename(path) for path in kept] == ["b.one"]


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """When the source of the bytes fails, or the user stops it, the old file stands and nothing lies beside it."""
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def stopped() -> None:
        with output(str(target)) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_writing_keeps_permissions_and_links(tmp_path: Path) -> None:
    """A file that is replaced keeps its mode; a symbolic link keeps pointing and its target is what changes."""
    target, link = tmp_path / "x", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(str(link), b"newer")
    assert link.is_symlink()
    assert target.read_bytes() == b"newer"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced() -> None:
    """A target like the null device stays what it is."""
    write(os.devnull, b"x")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def finding(start: int, stop: int, safe: bool = True) -> Diagnostic:
    return Diagnostic("x", Severity.ERROR, "m", fix=Fix("f", (Edit(start, stop, b"-"),), safe))


def test_fixes_that_overlap_wait_for_the_next_round() -> None:
    """Of two repairs of the same bytes the first is made; unsafe ones only when they are asked for."""
    found = [finding(0, 2), finding(1, 3), finding(4, 5, safe=False), finding(6, 7)]
    assert apply_fixes(b"abcdefgh", chosen_fixes(found, unsafe=False)) == b"-cdef-h"
    assert apply_fixes(b"abcdefgh", chosen_fixes(found, unsafe=True)) == b"-cd-f-h"
