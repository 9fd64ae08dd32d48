"""Draft a schema from one example file: find records, constants, texts and likely numbers. `draft` is the entry.

A draft is a starting point for an author: it reads the example, and declares nothing that the example does not show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LOOKED_AT = 1 << 16
"""The number of bytes of an example from which a draft is made."""
LONGEST = 1024
"""The longest record that is searched for, in bytes."""
_TEXT = re.compile(rb"[\t\n\r\x20-\x7e\x80-\xff]*")
_LEAST_RUN = 3
"""The number of printable bytes from which on they are taken for a text."""
_PRINTABLE = frozenset(range(0x20, 0x7F))
_CLEAR = 0.15
"""The least excess over chance of the share of bytes that are equal one record later."""
_NEAR = 0.9
"""The share of the best score from which on a shorter distance is preferred to the best one."""
_MOST_LINES = 0.6
"""The share of all lines that must have a form for it to be the form of the file."""


def is_text(data: bytes) -> bool:
    """Whether the beginning of a file looks like text: more than nine in ten bytes are printable characters, tabs or line ends.

    >>> is_text(b"a=1\\n"), is_text(b"\\x00\\x01"), is_text(b"")
    (True, False, False)
    """
    some = data[:LOOKED_AT]
    return (
        bool(some)
        and _TEXT.fullmatch(some) is not None
        and sum(byte in _PRINTABLE or byte in b"\t\r\n" for byte in some) > 0.9 * len(some)
    )


def draft(id: str, data: bytes) -> tuple[str, str]:
    """Return the text of a schema that reads the example, and the suffix of its file."""
    return (_grammar(id, data), ".lark") if is_text(data) else (_binary(id, data), ".ksy")


# --- binary


def record_size(data: bytes) -> int | None:
    """Return the likely size of a record: the distance in bytes at which equal bytes are most frequent. None where no distance is
    significantly better than others.

    >>> record_size(b"".join(bytes([7, n, 0, 3 * n % 251]) for n in range(50)))
    4
    """
    some = data[:LOOKED_AT]
    scores = {}
    # Three records at least: two that are alike by chance are no pattern.
    for size in range(2, min(LONGEST, len(some) // 3) + 1):
        same = sum(map(int.__eq__, some, some[size:]))
        scores[size] = same / (len(some) - size)
    if not scores:
        return None
    usual = sorted(scores.values())[len(scores) // 2]
    best = max(scores.values())
    # Files with many zeros are similar at every distance: only a peak means a record.
    if best < usual + _CLEAR:
        return None
    # Twice a record is as good as a record: the shortest that comes near is taken, one that divides the file first.
    near = [size for size, score in scores.items() if score > usual + _NEAR * (best - usual)]
    return next((size for size in near if len(data) % size == 0), near[0])


@dataclass(frozen=True)
class _GuessPart:
    """A field that a draft declares: its name, and the other lines of its declaration."""

    name: str
    lines: tuple[str, ...]


def _binary(id: str, data: bytes) -> str:
    """Return a binary schema for an example: a head and records of one size, or a head and the rest."""
    size = record_size(data)
    # The remaining bytes are put ahead of the records: then the last record is complete, and the draft reads the example.
    head = len(data) % size if size is not None else min(len(data), 32)
    fields = [line for part in _parts([data[:head]], data) for line in _field(part, 2)]
    found = []
    if size is None:
        if len(data) > head:
            fields += ["  - id: rest", "    doc: What is not told apart yet.", "    size-eos: true"]
    else:
        records = [data[at : at + size] for at in range(head, min(len(data), head + LOOKED_AT), size)]
        fields += ["  - id: records", "    doc: What stands again and again.", "    type: record", "    repeat: eos"]
        found = ["types:", "  record:", f"    doc: The {size} bytes of a record.", "    seq:"]
        found += [line for part in _parts(records, data) for line in _field(part, 6)]
    text = [
        "meta:",
        f"  id: {id}",
        f"  title: {id}, drafted from an example",
        f"  file-extension: {id}",
        "  endian: le",
        "  encoding: ASCII",
    ]
    return "\n".join(
        [
            *text,
            f"doc: Drafted from a file of {len(data)} bytes. Say what the fields are.",
            "seq:",
            *(fields or ["  []"]),
            *found,
            "",
        ]
    )


def _field(part: _GuessPart, indent: int) -> Iterator[str]:
    """Yield the lines of a field's declaration."""
    yield f"{' ' * indent}- id: {part.name}"
    for line in part.lines:
        yield f"{' ' * indent}  {line}"


