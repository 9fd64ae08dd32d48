"""Structure-aware damage: what a file is made of, put in other places, exchanged with pieces of other files, or stretched.

A text is taken in lines, in pairs between bars, in brackets or in words; a binary file in rows of a size that records may have;
JSON as the tree that it is. Nothing here knows a format: the pieces of a format are those of its own samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

_SPLITS = (
    re.compile(rb"[^\n]*\n|[^\n]+"),
    re.compile(rb"[^|]*\||[^|]+"),
    re.compile(rb"\[[^\]]*\]\s*|\{[^}]*\}\s*|[^\[{]+|[\[{]"),
    re.compile(rb"\"[^\"]*\"|\w+|\s+|[^\w\s]"),
    re.compile(rb"[;,.=:|\"\[\]{}()-]|[^;,.=:|\"\[\]{}()-]+"),
)
_SIZES = (1, 2, 4, 8, 10, 13, 16, 23, 26, 39, 52, 78)
_LONGEST = 4096
"""More teaches nothing, and takes long."""

WORDS = (
    b"-1",
    b"0",
    b"14",
    b"99999999999999999999",
    b"AKQJT98765432",
    b"Pass",
    b"7NTXX",
    b"-",
    b"?",
    b"*",
    b"N:",
    b"\xff",
    b"\0",
    b'"',
    b"]",
)


def damaged(data: bytes, text: bool, chance: Random, others: Sequence[bytes]) -> bytes:
    """The data with one to four changes of whole pieces; `others` are files that pieces may come from."""
    for _ in range(chance.randint(1, 4)):
        if text:
            split: Callable[[bytes], list[bytes]] = chance.choice(_SPLITS).findall
        else:
            split = partial(_records, chance.choice(_SIZES))
        pieces = split(data)
        strange = split(chance.choice(others)) if others and chance.random() < 0.5 else pieces
        data = b"".join(_changed(pieces, strange, text, chance))
    return data[:_LONGEST]


def _records(size: int, data: bytes) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def _changed(pieces: list[bytes], strange: list[bytes], text: bool, chance: Random) -> list[bytes]:
    if not pieces or not strange:
        return [*pieces, *strange] or [chance.randbytes(4)]
    at, length = chance.randrange(len(pieces)), min(chance.choice((1, 1, 1, 2, 5)), len(pieces))
    other = chance.randrange(len(strange))
    match chance.choice(("leave out", "put in", "exchange", "repeat", "turn", "number", "word", "cut", "letters")):
        case "leave out":
            return pieces[:at] + pieces[at + length :]
        case "put in":
            return pieces[:at] + strange[other : other + length] + pieces[at:]
        case "exchange":
            return pieces[:at] + strange[other : other + length] + pieces[at + length :]
        case "repeat":
            return pieces[:at] + pieces[at : at + length] * chance.choice((2, 3, 20)) + pieces[at + length :]
        case "turn":
            return pieces[:at] + pieces[at : at + 2 * length][::-1] + pieces[at + 2 * length :]
        case "cut":
            return (
                pieces[:at]
                + [pieces[at][: chance.randint(0, len(pieces[at]))]]
                + ([] if chance.random() < 0.5 else pieces[at + 1 :])
            )
        case "number" if not text:
            value = (int.from_bytes(pieces[at], "little") + chance.choice((-1, 1, 128))) % (1 << 8 * len(pieces[at]))
            return [*pieces[:at], value.to_bytes(len(pieces[at]), "little"), *pieces[at + 1 :]]
        case "number":
            new = re.sub(
                rb"\d{1,9}", lambda found: str(int(found[0]) + chance.choice((-1, 1, 10**6))).encode(), pieces[at], count=1
            )
            return [*pieces[:at], new, *pieces[at + 1 :]]
        case "letters":
            return [*pieces[:at], pieces[at].swapcase() if chance.random() < 0.5 else pieces[at][::-1], *pieces[at + 1 :]]
        case _:
            return [*pieces[:at], chance.choice(WORDS), *pieces[at + chance.randint(0, 1) :]]


_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    0,
    14,
    1 << 70,
    1e400,
    "",
    "north",
    "7NTXX",
    "\x00",
    "\ud800",
    [],
    {},
    [[]],
    [None] * 60,
    {"": 1},
)


def damaged_json(data: bytes, chance: Random) -> bytes:
    """JSON with one to four of its values left out, exchanged with others of its own, or of another type."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return damaged(data, True, chance, ())
    for _ in range(chance.randint(1, 4)):
        places = _places(tree)
        if not places:
            break
        holder, key = chance.choice(places)
        other, name = chance.choice(places)
        match chance.choice(("leave out", "exchange", "value", "rename", "number")):
            case "leave out":
                del holder[key]
            case "exchange":
                # A copy: a value that held itself could not be written.
                holder[key] = json.loads(json.dumps(other[name]))
            case "rename" if isinstance(holder, dict):
                holder[str(name)] = holder.pop(key)
            case "number" if isinstance(holder[key], int):
                holder[key] += chance.choice((-1, 1, 13))
            case _:
                holder[key] = chance.choice(_VALUES)
    return json.dumps(tree).encode()[: 16 * _LONGEST]


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every value in a tree, by what holds it and its key there."""
    found: list[tuple[Any, Any]] = []
    left = [tree]
    while left:
        holder = left.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            left.append(holder[key])
    return found
