"""The language of binary schemas (``.ksy``) for editors: `BinarySchemas`.

Names and their uses are found in the YAML of a draft (`_Names`, `_NameUses`), the keys and words that may be proposed in the
loader's tables of keys (`draft_yaml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from bridgespec.diagnostic import Diagnostic
from bridgespec.docs.reference import entries, markdown
from bridgespec.editor.code_names import known_codes
from bridgespec.editor.draft import CURSOR, EditorDraft, Heading, Mention, Proposal
from bridgespec.editor.draft_yaml import YamlSpot, at_cursor, entry_of, proposals, root_shapes, scalar_span, spots, tolerant
from bridgespec.editor.schemas import SchemaLanguage
from bridgespec.editor.widths import width_findings
from bridgespec.spec.primitive import Primitive
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

_ROOT = root_shapes("ksy", "schema")
# The tokens of an expression that matter for names: texts, which contain none, casts, and paths of names.
_TOKEN = re.compile(r"""(?P<text>"[^"]*"|'[^']*')|(?P<cast>\b(?:as|sizeof|bitsizeof)<)|(?P<name>[a-z_]\w*(?:::[a-z_]\w*)*)""")
_NAME = re.compile(r"[a-z_]\w*")
_SIZES = ("", *(f"{kind}{size}{order}" for kind in "usf" for size in "1248" for order in ("", "le", "be")))
_SIMPLE = (*_SIZES, *(f"b{bits}" for bits in range(1, 65)), "str", "strz")


def primitive_names() -> Iterator[str]:
    """Yield the names of the primitive types, such as ``u2le`` and ``strz``."""
    patterns = [kind.NAMES for kind in Primitive.__subclasses__() if kind.NAMES is not None]
    yield from (name for name in _SIMPLE if any(pattern.fullmatch(name) for pattern in patterns))


@dataclass
class _Type:
    """A type that a draft declares: for each member the full name of its type, None if that is not declared; and its
    documentation.
    """

    fields: dict[str, str | None] = field(default_factory=dict)
    doc: str = ""


class _Names:
    """The declarations of a draft by full name: ``schema::type::inner``; members of types and enums follow a dot.

    ``found`` are the mentions that declare them, ``imports`` the imported paths by the name of the schema.
    """

    def __init__(self, draft: EditorDraft, yaml: Yaml | None) -> None:
        self.draft = draft
        self.types: dict[str, _Type] = {}
        self.enums: dict[str, list[str]] = {}
        self.found: list[Mention] = []
        self.imports: dict[str, str] = {}
        self.top = draft.path.stem
        self._uses: list[tuple[str, str, str]] = []
        if isinstance(yaml, Map):
            meta = yaml.get("meta")
            given = meta.get("id") if isinstance(meta, Map) else None
            self.top = given.text if isinstance(given, Scalar) and given.text else self.top
            self.imports = {
                name.rpartition("/")[2]: name for name in _texts(meta.get("imports") if isinstance(meta, Map) else None)
            }
            self._add_type(yaml, self.top)
        # After all types are known: a field may be of a type that is declared below it.
        for scope, name, kind in self._uses:
            self.types[scope].fields[name] = self.type_of(scope, kind.partition("(")[0].split("::"))

    def _add_mention(self, scalar: Yaml | None, target: str, kind: str, doc: str = "") -> None:
        """Add the mention that declares a name, unless it is the name at the cursor or its span is unknown."""
        span = scalar_span(self.draft, scalar) if isinstance(scalar, Scalar) and CURSOR not in scalar.text else None
        if span is not None:
            self.found.append(Mention(target, kind, *span, True, doc))

    def _add_type(self, yaml: Map, name: str) -> None:
        """Add the type that a mapping declares, with its members, its enums and the types inside it."""
        self.types[name] = _Type(doc=_text(yaml.get("doc")))
        members: list[tuple[Yaml | None, Yaml]] = []
        for key in ("params", "seq"):
            given = yaml.get(key)
            members += [(one.get("id"), one) for one in (given if isinstance(given, Items) else ()) if isinstance(one, Map)]
        instances = yaml.get("instances")
        if isinstance(instances, Map):
            members += [(instances.keys[key], one) for key, one in instances.values.items()]
        for scalar, body in members:
            if isinstance(scalar, Scalar):
                kind = body.get("type") if isinstance(body, Map) else None
                self.types[name].fields[scalar.text] = None
                doc = _text(body.get("doc")) if isinstance(body, Map) else ""
                self._add_mention(scalar, f"{name}.{scalar.text}", "field", doc)
                if isinstance(kind, Scalar):
                    self._uses.append((name, scalar.text, kind.text))
        self._add_enums(yaml.get("enums"), name)
        types = yaml.get("types")
        for key, inner in types.values.items() if isinstance(types, Map) else ():
            self._add_mention(types.keys[key] if isinstance(types, Map) else None, f"{name}::{key}", "type", _doc(inner))
            if isinstance(inner, Map):
                self._add_type(inner, f"{name}::{key}")

    def _add_enums(self, enums: Yaml | None, owner: str) -> None:
        """Add the enums of a type, with their members."""
        for key, members in enums.values.items() if isinstance(enums, Map) else ():
            full = f"{owner}::{key}"
            self.enums[full] = []
            self._add_mention(enums.keys[key] if isinstance(enums, Map) else None, full, "enum")
            for value in members.values.values() if isinstance(members, Map) else ():
                scalar = value.get("id") if isinstance(value, Map) else value
                if isinstance(scalar, Scalar):
                    self.enums[full].append(scalar.text)
                    self._add_mention(scalar, f"{full}.{scalar.text}", "member")

    def type_of(self, scope: str, path: Sequence[str]) -> str | None:
        """Return the full name of the type that a path names in a scope; for a type of an imported schema, the path itself. None if
        neither is known.
        """
        return self._resolved(scope, path, self.types)

    def enum_of(self, scope: str, path: Sequence[str]) -> str | None:
        """Return the full name of the enum that a path names in a scope, as `type_of` does for types."""
        return self._resolved(scope, path, self.enums)

    def _resolved(self, scope: str, path: Sequence[str], known: Iterable[str]) -> str | None:
        """Return the full name for a path, looked up in the known names from the scope outwards."""
        # Kaitai looks a name up in the type itself, then in the types around it, up to the schema.
        here = scope
        while here:
            full = "::".join([here, *path])
            if full in known:
                return full
            here = here.rpartition("::")[0]
        full = "::".join(path)
        return full if full in known or path[0] in self.imports else None


