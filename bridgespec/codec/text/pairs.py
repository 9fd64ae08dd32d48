"""The pairs of a record, such as tags: `PairKind` finds the offsets of a pair (`PairSpan`) and the cells of one that is a table;
`lacking`, `repeating` and `misplaced` find pairs in the wrong order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from bridgespec.codec.spelling import MadeMemo
from bridgespec.codec.text.compiled_expressions import Emit, NotRegular, RepeatExpression, TextExpression
from bridgespec.codec.text.parse_state import ParseOptions, ParseState
from bridgespec.codec.text.rule_values import RecordRule, RuleValue
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.spec.grammar import Needs, Once
from bridgespec.spec.grammar import PairForm as PairWords
from bridgespec.spec.grammar.form import Rank
from bridgespec.spec.grammar.possessive import compile_regex

MANY, SHORT = 10_000, 64
"""The maximum number of texts in a cache of pairs, and the maximum length of each."""


class PairSpan(NamedTuple):
    """One pair of a record: its key, and the offsets in ``source`` of the pair, its key, its value (``text_at``) and its section.
    A missing value or section is an empty span.
    """

    source: str
    start: int
    stop: int
    key_at: tuple[int, int]
    text_at: tuple[int, int]
    section_at: tuple[int, int]
    key: str

    @property
    def text(self) -> str:
        """The text of the value."""
        return self.source[slice(*self.text_at)]


class PairKind:
    """The pairs of one rule: which fields are key, value and section. Made once for each rule."""

    def __init__(self, record: RecordRule, words: PairWords) -> None:
        self.words = words
        self.record = record
        others = [name for name in record.names if name != words.key and record.field(name).report is None]
        self.value, self.section = (*others, "", "")[:2]
        columns = words.columns
        self.cases = {} if columns is None else {name: record.engine.value(rule) for name, rule in columns.cases.items()}
        self.in_order = MadeMemo(self._in_order)
        self.misplaced = MadeMemo(self._misplaced)
        self.strict: set[str] = set()
        """Short pairs that have the strict form, with the character before each."""
        self._fitting: dict[str, MadeMemo[bool]] = {}
        self._columns: dict[tuple[str, str], tuple[list[str], bool]] = {}
        self._finders: dict[str, Callable[[str], list[str]] | None] = {}

    def pair(self, node: TextNode) -> PairSpan:
        """Return the offsets of a node that is a pair; a missing value or section is empty."""
        if node.pair is not None:
            known: PairSpan = node.pair
            return known
        stop = node.stop // 8
        places: list[tuple[int, int]] = []
        for name in (self.words.key, self.value, self.section):
            part = node.first(name)
            stop_here = places[-1][1] if places else node.start // 8
            places.append((stop_here, stop_here) if part is None else (part.start // 8, part.stop // 8))
        key_at, text_at, section_at = places
        return PairSpan(node.source, node.start // 8, stop, key_at, text_at, section_at, node.source[slice(*key_at)])

    def _in_order(self, keys: tuple[str, ...]) -> bool:
        """Whether the keys alone show that no pair is repeated or comes before one that it requires."""
        return len(set(keys)) == len(keys) and (self.words.needs is None or not any(lacking(self.words.needs, keys)))

    def _misplaced(self, keys: tuple[str, ...]) -> list[tuple[int, str]]:
        """Return the indexes of keys out of order, each with a phrase such as ``before Deal`` for its right place."""
        order = None if self.words.strict is None else self.words.strict.order
        return [] if order is None else list(misplaced(order.ranks(self.words, keys), keys))

    def orderly(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether no pair, given as key and text, is repeated or comes before one that it requires."""
        keys, needs, once = tuple([key for key, _ in pairs]), self.words.needs, self.words.once
        if self.in_order[keys]:
            return True
        if needs is not None and any(lacking(needs, keys)):
            return False
        return once is None or not any(repeating(once, keys, [text for _, text in pairs]))

    # --- tables

    def columns(self, key: str, text: str) -> tuple[list[str], bool]:
        """Return the names of the columns that a value declares, and whether one of them has a width; no names where the key has
        no table.
        """
        words = self.words.columns
        if words is None or key not in words.tables:
            return [], False
        if (key, text) not in self._columns:
            value = self._reader(self.value, key)
            node = None if value is None else value.whole(text, 0, len(text), ParseState(ParseOptions()))
            names = [] if node is None else [one.text for one in every(node, (words.name,))]
            self._columns[key, text] = names, node is not None and bool(every(node, (words.width,)))
        return self._columns[key, text]

    def section_of(self, pair: PairSpan) -> TextNode | None:
        """Return the node of a pair's section; None where no rule reads it, or the rule does not match."""
        value = self._reader(self.section, pair.key)
        return None if value is None else value.whole(pair.source, *pair.section_at, ParseState(ParseOptions(quick=True)))

    def cells(self, key: str, text: str) -> list[str]:
        """Return the texts of the cells in a section; none where no rule reads it, or the rule does not match."""
        value, words = self._reader(self.section, key), self.words.columns
        if value is None or words is None:
            return []
        if value.rule.name not in self._finders:
            self._finders[value.rule.name] = _finder(value, words.cell)
        find = self._finders[value.rule.name]
        if find is not None and value.fits(text):
            return [cell for cell in find(text) if cell]
        node = value.whole(text, 0, len(text), ParseState(ParseOptions(quick=True)))
        return [] if node is None else [one.text for one in every(node, words.cell)]

    def _reader(self, field: str, key: str) -> RuleValue | None:
        """Return the rule that reads the value or the section of a pair with this key; None where no rule does."""
        handover = self.record.delegated.get(field)
        return None if handover is None else handover.value(key)

    def is_silent(self, pair: PairSpan) -> bool:
        """Whether a pair's section is empty or has only remarks."""
        section = self.section_of(pair)
        if section is None:
            return not pair.source[slice(*pair.section_at)].strip()
        # A part with delimiters of its own is a remark: it belongs to the section, but is not its content.
        return all(part.rule.words.between is not None for part in section.parts or ())

    def is_cell(self, name: str, text: str) -> bool:
        """Whether a text is a valid cell of the column with this name."""
        known = self._fitting.get(name)
        if known is None:
            known = self._fitting[name] = MadeMemo(partial(self._is_cell, self.cases.get(name)))
        return known[text.strip(self.words.columns.quote) if self.words.columns is not None else text]

    def _is_cell(self, value: RuleValue | None, text: str) -> bool:
        """Whether a text without quotation marks is a valid cell: blank, or a text that the column's rule ``value`` matches behind
        the grammar's mark of cells. True for a column without a rule (None).
        """
        return value is None or text in self.words.blank or value.fits(text.removeprefix(self.words.mark))


