"""`generate patterns`: each table in the example format that is made for it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.model.patterns import TABLES
from tests.cli.running import forked
from tests.generate.house import EXAMPLES, engine

FORMATS = {name: name if name != "ghp" else "patterns" for name in TABLES}


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_written_whole(name: str, tmp_path: Path) -> None:
    """The file has every record of the table, and every check of its schema accepts it; the example's sample is part of it."""
    path = tmp_path / f"all.{FORMATS[name]}"
    result = forked("--specs", str(EXAMPLES), "generate", "patterns", "--table", name, "-o", str(path))
    assert result.returncode == 0, result.stderr
    codec, data = BulkCodec(engine().spec(FORMATS[name])), path.read_bytes()
    assert codec.check(data).clean
    columns = TABLES[name]()
    read = codec.read(data)
    assert all(np.array_equal(read[field].reshape(column.shape), column) for field, column in columns.items())
    size = codec.record_size
    records = {data[at : at + size] for at in range(0, len(data), size)}
    (sample,) = (EXAMPLES / "samples" / FORMATS[name]).glob(f"*.{FORMATS[name]}")
    part = sample.read_bytes()
    assert {part[at : at + size] for at in range(0, len(part), size)} <= records
    assert name != "ghp" or part == data


@pytest.mark.parametrize("name", [name for name in TABLES if name != "ghp"])
def test_arrays_find_the_records_that_the_reference_finds(name: str) -> None:
    """Numbers that a schema writes out are looked up in arrays; an index beyond the last makes its record suspect."""
    spec = engine().spec(name)
    data = (EXAMPLES / "samples" / name / "bad" / f"counts.{name}").read_bytes()
    found = {one.record for one in engine().of(spec).codec.read(data).diagnostics}
    assert BulkCodec(spec).check(data).bad.tolist() == sorted(at for at in found if at is not None)
    assert found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("patterns", "-o", "a.shp"), "needs --table"),
        (("rpdd", "--table", "shp", "-o", "a.zbd"), "deals have none"),
        (("patterns", "--table", "shp", "-o", "a.zbd"), "there is no field 'lengths'"),
        (("patterns", "--table", "shp", "-o", "a.gsp"), "there is no field 'num_hands'"),
        (("patterns", "--table", "shp", "-o", "a.pbn"), "cannot be read in bulk"),
        (("patterns", "--table", "shp", "-o", "a.svg"), "no format of records"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """The message names what is missing, and no file is left."""
    *given, name = arguments
    path = tmp_path / name
    result = forked("--specs", str(EXAMPLES), "generate", *given, str(path))
    assert result.returncode == 2
    assert message in result.stderr
    assert not path.exists()
