"""The types and enums of a schema by name (`TypeScope`), collected before fields are loaded, and typed access to YAML
(`YamlReader`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

from bridgespec.diagnostic import Code, nearest
from bridgespec.spec.ir import Endian, Enum, EnumMember
from bridgespec.spec.kaitai.expr.parse import ExpressionSyntaxError, parse
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.keys import KEYS
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import EXPRESSION, KEY, NAME, VALUE, Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(slots=True)
class TypeScope:
    """A type as declared: its YAML, its byte order, bit order and encoding (by default those of the enclosing type, ``parent``),
    and the types and enums declared inside it. Made by `read_scopes` for each type of a load.

    ``endian`` is ``switch`` where a value in the file decides the byte order, None where the schema declares none. ``opaque`` is
    the value of ``ks-opaque-types``.
    """

    name: str
    yaml: Map
    parent: TypeScope | None
    file: str
    endian: Endian | Literal["switch"] | None = None
    bit_endian: Endian = "be"
    encoding: str | None = None
    types: dict[str, TypeScope] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    opaque: bool = False

    @property
    def short(self) -> str:
        """The last part of the type's absolute name."""
        return self.name.rpartition("::")[2]

    @property
    def top(self) -> TypeScope:
        """The scope of the schema that declares the type."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def walk(self) -> Iterator[TypeScope]:
        """Yield this scope and every scope inside it."""
        yield self
        for child in self.types.values():
            yield from child.walk()

    def find_type(self, path: list[str], tops: dict[str, TypeScope]) -> TypeScope | None:
        """Return the type that ``path`` names in this scope; None where there is none. Its first part is looked up in this type,
        then in the enclosing ones, then among ``tops``, the schemas of the load by id.
        """
        scope: TypeScope | None = self
        while scope is not None:
            found = scope.types.get(path[0])
            # A schema's own id is a type too, but one that it declares under the same name comes first.
            if found is None and scope.parent is None and scope.short == path[0]:
                found = scope
            # The first part of a path decides: if the rest does not exist there, enclosing types are not tried.
            if found is not None:
                return found.descend(path[1:])
            scope = scope.parent
        top = tops.get(path[0])
        return top.descend(path[1:]) if top is not None else None

    def find_enum(self, path: list[str], tops: dict[str, TypeScope]) -> Enum | None:
        """Return the enum that ``path`` names in this scope, looked up as by `find_type`; None where there is none."""
        if len(path) > 1:
            owner = self.find_type(path[:-1], tops)
            return owner.enums.get(path[-1]) if owner is not None else None
        scope: TypeScope | None = self
        while scope is not None:
            if path[0] in scope.enums:
                return scope.enums[path[0]]
            scope = scope.parent
        return None

    def descend(self, path: list[str]) -> TypeScope | None:
        """Return the type that ``path`` names inside this one, which is the result for an empty path; None where there is none."""
        scope: TypeScope | None = self
        for part in path:
            scope = scope.types.get(part) if scope is not None else None
        return scope

    def type_names(self, tops: dict[str, TypeScope]) -> set[str]:
        """Return every name of one part that `find_type` would find in this scope."""
        names = set(tops)
        scope: TypeScope | None = self
        while scope is not None:
            names |= set(scope.types)
            scope = scope.parent
        return names

    def enum_names(self) -> set[str]:
        """Return every name of one part that `find_enum` would find in this scope."""
        names: set[str] = set()
        scope: TypeScope | None = self
        while scope is not None:
            names |= set(scope.enums)
            scope = scope.parent
        return names


class YamlReader:
    """Typed access to the YAML of one load. A value of a wrong type is reported, and read as if the key were absent. ``what`` is
    the name of a value in messages.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def add(self, code: Code, message: str, place: SchemaPlace, help: str | None = None) -> None:
        """Add a finding at a position."""
        self.problems.add(code, message, place, help)

    def map(self, yaml: Yaml | None, what: str) -> Map | None:
        """Return a mapping unchanged; None for None, and for any other value, which is reported."""
        if yaml is None or isinstance(yaml, Map):
            return yaml
        self.add(VALUE, f"{what}: expected a mapping, found {yaml.what}", yaml.place)
        return None

    def list(self, yaml: Yaml | None, what: str) -> list[Yaml]:
        """Return the items of a list; an empty list for None, and for any other value, which is reported."""
        if yaml is None:
            return []
        if isinstance(yaml, Items):
            return yaml.items
        self.add(VALUE, f"{what}: expected a list, found {yaml.what}", yaml.place)
        return []

    def text(self, yaml: Yaml | None, what: str) -> str | None:
        """Return the text of a scalar other than null; None for None, and for any other value, which is reported."""
        if yaml is None:
            return None
        if isinstance(yaml, Scalar) and yaml.kind != "null":
            return yaml.text
        self.add(VALUE, f"{what}: expected text, found {yaml.what}", yaml.place)
        return None

    def texts(self, yaml: Yaml | None, what: str) -> tuple[str, ...]:
        """Return the texts of a scalar or a list of scalars; empty for None. Other values are reported and left out."""
        items = yaml.items if isinstance(yaml, Items) else [] if yaml is None else [yaml]
        return tuple(text for text in (self.text(item, what) for item in items) if text is not None)

    def flag(self, owner: Map, key: str, default: bool) -> bool:
        """Return the value of a boolean key; ``default`` where it is absent, and for any other value, which is reported."""
        yaml = owner.get(key)
        if yaml is None:
            return default
        # Quoted words are text in YAML, and no flags.
        if isinstance(yaml, Scalar) and yaml.kind == "bool":
            return yaml.text.lower() == "true"
        self.add(VALUE, f"{key}: expected true or false, found {yaml.what}", yaml.place)
        return default

    def integer(self, yaml: Yaml | None, what: str, low: int | None = None, high: int | None = None) -> int | None:
        """Return an integer from ``low`` to ``high``, both included; None for None, and for any other value, which is reported."""
        if yaml is None:
            return None
        value = as_int(yaml) if isinstance(yaml, Scalar) else None
        if value is None or (low is not None and value < low) or (high is not None and value > high):
            bounds = f" from {low} to {high}" if high is not None else f" of at least {low}" if low is not None else ""
            self.add(VALUE, f"{what}: expected an integer{bounds}, found {yaml.what}", yaml.place)
            return None
        return value

    def expression(self, yaml: Yaml | None, what: str) -> Expression | None:
        """Return the parsed expression in a scalar; None for None, and for any other value, which is reported."""
        text = self.text(yaml, what)
        if text is None or not isinstance(yaml, Scalar):
            return None
        try:
            # YAML has True and TRUE, Kaitai's expressions only the word in small letters.
            source = text.lower() if yaml.kind == "bool" else text
            return parse(source, yaml.place)
        except ExpressionSyntaxError as error:
            self.add(EXPRESSION, f"{what}: {error}", inner_place(yaml, error.offset), error.help)
            return None

    def identifier(self, yaml: Yaml | None, what: str) -> str | None:
        """Return a name in the form that Kaitai requires; None for None, and for any other value, which is reported."""
        text = self.text(yaml, what)
        if text is None or yaml is None:
            return None
        if not IDENTIFIER.fullmatch(text):
            article = "an" if what[0] in "aeiou" else "a"
            self.add(NAME, f"{text!r} is not {article} {what}: lower case letters, digits and _, a letter first", yaml.place)
            return None
        return text

    def unknown_keys(self, owner: Map, what: str, more: Collection[str] = (), offered: Collection[str] = ()) -> None:
        """Report keys of the mapping ``owner`` that `KEYS` does not have for ``what``. Keys that begin with a hyphen, but not with
        ``-bridge-``, are allowed, and so are ``more``, which the caller reports; ``offered`` are further keys for suggestions.

        A misspelt key is renamed to the suggested one, unless ``owner`` has that too, so that no later finding follows from the
        spelling.
        """
        known = KEYS[what]
        # The documentation of a schema finds the positions of its keys here.
        self.problems.took(what, owner.keys)
        for key, scalar in list(owner.keys.items()):
            # Kaitai reserves a leading hyphen for keys of other tools, which its compiler ignores.
            if key in known or key in more or (key.startswith("-") and not key.startswith("-bridge-")):
                continue
            if key.startswith("-bridge-"):
                offers = {k for k in (*known, *offered) if k.startswith("-bridge-")}
            else:
                offers = {k for k in (*known, *offered) if not k.startswith("-")}
            guess = nearest(key, offers)
            help = guess or (f"known here: {', '.join(sorted(offers))}" if offers else None)
            self.problems.add_unknown(f"unknown key '{key}' in {what}", scalar.place, help)
            if guess is not None and guess.meant not in owner:
                owner.rename(key, guess.meant)

    def missing(self, owner: Map, message: str, place: SchemaPlace | None = None) -> None:
        """Report a missing key of the mapping ``owner``, at ``place`` or, where it is None, at the mapping. Nothing is reported if
        ``owner`` has an unknown key, which may be the missing one.
        """
        if not any(scalar.place in self.problems.unknown for scalar in owner.keys.values()):
            self.add(KEY, message, owner.place if place is None else place)


