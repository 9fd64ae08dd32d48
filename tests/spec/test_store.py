"""Compiled schemas are kept as data: what comes back is equal, and used only while its sources are as they were."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from bridgespec.spec import store
from bridgespec.spec.catalog import Catalog, builtin_folder, load_file
from bridgespec.spec.flat import NotStorable, flat, from_flat
from bridgespec.spec.store import SchemaStore, detach, folders, read_cached

ROOT = Path(__file__).parents[2]
SCHEMAS = sorted(path for path in builtin_folder().iterdir() if path.suffix in (".ksy", ".lark"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(store.CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with a copy of every schema."""
    folder = tmp_path / "specs"
    folder.mkdir()
    for path in SCHEMAS:
        shutil.copy(path, folder)
    return folder


@pytest.mark.slice(None, quick=15)
@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_schema_comes_back_from_data(path: Path, cache: Path) -> None:
    """Through JSON text, every schema is equal to what was compiled, and so is what a second catalog loads."""
    spec = load_file(path, [path.parent])
    assert from_flat(json.loads(json.dumps(flat(spec)))) == spec
    SchemaStore(()).keep(path, spec)
    assert SchemaStore(()).load(path) == spec


@pytest.mark.long
def test_a_detached_schema_is_found_in_another_folder(specs: Path, cache: Path, tmp_path: Path) -> None:
    """Its cached file stays valid, and has no path of the folder that it was made in: so are those of a package."""
    list(Catalog([specs]).all())
    detach(cache, specs)
    files = sorted(cache.glob("*.json"))
    assert files
    assert all(read_cached(path) is not None and str(specs).encode() not in path.read_bytes() for path in files)
    files[-1].write_bytes(b"x")
    with pytest.raises(OSError, match="damaged"):
        detach(cache, specs)


