"""Generate a C99 header and source for a schema with a fixed layout, which read, validate and write its files and allocate no
memory. `to_c` returns both.

The offsets of fields are those of the layout for arrays (`codec.bulk.layout`): a header of fixed size, then records of one size to
the end of the file. An element of a schema that C cannot express is an error with its position. Expressions are translated with the
bounds of their values and refused where these exceed 64 bits, so that no arithmetic overflows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.ir import BytesType, EndRecord, Field, Spec, StringType
from bridgespec.spec.kaitai.expr.tree import Compare, Expression, Name
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.c import texts
from bridgespec.targets.c.expressions import FORM, CPrinter, CValue
from bridgespec.targets.refused import NotExpressible

if TYPE_CHECKING:
    from bridgespec.codec.bulk import layout as layouts
    from bridgespec.codec.bulk.layout import Block, BulkLayout, BulkLeaf
else:
    layouts = Lazy("bridgespec.codec.bulk.layout")  # it has NumPy

_WORDS = frozenset({
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "false", "float", "for", "goto", "if", "inline", "int", "linux", "long", "register", "restrict", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "true", "typedef", "union", "unix", "unsigned", "void",
    "volatile", "while",
})  # fmt: skip
"""Keywords of C, and names that compilers or standard headers define."""


def to_c(spec: Spec) -> tuple[str, str]:
    """Return the text of header and source for a schema. Raises NotExpressible with the element that C, or a fixed layout, cannot
    express.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> schema = "meta: {id: one, endian: le}\\nseq: [{id: all, type: row, repeat: eos}]\\ntypes: {row: {seq: [{id: a, type: u2}]}}"
    >>> header, source = to_c(loads(schema))
    >>> "uint16_t a;" in header, "one_read_record" in source
    (True, True)
    """
    try:
        layout = layouts.BulkLayout.of(spec)
    except layouts.Refusal as error:
        message = re.sub(r"^.*?:\d+:\d+: ", "", str(error))
        raise NotExpressible(f"{spec.id}, whose {message},", _place(error, spec), FORM) from None
    return _Source(spec, layout).made()


def c_name(spec: Spec) -> str:
    """Return the prefix of all names in a schema's C files, which is also the name of the header."""
    return re.sub(r"\W", "_", spec.id.lower()) if spec.id.isascii() else "format"


def _place(error: Exception, spec: Spec) -> SchemaPlace:
    """Return the position in the schema with which an error message begins; without one, that of the schema's top record."""
    found = re.match(r"(.*?):(\d+):(\d+): ", str(error))
    return SchemaPlace(found[1], int(found[2]), int(found[3])) if found is not None else spec.top.place


def _text(value: str) -> str:
    """Return a C string literal; characters other than letters, digits, blanks and ``._-`` are octal escapes."""
    # A question mark too: two of them could begin a trigraph.
    plain = {ord(c) for c in value if c.isascii() and (c.isalnum() or c in " ._-")}
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in value.encode()) + '"'


