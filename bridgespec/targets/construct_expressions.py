"""Translate expressions of schemas to Python over construct's context: ``this`` is the record being read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from construct import Container

from bridgespec.spec.ir import Record
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    CallExpression,
    Cast,
    Compare,
    Expression,
    Index,
    LiteralExpression,
    Logic,
    Member,
    Name,
    Ternary,
    Tree,
    Unary,
    Visitor,
    word,
)
from bridgespec.spec.kaitai.expr.types import ANY, ExpressionTypeError, ValueType
from bridgespec.spec.kaitai.names import SchemaNames
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.python_names import is_usable
from bridgespec.targets.refused import NotExpressible

FORM = "a construct declaration"
_OWN = frozenset(dir(Container))
_SPECIAL = {"_root": "this._root", "_parent": "this._", "_index": "this._index", "_": "it"}
_CALLS = {"length": "len({})", "size": "len({})", "to_s": "str({})", "min": "min({})", "max": "max({})"}
_CALLS |= {"first": "{}[0]", "last": "{}[-1]", "reverse": "{}[::-1]"}


@dataclass(frozen=True)
class Globals:
    """The identifiers in a generated module for records and for tables of enums, by absolute name."""

    records: Mapping[str, str]
    codes: Mapping[str, str]


@dataclass(frozen=True)
class View:
    """The names that the declarations of one record can use; ``known`` are the fields and instances declared so far."""

    names: SchemaNames
    record: Record
    globals: Globals
    known: frozenset[str] = frozenset()
    it: ValueType = ANY

    def function(self, expression: Expression, place: SchemaPlace, head: str = "this") -> str:
        """Return the Python source of an expression as a function of the context; of a literal as itself."""
        if isinstance(expression.tree, LiteralExpression):
            return repr(expression.tree.value)
        return f"lambda {head}: {_Printer(self, place).visit(expression.tree)}"

    def constant(self, expression: Expression, place: SchemaPlace) -> str:
        """Return the Python source of an expression without names."""
        match expression.tree:
            case LiteralExpression(value=value):
                return repr(value)
            case Member(value=code):
                return repr(code)
        raise NotExpressible("a case that is computed", expression.place or place, FORM)

    def kind(self, tree: Tree) -> ValueType:
        """Return the type of an expression's tree, as the schema's checks determine it."""
        try:
            return Checker(self.names.seen_from(self.record.name), self.it).visit(tree)[0]
        except ExpressionTypeError:
            return ANY


@dataclass(frozen=True)
class _Printer(Visitor[str]):
    """Translates one expression, at ``place`` of a schema, to Python."""

    view: View
    place: SchemaPlace

    def refuse(self, tree: Tree) -> str:
        raise NotExpressible(f"an expression of the kind {word(tree)}", self.place, FORM)

    def visit_literal(self, tree: LiteralExpression | Member) -> str:
        return repr(tree.value)

    visit_member = visit_literal

    def visit_name(self, tree: Name) -> str:
        if tree.id in _SPECIAL:
            return self._coded(tree, _SPECIAL[tree.id])
        if tree.id in self.view.known:
            return self._coded(tree, _item("this", tree.id))
        what = f"an expression that looks at {tree.id}, which stands later or in the stream,"
        raise NotExpressible(what, self.place, FORM)

    def visit_attribute(self, tree: Attribute) -> str:
        if self.view.kind(tree.of).kind == "struct":
            if tree.name in _SPECIAL and tree.name != "_":
                return self._coded(tree, f"{self.visit(tree.of)}.{_SPECIAL[tree.name].removeprefix('this.')}")
            if not tree.name.startswith("_"):
                return self._coded(tree, _item(self.visit(tree.of), tree.name))
        return self._coded(tree, self._of_value(tree))

    def visit_call(self, tree: CallExpression) -> str:
        return self._of_value(tree.of) if isinstance(tree.of, Attribute) and not tree.args else self.refuse(tree)

    def visit_index(self, tree: Index) -> str:
        return self._coded(tree, f"{self.visit(tree.of)}[{self.visit(tree.at)}]")

    def visit_cast(self, tree: Cast) -> str:
        return self.visit(tree.of)

    def visit_array(self, tree: Array) -> str:
        listed = f"[{', '.join(map(self.visit, tree.items))}]"
        return f"bytes({listed})" if tree.is_bytes else listed

    def visit_unary(self, tree: Unary) -> str:
        return f"({'not ' if tree.op == 'not' else tree.op}{self.visit(tree.of)})"

    def visit_binary(self, tree: BinaryExpression) -> str:
        # Kaitai's division of integers is integer division.
        sign = "//" if tree.op == "/" and self.view.kind(tree).kind in ("int", "byte") else tree.op
        return f"({self.visit(tree.left)} {sign} {self.visit(tree.right)})"

    def visit_compare(self, tree: Compare) -> str:
        return f"({self.visit(tree.left)} {tree.op} {self.visit(tree.right)})"

    def visit_logic(self, tree: Logic) -> str:
        return f"({f' {tree.op} '.join(map(self.visit, tree.items))})"

    def visit_ternary(self, tree: Ternary) -> str:
        return f"({self.visit(tree.then)} if {self.visit(tree.test)} else {self.visit(tree.other)})"

    def _coded(self, tree: Tree, text: str) -> str:
        # construct gives the members of enums as strings
        return f"_code({text})" if self.view.kind(tree).kind == "enum" else text

    def _of_value(self, tree: Attribute) -> str:
        of, name = tree.of, tree.name
        kind = self.view.kind(of)
        if kind.kind == "io" or (name not in _CALLS and name != "to_i"):
            raise NotExpressible(f"an expression that looks at {name} of {kind}", self.place, FORM)
        value = self.visit(of)
        if name == "to_i":
            return value if kind.kind == "enum" else f"int({value})"
        return _CALLS[name].format(value)


def _item(owner: str, name: str) -> str:
    """Return the source for access to a field of a container: by key if the name is a keyword or an attribute of the container."""
    return f"{owner}.{name}" if is_usable(name, _OWN) else f"{owner}[{name!r}]"