def as_int(scalar: Scalar) -> int | None:
    """Return the integer that a scalar spells in YAML's or Kaitai's syntax; None where it spells none.

    >>> [as_int(Scalar(t, "int", SchemaPlace("x", 1, 1))) for t in ("0x10", "-1", "1_000", "--1")]
    [16, -1, 1000, None]
    """
    text = scalar.text.replace("_", "")
    sign = -1 if text.startswith("-") else 1
    text = text[1:] if text[:1] in ("+", "-") else text
    # No code, size or byte is longer, and `int` raises an error for thousands of digits.
    if len(text) > 40 or scalar.kind == "null":
        return None
    base = {"0x": 16, "0b": 2, "0o": 8}.get(text[:2].lower(), 10)
    digits = text if base == 10 else text[2:]
    try:
        # `int` alone accepts blanks, signs and digits of other scripts.
        return sign * int(digits, base) if digits.isalnum() and digits.isascii() else None
    except ValueError:
        return None


def inner_place(scalar: Scalar, offset: int) -> SchemaPlace:
    """Return the position of a character in a scalar. For a scalar that is quoted, folded or not ASCII it is that of the scalar,
    since offsets in its value and in the file differ.
    """
    place = scalar.place
    # Escapes, folded lines and characters of several bytes move offsets.
    if scalar.literal or "\n" in scalar.text[:offset] or not scalar.text[:offset].isascii():
        return place
    return SchemaPlace(place.file, place.line, place.column + offset, place.offset + offset, max(place.length - offset, 1))


