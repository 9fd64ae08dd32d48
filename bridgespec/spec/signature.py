"""The signature of a binary format: the constant bytes with which every file begins."""

from __future__ import annotations

from bridgespec.spec.ir import BytesType, RecordType, Spec

LEAST = 4
"""The fewest bytes of a signature: one file in 2**32 begins with four given bytes by chance."""


def signature(spec: Spec) -> bytes:
    """Return the bytes with which every file of a format begins; empty for a text format, and where there are fewer than `LEAST`.

    They are the ``contents`` of the first fields, also inside a record that the file begins with.
    """
    if spec.language != "ksy":
        return b""
    found = _constant(spec, spec.root, frozenset())[0]
    return found if len(found) >= LEAST else b""


def _constant(spec: Spec, name: str, above: frozenset[str]) -> tuple[bytes, bool]:
    """Return the constant bytes at the beginning of the record ``name``, and whether the whole record is constant. ``above`` are
    the names of the records that contain it.
    """
    found = b""
    for field in spec.records[name].fields:
        if field.repeat is not None or field.condition is not None:
            return found, False
        if isinstance(field.type, BytesType) and field.type.contents is not None and field.type.process is None:
            found += field.type.contents
        elif isinstance(field.type, RecordType) and field.type.target not in above and field.type.process is None:
            inner, all_constant = _constant(spec, field.type.target, above | {name})
            found += inner
            # A substream may be longer than the record in it.
            if not all_constant or field.type.extent is not None:
                return found, False
        else:
            return found, False
    return found, True
