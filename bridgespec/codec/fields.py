"""Convert the fields of a file of any format to JSON for editing, and such JSON to a file: `dump` and `load`.

`dump` takes the `Reading` of a file; `load` makes a file of a parsed JSON value. The JSON is an object with ``format``,
the id of the format, and ``fields``, the record that a file is: of a binary format with values as numbers, texts and names of
codes, of a text format with every field as its text. ``source`` is included where the fields alone do not reproduce the text: the
parts outside of changed fields are taken from it. The whole file is in memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.binary.spelled import STORED, JsonForm, JsonOmission, Speller, shown
from bridgespec.codec.binary.valid import show
from bridgespec.codec.format import Format
from bridgespec.codec.node import Raw, Reading, Undecided
from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.codec import plain as text_plain
from bridgespec.codec.text.derived import deviations, underived
from bridgespec.codec.text.rule_values import RecordRule, RuleValue
from bridgespec.codec.text.text_tree import FileNode, Kept
from bridgespec.diagnostic import Diagnostic, Severity, define, hint
from bridgespec.errors import ReadError, WriteError

FORMAT, FIELDS, SOURCE, ENCODING = "format", "fields", "source", "encoding"
WIDE, FEW, DEEP = 120, 60, 3
"""The characters of a line, and the parts and the levels that a value on one line has at most."""
_HARD = "\0"
"""A placeholder for a space in a text, at which lines must not be broken."""
MOST = 100
"""The maximum number of findings on one file."""

SHAPE = define(
    "fields-shape",
    Severity.ERROR,
    """A JSON value is not one of its field.

    The field is given as a JSON pointer (`/fields/blocks/3/label`). Names that the format does not have are errors too, lest a
    misspelt one be lost in silence. What follows from other fields (a length, a checksum, an offset) can be left out.
    """,
)
NOT_WRITTEN = define(
    "not-written",
    Severity.WARNING,
    """A JSON value is not what stands in the file that was written.

    The file was read again, and the field has another value: it follows from other fields, or the bytes that were written for it
    are read as something else, as where a length was changed and what it is the length of was not.
    """,
)


@dataclass(frozen=True)
class JsonLoad:
    """The result of `load`: the bytes of the file, a finding for each value of the JSON that is another one in the file
    (``differs``), and the reading of the file.
    """

    data: bytes
    differs: tuple[Diagnostic, ...]
    reading: Reading


def is_fields(value: Any) -> bool:
    """Whether a JSON value has the form that `dump` writes.

    >>> is_fields({"format": "gif", "fields": {}}), is_fields({"version": 1, "boards": []})
    (True, False)
    """
    return isinstance(value, dict) and isinstance(value.get(FORMAT), str) and FIELDS in value


# --- to JSON


def dump(known: Format, reading: Reading) -> bytes:
    """Return the fields of a file as UTF-8 JSON, from which `load` gives the same bytes again."""
    value = _of_text(known.text, reading) if known.text is not None else _of_bytes(known, reading)
    text = "".join(_lines(value, "")) + "\n"
    try:
        return text.encode()
    # Undecodable bytes are lone surrogates, which UTF-8 lacks: `dumps` escapes them.
    except UnicodeEncodeError:
        return (json.dumps(value, indent=2) + "\n").encode()


def _of_bytes(known: Format, reading: Reading) -> dict[str, Any]:
    """Return the JSON of a binary file. Values that a writer computes are left out if it computes the ones that are in the file."""
    value: dict[str, Any] = {}
    # From the form with most values left out on: the first one that gives the same bytes is taken.
    for left_out in sorted(JsonOmission, reverse=True):
        made = JsonForm(reading.root, known.spec, len(reading.data), left_out)
        value = {FORMAT: known.spec.id, FIELDS: made.value}
        try:
            if _file_of(known, value, _values(known, value, []), False) == reading.data:
                break
        except WriteError:
            continue  # something that was left out must be given after all: the file contradicts itself
    return value


def _of_text(codec: TextCodec, reading: Reading) -> dict[str, Any]:
    """Return the JSON of a text, with ``source`` if the fields alone do not give the same bytes."""
    values, data = _underived(codec, reading), reading.file_data
    encoding = "utf-8" if _is_utf8(data) else "latin-1"
    value = {FORMAT: codec.spec.id, FIELDS: _recoded(values, "latin-1", encoding)}
    if encoding != "utf-8":
        value[ENCODING] = encoding
    try:
        assert isinstance(values, dict)
        # A byte order mark and layout are not among the values, so that only the source gives them back.
        same = reading.encoding is None and codec.write(values) == data
    except WriteError:
        same = False
    return value if same else {**value, SOURCE: data.decode(encoding)}


def _underived(codec: TextCodec, reading: Reading) -> Any:
    """Return the plain values of a text without its derived fields. If one field in the file does not have its derived value, all
    fields of that name are included.
    """
    root, names = reading.root, {one.rule.name for one in codec.engine.derivations}
    assert isinstance(root, FileNode)
    # A wrong checksum stays in the JSON, or the file would not come back as it was.
    names -= {part.own.name for _, part, _ in deviations(codec.engine, root, names)}
    return underived(codec.form.start, text_plain(root), names)


def _is_utf8(data: bytes) -> bool:
    """Whether bytes can be decoded as UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _recoded(value: Any, before: str, after: str) -> Any:
    """Return a plain value with its texts in another encoding; undecodable bytes are escaped."""
    if isinstance(value, str):
        # The text codec works on Latin-1, one character for each byte; people read the encoding of the file.
        return value.encode(before, "surrogateescape").decode(after, "surrogateescape")
    if isinstance(value, dict):
        return {name: _recoded(inner, before, after) for name, inner in value.items()}
    return [_recoded(inner, before, after) for inner in value] if isinstance(value, list) else value


