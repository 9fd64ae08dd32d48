"""Proofs about text formats: each rule is tried with all of its texts where these can be listed, else with random texts.

A text of a rule is read into its value and written again by the codec's own `RuleValue`. The written text must be read as the
same value; it may differ from the first one where the grammar has several texts for a value. Rules without fields, codes or
numbers are left out, since their value is their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from bridgespec.codec.node import plain
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status, opened
from bridgespec.codec.proof.code_sets import cover_proof
from bridgespec.codec.proof.text_sets import Languages
from bridgespec.codec.samples.random_values import Undrawn
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.parse_state import ParseOptions, ParseState
from bridgespec.codec.text.pending_values import CannotEncode
from bridgespec.codec.text.rule_values import CodeRule, LeafRule, RecordRule, RuleValue
from bridgespec.spec.grammar import Expr, Grammar, GrammarRule, Pattern, Ref
from bridgespec.spec.grammar.rules import walk

_LOOK = re.compile(r"\(\?[=!<]|\\[bBAZ]|[$^]")
"""A lookaround or an anchor in a regular expression."""
_DRAWN = 200
"""The number of random texts that are drawn for a rule whose texts cannot be listed."""
_LONG = 200
"""The maximum length of a random text: reading whole files would take too long."""


def text_proofs(engine: TextEngine, most: int) -> Iterator[Proof]:
    """Return the proofs about every rule that a file may be read by; at most ``most`` texts of each rule are listed."""
    languages = Languages(engine.grammar, most)
    for rule in _reachable(engine.grammar):
        value = engine.value(rule.name)
        if isinstance(value, RecordRule) and not rule.is_layout:
            yield _characters(languages, rule)
        if isinstance(value, LeafRule) and value.rule.words.number is None and value.shape.words.number is None:
            continue
        if rule.is_layout or value.rule.words.report is not None:
            continue
        if value.behind if isinstance(value, RecordRule) else value.body.behind:
            yield opened(rule.name, Property.BACK, "it looks at what stands before it", rule.place)
            continue
        yield from RuleTrial(value, languages).proofs()


def _reachable(grammar: Grammar) -> list[GrammarRule]:
    """Return the rules that the start rule refers to, directly or through other rules, and those that read texts of fields."""
    names = [grammar.start]
    # The list grows during the loop: each rule adds the rules that it refers to.
    for name in names:
        rule = grammar.rules[name]
        found = [part.name for part in walk(rule.expr) if isinstance(part, Ref)]
        for content in rule.words.contents:
            found += [*content.cases.values(), *([content.otherwise] if content.otherwise else [])]
        if rule.words.pair is not None and rule.words.pair.columns is not None:
            found += rule.words.pair.columns.cases.values()
        names += [one for one in dict.fromkeys(found) if one not in names]
    return [grammar.rules[name] for name in names]


def _characters(languages: Languages, rule: GrammarRule) -> Proof:
    """Return the proof that all characters of a rule that can vary are in fields, the others being one fixed text; open where
    they are not.
    """
    # A rule whose texts cannot be listed counts as one of several texts.
    free = [part.name for part in _beside(languages.grammar, rule) if len(languages.rule(part.name) or "??") > 1]
    if free:
        told = f"texts of {', '.join(dict.fromkeys(free))} are in no field; a file keeps them, a fresh one has their first form"
        return opened(rule.name, Property.BITS, told, rule.place)
    count = max(1, len(languages.grammar.made_by(rule)))
    return Proof(rule.name, Property.BITS, Status.PROVED, count, count, "what is in no field is always the same text", rule.place)


def _beside(grammar: Grammar, rule: GrammarRule) -> Iterator[Ref]:
    """Yield the references in a rule that make no field, and whose rules make none."""
    for part in walk(rule.expr):
        if isinstance(part, Ref) and part.field is None:
            inner = grammar.rules[part.name]
            if inner.is_terminal or not grammar.made_by(inner):
                yield part


class RuleTrial:
    """Reads and writes texts of one rule to find the proofs about it."""

    def __init__(self, value: RuleValue, languages: Languages) -> None:
        self.value, self.languages = value, languages
        self.name, self.place = value.rule.name, value.rule.place

    def proofs(self) -> Iterator[Proof]:
        """Return the proofs of the rule."""
        listed = self.languages.rule(self.name)
        texts = self.texts()
        domain = len(texts) if listed is not None else None
        back = ClaimTrial(self.name, Property.BACK, domain, self.place)
        spelled: dict[object, list[str]] = {}
        unwritten = 0
        for text in texts:
            value = self.read(text)
            if value is None:
                back.check(False, f"{text!r} fits and is not read")
                continue
            # By its `repr`: the value of a record is a dict, which is no key.
            spelled.setdefault(repr(value), []).append(text)
            try:
                again = self.value.spell(self._plain(text), "")
            except CannotEncode as error:
                unwritten += 1
                back.check(self.value.rule.words.only_read, f"{text!r} is read and cannot be written: {error}")
                continue
            back.check(self.read(again) == value, f"{text!r} is written as {again!r}, which means something else")
        yield back.proof("all texts of the rule" if domain is not None else "texts drawn by chance, at most 200 characters long")
        if listed is not None and not self._looks(self.value.shape.expr, set()):
            yield self._hidden(listed, len(texts))
        if domain:
            more = len(texts) - len(spelled)
            told = f"{len(texts):,} texts are {len(spelled):,} values" + (
                f"; the grammar reads {more:,} more than it writes" * bool(more)
            )
            yield Proof(self.name, Property.ONCE, Status.PROVED, domain, domain, told, self.place)
        if isinstance(self.value, CodeRule):
            yield self._codes(self.value)
            if (cover := cover_proof(self.name, self.value.spellings, self.place)) is not None:
                yield cover

    def _looks(self, expr: Expr, seen: set[str]) -> bool:
        """Whether an expression has lookarounds or anchors, so that it may not match some of the listed texts."""
        for part in walk(expr):
            if isinstance(part, Pattern) and _LOOK.search(part.regex):
                return True
            if isinstance(part, Ref) and part.name not in seen:
                seen.add(part.name)
                if self._looks(self.languages.grammar.rules[part.name].expr, seen):
                    return True
        return False

    def _hidden(self, listed: frozenset[str], fitting: int) -> Proof:
        """Return the proof that each listed text is read completely. As choices are ordered, an earlier alternative may match
        only its beginning.
        """
        attempt = ClaimTrial(self.name, Property.READ, len(listed), self.place)
        for text in sorted(listed):
            attempt.check(self.value.fits(text), f"{text!r} is never read whole, since an earlier alternative takes its beginning")
        return attempt.proof(f"{fitting:,} of the {len(listed):,} texts of its alternatives are read whole")

    def _drawn_texts(self) -> list[str]:
        """Return random texts of the rule that it reads; the same ones each time."""
        sentences, found = Sentences(self.languages.grammar, Random(f"proof {self.name}")), dict[str, None]()
        for _ in range(_DRAWN):
            try:
                text = sentences.text(self.name)
            except Undrawn:
                break
            if len(text) <= _LONG and self.value.fits(text):
                found[text] = None
        return list(found)

    def _plain(self, text: str) -> object:
        """Return the plain value of a text; None where the rule does not match it."""
        node = self.value.whole(text, 0, len(text), ParseState(ParseOptions()))
        return None if node is None else plain(node)

    def texts(self) -> list[str]:
        """Return all texts of the rule where they can be listed, else random ones."""
        listed = self.languages.rule(self.name)
        return self._drawn_texts() if listed is None else [text for text in sorted(listed) if self.value.fits(text)]

    def read(self, text: str) -> object:
        """Return the value of a text: the number that it spells, else its plain value; None where the rule does not match it."""
        value = self._plain(text)
        if isinstance(self.value, LeafRule) and isinstance(value, str):
            try:
                return self.value.number_of(value)
            except ValueError:
                return value
        return value

    def _codes(self, value: CodeRule) -> Proof:
        """Return the proof that the spelling of each code is read as this code."""
        attempt = ClaimTrial(self.name, Property.READ, len(value.spellings), self.place)
        for name, text in value.spellings.items():
            attempt.check(value.fits(text) and value.name(text) == name, f"{name} is written {text!r}, which is {value.name(text)}")
        return attempt.proof(f"each of {len(value.spellings):,} codes")
