"""Find the character whose absence makes a text unreadable: a bracket, a quotation mark, a colon. `missing_mark` is the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bridgespec.codec.text import trace
from bridgespec.codec.text.codec import TextCodec

MOST_TRIALS = 20
"""The maximum number of insertions that are tried; each reads the excerpt once."""
_MARK = re.compile(r"'([^\w\s])'")
_BEHIND_WORD = re.compile(r"(?<=\S)(?=\s|$)")


def missing_mark(codec: TextCodec, text: str, place: int) -> tuple[int, str] | None:
    """Return an offset and a character: inserted there, it reduces the number of lines that cannot be read. None where no single
    character does.

    ``text`` is an excerpt that begins where the start rule can match, one character for each byte; ``place`` is the offset at
    which reading fails.
    """
    left = len(codec.read(text.encode("latin-1")).diagnostics)
    best: tuple[int, str] | None = None
    for at, mark in islice(_insertions(codec, text, place), MOST_TRIALS):
        found = len(codec.read(f"{text[:at]}{mark}{text[at:]}".encode("latin-1")).diagnostics)
        if found < left:
            left, best = found, (at, mark)
        if not left:
            break
    return best


def _insertions(codec: TextCodec, text: str, place: int) -> Iterator[tuple[int, str]]:
    """Yield offset and character of possible insertions, the most probable first."""
    pairs = {pair for rule in codec.engine.grammar.rules.values() if (pair := rule.words.between) is not None}
    stop = _line_end(text, place)
    for opening, closing in sorted(pairs):
        if text.startswith(opening, place):
            # The nearest end of a word first: the words behind it are those of the language, which are rarely quoted.
            yield from ((found.start(), closing) for found in _BEHIND_WORD.finditer(text, place + len(opening), stop))
    wanted = _wanted(codec, text, place)
    marks = [match[1] for name in wanted if (match := _MARK.fullmatch(name))]
    ends, end = [len(text[:place].rstrip())], stop
    while end > 0:
        ends.append(len(text[:end].rstrip()))
        end = text.rfind("\n", 0, end)
    # A line is more often left open at its end than in its middle.
    yield from ((at, mark) for mark in marks for at in dict.fromkeys([*ends[1:], ends[0]]))
    yield from ((place, opening) for opening, _ in sorted(pairs))


def _wanted(codec: TextCodec, text: str, place: int) -> list[str]:
    """Return the names of what would match at an offset, reading from the beginning or, where that fails before, from the line's
    begin.
    """
    for start in dict.fromkeys([0, text.rfind("\n", 0, place) + 1]):
        reached, wanted = trace.wanted(codec.form.start.body, text, start)
        if reached >= place and not text[place:reached].strip():
            return wanted
    return []


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
