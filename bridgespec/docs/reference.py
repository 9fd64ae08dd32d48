"""The reference of the schema languages: an entry for each word that a schema may contain.

Keys come from the loaders' tables, functions from the table of functions, terms with their parts from the registry of terms. Each
key has an example: one of the small schemas beside this module, which `check-spec` accepts.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bridgespec.codec.terms import COMMON, TERMS
from bridgespec.codec.terms._cells import labels_of
from bridgespec.spec.catalog import load_file
from bridgespec.spec.dialect import TABLES
from bridgespec.spec.grammar.syntax import REFUSED as NOT_LARK
from bridgespec.spec.kaitai.expr.functions import WORDS as FUNCTIONS
from bridgespec.spec.kaitai.expr.types import METHODS
from bridgespec.spec.kaitai.keys import IDLE
from bridgespec.spec.kaitai.keys import REFUSED as NOT_KAITAI
from bridgespec.spec.keys import AXES, JsonSchema, Key, slug
from bridgespec.spec.problems import Problems

EXAMPLES = Path(__file__).parent / "language"
PREFIX = "-bridge-"
_SEVERAL = 3
_MANY = 9
"""The number of keys from which on `words_of` does not list the keys of a mapping."""
_KINDS = {"ksy": "key", "lark": "word"}
"""The name of an entry of each schema language."""


@dataclass(frozen=True, slots=True)
class Example:
    """A small schema that is an example of its keys; ``lines`` has the line numbers of each key, by owner and key."""

    name: str
    text: str
    lines: Mapping[tuple[str, str], tuple[int, ...]]

    @property
    def language(self) -> str:
        """The schema's language, as the suffix of its file (ksy or lark)."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """The entry for one word: ``owners`` may have it, ``takes`` is the form of its value, ``parts`` are the roles of a term, or the
    example of a function with its value. ``lines`` are those of the word in ``example``.
    """

    kind: str
    name: str
    doc: str
    owners: tuple[str, ...] = ()
    takes: str = ""
    findings: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    example: Example | None = None
    lines: tuple[int, ...] = ()
    language: str = ""

    @property
    def anchor(self) -> str:
        """The anchor of the entry on its page."""
        owner = slug(self.owners[0]) if self.owners else ""
        return "-".join(part.strip("-").replace(" ", "-") for part in (self.language or self.kind, owner, self.name) if part)


@cache
def examples() -> tuple[Example, ...]:
    """Return the small schemas that are examples, by name."""
    return tuple(_example(path) for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".ksy", ".lark"))


def _example(path: Path) -> Example:
    """Return the example in a schema file, which is loaded to find the lines of its keys."""
    problems = Problems()
    load_file(path, [path.parent], problems)
    lines: dict[tuple[str, str], tuple[int, ...]] = {}
    # By the keys that the loader has read: an example cannot claim a key that it does not use.
    for owner, keys in problems.taken:
        for key, where in keys.items():
            # An example may import a schema, whose keys are recorded as well.
            if Path(where.place.file).name == path.name:
                lines[owner, key] = (*lines.get((owner, key), ()), where.place.line)
    return Example(path.name, path.read_text("utf-8"), lines)


@cache
def entries() -> tuple[ReferenceEntry, ...]:
    """Return an entry for each word that a schema may contain."""
    return (*_keys(), *_functions(), *_methods(), *_terms(), *_axes())


def find(word: str) -> list[ReferenceEntry]:
    """Return the entries for a word, given with or without the prefix ``-bridge-``."""
    name = word.strip().lower()
    bare = name.removeprefix("-").removeprefix("bridge-")
    found = [entry for entry in entries() if entry.name in (name, bare, PREFIX + bare)]
    # Entries with exactly this name come first: `-bridge-role` before the word `role` of grammars.
    return sorted(found, key=lambda entry: entry.name != name)


def near(word: str, more: Iterable[str] = ()) -> list[str]:
    """Return similar known words, the most similar first; ``more`` are further known words."""
    bare = word.strip().lower().removeprefix("-").removeprefix("bridge-")
    known = {entry.name.removeprefix(PREFIX): entry.name for entry in entries()} | {name: name for name in more}
    return [known[name] for name in difflib.get_close_matches(bare, known, _SEVERAL, 0.5)]


@dataclass(frozen=True, slots=True)
class ReferenceChapter:
    """A chapter of the reference: its introduction (``words``), and its entries, grouped by owner or term."""

    title: str
    anchor: str
    words: str
    groups: list[tuple[str, list[ReferenceEntry]]]


def sections() -> list[ReferenceChapter]:
    """Return the chapters in order; the kind of an entry is the anchor of its chapter."""
    found = [ReferenceChapter(_TITLES[language], _KINDS[language], _WORDS[language], _by_owner(language)) for language in TABLES]
    for kind, (title, words) in _OTHERS.items():
        groups: dict[str, list[ReferenceEntry]] = {}
        for entry in entries():
            if entry.kind == kind:
                of = entry.owners[0] if len(entry.owners) == 1 else SEVERAL
                groups.setdefault(of if kind in _BY_TERM else "", []).append(entry)
        found.append(ReferenceChapter(title, kind, words, sorted(groups.items(), key=lambda group: group[0] == SEVERAL)))
    return found


def _by_owner(language: str) -> list[tuple[str, list[ReferenceEntry]]]:
    """Return the owners of keys in a language, each with the entries of its keys."""
    owners = dict.fromkeys(_owner(language, owner) for owner in TABLES[language])
    return [(owner, [one for one in entries() if one.language == language and owner in one.owners]) for owner in owners]


_TITLES = {"ksy": "Keys of binary schemas", "lark": "Words of grammars"}
_WORDS = {
    "ksy": "Grouped by the mapping that may have them. Any other key that begins with a hyphen is ignored, as in Kaitai.",
    "lark": "Grouped by their owner. The first block of //- lines is the head; every other block is that of the rule below it.",
}
_OTHERS = {
    "function": ("Functions", "For expressions under -bridge- keys; Kaitai's compiler does not know them."),
    "attribute": ("Attributes of values", "Those of Kaitai's expressions."),
    "term": (
        "Terms",
        "The things that the model represents. A field or rule with the name of a term is bound to it, or one with `as`.",
    ),
    "role": (
        "Parts of terms",
        "Inside a term, a field or rule with the name of a part is bound to the part, or one with `role`.",
    ),
    "member": ("Members", "A field or rule with such a name, outside of a term, is one part of the term."),
    "axis": ("Axes", "The meanings of the positions of an array, each with its labels in the order of the model."),
    "code": ("Names of codes", "The names of enum members, and of alternatives of rules, that have a meaning in a term, by term."),
}
SEVERAL = "several terms"
_BY_TERM = ("role", "member", "code")
"""The kinds of entries that are grouped by the term to which they belong."""


def refused() -> dict[str, Mapping[str, str]]:
    """Return the constructs of each schema language that are not supported, with the reason."""
    return {"Kaitai Struct": NOT_KAITAI, "Lark": {_LARK[name]: why for name, why in NOT_LARK.items()}}


_LARK = {
    "ignore": "%ignore",
    "declare": "%declare",
    "override_rule": "%override and %extend",
    "template_usage": "templates",
    "priority": "priorities of rules",
}


def markdown(entry: ReferenceEntry) -> str:
    """Return an entry as Markdown, for editors.

    >>> print(markdown(find("recover")[0]).splitlines()[0])
    **recover** · word of the head
    """
    where = f" of {', '.join(entry.owners)}" if entry.owners else ""
    lines = [f"**{entry.name}** · {entry.kind}{where}", entry.doc]
    lines += [f"Value: {entry.takes}"] if entry.takes else []
    lines += [f"Findings: {', '.join(entry.findings)}"] if entry.findings else []
    lines += ["\n".join(f"- `{part}`: {words}" for part, words in entry.parts.items())] if entry.parts else []
    if entry.example is not None and entry.lines:
        text = entry.example.text.split("\n")
        near = text[max(0, entry.lines[0] - 3) : entry.lines[0] + 3]
        lines.append(f"```{entry.language}\n" + "\n".join(near) + "\n```")
    return "\n\n".join(lines)


# --- keys


def _keys() -> Iterator[ReferenceEntry]:
    """Yield the entries for the keys of both schema languages."""
    for language, table in TABLES.items():
        found: dict[tuple[str, int], tuple[Key, list[str]]] = {}
        for owner, keys in table.items():
            for name, key in keys.items():
                # Keys of Kaitai without a meaning here are accepted, and have no entry.
                if name in IDLE.get(owner, ()):
                    continue
                # By identity: a key that several owners share is one entry, keys of one name with different meanings are several.
                found.setdefault((name, id(key)), (key, []))[1].append(owner)
        for (name, _), (key, owners) in found.items():
            one = _shown(language, name, owners)
            named_owners = tuple(_owner(language, owner) for owner in owners)
            lines = () if one is None else _lines(one, name, owners)
            takes = words_of(key.shape, language)
            yield ReferenceEntry(
                _KINDS[language], name, key.doc, named_owners, takes, key.findings, example=one, lines=lines, language=language
            )


def _shown(language: str, name: str, owners: list[str]) -> Example | None:
    """Return the first example that has a key, with the first of its owners there; None where no example has it."""
    for owner in owners:
        for one in examples():
            if one.language == language and (owner, name) in one.lines:
                return one
    return None


def _lines(one: Example, name: str, owners: list[str]) -> tuple[int, ...]:
    return tuple(sorted({line for owner in owners for line in one.lines.get((owner, name), ())}))


def _owner(language: str, owner: str) -> str:
    if language == "ksy":
        return owner
    return {"head": "the head", "rule": "a rule"}.get(owner, owner)


def words_of(shape: JsonSchema, language: str = "ksy") -> str:
    """Return the form of a value in words, given its JSON Schema.

    >>> words_of({"type": "boolean"}), words_of({"type": "array", "items": {"type": "string"}})
    ('true or false', 'a list of texts')
    """
    match shape:
        case {"$ref": str(ref)}:
            owner = next(one for one in TABLES[language] if slug(one) == ref.rpartition("/")[2])
            return (
                f"a mapping ({', '.join(TABLES[language][owner])})"
                if len(TABLES[language][owner]) < _MANY
                else f"a mapping: {owner}"
            )
        # Before the cases below: the JSON Schema of an expression has a type as well, and would match them.
        case {"description": str()}:
            return "an expression"
        case {"enum": list(options)}:
            return " or ".join([", ".join(options[:-1]), options[-1]])
        case {"anyOf": list(options)}:
            return ", or ".join(dict.fromkeys(words_of(option, language) for option in options))
        case {"format": "regex"}:
            return "a regular expression"
        case {"type": "array", "items": {"properties": _}}:
            return "a list of axes, each with its labels"
        case {"type": "array", "items": {"type": "string"}}:
            return "a list of texts"
        case {"type": "array", "items": dict(item)}:
            return f"a list, each item {words_of(item, language)}"
        case {"type": "array"}:
            return "a list"
        case {"type": "object", "additionalProperties": dict(item)}:
            return f"names, each with {words_of(item, language)}"
        case {"type": "object"}:
            return "a mapping"
        case {"type": str(kind)}:
            return {"integer": "a whole number", "boolean": "true or false", "string": "a text"}[kind]
        case {"type": list(kinds)}:
            return "a text" if "boolean" in kinds else "a text or a number"
    return "an expression"


# --- expressions


def _functions() -> Iterator[ReferenceEntry]:
    for name, word in FUNCTIONS.items():
        source, value = word.example
        takes = ", ".join(word.forms)
        yield ReferenceEntry(
            "function",
            name,
            word.doc,
            ("an expression under a -bridge- key",),
            takes,
            parts={source: f"{value:#x}" if value > 999 else str(value)},
        )


_VALUES = {
    "str": "a text", "bytes": "bytes", "int": "an integer", "byte": "an integer", "float": "a float", "bool": "a boolean",
    "enum": "a code", "io": "a stream", "array": "a list",
}  # fmt: skip
_METHOD_DOCS = {
    "length": "The number of characters, bytes or items.",
    "size": "The number of bytes or items.",
    "reverse": "The text in reverse order.",
    "to_i": "The integer in a text (in another base: `to_i(16)`), or of a code, a boolean or a float, whose fraction is cut off.",
    "to_s": "A number as text; bytes as text of an encoding: `to_s('ASCII')`.",
    "substring": "The characters from one position up to another: `substring(0, 3)`.",
    "first": "The first item.",
    "last": "The last item.",
    "min": "The least item.",
    "max": "The greatest item.",
    "eof": "Whether the stream has been read to its end.",
    "pos": "The number of bytes of it that have been read.",
}


def _methods() -> Iterator[ReferenceEntry]:
    """Yield the attributes and methods of values in Kaitai's expressions."""
    owners: dict[str, dict[str, None]] = {}
    for kind, methods in METHODS.items():
        for name in methods:
            owners.setdefault(name, {})[_VALUES[kind]] = None
    for name, kinds in owners.items():
        yield ReferenceEntry("attribute", name, _METHOD_DOCS[name], tuple(kinds))


