"""The text of a document in an editor, and the interface of its language.

For each request the server makes an `EditorDraft` of the document, and calls a method of the `Language` of its suffix. Offsets
count characters of the text, from 0.
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
"""The maximum number of other files in the folder that are searched for uses of a name."""
CURSOR = "zzcursor"
"""A placeholder that is inserted at the cursor, so that the parser shows what is expected there."""


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
        """The text in UTF-8; the spans of findings are offsets in it."""
        return self.text.encode("utf-8", "replace")

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both from 0."""
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column, both from 0; beyond the end of a line or of the text, the offset of that
        end.
        """
        if line >= len(self.starts):
            return len(self.text)
        stop = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        # A column behind the end of its line is its end, as LSP defines it.
        return min(self.starts[line] + column, stop)

    def at(self, place: SchemaPlace) -> int:
        """Return the offset of a place that a loader has reported, whose line and column count from 1."""
        return self.offset(place.line - 1, place.column - 1)

    def character(self, byte: int) -> int:
        """Return the offset, in characters, of a byte of the text in UTF-8."""
        # In ASCII both are equal; decoding a large text for each of its findings is slow.
        if self.text.isascii():
            return min(byte, len(self.text))
        return min(len(self.data[:byte].decode("utf-8", "replace")), len(self.text))

    def span(self, found: Diagnostic) -> tuple[int, int]:
        """Return the start and end of a finding; without a span, those of the first line."""
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
        # The span of a finding may be a whole line or record: the word is replaced only if it occurs once.
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
    """One occurrence of a name in a text. ``target`` is the full name; mentions with equal target and kind refer to the same thing.

    ``declares`` is true for the mention that declares it, which has its ``doc``.
    """

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
    """Return the findings on the file at ``path``, and the errors of imported files as findings on it without a span."""
    own = []
    for one in found:
        if one.path is None or Path(one.path).name == path.name:
            own.append(one)
        elif one.severity is Severity.ERROR:
            # The schema cannot be used because of this error, which is in a file that may not be open in the editor.
            own.append(replace(one, message=f"{Path(one.path).name}: {one.message}", path=str(path), span=None, labels=()))
    return own


class Language(ABC):
    """The services of an editor for the files of one suffix; one instance for each, in `languages.LANGUAGES`.

    No method raises because of a text that is broken.
    """

    LETTERS = "_"
    """The characters of names other than letters and digits."""
    RENAMED: frozenset[str] = frozenset()
    """The kinds of names that can be renamed."""

    @abstractmethod
    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """Return the findings on a text that are fast to compute: they are shown on every change."""

    @abstractmethod
    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """Return the findings of slower checks of a saved text, such as generated boards; none if the text has errors.

        ``file`` is the content of a file that the schema reads with findings, or empty.
        """

    @abstractmethod
    def searched(self, folders: Sequence[Path]) -> list[Path]:
        """Return the folders in which imports are looked up: ``folders``, those of the environment, and that of bridgespec."""

    @abstractmethod
    def mentions(self, draft: EditorDraft) -> Sequence[Mention]:
        """Return every occurrence of a name that a text or an imported file declares, in no particular order."""

    @abstractmethod
    def outline(self, draft: EditorDraft) -> list[Heading]:
        """Return the headings of a text's outline, in order, with those inside them."""

    @abstractmethod
    def complete(self, draft: EditorDraft, offset: int) -> list[Proposal]:
        """Return the completions for an offset."""

    @abstractmethod
    def describe(self, draft: EditorDraft, offset: int) -> str:
        """Return Markdown about the word at an offset; empty where there is none."""

    def other_files(self, draft: EditorDraft) -> list[Path]:
        """Return the other files in which names of a text may be used: the files with its suffix in the same folder."""
        return [path for path in sorted(draft.path.parent.glob(f"*{draft.path.suffix}"))[:MOST_FILES] if path != draft.path]

    def file_of(self, draft: EditorDraft, name: str) -> Path | None:
        """Return the file that a text imports by a name; None if it does not exist."""
        places = (draft.path.parent, *draft.folders)
        return next((file for folder in places if (file := folder / name.lstrip("/")).is_file()), None)

    def is_name(self, kind: str, name: str) -> bool:
        """Whether ``name`` is allowed as a name of a kind, such as a type or a field."""
        return name.replace("_", "a").isalnum() and name[:1].isalpha() and name.islower()

    def mention(self, draft: EditorDraft, offset: int) -> Mention | None:
        """Return the innermost mention at an offset; None where there is none."""
        found = [one for one in self.mentions(draft) if one.start <= offset <= one.stop]
        return min(found, key=lambda one: one.stop - one.start, default=None)
