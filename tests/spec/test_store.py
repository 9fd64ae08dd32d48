"""Compiled schemas are kept as data: what comes back is equal, and used only while its sources are as they were."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from bridgespec.spec import store
from bridgespec.spec.catalog import Catalog, builtin_folder, load_file
from bridgespec.spec.store import NotStorable, Store, flat, folders, whole

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


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_schema_comes_back_from_data(path: Path, cache: Path) -> None:
    """Through JSON text, every schema is equal to what was compiled, and so is what a second catalog loads."""
    spec = load_file(path, [path.parent])
    assert whole(json.loads(json.dumps(flat(spec)))) == spec
    Store(()).keep(path, spec)
    assert Store(()).load(path) == spec


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
    assert Store((specs,)).load(specs / "gib.lark") is None
    assert Catalog([specs]).load("gib") == before


def test_a_damaged_cache_costs_only_time(specs: Path, cache: Path) -> None:
    """Whatever a kept file holds, the schema is read; nothing but values of this package is made from it."""
    whole_spec = Catalog([specs]).load("zbd")
    (kept,) = cache.glob("zbd-*.json")
    head, _, values = kept.read_text().partition("\n")
    for data in ("", "{}", head, head + "\n[1", head + '\n[[["os:system", []]], [0]]', head + "\n[[], [7]]", "\0" * 99, values):
        kept.write_text(data)
        assert Catalog([specs]).load("zbd") == whole_spec
    with pytest.raises(ValueError, match="not a class"):
        whole([[["subprocess:Popen", ["args"]]], [0, "true"]])
    with pytest.raises(ValueError, match="not a class"):
        whole([[["bridgespec.spec.store:Store", ["search"]]], [0, ["tuple"]]])


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