# --- meaning


def _terms() -> Iterator[ReferenceEntry]:
    """Yield the entries for terms, their roles and members, and the names of their codes."""
    where = {"board": "a board", "file": "a file", "document": "a file"}
    roles: dict[str, dict[str, str]] = {}
    codes: dict[str, dict[str, None]] = {}
    members: dict[str, dict[str, str]] = {}
    for term in TERMS.values():
        yield ReferenceEntry("term", term.NAME, _sentence(term.DOC), (where[term.ON],), parts=dict(term.ROLES))
        for role, doc in term.ROLES.items():
            roles.setdefault(role, {})[term.NAME] = doc
        for member, role in term.MEMBERS.items():
            members.setdefault(member, {})[term.NAME] = term.ROLES.get(role, {**COMMON}.get(role, ""))
        for names in term.CODES.values():
            for name in sorted(names):
                # A dictionary as an ordered set, since the order of a set of texts differs from process to process.
                codes.setdefault(name, {})[term.NAME] = None
    for role, doc in COMMON.items():
        yield ReferenceEntry("role", role, _sentence(doc), ("any term",))
    for kind, table in (("role", roles), ("member", members)):
        for name, doc_by_term in table.items():
            doc = "; ".join(dict.fromkeys(doc_by_term.values()))
            yield ReferenceEntry(kind, name, _sentence(doc), tuple(doc_by_term))
    for name, of in codes.items():
        yield ReferenceEntry("code", name, "A name that an enum or an alternative may give a code.", tuple(of))


def _axes() -> Iterator[ReferenceEntry]:
    for name, doc in AXES.items():
        yield ReferenceEntry("axis", name, doc, ("axes",), labels_of(name) or "numbers")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
