"""What is wrong among the pairs of a record: keys that stand twice or too early, cells that do not fit their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridgespec.codec.text.findings import Findings
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record, RuleValue
from bridgespec.diagnostic import Edit, Fix
from bridgespec.spec.grammar import Columns, Once
from bridgespec.spec.grammar import Pair as PairWords


@dataclass(slots=True)
class Pair:
    """A pair by its nodes: ``key`` is a text, ``value`` and ``section`` are the fields after it; places are characters."""

    node: TextNode
    key: str
    key_at: int
    value: TextNode | None
    section: TextNode | None

    @property
    def start(self) -> int:
        """Where the pair begins."""
        return self.node.start // 8

    @property
    def stop(self) -> int:
        """Where it ends, its section included."""
        return self.node.stop // 8

    @property
    def text(self) -> str:
        """The text of the value."""
        return "" if self.value is None else self.value.text

    @property
    def value_stop(self) -> int:
        """Where the value ends."""
        return self.key_at + len(self.key) if self.value is None else self.value.stop // 8


class PairKind:
    """The pairs of one rule: which fields are the key, the value and the section."""

    def __init__(self, record: Record, words: PairWords) -> None:
        self.words = words
        self.record = record
        others = [name for name in record.names if name != words.key and record.field(name).report is None]
        self.value, self.section = (*others, "", "")[:2]

    def pair(self, node: TextNode) -> Pair:
        """The pair of a node."""
        key = node.first(self.words.key)
        at = node.start if key is None else key.start
        return Pair(node, "" if key is None else key.text, at // 8, node.first(self.value), node.first(self.section))

    def orderly(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether no pair, by its key and text, stands twice or before one that it needs."""
        keys, needs, once = [key for key, _ in pairs], self.words.needs, self.words.once
        if needs is not None and any(lacking(needs, keys)):
            return False
        return once is None or len(set(keys)) == len(keys) or not any(repeating(once, keys, [text for _, text in pairs]))


def misfits(kind: PairKind, columns: Columns, pair: Pair, cases: dict[str, RuleValue], findings: Findings) -> None:
    """Report the cells of a section that do not fit the columns that the value names, and a last row that is short."""
    if pair.key not in columns.tables or pair.value is None:
        return
    names = [node.text for node in every(pair.value, (columns.name,))]
    cells = [] if pair.section is None else every(pair.section, columns.cell)
    if not names:
        return
    for index, cell in enumerate(cells):
        name = names[index % len(names)]
        value, held = cases.get(name), cell.text.strip(columns.quote)
        if value is not None and held not in kind.words.blank and not value.fits(held.removeprefix(kind.words.mark)):
            message = f"{held!r} cannot stand in the column {name} of {pair.key}"
            findings.add(columns.report.code, columns.report.severity, message, cell.start // 8, cell.stop // 8)
    if len(cells) % len(names) and pair.section is not None:
        message = f"the last row of {pair.key} has {len(cells) % len(names)} of {len(names)} cells"
        start, stop = pair.section.start // 8, pair.section.stop // 8
        findings.add(columns.report.code, columns.report.severity, message, start, stop)


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
        findings.tell(word.report, pair.key_at, pair.key_at + len(pair.key), values)


def repeated(findings: Findings, word: Once, pairs: Sequence[Pair]) -> None:
    """Report pairs of a key that has stood before."""
    for index, earlier in repeating(word, [pair.key for pair in pairs], [pair.text for pair in pairs]):
        pair = pairs[index]
        fix = Fix("remove it", (Edit(pair.start, pair.stop, b""),))
        values = {"key": pair.key, "line": str(findings.lines.place(pairs[earlier].start)[0])}
        findings.tell(word.report, pair.start, pair.value_stop, values, fix)
