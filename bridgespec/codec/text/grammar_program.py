"""Programs: the rules of a grammar compiled to regular expressions or, where a rule refers to itself, to steps, and the reader
that runs them.

A `RuleMatch` is a regular expression without backtracking, each group of which is a field or a repeated section of fields. A
`RuleProgram` is the `RuleMatch` of a rule; a `PairProgram` finds the pairs of a record by their texts. Input is a text and two
offsets, output are spans or texts. A program makes no findings: `CleanRule` and `CleanPair` prove that a text has none, and all
other texts are delegated to the expressions, which report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from bridgespec.codec.text.compiled_expressions import (
    ChoiceExpression,
    Emit,
    NotRegular,
    RepeatExpression,
    RuleValueShape,
    SequenceExpression,
    TextExpression,
)
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.pairs import MANY, SHORT, PairKind, PairSpan
from bridgespec.codec.text.parse_state import ParseOptions
from bridgespec.codec.text.rule_references import FieldReference, LayoutReference, RuleReference
from bridgespec.codec.text.rule_values import DelegatedRule, RecordRule, RuleValue
from bridgespec.codec.text.text_checks import RecordChecks
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.depth import permit
from bridgespec.spec import ir
from bridgespec.spec.grammar import ReportForm
from bridgespec.spec.grammar.possessive import compile_regex

FieldSpan = tuple[str, int, int]
"""The name of a field, and the offsets of its text: start and stop."""
PairRow = tuple[str, str, str, str]
"""The key and the value of a pair, the character before its section, which the section's rule may look at, and the section."""


class MatchGroup:
    """A group of a `RuleMatch`: a field with the rule that reads it, or a repeated section, each repetition of which is matched by
    another `RuleMatch` (``each``). ``inside`` are the groups for the fields of a field that is a record.
    """

    def __init__(self, index: int, piece: TextExpression) -> None:
        self.index = index
        self.piece = piece
        self.field = piece.field if isinstance(piece, FieldReference) else ""
        self.rule = piece.value.rule.name if isinstance(piece, FieldReference) else ""
        self.each = RuleMatch(piece.item) if isinstance(piece, RepeatExpression) else None
        self.inside: list[MatchGroup] = []


class RuleMatch:
    """The regular expression of one expression of a grammar; each of its groups (``takes``) is a field or a repeated section.
    Raises `NotRegular` for an expression without one. ``within`` gives for fields that are records the number of groups for their
    own fields, which follow the group of the field.

    One is made when its rule is compiled; the pattern is compiled at the first match.
    """

    def __init__(self, piece: TextExpression | RuleValueShape, within: Mapping[str, int] | None = None) -> None:
        groups: list[TextExpression] = []
        self.piece = piece
        self.pattern = piece.regex(Emit(groups, within=frozenset(within or ())))
        self.takes: list[MatchGroup] = []
        # One iterator for both loops: the groups of a field's own fields follow the field's group (`Emit.within`).
        found = (MatchGroup(index, group) for index, group in enumerate(groups, 1))
        for take in found:
            self.takes.append(take)
            take.inside = [next(found) for _ in range(within.get(take.field, 0) if within else 0)]
        self.exclusive = not within and _is_exclusive(piece)

    @classmethod
    def of_stage(cls, piece: TextExpression) -> RuleMatch | None:
        """Return the match for an item of the start rule. None where it is not regular, or where a text of it outside of records
        can have a finding, which only the expressions report.
        """
        with suppress(NotRegular):
            return None if _reports(piece) else cls(piece)
        return None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return compile_regex(self.pattern)

    @cached_property
    def near(self) -> re.Pattern[str]:
        """The compiled pattern without groups, for a text that is cut out of its file: it does not match a text whose match
        depends on the character before it.
        """
        return compile_regex(self.piece.regex(Emit(near=True)))

    def fields(self, text: str, start: int, end: int) -> tuple[int, list[FieldSpan]] | None:
        """Match at ``start``, not beyond ``end``. Return the end offset and the spans of the fields; None where it does not
        match.
        """
        match = self.regex.match(text, start, end)
        found = None if match is None else self.spans(match, end)
        return None if match is None or found is None else (match.end(), found)

    def spans(self, match: re.Match[str], end: int) -> list[FieldSpan] | None:
        """Return name, start and stop of the fields in a match; lookaheads of repeated sections see up to ``end``. None where the
        repetitions of a section, matched one by one, do not end where it ends.
        """
        # The last group identifies the field, so that the other groups of a choice need not be looked at.
        if self.exclusive:
            index = match.lastindex or 0
            return [(self.takes[index - 1].field, *match.span(index))]
        found: list[FieldSpan] = []
        regs = match.regs
        for take in self.takes:
            first, last = regs[take.index]
            if first < 0:
                continue
            if take.each is None:
                found.append((take.field, first, last))
            elif first < last and not take.each.rounds(match.string, first, last, end, found):
                return None
        return found

    def rounds(self, text: str, start: int, stop: int, end: int, found: list[FieldSpan]) -> bool:
        """Match the repetitions of a section one by one, and add the spans of their fields to ``found``; lookaheads see up to
        ``end``. Return False where the last repetition does not end at ``stop``.
        """
        # Unlike finditer, a scanner's match does not skip text, and its lookaheads see the text after the section.
        scanner: Any = self.regex
        for match in iter(scanner.scanner(text, start, end).match, None):
            if start == stop:
                break
            fields = self.spans(match, end)
            # A round without text would be found at the same offset without end.
            if fields is None or match.end() == start:
                return False
            found += fields
            start = match.end()
        return start == stop