def _parts(records: Sequence[bytes], data: bytes) -> Iterator[_GuessPart]:
    """Yield the fields of records of equal size: constants, texts, numbers, and other bytes."""
    width = len(records[0])
    kinds = (
        [_kind(column) for column in zip(*records, strict=False)]
        if len(records[-1]) == width
        else [_kind((byte,)) for byte in records[0]]
    )
    at = 0
    while at < width:
        kind, stop = kinds[at], at + 1
        while stop < width and kinds[stop] == kind:
            stop += 1
        # A number is looked for at each offset: runs of bytes of one kind may cut through it.
        if kind != "text" and (number := _number(kinds, records, at, data)) is not None:
            stop, lines = number
            yield _GuessPart(f"number_{at}", lines)
        elif kind == "text" and stop - at >= _LEAST_RUN:
            shown = records[0][at:stop]
            same = all(record[at:stop] == shown for record in records)
            if same and re.fullmatch(rb"[A-Za-z0-9 ]+", shown):
                yield _GuessPart(f"mark_{at}", (f"contents: {shown.decode()!r}",))
            else:
                yield _GuessPart(
                    f"text_{at}",
                    (f'doc: "Text, such as {_quoted(shown)}."', "type: str", f"size: {stop - at}", "encoding: ISO-8859-1"),
                )
        elif len(records) > 1 and all(record[at:stop] == records[0][at:stop] for record in records):
            yield _GuessPart(f"same_{at}", (f"contents: [{', '.join(f'0x{byte:02x}' for byte in records[0][at:stop])}]",))
        else:
            yield _GuessPart(f"bytes_{at}", (f"size: {stop - at}",))
        at = stop


def _kind(column: tuple[int, ...]) -> str:
    """Return what the bytes at one offset of all records are: text, zero, same (one value) or other."""
    values = set(column)
    if values <= _PRINTABLE:
        return "text"
    return "zero" if values == {0} else "same" if len(values) == 1 and len(column) > 1 else "other"


def _quoted(raw: bytes) -> str:
    """Return the beginning of a text in single quotes, without characters that would need escapes in YAML."""
    return "'" + "".join(chr(byte) for byte in raw[:20] if byte not in b"\"\\'") + "'"


