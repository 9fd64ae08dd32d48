"""How the expressions of a schema use its fields, where that restricts random values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bridgespec.codec.binary.implied import implied
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.tree import Attribute, Compare, Expression, Name, Tree, walk


def why_not(spec: ir.Spec) -> str | None:
    """Return the reason why no values can be drawn for a schema; None where they can be."""
    if spec.language != "ksy":
        return "its values are drawn from its grammar"
    if spec.top.params:
        names = ", ".join(one.name for one in spec.top.params)
        return f"its files are read with parameters ({names}), which only a schema that imports it gives"
    return None


class Uses:
    """What a schema's expressions require of its fields, by name: which determine the layout, which values select cases, and
    which are computed by a writer. Made once for each schema.
    """

    def __init__(self, spec: ir.Spec) -> None:
        self.spec = spec
        self.shaping = self._through_instances([one for record in spec.records.values() for one in shapes(record)])
        """The names that the layout depends on."""
        nodes = [node for one in self._expressions() for node in walk(one.tree)]
        self.numerals = {name_of(node.of) for node in nodes if isinstance(node, Attribute) and node.name == "to_i"}
        """The texts that are read as numbers."""
        self.cases = self._cases()
        """For each field that selects a layout, the values that select one."""
        self.deciding = self.shaping | self.cases.keys()
        """The names whose values decide which fields a file has, and where."""
        placed = (one for record in spec.records.values() for one in record.instances.values() if isinstance(one, ir.PosInstance))
        self.from_end = any(one.pos is not None and is_from_end(one.pos) for one in placed)
        """Whether a part is located relative to the end of the file."""
        mentions = Counter(name_of(node) for node in nodes)
        self.implied = implied(spec)
        """The lengths, counts and offsets that a writer computes, by (record, field)."""
        self.sole = {key for key in self.implied if mentions[key[1]] == 1}
        """The keys of `implied` whose fields no other expression uses."""

    def _cases(self) -> dict[str, list[Expression]]:
        """Return, for each field that a switch or a comparison for equality depends on, the values that it is compared with."""
        found: dict[str, list[Expression]] = {}
        for on, cases in _switches(self.spec):
            for name in self._through_instances([on]):
                found.setdefault(name, []).extend(case for case in cases if case is not None)
        for one in self._expressions():
            for node in walk(one.tree):
                if isinstance(node, Compare) and node.op == "==":
                    for name in self._through_instances([Expression(one.source, node.left)]):
                        found.setdefault(name, []).append(Expression(one.source, node.right))
        return found

    def _expressions(self) -> Iterator[Expression]:
        """Yield the expressions of the schema that determine the layout, and those of computed instances."""
        for record in self.spec.records.values():
            yield from shapes(record)
            yield from (one.value for one in record.instances.values() if isinstance(one, ir.ValueInstance))

    def _through_instances(self, shaping: list[Expression]) -> frozenset[str]:
        """Return the names in expressions, and those in the values of instances that these names refer to."""
        values: dict[str, list[Expression]] = {}
        for record in self.spec.records.values():
            for instance in record.instances.values():
                if isinstance(instance, ir.ValueInstance):
                    values.setdefault(instance.name, []).append(instance.value)
        seen: set[str] = set()
        pending = list(shaping)
        while pending:
            for node in walk(pending.pop().tree):
                name = name_of(node)
                if name and name not in seen:
                    seen.add(name)
                    pending += values.get(name, [])
        return frozenset(seen)


def name_of(tree: Tree) -> str:
    """Return the name of the field that an expression is a plain reference to; empty for any other expression."""
    return tree.id if isinstance(tree, Name) else tree.name if isinstance(tree, Attribute) else ""


def _switches(spec: ir.Spec) -> Iterator[tuple[Expression, list[Expression | None]]]:
    """Yield the expression of each switch, also of byte orders, with the values of its cases; None is the default case."""
    for record in spec.records.values():
        if record.endian_switch is not None:
            yield record.endian_switch.on, [case for case, _ in record.endian_switch.cases]
        for each in (*record.fields, *(one.field for one in record.instances.values() if isinstance(one, ir.PosInstance))):
            if isinstance(each.type, ir.SwitchType):
                yield each.type.on, [case for case, _ in each.type.cases]


def shapes(record: ir.Record) -> list[Expression]:
    """Return the expressions in a record that determine which fields are there, at which offset, and of what size."""
    used: list[Expression | None] = []
    placed = [one for one in record.instances.values() if isinstance(one, ir.PosInstance)]
    for each in (*record.fields, *(one.field for one in placed)):
        used += [each.repeat_expr, each.condition, getattr(each.type, "on", None)]
        for kind in (each.type, *(case for _, case in getattr(each.type, "cases", ()))):
            used += [getattr(getattr(kind, "extent", None), "size", None), *getattr(kind, "args", ())]
    used += [one.pos for one in placed]
    return [one for one in used if one is not None]


def is_from_end(pos: Expression) -> bool:
    """Whether an offset is computed from the size of the file."""
    return any(isinstance(node, Attribute) and node.name == "size" and name_of(node.of) == "_io" for node in walk(pos.tree))