def _finder(value: RuleValue, fields: Sequence[str]) -> Callable[[str], list[str]] | None:
    """Return a function that returns the texts of a field in a text that the rule matches. None unless ``fields`` has one name, and
    the rule is a repetition of that field with only layout around it.
    """
    items = [item for item in value.body.steps if item.names]
    if len(items) != 1 or not isinstance(items[0], RepeatExpression) or len(fields) != 1:
        return None
    groups: list[TextExpression] = []
    with suppress(NotRegular):
        pattern = items[0].item.regex(Emit(groups, wanted=frozenset(fields)))
        return compile_regex(pattern).findall if len(groups) == 1 else None
    return None


def every(node: TextNode, fields: Sequence[str]) -> list[TextNode]:
    """Return the nodes of all fields with one of these names inside a record, at any depth, in file order."""
    found = []
    for part in node.parts or ():
        found += [part] if part.field in fields else every(part, fields)
    return found


def lacking(word: Needs, keys: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the index of each key that comes before keys that it requires, and these keys; only where it occurs first."""
    seen: set[str] = set()
    for index, key in enumerate(keys):
        missing = [needed for needed in word.of.get(key, ()) if needed not in seen]
        if missing and key not in seen:
            yield index, missing
        seen.add(key)


def repeating(word: Once, keys: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the index of each key that occurred before, and that of its first occurrence. Keys in ``word.of`` are repeated only
    in the same section and with the same text up to a colon.
    """
    first: dict[tuple[str, ...], int] = {}
    sections = {name for names in word.of.values() for name in names}
    section = ""
    for index, (key, text) in enumerate(zip(keys, texts, strict=True)):
        place = (key, section, text.partition(":")[0]) if key in word.of else (key,)
        section = key if key in sections else section
        earlier = first.setdefault(place, index)
        if earlier != index:
            yield index, earlier


def misplaced(ranked: Sequence[Rank], keys: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the indexes of keys out of order, each with a phrase such as ``before Deal`` for its right place."""
    # The fewest keys are reported: one that is too early must not make all those before it too late.
    kept = longest_rise(ranked)
    places, after = sorted(kept), 0
    for index in range(len(keys)):
        if index in kept:
            after = index
            continue
        later = bisect_left(places, index)
        wrong = places[later] if ranked[after] <= ranked[index] and later < len(places) else after
        yield index, f"{'before' if ranked[index] < ranked[wrong] else 'after'} {keys[wrong]}"


def longest_rise(ranks: Sequence[Rank]) -> set[int]:
    """Return the indexes of a longest subsequence of ``ranks`` that does not decrease.

    >>> sorted(longest_rise([(1, 0, ""), (0, 0, ""), (2, 0, ""), (2, 0, ""), (3, 0, "")]))
    [1, 2, 3, 4]
    """
    tails: list[tuple[Rank, int]] = []
    before: list[int] = []
    for index, rank in enumerate(ranks):
        # Compared with its index, an equal rank is greater than an earlier one: equal ranks rise too.
        at = bisect_left(tails, (rank, index))
        before.append(tails[at - 1][1] if at else -1)
        tails[at : at + 1] = [(rank, index)]  # at the end this appends
    kept: set[int] = set()
    index = tails[-1][1] if tails else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept
