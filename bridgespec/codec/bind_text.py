"""The binding of text formats: facts of records into boards, and places of the model back into spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bridgespec.codec.bind import Binder, FileOrigin, Origin, Place
from bridgespec.codec.held import held
from bridgespec.codec.node import Node, Reading
from bridgespec.codec.text_board import BoardMaker
from bridgespec.codec.text_facts import HANDS, TERMS, term_of
from bridgespec.codec.text_find import FactFinder
from bridgespec.codec.text_memory import Memory
from bridgespec.codec.text_pairs import AnyFact, PairFact
from bridgespec.codec.text_places import node_of_record, nodes_of, path_below
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_system import SystemMaker
from bridgespec.codec.text_tree import RecordMaker, TextNode
from bridgespec.codec.text_values import is_number
from bridgespec.model.board import Board, Comment
from bridgespec.model.document import Document
from bridgespec.spec.grammar import Grammar, Rule
from bridgespec.spec.ir import Spec

_MANY = {"hands": "deal", "players": "players", "match": "teams", "place": "room", "header": "number", "claim": "result"}
_HIDDEN = frozenset(
    {"layout", "system", "explanation", "note", "last_number", "header", "place", "match", "claim", "title", "label", "comment"}
)


class TextBinder(Binder):
    """The binding of one text spec to the model."""

    def __init__(self, spec: Spec, compiler: Compiler | None = None) -> None:
        self.spec = spec
        self.compiler = compiler or Compiler(spec)
        self.grammar: Grammar = self.compiler.grammar
        self.list = next((f for f in spec.top.fields if (f.binding.term or f.name) == "boards" and f.repeat is not None), None)
        self.systems = SystemMaker(self.compiler)
        self.board_plan = None
        self.file_plan = None
        self.terms = frozenset(self._terms(self.grammar.rules[self.grammar.start], set()))

    def _terms(self, rule: Rule, seen: set[str]) -> Iterator[str]:
        """The model terms that a record can hold."""
        if rule.name in seen:
            return
        seen.add(rule.name)
        known = rule.words.extra.get("terms")
        if rule.words.extra.get("tags"):
            yield from ("tags", "tables", "comments")
        if isinstance(known, dict):
            for key, term in known.items():
                yield from self._named(str(term))
                if term in ("auction", "contract", "deal"):
                    yield from self._inside(rule, str(key), str(term))
        shape = self.grammar.resolve(rule)
        for name, (ref, _) in self.grammar.occurrences(shape.expr).items():
            field_rule = self.grammar.rules[ref.name]
            term = term_of(field_rule, name)
            if term is not None:
                yield from self._named(term)
            if term is None or term in ("boards", "deal"):
                yield from self._terms(field_rule, seen)

    def _inside(self, rule: Rule, key: str, term: str) -> Iterator[str]:
        for content in rule.words.contents:
            name = content.cases.get(key)
            if name is None:
                continue
            inside = self.grammar.fields(self.grammar.resolve(self.grammar.rules[name]).expr)
            yield from (found for found in ("vulnerability", "declarer", "dealer") if found in inside)
            if term == "auction" and "vulnerability" in inside:
                yield "dealer"

    @staticmethod
    def _named(term: str) -> Iterator[str]:
        if term.endswith("_player") or term == "players":
            yield "players"
        elif term in HANDS or term == "hands":
            yield "deal"
        elif term in ("home_team", "visiting_team", "teams", "match"):
            yield "teams"
        elif term in _MANY:
            yield _MANY[term]
        elif term == "comment":
            yield "comments"
        elif term not in _HIDDEN and term in TERMS:
            yield term

    # --- reading

    @held
    def document(self, reading: Reading) -> Document:
        """The document of a reading."""
        memory = Memory()
        maker = BoardMaker(self.compiler)
        boards: list[Board] = []
        origin = FileOrigin(self.spec.id, reading, [])
        file_facts = list(self._file_facts(reading.root))
        for fact in file_facts:
            memory.of_file(fact)
        first = next((int(fact.text) for fact in file_facts if fact.term == "first_number" and is_number(fact.text)), 1)
        for index, node in enumerate(self.board_nodes(reading.root)):
            if not isinstance(node, TextNode) or not isinstance(node.maker, RecordMaker):
                boards.append(Board(number=first + index, origin=Origin(self.spec.id, index, node, [])))
                continue
            made = maker.board(node.maker, first + index, memory)
            origin_of = Origin(self.spec.id, index, node, [])
            board = Board(**made, origin=origin_of)
            origin_of.as_read = board
            boards.append(board)
        texts: dict[str, Any] = {f.term: f.text for f in reversed(file_facts) if f.term in ("event", "site", "date") and f.text}
        tags = tuple((f.key, f.text) for f in file_facts if isinstance(f, PairFact) and f.term == "tag" and f.key)
        comments = tuple(Comment(f.text) for f in file_facts if f.term == "comment")
        system, origin.records = self.systems.system(reading.root)
        document = Document(
            boards=tuple(boards), format=self.spec.id, system=system, tags=tags, comments=comments, origin=origin, **texts
        )
        origin.as_read = document
        return document

    def _file_facts(self, root: Node) -> Iterator[AnyFact]:
        """What the file says outside its boards."""
        listed = self.list.name if self.list is not None else None
        for child in root.children or ():
            if child.name == listed or not isinstance(child, TextNode) or not isinstance(child.maker, RecordMaker):
                continue
            yield from FactFinder(self.compiler).facts(child.maker)

    def board_nodes(self, root: Node) -> Sequence[Node]:
        """The nodes of the boards, in file order."""
        if self.list is None or self.list.name not in root:
            return ()
        return [node for node in root[self.list.name].children or () if not node.broken]

    # --- places

    def nodes(self, document: Document, board: int | None, place: Place) -> list[Node]:
        """The nodes that hold a place of the model; none where unknown."""
        origin = document.boards[board].origin if board is not None else document.origin
        if isinstance(origin, Origin) and place:
            rule = (
                self.compiler.field_rule(self.grammar.rules[self.grammar.start], self.list.name) if self.list is not None else None
            )
            return [] if rule is None else nodes_of(self.compiler, origin.node, rule, document.boards[origin.index], place)
        if isinstance(origin, FileOrigin) and place[:1] == ("system",) and len(place) > 1 and int(place[1]) < len(origin.records):
            return [node_of_record(origin.records[int(place[1])], place)]
        return []

    def path(self, node: Node, index: int | None, at: Node) -> str:
        """The dotted path of a node below ``node``, which is board ``index`` or the whole file."""
        prefix = f"{self.list.name}[{index}]" if self.list is not None and index is not None else ""
        return (prefix + path_below(node, at.start, at.stop)).lstrip(".")
