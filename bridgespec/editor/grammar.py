"""The language of grammars (``.lark``) for editors: `Grammars`.

The names of rules are found in the tokens of Lark's own syntax (`_Grammar`), keys and words in the YAML of ``//-`` lines
(`_Block`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lark import Token
from lark.exceptions import UnexpectedInput

from bridgespec.docs.reference import entries, markdown
from bridgespec.editor.code_names import known_codes
from bridgespec.editor.draft import CURSOR, EditorDraft, Heading, Mention, Proposal
from bridgespec.editor.draft_yaml import YamlSpot, at_cursor, entry_of, proposals, root_shapes, scalar_span, spots, tolerant
from bridgespec.editor.schemas import SchemaLanguage
from bridgespec.spec.grammar.comment_blocks import HEAD_ALONE, yaml_line
from bridgespec.spec.grammar.syntax import find_grammar, lark_syntax
from bridgespec.spec.yaml import Map, Scalar, Yaml

_WORD = re.compile(r"[a-z_]\w*", re.IGNORECASE)
# An import from a grammar of its own folder: the dotted path of the file, and the names.
_IMPORT = re.compile(r"^%import[ \t]+((?:\.\w+)+)[ \t]*\(?([^)\n]*)\)?", re.MULTILINE)


@dataclass
class _Block:
    """A block of ``//-`` lines: the index of its first line, its lines without ``//-``, and the rule below it, empty for the
    head.
    """

    first: int
    lines: list[str] = field(default_factory=list)
    rule: str = ""

    def yaml(self, file: str) -> Yaml | None:
        """Return the YAML of the block, as far as it can be read."""
        return tolerant("\n".join(self.lines) + "\n", file)


def _tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a grammar; characters that begin no token are skipped."""
    at = 0
    while at < len(text):
        try:
            for token in lark_syntax().lex(text[at:]):
                token.start_pos = (token.start_pos or 0) + at
                yield token
            return
        except UnexpectedInput as error:
            # Lexing goes on behind the character that begins no token, such as an unclosed quotation mark.
            at += max(error.pos_in_stream or 0, 0) + 1


class _Grammar:
    """The names of a draft, found in its tokens, so that a broken grammar has them too.

    ``rules`` are the declared rules with their spans, ``uses`` all occurrences of names with their offsets, ``imported`` the
    imported names with their files, ``docs`` the block of each rule.
    """

    def __init__(self, draft: EditorDraft) -> None:
        self.draft = draft
        self.rules: dict[str, tuple[int, int]] = {}
        self.uses: list[tuple[str, int]] = []
        self.imported: dict[str, Path | None] = {}
        tokens = [token for token in _tokens(draft.text) if not token.type.startswith("COMMENT")]
        self._collect(tokens)
        self.blocks = list(self._blocks())
        self.docs = {block.rule: block for block in self.blocks if block.rule}

    def _collect(self, tokens: Sequence[Token]) -> None:
        """Set ``imported``, ``rules`` and ``uses`` from the text and its tokens."""
        for match in _IMPORT.finditer(self.draft.text):
            file = find_grammar(f"{match[1].strip('.').replace('.', '/')}.lark", self.draft.path, self.draft.folders)
            self.imported |= dict.fromkeys(_WORD.findall(match[2]), file)
        line_start, importing = True, False
        for index, token in enumerate(tokens):
            if token.type == "_NL":
                line_start, importing = True, False
                continue
            importing = importing or str(token).startswith("%")
            if token.type in ("RULE", "TOKEN"):
                name = token.lstrip("!?")
                # A renamed rule keeps the sign before its name.
                start = (token.start_pos or 0) + len(token) - len(name)
                follows = [str(one) for one in tokens[index + 1 : index + 6]]
                before = str(tokens[index - 1]) if index else ""
                # A name that begins a line is declared there; a priority or parameters may come before its colon.
                if line_start and not importing and ":" in follows[:3]:
                    self.rules.setdefault(name, (start, start + len(name)))
                    self.uses.append((name, start))
                # The name behind an arrow is an alias of a tree, and no rule.
                elif before != "->" and (not importing or name in self.imported):
                    self.uses.append((name, start))
            line_start = False

    def _blocks(self) -> Iterator[_Block]:
        """Yield the blocks of ``//-`` lines, each with the rule below it."""
        heads = {self.draft.place(start)[0]: name for name, (start, _) in self.rules.items()}
        block: _Block | None = None
        for number, line in enumerate(self.draft.text.split("\n")):
            yaml = yaml_line(line)
            if yaml is not None:
                block = block or _Block(number)
                block.lines.append(yaml)
            elif block is not None and (number in heads or line.strip()):
                block.rule = heads.get(number, "")
                yield block
                block = None
            # A blank line ends only the head, which begins in the first line: between a block and its rule there may be one.
            elif block is not None and not block.first:
                yield block
                block = None
        if block is not None:
            yield block

    def owner(self, block: _Block, yaml: Yaml | None) -> str:
        """Return the object of the JSON Schema that a block is: ``head`` or ``rule``."""
        alone = isinstance(yaml, Map) and bool(HEAD_ALONE & yaml.keys.keys())
        return "head" if not block.rule or (block is self.blocks[0] and alone) else "rule"

    def target(self, name: str) -> str | None:
        """Return the full name of a rule, ``file::rule`` with the file that declares it; None where it is not declared."""
        if name in self.rules:
            return f"{self.draft.path.name}::{name}"
        file = self.imported.get(name)
        return None if file is None else f"{file.name}::{name}"

    def doc(self, name: str) -> str:
        """Return the documentation in the block of a rule, its ``says`` and ``doc``; empty without a block."""
        block = self.docs.get(name)
        yaml = block.yaml(self.draft.path.name) if block is not None else None
        found = [yaml.get(key) for key in ("says", "doc")] if isinstance(yaml, Map) else []
        return "\n\n".join(one.text for one in found if isinstance(one, Scalar))


