"""Declarations of a schema's fields, in one form for both languages (`GrammarDeclarations`, `Fields`), for binding and writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from bridgespec.codec.node import FieldNode
from bridgespec.codec.spelling import Between, Memo, suit_signs, unescaped
from bridgespec.lazily import Lazy
from bridgespec.spec import ir
from bridgespec.spec.kaitai.expr.tree import Name
from bridgespec.spec.numeral import Numeral
from bridgespec.spec.place import SchemaPlace

if TYPE_CHECKING:
    from bridgespec.spec import grammar as grammars
    from bridgespec.spec.grammar import Fill, Grammar, GrammarRule, RuleWords
else:
    # A binary file needs nothing of what reads grammars.
    grammars = Lazy("bridgespec.spec.grammar")

DeclarationKind = Literal["leaf", "code", "record"]
Spelled = str | int | bytes


@dataclass(frozen=True, slots=True)
class FieldBinding:
    """The binding of a field to the model. Its kind: a ``role`` of the enclosing ``term``; a ``term``, or a part (``member``) of
    one; a ``pair``; the list of ``boards``; ``look``, a record without a role whose fields are bound; ``rest``, no meaning.
    ``array_as_one``: the elements of an array are one value.
    """

    kind: Literal["role", "term", "pair", "boards", "look", "rest"]
    term: str = ""
    role: str = ""
    member: str = ""
    array_as_one: bool = False


@dataclass(frozen=True)
class DelegatedDeclaration:
    """A field whose text another rule reads: the declaration of this rule by the text of the field ``by``, and for other texts."""

    by: str | None
    cases: Mapping[str, Declaration]
    otherwise: Declaration | None

    def choose(self, key: str | None) -> Declaration | None:
        """Return the declaration for a text of the selecting field; None where the field's text is not read further."""
        return self.otherwise if key is None else self.cases.get(key, self.otherwise)


@dataclass(frozen=True)
class PairDeclaration:
    """The declaration of a pair: its fields of key, value and section, and the term that each key states."""

    key: str
    value: str
    section: str | None
    words: Mapping[str, str]
    tags: bool
    also: frozenset[str]
    mandatory: tuple[str, ...]
    repeats: frozenset[str]
    tables: frozenset[str]
    columns: Mapping[str, Declaration]
    heads: Mapping[str, str]

    def word(self, key: str) -> str | None:
        """Return the word of a key in any case, else the word for all other keys (``*``); None where there is neither."""
        return self.words.get(key) or self.words.get(key.lower()) or self.words.get("*")


class CaseDeclaration(NamedTuple):
    """A case of a switch: field ``name`` is declared by ``case``, of type ``type``, where field ``by`` has the value ``value``."""

    by: str
    value: object
    name: str
    case: Declaration
    type: str


