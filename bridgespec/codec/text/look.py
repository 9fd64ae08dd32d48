"""The look along what has been read that makes findings: in each record, and among the pairs of one."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.codec.problems import DERIVED
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.findings import Findings, filled, shortened, stuck
from bridgespec.codec.text.found import one_of
from bridgespec.codec.text.pairs import Pair, PairKind, every, lacking, repeating
from bridgespec.codec.text.strict import Strict
from bridgespec.codec.text.tree import TextNode, plain
from bridgespec.codec.text.values import Handover, Record
from bridgespec.diagnostic import Edit, Fix


class Look:
    """The look at the records of one file; ``strict``: whether that claims the strict form."""

    def __init__(self, engine: TextEngine, findings: Findings, strict: bool) -> None:
        self.engine = engine
        self.findings = findings
        self.strict = strict
        self.inherited: set[str] = set()
        """The keys whose values hold from here on."""

    def inspect(self, node: TextNode) -> None:
        """Keep everything that is wrong in a record, in the order of its text."""
        if node.pair is not None or not isinstance(node.shape, Record):
            return
        shape, parts = node.shape, node.parts or []
        if shape.derived:
            self._verify(shape, node)
        if (kind := self.engine.pair(shape.rule.name)) is not None and kind.words.columns is not None:
            self._cells(kind, kind.pair(node))
        for part in parts:
            self.findings.notes(part.notes)
            handover = shape.handovers.get(part.field)
            if handover is not None and part is node.first(part.field):
                self._handed(shape, handover, part, parts)
            else:
                self.inspect(part)
        for name in shape.arrays:
            if (kind := self.engine.pair(shape.fields[name][0])) is not None:
                self.among(kind, [kind.pair(part) for part in parts if part.field == name])

    def _verify(self, shape: Record, node: TextNode) -> None:
        """The derived fields that hold something else than what they are derived from."""
        values = plain(node)
        for name in shape.derived:
            part = node.first(name)
            if part is None or not isinstance(values, dict):
                continue
            right, start, stop = shape.derive(part.rule, values), part.start // 8, part.stop // 8
            if right != part.text:
                fix = Fix(f"write {right}", (Edit(start, stop, right.encode("latin-1")),))
                message = f"{name.replace('_', ' ')} is {part.text}, but what it is derived from gives {right}"
                self.findings.add(DERIVED.name, DERIVED.severity, message, start, stop, None, fix)

    def _handed(self, shape: Record, handover: Handover, part: TextNode, parts: list[TextNode]) -> None:
        """What is wrong in a text that another rule has read, or could not read."""
        findings, key, inherit = self.findings, shape.key(handover, parts), handover.inherit
        start, stop = part.start // 8, part.stop // 8
        if inherit is not None and key in inherit.never and part.text.startswith(inherit.same):
            findings.tell(inherit.report, start, stop, {"key": key or ""})
        if not part.broken:
            findings.notes(part.inner)
            self.inspect(part)
            return
        if not findings.keeps(handover.word.report.severity):
            findings.dropped += 1
            return
        value, at = handover.choose(key, findings.text, start, stop)
        if value is not None:
            place, wanted = stuck(value, findings.text, at, stop)
            here = f"where {findings.text[place]!r} stands" if place < stop else "where it ends"
            report, values = handover.word.report, {"value": shortened(findings.text[at:stop]), "key": key or ""}
            message = filled(report.message or "{value!r} does not fit", values)
            findings.add(report.code, report.severity, f"{message}: expected {one_of(wanted)} {here}", at, stop)

    def _cells(self, kind: PairKind, pair: Pair) -> None:
        """The cells of a section that do not fit the columns that the value names, and a last row that is short."""
        words, (names, _) = kind.words.columns, kind.columns(pair.key, pair.text)
        section = kind.section_of(pair) if names else None
        if words is None or section is None:
            return
        report, cells = words.report, every(section, words.cell)
        for index, cell in enumerate(cells):
            name = names[index % len(names)]
            if not kind.suits(name, cell.text):
                message = f"{cell.text.strip(words.quote)!r} does not fit the column {name} of {pair.key}"
                self.findings.add(report.code, report.severity, message, cell.start // 8, cell.stop // 8)
        if len(cells) % len(names):
            message = f"the last row of {pair.key} has {len(cells) % len(names)} of {len(names)} cells"
            self.findings.add(report.code, report.severity, message, *pair.section_at)

    # --- pairs among each other

    def among(self, kind: PairKind, pairs: Sequence[Pair], orderly: bool = False) -> None:
        """Pairs of one record and one kind; ``orderly`` where none is known to stand twice or too early."""
        words, findings = kind.words, self.findings
        keys = [pair.key for pair in pairs]
        if words.needs is not None and not orderly:
            for index, missing in lacking(words.needs, keys):
                findings.tell(words.needs.report, *pairs[index].key_at, {"key": keys[index], "needed": " and ".join(missing)})
        if words.once is not None and not orderly:
            for index, earlier in repeating(words.once, keys, [pair.text for pair in pairs]):
                pair, first = pairs[index], pairs[earlier]
                values = {"key": pair.key, "line": str(findings.place(first.start)[0])}
                findings.tell(words.once.report, pair.start, pair.text_at[1], values, _removal(kind, first, pair))
        if self.strict and words.strict is not None and pairs:
            Strict(self.engine, findings, kind, words.strict).check(pairs, self.inherited)


def _removal(kind: PairKind, first: Pair, second: Pair) -> Fix:
    """The removal of one of two pairs of a key, the one that says nothing, else the later one; it is safe where the other says all
    that this one says.
    """
    one, two = ((pair.text, pair.source[slice(*pair.section_at)].strip()) for pair in (first, second))
    if one == two or (kind.is_silent(second) and two[0] in (*kind.words.blank, one[0])):
        return Fix("remove it", (Edit(second.start, second.stop, b""),), safe=not two[1] or one == two)
    if kind.is_silent(first) and (one[0] in kind.words.blank or (one[0] == two[0] and not kind.is_silent(second))):
        return Fix("remove the first, which says nothing", (Edit(first.start, first.stop, b""),), safe=not one[1])
    return Fix("remove it", (Edit(second.start, second.stop, b""),))
