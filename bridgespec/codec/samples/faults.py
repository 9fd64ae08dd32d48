"""Faults of known consequence: a valid file changed at one place, with the finding that must come of just that change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, pairwise
from random import Random
from typing import Any

from bridgespec.codec.binary.problems import CONTENTS, INVALID, TRUNCATED
from bridgespec.codec.binary.record import RecordElement, ValueElement
from bridgespec.codec.binary.scope import Frame
from bridgespec.codec.binary.valid import Constraint
from bridgespec.codec.node import ByteNode, Node, plain
from bridgespec.codec.problems import DERIVED
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.samples.values import Undrawn, shapes
from bridgespec.codec.terms._values import UNKNOWN_CODE
from bridgespec.codec.text.engine import TextEngine
from bridgespec.codec.text.reader import UNREADABLE
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.text.values import Record
from bridgespec.errors import WriteError
from bridgespec.spec import ir
from bridgespec.spec.grammar import Choice, Grammar, Pattern, Ref, Repeat
from bridgespec.spec.grammar.rules import walk
from bridgespec.spec.kaitai.expr import tree
from bridgespec.spec.kaitai.expr.evaluate import EvaluationError, Function
from bridgespec.spec.kaitai.sizes import field_bits

_WORD = re.compile(r"[a-z_]\w*")
_NOTHING = "\x00"
_MISFITS = ("zz", "Zz", "0x", "??", "99999")
"""Texts of which some field can hold one, and its reader cannot."""


Write = Callable[[dict[str, Any]], bytes]
_TRIED = 60
"""How many fields of a record are changed, each in a few ways, until a condition of it no longer holds."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file with one fault: its bytes, the code of the finding, the field, and the bytes that are marked (None: at the end)."""

    data: bytes
    code: str
    field: str
    start: int
    stop: int


def faults(spec: ir.Spec, root: Node, data: bytes, random: Random, write: Write) -> Iterator[Fault]:
    """Every kind of fault that the file can have, each at a place by chance; ``write`` spells plain values."""
    found: dict[tuple[str, str], list[Fault]] = {}
    if isinstance(spec.text, Grammar):
        made = chain(_of_text(spec.text, root, data), _of_reports(spec, spec.text, root, data, random))
    else:
        made = chain(_of_bytes(spec, root, data), _of_conditions(spec, root, random, write))
    for fault in made:
        found.setdefault((fault.code, re.sub(r"\[\d+\]", "", fault.field)), []).append(fault)
    for some in found.values():
        yield random.choice(some)


# --- binary


def _of_bytes(spec: ir.Spec, root: Node, data: bytes) -> Iterator[Fault]:
    structural = _structural(spec)
    for path, node in root.walk():
        decl = node.decl
        if (
            decl is None
            or node.children
            or node.absent
            or node.broken
            or node.start % 8
            or node.stop % 8
            or node.start == node.stop
        ):
            continue
        start, stop = node.start // 8, node.stop // 8
        kind = decl.type
        if isinstance(kind, ir.BytesType) and kind.contents is not None:
            changed = bytes([data[start] ^ 0x20]) + data[start + 1 : stop]
            yield Fault(data[:start] + changed + data[stop:], decl.binding.code or CONTENTS.name, path, start, stop)
        if not isinstance(kind, ir.IntType) or decl.name in structural or not (kind.size == 1 or kind.endian):
            continue
        for value, code in _wrong(spec, decl, node.value):
            low, high = kind.range
            if low <= value <= high:
                raw = value.to_bytes(kind.size, "big" if kind.endian == "be" else "little", signed=kind.signed)
                yield Fault(data[:start] + raw + data[stop:], code, path, start, stop)
    if data and _whole_records(spec, data):
        yield Fault(data[:-1], TRUNCATED.name, "", len(data) - 1, len(data) - 1)


def _wrong(spec: ir.Spec, decl: ir.Field, value: Any) -> Iterator[tuple[int, str]]:
    """Values that an integer may not have, each with the code of what is found."""
    binding, valid = decl.binding, decl.valid
    if decl.enum is not None and (binding.term or not binding.opaque) and valid is None:
        known = {*spec.enums[decl.enum].members, *binding.lenient, binding.unknown}
        yield next(code for code in range(len(known) + 1) if code not in known), UNKNOWN_CODE.name
    elif binding.value is not None and isinstance(value, int):
        yield value ^ 1, binding.code or DERIVED.name
    elif valid is not None and decl.enum is None:
        code = binding.code or INVALID.name
        for bound, step in ((valid.eq, 1), (valid.min, -1), (valid.max, 1)):
            if bound is not None and isinstance(bound.constant, int):
                yield bound.constant + step, code