def _texts(yaml: Yaml | None) -> list[str]:
    """Return the texts of the scalars of a list; empty for anything else."""
    return [one.text for one in yaml if isinstance(one, Scalar)] if isinstance(yaml, Items) else []


def _text(yaml: Yaml | None) -> str:
    """Return the text of a scalar; empty for anything else."""
    return yaml.text if isinstance(yaml, Scalar) else ""


def _doc(yaml: Yaml) -> str:
    """Return the ``doc`` of a mapping; empty where it has none."""
    return _text(yaml.get("doc")) if isinstance(yaml, Map) else ""


def _scope(top: str, path: Sequence[str]) -> str:
    """Return the full name of the innermost type that contains the value at a path of keys; ``top`` is the name of the schema."""
    found = [top]
    at = 0
    while at + 1 < len(path) and path[at] == "types":
        found.append(path[at + 1])
        at += 2
    return "::".join(found)


class _NameUses:
    """Collects in ``found`` the mentions of names in a value: an expression, or the path of a type or an enum.

    ``scope`` is the full name of the type that contains the value, ``start`` the offset of its text in the draft.
    """

    def __init__(self, names: _Names, scope: str, text: str, start: int) -> None:
        self.names, self.scope, self.text, self.start = names, scope, text, start
        self.found: list[Mention] = []
        self._ends: dict[int, str | None] = {}
        """The full name of the type of the operand whose last character is at an offset of the text."""

    def mention(self, target: str | None, kind: str, start: int, stop: int) -> None:
        """Add a mention of a name, if it is declared."""
        if target is not None:
            self.found.append(Mention(target, kind, self.start + start, self.start + stop))

    def path(self, at: int, text: str, kind: str) -> None:
        """Add a mention for each part of the path ``text`` of a type or an enum, which begins at offset ``at``."""
        parts = list(_NAME.finditer(text))
        names = [part[0] for part in parts]
        resolve = self.names.enum_of if kind == "enum" else self.names.type_of
        target = resolve(self.scope, names)
        # From the last part back: each part before it names the type around it.
        for count in range(len(parts), 0, -1):
            self.mention(target, kind, at + parts[count - 1].start(), at + parts[count - 1].end())
            target, kind = target.rpartition("::")[0] if target and "::" in target else None, "type"

    def expression(self) -> None:
        """Add the mentions of all names in the text as an expression."""
        cast = False
        for token in _TOKEN.finditer(self.text):
            if token["cast"]:
                cast = True
            elif token["name"]:
                start, name = token.start("name"), token["name"]
                if cast:
                    self.path(start, name, "type")
                    self._ends[self.text.find(">", start)] = self.names.type_of(self.scope, name.split("::"))
                    cast = False
                elif "::" in name:
                    self._member(start, name)
                else:
                    self._field(start, name)

    def _member(self, start: int, name: str) -> None:
        """Add the mentions of ``enum::member``."""
        path, _, member = name.rpartition("::")
        enum = self.names.enum_of(self.scope, path.split("::"))
        self.path(start, path, "enum")
        self.mention(None if enum is None else f"{enum}.{member}", "member", start + len(path) + 2, start + len(name))

    def _field(self, start: int, name: str) -> None:
        """Add the mention of a member of a type, and note the type of the operand that ends with it."""
        if name == "_root":
            self._ends[start + len(name) - 1] = self.scope.partition("::")[0]
            return
        scope = self.owner(start)
        known = self.names.types.get(scope) if scope is not None else None
        if known is not None and name in known.fields:
            self.mention(f"{scope}.{name}", "field", start, start + len(name))
            self._ends[start + len(name) - 1] = known.fields[name]

    def owner(self, start: int) -> str | None:
        """Return the full name of the type of which the name at an offset is a member; None where it is not known."""
        # Without a dot before it, a name is a member of the type in which the expression is written.
        if self.text[start - 1 : start] != "." or start == 0:
            return self.scope
        at = start - 2
        # Brackets are skipped: in a[i].b and f(x).b the owner is the type of a or f.
        while at >= 0 and self.text[at] in ")]":
            depth = 0
            while at >= 0:
                depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(self.text[at], 0)
                at -= 1
                if depth == 0:
                    break
        return self._ends.get(at)