class Grammars(SchemaLanguage):
    """The language of ``.lark`` files."""

    RENAMED = frozenset({"rule"})

    def is_name(self, kind: str, name: str) -> bool:
        """Whether a name is that of a rule, in small letters, or of a terminal, in capitals; either may follow underscores."""
        return re.fullmatch(r"_*(?:[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*)", name) is not None

    def mentions(self, draft: EditorDraft) -> Sequence[Mention]:
        """Return the rules that a grammar declares, imports and uses, also in the values of ``//-`` lines."""
        known = _Grammar(draft)
        declared = {start for start, _ in known.rules.values()}
        found = []
        for name, start in known.uses:
            if (target := known.target(name)) is not None:
                found.append(
                    Mention(
                        target, "rule", start, start + len(name), start in declared, known.doc(name) if start in declared else ""
                    )
                )
        for block, spot in self._spots(known):
            found += self._named(known, block, spot)
        return found

    def _spots(self, known: _Grammar) -> Iterator[tuple[_Block, YamlSpot]]:
        """Yield the keys and values of all blocks."""
        for block in known.blocks:
            yaml = block.yaml(known.draft.path.name)
            yield from ((block, spot) for spot in spots("lark", yaml, root_shapes("lark", known.owner(block, yaml))))

    def _named(self, known: _Grammar, block: _Block, spot: YamlSpot) -> Iterator[Mention]:
        """Yield the mentions of rules in a value of a ``//-`` line: a rule's name, a field, or an expression."""
        if spot.is_key or not spot.formats & {"rule", "field", "expression"}:
            return
        span = scalar_span(known.draft, spot.scalar, block.first)
        for match in _WORD.finditer(spot.scalar.text) if span is not None else ():
            if (target := known.target(match[0])) is not None and span is not None:
                yield Mention(target, "rule", span[0] + match.start(), span[0] + match.end())

    def outline(self, draft: EditorDraft) -> list[Heading]:
        """Return the outline of a grammar: its rules and terminals."""
        return [Heading(name, "rule", *span) for name, span in _Grammar(draft).rules.items()]

    def complete(self, draft: EditorDraft, offset: int) -> list[Proposal]:
        """Return the names of rules, or in a ``//-`` line the keys, words and names, that may be written at an offset."""
        known = _Grammar(draft)
        line = draft.place(offset)[0]
        start = draft.word(offset, "_-")[0]
        block = next((one for one in known.blocks if one.first <= line < one.first + len(one.lines)), None)
        if block is None:
            names = {**dict.fromkeys(known.rules), **dict.fromkeys(known.imported)}
            return [Proposal(name, "rule", known.doc(name)) for name in names]
        return list(self._in_block(known, block, line, draft.text[draft.starts[line] : start]))

    def _in_block(self, known: _Grammar, block: _Block, line: int, before: str) -> Iterator[Proposal]:
        """Yield the completions for a line of a block, of which ``before`` is the text up to the cursor."""
        owner = known.owner(block, block.yaml(known.draft.path.name))
        text = "\n".join([*block.lines[: line - block.first], yaml_line(before) or ""])
        spot = at_cursor("lark", text, known.draft.path.name, root_shapes("lark", owner))
        if spot is None:
            return
        yield from proposals("lark", spot)
        if not spot.is_key and spot.formats & {"rule", "field", "expression"}:
            yield from (Proposal(name, "rule", known.doc(name)) for name in (*known.rules, *known.imported))
        if not spot.is_key and "finding" in spot.formats:
            draft = known.draft
            yield from (Proposal(name, "finding", doc) for name, doc in known_codes(draft.path, draft.folders).items())
        if not spot.is_key and "expression" in spot.formats:
            wanted = "attribute" if spot.scalar.text.partition(CURSOR)[0].endswith(".") else "function"
            yield from (Proposal(one.name, wanted, one.doc) for one in entries() if one.kind == wanted)

    def describe(self, draft: EditorDraft, offset: int) -> str:
        """Return Markdown about the key, finding, function or term at an offset; empty where the word is none of these."""
        known = _Grammar(draft)
        for block, spot in self._spots(known):
            span = scalar_span(draft, spot.scalar, block.first)
            if span is None or not span[0] <= offset <= span[1]:
                continue
            if spot.is_key and (entry := entry_of("lark", spot)) is not None:
                return markdown(entry)
            if "finding" in spot.formats:
                return known_codes(draft.path, draft.folders).get(spot.scalar.text, "")
            start, stop = draft.word(offset, "_")
            kinds = {"axis"} if "axes" in spot.path else {"function"} if "expression" in spot.formats else set(spot.formats)
            return "\n\n".join(_pages(draft.text[start:stop], kinds))
        return "\n\n".join(_pages(draft.text[slice(*draft.word(offset, "_"))], {"term"}))


def _pages(word: str, kinds: Iterable[str]) -> list[str]:
    """Return the Markdown of each entry of the reference for a word that is of one of the kinds."""
    return [markdown(one) for one in entries() if one.name == word and one.kind in kinds]
