"""The binding of a schema to the model as data in a JavaScript module: term and role of each field. `MeaningSource` makes it.

It is computed here, by the functions that bind a tree to the model in Python; the module has only the results. The JavaScript
code that uses them (`runtime/meaning.js`, `runtime/terms.js`) is tested against the model's own boards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding_words import entry_of, pair_entry
from bridgespec.codec.declaration import Declaration, DelegatedDeclaration, FieldBinding, FieldDeclaration, RuleDeclaration
from bridgespec.codec.terms import CLAIMS
from bridgespec.codec.terms import TERMS as MODEL_TERMS
from bridgespec.codec.terms._cells import _digits, is_ordinal, level_of, limb_of
from bridgespec.codec.terms._tables import ROW, SCORE_COLUMNS
from bridgespec.codec.terms._values import SEATS
from bridgespec.codec.terms.deal_terms import CODES
from bridgespec.spec.ir import Spec
from bridgespec.spec.numeral import Numeral
from bridgespec.targets.javascript.source import CallCode, CodeText, JsValue, Later, camel

TERMS = (
    "first_number", "last_number", "number", "dealer", "vulnerability", "deal", "tricks", "results", "declarer", "play", "auction",
    "contract", "result", "score", "scoring", "event", "site", "date", "round", "room", "players", "teams", "par",
    "comments", "tables", "tags", "irregular",
)  # fmt: skip
"""The terms for which a module makes values, in the order of a board; a bidding system is left out."""
REMARKS = frozenset({"comments", "tables", "tags", "irregular"})
"""Terms that a file without bridge meaning may have too: they alone are no reason to print a binding."""


class MeaningSource:
    """The binding of one schema as JavaScript declarations. ``parts`` has one for each declaration with a meaning, by constant
    name; ``whole`` is that of the file, which refers to them. For a schema without a binding ``parts`` is empty and ``whole``
    None. ``taken`` are names that no constant may have.
    """

    def __init__(self, spec: Spec, taken: frozenset[str]) -> None:
        self.binder = Binder(spec)
        self.visits: dict[int, tuple[Declaration, dict[str, FieldBinding | None]]] = {}
        self.names: dict[int, str] = {}
        self.columns: set[int] = set()
        self.taken = set(taken)
        self.parts: dict[str, JsValue] = {}
        self.whole: JsValue | None = None
        board = self.binder.board
        if board is None or not self.binder.terms.intersection(TERMS) - REMARKS:
            return
        self._visit(self.binder.top, "")
        self._visit(board, "")
        # All constants are named before the first is made, since they refer to each other.
        for decl, _ in list(self.visits.values()):
            self._name(decl)
        self.parts = {self.names[key]: self._part(decl, entries) for key, (decl, entries) in self.visits.items()}
        given: dict[str, JsValue] = {
            "file": CodeText(self.names[id(self.binder.top)]),
            "board": CodeText(self.names[id(board)]),
            "terms": Later({name: CodeText(camel(name, "Term")) for name in self._stated_terms()}),
        }
        if not board.of_text or self.binder.pairs is None:
            given["judged"] = True
        if ("play", "claim") in self.binder.members:
            given["claims"] = True
        if self._lists_scores():
            roles = self.binder.given("tables")
            given["scores"] = {role: column for role, column in SCORE_COLUMNS.items() if role in roles}
        self.whole = given

    def _stated_terms(self) -> Iterator[str]:
        """Yield the terms that a board of this schema may have: those that it states, and those that can be computed from them."""
        given, roles = self.binder.terms, self.binder.given
        tags = any(pair_entry(decl, "").term == "tags" for decl, _ in self.visits.values() if decl.pair is not None)
        beside = {
            "last_number": any(entry.term == "last_number" for entry in self._entries()),
            "comments": "comments" in given or any("comment" in roles(term) for term in TERMS),
            "tables": self._lists_scores() or (tags and bool(roles("tags") & {"column", "table_cell"})),
            "tags": tags,
            "irregular": any("irregular" in roles(term) for term in MODEL_TERMS["irregular"].OF),
        }
        for name in TERMS:
            follows = MODEL_TERMS[name].FOLLOWS
            if name == "declarer" and roles("deal") & {"hand", *SEATS}:
                yield "conflicts"
            if beside[name] if name in beside else name in given or follows is None or follows & given:
                yield name

    def _lists_scores(self) -> bool:
        """Whether the rows of a board's score table are records of a list."""
        return any((entry.term, entry.member) == ("tables", ROW) for entry in self._entries())

    def _entries(self) -> Iterator[FieldBinding]:
        """Return the bindings of all declarations."""
        return (entry for _, known in self.visits.values() for entry in known.values() if entry is not None)

    # --- the declarations with a meaning, and the terms that they are parts of

    def _visit(self, decl: Declaration, term: str) -> None:
        """Add the declarations of a record, as part of a term, and of the records inside it."""
        known, entries = self.visits.setdefault(id(decl), (decl, {}))
        # Recursive rules are visited once for each term that they are a part of.
        if f"in {term}" in entries:
            return
        entries[f"in {term}"] = None
        for inner in known.inside:
            entry = entry_of(inner, term)
            if entry.kind == "rest" or (entry.term and entry.term not in TERMS):
                continue
            self.visits.setdefault(id(inner), (inner, {}))[1][term] = entry
            if entry.kind == "look":
                self._visit(inner, term)
            elif entry.kind == "pair":
                self._pair(inner)
            elif entry.kind == "boards":
                self._visit(inner, "")
            else:
                for name in self._terms(entry):
                    self._visit(inner, name)

    @staticmethod
    def _terms(entry: FieldBinding) -> Iterator[str]:
        """Yield the term of a binding, and further terms that parts of this field may state."""
        yield entry.term
        for term in CLAIMS.get(entry.member, ()) if entry.member else ():
            yield term.NAME

    def _pair(self, decl: Declaration) -> None:
        """Add the declaration of a pair, and those that read its values and sections, as parts of the terms of the keys."""
        pair = decl.pair
        assert pair is not None
        self.visits.setdefault(id(decl), (decl, {}))[1].setdefault("in ", None)
        readers = (delegated.cases for delegated in decl.delegated.values())
        # The empty key stands for every key that has no word.
        for key in dict.fromkeys([*pair.words, "", *chain(*readers)]):
            entry = pair_entry(decl, key)
            if entry.kind != "term" or entry.term not in TERMS:
                continue
            for name in (pair.value, pair.section):
                delegated = decl.delegated.get(name or "")
                chosen = None if delegated is None else delegated.choose(key)
                for inner in [*([chosen] if chosen is not None else []), *([decl.fields[name]] if name else [])]:
                    for term in self._terms(entry):
                        self._visit(inner, term)
        for inner in pair.columns.values():
            self.columns.add(id(inner))
            self.visits.setdefault(id(inner), (inner, {}))

    # --- the data of a declaration

    def _name(self, decl: Declaration) -> None:
        """Give a declaration a constant name that no other has."""
        base = camel(decl.word_name if decl.kind != "leaf" or decl.of_text else decl.name, "Part")
        name, count = base, 1
        while name in self.taken:
            count += 1
            name = f"{base}{count}"
        self.taken.add(name)
        self.names[id(decl)] = name

    def _part(self, decl: Declaration, entries: Mapping[str, FieldBinding | None]) -> JsValue:
        """Return the data of a declaration; ``entries`` are its bindings by the term around it."""
        given: dict[str, JsValue] = {"kind": decl.kind}
        if entered := {term: _entry(entry) for term, entry in entries.items() if entry is not None}:
            given["is"] = entered
        if decl.many:
            given["many"] = True
        if decl.many and decl.name in self.binder.around:
            given["block"] = True
        if decl.case is not None and decl.choices:
            given["only"] = {"by": decl.choices[0].by, "values": [int(str(one.value)) for one in decl.choices]}
        fields = {name: CodeText(self.names[id(inner)]) for name, inner in decl.fields.items() if id(inner) in self.visits}
        if fields:
            given["fields"] = Later(fields)
        delegated = {name: data for name, one in decl.delegated.items() if (data := self._delegated(one))}
        if delegated:
            given["handed"] = Later(delegated)
        given |= _spelling(decl, id(decl) in self.columns)
        given |= self._cells(decl)
        if decl.pair is not None:
            given["pair"] = self._pair_words(decl)
        return CallCode("meansThat", (given,))

    def _delegated(self, delegated: DelegatedDeclaration) -> dict[str, JsValue]:
        """Return the data of a delegation: the constants of the declarations that read the text."""
        found: dict[str, JsValue] = {}
        if cases := {key: CodeText(self.names[id(one)]) for key, one in delegated.cases.items() if id(one) in self.visits}:
            found["cases"] = cases
        if delegated.otherwise is not None and id(delegated.otherwise) in self.visits:
            found["otherwise"] = CodeText(self.names[id(delegated.otherwise)])
        return {**({} if delegated.by is None else {"by": delegated.by}), **found} if found else {}

    def _cells(self, decl: Declaration) -> dict[str, JsValue]:
        """Return the data about the elements of a declaration: axes, digits and the part of a deal's number."""
        given: dict[str, JsValue] = {}
        if decl.binding.axes:
            given["axes"] = [[axis.name, axis.labels] for axis in decl.binding.axes]
            cells = all(axis.name not in ("room", "trick") for axis in decl.binding.axes)
            inner = level_of(decl, CODES).inner if decl.kind == "record" and cells else None
            if inner is not None and id(inner.decl) in self.visits:
                given["inner"] = Later(CodeText(self.names[id(inner.decl)]))
        if is_ordinal(decl) and (limb := limb_of(decl)) is not None:
            given["limb"] = list(limb)
        if decl.binding.at:
            given["at"] = dict(decl.binding.at)
        base, start, names, high = _digits(decl)
        if base:
            given["digits"] = {
                "base": base,
                "start": start,
                "names": {str(digit): name for digit, name in names.items()},
                "high": high,
            }
        return given

    def _pair_words(self, decl: Declaration) -> JsValue:
        """Return the data of a pair: its fields, and the binding of each key."""
        pair = decl.pair
        assert pair is not None
        words = {key: _word(pair_entry(decl, key), word) for key, word in pair.words.items()}
        given: dict[str, JsValue] = {"key": pair.key, "value": pair.value}
        if pair.section is not None:
            given["section"] = pair.section
        if pair.repeats:
            given["repeats"] = sorted(pair.repeats)
        if decl.inherit is not None:
            given["inherit"] = list(decl.inherit)
        if pair.columns:
            given["columns"] = Later({name: CodeText(self.names[id(inner)]) for name, inner in pair.columns.items()})
        return CallCode("pairOf", ({**given, "words": words},))


