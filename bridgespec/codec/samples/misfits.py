"""Faults of texts: text that the grammar does not match, or that it matches by a rule that reports a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from bridgespec.codec.node import FieldNode
from bridgespec.codec.samples import SampleFault
from bridgespec.codec.samples.random_values import Undrawn
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.shared_findings import DERIVED
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.reader import UNREADABLE
from bridgespec.codec.text.rule_values import RecordRule
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.spec import ir
from bridgespec.spec.grammar import Grammar, GrammarChoice, GrammarRepeat, Ref
from bridgespec.spec.grammar.rules import walk

# The first two letters differ, as exchanging equal ones would change nothing.
_WORD = re.compile(rb"([A-Za-z])(?!\1)[A-Za-z]{2,}")
_MISFITS = ("zz", "Zz", "0x", "??", "99999")
"""Texts that fit into some field and that its rule does not match."""


def of_text(root: FieldNode, data: bytes) -> Iterator[SampleFault]:
    for path, node in root.walk():
        if isinstance(node, TextNode) and isinstance(node.shape, RecordRule):
            yield from _in_record(node.shape, node, path, data)
            yield from _misspelt(node, path, data)
    yield SampleFault(data + b"\n\0\n", UNREADABLE.name, "", len(data), len(data) + 2)


def of_reports(spec: ir.Spec, grammar: Grammar, root: FieldNode, data: bytes, random: Random) -> Iterator[SampleFault]:
    """Yield files with a random text of a reporting rule inserted, in a repetition in which the rule is an alternative."""
    engine, sentences, source = TextEngine(spec), Sentences(grammar, random), data.decode("latin-1")
    for path, node in [("", root), *root.walk()]:
        rule = node.shape.rule if isinstance(node, TextNode) and isinstance(node.shape, RecordRule) else None
        for part in walk(rule.expr) if rule is not None else ():
            options = part.item.options if isinstance(part, GrammarRepeat) and isinstance(part.item, GrammarChoice) else ()
            names = [one.name if isinstance(one, Ref) else "" for one in options]
            for at, name in enumerate(names):
                report = grammar.rules[name].words.report if name else None
                behind = [one for one in getattr(node, "parts", None) or () if one.shape.rule.name in names and one.stop]
                if report is None or not behind or "" in names[:at]:
                    continue
                after = random.choice(behind)
                with suppress(Undrawn):
                    text, stop = sentences.text(name), after.stop // 8
                    whole = source[:stop] + text + source[stop:]
                    rivals = [(engine.value(one), stop) for one in names[:at]]
                    rivals.append((engine.value(after.shape.rule.name), after.start // 8))
                    ends = range(stop + 1, len(whole) + 1)
                    taken = any(one.fits(whole, start, end) for one, start in rivals for end in ends)
                    if text and not taken and engine.value(name).fits(whole, stop, stop + len(text)):
                        raw = text.encode("latin-1")
                        yield SampleFault(data[:stop] + raw + data[stop:], report.code, path, stop, stop + len(raw))


def _misspelt(node: TextNode, path: str, data: bytes) -> Iterator[SampleFault]:
    """Yield files in which the first two letters of one literal of the grammar are exchanged."""
    at = node.start // 8
    for start, stop in [*((part.start // 8, part.stop // 8) for part in node.parts or []), (node.stop // 8, 0)]:
        word = _WORD.search(data, at, max(start, at))
        if word is not None:
            first = word.start()
            swapped = data[first + 1 : first + 2] + data[first : first + 1]
            yield SampleFault(data[:first] + swapped + data[first + 2 :], UNREADABLE.name, path, at, word.end())
        at = max(at, stop)


def _in_record(shape: RecordRule, node: TextNode, path: str, data: bytes) -> Iterator[SampleFault]:
    parts = node.parts or []
    for name in shape.derived:
        part = node.first(name)
        if part is not None and part.text[-1:].isdigit():
            wrong = part.text[:-1] + str((int(part.text[-1]) + 1) % 10)
            yield _put(data, part, wrong, DERIVED.name, f"{path}.{name}")
    for name, handover in shape.delegated.items():
        part = node.first(name)
        if part is None:
            continue
        reader, _ = handover.choose(shape.key(handover, parts), part.source, part.start // 8, part.stop // 8)
        own = shape.field(name)
        for wrong in _MISFITS if reader is not None else ():
            if own.fits(wrong) and reader is not None and not reader.fits(wrong):
                yield _put(data, part, wrong, handover.word.report.code, f"{path}.{name}")
                break


def _put(data: bytes, part: TextNode, text: str, code: str, field: str) -> SampleFault:
    start, stop = part.start // 8, part.stop // 8
    return SampleFault(data[:start] + text.encode() + data[stop:], code, field, start, start + len(text))
