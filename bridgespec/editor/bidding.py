"""The language of bidding systems (``.bid``) for editors: `BiddingSystems`.

The grammar of the language determines which words may follow, and the builder of the rules (`_Words`) which names exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bridgespec.bidding.checking import chart_findings, check_system
from bridgespec.bidding.language import SystemReader, codec_of
from bridgespec.bidding.reading import Builder
from bridgespec.bidding.rule_file import SUFFIX
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.unread import expected_words
from bridgespec.diagnostic import Diagnostic
from bridgespec.editor.draft import CURSOR, EditorDraft, Heading, Language, Mention, Proposal

AUCTIONS = 50
"""The number of auctions that are bid when a system is saved; `check-system` bids more."""
HANDS = 20_000
"""The number of hands that are tried when a system is saved."""
_PARAMETER = "parameter"


class _Words(Builder):
    """Builds the rules of a text, and records for each name that it looks up which names exist."""

    def __init__(self, draft: EditorDraft) -> None:
        super().__init__(lambda *_: None, draft.path, draft.text.encode(), {})
        self.known: dict[int, tuple[str, set[str]]] = {}
        """The kind of each name that was looked up, and the names that exist of this kind, by the offset of the name in bytes."""

    def _check(self, kind: str, word: Any, known: set[str]) -> None:
        # `Builder` calls this for each name that must exist; the override records the names for completion in place of checking.
        self.known[word.start // 8] = kind, known


class BiddingSystems(Language):
    """The language of ``.bid`` files."""

    LETTERS = "_-"
    RENAMED = frozenset({_PARAMETER, "question"})

    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """Return the findings of reading a system with the conventions that it takes, without those in other files."""
        reader = SystemReader(draft.folders)
        reader.unsaved[draft.path.resolve()] = draft.text.encode()
        reader.read(draft.path)
        found = [*reader.findings, *chart_findings(reader.modules)]
        return [one for one in found if one.path is None or Path(one.path).name == draft.path.name]

    def searched(self, folders: Sequence[Path]) -> list[Path]:
        """Return the folders, then those of ``BRIDGESPEC_BIDDING`` and of bridgespec."""
        return SystemReader(folders).folders

    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """Return the findings of bidding `AUCTIONS` auctions by the saved system; none where it cannot be read. ``file`` is not
        used.
        """
        system = BiddingSystem.read(draft.path, draft.folders)
        if system.findings or not any(module.sections for module in system.modules):
            return []
        return [
            one for one in check_system(system, AUCTIONS, HANDS).findings if one.path and Path(one.path).name == draft.path.name
        ]

    def _read(self, draft: EditorDraft) -> tuple[_Words, list[Any]]:
        """Return the builder of a draft's rules, and the nodes of its sections and rules in the order of the text."""
        root = codec_of().read(draft.text.encode()).root
        words = _Words(draft)
        words.module(root)
        return words, sorted((child for array in root.children or () for child in array.children or ()), key=lambda one: one.start)

    def mentions(self, draft: EditorDraft) -> Sequence[Mention]:
        """Return the parameters and questions that a system declares and uses, and the conventions that it takes."""
        return list(self._mentions(draft))

    def _mentions(self, draft: EditorDraft) -> Iterator[Mention]:
        data = draft.text.encode()
        ascii_ = data.isascii()
        own = draft.path.name
        kinds = {"parameter": _PARAMETER, "value": _PARAMETER, "question": "question", "asks": "question", "answers": "question"}
        for item in self._read(draft)[1]:
            for parent, part in _names(item):
                start, stop = (
                    at // 8 if ascii_ else len(data[: at // 8].decode("utf-8", "replace")) for at in (part.start, part.stop)
                )
                if parent == "take":
                    yield Mention(f"{part.text}{SUFFIX}", "file", start, stop)
                elif parent in kinds:
                    declares = parent in ("parameter", "asks")
                    yield Mention(f"{own}::{part.text}", kinds[parent], start, stop, declares)

    def outline(self, draft: EditorDraft) -> list[Heading]:
        """Return the outline of a system: its title, parameters, conventions, and situations with their rules."""
        made: list[Heading] = []
        data = draft.text.encode()
        for item in self._read(draft)[1]:
            start, stop = (len(data[: at // 8].decode("utf-8", "replace")) for at in (item.start, item.stop))
            line = draft.text[start:stop].split("\n")[0].strip()
            if item.field in ("situation", "take", "parameter", "title") and line:
                made.append(Heading(line, item.field, start, stop))
            elif item.field == "rule" and line:
                parts = made[-1].parts if made and made[-1].kind == "situation" else made
                parts.append(Heading(line[:60], "rule", start, stop))
        return made

    def complete(self, draft: EditorDraft, offset: int) -> list[Proposal]:
        """Return the words that the grammar allows at an offset, and the known names (`_looked_up`) where a name is expected."""
        start = draft.word(offset, self.LETTERS)[0]
        before = draft.text[:start].encode()
        found = [Proposal(word, "word") for word in expected_words(codec_of(), before, len(before))]
        words, _ = self._read(draft)
        found += self._looked_up(draft, start)
        line = draft.text[:start].rpartition("\n")[2]
        if re.fullmatch(r"\s*take\s+", line):
            found += [Proposal(path.stem, "file") for path in self._files(draft)]
        if "{" in line.rpartition("}")[2]:
            found += [Proposal(name, _PARAMETER) for name in words.made.parameters]
        return found

    def _looked_up(self, draft: EditorDraft, start: int) -> list[Proposal]:
        """Return the names that may be written at an offset. They are found by building the rules with `CURSOR` as a name there."""
        rest = draft.text[draft.word(start, self.LETTERS)[1] :]
        # The line of the cursor is incomplete: each continuation completes it in another way, the likeliest first.
        for after in (rest, f":\n{rest}", f"\n{rest}", ":\n", "\n"):
            words, _ = self._read(EditorDraft(draft.path, draft.text[:start] + CURSOR + after, draft.folders))
            kind, known = words.known.get(len(draft.text[:start].encode()), ("", set[str]()))
            if known:
                return [Proposal(name, kind) for name in sorted(known)]
        return []

    def _files(self, draft: EditorDraft) -> list[Path]:
        """Return the files of conventions and systems that a draft can take, one for each name."""
        folders = [draft.path.parent, *SystemReader(draft.folders).folders]
        return sorted({path.stem: path for folder in folders for path in folder.glob(f"*{SUFFIX}")}.values())

    def describe(self, draft: EditorDraft, offset: int) -> str:
        """Return Markdown about an offset: the doc, in the grammar, of the innermost part with one, and the kind of the name
        there.
        """
        at = 8 * len(draft.text[:offset].encode())
        grammar = codec_of().engine.grammar
        read, items = self._read(draft)
        text = ""
        for item in items:
            node: Any = item
            while node is not None and node.start <= at < node.stop:
                doc = grammar.rules[node.field].words.doc if node.field in grammar.rules else ""
                if node.field == "name":
                    kind = read.known.get(node.start // 8, ("name", set[str]()))[0]
                    text = f"**{node.text}** · {kind}\n\n{text}"
                elif doc:
                    text = f"**{node.field}** · {doc}"
                node = next((part for part in node.parts or () if part.start <= at < part.stop), None)
        return text

    def file_of(self, draft: EditorDraft, name: str) -> Path | None:
        """Return the file of a convention that a draft takes; None if there is none of this name."""
        return SystemReader(draft.folders).find(name.removesuffix(SUFFIX), draft.path.parent)

    def is_name(self, kind: str, name: str) -> bool:
        """Whether ``name`` matches the rule of the grammar for names, which is the same for all kinds."""
        return codec_of().engine.value("name").fits(name)


def _names(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names in a part of the tree, each with the field that it is in."""
    for part in node.parts or ():
        if part.field == "name":
            yield node.field, part
        else:
            yield from _names(part)