def _is_exclusive(piece: TextExpression | RuleValueShape) -> bool:
    """Whether each match has exactly one field, at its beginning, so that the number of its last group identifies the field."""
    match piece:
        case FieldReference():
            return True
        case ChoiceExpression(options=options):
            return all(map(_is_exclusive, options))
        case SequenceExpression(items=items):
            return _is_exclusive(items[0]) and not any(item.names for item in items[1:])
        case LayoutReference():
            return bool(piece.names) and not piece.recursive and _is_exclusive(piece.value.body)
        case _:
            return False


def _reports(piece: TextExpression) -> bool:
    """Whether an expression, apart from what is inside its fields, can report a text: by a field's rule or by layout."""
    if piece.inside:
        return any(map(_reports, piece.inside))
    return piece.value.report is not None if isinstance(piece, FieldReference) else piece.reporting


class RuleProgram:
    """The program of one rule: patterns for its bounds and for its fields, and the proof that a text has no findings. Raises
    `NotRegular` for a rule that is not regular.
    """

    def __init__(self, engine: TextEngine, value: RuleValue) -> None:
        # The pattern is made here, so that `NotRegular` is raised by the constructor and not at the first match.
        self.engine = engine
        self.value = value
        self.pattern = value.regex(Emit())

    @cached_property
    def bounds(self) -> re.Pattern[str]:
        """The rule as a pattern without groups."""
        return compile_regex(self.pattern)

    @cached_property
    def match(self) -> RuleMatch:
        """The rule as a pattern with a group for each field; where no repeated section prevents it, with groups for the fields of
        these fields.
        """
        flat, fields = RuleMatch(self.value), {part.field: part.value for part in parts_of(self.value.body)}
        records = {
            name: RuleMatch(value) for name, value in fields.items() if isinstance(value, RecordRule) and not _unverified(value)
        }
        # Groups inside a repeated section hold the last round only, so that such a rule is matched level by level.
        if not records or any(take.each is not None for match in (flat, *records.values()) for take in match.takes):
            return flat
        return RuleMatch(self.value, {name: len(match.takes) for name, match in records.items()})

    @cached_property
    def lead(self) -> re.Pattern[str] | None:
        """The pattern for the text before the repeated section that ends the rule, if that is the only group of the rule; else
        None.
        """
        takes, body = self.match.takes, self.value.body
        last = body.items[-1] if isinstance(body, SequenceExpression) else body
        alone = len(takes) == 1 and takes[0].piece is last and isinstance(last, RepeatExpression) and last.most is None
        # The end of a record that ends where another begins depends on the fields before it, not on the section alone.
        if not alone or (isinstance(self.value, RecordRule) and self.value.restart is not None):
            return None
        return compile_regex(self.value.regex(Emit(until=last)))

    @cached_property
    def pairs(self) -> PairProgram | None:
        """The program that finds the pairs in records of the rule; None where it has no pairs, or one regular expression cannot
        find them.
        """
        with suppress(NotRegular):
            return PairProgram(self.engine, self.value)
        return None

    @cached_property
    def clean(self) -> CleanRule | None:
        """The proof that a text of the rule has no findings; None where no pattern can prove it."""
        with suppress(NotRegular):
            return CleanRule(self.engine, self.value)
        return None

    @cached_property
    def clean_pair(self) -> CleanPair | None:
        """The pattern that proves that a pair has no findings; None where there is no such pattern, and for a rule that is no
        pair.
        """
        kind = self.engine.pair(self.value.rule.name)
        with suppress(NotRegular):
            return None if kind is None else CleanPair(kind)
        return None

    def spans(self, text: str, start: int, stop: int, end: int | None = None) -> list[FieldSpan] | None:
        """Return name, start and stop of each field; None unless the rule matches exactly the text from ``start`` to ``stop``.
        Lookaheads see up to ``end``, by default ``stop``.
        """
        match = self.match_all(text, start, stop, end)
        return None if match is None else self.match.spans(match, stop if end is None else end)

    def match_all(self, text: str, start: int, stop: int, end: int | None = None) -> re.Match[str] | None:
        """Return the match of exactly the text between two offsets, or None; lookaheads see up to ``end``, by default ``stop``."""
        match = self.match.regex.match(text, start, stop if end is None else end)
        return match if match is not None and match.end() == stop else None

    def fits(self, text: str, start: int, stop: int) -> bool:
        """Whether the rule matches exactly the text from ``start`` to ``stop``."""
        found = self.bounds.match(text, start, stop)
        return found is not None and found.end() == stop

    # --- nodes

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, run: ParseOptions) -> TextNode | None:
        """Return the node of a field from ``at``, not beyond ``end``, with only its bounds; None if the rule does not match."""
        found = self.bounds.match(text, at, end)
        return None if found is None else self.value.bounded(decl, field, text, at, found.end(), end)

    def pair(self, decl: ir.Field | None, field: str, text: str, at: int, end: int) -> TextNode | None:
        """Return the node of the pair at ``at``, with its offsets; None where it is not proven to have no finding."""
        found = self.clean_pair.at(text, at, end) if self.clean_pair is not None else None
        if found is None:
            return None
        node = self.value.bounded(decl, field, text, at, found.stop, end)
        node.pair = found
        return node

    def parts(self, node: TextNode) -> list[TextNode] | None:
        """Return the nodes of a record's fields; None if the rule has none or does not match exactly the text of the node."""
        found = self.spans(node.source, node.start // 8, node.stop // 8, node.end)
        return (
            None if found is None or not isinstance(self.value, RecordRule) else nodes_of(self.value, node.source, found, node.end)
        )


def nodes_of(record: RecordRule, text: str, spans: Iterable[FieldSpan], end: int) -> list[TextNode]:
    """Return the nodes of a record's fields, given name, start and stop of each; lookaheads see up to ``end``."""
    parts = record.parts_by_name
    return [parts[name][0].bounded(parts[name][1], name, text, start, stop, end) for name, start, stop in spans]


def compiled(engine: TextEngine, value: RuleValue) -> RuleProgram | RecursiveProgram | None:
    """Return the program of a rule; None for a rule that only its expressions can read."""
    with suppress(NotRegular):
        return RuleProgram(engine, value)
    with suppress(NotRegular):
        return RecursiveProgram(value)
    return None


# --- pairs


class PairProgram:
    """Finds the pairs of a record and its other fields: one regular expression matches the record, one for each list of pairs finds
    these in it. With ``clean`` it matches only records whose text has no finding. Made once for a rule, and once with ``clean``.

    Raises `NotRegular` where one expression does not suffice, or where the match of a key or value depends on the text before it.
    """

    def __init__(self, engine: TextEngine, value: RuleValueShape, clean: bool = False) -> None:
        self.groups: list[TextExpression] = []
        self.pattern = value.regex(Emit(self.groups, clean))
        pairs = {part.field: part for part in parts_of(value.body) if engine.pair(part.value.rule.name) is not None}
        if len(pairs) != 1:
            raise NotRegular
        ((self.field, part),) = pairs.items()
        kind, record = engine.pair(part.value.rule.name), part.value
        assert kind is not None
        assert isinstance(record, RecordRule)
        self.kind, self.record = kind, record
        self.names = tuple(name for name in (kind.words.key, kind.value, kind.section) if name)
        # Results are memoised by the texts of a row: only the rule of a section may look at the character before, which a row has.
        if len(self.names) < 2 or any(record.sight(name) > (name == kind.section) for name in self.names):
            raise NotRegular
        self._emit = Emit([], clean, pair=record, field=self.field, wanted=frozenset(self.names), above=kind.section)
        self._spans: dict[int, re.Pattern[str]] = {}
        self.takes = [MatchGroup(index, group) for index, group in enumerate(self.groups, 1)]
        self.finders = [self._finder(group) for group in self.groups]
        # In most rules the pairs are a repeated section at the end: only the text before it is matched, and the pairs are read
        # once.
        last, items = self.groups[-1], value.body.items if isinstance(value.body, SequenceExpression) else (value.body,)
        self.lead: re.Pattern[str] | None = None
        if last is items[-1] and self.finders[-1] is not None:
            self.lead = compile_regex(value.regex(Emit([], clean, until=last)))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern of a record, with its fields and repeated sections as groups."""
        return compile_regex(self.pattern)

    def _finder(self, group: TextExpression) -> re.Pattern[str] | None:
        """Return a pattern that finds all pairs in the text of a group; None for a group without pairs."""
        if self.field not in group.names:
            return None
        emit = replace(self._emit, groups=[])
        pattern = (group.item if isinstance(group, RepeatExpression) else group).regex(emit)
        # Another order or a field that occurs twice would give rows in which the columns change places.
        if [part.field for part in emit.groups or () if isinstance(part, FieldReference)] != list(self.names):
            raise NotRegular
        # `findall` gives tuples of the number of groups: empty groups keep the width of a row at four.
        return compile_regex(pattern if len(self.names) > 2 else f"{pattern}()()")

    def rows(self, text: str, start: int, stop: int, end: int) -> tuple[list[PairRow], list[tuple[int, int, int]]] | None:
        """Return the pairs of a record as texts in file order, and index, start and stop of each group without pairs; lookaheads
        see up to ``end``. None if the record does not match.

        Text between pairs is a row with an empty key.
        """
        match = (self.regex if self.lead is None else self.lead).match(text, start, end)
        if match is None or (self.lead is None and match.end() != stop):
            return None
        found: list[PairRow] = []
        others: list[tuple[int, int, int]] = []
        for index, (first, last) in enumerate(match.regs[1:]):
            finder = self.finders[index]
            if finder is not None:
                found += finder.findall(text, first, last) if first >= 0 else ()
            elif first < last:
                others.append((index, first, last))
        if self.lead is not None and (last_finder := self.finders[-1]) is not None:
            found += last_finder.findall(text, match.end(), stop)
        return found, others

    def rows_of(self, match: re.Match[str]) -> list[PairRow]:
        """Return the pairs in a match of `regex`, as texts in file order."""
        found: list[PairRow] = []
        for (start, stop), finder in zip(match.regs[1:], self.finders, strict=True):
            if start >= 0 and finder is not None:
                found += finder.findall(match.string, start, stop)
        return found

    def spans(self, text: str, start: int, end: int) -> list[PairSpan] | None:
        """Return the offsets of the pairs of the record at ``start``, not beyond ``end``; None if it does not match."""
        match = self.regex.match(text, start, end)
        found: list[PairSpan] = []
        # The finders of rows have no group for the whole pair, which offsets need.
        for (first, last), group in zip(match.regs[1:] if match is not None else (), self.groups, strict=False):
            if first >= 0 and self.field in group.names:
                find = self._span_finder(id(group))
                found += [self._pair(one) for one in find.finditer(text, first, last) if one.start(1) >= 0]
        return None if match is None else found

    def _span_finder(self, group: int) -> re.Pattern[str]:
        """Return the pattern for the offsets of pairs in one group, given the `id` of its expression; compiled once."""
        if group not in self._spans:
            emit = replace(self._emit, groups=[], wanted=frozenset({"", *self.names}), above="")
            inner = next(each.item if isinstance(each, RepeatExpression) else each for each in self.groups if id(each) == group)
            self._spans[group] = compile_regex(inner.regex(emit))
        return self._spans[group]

    def _pair(self, match: re.Match[str]) -> PairSpan:
        """Return the offsets of a pair in a match by `_span_finder`; a missing section is an empty span at the pair's end."""
        pair, key, value, *section = match.regs[1:]
        section_at = section[0] if section and section[0][0] >= 0 else (pair[1], pair[1])
        return PairSpan(match.string, *pair, key, value, section_at, match[2])


def parts_of(piece: TextExpression) -> Iterator[FieldReference]:
    """Yield the references to fields in an expression, also those in layout rules, but not those inside fields."""
    match piece:
        case FieldReference():
            yield piece
        case SequenceExpression(items=inner) | ChoiceExpression(options=inner):
            for one in inner:
                yield from parts_of(one)
        case RepeatExpression():
            yield from parts_of(piece.item)
        case LayoutReference() if piece.names and not piece.recursive:
            yield from parts_of(piece.value.body)
        case _:
            pass


# --- proofs that there is no finding


def is_clean(node: TextNode) -> bool:
    """Whether a node of which only the bounds are known is proven to have no finding. If so, the texts of its pairs are cached as
    `TextNode.rows`.
    """
    found = node.shape.quick if isinstance(node.shape, RuleValue) else None
    if isinstance(found, RecursiveProgram):
        return found.silent
    if found is None:
        return all(map(is_clean, node.parts or ()))
    assert isinstance(found, RuleProgram)
    read = None if found.clean is None else found.clean.read(node.source, node.start // 8, node.end)
    if read is None or 8 * read[0] != node.stop:
        return False
    # `check_among` compares these pairs with each other, without matching the record again.
    node.rows = read[1]
    return True


def faults_of(node: TextNode) -> tuple[list[PairRow], list[ReportForm]] | None:
    """Return the pairs of a record as texts, and the findings on each by itself; None where only expressions can find all."""
    found = node.shape.quick if isinstance(node.shape, RuleValue) else None
    clean = found.clean if isinstance(found, RuleProgram) else None
    return None if clean is None else clean.faults(node.source, node.start // 8, node.stop // 8, node.end)


def check_among(node: TextNode, look: RecordChecks) -> None:
    """Report repeated pairs and pairs in the wrong order, and deviations from the strict form, by a record's `TextNode.rows`."""
    found = node.shape.quick if isinstance(node.shape, RuleValue) else None
    clean = found.clean if isinstance(found, RuleProgram) else None
    if clean is None or clean.pairs is None or not node.rows:
        return
    kind, orderly = clean.pairs.kind, clean.orderly(node.rows)
    if (look.strict and kind.words.strict is not None) or not orderly:
        look.check_pairs(kind, clean.pairs.spans(node.source, node.start // 8, node.end) or [], orderly)


class CleanRule:
    """Proves that texts of one rule have no finding, by a pattern that matches only these, and a `CleanPair` for their pairs. One
    is made for each rule. Raises `NotRegular` for a rule without such a pattern.
    """

    def __init__(self, engine: TextEngine, value: RuleValue) -> None:
        # A delegated text is read by another rule, and a derived one compared with other fields: no pattern does that.
        if value.report is not None or _unverified(value):
            raise NotRegular
        active = {part.field for part in parts_of(value.body) if _active(part.value)}
        self.pairs = PairProgram(engine, value, True) if active else None
        if self.pairs is None:
            self.regex = compile_regex(value.regex(Emit(None, True)))
        else:
            self.regex, quick = self.pairs.regex, self.pairs.kind.record.quick
            clean = quick.clean_pair if isinstance(quick, RuleProgram) else None
            if clean is None or active != {self.pairs.field}:
                raise NotRegular
            self.clean = clean

    def read(self, text: str, at: int, end: int) -> tuple[int, list[PairRow]] | None:
        """Return the end offset and the pairs of a text at ``at`` that is proven to have no finding; None for any other text."""
        match = self.regex.match(text, at, end)
        if match is None or self.pairs is None:
            return None if match is None else (match.end(), [])
        rows, proven = self.pairs.rows_of(match), self.clean.proven
        # One set operation for the usual record, all of whose pairs occurred before.
        clean = proven.issuperset(rows) or all(map(self.clean.prove, [row for row in rows if row not in proven]))
        return (match.end(), rows) if clean else None

    def fits(self, text: str, at: int) -> bool:
        """Whether all text from an offset on is proven to have no finding; never for a rule with pairs."""
        match = self.regex.match(text, at, len(text)) if self.pairs is None else None
        return match is not None and match.end() == len(text)

    def faults(self, text: str, at: int, stop: int, end: int) -> tuple[list[PairRow], list[ReportForm]] | None:
        """Return the pairs of a record as texts, and the findings on each by itself; None where the expressions may find more."""
        match = self.regex.match(text, at, end)
        if match is None or self.pairs is None or match.end() != stop:
            return None
        rows, found = self.pairs.rows_of(match), list[ReportForm]()
        for row in rows:
            reports = self.clean.faults(row)
            if reports is None:
                return None
            found += reports
        return rows, found

    def orderly(self, rows: list[PairRow]) -> bool:
        """Whether no pair of a record is repeated or comes before one that it requires."""
        assert self.pairs is not None
        return self.pairs.kind.orderly([(row[0], row[1]) for row in rows if row[0]])


class CleanPair:
    """Proves that pairs of one rule have no finding, by a pattern and by the rules that read their values and sections. One is
    made for each rule. Raises `NotRegular` where the findings on a pair depend on more than its texts.
    """

    def __init__(self, kind: PairKind) -> None:
        record, fields = kind.record, (kind.words.key, kind.value, kind.section)
        # Delegated values and sections are checked by `_fits`; findings in other fields would be missed.
        if record.derived or record.delegated.keys() - set(fields[1:]) or any(_active(record.field(name)) for name in record.names):
            raise NotRegular
        self.kind = kind
        groups: list[TextExpression] = []
        self.pattern = record.body.regex(Emit(groups, True, wanted=frozenset(fields)))
        if [part.field for part in groups if isinstance(part, FieldReference)] != [name for name in fields if name]:
            raise NotRegular
        self.proven: set[PairRow] = set()
        """Short pairs that have been proven to have no finding."""
        self._faults: dict[PairRow, list[ReportForm] | None] = {}
        """A cache of `faults`, for short pairs."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern of a pair, with key, value and section as groups."""
        return compile_regex(self.pattern)

    def at(self, text: str, at: int, end: int) -> PairSpan | None:
        """Return the pair at ``at``, not beyond ``end``, by its offsets; None if it is not proven to have no finding."""
        match = self.regex.match(text, at, end)
        if match is None:
            return None
        key, *others = match.regs[1:]
        spans = [key]
        for start, stop in (*others, (-1, -1))[:2]:
            # A missing value or section is an empty span at the end of the one before it.
            spans.append((start, stop) if start >= 0 else (spans[-1][1], spans[-1][1]))
        _, value, section = spans
        above = text[section[0] - 1 : section[0]] if section[0] < section[1] else ""
        row = match[1], text[slice(*value)], above, text[slice(*section)]
        return PairSpan(text, at, match.end(), key, value, section, match[1]) if row in self.proven or self.prove(row) else None

    def prove(self, row: PairRow) -> bool:
        """Return whether the rules that read the value and the section of a pair prove that it has no finding."""
        found = row not in self._faults and (not row[0] or self._fits(self.kind, row))
        # Only short pairs repeat in other records; the bound keeps memory from growing with the file.
        if found and sum(map(len, row)) <= SHORT and len(self.proven) < MANY:
            self.proven.add(row)
        return found

    def faults(self, row: PairRow) -> list[ReportForm] | None:
        """Return the findings on a value or section that its rule does not match, cached; None where expressions may find more."""
        if row in self.proven:
            return []
        if row not in self._faults:
            found = self._unmatched(row)
            if len(self._faults) >= MANY or sum(map(len, row)) > SHORT:
                return found
            self._faults[row] = found
        return self._faults[row]

    def _unmatched(self, row: PairRow) -> list[ReportForm] | None:
        """Return the findings on a value or section that its rule does not match; None where the expressions may find more."""
        found: list[ReportForm] = []
        for handover, reader, text, at in self._delegated(row):
            quick = None if reader is None else reader.quick
            if not isinstance(quick, RuleProgram):
                return None
            if quick.clean is not None and quick.clean.fits(text, at):
                continue
            # The rule matches, but the text may have findings inside, which only the expressions report.
            if quick.fits(text, at, len(text)):
                return None
            found.append(handover.word.report)
        return found if self._cells(self.kind, row[0], row[1], row[3]) else None

    def _delegated(self, row: PairRow) -> Iterator[tuple[DelegatedRule, RuleValue | None, str, int]]:
        """Yield the delegated texts of a pair: the delegation, the rule that reads the text, the text, and the offset of its
        begin. The rule is None for a mark that repeats an earlier record's value, if the key may not repeat it.
        """
        key, value, above, section = row
        for name, before, raw in ((self.kind.value, "", value), (self.kind.section, above, section)):
            handover = self.kind.record.delegated.get(name)
            if handover is None:
                continue
            # A key that never repeats the value of an earlier record reports the mark that would repeat it.
            inherit = handover.inherit
            if inherit is not None and key in inherit.never and raw.startswith(inherit.same):
                yield handover, None, raw, 0
            reader, at = handover.choose(key, raw, 0, len(raw))
            # A section that is absent has no text that its rule could fail on.
            if reader is not None and (raw or name == self.kind.value):
                # The rule of a section may look at the character before it.
                yield handover, reader, before + raw, len(before) + at

    def _fits(self, kind: PairKind, row: PairRow) -> bool:
        """Whether the delegated texts of a pair have no finding by their rules, and the cells of a table match its columns."""
        for _, reader, text, at in self._delegated(row):
            quick = None if reader is None else reader.quick
            clean = quick.clean if isinstance(quick, RuleProgram) else None
            if clean is None or not clean.fits(text, at):
                return False
        return self._cells(kind, row[0], row[1], row[3])

    @staticmethod
    def _cells(kind: PairKind, key: str, value: str, section: str) -> bool:
        """Whether the cells of a table match their columns and no row is incomplete; true for a pair without a table."""
        names, _ = kind.columns(key, value)
        if not names or kind.words.columns is None:
            return kind.words.columns is None or key not in kind.words.columns.tables
        cells = kind.cells(key, section)
        # A row with a missing cell is a finding of its own, made by the expressions.
        return len(cells) % len(names) == 0 and all(map(kind.is_cell, names * (len(cells) // len(names)), cells))


def _active(value: RuleValueShape) -> bool:
    """Whether a text of a rule may have findings that its expression does not make: on delegated, derived or recursive fields."""
    if not isinstance(value, RecordRule):
        return False
    return value.recursive or _unverified(value) or any(_active(value.field(name)) for name in value.names)


def _unverified(value: RuleValueShape) -> bool:
    """Whether a rule has delegated or derived fields, whose texts its expression reads but does not verify."""
    return isinstance(value, RecordRule) and bool(value.contents or value.derived)


# --- rules that refer to themselves


class ProgramStep(NamedTuple):
    """One step of a `RecursiveProgram`: ``match`` a pattern and make its fields; ``enter`` another rule; ``choice``: if a step
    fails before its ``commit``, continue at ``to``; ``commit``: continue at ``to``; ``return`` to the step after ``enter``.
    """

    kind: str
    to: int = 0
    match: RuleMatch | None = None
    fields: Mapping[str, tuple[RuleValue, ir.Field]] = {}
    call: RuleReference | None = None
    value: RuleValue | None = None


class _Frame(NamedTuple):
    """An entry of the stack of a `RecursiveProgram` that is run: a choice, with the state to restore after a failure; or a call,
    with the step after it.
    """

    kind: str
    steps: Sequence[ProgramStep]
    to: int
    at: int
    nodes: int
    depth: int
    call: RuleReference | None = None
    value: RuleValue | None = None


class RecursiveProgram:
    """The program of a rule that refers to itself, or that contains such a rule: steps, some of which call the steps of other
    rules.

    They are run with an explicit stack, so that nested text needs no stack frames of Python. Raises `NotRegular` for a rule that
    has derived fields, or fields whose text another rule reads, and for one that ends where another record begins.
    """

    def __init__(self, value: RuleValue) -> None:
        self.value = value
        self.steps: list[ProgramStep] = []
        self._rule(value)
        self._add(value.body)
        self.steps.append(ProgramStep("return"))
        self.silent = value.report is None and not value.body.reporting
        """Whether no text of the rule can have a finding."""

    @staticmethod
    def _rule(value: RuleValueShape) -> RuleValue:
        """Return the rule if steps can read it, else raise `NotRegular`."""
        # Where such a record ends, or which rule reads a delegated text, depends on fields, which steps do not keep.
        if not isinstance(value, RuleValue) or (
            isinstance(value, RecordRule) and (value.restart is not None or _unverified(value))
        ):
            raise NotRegular
        return value

    def _add(self, piece: TextExpression) -> None:
        """Append the steps of an expression."""
        if _is_regular(piece):
            fields = {part.field: (part.value, part.decl) for part in parts_of(piece) if isinstance(part.value, RuleValue)}
            self.steps.append(ProgramStep("match", 0, RuleMatch(piece), fields))
            return
        match piece:
            case SequenceExpression(items=items):
                # Neighbours that are regular become one match, so that one step reads them all.
                for regular, group in groupby(items, _is_regular):
                    for one in [SequenceExpression([*group])] if regular else group:
                        self._add(one)
            case ChoiceExpression(options=options):
                ends = [self._try(option) for option in options[:-1]]
                self._add(options[-1])
                for end in ends:
                    # The steps of `_try` end by returning to the first; an option must continue after the last option instead.
                    self.steps[end] = ProgramStep("commit", len(self.steps))
            case RepeatExpression(item=item, least=least, most=most):
                for _ in range(least):
                    self._add(item)
                if most is None:
                    # An item that may be empty would be repeated for ever; no schema has such a repetition.
                    self._try(item)
                for _ in range(0 if most is None else most - least):
                    self.steps[self._try(item)] = ProgramStep("commit", len(self.steps))
            case RuleReference():
                self.steps.append(ProgramStep("enter", call=piece, value=self._rule(piece.value)))

    def _try(self, piece: TextExpression) -> int:
        """Append the steps of a repetition. Return the index of the last one, which leads back to the first (not in an option)."""
        start = len(self.steps)
        self.steps.append(ProgramStep("choice"))
        self._add(piece)
        self.steps.append(ProgramStep("commit", start))
        self.steps[start] = ProgramStep("choice", len(self.steps))
        return len(self.steps) - 1

    def read(self, text: str, at: int, end: int, run: ParseOptions) -> tuple[int, list[TextNode]] | None:
        """Match at ``at``, not beyond ``end``. Return the end offset with the nodes of the fields; None where it does not match."""
        steps: Sequence[ProgramStep] = self.steps
        place, depth = 0, run.depth
        nodes: list[TextNode] = []
        stack: list[_Frame] = []
        # The result of each rule at each offset, so that nested choices do not read it exponentially often.
        known: dict[tuple[RuleReference | None, int], tuple[int, list[TextNode]] | None] = {}
        while True:
            kind, to, match, fields, call, value = steps[place]
            place += 1
            if match is not None:
                found = match.fields(text, at, end)
                if found is not None:
                    at = found[0]
                    for name, start, stop in found[1]:
                        field, decl = fields[name]
                        nodes.append(field.bounded(decl, name, text, start, stop, end))
                    continue
            elif kind == "choice":
                stack.append(_Frame(kind, steps, to, at, len(nodes), depth))
                continue
            elif kind == "commit":
                stack.pop()
                place = to
                continue
            elif call is not None and value is not None:
                program = value.quick
                if (call, at) in known:
                    # The memoised result None: the rule does not match there, and the last choice continues.
                    if (kept := known[call, at]) is not None:
                        at, nodes = kept[0], nodes + kept[1]
                        continue
                # The first such offset is reported; the rule counts as not matching, so that other alternatives are read.
                elif call.recursive and not permit(depth + 1):
                    run.deep = at if run.deep is None else run.deep
                elif isinstance(program, RecursiveProgram):
                    stack.append(_Frame("enter", steps, place, at, len(nodes), depth, call, value))
                    steps, place, depth = program.steps, 0, depth + call.recursive
                    continue
            elif stack:
                _, steps, place, start, size, depth, called, made = stack.pop()
                # The called rule has ended: a field makes one node of the nodes in it; nodes in layout remain those of the record.
                inner = nodes[size:]
                if isinstance(called, FieldReference) and made is not None:
                    inner = [_node_of(made, called, text, start, at, end, inner)]
                nodes[size:] = inner
                known[called, start] = at, inner
                continue
            else:
                return at, nodes
            choice = _last_choice(stack, known)
            if choice is None:
                return None
            _, steps, place, at, size, depth, *_ = choice
            del nodes[size:]

    # --- nodes

    def node(self, decl: ir.Field | None, field: str, text: str, at: int, end: int, run: ParseOptions) -> TextNode | None:
        """Return the node of a field from ``at``, not beyond ``end``, with all nodes in it; None if the rule does not match."""
        found = self.read(text, at, end, run)
        return None if found is None else TextNode(decl, field, self.value, text, at, found[0], None, found[1])

    def pair(self, decl: ir.Field | None, field: str, text: str, at: int, end: int) -> TextNode | None:
        """Return None: steps cannot prove that a pair has no finding."""
        return None

    def parts(self, node: TextNode) -> list[TextNode] | None:
        """Return None: a node of which only the bounds are known is read by the expressions."""
        return None

    def fits(self, text: str, start: int, stop: int) -> bool:
        """Whether the rule matches exactly the text from ``start`` to ``stop``."""
        found = self.read(text, start, stop, ParseOptions())
        return found is not None and found[0] == stop


def _last_choice(stack: list[_Frame], known: dict[tuple[RuleReference | None, int], Any]) -> _Frame | None:
    """Remove all frames down to the last choice, and return that; None without one. The rules that were entered since are recorded
    as not matching where they began.
    """
    while stack:
        frame = stack.pop()
        if frame.kind == "choice":
            return frame
        # Expressions do not backtrack, so that a rule that failed at an offset always fails there.
        known[frame.call, frame.at] = None
    return None


def _node_of(value: RuleValue, part: FieldReference, text: str, start: int, stop: int, end: int, inner: list[TextNode]) -> TextNode:
    """Return the node of a field that was read from ``start`` to ``stop`` in a text that ends at ``end``: a record with the nodes
    ``inner`` of its fields, or a text.
    """
    if isinstance(value, RecordRule):
        return TextNode(part.decl, part.field, value, text, start, stop, None, inner)
    return value.bounded(part.decl, part.field, text, start, stop, end)


def _is_regular(piece: TextExpression) -> bool:
    """Whether there is a `RuleMatch` for an expression."""
    with suppress(NotRegular):
        RuleMatch(piece)
        return True
    return False


# --- the program of a schema, as data


def program_of(engine: TextEngine) -> Mapping[str, Any]:
    """Return the programs of all rules that the start rule uses, by name, as JSON values; for a rule without one the reason."""
    rules: dict[str, Any] = {}
    pending = [engine.grammar.start]
    while pending:
        name = pending.pop()
        if name in rules:
            continue
        value = engine.value(name)
        rules[name] = _rule_data(engine, value)
        if isinstance(value, RecordRule):
            pending += [ref for ref, _ in value.fields.values()]
            for handover in value.delegated.values():
                pending += [one.rule.name for one in (*handover.cases.values(), handover.otherwise) if one is not None]
    return rules


def _rule_data(engine: TextEngine, value: RuleValue) -> dict[str, Any]:
    """Return the program of one rule as JSON values."""
    program = compiled(engine, value)
    if program is None:
        return {"expressions": "delegated to other rules, or ended by another record, in a rule that reaches itself"}
    if isinstance(program, RecursiveProgram):
        return {"steps": [_step_data(step) for step in program.steps]}
    found = _match_data(program.match)
    delegated = value.delegated if isinstance(value, RecordRule) else {}
    for name, handover in delegated.items():
        otherwise = None if handover.otherwise is None else handover.otherwise.rule.name
        cases = {key: one.rule.name for key, one in handover.cases.items()}
        found.setdefault("delegated", {})[name] = {"by": handover.word.by, "cases": cases, "otherwise": otherwise}
    return found


def _match_data(match: RuleMatch) -> dict[str, Any]:
    takes = [_group_data(take) for take in match.takes]
    return {"match": match.pattern, **({"takes": takes} if takes else {})}


def _group_data(take: MatchGroup) -> dict[str, Any]:
    if take.each is not None:
        return {"each": _match_data(take.each)}
    inside = [_group_data(one) for one in take.inside]
    return {"field": take.field, "rule": take.rule, **({"takes": inside} if inside else {})}


def _step_data(step: ProgramStep) -> dict[str, Any]:
    found: dict[str, Any] = {"step": step.kind}
    if step.match is not None:
        found.update(_match_data(step.match))
    if step.call is not None:
        found["rule"] = step.call.value.rule.name
        found.update({"field": step.call.field} if isinstance(step.call, FieldReference) else {})
    return {**found, **({"to": step.to} if step.kind in ("choice", "commit") else {})}
