"""Generate TypeScript declarations for a generated module (`to_typescript`): the types of its functions, and of the values of each
record.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from bridgespec.codec.text.rule_values import CodeRule, RuleValue
from bridgespec.codec.text.rule_values import RecordRule as TextRecord
from bridgespec.spec.ir import (
    BitsType,
    BytesType,
    Field,
    FieldType,
    FloatType,
    IntType,
    PosInstance,
    Record,
    RecordType,
    Spec,
    StringType,
    SwitchType,
    ValueInstance,
)
from bridgespec.spec.kaitai.expr.types import ValueType
from bridgespec.targets.javascript.binary_schema import BinarySource
from bridgespec.targets.javascript.meaning import MeaningSource
from bridgespec.targets.javascript.module import PARTS
from bridgespec.targets.javascript.source import comment, integer, property_name, quoted, unique
from bridgespec.targets.javascript.text_schema import RulesSource

_TAKEN = frozenset({
    "Array", "BigInt", "Blob", "Boolean", "Bytes", "Comment", "Date", "Error", "Field", "Finding", "Function", "Iterable", "Map",
    "ModelBoard", "Node", "Number", "Object", "Pick", "Place", "Promise", "Reading", "Readonly", "Record", "Set", "Span", "String",
    "Symbol", "Table", "Uint8Array", "Value",
})  # fmt: skip
_FORMAT = "\nexport const format: Readonly<{ id: string; title: string; extensions: string[]; language: string }>;\n"
_HEAD = """\
/** The position of a finding in bytes, `stop` excluded. `bits` count from the first byte; null for whole bytes. */
export interface Span {
  start: number;
  stop: number;
  bits: [number, number] | null;
  /** The end of a byte from which its bits are counted. */
  bit_order: "low" | "high" | null;
}

/** One finding. `record` is the index of a record, from 0; `field` is a dotted path with indexes. */
export interface Finding {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  record: number | null;
  field: string | null;
  span: Span | null;
  line: number | null;
  column: number | null;
  /** Advice, if the schema has any. */
  help: string | null;
  /** A repair: the bytes from `start` to `stop` become `replacement` (hexadecimal); `safe` where nothing can be lost by it. */
  fix: { description: string; safe: boolean; edits: { start: number; stop: number; replacement: string }[] } | null;
}

/** The declaration of a field in the schema. */
export interface Field {
  name: string;
  doc: string;
  type: string;
  /** The size of one value, where the schema fixes it. */
  bits: number | null;
  repeat: "count" | "until" | "end" | null;
  codes: Readonly<{ [code: number]: string }> | null;
}

export type Value = number | bigint | string | boolean | Uint8Array | null;

/**
 * One field as it is in the file: `start` and `stop` are bits from the start of the file. `T` is the type that `plain`
 * returns.
 */
export interface Node<T = unknown> {
  decl: Field | null;
  name: string;
  start: number;
  stop: number;
  /** Whether the bits of a byte are counted from its low end. */
  lsb: boolean;
  value: Value;
  /** The parts of a record or an array in file order; null for a leaf. */
  readonly children: Node[] | null;
  /** The elements of an array of equal integers. */
  values: (number | bigint)[] | null;
  /** The instances of a record: values that are computed, and parts that are read at an offset. */
  instances: Node[] | null;
  /** The bytes or the code in the file, if `write` would write others for the value. */
  kept: Uint8Array | number | null;
  /** Whether the field's condition is false. */
  absent: boolean;
  /** Whether the field could not be read; its value is then its raw bytes. */
  broken: boolean;
  /** For types only: no node has this property; it binds the node to the type that `plain` returns. */
  readonly plain?: T;
}

export interface Reading<T> {
  tree: Node<T>;
  findings: Finding[];
}

export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;
"""
_MODEL = """
/** A board as published JSON: unknown facts have no key. Cards are "SA", calls "1NT" "Pass" "X", seats "north". */
export interface ModelBoard {
  number?: number;
  dealer?: string;
  vulnerability?: "none" | "ns" | "ew" | "both";
  /** Dotted holdings by seat, spades first. */
  deal?: { [holder in "west" | "north" | "east" | "south" | "out"]?: string };
  /** Tricks by declarer (W N E S), then by strain (NT S H D C). */
  tricks?: { [declarer: string]: { [strain: string]: number } };
  declarer?: string;
  contract?: string;
  result?: number;
  score?: number;
  auction?: {
    calls?: { call: string; alert?: boolean; explanation?: string; mark?: string; glyphs?: number[]; irregular?: boolean }[];
    first?: string;
    closed?: boolean;
  };
  play?: {
    tricks: { leader: string; cards: (string | null)[] }[];
    claim?: number;
    notes?: { trick: number; index: number; text?: string; mark?: string; glyphs?: number[]; irregular?: boolean }[];
  };
  /** Names W N E S. */
  players?: (string | null)[];
  teams?: (string | null)[];
  event?: string;
  site?: string;
  date?: string;
  round?: string;
  room?: string;
  scoring?: string;
  par?: string;
  comments?: Comment[];
  tables?: Table[];
  /** Further pairs of name and value, in order. */
  tags?: [name: string, value: string][];
  /** The fields that the file itself marks as against the laws. */
  irregular?: string[];
  /** Cards that are dealt twice: seat and index in its hand of the card that counts (`first`), and of the other. */
  conflicts?: { card: string; first: [Seat, number]; again: [Seat, number] }[];
}

