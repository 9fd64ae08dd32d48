"""The binding of a schema's fields to the model: the role or the term of each field, and the terms that a record can state.
`SchemaBinding` has the results for one whole schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Reversible, Sequence
from functools import cached_property

from bridgespec.codec.declaration import Declaration, FieldBinding, FieldDeclaration, RuleDeclaration, top_of
from bridgespec.codec.node import FieldNode
from bridgespec.codec.terms import CLAIMS, COMMON, TERMS, term_of_word
from bridgespec.codec.terms._tables import ROW as SCORE_ROW
from bridgespec.errors import SpecError
from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.ir import BOARDS, Spec
from bridgespec.spec.place import SchemaPlace

FIRST_NUMBER = frozenset({"first_number"})
OWN_NUMBERS = frozenset({"number"}) | FIRST_NUMBER
"""Terms of a format whose boards have numbers; boards of other formats are numbered by their order."""
LISTS = frozenset({BOARDS, *(term.NAME for term in TERMS.values() if term.ON == "document")})
"""The terms whose values are the list of records that a file consists of: boards, or the records of a bidding system."""
REST = FieldBinding("rest")
"""The binding of a field without a meaning in the model."""
LOOK = FieldBinding("look")
"""The binding of a record that is no part of the model itself, but has fields that are."""
TAGS = FieldBinding("term", "tags")
"""The binding of a pair whose key the schema does not declare."""
ROW = FieldBinding("term", "tables", "", SCORE_ROW)
"""The binding of a list in a board's record whose elements are rows of a score table."""
OF_FILE = ("event", "site", "date", "system", "tags", "comments")
"""Terms that a file may state for all its boards."""
OF_STRETCH = frozenset({"tags", "comments"})
"""The terms of `OF_FILE` that any stretch of a file may state: their values are collected from all stretches."""
_UNLISTED = frozenset({"last_number", "irregular"})
"""The terms that `terms_in` leaves out."""


def entry_of(decl: Declaration, term: str = "") -> FieldBinding:
    """Return the binding of a field of a record of ``term`` (empty: of a record outside of all terms); cached."""
    found = decl.entries.get(term)
    if found is None:
        found = decl.entries[term] = _own(decl, term) or _of_list(decl, term) or (LOOK if _is_bound_below(decl, term) else REST)
    return found


def _own(decl: Declaration, term: str) -> FieldBinding | None:
    """Return the binding that the schema's words for a field, or its name, give it; None where they give none, so that its binding
    depends on the fields below it.
    """
    binding = decl.binding
    if binding.opaque or decl.fixed or not decl.has_model:
        return REST
    if decl.pair is not None:
        return FieldBinding("pair")
    roles = {**COMMON, **TERMS[term].ROLES} if term else {}
    names = [binding.role, binding.term] if binding.term is not None else [binding.role, decl.name]
    # A role precedes a term: `hand` in a deal is a part of it, not a term of its own.
    role = next((name for name in names if name in roles), None)
    if role is not None:
        return FieldBinding("role", term, role, array_as_one=role in TERMS[term].ARRAYS)
    found = _of_term(binding.term or decl.name)
    if found is None:
        # A field with an unknown word has no meaning; one with an unknown name may have fields with a meaning.
        return None if binding.term is None else REST
    # `contract: passed_out` is an alias: it matches the text of `passed_out` and has no field of that name.
    marks = TERMS[found.term].MARKS if found.kind == "term" and not found.member else ()
    if isinstance(decl, RuleDeclaration) and decl.kind == "leaf" and decl.shape.name in marks:
        return FieldBinding("term", found.term, "", decl.shape.name)
    return found


def _of_list(decl: Declaration, term: str) -> FieldBinding | None:
    """Return the binding of a list in a board's record as rows of a score table, if each of its elements has a contract; else
    None.
    """
    if term or not decl.many or decl.kind != "record":
        return None
    words = {decl.fields[name].binding.term or name for name in certain_of(decl)}
    return ROW if "contract" in words else None


