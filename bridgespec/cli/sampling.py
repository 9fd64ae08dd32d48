"""Generate files of a format: valid ones, and broken ones with the finding that each one must cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from bridgespec.codec.probe_boards import specimen
from bridgespec.codec.samples.faults import SampleFault, faults
from bridgespec.codec.samples.growth import Growth
from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.text.codec import TextCodec
from bridgespec.engines import Engine
from bridgespec.errors import UsageError, WriteError
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

if TYPE_CHECKING:
    from bridgespec import solver
else:
    solver = Lazy("bridgespec.solver")

TRIES = 150
"""The number of random files that are tried for one valid file: they follow neither the game nor all checks of a schema."""
GROWN = 12
"""The number of files that `Growth` makes if no random file is valid; it reads each of them once for each of its fields."""
LARGEST = 1 << 20
"""The maximum size of a generated file in bytes; larger ones are discarded."""
_WHOLE = 3
"""One probe board in this many has a complete play, with a known result."""


class Sampler:
    """Generates files of one format from a seed; equal seeds give equal files. Made for one run of a command."""

    def __init__(self, engine: Engine, spec: Spec, seed: int) -> None:
        self.engine, self.spec, self.seed = engine, spec, seed
        self.held = engine.of(spec).binder.written
        self.drawing = Drawing(spec, Random(seed)) if spec.language == "ksy" else None
        codec = engine.of(spec).codec
        self.growth = Growth(codec, self.drawing) if self.drawing is not None and not isinstance(codec, TextCodec) else None
        self.failures: Counter[str] = Counter()
        """The reasons why random files were not valid, with their counts."""

    def valid(self, index: int) -> bytes:
        """Return the file with this index, without findings. Raises UsageError where none could be made."""
        # A generator for each index, so that a file does not depend on how many are made. `Random` hashes a text by SHA-512; hash()
        # differs from process to process.
        random = Random(f"{self.spec.id} {self.seed} {index}")
        for data in self._candidates(random):
            if len(data) > LARGEST:
                self.failures[f"a file of {len(data)} bytes"] += 1
                continue
            found = self.engine.examine(data, self.spec.id).diagnostics
            if not found:
                return data
            self.failures[f"{found[0].field}: {found[0].message}" if found[0].field else found[0].message] += 1
        if self.drawing is not None and (reason := self.drawing.why_not):
            raise UsageError(f"{self.spec.id}: no file can be made by chance: {reason}; give the schema a sample of one")
        reason = "".join(f" (most often because of {text})" for text, _ in self.failures.most_common(1))
        raise UsageError(f"{self.spec.id}: no valid file was found by chance{reason}; give the schema a sample of one")

    def broken(self, index: int) -> list[SampleFault]:
        """Return the file with this index in several versions with one fault each, one for each kind of fault that it can have."""
        data = self.valid(index)
        made = faults(self.engine.of(self.spec).codec, data, Random(f"{self.seed} {index}"))
        return [found for one in made if (found := self._confirmed(one, data)) is not None]

    def _confirmed(self, fault: SampleFault, valid: bytes) -> SampleFault | None:
        """Return a fault with the finding that checking its file reports: the expected one, or another one at the first changed
        byte.

        Return None where neither is reported, so that the finding would not identify the fault.
        """
        found = self.engine.examine(fault.data, self.spec.id).diagnostics
        if any((one.code, one.field or "") == (fault.code, fault.field) for one in found):
            return fault
        at = next((at for at, (one, two) in enumerate(zip(valid, fault.data, strict=False)) if one != two), len(fault.data))
        for one in found:
            if (span := one.span) is not None and span.byte_start <= at < span.byte_stop:
                return SampleFault(fault.data, one.code, one.field or "", span.byte_start, span.byte_stop)
        return None

    def _candidates(self, random: Random) -> Iterator[bytes]:
        """Yield files that may be valid: of random boards, random values, the samples of the schema, then files that are grown."""
        own = [sample.data for sample in self.spec.samples if not sample.codes]
        if self.held & {"deal", "tricks"}:
            for _ in range(TRIES // 10):
                boards = [self._board(random, number) for number in range(1, 2 + random.randrange(4))]
                for some in (boards, boards[:1]):
                    try:
                        yield self.engine.spell(Document(tuple(some)), self.spec.id).data
                    except WriteError:
                        continue
        for _ in range(TRIES):
            if self.drawing is not None and self.drawing.why_not:
                break
            try:
                yield self.drawn(random)
            except (Undrawn, WriteError) as error:
                self.failures[str(error)] += 1
        random.shuffle(own)
        yield from own
        if self.growth is None or self.growth.drawing.why_not:
            return
        # The message names the most frequent failure: those of the many random files would hide those of the few grown ones.
        self.failures.clear()
        for _ in range(GROWN):
            try:
                self.growth.drawing.random = random
                yield self.growth.file()
            except Undrawn as error:
                self.failures[str(error)] += 1

    def _board(self, random: Random, number: int) -> Board:
        """Return a random board with the format's terms that breaks no rule of the game."""
        # The number of a probe board has a period of 16 seeds, its kind of play one of _WHOLE: multiples of both change neither.
        whole = specimen(16 * _WHOLE * random.randrange(1 << 20) + self._seed_of(number))
        while whole.play is None or whole.play.claim is not None or not whole.play.tricks:
            whole = specimen(16 * _WHOLE * random.randrange(1 << 20) + self._seed_of(number))
        names = self.held & {
            "dealer",
            "vulnerability",
            "deal",
            "auction",
            "contract",
            "declarer",
            "play",
            "result",
            "event",
            "site",
        }
        board = Board(number=number, **{name: getattr(whole, name) for name in sorted(names)})
        if "tricks" in self.held and board.deal is not None:
            board = replace(solver.solve_document(Document((board,))).boards[0], par=None)
        return board

    @staticmethod
    def _seed_of(number: int) -> int:
        """Return the seed of a probe board that has this number and a complete play."""
        return next(seed for seed in range(16 * _WHOLE) if 1 + seed % 16 == number and seed % _WHOLE == 2)

    def drawn(self, random: Random) -> bytes:
        """Return a file of random values or a random text, valid or not. Raises `Undrawn` or WriteError where none could
        be made.
        """
        codec = self.engine.of(self.spec).codec
        if isinstance(codec, TextCodec):
            return codec.corrected(Sentences(codec.engine.grammar, random).text().encode("latin-1"))
        assert self.drawing is not None
        self.drawing.random = random
        return codec.write(self.drawing.file())
