"""Generate random files of a binary schema with its reader: add bytes where the reader misses some, set new fields at random,
correct errors.

`Growth.file` begins with an empty file. Where the reader misses bytes, they are added; a field that is new gets a value from
`Drawing`; for any other finding, a value that it depends on is changed (`GrownReading`), until there is no finding. Sizes,
offsets, conditions and ``_io`` thus have the meaning that the reader gives them, and parts are made at all offsets that fields
state.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from bridgespec.codec.binary.byte_errors import (
    BAD_ENCODING,
    BAD_SIZE,
    CONTENTS,
    EXPRESSION,
    INVALID,
    NO_TERMINATOR,
    TRAILING,
    TRUNCATED,
)
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.samples.dependence import UNKNOWN, ElementScope, GrownLeaf, GrownReading
from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.codec.shared_findings import DERIVED, TOO_DEEP
from bridgespec.diagnostic import Diagnostic
from bridgespec.spec import ir
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.kaitai.expr.evaluator import compile_expression
from bridgespec.spec.kaitai.expr.tree import Expression, LiteralExpression, Measure, walk

EFFORT = 100_000
"""The number of values that are read in all until a file is given up."""
FIXED_EFFORT = 20
"""The effort of one reading of the file, in addition to one for each value."""
LONGEST_FILE = 1 << 16
"""The maximum size of a file, in bytes."""
MOST_ADDED = 1 << 13
"""The maximum number of bytes added for one field."""
TRIED = 12
"""The number of changes that are tried against one finding."""
LEAST = 64
"""The greatest size up to which files are made longer where nothing but their end limits them."""
_LIST = 4
"""The number of elements from which on a list is always ended, if its condition can be made true."""


class Growth:
    """Generates random files of one schema, one at a time. ``drawing`` draws values from the schema alone."""

    def __init__(self, codec: BinaryCodec, drawing: Drawing) -> None:
        self.codec = codec
        self.drawing = drawing
        self.random: Random = drawing.random
        self.now = GrownReading(codec, b"")
        """The latest reading."""
        self.effort = 0
        self.drawn: set[tuple[str, int, int]] = set()
        """The keys of the leaves that have a random value."""

    def file(self) -> bytes:
        """Return a file without findings. Raises `Undrawn` with the last finding if none could be made."""
        self.random = self.drawing.random
        self.drawing.small = self.random.choice((1, 3, 6, 20))
        self.drawn, self.effort = set(), 0
        # Files whose lists end with the data would otherwise always be the shortest.
        least = self.random.randint(0, LEAST)
        self._read(b"")
        while self.effort < EFFORT:
            if self._draw():
                continue
            found = self.now.found
            if found is None and len(self.now.data) >= least:
                return self.now.data
            if found is None:
                self._lengthen(1)
            elif found.code == TRAILING.name and found.span is not None:
                least = 0
                self._read(self.now.data[: found.span.byte_start])
            elif not self._add(found):
                self._mend(found)
        raise Undrawn(_shown(self.now.found))

    def _read(self, data: bytes) -> GrownReading:
        """Read the file with these bytes. The effort, which grows with the number of its leaves, counts towards the limit of one
        file.
        """
        self.now = GrownReading(self.codec, data)
        self.effort += FIXED_EFFORT + len(self.now.leaves)
        return self.now

    def _lengthen(self, count: int, filled: bytes = b"") -> bool:
        """Add ``count`` bytes at the end of the file, before parts that are located from the end. Return False if the file would
        be too long.
        """
        data = self.now.data
        if not 0 < count <= LONGEST_FILE - len(data):
            return False
        # Parts located from the end must stay at their distance from it.
        at = self.now.footer() if self.drawing.uses.from_end else len(data)
        self._read(data[:at] + filled.rjust(count, b"\0") + data[at:])
        return True

    # --- values

    def _draw(self) -> bool:
        """Set a random value in each new field, up to the first that the layout depends on. Return whether the file changed."""
        data = bytearray(self.now.data)
        claimed = bytearray(8 * len(data))
        leaves = self.now.leaves.values()
        self.drawn &= {leaf.key for leaf in leaves}
        for _, start, stop in self.drawn:
            claimed[start:stop] = b"\1" * (stop - start)
        for leaf in leaves:
            start, stop = leaf.node.start, leaf.node.stop
            if leaf.key in self.drawn:
                continue
            self.drawn.add(leaf.key)
            # Several fields may have the same bytes: the first of them determines the value.
            if claimed.find(1, start, stop) >= 0:
                continue
            claimed[start:stop] = b"\1" * (stop - start)
            # The fields after one that decides the layout are others now: the file must be read again.
            if leaf.put(data, self._random_value(leaf)) and leaf.decl.name in self.drawing.uses.deciding:
                break
        if data == self.now.data:
            return False
        self._read(bytes(data))
        return True

    def _random_value(self, leaf: GrownLeaf) -> Any:
        """Return a random value for a leaf, for a text or byte array its bytes; None where its type is unknown."""
        with suppress(*UNKNOWN, Undrawn):
            kind = leaf.type
            if isinstance(kind, ir.BytesType | ir.StringType):
                return self._octets(leaf, kind)
            _, expression = self.drawing.uses.implied.get((leaf.frame.element.name, leaf.decl.name), ("", None))
            measured = () if expression is None else walk(expression.tree)
            places = any(isinstance(one, Measure) and one.what == "offset" for one in measured)
            if places and self.random.random() < 0.7:
                return len(self.now.data) + self.random.choice((0, 0, 0, self.random.randint(0, 16)))
            return self.drawing.leaf(leaf.decl, kind, leaf.frame)
        return None

    def _octets(self, leaf: GrownLeaf, kind: ir.BytesType | ir.StringType) -> bytes:
        """Return random bytes for a text or byte array, as many as the leaf has now, with its terminator."""
        if isinstance(kind, ir.BytesType) and kind.contents is not None:
            return kind.contents
        raw = self.now.data[leaf.node.start // 8 : leaf.node.stop // 8]
        size, end, pad = len(raw), kind.extent.terminator or b"", kind.extent.pad_right
        codec = (python_encoding(kind.encoding) or "ascii") if isinstance(kind, ir.StringType) else ""
        known = [one.encode(codec) if codec else one for one in self.drawing.known(leaf.decl, kind, leaf.frame)]
        known = [one for one in known if len(one) == size or (len(one) < size and (end or pad is not None))]
        if known and self.random.random() < 0.9:
            return bytes(self.random.choice(known)).ljust(size, (end or bytes([pad or 0]))[:1])
        if leaf.decl.name in self.drawing.uses.numerals:
            return b"%0*d" % (size, self.random.randint(0, min(9, self.drawing.small)))
        free = self._any_octets(codec, size, end)
        return free[: size - len(end)] + end if end and raw.endswith(end) else free

    def _any_octets(self, codec: str, size: int, without: bytes) -> bytes:
        """Return random bytes, none of those in ``without``: printable characters in the encoding ``codec``, any bytes if it is
        empty.
        """
        alphabet = range(0x20, 0x7F) if codec else range(256)
        free = bytes(self.random.choices([one for one in alphabet if one not in without], k=size))
        return free.decode("ascii").encode(codec)[:size] if codec else free

    # --- what is missing

    def _add(self, found: Diagnostic) -> bool:
        """Add the bytes that a field misses at the end of the file, or end a list before it. Return whether the file changed."""
        where = found.field or ""
        if found.code not in (TRUNCATED.name, NO_TERMINATOR.name, BAD_SIZE.name) or not self.now.is_open(where):
            return False
        if found.code == BAD_SIZE.name:
            offset, size = self.now.offset(where), len(self.now.data)
            if offset is None or 0 <= offset <= size or (offset > 2 * size + 1024 and self.random.random() < 0.5):
                return False
            return self._lengthen(max(-offset, offset - size))
        if self._end_list(where):
            return True
        count = self.now.missing(where)
        if count is None or count > MOST_ADDED:
            return False
        count = count or self.random.randint(1, 12)
        text = bytes(self.random.choices(range(0x30, 0x7B), k=count - 1)) + b"\0"
        return self._lengthen(count, text if found.code == NO_TERMINATOR.name else b"")

    def _end_list(self, where: str) -> bool:
        """Change the last complete element of a list so that it ends the list, if this has enough elements. Return whether it
        does.
        """
        while "[" in where:
            where, _, rest = where.rpartition("[")
            count, owner, field = int(rest.partition("]")[0]), self.now.owner(where), self.now.field(where)
            until = None if field is None or field.repeat is not ir.Repeat.UNTIL else field.decl.repeat_expr
            if owner is None or until is None or count < self.random.randint(1, _LIST):
                continue
            if self._ended(where, count, owner[0], until):
                return True
        return False

    def _ended(self, where: str, count: int, frame: ElementScope, until: Expression) -> bool:
        """Change a value so that the condition ``until`` ends the list at a path after ``count`` elements. Return whether it does;
        otherwise the file is as before.
        """
        before, now = self.now.data, self.now
        name, last = where.rpartition(".")[2], f"{where}[{count - 1}]"
        frame.it, frame.index = frame.values[name][count - 1], count - 1
        sources = [now.leaves[last]] if last in now.leaves else list(dict.fromkeys(now.of(until.tree, frame)))
        node = now.frames[last].node if last in now.frames else now.leaves[last].node if last in now.leaves else frame.node
        stop = node.stop // 8
        # The condition may be the distance to the end of the file: the bytes behind the element are cut to that.
        for tail in {0, *_numbers(until)} if "_io" in until.source else ():
            if self._count(where, before[:stop] + before[len(before) - tail :]) == count:
                return True
        for _ in range(TRIED if sources else 0):
            source, data = self.random.choice(sources), bytearray(before)
            known = self.drawing.uses.cases.get("_" if source.path == last else source.decl.name, ())
            value = self.random.choice((0, self._random_value(source), self._any_integer(source)))
            if known and self.random.random() < 0.7:
                with suppress(*UNKNOWN):
                    value = compile_expression(self.random.choice(known))(source.frame)
            if source.put(data, value) and self._count(where, bytes(data)) == count:
                self._read(bytes(data[:stop]) if self.now.found is None else bytes(data))
                return True
        self._read(before)
        return False

    def _count(self, where: str, data: bytes) -> int:
        """Read ``data``, a changed file, as the present one. Return the length of the list at a path in it; -1 without a list."""
        owner = self._read(data).owner(where)
        values = None if owner is None else owner[0].values.get(owner[1])
        return len(values) if isinstance(values, list) else -1

    # --- what is wrong

    def _mend(self, found: Diagnostic) -> None:
        """Change random values that a finding depends on, until the finding is another one. Raises `Undrawn` where it depends on
        none.
        """
        now, leaf = self.now, self.now.leaves.get(found.field or "")
        if self._rederive(found, leaf) or (self.random.random() < 0.8 and self._widen(found)):
            return
        near, others = self._sources(found, leaf)
        open_ended = found.code == EXPRESSION.name or self.drawing.uses.from_end
        if not (near or others) and not open_ended:
            raise Undrawn(_shown(found))
        for _ in range(TRIED):
            if open_ended and (self.random.random() < 0.1 or not (near or others)):
                self._read(now.data)
                self._lengthen(self.random.randint(1, LEAST))
                return
            data = bytearray(now.data)
            source = self.random.choice(near if near and self.random.random() < 0.7 else near + others)
            if source.put(data, self._candidate(source, found)) and self._is_better(found, self._read(bytes(data)), now):
                return

    def _sources(self, found: Diagnostic, leaf: GrownLeaf | None) -> tuple[list[GrownLeaf], list[GrownLeaf]]:
        """Return the leaves on which a finding at ``leaf`` (None: at no leaf) probably depends, and other ones on which it may
        depend.
        """
        where, own = found.field or "", [leaf] if leaf is not None else []
        near, far = self.now.sources(where), self.now.around(where)
        if own and found.code in (INVALID.name, CONTENTS.name, BAD_ENCODING.name) and self.random.random() < 0.5:
            near = own
        return near, far + own

    def _is_better(self, found: Diagnostic, after: GrownReading, before: GrownReading) -> bool:
        """Whether a change is kept: the finding is gone or another one, and the file has not lost values (sometimes it may)."""
        other = after.found
        if other is None:
            return True
        # The value had no influence on the finding.
        if (other.code, other.field, other.message) == (found.code, found.field, found.message):
            return False
        if found.code == TOO_DEEP.name and other.field and (found.field or "").startswith(other.field):
            return False
        return len(after.leaves) >= len(before.leaves) or found.code == TOO_DEEP.name or self.random.random() < 0.2

    def _rederive(self, found: Diagnostic, leaf: GrownLeaf | None) -> bool:
        """Write the derived value of a field into it, if the finding is that it has another one. Return whether the file
        changed.
        """
        field = self.now.field(found.field or "")
        if leaf is None or field is None or field.derived is None or found.code not in (DERIVED.name, leaf.decl.binding.code):
            return False
        data = bytearray(self.now.data)
        with suppress(*UNKNOWN):
            if leaf.put(data, field.derived(leaf.frame)):
                self._read(bytes(data))
                return True
        return False

    def _widen(self, found: Diagnostic) -> bool:
        """Change a value so that the window around a field becomes large enough for it. Return whether one was changed."""
        where, now = found.field or "", self.now
        stream, window = now.stream(where), now.window(where)
        if window is None or stream.fixed is not None:
            return False
        if found.code == TRUNCATED.name:
            missing = now.missing(where)
        elif found.code == BAD_SIZE.name and self.random.random() < 0.5:
            offset = now.offset(where)
            missing = None if offset is None else offset + 1 - (stream.end - stream.start)
        else:
            return False
        if missing is None or not 0 <= missing <= MOST_ADDED:
            return False
        frame, size = window
        wanted = missing or self.random.randint(1, 12)
        with suppress(*UNKNOWN):
            target = compile_expression(size)(frame) + wanted
            sources = list(dict.fromkeys(now.of(size.tree, frame)))
            self.random.shuffle(sources)
            return any(self._solve(source, size, frame, target) for source in sources)
        return False

    def _solve(self, source: GrownLeaf, expression: Expression, frame: ElementScope, target: int) -> bool:
        """Change one value so that an expression, taken as linear in it, has the value ``target``, or exceeds it by less than one
        step. Return whether it has.
        """
        before, path, index, value = self.now.data, frame.path(), frame.index, source.node.value
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        results = [compile_expression(expression)(frame)]
        trial = value + 1
        for _ in range(2):
            data = bytearray(before)
            there = self._read(bytes(data)).frames.get(path) if source.put(data, trial) else None
            if there is None:
                break
            there.index = index
            try:
                results.append(compile_expression(expression)(there))
            except UNKNOWN:
                break
            step = results[1] - results[0]
            if target <= results[-1] < target + max(1, abs(step)):
                return True
            if not step:
                break
            # Rounded up for a size that is too small: `//` rounds a negative number down.
            trial = value - (results[0] - target) // step
        self._read(before)
        return False

    def _candidate(self, leaf: GrownLeaf, found: Diagnostic) -> Any:
        """Return another random value for a leaf, which may end the finding; None where the leaf's type is unknown."""
        value, size = leaf.node.value, len(self.now.data)
        if not isinstance(value, int) or isinstance(value, bool) or self.random.random() < 0.3:
            return self._random_value(leaf)
        if found.code == BAD_SIZE.name and self.random.random() < 0.4:
            return self.random.choice((size, size - 1, size + 1, size // 2, self.random.randrange(size + 1)))
        if found.code in (EXPRESSION.name, TOO_DEEP.name) and self.random.random() < 0.5:
            return self.random.choice((0, 1, self.random.randint(0, self.drawing.small)))
        near = (value + 1, value - 1, 2 * value, value // 2, value + self.random.randint(1, 64))
        return self.random.choice((*near, 0, 1, self.random.randint(0, 64), self._any_integer(leaf)))

    def _any_integer(self, leaf: GrownLeaf) -> int:
        """Return a random integer of the leaf's type."""
        with suppress(*UNKNOWN):
            match leaf.type:
                case ir.IntType(range=(low, high)) | ir.BitsType(range=(low, high)):
                    return self.random.randint(low, high)
        return 0


def _numbers(expression: Expression) -> Iterator[int]:
    """Yield 0 and the integers in an expression."""
    for one in walk(expression.tree):
        if isinstance(one, LiteralExpression) and isinstance(one.value, int) and 0 <= one.value <= MOST_ADDED:
            yield one.value


def _shown(found: Diagnostic | None) -> str:
    """Return the message of the last finding, with its field, for `Undrawn`."""
    if found is None:
        return "no file of the least size was made"
    return f"{found.field}: {found.message}" if found.field else found.message