def certain_of(decl: Declaration) -> frozenset[str]:
    """Return the names of the fields that every record of a declaration has: those without a condition and without alternatives."""
    if isinstance(decl, RuleDeclaration):
        return decl.rules.grammar.certain(decl.shape.expr)
    if not isinstance(decl, FieldDeclaration) or len(decl.targets) != 1:
        return frozenset()
    stored = decl.made.spec.records[decl.targets[0]].fields
    return frozenset(one.name for one in stored if one.condition is None and one.repeat is None)


def _is_bound_below(decl: Declaration, term: str) -> bool:
    """Whether a field below a record, at any depth, has a binding by its own words or name."""
    return decl.kind == "record" and any(_own(inner, term) not in (None, REST) for inner in below(decl))


def _of_term(word: str) -> FieldBinding | None:
    """Return the binding to the term, or the part of a term, that a word names; None for any other word."""
    if word == BOARDS:
        return FieldBinding("boards")
    found = term_of_word(word)
    return None if found is None else FieldBinding("term", found[0].NAME, "", found[1], word in found[0].ARRAYS)


def pair_entry(decl: Declaration, key: str) -> FieldBinding:
    """Return the binding of pairs with this key: to a term or a part of one; `REST` for a declared key without a meaning; `TAGS`
    for an undeclared key.
    """
    found = decl.keys.get(key)
    if found is None:
        word = decl.pair.word(key) if decl.pair is not None else None
        known = None if word is None else term_of_word(word)
        found = TAGS if word is None else REST if known is None else FieldBinding("term", known[0].NAME, "", known[1])
        decl.keys[key] = found
    return found


def stated_term(entry: FieldBinding, stated: Reversible[str]) -> str:
    """Return the term that a field states. If several terms have the part that the field is, such as notes, it is the last of them
    in ``stated`` (the terms stated so far in the record), or the first of them if none is there.
    """
    claims = [term.NAME for term in CLAIMS.get(entry.member, ())] if entry.member else ()
    return next((term for term in reversed(stated) if term in claims), claims[0]) if len(claims) > 1 else entry.term


def roles_in(decl: Declaration, term: str) -> frozenset[str]:
    """Return the roles of a term that a record's fields have, at any depth."""
    found = decl.roles.get(term)
    if found is None:
        # An entry ahead of the recursion: a record in itself adds no role.
        decl.roles[term] = frozenset()
        found = decl.roles[term] = frozenset(_roles(decl, term))
    return found


def _roles(decl: Declaration, term: str) -> Iterator[str]:
    """Yield the roles of a term that a record's fields have, at any depth; a role of several fields is yielded for each."""
    for field in decl.inside:
        entry = entry_of(field, term)
        if entry.kind == "role":
            yield entry.role
        elif entry.kind == "look":
            yield from roles_in(field, term)


def below(decl: Declaration) -> list[Declaration]:
    """Return every declaration below a record, each once."""
    return list(decl.walk())[1:]


def members_in(board: Declaration) -> frozenset[tuple[str, str]]:
    """Return the parts of terms that have a key of their own among the pairs of a board, as (term, part)."""
    entries = [pair_entry(decl, key) for decl in below(board) if decl.pair is not None for key in decl.pair.words]
    return frozenset((entry.term, entry.member) for entry in entries if entry.member)


def terms_in(decl: Declaration, written: bool = False) -> Iterator[str]:
    """Yield the terms of the model that a record can state, without those in lists of boards. With ``written`` only the terms
    that are written into a new record.
    """
    yield from (name for name in _terms(decl, "", set(), written) if name and name not in _UNLISTED)