class Declaration(ABC):
    """A field of a schema: its name, its kind, and the words that bind it to the model. Made once for each field."""

    def __init__(self, name: str, binding: ir.Binding, many: bool, place: SchemaPlace, kind: DeclarationKind) -> None:
        self.name = name
        self.binding = binding
        self.many = many
        self.place = place
        self.kind = kind
        self.entries: dict[str, FieldBinding] = {}
        """The binding of the field in a record of each term; cached."""
        self.keys: dict[str, FieldBinding] = {}  # the binding of each key of a pair; cached
        self.terms, self.ranks = Memo[Sequence[str]](), Memo[Sequence[Any]]()
        """Caches by the keys of pairs: the terms of a sequence of pairs, and their sort keys in the strict form."""
        self.roles: dict[str, frozenset[str]] = {}
        """The roles of each term that its parts may have; cached."""

    has_model: bool = True
    """Whether words of the schema bind to the model."""
    between: Between | None = None  # the delimiters around the text
    escape: str | None = None  # the method of `unescaped`
    suits: str | None = None
    """The spelling of spades in a text; the spelling of another suit ends with its own letter (`suit_signs`)."""
    unknown: tuple[str, ...] = ()  # the texts that mean "unknown"
    marks: Mapping[int, str] = {}  # the marks of annotations by their numbers
    pair: PairDeclaration | None = None
    inherit: tuple[str, str] | None = None
    """For a pair: the value that repeats an earlier one, and the mark of a value that later records inherit."""
    digits: Any = None  # for a number with a cell in each digit: its base and codes
    fill: Fill | None = None  # for a list of unused boards: the field and the last of their numbers
    default: object = None
    case: str | None = None  # for a list with records of several types, the type that is a board
    fixed: bool = False
    """Whether the field is constant or derived from other fields."""
    settled: bool = False
    """Whether the schema allows one value only, which the writer knows."""
    numeral: Numeral | None = None
    reaches: bool = False
    """Whether the field is derived from sizes, offsets or data outside its record."""
    only_read: bool = False
    """Whether a new record is written without it."""
    size: int | None = None
    """The number of elements of an array, where it is fixed."""
    counted: bool = False  # whether an expression gives the number of elements of an array

    @property
    @abstractmethod
    def fields(self) -> Mapping[str, Declaration]:
        """The fields of a record, in file order; for a switch the fields of all cases."""

    @property
    def choices(self) -> Sequence[CaseDeclaration]:
        """The cases of a record in which the value of one field selects the type of another; empty for any other record."""
        return ()

    def is_one(self, node: FieldNode) -> bool:
        """Whether an element of the list of boards is a board; false only for a type other than ``case``."""
        return self.case is None or any(
            child.name == choice.by and child.value == choice.value for choice in self.choices for child in node.children or ()
        )

    def part(self, node: FieldNode) -> Declaration | None:
        """Return the declaration of the field that a node was read by; None where there is none."""
        return self.fields.get(node.name)

    @property
    def delegated(self) -> Mapping[str, DelegatedDeclaration]:
        """The fields of a record whose texts other rules read, by name."""
        return {}

    @property
    @abstractmethod
    def codes(self) -> Mapping[str, Spelled]:
        """For a code: the spelling that is written for each name."""

    @abstractmethod
    def name_of(self, value: object) -> str | None:
        """For a code: return the name of a decoded value; None where it has none."""

    @abstractmethod
    def decoded(self, text: str, escape: str | None) -> str:
        """Return the characters of a text, with escapes decoded."""

    of_text: bool = False
    """Whether the field is part of a text."""

    def code_of(self, text: str) -> str | None:
        """For a code: return the name that a text of the file spells; None where it spells none."""
        return None

    @property
    def word_name(self) -> str:
        """The name under which the field may be a role: its own name, or the name of the rule that reads it."""
        return self.name

    def walk(self) -> Iterator[Declaration]:
        """This declaration and all below it, each once."""
        seen: set[int] = set()
        # A list in place of nested generators, which would pass each declaration on once per level.
        left: list[Declaration] = [self]
        while left:
            one = left.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                left += reversed(one.inside)

    @property
    def may_be_inherited(self) -> bool:
        """Whether later records may inherit values of its pairs."""
        return self.inherit is not None or (self.pair is not None and bool(self.pair.repeats))

    @property
    def inside(self) -> list[Declaration]:
        """The declarations directly below this one: its fields, and those that read texts of its fields."""
        readers = [inner for one in self.delegated.values() for inner in (*one.cases.values(), one.otherwise)]
        return [*self.fields.values(), *(inner for inner in readers if inner is not None)]


# --- text ---------------------------------------------------------------------------------------------------------------


class GrammarDeclarations:
    """The declarations of one grammar, each made once."""

    def __init__(self, grammar: Grammar, has_model: bool) -> None:
        self.grammar, self.has_model = grammar, has_model
        self._made: dict[tuple[str, str, bool], RuleDeclaration] = {}
        self.top = self.of(grammar.start, grammar.start, False)

    def of(self, rule: str, name: str, many: bool) -> RuleDeclaration:
        """Return the declaration of a field with this name that a rule reads, an array if ``many`` is true."""
        key = rule, name, many
        if key not in self._made:
            self._made[key] = RuleDeclaration(self, self.grammar.rules[rule], name, many)
        return self._made[key]


