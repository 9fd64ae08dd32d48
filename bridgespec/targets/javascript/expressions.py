"""Translate expressions of schemas to JavaScript: `Scene.function` is the entry.

Python's integers are unbounded, and absent values are None. Where the schema's types exclude both, an expression becomes
JavaScript's own operators, else a call of a helper that behaves like the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bridgespec.spec.ir import (
    Record,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr import types as t
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.checksums import MODELS
from bridgespec.spec.kaitai.expr.functions import FUNCTIONS
from bridgespec.spec.kaitai.expr.tree import (
    Array,
    Attribute,
    BinaryExpression,
    Bytes,
    CallExpression,
    Cast,
    Compare,
    Expression,
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
from bridgespec.spec.kaitai.names import SchemaNames
from bridgespec.targets.javascript.known import (
    ATOM,
    BOTH,
    CHOICE,
    EITHER,
    INT32,
    UNARY,
    Js,
    binary,
    comparison,
    known,
    literal_of,
)
from bridgespec.targets.javascript.source import SAFE, CodeText, JsValue, Later, integer, quoted
from bridgespec.targets.javascript.source import CallCode as JsCall

_FOLDS = {"sum": "sumOf", "count": "countOfTrue", "xor": "xorOf", "map": "listOf"}


@dataclass
class Scene(Visitor[Js]):
    """Translates the expressions of one record. ``it`` are the type and the bounds of ``_``, None where expressions have no ``_``;
    ``encoding`` returns the constant name of an encoding. ``busy`` are the instances whose bounds are being computed, by record
    and name: one that refers to itself has none.
    """

    names: SchemaNames
    record: Record
    encoding: Callable[[str], str]
    it: Js | None = None
    busy: set[tuple[str, str]] = field(default_factory=set)

    def function(self, expression: Expression) -> JsValue:
        """Return the source of an expression: a literal itself, any other expression as a function of a frame (``here``)."""
        match expression.tree:
            case LiteralExpression(value=value):
                return CodeText(literal_of(value).text)
            case Array(items=items, is_bytes=False) if all(isinstance(item, LiteralExpression) for item in items):
                # A table of numbers may be longer than a line.
                return Later([CodeText(self.visit(item).text) for item in items])
        found = self.visit(expression.tree)
        # A function that does not use the frame has no parameter.
        head = "(here)" if "here" in found.text else "()"
        # A brace after the arrow would begin a block.
        body = f"({found.text})" if found.text.startswith("{") else found.text
        arrow = CodeText(f"{head} => {body}")
        return JsCall("attempt", (expression.shown, arrow)) if found.fails else arrow

    def with_it(self, it: Js) -> Scene:
        """Return a copy in which ``_`` has the properties of ``it``."""
        return replace(self, it=it)

    def kind(self, tree: Tree) -> ValueType:
        """Return the type of an expression's tree, as the schema's checks determine it."""
        try:
            return Checker(self.names.seen_from(self.record.name), self.it.kind if self.it else None, True).visit(tree)[0]
        except ExpressionTypeError:
            return t.ANY

    def visit_literal(self, tree: LiteralExpression | SizeOf) -> Js:
        return literal_of(tree.value)

    visit_sizeof = visit_literal

    def visit_member(self, tree: Member) -> Js:
        code = tree.value or 0
        return Js(f"/* {'::'.join(tree.path)} */ {integer(code)}", ATOM, ValueType("enum"), True, code, code, literal=True)

    def visit_index(self, tree: Index) -> Js:
        values, index = self.visit(tree.of), self.visit(tree.at)
        return replace(self._item(values, f"element({values.text}, {index.text})"), fails=True)

    def _item(self, values: Js, text: str) -> Js:
        """Return the JavaScript expression ``text``, an element of the list or bytes ``values``, with the properties that follow
        from these.
        """
        if values.kind.kind == "bytes":
            return Js(text, ATOM, t.BYTE, values.cells or values.sure, 0, 255)
        one = values.kind.of or t.ANY
        return Js(text, ATOM, one, values.cells or one.kind == "struct", values.low, values.high)

    def visit_compare(self, tree: Compare) -> Js:
        return comparison(tree.op, self.visit(tree.left), self.visit(tree.right))

    def visit_logic(self, tree: Logic) -> Js:
        tests = [self.visit(item) for item in tree.items]
        word, level = (" && ", BOTH) if tree.op == "and" else (" || ", EITHER)
        text = word.join(_truth(test).at(level + 1) for test in tests)
        return Js(text, level, t.BOOL, True, fails=any(test.fails for test in tests))

    def visit_binary(self, tree: BinaryExpression) -> Js:
        return binary(tree.op, self.visit(tree.left), self.visit(tree.right), self.kind(tree))

    # --- folds, and positions of fields ---

    def visit_fold(self, tree: Fold) -> Js:
        items = self.visit(tree.of)
        args = ["here", _FOLDS[tree.name], items.text]
        if tree.each is not None:
            args.append(f"(here) => {self.with_it(self._item(items, 'here.it')).visit(tree.each).at(CHOICE)}")
        return Js(f"fold({', '.join(args)})", ATOM, self.kind(tree), True, fails=True)

    def visit_measure(self, tree: Measure) -> Js:
        call = "offsetOf" if tree.what == "offset" else "sizeOf"
        return Js(f"{call}({self._place(tree.of)})", ATOM, t.INT, True, 0, SAFE, fails=True)

    def visit_bytes(self, tree: Bytes) -> Js:
        return Js(f"spanOf({self._place(tree.first)}, {self._place(tree.last)})", ATOM, t.BYTES, True, 0, 255, fails=True)

    def visit_function(self, tree: Function) -> Js:
        name, args = tree.name, tree.args
        given = [self.visit(arg).text for arg in args]
        kind = self.kind(tree)
        # The table of models stays in Python: a module has the six numbers of its own model.
        if name == "crc" and isinstance(args[1], LiteralExpression) and len(args) == 2:
            given[1:] = [integer(int(one)) for one in MODELS[str(args[1].value)]]
        if name == "crc" or FUNCTIONS[name].gives == "bytes" or name == "fletcher":
            return Js(f"{name}({', '.join(given)})", ATOM, kind, True, fails=True)
        if name in ("words_le", "words_be"):
            return Js(f"wordsOf({', '.join(given)}, {'true' if name == 'words_le' else 'false'})", ATOM, kind, True, fails=True)
        return Js(f"{name}({', '.join(given)})", ATOM, kind, True, 0, 2**32 - 1, fails=True)

    def _place(self, spot: SpotExpression) -> str:
        owner = "here" if spot.owner is None else self.visit(spot.owner).text
        if spot.stream:
            return f"wholeOf({owner})"
        name = "null" if spot.name is None else quoted(spot.name)
        at = "" if spot.at is None else f", {self.visit(spot.at).text}"
        return f"placeOf({owner}, {name}{at})"

    # --- names ---

    def visit_name(self, tree: Name) -> Js:
        name = tree.id
        match name:
            case "_":
                return self.it or Js("here.it")
            case "_index":
                # Not ``sure``: outside a list there is no index.
                return Js("here.index", kind=t.INT)
            case "_root" | "_parent":
                return Js(f"here.{name[1:]}", kind=self.kind(tree), sure=True)
            case "_io":
                return Js("here.io", kind=t.IO, sure=True)
        return replace(self.value_of(self.record, name), text=f"here.get({quoted(name)})", level=ATOM, fails=False)

    def value_of(self, record: Record, name: str) -> Js:
        """Return type, presence and bounds of the value of a field or instance; the source in the result is empty or not usable."""
        kind = self.names.attribute(record.name, name) or t.ANY
        for each in record.fields:
            if each.name == name:
                return replace(known(each), kind=kind)
        instance = record.instances.get(name)
        key = (record.name, name)
        # The bounds of an instance that refers to itself are not known.
        if isinstance(instance, ValueInstance) and instance.condition is None and key not in self.busy:
            self.busy.add(key)
            try:
                found = Scene(self.names, record, self.encoding, busy=self.busy).visit(instance.value.tree)
            finally:
                self.busy.discard(key)
            return replace(found, kind=kind, literal=False)
        return Js("", kind=kind, sure=kind.kind == "struct")

    def visit_attribute(self, tree: Attribute) -> Js:
        owner, name = self.visit(tree.of), tree.name
        kind = self.kind(tree)
        plain = Js(f"attribute({owner.text}, {quoted(name)})", ATOM, kind, fails=owner.fails)
        if owner.kind.kind == "struct":
            record = self.names.records.get(owner.kind.name or "")
            if record is None or name.startswith("_"):
                return replace(plain, sure=owner.sure and kind.kind in ("struct", "io"))
            found = self.value_of(record, name)
            return replace(found, text=plain.text, level=ATOM, fails=owner.fails, sure=found.sure and owner.sure)
        if owner.kind.kind == "io" and owner.sure and name in ("eof", "size"):
            return Js(f"{owner.text}.{name}", ATOM, kind, True, 0, SAFE)
        # Only a value that is certainly present has attributes; the helper reports one that is absent.
        if owner.sure and (known_of := _of_value(owner, name)) is not None:
            return replace(known_of, fails=known_of.fails or owner.fails)
        return replace(plain, fails=True, sure=kind.kind == "struct")

    def visit_call(self, tree: CallExpression) -> Js:
        assert isinstance(tree.of, Attribute)  # the only calls that the checker leaves
        name, args = tree.of.name, tree.args
        if not args:
            return self.visit(tree.of)
        given = [self.visit(arg) for arg in args]
        owner = self.visit(tree.of.of)
        kind = self.kind(tree)
        match name:
            case "to_i":
                return Js(f"parseInteger({owner.text}, {given[0].text})", kind=kind, sure=True, fails=True)
            case "to_s" if isinstance(args[0], LiteralExpression):
                return Js(f"decodeText({owner.text}, {self.encoding(repr(args[0].value))})", kind=kind, sure=True, fails=True)
        return Js(f"{name}({', '.join([owner.text, *(arg.text for arg in given)])})", kind=kind, sure=True, fails=True)

    # --- operators ---

    def visit_cast(self, tree: Cast) -> Js:
        found, kind = self.visit(tree.of), self.kind(tree)
        same = kind.kind == found.kind.kind or {kind.kind, found.kind.kind} <= {"int", "byte"}
        return replace(found, kind=kind, sure=found.sure and same and kind.kind != "struct", cells=found.cells and same)

    def visit_array(self, tree: Array) -> Js:
        parts = [self.visit(item) for item in tree.items]
        fails = any(part.fails for part in parts)
        if tree.is_bytes:
            # The reference codec masks each element with 255. A `Uint8Array` masks numbers itself, but not BigInts.
            bounded = [part.text if part.small else f'bitwise("&", {part.text}, 255)' for part in parts]
            return Js(f"bytesOf({', '.join(bounded)})", ATOM, t.BYTES, True, fails=fails or not all(p.small for p in parts))
        text = f"[{', '.join(part.text for part in parts)}]"
        return Js(text, ATOM, self.kind(tree), True, fails=fails)

    def visit_format(self, tree: FormatExpression) -> Js:
        out: list[str] = []
        fails = False
        for part in tree.parts:
            if isinstance(part, str):
                # Escaped for a template: back quotes and `${` would end the text.
                out.append(quoted(part)[1:-1].replace('\\"', '"').replace("`", "\\`").replace("${", "\\${"))
                continue
            found = self.visit(part)
            plain = found.sure and found.kind.kind in ("str", "int", "byte")
            call = "floatText" if found.kind.kind == "float" and found.sure else "valueText"
            fails = fails or found.fails or call == "valueText"
            out.append("${" + (found.text if plain else f"{call}({found.text})") + "}")
        return Js(f"`{''.join(out)}`", ATOM, t.STR, True, fails=fails)

    def visit_unary(self, tree: Unary) -> Js:
        of = self.visit(tree.of)
        match tree.op:
            case "not":
                return Js(f"!{_truth(of).at(UNARY)}", UNARY, t.BOOL, True, fails=of.fails)
            case "~":
                # `~` of JavaScript converts to 32 bits.
                if of.within(-INT32 - 1, INT32):
                    return Js(f"~{of.at(UNARY)}", UNARY, t.INT, True, ~(of.high or 0), ~(of.low or 0), of.fails)
                return Js(f"invert({of.text})", ATOM, t.INT, True, fails=True)
            case "-":
                # Zero is excluded, since its negative is a number of its own in JavaScript.
                if of.literal or (of.small and (of.low or 0) > 0):
                    low, high = (None, None) if of.low is None or of.high is None else (-of.high, -of.low)
                    return Js(f"-{of.at(ATOM)}", UNARY, of.kind, of.sure, low, high, of.fails, literal=of.literal)
                return Js(f"negate({of.text})", ATOM, of.kind, of.sure, fails=True)
        return of

    def visit_ternary(self, tree: Ternary) -> Js:
        test, then, other = _truth(self.visit(tree.test)), self.visit(tree.then), self.visit(tree.other)
        text = f"{test.at(EITHER)} ? {then.at(CHOICE)} : {other.at(CHOICE)}"
        low, high = _hull([(then.low, then.high), (other.low, other.high)])
        sure = then.sure and other.sure and then.kind.kind == other.kind.kind
        return Js(text, CHOICE, self.kind(tree), sure, low, high, test.fails or then.fails or other.fails)


def _truth(value: Js) -> Js:
    """Return a value as a boolean: the value itself if it certainly is one, else a call of a helper."""
    if value.kind.kind == "bool" and value.sure:
        return value
    return Js(f"truth({value.text})", ATOM, t.BOOL, True, fails=value.fails)


def _of_value(owner: Js, name: str) -> Js | None:
    """Return JavaScript's own expression for the attribute ``name`` of a value that is never absent; None where it has none."""
    kind = owner.kind.kind
    match name, kind:
        case (("length" | "size"), ("bytes" | "array")):
            return Js(f"{owner.at(ATOM)}.length", ATOM, t.INT, True, 0, SAFE)
        case "length", "str":
            return Js(f"length({owner.text})", ATOM, t.INT, True, 0, SAFE)
        case "to_i", "str":
            return Js(f"parseInteger({owner.text}, 10)", ATOM, t.INT, True, fails=True)
        case "to_i", ("int" | "byte" | "enum"):
            return replace(owner, kind=t.INT)
        case "to_i", "bool":
            return Js(f"Number({owner.text})", ATOM, t.INT, True, 0, 1)
        case "to_i", "float":
            return Js(f"toInteger({owner.text})", ATOM, t.INT, True, fails=True)
        case "to_s", ("int" | "byte"):
            return Js(f"String({owner.text})", ATOM, t.STR, True)
        case "to_s", "float":
            return Js(f"floatText({owner.text})", ATOM, t.STR, True)
        case "to_s", "str":
            return owner
    return None


def _hull(ranges: list[tuple[int | None, int | None]]) -> tuple[int | None, int | None]:
    """Return the least and the greatest bound of some ranges; None for both if a range has no bounds."""
    lows, highs = [low for low, _ in ranges if low is not None], [high for _, high in ranges if high is not None]
    whole = len(lows) == len(highs) == len(ranges)
    return (min(lows), max(highs)) if whole else (None, None)