def _terms(decl: Declaration, term: str, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
    """Yield the terms that a record that is a part of ``term`` can state, one for each field, so that terms repeat. Declarations in
    ``seen`` (identity and term) have been visited, and are left out.
    """
    # A declaration may be part of several terms, with other roles in each.
    if (id(decl), term) in seen:
        return
    seen.add((id(decl), term))
    for inner in decl.fields.values():
        entry = entry_of(inner, term)
        if written and inner.only_read:
            continue
        if entry.kind == "pair":
            yield from pair_terms(inner, seen, written)
        elif entry.kind in ("term", "look", "role"):
            if entry.kind == "term":
                yield entry.term
            yield from _terms(inner, entry.term or term, seen, written)


def pair_terms(decl: Declaration, seen: set[tuple[int, str]], written: bool) -> Iterator[str]:
    """Yield the terms that the keys of pairs can state. With ``written`` only those that are written into a new record."""
    pair = decl.pair
    assert pair is not None
    if pair.tags:
        yield from ("tags", "tables", "comments")
    for key in pair.words:
        entry = pair_entry(decl, key)
        yield entry.term
        delegated = decl.delegated.get(pair.value)
        value = delegated.choose(key) if delegated is not None else None
        if value is not None:
            yield from _terms(value, entry.term, seen, written)


def mixed_kinds(listed: Declaration) -> tuple[list[str], list[str]]:
    """Return the types of a list's records that state something of a board, and those that do not, if only the value of a field
    distinguishes them. Both are empty where every record is a board, or where the schema declares which type is a board.
    """
    choices = listed.choices
    if listed.case is not None or not choices:
        return [], []
    # Fields beside the switch are in records of every type.
    switched = {choice.name for choice in choices}
    # A field of all records states a term of a board: each record is a board.
    if any(True for inner in listed.fields.values() if inner.name not in switched for _ in _stated(inner)):
        return [], []
    boards = [choice.type for choice in choices if any(terms_in(choice.case))]
    others = [choice.type for choice in choices if not any(terms_in(choice.case))]
    return (boards, others) if boards and others else ([], [])


def kinds_unnamed(listed: Declaration) -> str:
    """Return the error message for a list of boards with records of several types, some not boards, where the schema does not
    declare which type is a board; empty where there is no error.
    """
    if isinstance(listed, RuleDeclaration):
        return _alternatives_unnamed(listed)
    boards, others = mixed_kinds(listed)
    if not boards:
        return ""
    what = f"{listed.name}: its records may also be of the type {others[0]}, which states nothing of a board"
    return f"{what}: say which type is a board with -bridge-case: {boards[0]}"


def _alternatives_unnamed(listed: RuleDeclaration) -> str:
    """Return the error message for a rule of boards that has alternatives without a field of a board; empty if all have one."""
    grammar, record, seen = listed.rules.grammar, listed, set[str]()
    while record.shape.name not in seen:
        seen.add(record.shape.name)
        kinds = [fields for one in grammar.kinds(record.shape.expr) if (fields := grammar.fields(one))]
        boards = [fields for fields in kinds if any(True for name in fields for _ in _stated(record.fields[name]))]
        others = [fields for fields in kinds if fields not in boards]
        if boards and others:
            what = f"{listed.name}: its records may also be {others[0][0]}, which states nothing of a board"
            if len(boards[0]) == len(others[0]) == 1 and entry_of(record.fields[boards[0][0]]) is LOOK:
                return f"{what}: repeat '({boards[0][0]} | {others[0][0]})' instead, with 'as: boards' at the rule {boards[0][0]}"
            return f"{what}: make each kind of record a rule, and repeat '(boards | remark)' with their names"
        inner = record.fields[kinds[0][0]] if len(kinds) == 1 == len(kinds[0]) else None
        if isinstance(inner, RuleDeclaration) and not inner.many and entry_of(inner) is LOOK:
            record = inner
    return ""


def _stated(decl: Declaration) -> Iterator[str]:
    """Yield the terms that a field outside of all terms, or a field below it, can state."""
    entry = entry_of(decl)
    if entry.kind == "pair":
        yield from pair_terms(decl, set(), False)
    if entry.kind == "term" and entry.term is not None:
        yield entry.term
    elif entry.kind == "look":
        yield from terms_in(decl)


def _parts_of(decl: Declaration, term: str = "") -> Iterator[tuple[Declaration, str]]:
    """Yield a declaration and all declarations below it, each once, with the term of the record around it. Pairs and the fields
    of opaque records are left out.
    """
    seen: set[tuple[int, str]] = set()
    left = [(decl, term)]
    while left:
        one, around = left.pop()
        if (id(one), around) not in seen and one.pair is None:
            seen.add((id(one), around))
            yield one, around
            inside = entry_of(one, around).term or around
            left += [] if one.binding.opaque else [(inner, inside) for inner in one.fields.values()]


def has_no_meaning(decl: Declaration, term: str = "") -> bool:
    """Whether a field's values are lost when a file is converted: it is opaque, or a value that the model cannot represent. False
    if the schema declares a finding for its occurrence.
    """
    if isinstance(decl, RuleDeclaration) and decl.words.report is not None:
        return False
    written = decl.binding.default is not None and not (decl.fixed or decl.settled)
    return decl.binding.opaque or (written and decl.kind != "record" and entry_of(decl, term) is REST)


EnclosingRepeat = tuple[Declaration, FieldNode]
"""A repeated record around boards: its declaration and its node."""


class SchemaBinding:
    """The binding of a schema as a whole. Base class of the binding table, which makes it once.

    ``top`` is the declaration of the whole file, ``listed`` the declaration of its list of boards (None without one), ``board`` the
    declaration of a board (None without one). ``terms`` are the model terms that a file can state, empty for a format without
    bridge meaning; ``written`` are the terms that a new file can state.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.top: Declaration = top_of(spec)
        self.listed = next((decl for decl in below(self.top) if entry_of(decl).kind == "boards"), None)
        if self.listed is not None and (unnamed := kinds_unnamed(self.listed)):
            raise SpecError(f"{spec.path}: {unnamed}")
        self.board: Declaration | None = self.listed or (self.top if any(terms_in(self.top)) and not self.top.of_text else None)
        records = [self.top] if self.board is None else [self.top, self.board]
        self.terms = frozenset(term for decl in records for term in terms_in(decl))
        self.written = frozenset(term for decl in records for term in terms_in(decl, True))

    @cached_property
    def own_fields(self) -> frozenset[str]:
        """The names of the fields of a board, without its pairs, that have no meaning or contain a field without one."""
        fields = {} if self.board is None else self.board.fields
        return frozenset(
            name
            for name, one in fields.items()
            if one.pair is None and any(has_no_meaning(part, term) for part, term in _parts_of(one))
        )

    def own_value(self, key: str) -> Declaration | None:
        """Return the declaration that reads the values of a key of a board's pairs, if some field of it has no meaning in the
        model; else None.
        """
        if key not in self._own_values:
            self._own_values[key] = self._find_own_value(key)
        return self._own_values[key]

    @cached_property
    def _own_values(self) -> dict[str, Declaration | None]:
        """Cache of `own_value`."""
        return {}

    def _find_own_value(self, key: str) -> Declaration | None:
        """Search the pairs of a board for the rule that reads the values of ``key``. Return its declaration if one of its fields
        has no meaning in the model; else None.
        """
        pairs = () if self.board is None else [one for one in below(self.board) if one.pair is not None]
        for one in pairs:
            delegated = one.delegated.get(one.pair.value) if one.pair is not None else None
            read, entry = None if delegated is None else delegated.choose(key), pair_entry(one, key)
            if read is not None and entry.kind == "term":
                parts = list(_parts_of(read, entry.term))[1:]
                return read if any(has_no_meaning(part, term) for part, term in parts) else None
        return None

    @cached_property
    def has_own_pairs(self) -> bool:
        """Whether a board's record may have pairs without a meaning, or with parts without one."""
        pairs = () if self.board is None else [one for one in below(self.board) if one.pair is not None]
        keys = ((one, key) for one in pairs for key in (one.pair.words if one.pair else ()))
        return any(pair_entry(one, key).kind != "term" or self.own_value(key) is not None for one, key in keys)

    @cached_property
    def encodings(self) -> tuple[str, ...]:
        """Python's names of the encodings in which a text may be written, the preferred one first."""
        named = self.spec.meta.get("encoding", self.spec.encoding)
        names = named if isinstance(named, list | tuple) else [named]
        return tuple(python_encoding(str(name)) or "latin-1" for name in names)

    @cached_property
    def around(self) -> frozenset[str]:
        """The names of the records that contain the list of boards, at any depth."""
        return frozenset(decl.name for decl in below(self.top) if self.listed in below(decl))

    @cached_property
    def block_terms(self) -> frozenset[str]:
        """The terms of boards that a repeated record around boards, such as a session, states once for all boards in it."""
        blocks = [decl for decl in below(self.top) if decl.many and decl.name in self.around]
        beside = (inner for decl in blocks for inner in decl.fields.values() if self.listed not in (inner, *below(inner)))
        return frozenset(term for decl in beside for term in self.terms_stated_by(decl) if TERMS[term].ON == "board")

    @cached_property
    def dealer_by_position(self) -> bool:
        """Whether hands are stored from the dealer on, and the dealer is known only from the position of the record in the file."""
        stated = self.terms & {"number", "first_number", "dealer"}
        return not stated and any(decl.binding.at.get("seat") == "dealer" for decl in below(self.top))

    @cached_property
    def numbers_all(self) -> bool:
        """Whether the record of a board states a term that applies to all boards of the file, such as the number of the first
        board.
        """
        return self.board is not None and any(TERMS[name].ON == "file" for name in terms_in(self.board))

    @cached_property
    def has_dependent_records(self) -> bool:
        """Whether a record may depend on its position or on earlier records, so that it cannot be moved unchanged."""
        return self.dealer_by_position or any(decl.may_be_inherited for decl in below(self.top))

    @cached_property
    def members(self) -> frozenset[tuple[str, str]]:
        """The parts of terms that have a key of their own among the pairs of a board, as (term, part)."""
        return frozenset() if self.board is None else members_in(self.board)

    def declared(self, term: str) -> SchemaPlace:
        """Return the position in the schema of the first field that states a term. If no field does, return the position of the
        declaration of a board, or of the file in a schema without boards.
        """
        for decl in below(self.top):
            if term and (entry_of(decl).term == term or (decl.pair is not None and term in pair_terms(decl, set(), False))):
                return decl.place
        return (self.board or self.top).place

    def terms_stated_by(self, decl: Declaration) -> frozenset[str]:
        """Return the terms that a field of the file, or a field below it, can state."""
        entry = entry_of(decl)
        return frozenset(({entry.term} if entry.kind == "term" else set()) | set(() if entry.kind == "rest" else terms_in(decl)))

    def board_nodes(self, root: FieldNode) -> Sequence[FieldNode]:
        """Return the nodes of the boards below the root of a file, in file order."""
        if self.board is self.top:
            return [root]
        found = self.elements(root)
        return found if self.listed is None or self.listed.case is None else [node for node in found if self.listed.is_one(node)]

    def elements(self, root: FieldNode) -> Sequence[FieldNode]:
        """Return the nodes of the records of the list of boards, in file order, of any type."""
        return [node for node, _ in self._listed(root, self.top) if not (node.broken and self.top.of_text)]

    def blocks(self, root: FieldNode) -> dict[int, tuple[EnclosingRepeat, ...]]:
        """Return the repeated records around each record of the list of boards, the outermost first, by the id of its node."""
        return {id(node): blocks for node, blocks in self._listed(root, self.top)} if self.block_terms else {}

    def _listed(
        self, node: FieldNode, decl: Declaration, blocks: tuple[EnclosingRepeat, ...] = ()
    ) -> Iterator[tuple[FieldNode, tuple[EnclosingRepeat, ...]]]:
        """Yield each record of the list of boards below a node, with the repeated records around it. ``blocks`` are those around
        the node.
        """
        for child in node.children or ():
            inner = decl.part(child)
            if inner is None or child.absent:
                continue
            kind = entry_of(inner).kind
            items = (child.children or ()) if inner.many else (child,)
            if kind == "boards":
                yield from ((item, blocks) for item in items)
            elif kind == "look":
                for item in items:
                    yield from self._listed(item, inner, (*blocks, (inner, item)) if inner.many else blocks)