class RuleDeclaration(Declaration):
    """A field of a text record, with the words of its rule; a rule that only refers to another one also has the words of that."""

    of_text = True

    def __init__(self, rules: GrammarDeclarations, rule: GrammarRule, name: str, many: bool) -> None:
        self.rules, self.rule, self.shape = rules, rule, rules.grammar.resolve(rule)
        leaf = rules.grammar.is_leaf(rule)
        kind: DeclarationKind = "code" if self.shape.codes is not None else "leaf" if leaf else "record"
        super().__init__(name, rule.words.binding, many, rule.place, kind)
        self.has_model = rules.has_model
        words = self.words
        self.between = None if words.between is None else Between(*words.between)
        self.unknown, self.marks, self.suits = words.unknown, words.marks, words.suits
        self.escape, self.fill, self.digits = words.decode, words.fill, words.digits
        self.numeral = words.number or Numeral()
        inherit = rule.words.inherit
        self.inherit = None if inherit is None else (inherit.same, inherit.header)
        default = rule.words.binding.default
        self.default = None if default is None else default.constant
        self.fixed = rule.words.binding.value is not None
        self.only_read = rule.words.only_read

    @cached_property
    def words(self) -> RuleWords:
        """The words of the rule; those that it lacks are taken from the rule that it refers to."""
        own, other = self.rule.words, self.shape.words
        if own is other:
            return own
        missing = {one.name: getattr(other, one.name) for one in fields(grammars.RuleWords) if not getattr(own, one.name)}
        return replace(own, **missing)

    @cached_property
    def fields(self) -> Mapping[str, Declaration]:
        if self.kind != "record":
            return {}
        found = self.rules.grammar.made_by(self.shape)
        return {name: self.rules.of(ref.name, name, many) for name, (ref, many) in found.items()}

    @cached_property
    def delegated(self) -> Mapping[str, DelegatedDeclaration]:
        return {
            content.of: DelegatedDeclaration(
                content.by,
                {key: self.rules.of(rule, content.of, False) for key, rule in content.cases.items()},
                None if content.otherwise is None else self.rules.of(content.otherwise, content.of, False),
            )
            for content in (self.rule.words.contents or self.shape.words.contents)
        }

    @cached_property
    def pair(self) -> PairDeclaration | None:  # type: ignore[override]
        """The declaration of a pair, if the rule is one; None for any other rule."""
        pair = self.words.pair
        if pair is None:
            return None
        columns = pair.columns
        others = [name for name in self.fields if name != pair.key]
        section = next((name for name in others if self.fields[name].binding.role == "section"), None)
        value = next((name for name in others if self.fields[name].binding.role == "value"), None)
        return PairDeclaration(
            pair.key,
            value or next((name for name in others if name != section), pair.key),
            section,
            pair.terms,
            pair.tags,
            frozenset(pair.also),
            pair.mandatory,
            frozenset(pair.repeats),
            frozenset() if columns is None else columns.tables,
            {} if columns is None else {name: self.rules.of(rule, name, False) for name, rule in columns.cases.items()},
            {} if columns is None else columns.heads,
        )

    @cached_property
    def codes(self) -> Mapping[str, Spelled]:
        """The text that is written for each name of a code, which is the name itself; empty for any other field."""
        return {} if self.shape.codes is None else {str(name): str(name) for name in self.shape.codes.names}

    def name_of(self, value: object) -> str | None:
        return str(value) if value in self.codes else None

    @property
    def word_name(self) -> str:
        return self.rule.name

    def code_of(self, text: str) -> str | None:
        """Return the name of the code that a text spells by a literal of the rule; None where it spells none."""
        for option, name in zip(self.shape.codes.options, self.shape.codes.names, strict=True) if self.shape.codes else ():
            if isinstance(option, grammars.GrammarLiteral) and (
                text == option.text or (option.ignore_case and text.lower() == option.text.lower())
            ):
                return name
        return None

    def decoded(self, text: str, escape: str | None) -> str:
        escape = self.escape or escape
        if self.suits is not None and self.suits[:-1] in text:
            return suit_signs(self.suits, escape, text)
        return text if escape is None and text.isascii() else unescaped(escape, text)

    @property
    def literal(self) -> str | None:
        """The text that is written for a leaf that is either present or not; None where several are possible."""
        written = self.rule.words.write or self.shape.words.write
        if written is not None:
            return written[0]
        return self.shape.expr.text if isinstance(self.shape.expr, grammars.GrammarLiteral) else None


# --- binary -------------------------------------------------------------------------------------------------------------


class Fields:
    """The declarations of one binary schema, each made once."""

    def __init__(self, spec: ir.Spec) -> None:
        self.spec, self.has_model = spec, spec.has_model
        self._made: dict[int, FieldDeclaration] = {}
        self._kept: list[ir.Field] = []  # keeps the ids of the fields, the keys above, from being used again
        root = ir.Field(spec.top.name.rpartition("::")[2], ir.RecordType(spec.root), spec.top.place)
        self.top = self.of(root)

    def of(self, field: ir.Field) -> FieldDeclaration:
        """The declaration of a field."""
        if id(field) not in self._made:
            self._kept.append(field)
            self._made[id(field)] = FieldDeclaration(self, field)
        return self._made[id(field)]


