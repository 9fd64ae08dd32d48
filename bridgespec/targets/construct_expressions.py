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
    """The identifiers of a generated module: of its records and of the tables of its enums, by their absolute names."""

    records: Mapping[str, str]
    codes: Mapping[str, str]


@dataclass(frozen=True)
class View:
    """The names that the declarations of a record can refer to: ``known`` are the fields and instances declared before the present
    one.
    """

    names: SchemaNames
    record: Record
    globals: Globals
    known: frozenset[str] = frozenset()
    it: ValueType = ANY

    def function(self, expression: Expression, place: SchemaPlace, head: str = "this") -> str:
        """Return an expression as a function of the context; a literal as itself."""
        if isinstance(expression.tree, LiteralExpression):
            return repr(expression.tree.value)
        return f"lambda {head}: {self._python(expression.tree, place)}"

    def constant(self, expression: Expression, place: SchemaPlace) -> str:
        """Return an expression without names as a literal."""
        match expression.tree:
            case LiteralExpression(value=value):
                return repr(value)
            case Member(value=code):
                return repr(code)
        raise NotExpressible("a case that is computed", expression.place or place, FORM)

    def _kind(self, tree: Tree) -> ValueType:
        try:
            return Checker(self.names.seen_from(self.record.name), self.it).tree(tree)[0]
        except ExpressionTypeError:
            return ANY

    def _python(self, tree: Tree, place: SchemaPlace) -> str:
        text = self._plain(tree, place)
        # construct gives the members of enums as strings
        coded = isinstance(tree, Name | Attribute | Index) and self._kind(tree).kind == "enum"
        return f"_code({text})" if coded else text

    def _plain(self, tree: Tree, place: SchemaPlace) -> str:
        match tree:
            case LiteralExpression(value=value) | Member(value=value):
                return repr(value)
            case Name(id=name) if name in _SPECIAL:
                return _SPECIAL[name]
            case Name(id=name) if name in self.known:
                return _item("this", name)
            case Attribute(of=of, name=name) if self._kind(of).kind == "struct" and name in _SPECIAL and name != "_":
                return f"{self._python(of, place)}.{_SPECIAL[name].removeprefix('this.')}"
            case Attribute(of=of, name=name) if self._kind(of).kind == "struct" and not name.startswith("_"):
                return _item(self._python(of, place), name)
            case Attribute(of=of, name=name) | CallExpression(of=Attribute(of=of, name=name), args=()):
                return self._attribute(of, name, place)
            case Index(of=of, at=at):
                return f"{self._python(of, place)}[{self._python(at, place)}]"
            case Cast(of=of):
                return self._python(of, place)
            case Array(items=items, is_bytes=is_bytes):
                listed = f"[{', '.join(self._python(item, place) for item in items)}]"
                return f"bytes({listed})" if is_bytes else listed
            case Unary(op=op, of=of):
                return f"({'not ' if op == 'not' else op}{self._python(of, place)})"
            case BinaryExpression(op=op, left=left, right=right):
                sign = "//" if op == "/" and self._kind(tree).kind in ("int", "byte") else op
                return f"({self._python(left, place)} {sign} {self._python(right, place)})"
            case Compare(op=op, left=left, right=right):
                return f"({self._python(left, place)} {op} {self._python(right, place)})"
            case Logic(op=op, items=items):
                return f"({f' {op} '.join(self._python(item, place) for item in items)})"
            case Ternary(test=test, then=then, other=other):
                return f"({self._python(then, place)} if {self._python(test, place)} else {self._python(other, place)})"
            case Name(id=name):
                raise NotExpressible(f"an expression that looks at {name}, which stands later or in the stream,", place, FORM)
        raise NotExpressible(f"an expression of the kind {word(tree)}", place, FORM)

    def _attribute(self, of: Tree, name: str, place: SchemaPlace) -> str:
        kind = self._kind(of).kind
        if kind == "io" or (name not in _CALLS and name != "to_i"):
            raise NotExpressible(f"an expression that looks at {name} of {self._kind(of)}", place, FORM)
        value = self._python(of, place)
        if name == "to_i":
            return value if kind == "enum" else f"int({value})"
        return _CALLS[name].format(value)


def _item(owner: str, name: str) -> str:
    """Return the access to a field of a container: by key where the container's own attribute or a keyword has its name."""
    return f"{owner}.{name}" if is_usable(name, _OWN) else f"{owner}[{name!r}]"
