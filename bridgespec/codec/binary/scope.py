"""The scope of expressions while a record is read or written (`RecordFrame`), and the state of the whole pass (`BinarySession`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from bridgespec.codec.binary.byte_errors import FOLLOWS, Unreadable, UnreadValueError
from bridgespec.codec.binary.field_positions import FieldPosition, Positioned, StreamPosition
from bridgespec.codec.binary.stream import NotYetKnown
from bridgespec.codec.shared_findings import TOO_DEEP
from bridgespec.depth import LEVELS, permit
from bridgespec.diagnostic import Code, Diagnostic, Severity, Span
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, ExpressionFunction, NamedScope

OFTEN, FINE = 3, 15
"""Nodes made of bytes that instances read more than `OFTEN` times cost `FINE` more."""
_ONCE_MORE = bytes(min(count + 1, OFTEN) for count in range(256))
"""A table for `bytes.translate` that adds 1 to each counter, up to `OFTEN`."""


class _Unread:
    """The class of `UNREAD`."""

    def scope_attribute(self, name: str) -> Any:
        """Raise UnreadValueError: a value that could not be read has no attributes."""
        raise UnreadValueError(f"'{name}' of a field that could not be read")


UNREAD = _Unread()
"""The value of a field that could not be read."""
_NOWHERE: Mapping[str, int] = {}


class FrameLayout(Protocol):
    """The part of a `RecordElement` that its frames use."""

    @property
    def title(self) -> str:
        """The record's name without that of its schema."""

    @property
    def schema(self) -> str:
        """The name of the schema that declares the record."""

    @property
    def bits(self) -> int | None:
        """The record's size in bits; None where it is not fixed."""

    @property
    def text(self) -> ExpressionFunction | None:
        """The record's ``to-string`` expression, compiled; None without one."""

    @property
    def instances(self) -> Mapping[str, object]:
        """The compiled elements of the record's instances, by name; `instance` returns a value."""

    def instance(self, frame: RecordFrame, name: str) -> Any:
        """Return the value of an instance. Raises EvaluationError for one that depends on itself."""

    def foresee(self, frame: RecordFrame, name: str) -> Any:
        """Return the value of a field that is not written yet."""

    def finish(self, frame: RecordFrame) -> None:
        """Evaluate every instance, verify derived fields and run the checks of a record that was read."""


FieldPositions = dict[tuple[str, str | None], FieldPosition]
"""The positions of fields, by the path of their record and their name."""


class BinarySession:
    """The state of one reading or writing: its findings, and the budgets that bound its time and memory."""

    def __init__(self, data: bytes, limit: int, processors: Mapping[str, Any]) -> None:
        self.data = data
        self.limit = limit
        self.diagnostics: list[Diagnostic] = []
        self.reported: set[tuple[Span, str]] = set()
        self.dropped = 0
        self.grave = False
        """Whether an error is among the findings."""
        # Sixteen nodes for each byte bound time and memory by the size of the file; small files get an allowance.
        self.budget = 40_000 + 16 * len(data)
        # Bytes of processes and instances: a few compressed or overlapping parts could make gigabytes.
        self.volume = (1 << 24) + 8 * len(data)
        self.fined = 0
        """The part of the budget that was spent on fines (`count_part`)."""
        self.covered: dict[int, tuple[bytes, bytearray]] = {}
        """For each byte of a stream how often instances read it, up to `OFTEN`; by the identity of the stream's data."""
        self.pending: list[RecordFrame] = []
        """The records that were read and have instances, checks or derived fields to be evaluated at the end."""
        self.processors = processors
        self.reading = True
        """False while writing."""
        self.reach = 0
        """The end of the last part that was read at an offset, in bits of the file."""
        self.deriving = 0
        """How many derived values are being computed, one inside the other, while writing."""
        self.layout: FieldPositions = {}
        """The positions, in this pass, of all fields whose position an expression uses."""
        self.known: FieldPositions | None = None
        """The positions of the writing pass before; None in the first."""
        self.clash: tuple[str, str] | None = None
        """The message and the path for a part at an offset that would overwrite another part; None without one."""
        self.settling = False
        """Whether passes are repeated until everything derived from sizes and offsets is consistent."""

    def spend(self, amount: int) -> None:
        """Subtract from the budget of nodes. Raises Unreadable where the file makes more nodes than its size allows."""
        self.budget -= amount
        if self.budget < 0:
            raise Unreadable(TOO_DEEP, "the data repeat or refer to themselves without end")

    @property
    def spent(self) -> bool:
        """Whether the file made more nodes than its size allows, so that reading must end."""
        return self.budget < 0

    def make(self, count: int) -> None:
        """Subtract from the budget of bytes that are decoded, or read again at an offset. Raises Unreadable where it is
        exceeded.
        """
        self.volume -= count
        if self.volume < 0:
            # The budget is exhausted as well, so that nothing else is tried.
            self.spend(self.budget + 1)

    def count_part(self, data: bytes, start: int, stop: int, nodes: int) -> None:
        """Count a part at an offset, ``data[start:stop]``, of which ``nodes`` nodes were made. These cost more if instances have
        read most of its bytes `OFTEN` times.

        Several offsets may legitimately point at the same bytes, but parts that point at one another could be read endlessly.
        """
        self.make(stop - start)
        covered = self.covered.setdefault(id(data), (data, bytearray(len(data))))[1]
        # A counter is a byte, at most `OFTEN`: finding and increasing the counters of a range are single operations.
        often = covered.count(OFTEN, start, stop)
        covered[start:stop] = covered[start:stop].translate(_ONCE_MORE)
        if 2 * often > stop - start or stop == start:
            self.fined += FINE * nodes
            self.spend(FINE * nodes)