def _lines(value: Any, margin: str) -> Iterator[str]:
    """Yield JSON text: short values on one line, numbers and texts of a longer list in filled lines."""
    short = json.dumps(value, ensure_ascii=False) if _is_short(value) else None
    if short is not None and len(margin) + len(short) <= WIDE:
        yield short
    elif not isinstance(value, dict | list):
        yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        # `wrap` breaks at spaces, also at those within a text.
        text = ", ".join(json.dumps(one, ensure_ascii=False).replace(" ", _HARD) for one in value)
        lines = wrap(
            text,
            WIDE,
            initial_indent=margin + "  ",
            subsequent_indent=margin + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield "\n".join(["[", *lines, f"{margin}]"]).replace(_HARD, " ")
    else:
        inner = margin + "  "
        yield "{" if isinstance(value, dict) else "["
        for index, key in enumerate(value):
            yield f"{',' if index else ''}\n{inner}"
            if isinstance(value, dict):
                yield f"{json.dumps(key, ensure_ascii=False)}: "
            yield from _lines(value[key] if isinstance(value, dict) else key, inner)
        yield f"\n{margin}{'}' if isinstance(value, dict) else ']'}"


def _is_short(value: Any, depth: int = 0) -> bool:
    """Whether a value is written on one line: it has few elements and is no list of records."""
    if not isinstance(value, dict | list):
        return True
    parts = list(value.values()) if isinstance(value, dict) else value
    listed = isinstance(value, list) and any(isinstance(part, dict) for part in parts)
    return len(parts) <= FEW and depth < DEEP and not listed and all(_is_short(part, depth + 1) for part in parts)


# --- from JSON


def load(known: Format, value: Mapping[str, Any]) -> JsonLoad:
    """Return the file of a JSON value (`is_fields`). Raises ReadError with a finding for each error."""
    problems: list[Diagnostic] = []
    unknown = value.keys() - {FORMAT, FIELDS, *((SOURCE, ENCODING) if known.text is not None else ())}
    for name in sorted(unknown):
        _add(problems, f"/{name}", f"no such key is known: the fields of the file stand in {FIELDS}")
    values = _values(known, value, problems)
    try:
        data = _file_of(known, value, values, bool(problems))
    except WriteError as error:
        # Errors of writing wrong values only repeat the problems that are reported.
        if not problems:
            found = [one for one in error.diagnostics if isinstance(one, Diagnostic)]
            _add(problems, pointer(found[0].field or "" if found else ""), found[0].message if found else str(error))
    if problems:
        raise _refused(problems)
    reading = known.codec.read(data)
    found = reading.root.as_plain()
    spelled = found if known.text is not None else JsonForm(reading.root, known.spec, len(data), JsonOmission.NOTHING).value
    return JsonLoad(data, tuple(_differences(values, found, spelled, f"/{FIELDS}")), reading)


def _file_of(known: Format, value: Mapping[str, Any], values: Any, is_wrong: bool) -> bytes:
    """Return the bytes of the file for plain values made of a JSON value; empty for a text if ``is_wrong``, that is, if problems of
    the JSON are known. Raises WriteError where the file cannot be written.
    """
    if known.text is None:
        return known.codec.write(values)
    # Writing wrong values of a text would raise errors that follow from the reported problems.
    if is_wrong:
        return b""
    source = value.get(SOURCE)
    origin = None if source is None else known.text.read(source.encode(_encoding(value), "surrogateescape"))
    return known.text.write(values, origin)


def _values(known: Format, value: Mapping[str, Any], problems: list[Diagnostic]) -> Any:
    """Return the plain values for the format's codec, and report errors in the JSON value."""
    if isinstance(known.codec, BinaryCodec):
        speller = Speller(known.spec, lambda at, message: _add(problems, at, message))
        return speller.record(known.codec.root, value[FIELDS], f"/{FIELDS}")
    encoding, source = _encoding(value), value.get(SOURCE)
    if encoding not in ("utf-8", "latin-1"):
        _add(problems, f"/{ENCODING}", f'"utf-8" or "latin-1" is wanted, not {shown(encoding)}')
        return {}
    try:
        if source is not None and not isinstance(source, str):
            _add(problems, f"/{SOURCE}", f"text is wanted, not {shown(source)}")
        elif source is not None:
            source.encode(encoding, "surrogateescape")
        values = _recoded(value[FIELDS], encoding, "latin-1")
    except UnicodeEncodeError as error:
        _add(problems, f"/{FIELDS}", f"{error.object[error.start]!r} cannot be written in {encoding}")
        return {}
    _check_text(known.codec.form.start, values, f"/{FIELDS}", problems)
    return values


def _encoding(value: Mapping[str, Any]) -> Any:
    """Return the encoding that a JSON value gives for its text; UTF-8 if it gives none."""
    return value.get(ENCODING, "utf-8")


def _check_text(rule: RuleValue | None, value: Any, at: str, problems: list[Diagnostic]) -> None:
    """Report names that a rule does not have, and values that are no text. ``rule`` is None within a delegated field, whose rule is
    not known: there names are not checked.
    """
    if isinstance(value, dict) and (rule is None or isinstance(rule, RecordRule)):
        for name, inner in value.items():
            where = f"{at}/{name}"
            if rule is None:
                _check_text(None, inner, where, problems)
            elif name not in rule.fields:
                _add(problems, where, f"{rule.rule.name} has no field {name}{hint(name, rule.fields)}")
            else:
                # The rule that reads a delegated text depends on other fields of the record.
                of = None if name in rule.delegated else rule.field(name)
                _check_many(of, inner, where, problems, rule.fields[name][1] is not None)
    elif isinstance(value, list) and rule is None:
        _check_many(None, value, at, problems, True)
    elif not isinstance(value, str):
        _add(problems, at, f"text in quotation marks is wanted, not {shown(value)}")


def _check_many(rule: RuleValue | None, value: Any, at: str, problems: list[Diagnostic], many: bool) -> None:
    """Report a value of a field that is no list although ``many`` is true, and in the value or its elements names that the rule
    does not have, and values that are no text.
    """
    if many and not isinstance(value, list):
        _add(problems, at, f"a list is wanted, not {shown(value)}")
    for index, one in enumerate(value if many and isinstance(value, list) else ()):
        _check_text(rule, one, f"{at}/{index}", problems)
    if not many:
        _check_text(rule, value, at, problems)


def pointer(path: str) -> str:
    """Return the JSON pointer of a field by its dotted path.

    >>> pointer("blocks[3].label")
    '/fields/blocks/3/label'
    """
    steps = path.replace("[", ".").replace("]", "").split(".") if path else []
    return "/".join(["", FIELDS, *steps])


def _add(problems: list[Diagnostic], at: str, message: str) -> None:
    """Add a finding at the JSON pointer ``at``, unless there are `MOST` findings."""
    if len(problems) < MOST:
        problems.append(Diagnostic(SHAPE.name, SHAPE.severity, message, field=at))


def _refused(problems: list[Diagnostic]) -> ReadError:
    """Return the error for JSON with problems: its message is the first one, and the number of others."""
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ReadError(f"{first.field}: {first.message}{more}", tuple(problems))


def _differences(given: Any, found: Any, spelled: Any, at: str) -> Iterator[Diagnostic]:
    """Yield a finding for each given value that is not the one read back from the written file; ``spelled`` is the JSON of that
    file.

    A value under a switch has a plain form only once it is written. One that is not written, because another field has the bytes at
    its offset, is compared in its JSON form.
    """
    if isinstance(given, Undecided):
        given, found = (given.form, spelled) if given.element is None else (given.value, found)
    if isinstance(found, Kept):
        found = dict(found)
    if isinstance(given, Mapping) and isinstance(found, Mapping):
        for name, inner in given.items():
            if name != STORED and inner is not None:
                form = spelled.get(name) if isinstance(spelled, Mapping) else None
                yield from _differences(inner, found.get(name), form, f"{at}/{name}")
    elif isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        forms = spelled if isinstance(spelled, list) and len(spelled) == len(found) else [None] * len(found)
        for index, (inner, other, form) in enumerate(zip(given, found, forms, strict=True)):
            yield from _differences(inner, other, form, f"{at}/{index}")
    elif not _same(given, found):
        yield Diagnostic(NOT_WRITTEN.name, NOT_WRITTEN.severity, f"this is {show(given)}, the file has {show(found)}", field=at)


def _same(given: Any, found: Any) -> bool:
    """Whether a value that was read back is the given one; a value that was not given is always the same."""
    if isinstance(given, float) and isinstance(found, float):
        # NaN is not equal to itself.
        return (math.isnan(given) and math.isnan(found)) or given == found
    if given is None or (isinstance(given, Mapping | list) and not given):
        return not found or given is None
    # Raw bytes that are now decoded have another form, not another value.
    return bool(given == found) or (isinstance(given, Raw) and not isinstance(found, Raw))