class BinarySchemas(SchemaLanguage):
    """The language of ``.ksy`` files."""

    RENAMED = frozenset({"type", "enum", "member", "field"})

    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """Return the findings on the samples and generated boards of a saved schema; before them, for a file with findings, each
        other width of a field with which the file has none.
        """
        of_file = width_findings(draft.path, draft.folders, draft.text, file) if file else []
        return [*of_file, *super().trials(draft)]

    def _read(self, draft: EditorDraft) -> tuple[Yaml | None, _Names]:
        """Return the readable YAML of a draft, and its declarations."""
        yaml = tolerant(draft.text, draft.path.name)
        return yaml, _Names(draft, yaml)

    def mentions(self, draft: EditorDraft) -> Sequence[Mention]:
        """Return the types, enums and members that a schema declares and uses, and the names of imported schemas."""
        yaml, names = self._read(draft)
        found = list(names.found)
        for spot in spots("ksy", yaml, _ROOT):
            found += self._used(draft, names, spot)
        return found

    def _used(self, draft: EditorDraft, names: _Names, spot: YamlSpot) -> list[Mention]:
        """Return the mentions of names in one value, or in a key that is an expression."""
        if "schema" in spot.formats and not spot.is_key and (span := scalar_span(draft, spot.scalar)) is not None:
            return [Mention(f"{spot.scalar.text}{draft.path.suffix}", "file", *span)]
        # The keys of a switch are expressions, unlike all other keys.
        as_case = spot.is_key and spot.path[-1:] == ("cases",)
        span = scalar_span(draft, spot.scalar) if spot.formats & {"type", "enum", "expression", "field"} or as_case else None
        if span is None or (spot.is_key and not as_case):
            return []
        scope, text = _scope(names.top, spot.path), spot.scalar.text
        uses = _NameUses(names, scope, text, span[0])
        if "type" in spot.formats and not as_case:
            name, bracket, arguments = text.partition("(")
            uses.path(0, name.removesuffix("[]"), "type")
            if bracket:
                inner = _NameUses(names, scope, arguments, span[0] + len(name) + 1)
                inner.expression()
                uses.found += inner.found
        elif "enum" in spot.formats:
            uses.path(0, text, "enum")
        else:
            uses.expression()
        return uses.found

    def outline(self, draft: EditorDraft) -> list[Heading]:
        """Return the outline of a schema: its types and enums, with their members."""
        _, names = self._read(draft)
        made: dict[str, Heading] = {}
        tops: list[Heading] = []
        for one in names.found:
            owner, _, short = one.target.rpartition("." if one.kind in ("field", "member") else "::")
            heading = made[one.target] = Heading(short, one.kind, one.start, one.stop)
            (made[owner].parts if owner in made else tops).append(heading)
        return tops

    def complete(self, draft: EditorDraft, offset: int) -> list[Proposal]:
        """Return the keys, words and declared names that may be written at an offset."""
        start = draft.word(offset, "_-")[0]
        spot = at_cursor("ksy", draft.text[:start], draft.path.name, _ROOT)
        if spot is None:
            return []
        # Without the incomplete line, which could make the YAML around it unreadable.
        line, stop = draft.starts[draft.place(offset)[0]], draft.text.find("\n", offset)
        _, names = self._read(replace(draft, text=draft.text[:line] + (draft.text[stop:] if stop >= 0 else "")))
        scope = _scope(names.top, spot.path)
        own = names.types.get(scope, _Type())
        found = list(proposals("ksy", spot))
        if spot.is_key and spot.path[-1:] != ("cases",):
            return found
        found += self._declared(draft, names, scope, spot.formats)
        if "expression" in spot.formats or spot.is_key:
            found += self._in_expression(names, scope, spot)
        elif "field" in spot.formats:
            found += [Proposal(name, "field") for name in own.fields]
        elif spot.path[-1:] == ("id",) and "seq" in spot.path:
            found += [Proposal(one.name, one.kind, one.doc) for one in entries() if one.kind in ("term", "role")]
        return found

    def _declared(self, draft: EditorDraft, names: _Names, scope: str, formats: Set[str]) -> Iterator[Proposal]:
        """Yield the types, enums, findings and schemas that may be written in a scope as a value of the formats."""
        if "type" in formats:
            yield from (Proposal(name, "type") for name in primitive_names())
            yield from (Proposal(name, "type", names.types[full].doc) for full in names.types if (name := _name_in(scope, full)))
            yield from (Proposal(name, "type") for name in names.imports)
        if "enum" in formats:
            yield from (Proposal(name, "enum") for full in names.enums if (name := _name_in(scope, full)))
        if "finding" in formats:
            yield from (Proposal(name, "finding", doc) for name, doc in known_codes(draft.path, draft.folders).items())
        if "schema" in formats:
            yield from (Proposal(path.stem, "schema") for path in sorted(draft.path.parent.glob("*.ksy")) if path != draft.path)

    def _in_expression(self, names: _Names, scope: str, spot: YamlSpot) -> Iterator[Proposal]:
        """Yield the names that may be written at the cursor in an expression."""
        text = spot.scalar.text
        at = text.index(CURSOR)
        if text[:at].endswith("::"):
            path = re.search(r"([a-z_]\w*(?:::[a-z_]\w*)*)::$", text[:at])
            enum = names.enum_of(scope, path[1].split("::")) if path is not None else None
            yield from (Proposal(member, "member") for member in names.enums.get(enum or "", ()))
            return
        uses = _NameUses(names, scope, text, 0)
        uses.expression()
        after_dot = text[:at].endswith(".")
        owner = uses.owner(at)
        known = names.types.get(owner) if owner is not None else None
        # Without the placeholder at the cursor, which the draft seems to declare.
        yield from (Proposal(name, "field") for name in (known.fields if known is not None else ()) if CURSOR not in name)
        wanted = "attribute" if after_dot else "function"
        if after_dot or any(key.startswith("-bridge-") for key in spot.path):
            yield from (Proposal(one.name, wanted, one.doc) for one in entries() if one.kind == wanted)
        if not after_dot:
            yield from (Proposal(f"{name}::", "enum") for full in names.enums if (name := _name_in(scope, full)))

    def describe(self, draft: EditorDraft, offset: int) -> str:
        """Return Markdown about the key, finding, function or term at an offset; empty where the word is none of these."""
        yaml, _ = self._read(draft)
        for spot in spots("ksy", yaml, _ROOT):
            span = scalar_span(draft, spot.scalar)
            if span is None or not span[0] <= offset <= span[1]:
                continue
            if spot.is_key and (entry := entry_of("ksy", spot)) is not None:
                return markdown(entry)
            if "finding" in spot.formats:
                return known_codes(draft.path, draft.folders).get(spot.scalar.text, "")
            start, stop = draft.word(offset, "_")
            word = draft.text[start:stop]
            kinds = {"function", "attribute"} if "expression" in spot.formats else spot.formats & {"term", "role"}
            kinds = {"axis"} if "-bridge-axes" in spot.path else {*kinds}
            found = [markdown(one) for one in entries() if one.name == word and one.kind in kinds]
            if found:
                return "\n\n".join(found)
        return ""


def _name_in(scope: str, full: str) -> str:
    """Return the name by which a scope refers to a declaration with a full name; empty for the schema itself."""
    owner, _, short = full.rpartition("::")
    if scope == owner or scope.startswith(f"{owner}::"):
        return short
    top = scope.partition("::")[0]
    return full.removeprefix(f"{top}::") if full.startswith(f"{top}::") else ""
