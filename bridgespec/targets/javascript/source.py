"""Format JavaScript source code: names, literals, and calls, objects and lists, which are broken into lines where they are long.
`render` returns the source of a `JsValue`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bridgespec.targets.javascript.runtime import WIDTH as WIDTH
from bridgespec.targets.javascript.runtime import helpers

SAFE = 2**53 - 1
"""The greatest integer that a JavaScript number represents exactly; larger ones are BigInts."""


@dataclass(frozen=True, slots=True)
class CodeText:
    """A JavaScript expression as source text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallCode:
    """A call in JavaScript source, ``name(args)``."""

    name: str
    args: Sequence[JsValue] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Later:
    """``() => value``: a value that is evaluated on use, since the names in it may be declared further down."""

    value: JsValue


JsValue = CodeText | CallCode | Later | Mapping[str, "JsValue"] | Sequence["JsValue"] | str | bool | int | float | None


def render(value: JsValue, indent: int = 0, room: int | None = None) -> str:
    """Return the source of a value. ``room`` characters are left on its first line; further lines are indented by ``indent``
    columns.

    >>> render({"name": "deal", "type": CallCode("bits", (2, "le")), "doc": "It's \\\\ text"})
    '{ name: "deal", type: bits(2, "le"), doc: "It\\'s \\\\\\\\ text" }'
    >>> print(render(CallCode("record", ({"name": "a" * 60, "fields": ["b" * 50]},))))
    record({
      name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      fields: ["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"],
    })
    """
    flat = _flat(value)
    if len(flat) <= (WIDTH - indent if room is None else room) and "\n" not in flat:
        return flat
    inner = indent + 2
    match value:
        case Later(later):
            # In parentheses, since a brace after the arrow would begin a block.
            opening, closing = ("() => (", ")") if isinstance(later, Mapping) else ("() => ", "")
            return opening + render(later, indent, None if room is None else room - len(opening + closing)) + closing
        case CallCode(name, (Mapping() as only,)):
            return f"{name}({render(only, indent, 0)})"
        case CallCode(name, [*args]) if args:
            return _block(f"{name}(", [render(arg, inner, WIDTH - inner - 1) for arg in args], ")", indent)
        case Mapping() if value:
            return _block("{", [_entry(key, item, inner) for key, item in value.items()], "}", indent)
        case str() | CodeText() | CallCode():
            return flat
        case Sequence() if value:
            return _block("[", [render(item, inner, WIDTH - inner - 1) for item in value], "]", indent)
    return flat


def _entry(key: str, value: JsValue, indent: int) -> str:
    head = f"{property_name(key)}: "
    return head + render(value, indent, WIDTH - indent - len(head) - 1)


def _block(opening: str, lines: Sequence[str], closing: str, indent: int) -> str:
    pad = " " * (indent + 2)
    return "\n".join([opening, *(f"{pad}{line}," for line in lines), " " * indent + closing])


def _flat(value: JsValue) -> str:
    """Return the source of a value on one line."""
    match value:
        case CodeText(text):
            return text
        case CallCode(name, args):
            return f"{name}({', '.join(map(_flat, args))})"
        case Later(later):
            return f"() => ({_flat(later)})" if isinstance(later, Mapping) else f"() => {_flat(later)}"
        case Mapping():
            entries = ", ".join(f"{property_name(key)}: {_flat(item)}" for key, item in value.items())
            return f"{{ {entries} }}" if entries else "{}"
        case str():
            return quoted(value)
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case int():
            return integer(value)
        case float():
            return real(value)
    return f"[{', '.join(map(_flat, value))}]"


def quoted(text: str) -> str:
    """Return a string literal; characters that are not printable are escaped.

    >>> quoted('a "word"\\n')
    '"a \\\\"word\\\\"\\\\n"'
    """
    out = json.dumps(text, ensure_ascii=False)
    # Line separators and marks of direction would be invisible in the source, or end its line.
    return "".join(c if c.isprintable() else "".join(f"\\u{unit:04x}" for unit in _units(c)) for c in out)


