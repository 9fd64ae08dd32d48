"""Trace a text: expressions of the grammar read each passage once more, and a `Tracer` records which rules they try."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.compiled_expressions import TextExpression
from bridgespec.codec.text.parse_state import FurthestFailure, OutOfSteps, ParseOptions, ParseState, one_of
from bridgespec.codec.text.reader import Passage, TextReader
from bridgespec.codec.text.recovery import Stage
from bridgespec.codec.trace import MOST_ATTEMPTS, Attempt

MOST_STEPS = 500_000
"""The maximum number of steps in the trace of one passage: results are not memoised, so choices can multiply."""
_LONG = 60


class Tracer(FurthestFailure):
    """Collects the attempts along one text, for one trace. A failed attempt has the furthest offset, and names of what would have
    matched there.
    """

    reads_delegated = True

    def __init__(self, text: str, most: int = MOST_ATTEMPTS) -> None:
        super().__init__()
        self.text = text
        self.left = most
        """How many more attempts are kept."""
        self.attempts: list[Attempt] = []
        self._open: list[Attempt] = []
        self.misses: list[tuple[int, list[str]]] = []
        """For each open attempt the furthest offset at which it failed, and names of what would have matched there."""

    @property
    def says(self) -> str | None:
        """Always None, so that each attempt names what its own expression expected, not the enclosing rule."""
        return None

    @says.setter
    def says(self, words: str | None) -> None: ...

    def enter(self, rule: str, at: int) -> None:
        one = Attempt(rule, 8 * at, 8 * at, "failed")
        # Attempts beyond the limit are opened too, since `leave` closes one attempt for each `enter`.
        if self.left > 0:
            (self._open[-1].parts if self._open else self.attempts).append(one)
            self.left -= 1
        self._open.append(one)
        self.misses.append((at, []))

    def leave(self, stop: int | None) -> None:
        one, (place, wanted) = self._open.pop(), self.misses.pop()
        if self.misses and wanted:
            self._miss(place, wanted)
        if stop is not None:
            one.stop, one.outcome = 8 * stop, "read"
            return
        one.stop = 8 * place
        here = f"found {self.text[place]!r}" if place < len(self.text) else "the text ends"
        one.reason = (
            f"expected {one_of([_short(text) for text in wanted])}, {here}" if wanted else "it does not end where its text ends"
        )

    def want(self, at: int, what: str) -> None:
        super().want(at, what)
        if self.misses:
            self._miss(at, [what])

    def _miss(self, at: int, wanted: list[str]) -> None:
        place, names = self.misses[-1]
        if at > place or not names:
            self.misses[-1] = at, list(wanted)
        elif at == place:
            self.misses[-1] = at, list(dict.fromkeys([*names, *wanted]))

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise OutOfSteps

    def stage(self, stage: Stage, at: int) -> int | None:
        """Read a stage of the start rule at an offset. Return its end; None if it does not match, or takes too many steps."""
        self.steps, self.furthest, depth = 0, -1, len(self._open)
        try:
            return stage.piece.read(self.text, at, len(self.text), ParseState(ParseOptions(self)))
        except OutOfSteps:
            for one in self._open[depth:]:
                one.reason = f"given up after {MOST_STEPS:,} steps"
            # The exception skipped the calls of `leave` for these attempts.
            del self._open[depth:], self.misses[depth:]
            return None


def _short(wanted: str) -> str:
    return wanted if len(wanted) <= _LONG else f"{wanted[: _LONG - 1]}…"


def trace(codec: TextCodec, data: bytes, spans: Sequence[tuple[int, int]]) -> tuple[list[Attempt], int | None]:
    """Return the attempts to read the passages in the ranges of bits ``spans``, and the offset from which on attempts were not
    kept, or None.
    """
    reader = TextReader(codec.form, data, look=False, accelerated=codec.engine.accelerated)
    reader.read()
    tracer, stages = Tracer(reader.text), reader.form.stages
    for passage in reader.passages:
        if not any(start < 8 * passage.stop and 8 * passage.start < stop for start, stop in spans):
            continue
        if tracer.left <= 0:
            return tracer.attempts, passage.start
        _passage(tracer, stages[passage.first :] or stages, passage)
    return tracer.attempts, None


def wanted(piece: TextExpression, text: str, at: int) -> tuple[int, list[str]]:
    """Return the furthest offset that an expression reaches from an offset, and the expressions that failed there."""
    tracer = Tracer(text, 0)
    tracer.enter("", at)
    with suppress(OutOfSteps):
        piece.read(text, at, len(text), ParseState(ParseOptions(tracer)))
    return tracer.misses[0]


def _passage(tracer: Tracer, stages: Sequence[Stage], passage: Passage) -> None:
    for stage in stages:
        stop = tracer.stage(stage, passage.start)
        if stage is passage.stage or (passage.stage is None and stop is None and not stage.optional and not stage.repeated):
            return
