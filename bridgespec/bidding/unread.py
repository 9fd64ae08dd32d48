"""Suggest a correction for an unreadable line in a file of rules: another word, or a missing mark. `repair` is the entry."""

from __future__ import annotations

import re

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.missing_mark import missing_mark
from bridgespec.codec.text.trace import wanted
from bridgespec.diagnostic import Diagnostic, Edit, Fix, nearest

_LITERAL = re.compile(r"'([a-z][a-z-]*)'")
_WORD = re.compile(rb"[a-z][a-z-]+")
_FAR = 2000
"""The most bytes before a word that are searched for its situation, and the most bytes of a text that is parsed to try a mark."""
_LINES_BEFORE = 2
"""The number of lines above an unreadable one in which a missing mark is searched."""


def expected_words(codec: TextCodec, data: bytes, stop: int) -> list[str]:
    """Return the words of the language that the grammar allows at the offset ``stop`` of a text.

    The text is parsed from the last situation on, and from the line's own start: earlier text does not affect which words may
    follow.
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


def _nearest_word(codec: TextCodec, data: bytes, found: Diagnostic) -> str | None:
    """Return the allowed word that is most similar to the one at the finding's span; None if none is similar."""
    word = None if found.span is None else _WORD.match(data, found.span.byte_start)
    if word is None:
        return None
    return nearest(word[0].decode(), expected_words(codec, data, word.start()))


def repair(codec: TextCodec, data: bytes, found: Diagnostic) -> tuple[str | None, Fix | None]:
    """Return the help for the finding of an unreadable line, and the fix if a mark is missing. The help is a similar word, or a
    question about the mark; both are None if nothing is found.
    """
    word = _nearest_word(codec, data, found)
    if word is not None or found.span is None:
        return word, None
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