/** A comment; `after` is the field that it follows, with the index of a call or card; absent for one on the board. */
export interface Comment {
  text: string;
  after?: [field: string, index?: number];
}

/** Rows of texts, each with a cell for every column. */
export interface Table {
  name: string;
  /** `order`: "+" where the rows begin with the highest, "-" with the lowest; `align`: "L" or "R". */
  columns: { name: string; order?: string; width?: number; align?: string }[];
  rows?: string[][];
}

/** The boards of a tree, and what the file states of all boards. */
export function model(tree: Node): Pick<ModelBoard, "event" | "site" | "date" | "tags" | "comments"> & {
  version: 1;
  boards: ModelBoard[];
};

/** A position in bits from the start of the file; `wide` where only a part with several facts states the fact. */
export interface Place {
  start: number;
  stop: number;
  lsb: boolean;
  wide: boolean;
}

/** The positions of the boards of a tree and of their facts; null for a fact without a field of its own. */
export function places(tree: Node): {
  board: Place;
  /** The position of each term: "number", "dealer", "contract" and so on. */
  facts: { [term: string]: Place };
  /** The holder of each card, by 13 * suit + rank: spades first, from the ace down. */
  cards: (Place | null)[];
  /** Each cell of the table, by 4 * strain + seat: NT S H D C, W N E S. */
  tricks: (Place | null)[];
  calls: (Place | null)[];
  /** The cards of each trick in the order of play. */
  play: (Place | null)[][];
}[];

/** The findings on the meaning of fields, beside those of `read`, whose result is `answer`. */
export function judge(answer: Reading<Node>): Pick<Finding, "code" | "severity" | "message" | "record" | "span" | "help">[];
"""
_TAIL = """
/** The tree of a file and its findings, `limit` of them at most (1000); any bytes can be read. */
export function read(data: Bytes, limit?: number): Reading<{root}>;

/** The values of a node, without positions; a field that could not be read is its raw bytes. */
export function plain<T>(node: Node<T>): T;
"""
_WRITE = """
/**
 * Return the bytes of a value in the form that `plain` returns. With `origin`, the tree from which the value was read,
 * the bytes of unchanged fields are kept. Throws an Error that names the field that the format cannot spell.
 */
export function write(value: {root}, origin?: Node<{root}> | null): Uint8Array;
"""
_RECORDS = """
/** The records of a stream one by one, each with its own findings. */
export function records(
  stream: ReadableStream<Uint8Array> | Blob | Bytes | AsyncIterable<Bytes> | Iterable<Bytes>,
  options?: {{ offset?: number; limit?: number }},
): AsyncGenerator<Reading<{record}>>;
"""


def to_typescript(spec: Spec, parts: Set[str] = frozenset(PARTS)) -> str:
    """Return the type declarations for the module that `to_javascript` generates with the same ``parts``: the text of a ``.d.ts``
    (or ``.d.mts``) file beside the module.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> source = to_typescript(loads("meta: {id: one, endian: le}\\nseq: [{id: a, doc: A number., type: u8, repeat: eos}]"))
    >>> print(source[source.index("export interface One") : source.index("/** The tree of")].strip())
    export interface One {
      /** A number. */
      a: (number | bigint)[];
    }
    """
    first = f"// Types of the {spec.id} reader, generated by bridgespec. A file with findings may lack what they say.\n\n"
    has_model = "model" in parts and MeaningSource(spec, frozenset()).whole is not None
    tail = _TAIL + (_WRITE if "write" in parts else "")
    body = _text(RulesSource(spec), tail) if spec.language == "lark" else _binary(BinarySource(spec), tail)
    return first + _HEAD + _FORMAT + (_MODEL if has_model else "") + body


def _shown(names: Sequence[str]) -> dict[str, str]:
    """Return the name of the interface for each record."""
    shown = {name: pascal[:1].upper() + pascal[1:] for name, pascal in unique(names, "").items()}
    return {name: f"{pascal}Values" if pascal in _TAKEN else pascal for name, pascal in shown.items()}


def _text(made: RulesSource, tail: str) -> str:
    records = [value for value in made.values.values() if isinstance(value, TextRecord) and not value.rule.is_layout]
    names = _shown([value.rule.name for value in records])
    out = []
    for record in records:
        lines = []
        for name, (rule, array) in record.fields.items():
            handover = record.delegated.get(name)
            rules = [] if handover is None else [*handover.cases.values(), handover.otherwise]
            kinds = [_rule_type(value, names) for value in rules if value is not None]
            kinds = list(dict.fromkeys([*kinds, _rule_type(made.engine.value(rule), names)]))
            one = " | ".join(kinds)
            shown = one if array is None else f"({one})[]" if "|" in one else f"{one}[]"
            # Each field is optional: a record of a text has only the fields that occur in it.
            lines.append(f"{comment(made.engine.grammar.rules[rule].words.doc, 2)}  {name}?: {shown};\n")
        out.append(f"\n{comment(record.rule.words.doc)}export interface {names[record.rule.name]} {{\n{''.join(lines)}}}\n")
    return "".join(out) + tail.format(root=names.get(made.form.start.rule.name, "string"))


def _rule_type(value: RuleValue, names: dict[str, str]) -> str:
    """Return the TypeScript type of a rule's value."""
    if isinstance(value, CodeRule):
        return " | ".join(quoted(name) for name in value.order)
    return names.get(value.rule.name, "string")


