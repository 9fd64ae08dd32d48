"""Three back ends read and write the same: the reference path, arrays, and the exported construct declarations.

Each takes the schemas that it can represent: the reference path all, arrays those of fixed-size records, construct those that
`UNREPRESENTABLE` does not list. The files are drawn from the schemas, so that a new schema is tried without being named here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.codec import why_not as why_no_arrays
from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.codec.samples.uses import why_not as why_not_drawn
from bridgespec.errors import WriteError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai import schema as ksy
from bridgespec.targets.construct import to_construct
from bridgespec.targets.refused import NotExpressible
from tests.codec.bulk.support import as_bytes, column, reference_rows
from tests.codec.bulk.test_codec import LAYOUTS, layout
from tests.conformance.roundtrip import everything
from tests.listed import listed
from tests.targets.test_construct import bare, blank_padding, exported

ROOT = Path(__file__).parents[2]
FOLDERS = ("specs", "examples/formats", "bridgespec/docs/language")
FILES, ATTEMPTS = 12, 60
FILES_OF = {path.stem: path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ksy"))}
"""Schema files by the names that tests have for them."""
NAMES = (*FILES_OF, *LAYOUTS)
UNREPRESENTABLE = {
    "zbs": "looks at eof",
    "values": "looks at eof",
    "esh": "a run of 13 bits",
    **dict.fromkeys(("ghc", "gsp", "patterns", "shc", "shp", "ssp", "bits, then a byte"), "a group of bit fields beside fields"),
    "tlv": "holds itself",
    "lists": "depends on whoever uses it",
    "placed": "the type of names",
    "texts": "the type of closed",
}


@cache
def schema(name: str) -> Spec:
    """Return the schema of a file or of a layout."""
    return ksy.load(FILES_OF[name]) if name in FILES_OF else layout(name)


@listed
def representable() -> list[str]:
    """Return the names of the schemas with fields that every back end represents."""
    return [name for name in NAMES if name not in UNREPRESENTABLE and schema(name).top.fields]


def drawn_files(spec: Spec) -> list[bytes]:
    """Return some files of values that the schema allows, the same ones each time."""
    files: list[bytes] = []
    for seed in range(ATTEMPTS):
        try:
            files.append(BinaryCodec(spec).write(Drawing(spec, Random(seed)).file()))
        except (Undrawn, WriteError):
            continue
        if len(files) == FILES:
            break
    return files


def agree_with_construct(spec: Spec, declared: Any, data: bytes) -> bool:
    """Compare values and bytes of one file; False where it has an end record, which construct cannot keep."""
    ours = everything(BinaryCodec(spec).read(data).root)
    if "end" in ours or ours.pop("trailing", None):
        return False
    theirs = bare(declared.parse(data))
    assert theirs == blank_padding(ours, theirs)
    assert declared.build(declared.parse(data)) == data
    return True


def agree_with_arrays(codec: BulkCodec, data: bytes) -> None:
    """Compare the arrays of one file with the values of its records, and the bytes written."""
    rows, arrays = reference_rows(codec.spec, data), codec.read(data)
    for name in codec.fields:
        ours, theirs = column(rows, name), arrays[name].tolist()
        if any(isinstance(each, str) for each in ours):
            # arrays keep the padding of a text
            theirs = [list(bytes(row).rstrip(b" \0")) for row in theirs]
        assert theirs == as_bytes(ours), name
    assert codec.write(arrays).tobytes() == data


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_represented_or_refused_for_a_known_reason(name: str) -> None:
    """construct represents every schema but the listed ones, each of which is refused for the listed reason."""
    if (reason := UNREPRESENTABLE.get(name)) is None:
        to_construct(schema(name))
    else:
        with pytest.raises(NotExpressible, match=reason):
            to_construct(schema(name))


@pytest.mark.parametrize("name", representable())
def test_the_back_ends_agree(name: str) -> None:
    """Values and bytes of drawn files are the same by each back end that represents the schema."""
    spec = schema(name)
    assert why_not_drawn(spec) is None
    files, declared = drawn_files(spec), exported(spec)
    assert len(files) == FILES
    assert sum(agree_with_construct(spec, declared, data) for data in files) >= FILES // 4
    if not why_no_arrays(spec):
        codec = BulkCodec(spec)
        for data in files:
            agree_with_arrays(codec, data)
