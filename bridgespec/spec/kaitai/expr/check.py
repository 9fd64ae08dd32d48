"""Check expressions against the types of a schema and resolve the names in them: `Checker.visit`."""

from __future__ import annotations

from typing import Protocol

from bridgespec.diagnostic import nearest
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.checksums import MODELS
from bridgespec.spec.kaitai.expr.functions import FOLDS, FUNCTIONS, PLACES
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    Bytes,
    CallExpression,
    Cast,
    Compare,
    Fold,
    FormatExpression,
    Function,
    Index,
    LiteralExpression,
    Logic,
    Measure,
    Member,
    Name,
    SizeOf,
    SpotExpression,
    Ternary,
    Tree,
    Unary,
    Visitor,
)
from bridgespec.spec.kaitai.expr.types import ExpressionTypeError, ValueType
from bridgespec.spec.kaitai.type_scope import IDENTIFIER

Typed = tuple[ValueType, Tree]


class Names(Protocol):
    """The names of a schema that an expression of one record can refer to."""

    record: str

    def attribute(self, record: str, name: str) -> ValueType | None:
        """Return the type of a record's field, instance or parameter; None where there is none."""

    def attributes(self, record: str) -> set[str]:
        """Return the names of all attributes of a record."""

    def has_place(self, record: str, name: str) -> bool:
        """Whether a name in a record has an offset: a field, or an instance that is read."""

    def parent(self, record: str) -> ValueType:
        """Return the type of ``_parent`` inside a record."""

    def root(self, record: str) -> ValueType:
        """Return the type of ``_root`` inside a record."""

    def named_type(self, name: str) -> ValueType | None:
        """Return the type that a cast names."""

    def member(self, path: tuple[str, ...]) -> tuple[str, int]:
        """Return an enum's absolute name and a member's value. Raises ExpressionTypeError where there is none."""

    def size(self, type_name: str) -> int | None:
        """Return the size of a type in bits, by name; None where it depends on the file."""

    def attribute_size(self, record: str, name: str) -> int | None:
        """Return the size of a field in bits; None where it depends on the file."""

    def record_size(self, record: str) -> int | None:
        """Return the size of a record in bits; None where it depends on the file."""


