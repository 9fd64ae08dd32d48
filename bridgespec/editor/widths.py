"""Find a field of a binary schema whose width is wrong, by a file that has findings: `width_findings` is the entry.

The schema is loaded with another width, one field at a time, and the file read by it. A width is reported where with it alone the
file has no findings. What the file's values mean is checked too, so that a width that only moves the errors is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bridgespec.codec.format import Format
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Severity, define
from bridgespec.errors import BridgespecError
from bridgespec.examined import report
from bridgespec.schema_checks import findings
from bridgespec.spec.problems import Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml, load_yaml

WIDTH = define(
    "schema-width",
    Severity.WARNING,
    """With another width of one field, a file has no findings.

    By the schema as it is written the file has some. Reported where no more than three widths, each alone, have this effect.
    """,
)
LARGEST = 1 << 14
"""The maximum size of the file in bytes, and of the schema in characters: both are read once for each width that is tried."""
MOST_TRIALS = 100
"""The maximum number of schemas that are tried."""
_MOST_FOUND = 3
"""The maximum number of widths that are reported; more show that the width is not what is wrong."""
_NEAR = 3
"""The maximum difference between a size or number of bits and those that are tried in its place."""
_INTEGER = re.compile(r"([us])([1248])(le|be)?")
_BITS = re.compile(r"b([0-9]+)(le|be)?")


def width_findings(path: Path, folders: Sequence[Path], text: str, data: bytes) -> list[Diagnostic]:
    """Return a finding for each change of one width with which the file has no findings.

    Return none if the file has no findings with the schema as it is, or if file or schema are larger than `LARGEST`.
    """
    first = None if len(data) > LARGEST or len(text) > LARGEST else _first_finding(path, folders, text, data)
    if first is None:
        return []
    widths = list(_widths(load_yaml(text, path.name, Problems())))
    # A width is wrong mostly in the field of the first finding, or in one that is declared near it.
    name = re.sub(r"\[\d+\]", "", first.field or "").rpartition(".")[2]
    own = next((one.place.line for owner, one in widths if owner == name), 1)
    widths.sort(key=lambda one: abs(one[1].place.line - own))
    found = []
    for scalar, other in islice(((one, other) for _, one in widths for other in _alternatives(one.text)), MOST_TRIALS):
        edit = Edit(scalar.place.span.byte_start, scalar.place.span.byte_stop, other.encode())
        raw = text.encode()
        changed = raw[: edit.start] + edit.replacement + raw[edit.stop :]
        if _first_finding(path, folders, changed.decode(), data) is None:
            message = f"with {other!r} in place of {scalar.text!r} alone, the file has no findings"
            fix = Fix(f"write {other!r}", (edit,))
            found.append(Diagnostic(WIDTH.name, WIDTH.severity, message, str(path), span=scalar.place.span, fix=fix))
    # A file that many widths would repair does not show which field is wrong.
    return found if len(found) <= _MOST_FOUND else []


def _first_finding(path: Path, folders: Sequence[Path], text: str, data: bytes) -> Diagnostic | None:
    """Return the first finding on ``data`` read by a schema with this text, or the first error of the schema; None without
    either.
    """
    spec, of_schema = findings(path, list(folders), text)
    if spec is None:
        return next((one for one in of_schema if one.severity is Severity.ERROR), None)
    known = Format(spec)
    try:
        reading, document = known.read(data)
    except BridgespecError as error:
        return Diagnostic(WIDTH.name, WIDTH.severity, str(error))
    found = report(spec, known.binder.places, reading, document, None, True).diagnostics
    return min(found, key=lambda one: one.span.start if one.span is not None else 0, default=None)


def _widths(node: Yaml | None) -> Iterator[tuple[str, Scalar]]:
    """Yield the value of each ``type`` and ``size`` that is a plain scalar, with the id of its field, empty without one."""
    if isinstance(node, Items):
        for item in node:
            yield from _widths(item)
    elif isinstance(node, Map):
        name = node.get("id")
        for key, value in node.values.items():
            if key in ("type", "size") and isinstance(value, Scalar) and not value.literal:
                yield name.text if isinstance(name, Scalar) else "", value
            yield from _widths(value)


def _alternatives(text: str) -> list[str]:
    """Return the widths that are tried in place of one; none for a text that is not a width.

    >>> _alternatives("u2"), _alternatives("b1"), _alternatives("2"), _alternatives("str")
    (['u1', 'u4', 'u8'], ['b2', 'b3', 'b4'], ['1', '3', '4', '5'], [])
    """
    if integer := _INTEGER.fullmatch(text):
        sign, now, order = integer.groups("")
        # A type of one byte has no byte order.
        return [f"{sign}{size}{order if size != '1' else ''}" for size in "1248" if size != now]
    bits = _BITS.fullmatch(text)
    number = bits[1] if bits else text if text.isdecimal() else ""
    near = range(max(int(number) - _NEAR, 1), int(number) + _NEAR + 1) if number and len(number) < 6 else ()
    return [f"b{one}{bits[2] or ''}" if bits else str(one) for one in near if str(one) != number]
