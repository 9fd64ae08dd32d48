"""Generated schemas whose texts are programs and whose names mean something in the language that they are exported to."""

from __future__ import annotations

import builtins
import json
import keyword
from dataclasses import dataclass

from construct import Container
from hypothesis import strategies as st

MARK = "EXECUTED"
"""The file that every program inside a text creates."""
_PYTHON = f"open({MARK!r}, 'w').close()"
_SCRIPT = f"process.getBuiltinModule('fs').writeFileSync('{MARK}', '')"
_BREAKS = (
    '"""\n{}\n"""', "'''\n{}\n'''", '"\n{}\n"', "'\n{}\n'", "\\\n{}\n", "*/\n{}\n/*", "\n{}\n", "\r{}\r", "\x0c\n{}",
    "\u2028{}\u2028",
)  # fmt: skip
PROGRAMS = [
    *(form.replace("{}", code) for form in _BREAKS for code in (_PYTHON, _SCRIPT)),
    *(f'"{end} {code}; ({opening}"' for code in (_PYTHON, _SCRIPT) for end, opening in ((")", "("), ("})", "({"), ("]", "["))),
    f"${{{_SCRIPT}}}",
    f"`;{_SCRIPT};`",
    f"{{{_PYTHON}}}",
    "{root} {title} {0} %s %(a)s",
    "</script><script>",
    "\\",
    "\\N{BULLET}\\x41\\u0041\\",
    'ends in a quote"',
    "*/",
    "*\u200b/ */ **/",
    "\u202e\ufeff\x7f\x85",
    "",
]
_JAVASCRIPT = """
arguments arrow async await case catch class const constructor continue debugger default delete do else enum eval export
extends false finally for function if implements import in instanceof interface length let name new null package plain
private process prototype protected public read record records require return static super switch this throw true try
typeof undefined var void while with yield model places field integer bits readfile
"""
_CONSTRUCT = """
self subcon merge mapping obj context path stream this it items value codes name encmapping stream_iseof namedtuple a_b
a_b_codes kinds kinds_codes
"""
_PYTHON_NAMES = [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *dir(Container), *dir(str)]
_TERMS = {"format", "event", "date", "site"}
"""Names that mean something to the engine."""
NAMES = sorted(
    name
    for name in {*_JAVASCRIPT.split(), *_CONSTRUCT.split(), *_PYTHON_NAMES} - _TERMS
    if name.islower() and name.isascii() and name[0].isalpha()
)
_LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"], max_codepoint=0x1FFFF)

texts = st.sampled_from(PROGRAMS) | st.text(_LETTERS, max_size=12)
names = st.sampled_from(NAMES)
_WORDS = {"true", "false", "not", "and", "or"}
"""Names that an expression cannot refer to."""
referable = names.filter(lambda name: name not in _WORDS)


def _yaml(value: object) -> str:
    """Return a value as JSON that is YAML too: what an editor would not show is escaped, never as a pair of surrogates."""
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in json.dumps(value, ensure_ascii=False))


@dataclass(frozen=True)
class Hostile:
    """A schema and a file that it reads without a finding."""

    id: str
    title: str
    schema: str
    data: bytes


@st.composite
def schemas(draw: st.DrawFn) -> Hostile:
    """Draw a schema of numbers, texts, enums, records, lists, conditions, a switch and computed values, with a file of it."""
    identifier = draw(names)
    title = draw(texts.filter(str.strip))
    kinds = draw(st.lists(names, min_size=4, max_size=12, unique=True))
    one, two, tag, number, event, tail, chosen, first, second = draw(st.lists(referable, min_size=9, max_size=9, unique=True))
    others = referable.filter(lambda name: name not in {identifier, "str"})
    inner, packed, table = draw(st.lists(others, min_size=3, max_size=3, unique=True))
    low, high = draw(st.lists(referable, min_size=2, max_size=2, unique=True))
    codes = {code: {"id": name, "doc": draw(texts)} for code, name in enumerate(kinds)}
    written = draw(texts)
    code, count = draw(st.integers(0, len(kinds))), draw(st.integers(0, 3))
    cases = {f"{table}::{kinds[1]}": "u2", f"{table}::{kinds[2]}": inner, "_": "u1"}
    schema = {
        "meta": {
            "id": identifier,
            "title": title,
            "-bridge-model": "boards",
            "license": draw(texts),
            "endian": "le",
            "bit-endian": "le",
            "encoding": "UTF-8",
        },
        "doc": draw(texts),
        "doc-ref": draw(texts),
        "seq": [
            {"id": tag, "type": "u1", "enum": table, "doc": draw(texts)},
            {"id": number, "type": "u1"},
            {"id": event, "type": "str", "size": len(written.encode()), "-bridge-as": "event", "doc": draw(texts)},
            {"id": tail, "contents": list(title.encode())},
            {"id": one, "type": inner, "repeat": "expr", "repeat-expr": f"{number} % 4"},
            {"id": two, "type": packed, "if": f"{tag} != {table}::{kinds[0]}"},
            {"id": chosen, "type": {"switch-on": tag, "cases": cases}},
        ],
        "types": {
            inner: {"doc": draw(texts), "seq": [{"id": low, "type": "u1"}, {"id": high, "type": "u2", "if": f"{low} > 9"}]},
            packed: {"seq": [{"id": low, "type": "b3", "doc": draw(texts)}, {"id": high, "type": "b5", "enum": table}]},
        },
        "instances": {
            first: {"value": f"{number} * 2 + 1", "doc": draw(texts)},
            second: {"value": _yaml("".join(sign for sign in draw(texts) if sign >= " ")), "if": f"{number} > 1"},
        },
        "enums": {table: codes},
    }
    record = b"\x05" if draw(st.booleans()) else b"\x0a\x01\x02"
    body = {1: b"\x01\x02", 2: record}.get(code, b"\x07")
    parts = [bytes([code, count]), written.encode(), title.encode(), record * count, b"\x0b" if code else b"", body]
    return Hostile(identifier, title, _yaml(schema), b"".join(parts))
