"""Faults of texts: `of_text` makes texts that the grammar does not match, or that it matches by a rule that reports a finding.

`as_reported` reads such a text and returns the fault as the reader reports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from bridgespec.codec.node import FieldNode
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.random_values import Undrawn
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.shared_findings import DERIVED
from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.reader import UNREADABLE
from bridgespec.codec.text.rule_values import RecordRule
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.spec.grammar import GrammarChoice, GrammarRepeat, Ref
from bridgespec.spec.grammar.rules import walk

# The first two letters differ, as exchanging equal ones would change nothing.
_WORD = re.compile(rb"([A-Za-z])(?!\1)[A-Za-z]{2,}")
_MISFITS = ("zz", "Zz", "0x", "??", "99999")
"""Texts that the pattern of a delegated field often matches, but rarely the rule that reads its text."""


def of_text(codec: TextCodec, root: FieldNode, data: bytes, random: Random) -> Iterator[SampleFault]:
    """Yield files with one fault each, made from a valid text whose root node is ``root``: a wrong value or a misspelt word in one
    record, a line after the end that no rule matches, or an inserted text that a rule reports.
    """
    for path, node in root.walk():
        if isinstance(node, TextNode) and isinstance(node.shape, RecordRule):
            yield from _in_record(node.shape, node, path, data)
            yield from _misspelt(node, path, data)
    yield SampleFault(data + b"\n\0\n", UNREADABLE.name, "", len(data), len(data) + 2)
    yield from _of_reports(codec.engine, root, data, random)


def as_reported(codec: TextCodec, fault: SampleFault) -> SampleFault | None:
    """Read a faulty text, and return the fault with the field and the span of the reader's finding. None if no finding with the
    fault's code begins in the changed text.
    """
    findings = codec.read(fault.data).diagnostics
    alike = [one for one in findings if one.code == fault.code and one.span is not None]
    found = next((one for one in alike if one.span and fault.start <= one.span.byte_start <= fault.stop), None)
    if found is None or found.span is None:
        return None
    return replace(fault, field=found.field or "", start=found.span.byte_start, stop=found.span.byte_stop)


def _in_record(shape: RecordRule, node: TextNode, path: str, data: bytes) -> Iterator[SampleFault]:
    """Yield files in which one field of a record has another number than the derived one, or a text that the field's own pattern
    matches, but not the rule that reads its text.
    """
    parts = node.parts or []
    for name in shape.derived:
        part = node.first(name)
        if part is not None and part.text[-1:].isdigit():
            wrong = part.text[:-1] + str((int(part.text[-1]) + 1) % 10)
            yield _replaced(data, part, wrong, DERIVED.name, f"{path}.{name}")
    for name, handover in shape.delegated.items():
        part = node.first(name)
        if part is None:
            continue
        reader, _ = handover.choose(shape.key(handover, parts), part.source, part.start // 8, part.stop // 8)
        own = shape.field(name)
        for wrong in _MISFITS if reader is not None else ():
            if own.fits(wrong) and reader is not None and not reader.fits(wrong):
                yield _replaced(data, part, wrong, handover.word.report.code, f"{path}.{name}")
                break


def _replaced(data: bytes, part: TextNode, text: str, code: str, field: str) -> SampleFault:
    """Return the fault of a file in which the text of ``part`` is replaced; its finding is at the new text."""
    start, stop = part.start // 8, part.stop // 8
    return SampleFault(data[:start] + text.encode() + data[stop:], code, field, start, start + len(text))


def _misspelt(node: TextNode, path: str, data: bytes) -> Iterator[SampleFault]:
    """Yield files in which the first two letters of one literal of the grammar are exchanged: the first word before, between and
    after the parts of a record.
    """
    at = node.start // 8
    for start, stop in [*((part.start // 8, part.stop // 8) for part in node.parts or []), (node.stop // 8, 0)]:
        word = _WORD.search(data, at, max(start, at))
        if word is not None:
            first = word.start()
            swapped = data[first + 1 : first + 2] + data[first : first + 1]
            yield SampleFault(data[:first] + swapped + data[first + 2 :], UNREADABLE.name, path, at, word.end())
        at = max(at, stop)


@dataclass(frozen=True)
class _RepeatedChoice:
    """A choice that a rule repeats, in one record of a text. Made for each record to find where a text can be inserted."""

    engine: TextEngine
    names: list[str]
    """The rule of each alternative; empty for an alternative that is no rule."""
    items: list[TextNode]
    """The parts of the record that were read as alternatives of this choice."""

    @classmethod
    def within(cls, engine: TextEngine, node: FieldNode) -> Iterator[_RepeatedChoice]:
        """Yield the repeated choices in the rule of a record; none for any other node."""
        if not isinstance(node, TextNode) or not isinstance(node.shape, RecordRule):
            return
        for part in walk(node.shape.rule.expr):
            if isinstance(part, GrammarRepeat) and isinstance(part.item, GrammarChoice):
                names = [one.name if isinstance(one, Ref) else "" for one in part.item.options]
                yield cls(engine, names, [one for one in node.parts or () if one.shape.rule.name in names and one.stop])

    def reporting(self) -> Iterator[tuple[int, str]]:
        """Yield index and code of each alternative whose rule reports a finding, up to the first alternative that is no rule."""
        for at, name in enumerate(self.names):
            # Whether an alternative without a rule matches the inserted text is not known.
            if not name:
                return
            report = self.engine.grammar.rules[name].words.report
            if report is not None:
                yield at, report.code

    def admits(self, at: int, after: TextNode, source: str, text: str) -> bool:
        """Whether the alternative at an index matches a text that is inserted into ``source`` after an item, and neither an
        earlier alternative nor the item matches any of it.
        """
        start = after.stop // 8
        whole = source[:start] + text + source[start:]
        # A longer match of an earlier alternative, or of the item before, would take the inserted text.
        rivals = [(self.engine.value(one), start) for one in self.names[:at]]
        rivals.append((self.engine.value(after.shape.rule.name), after.start // 8))
        ends = range(start + 1, len(whole) + 1)
        if any(one.fits(whole, begin, end) for one, begin in rivals for end in ends):
            return False
        return self.engine.value(self.names[at]).fits(whole, start, start + len(text))


def _of_reports(engine: TextEngine, root: FieldNode, data: bytes, random: Random) -> Iterator[SampleFault]:
    """Yield files into which a random text of a rule that reports a finding is inserted: between the items of a repeated choice of
    which the rule is an alternative.
    """
    sentences, source = Sentences(engine.grammar, random), data.decode("latin-1")
    for path, node in [("", root), *root.walk()]:
        for choice in _RepeatedChoice.within(engine, node):
            for at, code in choice.reporting() if choice.items else ():
                after = random.choice(choice.items)
                with suppress(Undrawn):
                    text = sentences.text(choice.names[at])
                    if text and choice.admits(at, after, source, text):
                        raw, stop = text.encode("latin-1"), after.stop // 8
                        yield SampleFault(data[:stop] + raw + data[stop:], code, path, stop, stop + len(raw))