def read_enum(reader: YamlReader, name: str, yaml: Yaml, place: SchemaPlace) -> Enum | None:
    """Return the enum that a mapping declares, from codes to names or to mappings with ``id`` and ``doc``; None for any other
    value, which is reported.
    """
    body = reader.map(yaml, f"enum {name}")
    if body is None:
        return None
    members: dict[int, EnumMember] = {}
    names: dict[str, int] = {}
    for key, value in body.values.items():
        at = body.keys[key].place
        code = as_int(body.keys[key])
        if code is None:
            # A key with a hyphen that is no integer belongs to another tool.
            if not key.startswith("-"):
                reader.add(VALUE, f"enum {name}: the code must be an integer, not {key!r}", at)
            continue
        doc, member_yaml = "", value
        if isinstance(value, Map):
            reader.unknown_keys(value, "an enum member")
            doc = reader.text(value.get("doc"), "doc") or ""
            reader.texts(value.get("doc-ref"), "doc-ref")
            inner = value.get("id")
            if inner is None:
                reader.missing(value, "an enum member needs an id")
                continue
            member_yaml = inner
        member = reader.identifier(member_yaml, "enum member name")
        if member is None:
            continue
        if member in names:
            reader.add(NAME, f"enum {name}: '{member}' stands twice, for {names[member]} and {code}", member_yaml.place)
            continue
        if code in members:
            reader.add(NAME, f"enum {name}: code {code} stands twice", at)
            continue
        names[member] = code
        members[code] = EnumMember(code, member, doc, at)
    return Enum(name, members, place)


def read_scopes(reader: YamlReader, name: str, yaml: Map, parent: TypeScope | None, file: str, level: int = 0) -> TypeScope:
    """Return the scope of a type in YAML, with scopes for the types declared inside it."""
    scope = TypeScope(name, yaml, parent, file)
    if parent is not None:
        reader.unknown_keys(yaml, "a type")
        scope.endian, scope.bit_endian, scope.encoding = parent.endian, parent.bit_endian, parent.encoding
        scope.opaque = parent.opaque
    meta = yaml.get("meta")
    if isinstance(meta, Map):
        if parent is not None:
            reader.unknown_keys(meta, "a type's meta")
        _read_meta_defaults(reader, scope, meta)
    enums = reader.map(yaml.get("enums"), "enums")
    for key, value in enums.values.items() if enums else ():
        at = enums.keys[key] if enums else None
        if at is not None and reader.identifier(at, "enum name") and (enum := read_enum(reader, f"{name}::{key}", value, at.place)):
            scope.enums[key] = enum
    types = reader.map(yaml.get("types"), "types")
    # A limit of its own: this function is recursive, and runs before `check_unfolding`.
    if types is not None and level > 50:
        reader.add(VALUE, "types are nested deeper than 50 levels", types.place)
    elif types is not None:
        for key, value in types.values.items():
            body = reader.map(value, f"type {key}")
            if reader.identifier(types.keys[key], "type name") and body is not None:
                scope.types[key] = read_scopes(reader, f"{name}::{key}", body, scope, file, level + 1)
    return scope


def _read_meta_defaults(reader: YamlReader, scope: TypeScope, meta: Map) -> None:
    """Set byte order, bit order, encoding and ``opaque`` of a scope from the ``meta`` of its type."""
    endian = meta.get("endian")
    if isinstance(endian, Map):
        scope.endian = "switch"
    elif endian is not None:
        text = endian.text if isinstance(endian, Scalar) else ""
        if text in ("le", "be"):
            scope.endian = "le" if text == "le" else "be"
        else:
            reader.add(VALUE, f"endian: expected le, be or a switch, found {endian.what}", endian.place)
            # Any order: without one, each field of several bytes would be reported as well.
            scope.endian = "le"
    bits = meta.get("bit-endian")
    if bits is not None:
        text = bits.text if isinstance(bits, Scalar) else ""
        if text not in ("le", "be"):
            reader.add(VALUE, f"bit-endian: expected le or be, found {bits.what}", bits.place)
        scope.bit_endian = "le" if text == "le" else "be"
    if (encoding := reader.text(meta.get("encoding"), "encoding")) is not None:
        scope.encoding = encoding
    scope.opaque = reader.flag(meta, "ks-opaque-types", scope.opaque)