class RecordFrame(NamedScope):
    """A record that is being read or written, as the scope of expressions: its values by field name, and its position. One is made
    for each record, and lives as long as its node.

    ``given`` are the plain values when writing. ``owner`` is the enclosing record, which may differ from ``parent``. ``lost``: the
    position of later fields is unknown. ``spots`` are the positions of fields that were read, ``places`` the offsets of instances
    to be written.
    """

    __slots__ = (
        "busy", "depth", "element", "given", "index", "io", "it", "label", "little", "lost", "node", "owner", "parent",
        "places", "record", "root", "session", "spots", "values",
    )  # fmt: skip

    def __init__(self, element: FrameLayout, session: BinarySession, io: Any, owner: RecordFrame | None, label: str) -> None:
        self.element = element
        self.session = session
        self.io = io
        self.owner = owner
        self.parent: RecordFrame | None = owner
        self.root: RecordFrame | None
        if owner is None:
            self.root = self
        elif element.schema == owner.element.schema:
            self.root = owner.root
        else:
            # in an imported schema, `_parent` and `_root` do not lead to records of the schema that imports it
            self.parent, self.root = None, self if element.title == element.schema else None
        self.label = label
        self.values: dict[str, Any] = {}
        self.given: Mapping[str, Any] = {}
        self.it: Any = None
        self.index: Any = owner.index if owner is not None else None
        self.little: bool | None = owner.little if owner is not None else None
        self.record: int | None = owner.record if owner is not None else None
        self.node: Any = None
        self.busy: set[str] | None = None
        self.lost = False
        self.places: Mapping[str, int] = _NOWHERE
        self.spots: dict[str | None, FieldPosition] | None = None
        self.depth: int = owner.depth + 1 if owner is not None else 0

    def check_depth(self) -> None:
        """Raise Unreadable where records are nested too deeply."""
        if not permit(self.depth):
            raise Unreadable(TOO_DEEP, f"records are nested deeper than {LEVELS:,} levels")

    def get(self, name: str) -> Any:
        """Return the value of a field, parameter or instance. Raises EvaluationError where it has none."""
        try:
            value = self.values[name]
        except KeyError:
            return self._find(name)
        if value is UNREAD:
            raise UnreadValueError(f"'{name}' could not be read")
        return value

    def _find(self, name: str) -> Any:
        if name in self.element.instances:
            return self.element.instance(self, name)
        if not self.session.reading:
            return self.element.foresee(self, name)
        if name == "_is_le":
            return self.little
        raise EvaluationError(f"'{name}' is not read yet")

    # --- places ---

    def begin(self, name: str | None, stream: Positioned) -> FieldPosition:
        """Record the stream's position as the start of a field, or of this record where the name is None. Return it."""
        here = FieldPosition(stream, stream.here)
        if self.session.reading:
            if self.spots is None:
                self.spots = {}
            self.spots[name] = here
        else:
            self.session.layout[self.path(), name] = here
        return here

    def placed(self, name: str | None, at: int | None) -> FieldPosition:
        """Return the position of a field, of its element with index ``at``, or of this record where the name is None. Raises
        EvaluationError where it is unknown.
        """
        found = self._place_read(name) if self.session.reading else self._place_written(name)
        if at is not None:
            found = found.item(at, name)
        if self.session.reading:
            # Checksums and sums read these bytes again: with a checksum of the whole file in each record the time would be
            # quadratic.
            self.session.make((found.stop - found.start) // 8)
        return found

    def _place_read(self, name: str | None) -> FieldPosition:
        if name == "_io":
            return StreamPosition(self.io)
        if name is not None and name in self.element.instances:
            self.get(name)
        found = self.spots.get(name) if self.spots is not None else None
        if found is None:
            raise EvaluationError(f"'{name}' does not stand in the file")
        return found

    def _place_written(self, name: str | None) -> FieldPosition:
        known = self.session.known
        if known is None:
            raise NotYetKnown("where it stands is not known before all is written")
        found = known.get((self.path(), name))
        if found is None and name in self.element.instances:
            return FieldPosition(self.io, 0)  # an instance that is not given is not written, and has no bytes
        if found is None:
            raise EvaluationError(f"'{self.path_of(name or '')}' is not written")
        # The position of a stream is recorded when its record begins, with nothing written yet: only now its end is known.
        if name == "_io":
            found.end()
        return found

    def path(self) -> str:
        """Return the dotted path of this record."""
        parts: list[str] = []
        frame: RecordFrame | None = self
        while frame is not None and frame.label:
            parts.append(frame.label)
            frame = frame.owner
        return ".".join(reversed(parts))

    def path_of(self, name: str) -> str:
        """Return the dotted path of a field of this record."""
        path = self.path()
        return f"{path}.{name}" if path and name else path or name

    def report(
        self,
        code: Code,
        message: str,
        start: int,
        stop: int,
        name: str = "",
        lsb: bool = False,
        named: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Add a finding on the bits from ``start`` to ``stop``; ``named`` and ``severity`` are the schema's own code and
        severity, which take precedence.
        """
        if code is FOLLOWS:
            return
        found = self.session.diagnostics
        grave = (severity or code.severity) is Severity.ERROR
        # Beyond the limit the first error is kept, so that a file with errors never has warnings only.
        if len(found) >= self.session.limit and (self.session.grave or not grave):
            self.session.dropped += 1
            return
        self.session.grave = self.session.grave or grave
        span = Span(start, max(start, stop), lsb)
        # A constraint and a derived value may report the same error, with other findings between them; it is kept once.
        if (span, message) in self.session.reported:
            return
        self.session.reported.add((span, message))
        found.append(
            Diagnostic(named or code.name, severity or code.severity, message, None, self.record, self.path_of(name) or None, span)
        )
