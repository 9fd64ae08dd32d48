"""The path that a file takes through the commands decides nothing: bytes, findings and exit status are those of the plain path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.listed import listed

from .paths import FORMATS, PATHS, PROCESSES, batches, carried, differences, on_cluster
from .running import SAMPLES, run

FEW, MANY = 50, 100
"""Files in every run, of all formats together; and in the slow suite, of each format and for each path."""


@pytest.mark.slice(6, quick=0)
@pytest.mark.parametrize("format", FORMATS)
def test_every_path_gives_the_same(format: str, tmp_path: Path) -> None:
    """Valid, broken and cut files, checked and converted."""
    for seed in range(-(-FEW // len(FORMATS))):
        name = tuple(PATHS)[seed % len(PATHS)]
        assert not list(differences(tmp_path, format, 10_000 + seed, 2, {name: PATHS[name]}))


@pytest.mark.long
@pytest.mark.parametrize(
    ("format", "seed", "path"), [("bri", 660, "one by one"), ("zbs", 2360, "threads"), ("pbn", 1361, "in threes")]
)
def test_files_that_once_differed(format: str, seed: int, path: str, tmp_path: Path) -> None:
    """Why a board is refused does not depend on those before it; in an outline, a seat is no number to which it is equal."""
    assert not list(differences(tmp_path, format, seed, 2, {path: PATHS[path]}))


def test_losses_after_a_board_that_is_left_out(tmp_path: Path) -> None:
    """Behind a board that is left out dealers and vulnerabilities are lost as the numbers come to stand, by arrays too."""
    good = (SAMPLES / "bri/sixteen.bri").read_bytes()[:128]
    source, dest = tmp_path / "a.bri", tmp_path / "a.zbd"
    source.write_bytes(good * 3 + good[:2] + good[:126] + good * 40 + good[:2] + good[:126] + good * 5)
    plain = run("convert", source, dest)
    data = dest.read_bytes()
    with batches(30):
        found = run("convert", source, dest)
    assert (found.exit_code, found.stderr, dest.read_bytes()) == (plain.exit_code, plain.stderr, data)
    assert [line for line in plain.stderr.splitlines() if "warning[lost]" in line and "vulnerability" in line]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("format", FORMATS)
def test_every_path_gives_the_same_of_many(format: str, path: str, tmp_path: Path) -> None:
    """The same with more files."""
    for seed in range(MANY):
        assert not list(differences(tmp_path, format, seed, 3, {path: PATHS[path]}))


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_processes_give_the_same(format: str, tmp_path: Path) -> None:
    """With processes in place of threads."""
    for seed in range(4):
        assert not list(differences(tmp_path, format, seed, 1, PROCESSES))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster within this process."""
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@listed
def carried_formats() -> Iterator[str]:
    """The formats that work on a cluster carries as arrays."""
    return filter(carried, FORMATS)


@pytest.mark.long
@pytest.mark.slice(2)
@pytest.mark.parametrize("format", carried_formats())
def test_a_cluster_gives_the_same(format: str, address: str, tmp_path: Path) -> None:
    """Chunks in which a record is not clean are left to the plain path."""
    found = [on_cluster(tmp_path, format, seed, address) for seed in range(4)]
    assert not list(filter(None, found))


@pytest.mark.slow
@pytest.mark.parametrize("format", carried_formats())
def test_a_cluster_gives_the_same_of_many(format: str, address: str, tmp_path: Path) -> None:
    """The same with more files, of which a few cannot be worked in parts and are refused."""
    found = [on_cluster(tmp_path, format, seed, address) for seed in range(MANY)]
    assert not list(filter(None, found))
    assert found.count(None) > MANY // 2


def test_numbers_of_the_file_are_compared_at_any_size(tmp_path: Path) -> None:
    """Each later record whose first number is none, or whose last number is wrong, has a finding, also where arrays are used."""
    data = (SAMPLES / "dup/bad/later-numbers.dup").read_bytes()
    path = tmp_path / "a.dup"
    for times in (1, 3):
        path.write_bytes(data * times)
        with batches(1):
            found = run("validate", path, "--all", "--output-format", "json").stdout
        assert found.count('"not-a-number"') == 4 * times
        assert found.count('"file-mismatch"') == 5 * times


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "target"), [("bri/bad/card-twice-of-sixteen.bri", "zbd"), ("zrd/bad/fourteen-of-eight.zrd", "zdd")]
)
def test_what_is_broken_is_not_carried_over_at_any_size(name: str, target: str, tmp_path: Path) -> None:
    """Records enough for arrays, of which one in each sample is broken: no hand of fourteen cards and no fourteen tricks come out,
    and the status is that of the sample alone.
    """
    data = (SAMPLES / name).read_bytes()
    source, dest = tmp_path / Path(name).name, tmp_path / f"out.{target}"
    source.write_bytes(data)
    one = run("convert", source, dest)
    expected = dest.read_bytes()
    times = 128
    source.write_bytes(data * times)
    assert run("convert", source, dest).exit_code == one.exit_code
    assert dest.read_bytes() == expected * times
