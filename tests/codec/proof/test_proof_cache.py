"""Tables of proofs are made once for each state of a schema, and what is read from the cache is what would be made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridgespec.codec.proof import binary_proofs, proof_cache
from bridgespec.codec.proof.claim import Proof
from bridgespec.codec.proof.field_proofs import field_proofs
from bridgespec.codec.proof.proof_cache import quick_proofs
from bridgespec.codec.proof.prove import QUICK, prove
from bridgespec.codec.proof.text_sets import Languages
from bridgespec.spec import store
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.grammar import Grammar, Pattern
from bridgespec.spec.ir import Field, Record, Spec
from bridgespec.spec.kaitai.schema import loads
from bridgespec.spec.place import SchemaPlace

ONE = "meta: {id: one, bit-endian: le}\nseq: [{id: a, type: b4, valid: {max: 9}}, {id: b, type: b4}]"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The schemas of which proofs are made, one after another; the cache is an empty folder."""
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path))
    names: list[str] = []

    def counted(spec: Spec, most: int) -> Iterator[Proof]:
        names.append(spec.id)
        return prove(spec, most)

    monkeypatch.setattr(proof_cache, "prove", counted)
    return names


@pytest.mark.long
def test_a_table_is_made_once(made: list[str], tmp_path: Path) -> None:
    """The second call reads the table from the cache; it equals the first in every value."""
    for name in ("zbd", "oneline"):
        spec = Catalog().load(name)
        first = quick_proofs(spec)
        assert quick_proofs(spec) == first == list(prove(spec, QUICK))
    assert made == ["zbd", "oneline"]
    assert len(list(tmp_path.glob("proofs-*.json"))) == 2


def test_a_changed_schema_has_a_table_of_its_own(made: list[str], tmp_path: Path) -> None:
    """The table of a changed schema replaces the earlier one in the cache."""
    first, second = loads(ONE), loads(ONE.replace("9", "15"))
    assert [one.told for one in quick_proofs(first)] != [one.told for one in quick_proofs(second)]
    assert quick_proofs(second) == list(prove(second, QUICK))
    assert made == ["one", "one"]
    assert len(list(tmp_path.iterdir())) == 1


def test_another_program_makes_the_table_again(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that another version of the codec wrote is not used."""
    spec = loads(ONE)
    quick_proofs(spec)
    monkeypatch.setattr(store, "program", lambda *packages: f"another with {packages}")
    assert quick_proofs(spec) == list(prove(spec, QUICK))
    assert made == ["one", "one"]


@pytest.mark.parametrize("content", [b"", b"nothing\n", b"\xff"])
def test_a_damaged_table_is_made_again(made: list[str], tmp_path: Path, content: bytes) -> None:
    """A cache file that has other values than proofs is replaced too."""
    spec = loads(ONE)
    rows = quick_proofs(spec)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert quick_proofs(spec) == rows
    head, _ = store.read_cached(file) or ("", "")
    store.write_cached(file, head, "[[], [1, 2]]")
    assert quick_proofs(spec) == rows
    assert made == ["one"] * 3


def test_without_a_cache_a_table_is_made_each_time(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the cache switched off no file is written."""
    monkeypatch.setenv(store.CACHE_VARIABLE, "")
    assert quick_proofs(loads(ONE)) == quick_proofs(loads(ONE))
    assert made == ["one", "one"]


def test_the_program_covers_the_codec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed module of the codec or of the model is another program, where the source can be edited."""
    for package in ("spec", "codec", "model"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "x.py").write_text("", "utf-8")
    monkeypatch.setattr(store, "PACKAGE", tmp_path)
    found = set()
    for package in ("", "spec", "codec", "model"):
        if package:
            (tmp_path / package / "x.py").write_text("changed", "utf-8")
        monkeypatch.setattr(store, "_PROGRAM", {})
        found.add(store.program("codec", "model"))
    assert len(found) == 4


def test_fields_that_are_declared_alike_are_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fields that differ only in the position of their size expression are proved once; each row has its own field's name and
    position."""
    tried: list[str] = []

    def counted(spec: Spec, record: Record, field: Field, about: str, most: int) -> Iterator[Proof]:
        tried.append(field.name)
        return field_proofs(spec, record, field, about, most)

    monkeypatch.setattr(binary_proofs, "field_proofs", counted)
    rows = "".join(f"  - {{id: {name}, type: str, size: 1, encoding: ASCII, -bridge-opaque: true}}\n" for name in "abc")
    proofs = list(prove(loads(f"meta: {{id: one}}\nseq:\n{rows}")))
    assert tried == ["a"]
    places: dict[str, SchemaPlace | None] = {one.about: one.place for one in proofs}
    assert len({places[f"one.{name}"] for name in "abc"}) == 3
    assert len({tuple(one.told for one in proofs if one.about == f"one.{name}") for name in "abc"}) == 1


def test_classes_of_many_characters_are_not_listed() -> None:
    """A class with more characters than may be listed is not listed at all."""
    languages = Languages(Grammar.__new__(Grammar), 10)
    assert languages.of(Pattern("[0-9]")) == frozenset("0123456789")
    assert languages.of(Pattern("[0-9a]")) is None
    assert languages.of(Pattern("[^a]")) is None