def _binary(made: BinarySource, tail: str) -> str:
    spec = made.spec
    names = _shown([record.name for record in made.needed])
    out = []
    for constant, enum in made.enums.items():
        members = "".join(
            f"  readonly {property_name(integer(code).removesuffix('n'))}: {quoted(member.name)};\n"
            for code, member in enum.members.items()
        )
        out.append(f"\nexport const {constant}: {{\n{members}}};\n")
    out += [_interface(made, names, record) for record in made.needed]
    out.append(tail.format(root=names[spec.root]))
    if made.listed is not None:
        out.append(_RECORDS.format(record=names[made.listed[1].target]))
    return "".join(out)


def _interface(made: BinarySource, names: dict[str, str], record: Record) -> str:
    """Return the interface of a record of a binary format."""
    lines = [_property(each.name, each.doc, _field(each, names)) for each in record.fields]
    for name, instance in record.instances.items():
        if isinstance(instance, PosInstance):
            lines.append(_property(name, instance.field.doc, _field(instance.field, names)))
        else:
            lines.append(_property(name, instance.doc, _computed(made, record, instance)))
    return f"\n{comment(record.doc)}export interface {names[record.name]} {{\n{''.join(lines)}}}\n"


def _property(name: str, doc: str, type_: str) -> str:
    return f"{comment(doc, 2)}  {name}: {type_};\n"


def _field(each: Field, names: dict[str, str]) -> str:
    one = _type(each.type, names)
    if each.repeat is not None:
        one = f"({one})[]" if "|" in one else f"{one}[]"
    return one if each.condition is None else f"{one} | null"


def _type(kind: FieldType, names: dict[str, str]) -> str:
    """Return the TypeScript type of a single value of a type."""
    match kind:
        case IntType(size=size):
            # Eight bytes exceed the integers that a JavaScript number has exactly.
            return "number | bigint" if size == 8 else "number"
        case BitsType(boolean=True):
            return "boolean"
        case BitsType(bits=bits):
            return "number | bigint" if bits > 53 else "number"
        case FloatType():
            return "number"
        case StringType():
            return "string"
        case BytesType():
            return "Uint8Array"
        case RecordType(target=target):
            return names[target]
        case SwitchType(cases=cases):
            types = [_type(case, names) for _, case in cases]
            # Without a default nothing is read for other values.
            return " | ".join(dict.fromkeys([*types, *([] if any(test is None for test, _ in cases) else ["null"])]))
        case _:
            return "unknown"


def _computed(made: BinarySource, record: Record, instance: ValueInstance) -> str:
    """Return the TypeScript type of a computed value. An instance that is a list or a record refers to another part of the tree
    and has no value of its own.
    """
    kind = made.scope.attribute(record.name, instance.name)
    simple = {"int": "number | bigint", "byte": "number", "enum": "number", "float": "number", "bool": "boolean", "str": "string"}
    one = simple.get((kind or ValueType("any")).kind, "Uint8Array" if kind is not None and kind.kind == "bytes" else "Value")
    return f"{one} | null" if instance.condition is not None and one != "Value" else one
