"""The bytes of a file as HTML beside its fields and boards, linked by ranges of bits. `Annotator.component` is the entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from bridgespec.codec.anatomy import Anatomist, FilePart, Group
from bridgespec.diagnostic import Diagnostic
from bridgespec.docs.bit_ranges import attribute, of_span
from bridgespec.docs.deal_diagrams import Binds, Drawer
from bridgespec.docs.geometry import TONES, tone_of
from bridgespec.docs.prose import Markup, suits
from bridgespec.docs.prose import escape as safe
from bridgespec.model.document import Document
from bridgespec.spec.ir import PosInstance, RecordType, Spec

ROW = 16
"""The number of bytes in a row of a hex dump."""
_CONTROL = {"\r": "CR", "\n": "LF", "\t": "TAB", "\0": "NUL"}
_RANGE = re.compile(r'data-r="([^"]*)"')
_INDEX = re.compile(r"\[\d+(?:\.\.\d+)?\]")
# Matched for the offsets of each line, which `splitlines` does not give.
_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclass
class ComponentSection:
    """The content of one component of a page: the bytes of a file from ``start`` to ``stop``, read as ``groups``.

    ``shift`` is the offset in the file of the tree's first byte; ``boards`` are the indexes of the boards that are drawn; ``line``
    is the number of the first line of a text. ``with_gaps``: bytes that belong to no group are shown too. ``parts`` are filled when
    the component is made.
    """

    data: bytes
    start: int
    groups: Sequence[Group]
    document: Document
    boards: Sequence[int]
    findings: Sequence[Diagnostic] = ()
    shift: int = 0
    with_gaps: bool = True
    line: int = 1
    parts: list[FilePart] = field(default_factory=list)

    @property
    def stop(self) -> int:
        """The offset after the last byte."""
        return self.start + len(self.data)


class Annotator:
    """Makes the annotated bytes of files of one spec as HTML. Made for each page, whose fields keep their colours."""

    def __init__(self, spec: Spec, binder: Binds) -> None:
        self.spec = spec
        self.binder = binder
        self.text = spec.language == "lark"
        self._tones: dict[str, int] = {}

    def component(self, section: ComponentSection, name: str) -> Markup:
        """Return the component for a section as HTML; ``name`` is its label for screen readers."""
        fields = self._fields(section)
        boards = self._boards(section)
        findings = self._findings(section)
        marked = [r for d in section.findings for r in of_span(d.span)]
        ranges = _ranges((fields, boards, findings))
        source = self._text(section, ranges, marked) if self.text else self._hex(section, marked)
        kind = "text" if self.text else "hex"
        # Known only now: `_fields` above fills the parts of the section.
        low = any(part.lsb for part in section.parts)
        return Markup(
            f'<div class="annotated {kind}" data-kind="{kind}" data-lsb="{int(low)}">\n'
            f'<div class="from"><div class="pane source" data-label="{"Text" if self.text else "Bytes"} of {escape(name)}">{source}'
            f'</div>{boards}</div>\n<div class="side">{findings}\n'
            f'<div class="pane fields" data-label="Fields of {escape(name)}">{fields}</div></div>\n'
            '<div class="status" aria-live="polite"></div>\n</div>'
        )

    # --- fields -----------------------------------------------------------------------------------------------------

    def _fields(self, section: ComponentSection) -> str:
        """Return the fields of a section as HTML, and fill its parts."""
        anatomist = Anatomist(self.spec, section.shift)
        out = []
        at = 8 * section.start
        for group in section.groups:
            parts = list(anatomist.parts(group.node, group.path, group.number is not None, group.inside))
            # Bytes of no field have a row of their own; in a text they are shown in their line.
            if section.with_gaps and parts and parts[0].start > at and not self.text:
                parts.insert(0, FilePart(at, parts[0].start, parts[0].lsb, None))
            # The maximum, since an instance at an offset may lie before the end of the fields in sequence.
            at = max(at, group.node.stop + 8 * section.shift)
            section.parts += parts
            out.append(self._group(group, parts))
        if section.with_gaps and at < 8 * section.stop and not self.text:
            rest = FilePart(at, 8 * section.stop, False, None)
            section.parts.append(rest)
            out.append(f'<div class="group">{self._part(rest, "")}</div>')
        return "\n".join(out)

    def _group(self, group: Group, parts: Iterable[FilePart]) -> str:
        prefix = group.path if group.number is not None else ""
        rows = "\n".join(self._part(part, prefix) for part in parts if part.field is not None or not self.text)
        if prefix:
            return f'<details class="group" open><summary class="record">{escape(group.path)}</summary>{rows}</details>'
        return f'<div class="group">{rows}</div>'

    def _part(self, part: FilePart, prefix: str) -> str:
        """Return the row of a part, with its name without the path ``prefix``, and its value."""
        name = "(no field)" if part.field is None else part.field
        # The heading of the record shows the prefix.
        if prefix and name.startswith(prefix):
            name = name[len(prefix) :].lstrip(".") or "(record)"
        value = suits(part.text)
        if len(part.cells) > 1:
            value = Markup(" ").join(
                Markup(f"<b{attribute([(cell.start, cell.stop)])}>{escape(cell.text)}</b>") for cell in part.cells
            )
        tone = 0 if part.field is None else self.tone(part.field)
        broken = " broken" if part.broken else ""
        link = attribute([(part.start, part.stop)])
        head = f'<div class="part t{tone}{broken}"{link}><span class="f">{_breakable(name)}</span>'
        return f'{head} <span class="v">{value}</span></div>'

    def tone(self, path: str) -> int:
        """Return the number of a field's colour, from 1; all elements of an array have the colour of their field."""
        key = _INDEX.sub("", path)
        if key not in self._tones:
            # As in drawings of the schema; fields of grammars, which have no drawings, get the colours in turn.
            self._tones[key] = self._drawn_tone(key) or len(self._tones) % TONES + 1
        return self._tones[key]

    def _drawn_tone(self, key: str) -> int | None:
        """Return the number of the colour that the drawing of a record has for a field, by its path without indexes; None where
        there is no such field.
        """
        record, tone = self.spec.top, None
        for step in key.split("."):
            fields = [*record.fields, *(i.field for i in record.instances.values() if isinstance(i, PosInstance))]
            index = next((i for i, one in enumerate(fields) if one.name == step), None)
            if index is None:
                return None
            tone = tone_of(index)
            type_ = fields[index].type
            if isinstance(type_, RecordType) and type_.target in self.spec.records:
                record = self.spec.records[type_.target]
        return tone

    # --- deals and findings -----------------------------------------------------------------------------------------

    def _boards(self, section: ComponentSection) -> str:
        drawer = Drawer(section.document, self.binder, 8 * section.shift)
        drawn = [drawer.board(index) for index in section.boards] if self.binder.terms else []
        if section.document.system is not None:
            drawn.append(drawer.system())
        if not drawn:
            return ""
        return f'<div class="pane boards" data-label="Boards">{Markup("").join(drawn)}</div>'

    def _findings(self, section: ComponentSection) -> str:
        if not section.findings:
            return ""
        items = "".join(
            f'<div class="finding {d.severity}"{attribute(of_span(d.span))}><b>{d.severity}[{escape(d.code)}]</b> '
            f"{escape(d.message)}</div>"
            for d in section.findings
        )
        return f'<div class="pane findings" data-label="Findings">{items}</div>'

    # --- bytes ------------------------------------------------------------------------------------------------------

    def _hex(self, section: ComponentSection, marked: Sequence[tuple[int, int]]) -> str:
        """Return the bytes of a section as a hex dump in HTML; ``marked`` are the ranges of bits with findings."""
        tones = self._byte_tones(section)
        bad = _bytes_of(marked)
        digits = max(4, len(f"{section.stop:x}"))
        out = []
        # Rows begin at multiples of 16 as in other dumps; cells before the section are empty.
        first = section.start - section.start % ROW
        for row in range(first, max(section.stop, first + 1), ROW):
            cells, letters = [], []
            for offset in range(row, row + ROW):
                if not section.start <= offset < section.stop:
                    # Another element than <i>: the page's scripts find bytes by <i> and count the children of a row.
                    cells.append("<u></u>")
                    letters.append(" ")
                    continue
                byte = section.data[offset - section.start]
                names = " ".join([*tones[offset - section.start], *(["bad"] if offset in bad else [])])
                mark = f' class="{names}"' if names else ""
                cells.append(f"<i{mark}>{byte:02x}</i>")
                letters.append(chr(byte) if 32 <= byte < 127 else "·")
            line = escape("".join(letters).rstrip())
            head = f'<div class="row" data-o="{row}"><span class="o">{row:0{digits}x}</span>'
            out.append(f"{head}{''.join(cells)}<em>{line}</em></div>")
        return "\n".join(out)

    def _byte_tones(self, section: ComponentSection) -> list[list[str]]:
        """Return the classes of each byte: ``t`` with the number of its colour and, for a byte of several fields, ``e`` with that
        of the last one.
        """
        found: list[list[int]] = [[] for _ in section.data]
        for part in section.parts:
            if part.field is None:
                continue
            tone = self.tone(part.field)
            for offset in range(max(part.byte_start, section.start), min(part.byte_stop, section.stop)):
                there = found[offset - section.start]
                if tone not in there:
                    there.append(tone)
        return [([f"t{tones[0]}"] if tones else []) + ([f"e{tones[-1]}"] if len(tones) > 1 else []) for tones in found]

    def _text(self, section: ComponentSection, ranges: Iterable[tuple[int, int]], marked: Sequence[tuple[int, int]]) -> str:
        """Return the lines of a section as HTML; ``ranges`` are the ranges of bits to which elements of the page are linked,
        ``marked`` those with findings.
        """
        # Cut wherever a field, a card or a finding begins or ends: the scripts of the page highlight whole elements.
        cuts = {at // 8 for both in (ranges, marked) for r in both for at in r}
        bad = _bytes_of(marked)
        tone_at: dict[int, int] = {}
        for part in section.parts:
            if part.field is not None:
                tone = self.tone(part.field)
                tone_at.update((at, tone) for at in range(part.byte_start, part.byte_stop))
        out = []
        number = section.line
        for match in _LINES.finditer(section.data):
            # The pattern also matches the empty text at the end of the data.
            if match.start() == match.end():
                continue
            start, stop = section.start + match.start(), section.start + match.end()
            stops = sorted({start, stop, *(cut for cut in cuts if start < cut < stop)})
            atoms = []
            for begin, end in pairwise(stops):
                piece = section.data[begin - section.start : end - section.start]
                names = [f"t{tone_at[begin]}"] if begin in tone_at else []
                names += ["bad"] if begin in bad else []
                mark = f' class="{" ".join(names)}"' if names else ""
                atoms.append(f"<i{mark}{attribute([(8 * begin, 8 * end)])}>{visible(piece)}</i>")
            out.append(f'<div class="row"><span class="o">{number}</span><span class="line">{"".join(atoms)}</span></div>')
            number += 1
        return "\n".join(out)


def visible(data: bytes) -> Markup:
    """Return bytes of a text as HTML, with the names or codes of control characters.

    >>> visible(b"a<\\r\\n")
    Markup('a&lt;<s>CR</s><s>LF</s>')
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        # In another encoding, or cut inside a character: each byte is shown as one character.
        text = data.decode("latin-1")
    return Markup("").join(Markup("<s>{}</s>").format(_CONTROL.get(c, f"{ord(c):02X}")) if ord(c) < 32 else safe(c) for c in text)


def _breakable(name: str) -> str:
    """Return a path as HTML that may be broken after a dot, but not inside the two dots of a range of indexes."""
    return re.sub(r"(?<!\.)\.(?!\.)", ".<wbr>", escape(name))


def _bytes_of(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """Return the offsets of the bytes in ranges of bits."""
    # An empty range marks one byte: the position at which something is missing.
    return {at for start, stop in ranges for at in range(start // 8, max(-(-stop // 8), start // 8 + 1))}


def _ranges(pieces: Iterable[str]) -> list[tuple[int, int]]:
    """Return the ranges of bits to which elements in pieces of HTML are linked."""
    found = []
    for piece in pieces:
        for text in _RANGE.findall(piece):
            for one in text.split():
                start, _, stop = one.partition("-")
                found.append((int(start), int(stop)))
    return found
