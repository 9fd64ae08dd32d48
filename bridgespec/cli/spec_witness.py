"""Find files that two versions of a schema treat differently: made by the old version, read and written by both."""

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
    """One version of a schema, with an engine that knows it by its id, whatever its file is called."""

    spec: Spec
    engine: Engine

    def read(self, data: bytes) -> Report:
        """Return the report on a file read by this version."""
        return self.engine.examine(data, self.spec.id)

    def wrote(self, report: Report) -> bytes | str:
        """Return the bytes of a report's document, all encoded anew; the reason as text where it cannot be written."""
        try:
            if self.engine.of(self.spec).binder.terms:
                return self.engine.spell(report.document, self.spec.id, canonical=True).data
            return self.engine.of(self.spec).codec.write(plain(report.reading.root))
        except BridgespecError as error:
            return str(error)


@contextmanager
def version(spec: Spec, path: Path, folders: list[Path]) -> Iterator[Version]:
    """Yield a version of a schema under its id: it is copied to a folder of its own, since two versions have the same id."""
    with TemporaryDirectory() as folder:
        shutil.copy(path, Path(folder) / f"{spec.id}{path.suffix}")
        # Of schemas with one id that of the first folder wins: the copy. The others have what it imports.
        engine = Engine([folder, path.parent, *folders])
        yield Version(engine.spec(spec.id), engine)


@dataclass(frozen=True, slots=True)
class Witness:
    """A file that the old version reads without errors, with a description of what the new one does differently."""

    data: bytes
    message: str
    field: str
    """The path of the field or record where they differ; empty where it is not known."""


def files(old: Version, new: Version, count: int, seed: int) -> Iterator[bytes]:
    """Yield files of the old version: its samples, generated boards, random values, and values at the limits of constraints."""
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
    """Return for each field the integers at and next to the limits that constraints of any version set, which random values
    seldom are.
    """
    found: dict[str, set[int]] = {}
    for record in (record for spec in specs for record in spec.records.values()):
        for field in record.fields:
            if (valid := field.valid) is not None:
                given = [one.constant for one in (valid.eq, valid.min, valid.max, *valid.any_of) if one is not None]
                # Not isinstance, which accepts True: a Boolean field has no values next to its limits.
                near = {value + step for value in given if type(value) is int for step in (-1, 0, 1)}
                found.setdefault(field.name, set()).update(near)
    return found


def _at_limits(version: Version, data: bytes, limits: dict[str, set[int]]) -> Iterator[bytes]:
    """Yield a file with one integer, in the first record that has it, replaced by each limit of its field."""
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
    """Return the difference between what the versions do with a file; None without one, or if the old version reports an error."""
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
    """Return how two versions of a grammar rule differ, by texts of this rule alone; empty without a difference, or if a version
    lacks the rule.
    """
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
    """Return the boards of a report as JSON; without boards the values of the fields."""
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
