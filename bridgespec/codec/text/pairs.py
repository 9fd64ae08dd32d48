"""What is wrong among the pairs of a record: keys that stand twice or too early, cells that do not fit their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from bridgespec.codec.text.findings import Findings
from bridgespec.codec.text.found import Found, Run
from bridgespec.codec.text.pieces import Emit, Impure, Many, Piece, Then
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.diagnostic import Edit, Fix
from bridgespec.spec.grammar import Once
from bridgespec.spec.grammar import Pair as PairWords

MANY, SHORT = 10_000, 64
"""So many short texts are kept of what has been seen to fit."""


class Pair(NamedTuple):
    """A pair by its key and the places of its characters; ``text`` is that of the value."""

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
    """The pairs of one rule: which fields are the key, the value and the section."""

    def __init__(self, record: Record, words: PairWords) -> None:
        self.words = words
        self.record = record
        others = [name for name in record.names if name != words.key and record.field(name).report is None]
        self.value, self.section = (*others, "", "")[:2]
        columns = words.columns
        self.cases = {} if columns is None else {name: record.engine.value(rule) for name, rule in columns.cases.items()}
        self.strict: set[str] = set()
        """Short pairs that keep to the strict form, with the character before each."""
        self.misplaced: dict[tuple[str, ...], list[tuple[int, str]]] = {}
        """The keys of a record that are not in their places, and where they belong, by all its keys."""
        self._columns: dict[tuple[str, str], tuple[list[str], bool]] = {}
        self._finders: dict[str, Callable[[str], list[str]] | None] = {}
        self._fitting: dict[str, set[str]] = {}

    def pair(self, node: TextNode) -> Pair:
        """The pair of a node."""
        if node.pair is not None:
            known: Pair = node.pair
            return known
        stop = node.stop // 8
        places: list[tuple[int, int]] = []
        for name in (self.words.key, self.value, self.section):
            part = node.first(name)
            stop_here = places[-1][1] if places else node.start // 8
            places.append((stop_here, stop_here) if part is None else (part.start // 8, part.stop // 8))
        key_at, text_at, section_at = places
        return Pair(node.source, node.start // 8, stop, key_at, text_at, section_at, node.source[slice(*key_at)])

    def orderly(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether no pair, by its key and text, stands twice or before one that it needs."""
        keys, needs, once = [key for key, _ in pairs], self.words.needs, self.words.once
        if needs is not None and any(lacking(needs, keys)):
            return False
        return once is None or len(set(keys)) == len(keys) or not any(repeating(once, keys, [text for _, text in pairs]))

    # --- tables

    def columns(self, key: str, text: str) -> tuple[list[str], bool]:
        """The columns that a value names, and whether any of them has a width; none where the key has no table."""
        words = self.words.columns
        if words is None or key not in words.tables:
            return [], False
        if (key, text) not in self._columns:
            value = self._reader(self.value, key)
            node = None if value is None else value.whole(text, 0, len(text), Found(Run()))
            names = [] if node is None else [one.text for one in every(node, (words.name,))]
            self._columns[key, text] = names, node is not None and bool(every(node, (words.width,)))
        return self._columns[key, text]

    def section_of(self, pair: Pair) -> TextNode | None:
        """The node of a section; None where nothing reads it, or it does not fit."""
        value = self._reader(self.section, pair.key)
        return None if value is None else value.whole(pair.source, *pair.section_at, Found(Run(quick=True)))

    def cells(self, key: str, text: str) -> list[str]:
        """The texts of the cells of a section; none where nothing reads it, or it does not fit."""
        value, words = self._reader(self.section, key), self.words.columns
        if value is None or words is None:
            return []
        if value.rule.name not in self._finders:
            self._finders[value.rule.name] = _finder(value, words.cell)
        find = self._finders[value.rule.name]
        if find is not None and value.fits(text):
            return [cell for cell in find(text) if cell]
        node = value.whole(text, 0, len(text), Found(Run(quick=True)))
        return [] if node is None else [one.text for one in every(node, words.cell)]

    def _reader(self, field: str, key: str) -> RuleValue | None:
        handover = self.record.handovers.get(field)
        return None if handover is None else handover.value(key)

    def is_silent(self, pair: Pair) -> bool:
        """Whether a section holds nothing but remarks, or nothing at all."""
        section = self.section_of(pair)
        if section is None:
            return not pair.source[slice(*pair.section_at)].strip()
        # What stands between signs of its own is a remark: it goes with the section, and is not what the section is for.
        return all(part.rule.words.between is not None for part in section.parts or ())

    def suits(self, name: str, text: str) -> bool:
        """Whether a cell may stand in a column."""
        held = text.strip(self.words.columns.quote) if self.words.columns is not None else text
        known = self._fitting.setdefault(name, set())
        if held in known:
            return True
        value = self.cases.get(name)
        fits = value is None or held in self.words.blank or value.fits(held.removeprefix(self.words.mark))
        if fits and len(held) <= SHORT and len(known) < MANY:
            known.add(held)
        return fits

    def misfits(self, pair: Pair, findings: Findings) -> None:
        """Report the cells of a section that do not fit the columns that the value names, and a last row that is short."""
        words, (names, _) = self.words.columns, self.columns(pair.key, pair.text)
        section = self.section_of(pair) if names else None
        if words is None or section is None:
            return
        cells = every(section, words.cell)
        for index, cell in enumerate(cells):
            name = names[index % len(names)]
            if not self.suits(name, cell.text):
                held = cell.text.strip(words.quote)
                message = f"{held!r} does not fit the column {name} of {pair.key}"
                findings.add(words.report.code, words.report.severity, message, cell.start // 8, cell.stop // 8)
        if len(cells) % len(names):
            message = f"the last row of {pair.key} has {len(cells) % len(names)} of {len(names)} cells"
            findings.add(words.report.code, words.report.severity, message, *pair.section_at)


def _finder(value: RuleValue, fields: Sequence[str]) -> Callable[[str], list[str]] | None:
    """What finds the one field of these in the rounds of a rule that is nothing but layout and a repetition; None for any other."""
    body = value.body
    items = [item for item in (body.items if isinstance(body, Then) else (body,)) if item.names]
    if len(items) != 1 or not isinstance(items[0], Many) or len(fields) != 1:
        return None
    groups: list[Piece] = []
    with suppress(Impure):
        pattern = items[0].item.regex(Emit(groups, wanted=frozenset(fields)))
        return re.compile(pattern).findall if len(groups) == 1 else None
    return None


def every(node: TextNode, fields: Sequence[str]) -> list[TextNode]:
    """All fields of these names in a record and in what it consists of, in file order."""
    found = []
    for part in node.parts or ():
        found += [part] if part.field in fields else every(part, fields)
    return found


def lacking(word: Once, keys: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The indexes of keys that stand before some that they need, once each, with those."""
    seen: set[str] = set()
    for index, key in enumerate(keys):
        missing = [needed for needed in word.of.get(key, ()) if needed not in seen]
        if missing and key not in seen:
            yield index, missing
        seen.add(key)


def repeating(word: Once, keys: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The indexes of keys that have stood before, and where; of some keys, in the same section and with the same text up to a
    colon.
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


def late(findings: Findings, word: Once, pairs: Sequence[Pair]) -> None:
    """Report pairs that stand before one that they need."""
    for index, missing in lacking(word, [pair.key for pair in pairs]):
        pair = pairs[index]
        values = {"key": pair.key, "needed": " and ".join(missing)}
        findings.tell(word.report, *pair.key_at, values)


def repeated(findings: Findings, kind: PairKind, word: Once, pairs: Sequence[Pair]) -> None:
    """Report pairs of a key that has stood before; the repair removes the one that says nothing, else the later one."""
    for index, earlier in repeating(word, [pair.key for pair in pairs], [pair.text for pair in pairs]):
        pair, first = pairs[index], pairs[earlier]
        values = {"key": pair.key, "line": str(findings.lines.place(first.start)[0])}
        findings.tell(word.report, pair.start, pair.text_at[1], values, _removal(kind, first, pair))


def _removal(kind: PairKind, first: Pair, second: Pair) -> Fix:
    """The removal of one of two pairs of a key; it is safe where the other says all that this one says."""
    one, two = ((pair.text, pair.source[slice(*pair.section_at)].strip()) for pair in (first, second))
    if one == two or (kind.is_silent(second) and two[0] in (*kind.words.blank, one[0])):
        return Fix("remove it", (Edit(second.start, second.stop, b""),), safe=not two[1] or one == two)
    if kind.is_silent(first) and (one[0] in kind.words.blank or (one[0] == two[0] and not kind.is_silent(second))):
        return Fix("remove the first, which says nothing", (Edit(first.start, first.stop, b""),), safe=not one[1])
    return Fix("remove it", (Edit(second.start, second.stop, b""),))
