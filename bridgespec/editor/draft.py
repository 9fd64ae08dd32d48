"""A text that is being written, and what a language offers for it.

The server makes a `EditorDraft` of each state of a document and asks the `Language` of its suffix. Offsets count characters of the
text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from bridgespec.diagnostic import Diagnostic, Guess, Severity
from bridgespec.spec.place import SchemaPlace

MOST_FILES = 200
"""How many files beside a text are looked through."""
CURSOR = "zzcursor"
"""A name that is put at the offset of a completion."""


@dataclass(frozen=True)
class EditorDraft:
    """One state of a document; ``folders`` are further folders of schemas or systems."""

    path: Path
    text: str
    folders: tuple[Path, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line."""
        return [0, *(at + 1 for at, letter in enumerate(self.text) if letter == "\n")]

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8, in which findings have their places."""
        return self.text.encode("utf-8", "replace")

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, from 0."""
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column, from 0; of places that are not there, the nearest one."""
        if line >= len(self.starts):
            return len(self.text)
        stop = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        # A column behind the end of its line is its end, as LSP defines it.
        return min(self.starts[line] + column, stop)

    def at(self, place: SchemaPlace) -> int:
        """Return the offset of a place of the loaders."""
        return self.offset(place.line - 1, place.column - 1)

    def character(self, byte: int) -> int:
        """Return the offset of a byte of the text in UTF-8."""
        # Bytes and characters are the same then, and decoding the text for each finding of a large file is slow.
        if self.text.isascii():
            return min(byte, len(self.text))
        return min(len(self.data[:byte].decode("utf-8", "replace")), len(self.text))

    def span(self, found: Diagnostic) -> tuple[int, int]:
        """Return the offsets of a finding; those of the first line where it has none."""
        if found.span is None:
            return 0, self.offset(0, len(self.text))
        start = self.character(found.span.byte_start)
        # At least one character: editors do not underline an empty range.
        return start, min(max(self.character(found.span.byte_stop), start + 1), len(self.text))

    def repair(self, found: Diagnostic) -> tuple[str, list[tuple[int, int, str]]] | None:
        """Return the repair of a finding: its title, and the edits as (start, stop, new text). None without a repair, if the word
        to replace occurs several times, or for a finding about another file.
        """
        if found.span is None:
            return None
        if found.fix is not None:
            return found.fix.description, [
                (self.character(one.start), self.character(one.stop), one.replacement.decode("utf-8", "replace"))
                for one in found.fix.edits
            ]
        if not isinstance(found.help, Guess):
            return None
        word = re.compile(rf"(?<![\w-]){re.escape(found.help.written)}(?![\w-])")
        start, stop = self.span(found)
        here = word.search(self.text, start, stop)
        # A finding may be placed at the whole line or record; the word is exchanged only if there is no doubt which one is meant.
        every = [here] if here is not None else list(word.finditer(self.text))
        return (f"write {found.help.meant!r}", [(*every[0].span(), found.help.meant)]) if len(every) == 1 else None

    def word(self, offset: int, letters: str) -> tuple[int, int]:
        """Return the start and end of the word at an offset; a word has letters, digits and the characters of ``letters``."""
        start = stop = offset
        while start > 0 and (self.text[start - 1].isalnum() or self.text[start - 1] in letters):
            start -= 1
        while stop < len(self.text) and (self.text[stop].isalnum() or self.text[stop] in letters):
            stop += 1
        return start, stop


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at a place of a text; equal ``target`` and ``kind`` mean the same thing, which one mention ``declares``."""

    target: str
    kind: str
    start: int
    stop: int
    declares: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A completion for an offset: its text, its kind, and its documentation."""

    text: str
    kind: str
    doc: str = ""


@dataclass(slots=True)
class Heading:
    """A part of a text for its outline: its name, its kind, its offsets, and the parts inside it."""

    name: str
    kind: str
    start: int
    stop: int
    parts: list[Heading] = field(default_factory=list)


def in_file(found: Iterable[Diagnostic], path: Path) -> list[Diagnostic]:
    """Return the findings on the file at ``path``: its own, and the errors of files that it imports, without their places there."""
    own = []
    for one in found:
        if one.path is None or Path(one.path).name == path.name:
            own.append(one)
        elif one.severity is Severity.ERROR:
            # The schema cannot be used before the other file is repaired, which its author has not opened.
            own.append(replace(one, message=f"{Path(one.path).name}: {one.message}", path=str(path), span=None, labels=()))
    return own


class Language(ABC):
    """The services for the texts of one suffix: findings, completion, descriptions, names and the outline. Broken texts raise
    nothing.
    """

    LETTERS = "_"
    """The characters of names beside letters and digits."""
    RENAMED: frozenset[str] = frozenset()
    """The kinds of names that can be renamed."""

    @abstractmethod
    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """Return what is wrong with a text, as it is known at once."""

    @abstractmethod
    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """Return what trying a saved text shows, where its findings have no error; ``file`` is one that it reads with findings."""

    @abstractmethod
    def searched(self, folders: Sequence[Path]) -> list[Path]:
        """Return the folders in which imports are looked up: the given ones, and those that the environment and bridgespec add."""

    @abstractmethod
    def mentions(self, draft: EditorDraft) -> Sequence[Mention]:
        """Return every name of the author's own."""

    @abstractmethod
    def outline(self, draft: EditorDraft) -> list[Heading]:
        """Return the parts of a text."""

    @abstractmethod
    def complete(self, draft: EditorDraft, offset: int) -> list[Proposal]:
        """Return the completions for an offset."""

    @abstractmethod
    def describe(self, draft: EditorDraft, offset: int) -> str:
        """Return Markdown about the word at an offset; nothing where there is none to describe."""

    def other_files(self, draft: EditorDraft) -> list[Path]:
        """Return the other files in which names of a text may be used: the files with its suffix in the same folder."""
        return [path for path in sorted(draft.path.parent.glob(f"*{draft.path.suffix}"))[:MOST_FILES] if path != draft.path]

    def file_of(self, draft: EditorDraft, name: str) -> Path | None:
        """Return the file of a name that a text imports or takes."""
        places = (draft.path.parent, *draft.folders)
        return next((file for folder in places if (file := folder / name.lstrip("/")).is_file()), None)

    def is_name(self, kind: str, name: str) -> bool:
        """Whether something of a kind may be called so."""
        return name.replace("_", "a").isalnum() and name[:1].isalpha() and name.islower()

    def mention(self, draft: EditorDraft, offset: int) -> Mention | None:
        """Return the name at an offset."""
        found = [one for one in self.mentions(draft) if one.start <= offset <= one.stop]
        return min(found, key=lambda one: one.stop - one.start, default=None)