def _entry(entry: FieldBinding) -> str:
    """Return a binding as text: its kind, its term, and its role or member."""
    words = [entry.kind, *filter(None, (entry.term, entry.role or entry.member))]
    if entry.kind == "term" and entry.member:
        words[0] = "part"
    return " ".join(words) + (" whole" if entry.array_as_one else "")


def _word(entry: FieldBinding, word: str) -> str:
    """Return the binding of a key as text: its term, the part of the term and, if it is another word, ``word``, which the schema
    has for the key. Empty for a key without a term.
    """
    if entry.kind != "term" or entry.term not in TERMS:
        return ""
    named = [entry.term, *([entry.member] if entry.member else [])]
    return " ".join(named if word == named[-1] else [*named, word])


def _spelling(decl: Declaration, column: bool) -> dict[str, JsValue]:
    """Return the properties of a declaration by which a field's characters are decoded, and the names of its codes."""
    given = _code_names(decl, column)
    if decl.between is not None:
        given["between"] = [decl.between.before, decl.between.after]
    if decl.escape is not None:
        given["decode"] = decl.escape
    if decl.suits is not None:
        given["suits"] = decl.suits
    if decl.unknown:
        given["unknown"] = sorted(decl.unknown)
    if decl.marks:
        given["marks"] = {str(number): mark for number, mark in decl.marks.items()}
    if decl.numeral is not None:
        number = _numeral(decl.numeral)
        # In a text the module's reader assumes a plain numeral; for bytes it must be declared.
        given |= {"number": number} if number or not decl.of_text else {}
    if decl.binding.prefer:
        given["prefer"] = True
    return given