def _units(character: str) -> tuple[int, ...]:
    data = character.encode("utf-16-be", "surrogatepass")
    return tuple(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


def integer(value: int) -> str:
    """Return the source of an integer: a number, or a BigInt where a number would not be exact.

    >>> integer(13), integer(2**64)
    ('13', '18446744073709551616n')
    """
    return str(value) if abs(value) <= SAFE else f"{value}n"


def real(value: float) -> str:
    """Return the source of a float."""
    # A float that is not equal to itself is no number (IEEE 754).
    if value != value:
        return "NaN"
    # JavaScript has no distinction of 1.0 and 1.
    return repr(value).replace("inf", "Infinity").removesuffix(".0")


def property_name(name: str) -> str:
    """Return a name as the key of an object literal.

    >>> property_name("deal"), property_name("12"), property_name("-1"), property_name("__proto__")
    ('deal', '12', '"-1"', '["__proto__"]')
    """
    plain = re.fullmatch(r"[A-Za-z_$][\w$]*|0|[1-9][0-9]{0,14}", name, re.ASCII)
    # A plain key of this name, quoted or not, would set the object's prototype.
    return '["__proto__"]' if name == "__proto__" else name if plain else quoted(name)


def camel(name: str, suffix: str = "") -> str:
    """Return a schema's name in camel case.

    >>> camel("numbered_hands", "Record"), camel("zbd::seat"), camel("8_bit")
    ('numberedHandsRecord', 'zbdSeat', '_8Bit')
    """
    words = [word for word in re.split(r"[^0-9A-Za-z]+", name) if word]
    joined = "".join([words[0].lower(), *(word[:1].upper() + word[1:] for word in words[1:])]) if words else ""
    return ("_" if not joined or joined[0].isdigit() else "") + joined + suffix


def comment(text: str, indent: int = 0) -> str:
    """Return a documentation comment with a text; empty for an empty text.

    >>> print(comment("One deal."), end="")
    /** One deal. */
    """
    # A zero-width space keeps documentation of a schema from ending the comment.
    lines = text.strip().replace("*/", "*\u200b/").splitlines()
    pad = " " * indent
    if not lines:
        return ""
    if len(lines) == 1 and len(lines[0]) + indent + 7 <= WIDTH:
        return f"{pad}/** {lines[0]} */\n"
    body = "".join(f"{pad} * {line}".rstrip() + "\n" for line in _wrapped(lines, WIDTH - indent - 3))
    return f"{pad}/**\n{body}{pad} */\n"


def _wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Return the lines of paragraphs wrapped to a width; indented lines and list items are kept on lines of their own."""
    out: list[str] = []
    flowing = False
    for line in lines:
        stays = not line.strip() or line[0] in " -*"
        joins = flowing and not stays
        now = out.pop() if joins else ""
        for word in [line] if stays else line.split():
            if now and len(now) + 1 + len(word) > width:
                out.append(now)
                now = word
            else:
                now = f"{now} {word}" if now else word
        out.append(now)
        flowing = bool(line.strip())
    return out


def unique(names: Sequence[str], make: str, language: str | None = None) -> dict[str, str]:
    """Return a JavaScript name for each absolute name of a schema: its last part, with as many enclosing parts as make it unique,
    and the suffix ``make``. With the schema language ``language``, no name is that of a helper for this language.

    >>> unique(["a::b", "c::b", "a::d"], "Record")
    {'a::b': 'aBRecord', 'c::b': 'cBRecord', 'a::d': 'dRecord'}
    """
    tries: dict[str, list[str]] = {}
    for name in names:
        parts = name.split("::")
        tries[name] = [camel("::".join(parts[at:]), make) for at in range(len(parts) - 1, -1, -1)]
    users = Counter(one for each in tries.values() for one in set(each))
    taken = frozenset(() if language is None else helpers(language))
    found: dict[str, str] = {}
    for name, own in tries.items():
        # A short name only where no other record could have it too: the order of declarations must not decide.
        best = next((one for one in own if users[one] == 1 and one not in taken), own[-1])
        while best in found.values() or best in taken:
            best += "_"
        found[name] = best
    return found
