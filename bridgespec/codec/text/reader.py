"""Read a file by its grammar, record by record: text that does not match is a broken element of a list, and reading continues after
it. `TextReader` returns the tree with its findings; `FileForm` is the start rule as a list of stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from bridgespec.codec.binding_words import LISTS
from bridgespec.codec.byte_order import marked
from bridgespec.codec.node import FieldNode, Reading
from bridgespec.codec.shared_findings import MOST, TOO_DEEP, closing
from bridgespec.codec.text.findings import LINE_END, Findings, follow
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.codec.text.grammar_program import check_among, faults_of, is_clean, nodes_of
from bridgespec.codec.text.parse_state import ParseOptions, ParseState, one_of
from bridgespec.codec.text.recovery import Recovery, Stage, furthest, matches
from bridgespec.codec.text.rule_values import RecordRule, RuleValue
from bridgespec.codec.text.text_checks import FileChecks, RecordChecks
from bridgespec.codec.text.text_tree import FileNode, TextNode, list_node
from bridgespec.diagnostic import Severity, define

UNREADABLE = define(
    "unreadable-line",
    Severity.ERROR,
    """A line that is not a record of the format.

    The message names the first place that does not fit and what could stand there. The line is kept as it is; reading goes
    on with the next one.
    """,
)
MISSING = define(
    "missing-record",
    Severity.ERROR,
    """A part that the format demands is not in the file.

    The message names it and the place where reading stopped.
    """,
)
NO_RECORD = define(
    "no-record",
    Severity.ERROR,
    """There is text in the file, but no record of the format.

    Everything in it was passed over, as a format does that lets text stand between its records. Most likely the file is of
    another format, or damaged from its beginning on.
    """,
)


class Passage(NamedTuple):
    """One step of reading a file, between two offsets: a part of the start rule (``stage``) with its nodes, and its parse state
    where expressions read it.

    Without a stage it is text that matches nothing: ``possible`` are the stages that were tried, ``deep`` is the offset of a rule
    that is nested too deeply, and ``before`` are stage and offset of the passage before it.
    """

    stage: Stage | None
    start: int
    stop: int
    nodes: list[TextNode]
    into: ParseState | None = None
    possible: Sequence[Stage] = ()
    deep: int | None = None
    before: tuple[Stage, int] | None = None
    faults: Sequence[tuple[int, list[str]]] = ()
    """For a record that was read without some of its lines: the offset of each fault, and names of what would have matched there.
    """
    first: int = 0
    """The index in the start rule of the first stage that was possible at ``start``."""


class FileForm:
    """The start rule of a grammar, split into stages that are read in order, with the checks of a whole file.

    A `TextCodec` makes one; ``lists`` are the fields of the file that have its boards or similar records.
    """

    def __init__(self, engine: TextEngine) -> None:
        self.engine = engine
        start = engine.grammar.rules[engine.grammar.start]
        value = engine.value(start.name)
        self.start = value
        terms = {name: engine.grammar.rules[rule].words.binding.term or name for name, (rule, _) in engine.fields(start).items()}
        self.lists = frozenset(name for name, term in terms.items() if term in LISTS)
        self.stages = [Stage.of(item, engine.accelerated, self.lists) for item in value.body.steps]
        self.skip = engine.skip
        self.whole = FileChecks(engine.grammar.form)
        self.arrays = {name: decl for name, (_, decl) in engine.fields(start).items() if decl is not None}

    def shape(self, name: str) -> RuleValue:
        """Return the rule that reads a field of the file; for an unknown name the start rule."""
        start = self.start
        return start.field(name) if isinstance(start, RecordRule) and name in start.fields else start

    def home(self, possible: Sequence[Stage]) -> str:
        """Return the name of the list to which unreadable text is added, given the stages that were tried."""
        stage = next((stage for stage in (*possible, *self.stages) if stage.repeated), possible[0])
        names = [name for name in self.start.names if name in stage.piece.names]
        return next((name for name in names if name in self.lists), names[0] if names else "")


@dataclass(frozen=True, slots=True)
class Progress:
    """The reader's state before a stretch of a file: which stages have occurred, the first one that may follow, the number of
    elements in each array, the number of line ends, and that of characters since the last line end.

    ``start`` is the offset of the stretch in the window of the file that is read.
    """

    seen: tuple[bool, ...] = ()
    index: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    lines: int = 0
    column: int = 0
    start: int = 0

    def after(self, stretch: str) -> tuple[int, int]:
        """Return the number of line ends in the file up to the end of a stretch, and that of characters since the last of them."""
        ends = stretch.count("\n") + stretch.count("\r") - stretch.count("\r\n")
        last = max(stretch.rfind("\n"), stretch.rfind("\r")) + 1
        return self.lines + ends, len(stretch) - last + (0 if last else self.column)


class TextReader:
    """Reads one text. The codec makes one for each reading.

    Without ``look``, findings are only on text that matches nothing and on missing parts, until `inspected` adds the others. With
    ``accelerated``, compiled programs (`grammar_program`) read what they can, and expressions the rest. With ``before``, the text
    is a window of a file: records and lines in findings are counted in the file, offsets in the window.
    """

    def __init__(
        self,
        form: FileForm,
        data: bytes,
        limit: int = MOST,
        look: bool = True,
        accelerated: bool = False,
        before: Progress | None = None,
    ) -> None:
        self.form = form
        self.accelerated = accelerated
        self.encoding = marked(data) if before is None else None
        self.data = data if self.encoding is None else self.encoding.text
        # One character for each byte: offsets of the text are those of the file, and every file can be decoded.
        self.text = text = self.data.decode("latin-1")
        self.before, self.whole = before or Progress(), before is None
        self.findings = Findings(text, limit, self.before.start, self.before.lines, self.before.column)
        self.look = self._look() if look else None
        self.passages: list[Passage] = []
        """The steps of the reading, in file order."""
        self.seen, self.index = list[bool](), 0
        """For each stage of the start rule, whether it occurred; and the index of the first stage that may follow."""
        self.arrays: dict[str, list[TextNode]] = {}
        self.single: dict[str, TextNode] = {}
        """The fields of the file: the elements of its arrays, and the other fields."""
        self.rounds: list[tuple[int, int]] = []
        """The offsets of each element of a list of boards."""

    def read(self) -> Reading:
        """Read the whole text. Return its tree with the findings."""
        self._parts(0, len(self.text))
        if self.look is not None or any(passage.stage is None for passage in self.passages):
            self._inspect()
        return self._complete()

    def inspected(self) -> Reading:
        """Return the reading with all findings, after `read` of a reader without ``look`` has returned it with some."""
        before = self.before
        self.findings = Findings(self.text, self.findings.limit, before.start, before.lines, before.column)
        self.look = self._look()
        self._inspect()
        return self._complete()

    def _look(self) -> RecordChecks:
        """Return the checks of the records of this text."""
        # The file claims the strict form in one place, which a stretch need not contain: stretches are not checked for it.
        return RecordChecks(self.form.engine, self.findings, self.whole and self.form.whole.is_strict(self.text))

    def stretch(self, stop: int, last: bool) -> tuple[Reading, Progress]:
        """Read the records that begin before the offset ``stop`` of the window. Return their tree with its findings, and the
        state after them. ``last``: the file ends there.
        """
        start = self.before.start
        self._parts(start, stop)
        self._inspect()
        found = self._complete() if last else Reading(self._root(), self.data, self.findings.found)
        # The root spans the stretch, not its window: a writer that keeps unchanged text copies the span of the root.
        found.root.start, found.root.stop = 8 * start, 8 * stop
        counts = dict(self.before.counts)
        for name, nodes in self.arrays.items():
            counts[name] = counts.get(name, 0) + len(nodes)
        return found, Progress(tuple(self.seen), self.index, counts, *self.before.after(self.text[start:stop]), stop)

    @cached_property
    def recovery(self) -> Recovery:
        """The recovery from faults, made at the first one."""
        return Recovery(self.text, self.form.skip)

    def boundary(self) -> int | None:
        """Return the last offset in the window at which a record begins that does not depend on text after the window, nor does
        the next one. None if this is only the first record.
        """
        start = self.before.start
        self._parts(start, len(self.text))
        # The next record must end inside the window too: it may be the rest of the one before it.
        for (at, stop), (following, end) in zip(self.rounds[-2::-1], self.rounds[:0:-1], strict=True):
            if at > start and stop == following and end < len(self.text):
                return at
        return None

    def _parts(self, at: int, end: int) -> None:
        """Read all stages that begin between two offsets, and append their `passages`."""
        form = self.form
        seen = self.seen = list(self.before.seen) or [False] * len(form.stages)
        index = self.before.index
        before: tuple[Stage, int] | None = None
        into: ParseState | None = None
        while at < end:
            for i in range(index, len(form.stages)):
                stage = form.stages[i]
                stop, nodes, into = self._match(stage, at)
                # A part without text would be read at the same offset for ever.
                if stop is not None and stop > at:
                    for node in nodes:
                        if node.field in form.arrays:
                            # Elements of arrays are named by their numbers.
                            array = self.arrays.setdefault(node.field, [])
                            node.name = str(self.before.counts.get(node.field, 0) + len(array))
                            array.append(node)
                        else:
                            self.single[node.field] = node
                    self.passages.append(Passage(stage, at, stop, nodes, into, first=index))
                    before = stage, at
                    if stage.listed:
                        self.rounds.append((at, stop))
                    at, seen[i] = stop, True
                    # Stages occur in the order of the start rule: after this one no earlier one can follow.
                    index = i if stage.repeated else i + 1
                    break
                if stop is None and not stage.optional and not seen[i]:
                    at, before = self._recover(index, at, into, before), None
                    # A fault in the head of a file must not make all of its records unreadable.
                    self._pass_over(i, at)
                    break
            else:
                at, before = self._recover(index, at, into if index < len(form.stages) else None, before), None
        self.index = index

    def _match(self, stage: Stage, at: int) -> tuple[int | None, list[TextNode], ParseState | None]:
        """Return the end of a stage's match at an offset, None without one, its nodes, and the parse state of expressions."""
        text, end, start = self.text, len(self.text), self.form.start
        # A `RuleMatch` reports no findings and no nesting that is too deep: a stage that may need these has none.
        if stage.match is not None and self.accelerated and isinstance(start, RecordRule):
            found = stage.match.fields(text, at, end)
            if found is None:
                return None, [], None
            return found[0], nodes_of(start, text, found[1], end) if found[0] > at else [], None
        into = ParseState(ParseOptions(quick=self.accelerated))
        return stage.piece.read(text, at, end, into), into.nodes, into

    def _pass_over(self, missing: int, at: int) -> None:
        """Skip missing stages of the start rule up to one that matches at ``at``, so that a fault in the head of a file leaves
        its records readable.
        """
        stages = self.form.stages
        following = next((i for i in range(missing, len(stages)) if matches(stages[i], self.text, at)), missing)
        self.seen[missing:following] = [True] * (following - missing)

    def _inspect(self) -> None:
        """Report text that matches nothing and, with `look`, the findings on all other text, in file order."""
        findings = self.findings
        for passage in self.passages:
            if passage.stage is None:
                self._report_unread(passage)
            elif self.look is not None:
                self._inspect_part(passage.stage, passage, self.look)
            findings.attribute_to(None)

    def _complete(self) -> Reading:
        """Return the reading of a text that was read to its end, with findings on missing stages and on the whole text."""
        # If the file ends with unreadable text, that may be the missing stage: its finding is enough.
        end, unread = len(self.text), bool(self.passages) and self.passages[-1].stage is None
        for stage, seen in zip(self.form.stages[self.index :], self.seen[self.index :], strict=True):
            if (
                not stage.optional
                and not seen
                and not unread
                and stage.piece.read(self.text, end, end, ParseState(ParseOptions())) is None
            ):
                _, wanted = follow(stage.piece, self.text, end, end, False)
                self.findings.add(MISSING.name, MISSING.severity, f"expected {one_of(wanted)}, but the file ends", end, end)
                break
        if self.look is not None:
            self._want_record()
            if self.form.engine.looking_out and self.whole:
                self.look.verify_whole(self._root())
            self.findings.add_counts()
            self.form.whole.check(self.findings, self.look.strict)
        if self.findings.dropped:
            self.findings.found += closing(self.findings.dropped)
        return Reading(self._root(), self.data, self.findings.found, self.findings.dropped, self.encoding)

    def _want_record(self) -> None:
        """Report a file without any record, if it has warnings but no error: an error explains already why there is no record."""
        found = self.findings.found
        severities = {one.severity for one in found}
        lists = self.form.lists
        known = self.arrays.keys() | self.before.counts.keys()
        if lists and Severity.WARNING in severities and Severity.ERROR not in severities and not lists & known:
            self.findings.add(NO_RECORD.name, NO_RECORD.severity, "nothing in this file is a record of the format", 0, 0)
            found.insert(0, found.pop())

    def _inspect_part(self, stage: Stage, passage: Passage, look: RecordChecks) -> None:
        """Report the findings on one passage; a passage that is proven to have none is not read again."""
        findings, nodes, into = self.findings, passage.nodes, passage.into
        clean = False
        # A passage read by programs, or only to its bounds, has no findings yet: unless it is proven clean, expressions read it
        # again.
        if into is None or into.run.quick:
            sure = into is None or (into.run.clean and not into.reports and not any(node.notes for node in nodes))
            clean = sure and (all(map(is_clean, nodes)) or self._counts(nodes))
            if not clean:
                into = ParseState(ParseOptions(look=True))
                stage.piece.read(self.text, passage.start, len(self.text), into)
                # Both readings make the same fields; names have the index in the array, which only the first one counted.
                for one, node in zip(into.nodes, nodes, strict=True):
                    one.name = node.name
                nodes = into.nodes
        for node in nodes:
            findings.attribute_to(node)
            if not clean:
                findings.notes(node.notes)
                look.inspect(node)
            else:
                check_among(node, look)
        findings.notes([] if into is None else into.reports)

    def _counts(self, nodes: list[TextNode]) -> bool:
        """Whether all findings in nodes are beyond the limit, so that it suffices to count them without positions. If so, count
        them.
        """
        findings = self.findings
        # Findings within the limit need offsets, which only the expressions give.
        if findings.keeps(Severity.WARNING):
            return False
        known = [(node, faults_of(node)) for node in nodes]
        reports = [report for _, found in known if found is not None for report in found[1]]
        if any(found is None for _, found in known) or any(findings.keeps(report.severity) for report in reports):
            return False
        findings.dropped += len(reports)
        for node, found in known:
            node.rows = None if found is None else found[0]
        return True

    def _recover(self, index: int, at: int, into: ParseState | None, before: tuple[Stage, int] | None) -> int:
        """Add the text at ``at``, which matches nothing, as a broken element of a list. Return the offset at which reading
        continues.

        ``index`` is the first stage that was possible there, ``into`` the state of the last one that expressions read, and
        ``before`` the stage and the offset of the passage before it.
        """
        text, deep = self.text, None if into is None else into.run.deep
        match = self.form.skip.match(text, at)
        # At least one character is passed over, or the reader would not advance.
        stop = max(match.end() if match else 0, at + 1)
        # After the last stage of the start rule the text may have been meant as any of them.
        possible = self.form.stages[index:] or self.form.stages
        faults = self.recovery.rest(*before, possible, at) if deep is None and before is not None else None
        if faults is None and deep is None:
            faults = self.recovery.faults(possible, at)
        if faults is not None:
            stop = faults[0]
        elif deep is None and self._interrupts(at):
            # If every kind of record may have several lines, the following lines that match nothing belong to the same record:
            # there is one finding for all of them, not one for each.
            further = self.recovery.behind(possible, at) if all(stage.several for stage in possible) else at
            if further > at:
                self._lengthen(self.passages.pop(), further)
                return further
        name = self.form.home(possible)
        nodes = self.arrays.setdefault(name, [])
        node = TextNode(None, name, self.form.shape(name), text, at, stop, text[at:stop])
        node.name, node.broken = str(self.before.counts.get(name, 0) + len(nodes)), True
        nodes.append(node)
        self.passages.append(Passage(None, at, stop, [node], None, possible, deep, before, faults[1] if faults else (), index))
        return stop

    def _interrupts(self, at: int) -> bool:
        """Whether the text before this offset is a passage that matched nothing."""
        last = self.passages[-1] if self.passages else None
        return last is not None and last.stage is None and last.stop == at

    def _lengthen(self, passage: Passage, stop: int) -> None:
        """Append ``passage``, unreadable text that was removed from the list, with its broken element extended to ``stop``."""
        (node,) = passage.nodes
        longer = TextNode(None, node.field, node.shape, self.text, passage.start, stop, self.text[passage.start : stop])
        longer.name, longer.broken = node.name, True
        self.arrays[node.field][-1] = longer
        self.passages.append(passage._replace(stop=stop, nodes=[longer]))

    def _report_unread(self, passage: Passage) -> None:
        """Report a passage that matches nothing."""
        text, findings, at, stop, deep, before = self.text, self.findings, *passage[1:3], *passage[6:8]
        (node,) = passage.nodes
        findings.record, findings.field = int(node.name), f"{node.field}[{node.name}]"
        if passage.faults:
            for place, wanted in passage.faults:
                self._report_wanted(place, wanted, stop)
        elif findings.full:
            findings.dropped += 1
        elif deep is not None:
            findings.add(TOO_DEEP.name, TOO_DEEP.severity, "rules are nested too deeply here", deep, deep + 1)
        else:
            place, wanted = furthest(passage.possible, text, at, self._line_stop(at, stop))
            if before is not None:
                # The text here may be the rest of a record that would have continued, but for a fault inside it.
                further, names = follow(before[0].piece, text, before[1], self._line_stop(at, stop), False)
                if further >= place:
                    place, wanted = further, names if further > place else list(dict.fromkeys([*names, *wanted]))
            self._report_wanted(place, wanted, stop)

    def _report_wanted(self, place: int, wanted: list[str], stop: int) -> None:
        """Report at the offset ``place`` what would have matched there (``wanted``); ``stop`` is the end of the passage."""
        # The failure may be beyond the text that is skipped: the following line is then read as a record of its own.
        end = self._line_stop(place, min(max(stop, place + 1), len(self.text)))
        inside = place < end
        here = f"found {self.text[place]!r}" if inside else "the line ends"
        message = f"expected {one_of(wanted)}, but {here}"
        self.findings.add(UNREADABLE.name, UNREADABLE.severity, message, place, place + inside)

    def _line_stop(self, at: int, stop: int) -> int:
        end_of_line = LINE_END.search(self.text, at, stop)
        return end_of_line.start() if end_of_line else stop

    def _root(self) -> FileNode:
        nodes: list[FieldNode] = list(self.single.values())
        for name, items in self.arrays.items():
            if name in self.form.arrays:
                array = list_node(self.form.arrays[name], items[0])
                array.children, array.stop = items, items[-1].stop
                nodes.append(array)
        # Fields of a tree are in file order for every format.
        nodes.sort(key=lambda node: node.start)
        return FileNode(self.form.engine.decl, self.form.engine.spec.id, self.form.start, self.text, nodes)