def _of_conditions(spec: ir.Spec, root: Node, random: Random, write: Write) -> Iterator[Fault]:
    """Values by which what an author demands, of a record or of a field, is no longer true: the demand itself is worked out."""
    values, shaping, done = plain(root), _shaping(spec), set()
    nodes = {path: node for path, node in (("", root), *root.walk()) if isinstance(node, ByteNode)}
    for path, node in nodes.items():
        frame = node.scope
        if frame is None or node.broken or not isinstance(frame.element, RecordElement):
            continue
        checks = [(holds, check) for holds, check in frame.element.checks if check.code not in done]
        inside = node.walk(path) if checks else ()
        leaves = [(at, one) for at, one in inside if _is_free(one, nodes.get(_owner(at)), shaping)]
        for holds, check in checks:
            for at, leaf in random.sample(leaves, min(_TRIED, len(leaves))):
                changed = next((value for value in _others(leaf) if not _holds(nodes, at, value, frame, holds)), None)
                data = None if changed is None else _with(values, at, changed, write)
                if data is not None:
                    yield Fault(data, check.code, path, node.start // 8, -(-node.stop // 8))
                    done.add(check.code)
                    break
    for path, node in nodes.items():
        decl, owner = node.decl, nodes.get(_owner(path))
        if decl is None or decl.valid is None or owner is None or owner.scope is None or not _is_free(node, owner, shaping):
            continue
        enum = spec.enums[decl.enum] if decl.enum is not None else None
        allowed = Constraint(decl.valid, enum, decl.binding)
        changed = next((value for value in _others(node) if not allowed.passes(owner.scope, value)), None)
        data = None if changed is None else _with(values, path, changed, write)
        if data is not None:
            yield Fault(data, decl.binding.code or INVALID.name, path, node.start // 8, -(-node.stop // 8))


def _owner(path: str) -> str:
    """The path of the record that a field is of."""
    return path.rpartition(".")[0]


def _is_free(node: Node, owner: Node | None, shaping: set[tuple[str, str]]) -> bool:
    """Whether a field has a value that may be another, and nothing else depends on where it stands."""
    decl, frame = node.decl, owner.scope if isinstance(owner, ByteNode) else None
    if decl is None or node.children or node.absent or node.broken or decl.binding.value is not None:
        return False
    if frame is None or shaping & {("", decl.name), (frame.element.title, decl.name)}:
        return False
    return isinstance(node.value, int | str) and not isinstance(decl.type, ir.SwitchType | ir.RecordType)


def _shaping(spec: ir.Spec) -> set[tuple[str, str]]:
    """The fields on which it depends what else stands in a file, each with the record that it is of; none: of any record."""
    found: set[tuple[str, str]] = set()
    for record in spec.records.values():
        title = record.name.rpartition("::")[2]
        pending = shapes(record)
        seen = set()
        while pending:
            for node in tree.walk(pending.pop().tree):
                if isinstance(node, tree.Attribute):
                    found.add(("", node.name))
                elif isinstance(node, tree.Name) and node.id not in seen:
                    seen.add(node.id)
                    instance = record.instances.get(node.id)
                    pending += [instance.value] if isinstance(instance, ir.ValueInstance) else []
        found |= {(title, name) for name in seen}
    return found


def _others(node: Node) -> Iterator[int | str]:
    """Other values that a field of its type can have."""
    kind, value = node.decl.type if node.decl is not None else None, node.value
    if isinstance(value, str):
        yield from (letter * len(value) for letter in "?z0 " if letter * len(value) != value)
    elif isinstance(kind, ir.IntType | ir.BitsType) and isinstance(value, int):
        low, high = kind.range
        near = dict.fromkeys((value + 1, value - 1, high, low, value ^ 2, value ^ 4))
        yield from (one for one in near if low <= one <= high and one != value)


def _holds(nodes: dict[str, ByteNode], path: str, value: Any, frame: Frame, holds: Function) -> bool:
    """Whether a condition of a record holds where one value is another."""
    owner, _, name = path.rpartition(".")
    name, _, index = name.partition("[")
    inner = nodes[owner].scope if owner in nodes else None
    if inner is None or name not in inner.values:
        return True
    kept = [(one, dict(one.values)) for one in {id(one): one for one in (frame, inner)}.values()]
    session, session.reading = frame.session, False
    try:
        for one, before in kept:
            one.values = {key: old for key, old in before.items() if not isinstance(one.element.instances.get(key), ValueElement)}
        inner.values[name] = value if not index else _replaced(inner.values[name], int(index[:-1]), value)
        return bool(holds(frame))
    except EvaluationError:
        return True
    finally:
        session.reading = True
        for one, before in kept:
            one.values = before


def _replaced(items: Any, at: int, value: Any) -> list[Any]:
    return [*items[:at], value, *items[at + 1 :]]


def _with(values: dict[str, Any], path: str, value: Any, write: Write) -> bytes | None:
    """The file in which one value is another; None where it cannot be written."""
    changed: Any = deepcopy(values)
    steps: list[Any] = [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]
    holder = changed
    for here, after in pairwise(steps):
        if isinstance(after, int):
            holder[here] = list(holder[here])
        holder = holder[here]
    holder[steps[-1]] = value
    try:
        return write(changed)
    except (WriteError, TypeError):
        return None


def _structural(spec: ir.Spec) -> set[str]:
    """Every name on which it depends where something stands: one that is wrong may hide what else is."""
    used: list[Any] = []
    for record in spec.records.values():
        for one in record.fields:
            used += [one.repeat_expr, one.condition, getattr(one.type, "on", None)]
            for kind in (one.type, *(case for _, case in getattr(one.type, "cases", ()))):
                used += [getattr(getattr(kind, "extent", None), "size", None), *getattr(kind, "args", ())]
        for instance in record.instances.values():
            if isinstance(instance, ir.PosInstance):
                extent = getattr(instance.field.type, "extent", None)
                used += [instance.pos, instance.io, getattr(extent, "size", None), instance.field.condition]
            else:
                used.append(instance.value)
    return {word for one in used if one is not None for word in _WORD.findall(one.source)}


def _whole_records(spec: ir.Spec, data: bytes) -> bool:
    """Whether a byte that is missing at the end is missing from a field of a known size."""
    last = spec.top.fields[-1] if spec.top.fields else None
    if last is None or last.condition is not None or any(isinstance(one, ir.PosInstance) for one in spec.top.instances.values()):
        return False
    bits = field_bits(ir.Field(last.name, last.type, last.place), spec.records)
    if not bits:
        return False
    size = -(-bits // 8)
    end = last.binding.end
    # The record that ends a list may be cut short: the last one must not be it.
    return end is None or (len(data) % size == 0 and any(data[-size:][: end.bits // 8]))


# --- text


def _of_text(grammar: Grammar, root: Node, data: bytes) -> Iterator[Fault]:
    for path, node in root.walk():
        if isinstance(node, TextNode) and isinstance(node.shape, Record):
            yield from _in_record(node.shape, node, path, data)
    if not any(_takes_nothing(part) for rule in grammar.rules.values() for part in walk(rule.expr)):
        yield Fault(data + b"\n\0\n", UNREADABLE.name, "", len(data), len(data) + 2)


def _of_reports(spec: ir.Spec, grammar: Grammar, root: Node, data: bytes, random: Random) -> Iterator[Fault]:
    """Texts of rules that are read to be reported, put in behind a piece in whose place they could stand."""
    engine, sentences, source = TextEngine(spec), Sentences(grammar, random), data.decode("latin-1")
    for path, node in [("", root), *root.walk()]:
        rule = node.shape.rule if isinstance(node, TextNode) and isinstance(node.shape, Record) else None
        for part in walk(rule.expr) if rule is not None else ():
            options = part.item.options if isinstance(part, Repeat) and isinstance(part.item, Choice) else ()
            names = [one.name if isinstance(one, Ref) else "" for one in options]
            for at, name in enumerate(names):
                report = grammar.rules[name].words.report if name else None
                behind = [one for one in getattr(node, "parts", None) or () if one.shape.rule.name in names and one.stop]
                if report is None or not behind or "" in names[:at]:
                    continue
                after = random.choice(behind)
                with suppress(Undrawn):
                    text, stop = sentences.text(name), after.stop // 8
                    whole = source[:stop] + text + source[stop:]
                    rivals = [(engine.value(one), stop) for one in names[:at]]
                    rivals.append((engine.value(after.shape.rule.name), after.start // 8))
                    ends = range(stop + 1, len(whole) + 1)
                    taken = any(one.fits(whole, start, end) for one, start in rivals for end in ends)
                    if text and not taken and engine.value(name).fits(whole, stop, stop + len(text)):
                        raw = text.encode("latin-1")
                        yield Fault(data[:stop] + raw + data[stop:], report.code, path, stop, stop + len(raw))


def _takes_nothing(part: Any) -> bool:
    """Whether a piece may match a character that no text has."""
    return isinstance(part, Pattern) and re.compile(part.regex).search(_NOTHING) is not None and _eats(part.regex)


def _eats(regex: str) -> bool:
    found = re.compile(regex).search(_NOTHING)
    return found is not None and _NOTHING in found[0]


def _in_record(shape: Record, node: TextNode, path: str, data: bytes) -> Iterator[Fault]:
    parts = node.parts or []
    for name in shape.derived:
        part = node.first(name)
        if part is not None and part.text[-1:].isdigit():
            wrong = part.text[:-1] + str((int(part.text[-1]) + 1) % 10)
            yield _put(data, part, wrong, DERIVED.name, f"{path}.{name}")
    for name, handover in shape.handovers.items():
        part = node.first(name)
        if part is None:
            continue
        reader, _ = handover.choose(shape.key(handover, parts), part.source, part.start // 8, part.stop // 8)
        own = shape.field(name)
        for wrong in _MISFITS if reader is not None else ():
            if own.fits(wrong) and reader is not None and not reader.fits(wrong):
                yield _put(data, part, wrong, handover.word.code, f"{path}.{name}")
                break


def _put(data: bytes, part: TextNode, text: str, code: str, field: str) -> Fault:
    start, stop = part.start // 8, part.stop // 8
    return Fault(data[:start] + text.encode() + data[stop:], code, field, start, start + len(text))