@pytest.mark.long
def test_a_kept_schema_is_not_compiled_again(specs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second catalog reads no schema language."""
    first = {head.id for head in Catalog([specs]).heads()}
    monkeypatch.setattr("bridgespec.spec.catalog.load_file", None)
    again = Catalog([specs])
    assert {head.id for head in again.heads()} == first
    assert len(list(again.all())) == len(first)
    assert not again.broken


def test_a_changed_schema_is_compiled_anew(specs: Path, cache: Path) -> None:
    """What counts is the content, of the schema and of what it imports: neither name nor time."""
    assert Catalog([specs]).load("zbd").title == "ZBD binary deals"
    path = specs / "zbd.ksy"
    state = path.stat()
    path.write_text(path.read_text().replace("title: ZBD binary deals", "title: zbd binary deals"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert Catalog([specs]).load("zbd").title == "zbd binary deals"
    shared = specs / "bridge.lark"
    before = Catalog([specs]).load("gib")
    shared.write_text(shared.read_text() + "\n// more\n")
    assert SchemaStore((specs,)).load(specs / "gib.lark") is None
    assert Catalog([specs]).load("gib") == before


@pytest.mark.long
def test_a_damaged_cache_costs_only_time(specs: Path, cache: Path) -> None:
    """Whatever a kept file holds, the schema is read; nothing but values of this package is made from it."""
    whole_spec = Catalog([specs]).load("zbd")
    (kept,) = cache.glob("zbd-*.json")
    written = kept.read_text()
    digests, head, values, _ = written.split("\n")
    for data in ("", "{}", head, f"{head}\n{values}\n", f"{digests}\n{values}\n{head}\n", written[:-9], "\0" * 99, values):
        kept.write_text(data)
        assert Catalog([specs]).load("zbd") == whole_spec
    for at in range(0, len(written), len(written) // 40):
        kept.write_text(written[:at] + chr(ord(written[at]) ^ 1) + written[at + 1 :])
        assert {one.id: one.title for one in Catalog([specs]).heads()}["zbd"] == whole_spec.title
        assert Catalog([specs]).load("zbd") == whole_spec


@pytest.mark.parametrize("body", ["[1", '[[["os:system", []]], [0]]', "[[], [7]]", "[" * 100_000, "7"])
def test_a_foreign_file_costs_only_time(body: str, specs: Path, cache: Path) -> None:
    """A file that another program wrote in the same form, whole and with the right digests, is not believed either."""
    whole_spec = Catalog([specs]).load("zbd")
    (kept,) = cache.glob("zbd-*.json")
    head = kept.read_text().split("\n")[1]
    store.write_cached(kept, head, body)
    assert Catalog([specs]).load("zbd") == whole_spec
    store.write_cached(kept, body, body)
    assert Catalog([specs]).load("zbd") == whole_spec
    files = json.dumps({**json.loads(head), "files": {"/dev/stdin": "", str(cache): ""}})
    store.write_cached(kept, files, body)
    assert Catalog([specs]).load("zbd") == whole_spec


def test_values_are_of_this_package() -> None:
    """Nothing but values of this package is made from a kept file."""
    with pytest.raises(ValueError, match="not a class"):
        from_flat([[["subprocess:Popen", ["args"]]], [0, "true"]])
    with pytest.raises(ValueError, match="not a class"):
        from_flat([[["bridgespec.spec.store:SchemaStore", ["search"]]], [0, ["tuple"]]])


SPECIAL = {
    "pipe": os.mkfifo,
    "folder": os.mkdir,
    "loop": lambda path: os.symlink(path, path),
    "device": lambda path: os.symlink("/dev/zero", path),
    "terminal": lambda path: os.symlink("/dev/tty", path),
    "nowhere": lambda path: os.symlink("/nowhere/at/all", path),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        ["show", "tests/samples/pbn/sixteen.pbn", "--boards", "1"],
        ["bid", "--system", "sayc", "--hand", "AKQ52.K32.Q32.32"],
    ],
    ids=["schemas", "rules"],
)
def test_special_files_are_passed_over(command: list[str], tmp_path: Path) -> None:
    """A pipe, whose reader would wait for ever, a device without an end, a folder: all is as if they were absent."""
    cache = tmp_path / "c"
    call = [sys.executable, "-m", "bridgespec", *command]
    env = {**os.environ, "PYTHONPATH": str(ROOT), store.CACHE_VARIABLE: str(cache)}
    first = subprocess.run(call, cwd=ROOT, capture_output=True, env=env, check=False, timeout=300)
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    # One function reads the files of a cache: each kind of special file takes the place of several of them.
    assert len(files) > 2 * len(SPECIAL)
    for path, make in zip(files, cycle(SPECIAL.values()), strict=False):
        path.unlink()
        make(path)
        assert read_cached(path) is None
    again = subprocess.run(call, cwd=ROOT, capture_output=True, env=env, check=False, timeout=300)
    assert (again.returncode, again.stdout, again.stderr) == (first.returncode, first.stdout, first.stderr)


@pytest.fixture(scope="module")
def uncached() -> tuple[int, bytes, bytes]:
    """The outcome of `show` where nothing is cached."""
    return shown({store.CACHE_VARIABLE: ""})


def shown(more: dict[str, str]) -> tuple[int, bytes, bytes]:
    """The outcome of `show` in an environment without a cache of its own."""
    env = {name: value for name, value in os.environ.items() if name not in (store.CACHE_VARIABLE, "XDG_CACHE_HOME")}
    command = [sys.executable, "-m", "bridgespec", "show", "tests/samples/pbn/sixteen.pbn"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, env={**env, "PYTHONPATH": str(ROOT), **more}, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
@pytest.mark.parametrize("home", ["/proc", "/dev/null", "/dev/null/at/all", ""])
def test_a_home_that_cannot_be_written_is_no_error(home: str, uncached: tuple[int, bytes, bytes]) -> None:
    """The user's own cache is for speed alone: without it, everything is as ever."""
    assert shown({"HOME": home}) == uncached


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody knows the home of the user, there is no cache of the user's own."""
    for name in (store.CACHE_VARIABLE, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert store.own_folder() is None


@pytest.mark.long
@pytest.mark.parametrize(
    "call", [["explain", "card-twice"], ["dump", "tests/samples/dup/bad/halves.dup"], ["show", "tests/samples/pbn/sixteen.pbn"]]
)
def test_docstrings_and_assertions_may_be_left_out(call: list[str]) -> None:
    """With `python -OO` a command does what it does without: the pages of findings are read from the source."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = [
        subprocess.run([sys.executable, *options, "-m", "bridgespec", *call], cwd=ROOT, capture_output=True, env=env, check=False)
        for options in ([], ["-OO"])
    ]
    assert (done[0].returncode, done[0].stdout, done[0].stderr) == (done[1].returncode, done[1].stdout, done[1].stderr)


def test_what_cannot_be_kept_is_said() -> None:
    """An object that is neither plain data nor a value of ours is not a part of a schema."""
    with pytest.raises(NotStorable):
        flat(object())


@pytest.mark.parametrize(
    ("system", "named", "wanted"),
    [
        ("win32", {"LOCALAPPDATA": "/app"}, "/app/bridgespec/Cache"),
        ("win32", {}, "/me/AppData/Local/bridgespec/Cache"),
        ("darwin", {}, "/me/Library/Caches/bridgespec"),
        ("linux", {"XDG_CACHE_HOME": "/cache"}, "/cache/bridgespec"),
        ("linux", {}, "/me/.cache/bridgespec"),
    ],
)
def test_a_users_own_cache(system: str, named: dict[str, str], wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each system keeps such files."""
    for name in (store.CACHE_VARIABLE, "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(Path, "home", lambda: Path("/me"))
    assert folders()[-1] == Path(wanted)


def test_without_a_cache(specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache, or one that cannot be written, changes nothing but the time."""
    monkeypatch.setenv(store.CACHE_VARIABLE, "")
    assert Catalog([specs]).load("zbd").id == "zbd"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path / "file" / "below"))
    assert Catalog([specs]).load("zbd").id == "zbd"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "specs"]