class FieldDeclaration(Declaration):
    """A field of a binary record."""

    of_text = False

    def __init__(self, made: Fields, field: ir.Field) -> None:
        self.made, self.field = made, field
        types = [kind for _, kind in field.type.cases] if isinstance(field.type, ir.SwitchType) else [field.type]
        self.targets = [kind.target for kind in types if isinstance(kind, ir.RecordType)]
        enum = field.binding.codes or field.enum
        self.enum = made.spec.enums[enum] if enum is not None else None
        kind: DeclarationKind = "record" if self.targets else "leaf" if self.enum is None else "code"
        super().__init__(field.name, field.binding, field.repeat is not None, field.place, kind)
        self.has_model = made.has_model
        self.fixed = field.binding.value is not None or (isinstance(field.type, ir.BytesType) and field.type.contents is not None)
        wanted = field.valid.eq if field.valid is not None else None
        self.settled = wanted is not None and wanted.constant is not None and field.repeat is None
        self.digits, self.case, value = field.binding.digits, field.binding.case, field.binding.value
        self.reaches = value is not None and value.reaches
        self.numeral = _numeral(field.type, field.binding.number) if isinstance(field.type, ir.StringType) else None
        self.spells = self.numeral is not None
        self.counted = field.repeat is ir.Repeat.EXPR
        self.size = field.repeat_expr.decimal if self.counted and field.repeat_expr is not None else None

    @cached_property
    def fields(self) -> Mapping[str, Declaration]:
        """The fields of a record by name: those in sequence first, then the instances that are read from the file."""
        found: dict[str, Declaration] = {}
        for target in self.targets:
            record = self.made.spec.records[target]
            read = [one.field for one in record.instances.values() if isinstance(one, ir.PosInstance)]
            for field in (*record.fields, *read):
                found.setdefault(field.name, self.made.of(self._of_case(field)))
        return found

    @cached_property
    def codes(self) -> Mapping[str, Spelled]:
        """The number, or text of digits, that is written for each name of a code; empty for any other field."""
        found: dict[str, Spelled] = {}
        for raw, member in ({} if self.enum is None else self.enum.members).items():
            found.setdefault(member.name, raw if self.numeral is None else self.numeral.write(raw))
        return found

    def name_of(self, value: object) -> str | None:
        if isinstance(value, str) and self.numeral is not None:
            value = self.numeral.read(value)
        member = self.enum.members.get(value) if self.enum is not None and isinstance(value, int) else None
        return None if member is None else member.name

    def decoded(self, text: str, escape: str | None) -> str:
        """Return the text itself, since the reader of binary files has decoded it."""
        return text

    @property
    def absent(self) -> Spelled:
        """The plain value that is written for an unknown value: empty text, no bytes, or zero."""
        return "" if self.spells else b"" if isinstance(self.field.type, ir.BytesType) else 0

    @cached_property
    def choices(self) -> Sequence[CaseDeclaration]:
        """The cases of the switches in a record whose type another field of it selects; empty for any other record."""
        found = []
        for name, inner in self.fields.items():
            field = cast("FieldDeclaration", inner).field
            on = field.type.on.tree if isinstance(field.type, ir.SwitchType) else None
            if isinstance(field.type, ir.SwitchType) and isinstance(on, Name) and on.id in self.fields:
                for test, kind in field.type.cases:
                    value = None if test is None else test.stated
                    type_ = kind.target.rpartition("::")[2] if isinstance(kind, ir.RecordType) else ""
                    if value is not None and type_ and self.case in (None, type_):
                        found.append(CaseDeclaration(on.id, value, name, self.made.of(replace(field, type=kind)), type_))
        return found

    def _of_case(self, field: ir.Field) -> ir.Field:
        """Return a field whose switch is reduced to the case that is declared as the board; any other field unchanged."""
        if not isinstance(field.type, ir.SwitchType) or self.case is None:
            return field
        cases = (one for one in field.type.cases if str(getattr(one[1], "target", "")).endswith(f"::{self.case}"))
        return replace(field, type=replace(field.type, cases=tuple(cases)))

    def part(self, node: FieldNode) -> Declaration | None:
        """Return the declaration of the field that a node was read by; of a type with cases, that of the case that was read."""
        return self.made.of(node.decl) if len(self.targets) > 1 and node.decl is not None else self.fields.get(node.name)


def _numeral(text: ir.StringType, number: ir.NumberText | None) -> Numeral:
    """Return how a number is spelled in a text of a binary file: no wider than the text, and padded if the schema declares it."""
    width = None if text.extent.size is None else text.extent.size.decimal
    return Numeral(pad=number.pad_left if number else None, width=width, signs=False)


def top_of(spec: ir.Spec) -> Declaration:
    """Return the declaration of a whole file of a spec."""
    return Fields(spec).top if spec.text is None else GrammarDeclarations(cast("Grammar", spec.text), spec.has_model).top
