"""Recovery from faults in a text: finds the end of a record that does not match, and the offset of each fault in it.

`Recovery.faults` reads a record without the lines that do not match. A `TextReader` makes one recovery for its text, and reports
the faults.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bridgespec.codec.shared_findings import MOST
from bridgespec.codec.text.compiled_expressions import ChoiceExpression, RepeatExpression, TerminalExpression, TextExpression
from bridgespec.codec.text.findings import LINE_END, follow
from bridgespec.codec.text.grammar_program import RuleMatch
from bridgespec.codec.text.parse_state import ParseOptions, ParseState
from bridgespec.codec.text.rule_references import RuleReference
from bridgespec.spec.grammar.possessive import compile_regex

_REACH = 1 << 16
"""The maximum number of characters of a record that are read again without the lines that do not match."""
_LINE = re.compile(r"([ \t]*+)([^\r\n]*+)(?:\r\n|\r|\n)")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Stage:
    """An item of the start rule, single or repeated, with its expression and, where it is regular, its `RuleMatch`. ``listed``:
    its fields include the boards, or other records that the file is a list of. ``several``: one occurrence may have several lines.
    """

    piece: TextExpression
    repeated: bool
    optional: bool
    match: RuleMatch | None
    listed: bool
    several: bool

    @classmethod
    def of(cls, item: TextExpression, accelerated: bool, lists: frozenset[str]) -> Stage:
        """Return the stage for an item of the start rule; ``lists`` are the fields that the file is a list of."""
        inner = item.item if isinstance(item, RepeatExpression) else item
        match = RuleMatch.of_stage(inner) if accelerated else None
        listed, several = not lists.isdisjoint(item.names), _lines(inner, frozenset())[1]
        if isinstance(item, RepeatExpression):
            return cls(inner, item.most != 1, item.least == 0, match, listed, several)
        return cls(inner, False, False, match, listed, several)


def _lines(piece: TextExpression, seen: frozenset[str]) -> tuple[bool, bool]:
    """Return whether a text of an expression may have a line end, and whether fields may follow after one."""
    if isinstance(piece, TerminalExpression):
        return compile_regex(piece.pattern).search("\n") is not None, False
    if isinstance(piece, RuleReference):
        name = piece.value.rule.name
        # A rule that refers to itself is visited once.
        return (False, False) if name in seen else _lines(piece.value.body, seen | {name})
    inside = [_lines(one, seen) for one in piece.inside]
    within, ended = any(found for _, found in inside), False
    for one, (ends, _) in zip(piece.inside, inside, strict=True):
        within |= ended and bool(one.names) and not isinstance(piece, ChoiceExpression)
        ended |= ends
    return ended, within or (ended and isinstance(piece, RepeatExpression) and piece.most != 1 and bool(piece.names))


Faults = list[tuple[int, list[str]]]
"""The offset of each fault, and names of what would have matched there."""


class _ReducedRecord:
    """The text of a record from which lines that do not match are removed one after the other, with the fault of each. A
    `Recovery` makes one for each record that it reads again. ``start`` is the offset of the record in its file.
    """

    def __init__(self, source: str, start: int, stop: int) -> None:
        self.start = start
        # Each removed line copies this text, so that its length bounds the cost of a fault.
        self.text = source[start:stop]
        self.removed: list[tuple[int, int]] = []
        """The offset and the length of each removed block, in the text from which it was removed."""
        self.faults: Faults = []

    def remove(self, before: int, after: int, place: int, wanted: list[str]) -> None:
        """Remove the line from offset ``before`` to ``after``, with the block that it should have begun. ``place`` is the offset
        of its fault, ``wanted`` are names of what would have matched there.
        """
        # A line directly after a removed one belongs to the same fault, unless its beginning matches.
        if not self.removed or before != self.removed[-1][0] or self.text[before:place].strip():
            self.faults.append((self._original(place), wanted))
        after = _block_end(self.text, before, after)
        self.text = self.text[:before] + self.text[after:]
        self.removed.append((before, after - before))

    def until(self, stop: int) -> tuple[int, Faults]:
        """Return the end in the file of a record that ends at ``stop`` in the reduced text, and its faults."""
        return self._original(stop), self.faults

    def _original(self, offset: int) -> int:
        """Return the offset in the file of an offset in the reduced text."""
        for start, length in reversed(self.removed):
            offset += length if offset >= start else 0
        return self.start + offset


class Recovery:
    """Recovers from the faults of one text. ``skip`` is the pattern of the least text that is skipped at an offset where nothing
    matches. A `TextReader` makes one.
    """

    def __init__(self, text: str, skip: re.Pattern[str]) -> None:
        self.text, self.skip = text, skip
        self.skipped = 0
        """How often a record was read again without a line, at most `MOST` times: bounds the cost of a damaged file."""
        self.left = min(64 * len(text), 16 * len(text) + 100_000)
        """How many characters may still be read again: with an opening quotation mark that is never closed, each attempt would
        read to the end of the text.
        """

    def faults(self, possible: Sequence[Stage], at: int) -> tuple[int, Faults] | None:
        """Read a record at ``at`` without the lines on which it does not match. Return its end, and for each fault its offset and
        names of what would have matched. None where not even its first line matches.

        After a skipped line, reading resumes inside the innermost block, since the parse of the text before the line is
        unchanged. The block that the line should have begun is skipped with it, and so are the next lines that match nothing,
        which are no faults of their own.
        """
        record = _ReducedRecord(self.text, at, at + _REACH)
        first = LINE_END.search(record.text)
        while self._may_repeat():
            text, removed = record.text, record.removed
            place, wanted = self._failure(possible, text)
            if removed and place == removed[-1][0] and _matches_any(possible, text, place):
                # The record does not continue behind the removed line, where another record begins: it ends here.
                return record.until(place)
            before, after = text.rfind("\n", 0, place) + 1, text.find("\n", place) + 1
            # A text whose first line does not match may be no record at all: only later lines are removed.
            headless = first is None or place <= first.start()
            if headless or not before or not after:
                return self._given_up(record, possible, place, wanted, headless)
            record.remove(before, after, place, wanted)
            for stage in possible:
                stop = _end_of(stage, record.text, 0)
                if stop is not None and stop > removed[0][0]:
                    return record.until(stop)
        return None

    def _given_up(
        self, record: _ReducedRecord, possible: Sequence[Stage], place: int, wanted: list[str], headless: bool
    ) -> tuple[int, Faults] | None:
        """Return the end and the faults of a record that matches up to ``place``, where ``wanted`` would have matched, and of
        which no further line can be removed. ``headless``: its first line does not match. None where nothing matches.
        """
        if not record.removed and not record.text[:place].strip():
            return None
        block = self._block(record.start)
        if not headless:
            return self.behind(possible, block), record.faults or [(record.start + place, wanted)]
        # The other lines of a record match nothing without its first line: they are not reported as further faults.
        several = any(stage.several for stage in possible)
        return self.behind(possible, block) if several else block, record.faults

    def rest(self, stage: Stage, start: int, possible: Sequence[Stage], at: int) -> tuple[int, Faults] | None:
        """Continue a record that began at ``start`` and ended at ``at``, without the lines that it does not match. Return its end,
        and for each of these lines the offset and names of what would have matched. None where another record matches more of the
        first of these lines.
        """
        # A record that ended within a line cannot have stopped because of the next line.
        if not stage.several or self.text[at - 1] != "\n":
            return None
        record, kept = _ReducedRecord(self.text, start, at + _REACH), at - start
        following = (stage, *possible)
        while self._may_repeat():
            text, removed = record.text, record.removed
            place, wanted = self._failure([stage], text)
            before, after = max(text.rfind("\n", 0, place) + 1, kept), text.find("\n", place) + 1
            if removed and _matches_any(following, text, before):
                # The record ends without the removed line: another record begins here.
                return record.until(before)
            if place < kept or not after:
                break
            further, names = furthest(possible, text, before, after)
            # The line is the start of another record rather than a faulty one of this record.
            if further > place:
                return record.until(before) if removed else None
            if not removed and further == place:
                wanted = list(dict.fromkeys([*wanted, *names]))
            record.remove(before, after, place, wanted)
            stop = _end_of(stage, record.text, 0)
            kept = max(kept, stop or 0, before)
            if stop is not None and stop > before and _matches_any(following, record.text, stop):
                return record.until(stop)
        return record.until(kept) if record.removed else None

    def _may_repeat(self) -> bool:
        """Whether a record may be read once more: neither `MOST` nor the number of characters is used up."""
        return self.skipped < MOST and self.left > 0

    def _failure(self, stages: Sequence[Stage], text: str) -> tuple[int, list[str]]:
        """Return the furthest offset that any of the stages reaches in the text of a record, and names of all that would have
        matched there; the reading counts towards the limits of `_may_repeat`.
        """
        self.skipped += 1
        place, wanted = furthest(stages, text, 0, len(text))
        self.left -= place + 1
        return place, wanted

    def _block(self, at: int) -> int:
        """Return the end of the block that begins at an offset, by its indentation; it contains at least the text that is skipped
        for a fault.
        """
        match = self.skip.match(self.text, at)
        stop = max(match.end() if match else 0, at + 1)
        return max(stop, _block_end(self.text, self.text.rfind("\n", 0, at) + 1, stop))

    def behind(self, possible: Sequence[Stage], at: int) -> int:
        """Return the offset after all lines from ``at`` on that match nothing, at which an incomplete record is given up."""
        text, end = self.text, len(self.text)
        while at < end and self.skipped < MOST:
            self.skipped += 1
            line = LINE_END.search(text, at)
            place, _ = furthest(possible, text, at, line.start() if line else end)
            # A line whose beginning matches is reported as a fault of its own.
            if text[at:place].strip() or _matches_any(possible, text, at):
                break
            match = self.skip.match(text, at)
            at = max(match.end() if match else 0, at + 1)
        return at


def _block_end(text: str, line: int, after: int) -> int:
    """Return the end of the block that the line at an offset should have begun: after the following lines that are indented more.
    A line with the same indentation and only punctuation, before or after these, belongs to the block.

    Without a line that is indented more it is ``after``, the line's end.
    """
    own, at, end, deeper, opened = len(text[line:after]) - len(text[line:after].lstrip(" \t")), after, after, False, False
    while (match := _LINE.match(text, at)) is not None and match[2]:
        indent, signs = len(match[1]), _WORD.search(match[2]) is None
        # At most one line of punctuation opens the block: of many such lines, each would search all lines that follow for its
        # block.
        if indent < own or (indent == own and (not signs or (opened and not deeper))):
            break
        opened = True
        at = match.end()
        if indent > own:
            deeper, end = True, at
        elif deeper:
            return at
    return end


def furthest(possible: Sequence[Stage], text: str, at: int, end: int) -> tuple[int, list[str]]:
    """Return the furthest offset that any of the stages reaches, and names of all that would have matched there.

    If only blanks and line ends precede that offset, and one of the names would also have matched before them, that earlier offset
    is returned: what a line lacks is not a fault of the next line.
    """
    place, wanted = _furthest(possible, text, at, end)
    before = at + len(text[at:place].rstrip())
    # Blanks and line ends alone separate the two offsets.
    if before > at and LINE_END.search(text, before, place):
        earlier, names = _furthest(possible, text, at, before)
        if earlier == before and not set(wanted).isdisjoint(names):
            return before, wanted
    return place, wanted


def _furthest(possible: Sequence[Stage], text: str, at: int, end: int) -> tuple[int, list[str]]:
    place, wanted = -1, list[str]()
    for stage in possible:
        reached, names = follow(stage.piece, text, at, end, False)
        if reached >= place:
            place, wanted = reached, names if reached > place else list(dict.fromkeys([*wanted, *names]))
        # Stages after one that must occur cannot begin here.
        if not stage.optional and not stage.repeated:
            break
    return max(place, at), wanted


def matches(stage: Stage, text: str, at: int) -> bool:
    """Return whether a stage matches some text at an offset."""
    stop = _end_of(stage, text, at)
    return stop is not None and stop > at


def _matches_any(stages: Sequence[Stage], text: str, at: int) -> bool:
    """Return whether one of the stages matches some text at an offset."""
    return any(matches(stage, text, at) for stage in stages)


def _end_of(stage: Stage, text: str, at: int) -> int | None:
    """Return the end of a stage's match at an offset; None if it does not match."""
    return stage.piece.read(text, at, len(text), ParseState(ParseOptions(quick=True)))