class _Source:
    """Generates the two files of one schema; the methods return the C source of the parts. ``blocks`` are the record and, if it has
    one, the header of a file, by name.
    """

    def __init__(self, spec: Spec, layout: BulkLayout) -> None:
        self.spec, self.layout = spec, layout
        self.id = c_name(spec)
        self.blocks: dict[str, Block] = {"record": layout.record}
        if layout.header.size:
            self.blocks = {"header": layout.header, **self.blocks}

    def made(self) -> tuple[str, str]:
        """Return the text of header and source."""
        structs = "\n".join(self._struct(what, block) for what, block in self.blocks.items())
        functions = "\n".join(
            texts.FUNCTIONS.format(id=self.id, ID=self.id.upper(), what=what, WHAT=what.upper()) for what in self.blocks
        )
        sizes = {"header": self.layout.header.size, "record": self.layout.record.size}
        head = texts.HEADER.format(id=self.id, ID=self.id.upper(), structs=structs, functions=functions, **sizes)
        parts = []
        for what, block in self.blocks.items():
            parts += [self._init(what, block), self._read(what, block), self._write(what, block), self._check(what, block)]
        body = "\n".join([texts.FINDINGS.format(id=self.id), *parts, self._count(), self._validate()])
        # A static function without a use is a warning of C compilers.
        used = {name for name in texts.HELPERS if re.search(rf"\b{name}\(", body)}
        used |= {"divided"} if "rest" in used else set()
        helpers = "\n".join(text for name, text in texts.HELPERS.items() if name in used)
        return head, f"{texts.HEAD.format(id=self.id)}\n{helpers}\n{body}"

    # --- fields

    @staticmethod
    def member(leaf: BulkLeaf) -> str:
        """Return the name of a field's member in the C struct."""
        name = leaf.name.replace(".", "_")
        # A name that C reserves gets an underscore.
        return name + "_" if name in _WORDS else name

    @staticmethod
    def ctype(leaf: BulkLeaf) -> str:
        """Return the C type of a field's elements."""
        if leaf.kind == "float":
            return "float" if leaf.width == 32 else "double"
        size = next(one for one in (8, 16, 32, 64) if leaf.width <= one)
        return f"{'int' if leaf.signed else 'uint'}{size}_t"

    def _struct(self, what: str, block: Block) -> str:
        """Return the struct with the fields of a block."""
        members = "".join(f"    {self.ctype(leaf)} {self.member(leaf)}{self._room(leaf)};\n" for leaf in block.leaves)
        names = [self.member(leaf) for leaf in block.leaves]
        # `a.b` and `a_b` are both `a_b` in C.
        if len(set(names)) < len(names):
            raise NotExpressible("two fields of one name", self.spec.top.place, FORM)
        # A struct of C must have a member.
        return texts.STRUCT.format(id=self.id, what=what, members=members or "    char nothing;\n")

    @staticmethod
    def _room(leaf: BulkLeaf) -> str:
        """Return the array bounds of a struct's member; empty for a single value."""
        return f"[{leaf.count}]" if leaf.shape else ""

    @staticmethod
    def _loops(leaf: BulkLeaf, body: Sequence[str], indent: str = "    ") -> list[str]:
        """Return C loops over the elements of a field with the statements ``body`` inside; `at` is the element's index, `bit` its
        offset in bits.
        """
        lines, inner, step = [indent + "{"], indent + "    ", [f"{leaf.bit}u"]
        if not leaf.shape:
            lines.append(f"{inner}const size_t at = 0, bit = {leaf.bit}u;")
            lines += [f"{inner}{one}" for one in body]
            # Unused variables are warnings of C compilers.
            return [*lines, f"{inner}(void)at;", f"{inner}(void)bit;", indent + "}"]
        lines.append(f"{inner}size_t at = 0{''.join(f', i{depth}' for depth in range(len(leaf.shape)))};")
        for depth, size in enumerate(leaf.shape):
            lines.append(
                f"{inner}for (i{depth} = 0; i{depth} < {size}u; i{depth}++)" + (" {" if depth == len(leaf.shape) - 1 else "")
            )
            step.append(f"i{depth} * {leaf.steps[depth]}u")
        lines.append(f"{inner}    const size_t bit = {' + '.join(step)};")
        lines += [f"{inner}    {one}" for one in body]
        return [*lines, f"{inner}    (void)bit;", f"{inner}    at++;", f"{inner}}}", indent + "}"]

    def _init(self, what: str, block: Block) -> str:
        lines = [f"void {self.id}_init_{what}({self.id}_{what} *out)", "{", "    memset(out, 0, sizeof *out);"]
        for leaf in block.leaves:
            if isinstance(leaf.decl.type, BytesType) and leaf.decl.type.contents is not None:
                contents = leaf.decl.type.contents
                lines.append("    {")
                lines.append(f"        static const uint8_t constant[] = {{{', '.join(map(str, contents))}}};")
                lines.append("        size_t at;")
                lines.append(f"        for (at = 0; at < {leaf.count}u; at++)")
                lines.append(f"            out->{self.member(leaf)}[at] = constant[at % sizeof constant];")
                lines.append("    }")
        return "\n".join([*lines, "}", ""])

    def _get(self, leaf: BulkLeaf) -> str:
        """Return the call that reads an element at `bit`."""
        big_bytes = leaf.kind in ("int", "float") and not leaf.lsb
        return f"{'high' if (leaf.kind == 'bits' and not leaf.lsb) or big_bytes else 'low'}_bits(bytes, bit, {leaf.width})"

    def _read(self, what: str, block: Block) -> str:
        lines = [f"void {self.id}_read_{what}(const uint8_t *bytes, {self.id}_{what} *out)", "{", "    (void)bytes;"]
        lines.append("    memset(out, 0, sizeof *out);")
        for leaf in block.leaves:
            place = f"out->{self.member(leaf)}{'[at]' if leaf.shape else ''}"
            if leaf.kind == "float" or leaf.signed:
                unsigned = f"uint{leaf.width}_t"
                # `memcpy`, since a cast of an unsigned value that is too large is implementation-defined in C99.
                body = [f"const {unsigned} raw = ({unsigned}){self._get(leaf)};", f"memcpy(&{place}, &raw, sizeof raw);"]
            else:
                body = [f"{place} = ({self.ctype(leaf)}){self._get(leaf)};"]
            lines += self._loops(leaf, body)
        return "\n".join([*lines, "}", ""])

    def _write(self, what: str, block: Block) -> str:
        lines = [f"int {self.id}_write_{what}(const {self.id}_{what} *in, uint8_t *bytes)", "{", "    (void)in;"]
        # All values are checked before a byte is written.
        for number, leaf in enumerate(block.leaves, 1):
            size = next(one for one in (8, 16, 32, 64) if leaf.width <= one)
            if leaf.kind == "bits" and leaf.width < size:
                place = f"in->{self.member(leaf)}{'[at]' if leaf.shape else ''}"
                lines += self._loops(leaf, [f"if ((uint64_t){place} >> {leaf.width})", f"    return {number};"])
        lines.append(f"    memset(bytes, 0, {block.size}u);")
        for leaf in block.leaves:
            put = "put_" + self._get(leaf).partition("(")[0]
            place = f"in->{self.member(leaf)}{'[at]' if leaf.shape else ''}"
            unsigned = f"uint{leaf.width}_t"
            if leaf.kind == "float" or leaf.signed:
                body = [f"{unsigned} raw;", f"memcpy(&raw, &{place}, sizeof raw);", f"{put}(bytes, bit, {leaf.width}, raw);"]
            else:
                body = [f"{put}(bytes, bit, {leaf.width}, {place});"]
            lines += self._loops(leaf, body)
        return "\n".join([*lines, "    return 0;", "}", ""])

    # --- checks

    def _add(self, code: str, severity: str, leaf: BulkLeaf | None, start: str, stop: str) -> str:
        """Return the statement that adds a finding on a field, or on a whole block."""
        field = "" if leaf is None else leaf.name
        level = f"{self.id.upper()}_{severity.upper()}"
        return f"add(list, {_text(code)}, {level}, {_text(field)}, record, {start}, {stop});"

    def _check(self, what: str, block: Block) -> str:
        """Return the C function that checks one block, of which `have` bits are present, in a file of `count` records."""
        lines = [
            f"static void check_{what}(const uint8_t *bytes, size_t have, uint64_t base, int64_t record, int64_t count,",
            "    found_list *list)",
            "{",
            f"    {self.id}_{what} value;",
            f"    uint8_t padded[{max(block.size, 1)}];",
            "    memset(padded, 0, sizeof padded);",
            "    memcpy(padded, bytes, have / 8);",
            f"    {self.id}_read_{what}(padded, &value);",
            "    (void)base; (void)record; (void)count; (void)list;",
        ]
        for leaf in block.leaves:
            lines += self._constraint(leaf, block)
        # Checks and derived values, which depend on several fields, are not tested in an incomplete record.
        lines.append(f"    if (have < {8 * block.size}u)")
        lines.append("        return;")
        for leaf in block.leaves:
            lines += self._derived(leaf, block)
        for computed in block.computed:
            raise NotExpressible(f"the computed value {computed.instance.name}", computed.instance.place, FORM)
        for one in block.invariants:
            if one.shape:
                raise NotExpressible(f"the check {one.check.code} of a repeated record", one.check.place, FORM)
            printer = self._printer(block, one.prefix, one.check.place, one.check.that)
            add = self._add(one.check.code, one.check.severity.value, None, "base", f"base + {8 * block.size}u")
            lines += [f"    if (!{printer.visit(one.check.that.tree).text})", f"        {add}"]
        return "\n".join([*lines, "}", ""])

    def _printer(
        self, block: Block, prefix: str, place: SchemaPlace, expression: Expression, own: CValue | None = None
    ) -> CPrinter:
        names: dict[str, CValue] = {}
        for leaf in block.leaves:
            name = leaf.name.removeprefix(prefix)
            beside = leaf.name.startswith(prefix) and "." not in name and leaf.kind in ("int", "bits")
            # The arithmetic of expressions is in `int64_t`.
            if beside and not leaf.shape and (leaf.width < 64 or leaf.signed) and not leaf.decl.binding.lenient:
                names[name] = self._number(leaf, f"value.{self.member(leaf)}")
        names |= {"_": own} if own is not None else {}
        # A file of more records, of at least one byte each, would have offsets in bits that exceed 64 bits.
        sizes = {self.layout.list.name: CValue("count", 0, 1 << 61)} if block is self.layout.header else {}
        return CPrinter(self.spec, names, sizes, place, expression.source)

    @staticmethod
    def _number(leaf: BulkLeaf, text: str) -> CValue:
        low, high = (-(1 << leaf.width - 1), (1 << leaf.width - 1) - 1) if leaf.signed else (0, (1 << leaf.width) - 1)
        return CValue(f"((int64_t){text})", low, high)

    def _constraint(self, leaf: BulkLeaf, block: Block) -> Iterator[str]:
        """Yield the statements that check a field's constraint: a constant, an encoding or ``valid``."""
        decl, kind = leaf.decl, leaf.decl.type
        span = "base + bit", f"base + bit + {leaf.width}u"
        there = f"if (bit + {leaf.width}u <= have"
        if isinstance(kind, BytesType) and kind.contents is not None:
            yield from self._constant(leaf, kind.contents)
        elif isinstance(kind, StringType):
            yield from self._spelling(leaf, kind)
        elif decl.valid is not None and leaf.kind in ("int", "bits") and (leaf.width < 64 or leaf.signed):
            tests = self._tests(leaf, decl, block)
            add = self._add(decl.binding.code or "invalid-value", decl.binding.severity.value, leaf, *span)
            yield from self._loops(leaf, [f"{there} && !({' && '.join(tests)}))", f"    {add}"])
        elif decl.valid is not None:
            raise NotExpressible(f"the constraint of {decl.name}", decl.place, FORM)

    def _tests(self, leaf: BulkLeaf, decl: Field, block: Block) -> list[str]:
        """Return a C condition for each condition of ``valid``."""
        place = f"value.{self.member(leaf)}{'[at]' if leaf.shape else ''}"
        own = self._number(leaf, place)
        for raw, read in decl.binding.lenient.items():
            own = own._replace(text=f"({own.text} == INT64_C({raw}) ? INT64_C({read}) : {own.text})")
        if len(decl.binding.lenient) > 1:
            raise NotExpressible(f"several lenient codes of {decl.name}", decl.place, FORM)
        prefix, valid, tests = leaf.name[: len(leaf.name) - len(decl.name)], decl.valid, list[str]()
        assert valid is not None
        it = Name("_")
        compared: list[tuple[Expression | None, str]] = [(valid.eq, "=="), (valid.min, ">="), (valid.max, "<=")]
        for one, op in compared:
            if one is not None:
                tests.append(self._printer(block, prefix, decl.place, one, own).visit(Compare(op, it, one.tree)).text)
        if valid.any_of:
            printers = [(self._printer(block, prefix, decl.place, one, own), one) for one in valid.any_of]
            options = [printer.visit(Compare("==", it, one.tree)).text for printer, one in printers]
            tests.append("(" + " || ".join(options) + ")")
        if valid.in_enum and decl.enum is not None:
            members = self.spec.enums[decl.enum].members
            tests.append("(" + (" || ".join(f"{own.text} == INT64_C({code})" for code in members) or "0") + ")")
        if valid.expr is not None:
            tests.append(self._printer(block, prefix, decl.place, valid.expr, own).visit(valid.expr.tree).text)
        return tests

    def _constant(self, leaf: BulkLeaf, contents: bytes) -> Iterator[str]:
        if leaf.decl.binding.lenient:
            raise NotExpressible(f"the lenient bytes of {leaf.decl.name}", leaf.decl.place, FORM)
        if len(leaf.shape) != 1:
            raise NotExpressible(f"the repeated constant {leaf.decl.name}", leaf.decl.place, FORM)
        size = len(contents)
        add = self._add(
            leaf.decl.binding.code or "bad-contents",
            leaf.decl.binding.severity.value,
            leaf,
            f"base + {leaf.bit}u",
            f"base + {leaf.bit + 8 * size}u",
        )
        yield "    {"
        yield f"        static const uint8_t constant[] = {{{', '.join(map(str, contents))}}};"
        yield f"        if ({leaf.bit + 8 * size}u <= have && memcmp(value.{self.member(leaf)}, constant, sizeof constant) != 0)"
        yield f"            {add}"
        yield "    }"

    def _spelling(self, leaf: BulkLeaf, kind: StringType) -> Iterator[str]:
        """Return the C statements that check the encoding of a text, and report the first byte that is not valid."""
        decl, codec = leaf.decl, python_encoding(kind.encoding)
        if decl.valid is not None or kind.extent.terminator is not None or codec != "ascii":
            what = f"the text {decl.name}, which has a constraint, a terminator or an encoding that is not ASCII,"
            raise NotExpressible(what, decl.place, FORM)
        size = leaf.shape[-1]
        add = self._add(decl.binding.code or "bad-encoding", decl.binding.severity.value, leaf, "base + bit", "base + bit + 8u")
        lenient = [raw for raw, read in decl.binding.lenient.items() if raw > 127 and read < 128]
        if lenient or any(read > 127 for read in decl.binding.lenient.values()):
            raise NotExpressible(f"the lenient bytes of {decl.name}", decl.place, FORM)
        whole = f"bit - at % {size}u * 8u + {8 * size}u <= have"
        body = [
            f"if (at % {size}u == 0)",
            "    seen = 0;",
            f"if ({whole} && !seen && value.{self.member(leaf)}[at] > 127) {{",
            "    seen = 1;",
            f"    {add}",
            "}",
        ]
        yield "    {"
        yield "        int seen = 0;"
        yield from self._loops(leaf, body, "        ")
        yield "    }"

    def _derived(self, leaf: BulkLeaf, block: Block) -> Iterator[str]:
        """Yield the statements that compare a field with its derived value; none for a field without one."""
        decl = leaf.decl
        if decl.binding.value is None:
            return
        if leaf.shape or leaf.kind not in ("int", "bits") or (leaf.width == 64 and not leaf.signed):
            raise NotExpressible(f"the value of {decl.name}", decl.place, FORM)
        prefix = leaf.name[: len(leaf.name) - len(decl.name)]
        wanted = self._printer(block, prefix, decl.place, decl.binding.value).visit(decl.binding.value.tree)
        start, stop = f"base + {leaf.bit}u", f"base + {leaf.bit + leaf.width}u"
        add = self._add(decl.binding.code or "derived-mismatch", decl.binding.severity.value, leaf, start, stop)
        yield f"    if (((int64_t)value.{self.member(leaf)}) != {wanted.text})"
        yield f"        {add}"

    # --- files

    def _end(self) -> str:
        """Return a C condition: whether the `left` remaining bytes begin with the record that ends the list."""
        end: EndRecord | None = self.layout.end
        if end is None:
            return "0"
        # The null bits begin at the low end of each byte, as in the reference codec.
        size, spare = (end.bits + 7) // 8, end.bits % 8
        tests = [f"rest_of[{at}] == 0" for at in range(end.bits // 8)]
        tests += [f"(rest_of[{end.bits // 8}] & {(1 << spare) - 1}) == 0"] if spare else []
        return f"(left >= {size}u && {' && '.join(tests)})"

    def _count(self) -> str:
        size, header = self.layout.record.size, self.layout.header.size
        return f"""\
size_t {self.id}_count(const uint8_t *data, size_t size)
{{
    size_t count = 0, at = {header}u;
    while (at <= size && size - at >= {size}u) {{
        const uint8_t *rest_of = data + at;
        const size_t left = size - at;
        (void)rest_of;
        (void)left;
        if ({self._end()})
            break;
        count++;
        at += {size}u;
    }}
    return count;
}}
"""

    def _validate(self) -> str:
        size, header, end = self.layout.record.size, self.layout.header.size, self.layout.end
        error, warning = f"{self.id.upper()}_ERROR", f"{self.id.upper()}_WARNING"
        short = 0 if end is None else end.short or (end.bits + 7) // 8
        # The end record is as long as other records if the data contain so many bytes, else its short form or its null bits.
        full = f"left >= {size}u ? {size}u : (left < {short}u ? left : {short}u)" if short else "0"
        cut = f'add(&list, "truncated", {error}, "", {{}}, 8 * (uint64_t)size, 8 * (uint64_t)size);'
        whole = (
            f"""\
    if (size < {header}u) {{
        check_header(data, 8 * size, 0, -1, 0, &list);
        {cut.format("-1")}
        return list.count;
    }}
"""
            if header
            else ""
        )
        checked = f"    check_header(data, {8 * header}u, 0, -1, record, &list);\n" if header else ""
        return f"""\
size_t {self.id}_validate(const uint8_t *data, size_t size, {self.id}_finding *findings, size_t room)
{{
    found_list list;
    size_t at = {header}u;
    int64_t record = 0;
    list.findings = findings;
    list.room = room;
    list.count = list.first = 0;
{whole}    while (at < size) {{
        const uint8_t *rest_of = data + at;
        const size_t left = size - at, have = left < {size}u ? left : {size}u;
        list.first = list.count;
        if ({self._end()}) {{
            const size_t taken = {full};
            at += taken;
            if (at < size)
                add(&list, "data-after-end", {warning}, "", -1, 8 * (uint64_t)at, 8 * (uint64_t)size);
            break;
        }}
        check_record(rest_of, 8 * have, 8 * (uint64_t)at, record, 0, &list);
        if (have < {size}u)
            {cut.format("record")}
        at += have;
        record++;
    }}
    list.first = list.count;
{checked}    return list.count;
}}
"""