def _number(kinds: Sequence[str], records: Sequence[bytes], at: int, data: bytes) -> tuple[int, tuple[str, ...]] | None:
    """Return the end of an integer field at offset ``at``, and the lines of its declaration. Its low byte must vary and its high
    bytes must always be zero; else None.
    """
    for size in (4, 2):
        some = list(kinds[at : at + size])
        if len(some) < size:
            continue
        order = (
            "le"
            if some[0] == "other" and set(some[size // 2 :]) == {"zero"}
            else "be"
            if some[-1] == "other" and set(some[: size // 2]) == {"zero"}
            else ""
        )
        if order:
            value = int.from_bytes(records[0][at : at + size], "little" if order == "le" else "big")
            told = _meaning(value, at + size, data) if len(records) == 1 else ""
            return at + size, (f"doc: A number{told}.", f"type: u{size}{order}")
    return None


def _meaning(value: int, stop: int, data: bytes) -> str:
    """Return a guess at the meaning of a number that ends at offset ``stop``; empty without one."""
    meanings = {
        len(data): "; the size of the file is the same",
        len(data) - stop: "; as many bytes follow it",
        stop: "; it ends there",
    }
    return meanings.get(value, "; a place in the file, perhaps" if stop < value < len(data) else "")


# --- text

_SIGNS = ("=", ":", "\t", "|", ";", ",")
"""Signs between a key and its value (the first two) or between the cells of a row."""
_REMARKS = ("#", ";", "//", "%", "--")
"""Signs at the beginning of a line that is a comment."""


_SECTION = re.compile(r"\[[^\]\r\n]+\][ \t]*")
"""A line that begins a section: a title in brackets."""
_SECTION_RULES = (
    "//- {doc: What begins a section., says: a section}",
    'section: "[" title "]" _SPACE? _NL',
    "title: /[^\\]\\r\\n]++/",
    "",
)
_OTHER_RULES = ("//- {doc: A line of no form that is known yet., says: a line}", "line: /[^\\r\\n]++/ _NL", "")


def _grammar(id: str, data: bytes) -> str:
    """Return a grammar for an example of lines: comments, sections, settings or rows, and all other lines."""
    lines = data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    bare = [line for line in lines if line.strip()]
    forms = _line_forms(bare)
    ends = "\\r\\n" if b"\r\n" in data else "\\n"
    head = [f"//- id: {id}", f"//- title: {id}, drafted from an example", f"//- extensions: [{id}]"]
    head += [
        f"//- doc: Drafted from a file of {len(bare)} lines. Say what the rules are.",
        "",
        f"start: ({' | '.join(['_BLANK', *forms])})*",
        "",
    ]
    tail = ["//- {says: an empty line}", "_BLANK: /[ \\t]*+(?:\\r\\n|\\r|\\n)/"]
    tail += ["//- {says: a blank}", "_SPACE: /[ \\t]++/"] if "section" in forms else []
    tail += [f'//- {{says: the end of the line, write: "{ends}"}}', "_NL: /\\r\\n|\\r|\\n|(?!.)/"]
    return "\n".join([*head, *(line for rules in forms.values() for line in rules), *tail, ""])


def _line_forms(lines: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the forms of the lines of an example: for the rule of each form, the lines that declare it in a grammar. A line is of
    the first form that matches it.
    """
    forms: dict[str, Sequence[str]] = {}
    remark = next((sign for sign in _REMARKS if any(line.startswith(sign) for line in lines)), None)
    if remark is not None:
        forms["remark"] = [
            "//- {doc: A line for the reader., says: a remark}",
            f"remark: /{_in_regex(remark)}[^\\r\\n]*+/ _NL",
            "",
        ]
    content = [line for line in lines if remark is None or not line.startswith(remark)]
    rest = [line for line in content if not _SECTION.fullmatch(line)]
    if len(rest) < len(content):
        forms["section"] = _SECTION_RULES
    # The cells of a row may contain a sign of a key: rows are tried only where most lines have no key.
    if (sign := _key_sign(rest)) is not None:
        forms["setting"] = _setting_rules(sign, rest)
    elif (sign := _cell_sign(rest)) is not None:
        forms["row"] = [
            "//- {doc: A line of cells., says: a row}",
            f'row: cell? ("{_in_literal(sign)}" cell?)+ _NL',
            f"cell: /[^{_in_regex(sign)}\\r\\n]++/",
            "",
        ]
    forms["line"] = _OTHER_RULES
    return forms


def _key_sign(lines: Sequence[str]) -> str | None:
    """Return the sign between key and value in most lines; None without one."""
    return next((sign for sign in _SIGNS[:2] if _most_match(lines, rf"[A-Za-z][\w .-]*?[ \t]*{re.escape(sign)}.*")), None)


def _cell_sign(lines: Sequence[str]) -> str | None:
    """Return the sign that each line has equally often, as between the cells of a table; None without one."""
    for sign in _SIGNS[2:]:
        if lines and len({line.count(sign) for line in lines}) == 1 and sign in lines[0]:
            return sign
    return None


def _setting_rules(sign: str, lines: Sequence[str]) -> list[str]:
    """Return the rules of lines with a key and a value; the keys of the example, and the usual blanks around the sign, are taken
    from ``lines``.
    """
    word = f"[^{_in_regex(sign)}\\[\\s]++"
    known = Counter(line.split(sign)[0].strip() for line in lines if sign in line)
    named = ", ".join(key for key, _ in known.most_common(12))
    around = Counter(found[0] for line in lines if (found := re.search(rf"[ \t]*{re.escape(sign)}[ \t]*", line)))
    usual = around.most_common(1)[0][0]
    return [
        f"//- doc: {_yaml(f'A key and its value. Keys of the example: {named}.')}",
        "//- says: a key and its value",
        "setting: name _IS content? _NL",
        f"name: /{word}(?:[ \\t]++{word})*+/",
        f"//- {{says: {_yaml(repr(sign))}, write: {_yaml(usual)}}}",
        f"_IS: /[ \\t]*+{_in_regex(sign)}[ \\t]*+/",
        "content: /[^\\r\\n]++/",
        "",
    ]


def _most_match(lines: Sequence[str], form: str) -> bool:
    """Whether a regular expression matches most lines completely (a share of `_MOST_LINES`)."""
    return bool(lines) and sum(re.fullmatch(form, line) is not None for line in lines) >= _MOST_LINES * len(lines)


def _in_regex(sign: str) -> str:
    """Return a sign escaped for the source of a regular expression in a grammar."""
    return "\\t" if sign == "\t" else re.escape(sign).replace("/", "\\/")


def _in_literal(sign: str) -> str:
    """Return a sign escaped for the source of a literal in a grammar."""
    return "\\t" if sign == "\t" else sign


def _yaml(text: str) -> str:
    """Return a text as a double-quoted YAML string, with escapes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'
