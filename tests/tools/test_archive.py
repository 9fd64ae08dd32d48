"""What a release consists of: the same bytes for the same contents, and wheels that an installer takes."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import tarfile
import zipfile
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest

from tools import archive, zig
from tools.wheels import checks

INFO = "thing-1.0.dist-info"
FILES = {
    "thing/__init__.py": b"",
    f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nGenerator: any\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n",
    f"{INFO}/METADATA": b"Name: thing\n",
    f"{INFO}/RECORD": b"old",
    "thing/_native.abi3.so": b"\x7fELF",
}
TAGS = "cp311-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64"


def test_a_wheel_is_the_same_whatever_the_order_of_its_files() -> None:
    """Names, times and modes are fixed; another time is another wheel."""
    name, data = archive.wheel(FILES, TAGS, 1_700_000_000)
    assert name == f"thing-1.0-{TAGS}.whl"
    assert archive.wheel(dict(reversed(FILES.items())), TAGS, 1_700_000_000) == (name, data)
    assert archive.wheel(FILES, TAGS, 1_800_000_000)[1] != data
    assert archive.wheel(FILES, TAGS, 0) == archive.wheel(FILES, TAGS, archive.EARLIEST)


def test_a_wheel_says_what_it_holds() -> None:
    """Every tag is listed, and every file with its digest and size; what describes the wheel stands last."""
    with zipfile.ZipFile(io.BytesIO(archive.wheel(FILES, TAGS, 1_700_000_000)[1])) as packed:
        names = packed.namelist()
        told = packed.read(f"{INFO}/WHEEL").decode().splitlines()
        rows = {row[0]: row[1:] for row in csv.reader(packed.read(f"{INFO}/RECORD").decode().splitlines())}
        held = {name: packed.read(name) for name in names}
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in packed.infolist()}
    assert told == [
        "Wheel-Version: 1.0",
        "Generator: any",
        "Root-Is-Purelib: false",
        "Tag: cp311-abi3-manylinux2014_x86_64",
        "Tag: cp311-abi3-manylinux_2_17_x86_64",
    ]
    assert rows.keys() == held.keys()
    for name, (digest, size) in rows.items():
        if not name.endswith("RECORD"):
            assert urlsafe_b64decode(digest.removeprefix("sha256=") + "=") == hashlib.sha256(held[name]).digest()
            assert int(size) == len(held[name])
    assert names == sorted(names, key=lambda name: (name.startswith(INFO), name))
    assert (modes["thing/_native.abi3.so"], modes["thing/__init__.py"]) == (0o755, 0o644)


def test_a_source_archive_is_the_same_whoever_packed_it(tmp_path: Path) -> None:
    """Neither times, owners nor the order of packing are left in it; contents and whether a file can be run are."""
    folder = tmp_path / "thing-1.0"
    folder.mkdir()
    (folder / "b.py").write_text("print()")
    (folder / "a.sh").write_text("true")
    made = []
    for number, order in enumerate((("a.sh", "b.py"), ("b.py", "a.sh"))):
        os.utime(folder / "a.sh", (number, number))
        (folder / "a.sh").chmod(0o777 if number else 0o755)
        with tarfile.open(tmp_path / "packed.tar.gz", "w:gz") as packed:
            packed.add(folder, "thing-1.0", recursive=False)
            for name in order:
                packed.add(folder / name, f"thing-1.0/{name}")
        made.append(archive.source(tmp_path / "packed.tar.gz", 1_700_000_000))
    assert made[0] == made[1]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(made[0]))) as packed:
        entries = {entry.name: (entry.mtime, entry.uid, entry.mode) for entry in packed}
        assert packed.extractfile("thing-1.0/b.py").read() == b"print()"
    assert entries["thing-1.0/a.sh"] == (1_700_000_000, 0, 0o755)
    assert entries["thing-1.0/b.py"] == (1_700_000_000, 0, 0o644)


@pytest.mark.parametrize("target", zig.ALL, ids=lambda target: target.name)
def test_every_wheel_has_an_auditor(target: zig.Target) -> None:
    """Modules are for the stable interface from the oldest Python on, libraries for any; something looks at each."""
    python, abi, platform = target.tags.split("-")
    assert (python, abi) == (("cp311", "abi3") if target.is_module else ("py3", "none"))
    assert [tool for tool, _ in checks(Path(f"thing-1.0-{python}-{abi}-{platform}.whl"))]