class Checker(Visitor[Typed]):
    """Checks trees: ``visit`` returns a tree's type and the tree with resolved names, or raises ExpressionTypeError for an unknown
    name or a type that does not fit. Made for each expression.

    ``it`` is the type of ``_``, where it is defined; ``ours`` is true for an expression under a ``-bridge-`` key, where the
    package's own functions are allowed: all other expressions must be valid for Kaitai's compiler.
    """

    def __init__(self, names: Names, it: ValueType | None = None, ours: bool = False) -> None:
        self.names = names
        self.it = it
        self.ours = ours

    def _of_kind(self, tree: Tree, kinds: tuple[str, ...], what: str) -> Typed:
        kind, resolved = self.visit(tree)
        if kind.kind not in kinds:
            raise ExpressionTypeError(f"{what} takes no {_bare(kind)}")
        return kind, resolved

    def visit_literal(self, tree: LiteralExpression) -> Typed:
        value = tree.value
        match value:
            case bool():
                return t.BOOL, tree
            case int():
                # Lists of such literals are byte arrays in Kaitai.
                return (t.BYTE if 0 <= value <= 255 else t.INT), tree
            case float():
                return t.FLOAT, tree
            case str():
                return t.STR, tree
            case bytes():
                return t.BYTES, tree
        return t.ANY, tree

    def visit_format(self, tree: FormatExpression) -> Typed:
        parts: list[str | Tree] = []
        for part in tree.parts:
            if isinstance(part, str):
                parts.append(part)
            else:
                kind, resolved = self.visit(part)
                if kind.kind not in ("int", "byte", "str", "float", "any"):
                    raise ExpressionTypeError(f"an f-string cannot hold {kind}")
                parts.append(resolved)
        return t.STR, FormatExpression(tuple(parts))

    def visit_name(self, tree: Name) -> Typed:
        names, name = self.names, tree.id
        if name == "_":
            if self.it is None:
                raise ExpressionTypeError("_ stands for nothing here: only in repeat-until, valid/expr and for the items of a list")
            return self.it, tree
        # A field of the schema may have this name, and takes precedence.
        if name == "_offset" and self.names.attribute(names.record, name) is None:
            return self._measured(SpotExpression(None), "offset")
        found = self._special(names.record, name) or names.attribute(names.record, name)
        if found is None:
            if not IDENTIFIER.fullmatch(name.lstrip("_")) and name != name.lower():
                raise ExpressionTypeError(f"{name!r} is not a name: lower case letters, digits and _")
            raise ExpressionTypeError(f"'{name}' is not declared here", nearest(name, names.attributes(names.record)))
        if name == "_sizeof":
            bits = names.record_size(names.record)
            return (
                (t.INT, LiteralExpression((bits + 7) // 8)) if bits is not None else self._measured(SpotExpression(None), "sizeof")
            )
        return found, tree

    def _special(self, record: str, name: str) -> ValueType | None:
        """Return the type of a special name such as ``_io`` inside a record; None for any other name."""
        match name:
            case "_root":
                return self.names.root(record)
            case "_parent":
                return self.names.parent(record)
            case "_io":
                return t.IO
            case "_index" | "_sizeof":
                return t.INT
            case "_is_le":
                return t.BOOL
            case "_on":
                return t.ANY
        return None

    def visit_member(self, tree: Member) -> Typed:
        enum, value = self.names.member(tree.path)
        return ValueType("enum", enum), Member(tree.path, value)

    def visit_array(self, tree: Array) -> Typed:
        items = [self.visit(item) for item in tree.items]
        if not items:
            return t.array_of(t.ANY), tree
        kind = items[0][0]
        for other, _ in items[1:]:
            joined = t.unify(kind, other)
            if joined is None:
                raise ExpressionTypeError(f"a list cannot hold both {kind} and {other}")
            kind = joined
        is_bytes = kind.kind == "byte"
        # As a literal, so that the checks of a schema see its constant value.
        if is_bytes and all(isinstance(item, LiteralExpression) for _, item in items):
            return t.BYTES, LiteralExpression(bytes(item.value for _, item in items))  # type: ignore[union-attr, misc]
        return (t.BYTES if is_bytes else t.array_of(kind)), Array(tuple(item for _, item in items), is_bytes)

    def visit_attribute(self, tree: Attribute) -> Typed:
        if tree.name == "_sizeof":
            bits = self._fixed_size(tree.of)
            return (
                (t.INT, LiteralExpression((bits + 7) // 8)) if bits is not None else self._measured(self._spot(tree.of), "sizeof")
            )
        if tree.name == "_offset":
            return self._measured(self._spot(tree.of), "offset")
        kind, of = self.visit(tree.of)
        if kind.kind == "bytes" and tree.name == "to_s":
            raise ExpressionTypeError("to_s of a byte array takes one argument, the encoding as a literal")
        return self._attribute_type(kind, tree.name), Attribute(of, tree.name)

    def _fixed_size(self, of: Tree) -> int | None:
        """Return the size of a field or a record in bits; None where it depends on the file."""
        match of:
            # Special names have no size in the schema.
            case Name(id=name) if not name.startswith("_"):
                self.visit(of)
                return self.names.attribute_size(self.names.record, name)
            case Attribute(of=inner, name=name):
                kind, _ = self.visit(inner)
                if kind.kind == "struct" and kind.name:
                    return self.names.attribute_size(kind.name, name)
        kind, _ = self.visit(of)
        return self.names.record_size(kind.name) if kind.kind == "struct" and kind.name else None

    # --- positions of fields ---

    def _measured(self, spot: SpotExpression, what: str) -> Typed:
        """Return the `Measure` of a position, ``what`` being ``sizeof`` or ``offset``."""
        # Kaitai's `_sizeof` is defined for fixed sizes only.
        if not self.ours:
            if what == "sizeof":
                raise ExpressionTypeError("this size is not fixed", OURS_ALONE)
            raise ExpressionTypeError(f"'_{what}' is not one of Kaitai's words", OURS_ALONE)
        return t.INT, Measure(spot, what)

    def _spot(self, tree: Tree) -> SpotExpression:
        """Return the position of the field, record or stream that an expression names; ExpressionTypeError for a computed value."""
        match tree:
            case SpotExpression():
                return tree
            case Name(id="_io"):
                return SpotExpression(None, stream=True)
            case Attribute(of=of, name="_io"):
                return SpotExpression(self.visit(of)[1], stream=True)
            case Name(id=name) if not name.startswith("_"):
                self.visit(tree)
                return self._placed(None, self.names.record, name)
            case Index(of=of, at=at):
                inner = self._spot(of)
                _, at = self._of_kind(at, t.INTEGERS, "an index")
                listed, _ = self.visit(of)
                if listed.kind != "array" or inner.name is None:
                    raise ExpressionTypeError(f"{listed} has no elements with places of their own")
                return SpotExpression(inner.owner, inner.name, at)
            case Attribute(of=of, name=name) if not name.startswith("_"):
                kind, owner = self.visit(of)
                self._attribute_type(kind, name)
                if kind.kind == "struct" and kind.name:
                    return self._placed(owner, kind.name, name)
        kind, resolved = self.visit(tree)
        if kind.kind != "struct":
            raise ExpressionTypeError(f"{kind} that is computed has no place in the file")
        return SpotExpression(resolved)

    def _placed(self, owner: Tree | None, record: str, name: str) -> SpotExpression:
        if not self.names.has_place(record, name):
            raise ExpressionTypeError(f"'{name}' is not read from a place in the file")
        return SpotExpression(owner, name)

    def visit_measure(self, tree: Measure) -> Typed:
        return t.INT, tree

    def visit_bytes(self, tree: Bytes) -> Typed:
        return t.BYTES, tree

    # --- functions ---

    def _function_call(self, name: str, args: tuple[Tree, ...]) -> Typed:
        word = FOLDS.get(name) or FUNCTIONS.get(name) or PLACES.get(name)
        if word is None or name.startswith("_"):
            known = {*FOLDS, *FUNCTIONS, "span"}
            raise ExpressionTypeError("only a method of a value can be called", nearest(name, known) if self.ours else None)
        if not self.ours:
            raise ExpressionTypeError(f"'{name}' is not one of Kaitai's words", OURS_ALONE)
        if len(args) not in {form.count(",") + 1 for form in word.forms}:
            raise ExpressionTypeError(f"{name} is called as {' or '.join(word.forms)}")
        if name == "span":
            first, last = self._spot(args[0]), self._spot(args[-1])
            if len(args) > 1 and first.stream:
                raise ExpressionTypeError("span(_io) is the whole stream: it takes no second argument")
            return t.BYTES, Bytes(first, last)
        if name in FOLDS:
            return self.visit_fold(Fold(name, args[0], args[1] if len(args) > 1 else None))
        return self.visit_function(Function(name, args))

    def visit_fold(self, tree: Fold) -> Typed:
        name = tree.name
        kind, of = self.visit(tree.of)
        if kind.kind not in ("array", "bytes", "any"):
            raise ExpressionTypeError(f"{name} takes a list, or the bytes of a span, not {kind}")
        item = t.BYTE if kind.kind == "bytes" else kind.of or t.ANY
        each = None
        if tree.each is not None:
            # Another checker, since `_` is the item inside and may be something else around it.
            item, each = Checker(self.names, item, self.ours).visit(tree.each)
        if name == "map":
            return t.array_of(item), Fold(name, of, each)
        wanted = {"count": t.BOOLEANS, "xor": t.INTEGERS}.get(name, t.NUMBERS)
        if item.kind not in wanted:
            what = "a condition" if name == "count" else "integers" if name == "xor" else "numbers"
            more = "" if each is not None else f"; say what of each item: {FOLDS[name].forms[-1]}"
            raise ExpressionTypeError(f"{name} takes {what}, not {item}{more}")
        return (t.FLOAT if item.kind == "float" else t.INT), Fold(name, of, each)

    def visit_function(self, tree: Function) -> Typed:
        name = tree.name
        given = [self.visit(arg) for arg in tree.args]
        kind = given[0][0]
        takes = ("bytes", "any", *(t.INTEGERS if name == "popcount" else ()))
        if kind.kind not in takes:
            help = "span(field) is the bytes that a field takes" if kind.kind in ("struct", "array", "str") else None
            what = "an integer or bytes" if name == "popcount" else "bytes"
            raise ExpressionTypeError(f"{name} takes {what}, not {kind}", help)
        if name.startswith("words") and given[1][0].kind not in t.INTEGERS:
            raise ExpressionTypeError(f"{name} takes the bytes of a word as an integer, not {given[1][0]}")
        if name == "fletcher" and given[1][0].kind not in t.INTEGERS:
            raise ExpressionTypeError(f"fletcher takes its width as an integer, not {given[1][0]}")
        if name == "crc":
            _check_model([kind for kind, _ in given[1:]], given[1][1])
        gives = {"integer": t.INT, "list": t.array_of(t.INT), "bytes": t.BYTES}
        return gives[FUNCTIONS[name].gives], Function(name, tuple(arg for _, arg in given))

    def _attribute_type(self, kind: ValueType, name: str) -> ValueType:
        """Return the type of an attribute or a method of a value. Raises ExpressionTypeError where there is none."""
        if kind.kind == "any":
            return t.ANY
        if kind.kind == "struct":
            known: set[str] = set()
            found: ValueType | None = None
            if kind.name is not None:
                found = self._special(kind.name, name) or self.names.attribute(kind.name, name)
                known = self.names.attributes(kind.name)
            elif name in ("_io", "_root", "_parent"):
                found = {"_io": t.IO}.get(name, t.STRUCT)
        else:
            methods = t.METHODS.get(kind.kind, {})
            known, found = set(methods), methods.get(name)
            if kind.kind == "array" and name in ("first", "last", "min", "max"):
                found = kind.of
        if found is None:
            raise ExpressionTypeError(f"{kind} has no '{name}'", nearest(name, known))
        return found

    def visit_call(self, tree: CallExpression) -> Typed:
        if isinstance(tree.of, Name):
            return self._function_call(tree.of.id, tree.args)
        if not isinstance(tree.of, Attribute):
            raise ExpressionTypeError("only a method of a value can be called")
        kind, of = self.visit(tree.of.of)
        name = tree.of.name
        args = [self.visit(arg) for arg in tree.args]
        kinds = [arg.kind for arg, _ in args]
        if kind.kind == "bytes" and name == "to_s":
            if kinds != ["str"] or not isinstance(args[0][1], LiteralExpression):
                raise ExpressionTypeError("to_s of a byte array takes one argument, the encoding as a literal")
        elif kind.kind == "str" and name == "to_i" and len(args) == 1:
            self._arguments_fit(name, kinds, 1)
        elif kind.kind == "str" and name == "substring":
            self._arguments_fit(name, kinds, 2)
        elif args:
            raise ExpressionTypeError(f"'{name}' of {kind} takes no arguments")
        result = self._attribute_type(kind, name)
        return result, CallExpression(Attribute(of, name), tuple(arg for _, arg in args))

    def _arguments_fit(self, name: str, kinds: list[str], count: int) -> None:
        if len(kinds) != count or any(kind not in t.INTEGERS for kind in kinds):
            raise ExpressionTypeError(f"{name} takes {count} integer{'s' if count > 1 else ''}")

    def visit_index(self, tree: Index) -> Typed:
        kind, of = self.visit(tree.of)
        _, at = self._of_kind(tree.at, t.INTEGERS, "an index")
        if kind.kind == "array":
            return kind.of or t.ANY, Index(of, at)
        if kind.kind in ("bytes", "any"):
            return (t.BYTE if kind.kind == "bytes" else t.ANY), Index(of, at)
        raise ExpressionTypeError(f"{kind} has no elements")

    def visit_cast(self, tree: Cast) -> Typed:
        kind = self.names.named_type(tree.type)
        if kind is None:
            raise ExpressionTypeError(f"type '{tree.type}' is not declared")
        _, of = self.visit(tree.of)
        # Casts of list literals choose between bytes and a list; other casts leave the value as it is.
        if kind.kind == "bytes" and isinstance(of, Array):
            of = Array(of.items, True)
        elif kind.kind == "array" and isinstance(of, LiteralExpression) and isinstance(of.value, bytes):
            of = Array(tuple(LiteralExpression(byte) for byte in of.value))
        elif kind.kind == "array" and isinstance(of, Array):
            of = Array(of.items, False)
        return kind, Cast(of, tree.type)

    def visit_sizeof(self, tree: SizeOf) -> Typed:
        bits = self.names.size(tree.type)
        if bits is None:
            raise ExpressionTypeError(f"the size of type '{tree.type}' is not fixed, or it is not declared")
        return t.INT, LiteralExpression(bits if tree.bits else (bits + 7) // 8)

    def visit_unary(self, tree: Unary) -> Typed:
        wanted = {"not": t.BOOLEANS, "~": t.INTEGERS}.get(tree.op, t.NUMBERS)
        kind, of = self._of_kind(tree.of, wanted, f"'{tree.op}'")
        return (t.BOOL if tree.op == "not" else t.INT if kind.kind == "byte" else kind), Unary(tree.op, of)

    def visit_binary(self, tree: BinaryExpression) -> Typed:
        left_kind, left = self.visit(tree.left)
        right_kind, right = self.visit(tree.right)
        kinds = (left_kind.kind, right_kind.kind)
        result = BinaryExpression(tree.op, left, right)
        if tree.op == "+" and all(kind in TEXT_LIKE for kind in kinds) and kinds != ("any", "any"):
            # Kaitai joins text with text and bytes with bytes, never the two.
            if left_kind.kind == right_kind.kind or "any" in kinds:
                return (right_kind if left_kind.kind == "any" else left_kind), result
        elif tree.op in ("+", "-", "*", "/", "%") and all(kind in t.NUMBERS for kind in kinds):
            return (t.FLOAT if "float" in kinds else t.ANY if "any" in kinds else t.INT), result
        elif all(kind in t.INTEGERS for kind in kinds):
            return t.INT, result
        raise ExpressionTypeError(f"'{tree.op}' cannot join {left_kind} and {right_kind}")

    def visit_compare(self, tree: Compare) -> Typed:
        left_kind, left = self.visit(tree.left)
        right_kind, right = self.visit(tree.right)
        t.check_comparable(left_kind, right_kind, tree.op)
        return t.BOOL, Compare(tree.op, left, right)

    def visit_logic(self, tree: Logic) -> Typed:
        return t.BOOL, Logic(tree.op, tuple(self._of_kind(i, t.BOOLEANS, f"'{tree.op}'")[1] for i in tree.items))

    def visit_ternary(self, tree: Ternary) -> Typed:
        _, test = self._of_kind(tree.test, t.BOOLEANS, "a condition")
        then_kind, then = self.visit(tree.then)
        other_kind, other = self.visit(tree.other)
        kind = t.unify(then_kind, other_kind)
        if kind is None:
            raise ExpressionTypeError(f"a choice cannot be between {then_kind} and {other_kind}")
        return kind, Ternary(test, then, other)


OURS_ALONE = "Kaitai's compiler does not know it: it can stand under -bridge- keys alone"
TEXT_LIKE = ("str", "bytes", "any")


def _bare(kind: ValueType) -> str:
    return str(kind).removeprefix("an ").removeprefix("a ")


def _check_model(kinds: list[ValueType], first: Tree) -> None:
    """Raise ExpressionTypeError for a CRC with an unknown model name, or with parameters that are no integers. ``kinds`` are the
    types of the arguments after the bytes, ``first`` the first of these arguments.
    """
    if len(kinds) > 1:
        wrong = next((kind for kind in kinds if kind.kind not in (*t.INTEGERS, "bool")), None)
        if wrong is not None:
            raise ExpressionTypeError(f"a parameter of a CRC is an integer, not {wrong}")
    elif not isinstance(first, LiteralExpression) or first.value not in MODELS:
        shown = first.value if isinstance(first, LiteralExpression) else "of that name"
        near = nearest(str(shown), MODELS) or "the reference lists them"
        raise ExpressionTypeError(f"there is no CRC {shown!r}: its model is a name in quotation marks", near)