def _code_names(decl: Declaration, column: bool) -> dict[str, JsValue]:
    """Return the names of a declaration's codes, by their spellings or by their numbers; for a column of a table also its word."""
    given: dict[str, JsValue] = {}
    if isinstance(decl, RuleDeclaration):
        if column:
            given["word"] = decl.binding.role or decl.word_name
        if column and decl.codes:
            spelled = [(text, decl.code_of(text)) for text in _literals(decl)]
            given["codes"] = {text: name for text, name in spelled if name is not None}
    elif isinstance(decl, FieldDeclaration):
        given["binary"] = True
        if decl.enum is not None:
            given["codes"] = {str(raw): member.name for raw, member in decl.enum.members.items()}
    return given


def _numeral(numeral: Numeral) -> dict[str, JsValue]:
    """Return the properties in which a numeral differs from a plain one."""
    standard = Numeral()
    names = ("digits", "start", "modulo", "pad", "signs")
    number: dict[str, JsValue] = {n: value for n in names if (value := getattr(numeral, n)) != getattr(standard, n)}
    return number | ({"words": list(numeral.words)} if numeral.words else {})


def _literals(decl: RuleDeclaration) -> Iterator[str]:
    """Yield the literal spellings of a rule's codes."""
    choice = decl.shape.codes
    for option in () if choice is None else choice.options:
        text = getattr(option, "text", None)
        if isinstance(text, str):
            yield text
