"""Files by which two versions of a schema differ: made by the old one, read and written by both."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from bridgespec.cli.sampling import Sampler
from bridgespec.codec.node import plain
from bridgespec.codec.proof.text_proofs import RuleTrial
from bridgespec.codec.proof.text_sets import Languages
from bridgespec.engines import Engine
from bridgespec.errors import BridgespecError, UsageError
from bridgespec.examined import Report
from bridgespec.export.json import dump as model_json
from bridgespec.spec.ir import Spec

_CHANGED = 3
"""As many generated files are changed at the limits of their fields: which parts a file has is left to chance."""
_LISTED = 1 << 12
"""A rule with no more texts is tried on each of them."""


@dataclass(frozen=True)
class Version:
    """One version of a schema with an engine that reads and writes by it, whatever its file is called."""

    spec: Spec
    engine: Engine

    def read(self, data: bytes) -> Report:
        """Return the content of a file."""
        return self.engine.examine(data, self.spec.id)

    def wrote(self, report: Report) -> bytes | str:
        """Return the bytes of a document written anew; the reason where it cannot be written."""
        try:
            if self.engine.of(self.spec).binder.terms:
                return self.engine.spell(report.document, self.spec.id, canonical=True).data
            return self.engine.of(self.spec).codec.write(plain(report.reading.root))
        except BridgespecError as error:
            return str(error)


@contextmanager
def version(spec: Spec, path: Path, folders: list[Path]) -> Iterator[Version]:
    """Make a schema readable by its id: two versions in one folder cannot both be called after it."""
    with TemporaryDirectory() as folder:
        shutil.copy(path, Path(folder) / f"{spec.id}{path.suffix}")
        # Of schemas with one id that of the first folder wins: the copy. The others have what it imports.
        engine = Engine([folder, path.parent, *folders])
        yield Version(engine.spec(spec.id), engine)


@dataclass(frozen=True, slots=True)
class Witness:
    """A file that the old schema reads without an error, and what the new one makes of it otherwise."""

    data: bytes
    message: str
    field: str
    """The path of the field or record where they differ; empty where it is not known."""


def files(old: Version, new: Version, count: int, seed: int) -> Iterator[bytes]:
    """Return files of the old schema: its samples, generated boards, values drawn by chance, and those at the limits of both."""
    spec = old.spec
    yield from (sample.data for sample in spec.samples if not sample.codes)
    sampler, limits = Sampler(old.engine, spec, seed), _limits(spec, new.spec)
    for index in range(count):
        try:
            yield (made := sampler.valid(index))
        except UsageError:
            break
        if index < _CHANGED:
            yield from _at_limits(old, made, limits)
        try:
            yield sampler.drawn(Random(f"{spec.id} {seed} drawn {index}"))
        except BridgespecError:
            continue


def _limits(*specs: Spec) -> dict[str, set[int]]:
    """Return for each field the numbers on both sides of what a constraint of any version allows: chance seldom draws them."""
    found: dict[str, set[int]] = {}
    for record in (record for spec in specs for record in spec.records.values()):
        for field in record.fields:
            if (valid := field.valid) is not None:
                given = [one.constant for one in (valid.eq, valid.min, valid.max, *valid.any_of) if one is not None]
                # Not isinstance: True is an integer of Python too, and True + 1 is no limit of a Boolean field.
                near = {value + step for value in given if type(value) is int for step in (-1, 0, 1)}
                found.setdefault(field.name, set()).update(near)
    return found


def _at_limits(version: Version, data: bytes, limits: dict[str, set[int]]) -> Iterator[bytes]:
    """Return a file with one number at a time replaced by each limit of its field, in the first record that has it."""
    codec, left = version.engine.of(version.spec).codec, dict(limits)
    values = plain(codec.read(data).root)
    waiting: list[Any] = [values]
    while waiting and left:
        at = waiting.pop(0)
        waiting += [one for one in (at.values() if isinstance(at, dict) else at) if isinstance(one, dict | list)]
        for name in left.keys() & at.keys() if isinstance(at, dict) else ():
            before = at[name]
            for limit in left.pop(name) if isinstance(before, int) else ():
                at[name] = limit
                with suppress(BridgespecError):
                    yield codec.write(values)
            at[name] = before


def witness(old: Version, new: Version, data: bytes) -> Witness | None:
    """Return how the versions differ about a file; None where they do not, or the old one finds an error in it."""
    before = old.read(data)
    if before.errors:
        return None
    after = new.read(data)
    if after.errors:
        first = after.errors[0]
        where = f" at byte {first.span.byte_start:#x}" if first.span is not None else ""
        return Witness(data, f"{first.code}{where}: {first.message}", first.field or "")
    one, two = _meaning(old, before), _meaning(new, after)
    if one != two:
        return Witness(data, f"it is read as something else: {_difference(one, two)}", "")
    mine, theirs = old.wrote(before), new.wrote(before)
    if isinstance(mine, bytes) and mine != theirs:
        told = f"it cannot be written: {theirs}" if isinstance(theirs, str) else f"it is written otherwise: {_bytes(mine, theirs)}"
        return Witness(data, told, "")
    return None


def rule_witness(old: Version, new: Version, rule: str) -> str:
    """Return how a text of a rule differs, tried on the rule alone; nothing where no text does, or a version lacks the rule."""
    texts = [one.engine.of(one.spec).text for one in (old, new)]
    if any(text is None or rule not in text.engine.grammar.rules for text in texts):
        return ""
    before, after = (
        RuleTrial(text.engine.value(rule), Languages(text.engine.grammar, _LISTED)) for text in texts if text is not None
    )
    for text in before.texts():
        if not after.value.fits(text):
            return f"its text {text!r} is not read any more"
        if (one := before.read(text)) != (two := after.read(text)):
            return f"its text {text!r} was {one!r}, it is {two!r}"
    return ""


def _meaning(version: Version, report: Report) -> str:
    """The boards of a file as JSON, or the values of its fields."""
    if version.engine.of(version.spec).binder.terms:
        return model_json(report.document).decode()
    return repr(plain(report.reading.root))


def _difference(one: str, two: str) -> str:
    at = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    start = max(0, at - 20)
    return f"{one[start : at + 20]!r} became {two[start : at + 20]!r}"


def _bytes(one: bytes, two: bytes) -> str:
    at = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"from byte {at:#x} on {one[at : at + 8].hex(' ') or 'nothing'} became {two[at : at + 8].hex(' ') or 'nothing'}"
