"""Find what an unreadable text of rules is probably meant to be: another word, or one mark more. `repair` is the entry."""

from __future__ import annotations

import re

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.missing_mark import missing_mark
from bridgespec.codec.text.trace import wanted
from bridgespec.diagnostic import Diagnostic, Edit, Fix, nearest

_LITERAL = re.compile(r"'([a-z][a-z-]*)'")
_WORD = re.compile(rb"[a-z][a-z-]+")
_FAR = 2000
"""The maximum number of bytes between a word and its situation, and of an excerpt that is read again."""
_LINES_BEFORE = 2
"""The number of lines before one that cannot be read in which a mark may be missing."""


def expected_words(codec: TextCodec, data: bytes, stop: int) -> list[str]:
    """Return the words of the language that may stand at an offset of a text.

    The text is read from its last situation on, and from its last line: what is before them does not affect what may follow.
    """
    start, found = codec.form.start.body, list[str]()
    line = begin = data.rfind(b"\n", 0, stop) + 1
    # Rules are indented below their situation: the first line without indentation is the situation.
    while begin and data[begin : begin + 1].isspace() and stop - begin < _FAR:
        begin = data.rfind(b"\n", 0, begin - 1) + 1
    for first in dict.fromkeys([begin, line]):
        before = data[first:stop].decode("latin-1")
        reached, names = wanted(start, before, 0)
        if reached == len(before):
            found += [match[1] for name in names if (match := _LITERAL.fullmatch(name))]
    return list(dict.fromkeys(found))


def _meant(codec: TextCodec, data: bytes, found: Diagnostic) -> str | None:
    """Return the word of the language that is most like the one at which a text cannot be read, if one is like it."""
    word = None if found.span is None else _WORD.match(data, found.span.byte_start)
    if word is None:
        return None
    return nearest(word[0].decode(), expected_words(codec, data, word.start()))


def repair(codec: TextCodec, data: bytes, found: Diagnostic) -> tuple[str | None, Fix | None]:
    """Return the help for a text that cannot be read, and what repairs it: the word that is meant, or a mark that is missing."""
    meant = _meant(codec, data, found)
    if meant is not None or found.span is None:
        return meant, None
    place = found.span.byte_start
    start = stop = place
    for _ in range(_LINES_BEFORE + 1):
        start = data.rfind(b"\n", 0, max(start - 1, 0)) + 1
    for _ in range(2):
        stop = (data.find(b"\n", stop) + 1) or len(data)
    if stop - start > _FAR:
        return None, None
    mark = missing_mark(codec, data[start:stop].decode("latin-1"), place - start)
    if mark is None:
        return None, None
    at, text = start + mark[0], mark[1]
    behind = data[:at].split()[-1:]
    where = f" behind {behind[0].decode('utf-8', 'replace')}" if behind else ""
    line = data.count(b"\n", 0, at) + 1
    help = f"is {text!r} missing{where} in line {line}?"
    return help, Fix(f"write {text!r}", (Edit(at, at, text.encode("latin-1")),))
