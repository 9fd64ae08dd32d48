"""Diagnostics: findings as values, with their positions. Readers, binders and rules make them; `define` declares their codes."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import difflib
else:
    difflib = Lazy("difflib")


class Severity(StrEnum):
    """The weight of a finding: an error fails a validation, a warning does with ``--strict``, a note never."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of bits of one file, counted from its first byte; text spans are whole bytes.

    ``start`` and ``stop`` are bit positions: ``8 * byte + bit``. Within a byte, bit 0 is the low bit where the format
    numbers bits from the low end (``lsb``, Kaitai's ``bit-endian: le``), else the high bit.

    >>> Span.of_bytes(13, 2)
    Span(start=104, stop=120, lsb=False, line=None, column=None)
    >>> Span(104, 108, lsb=True).byte_start, Span(104, 108, lsb=True).byte_stop, Span(104, 108).bits
    (13, 14, (0, 4))
    >>> Span.of_bytes(13, 2).bits is None
    True
    """

    start: int
    stop: int
    lsb: bool = False
    line: int | None = None
    column: int | None = None

    @classmethod
    def of_bytes(cls, offset: int, length: int, line: int | None = None, column: int | None = None) -> Span:
        """The span of ``length`` whole bytes from ``offset``; ``line`` and ``column`` count from 1."""
        return cls(8 * offset, 8 * (offset + length), False, line, column)

    @property
    def byte_start(self) -> int:
        """Offset of the first byte touched."""
        return self.start // 8

    @property
    def byte_stop(self) -> int:
        """Offset after the last byte touched."""
        return (self.stop + 7) // 8

    @property
    def bits(self) -> tuple[int, int] | None:
        """The half-open range of bits, counted from the start of the first byte; None where the span is whole bytes."""
        if self.start % 8 == 0 and self.stop % 8 == 0:
            return None
        base = 8 * self.byte_start
        return self.start - base, self.stop - base

    def shifted(self, offset: int) -> Span:
        """Return the span moved by ``offset`` bytes."""
        return replace(self, start=self.start + 8 * offset, stop=self.stop + 8 * offset)


@dataclass(frozen=True, slots=True)
class Label:
    """A further position of a finding, with a text about it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes ``[start, stop)`` of the file by ``replacement``."""

    start: int
    stop: int
    replacement: bytes


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair; ``safe`` means that it loses no information, so ``--fix`` applies it without confirmation."""

    description: str
    edits: tuple[Edit, ...]
    safe: bool = False


class Guess(str):
    """The help line of a finding about an unknown word: it proposes a known word. An editor offers to replace ``written`` by
    ``meant``.

    >>> guess = Guess("sell", "cell")
    >>> guess, guess.written, guess.meant
    ("did you mean 'cell'?", 'sell', 'cell')
    """

    written: str
    meant: str

    def __new__(cls, written: str, meant: str) -> Guess:
        made = super().__new__(cls, f"did you mean {meant!r}?")
        made.written, made.meant = written, meant
        return made

    def __reduce__(self) -> tuple[type[Guess], tuple[str, str]]:
        return Guess, (self.written, self.meant)


def closest(written: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """Return the known word that is most similar to ``written``, or None if no similarity (0 to 1) is at least ``least``.

    An equal first letter, which is seldom mistyped, adds a tenth. Words that begin with an underscore are not proposed.

    >>> closest("sell", ["seat", "cell"]), closest("dealr", ["year", "declarer"]), closest("q", ["cell"])
    ('cell', 'declarer', None)
    """
    close = difflib.get_close_matches(written, [word for word in known if not word.startswith("_")], 3, least)

    def likeness(word: str) -> float:
        return difflib.SequenceMatcher(None, word, written).ratio() + (word[:1] == written[:1]) / 10

    return max(close, key=likeness, default=None)


def nearest(written: str, known: Iterable[str], least: float = 0.6) -> Guess | None:
    """Return a help line that names the `closest` known word, or None."""
    close = closest(written, known, least)
    return None if close is None else Guess(written, close)


def hint(written: str, known: Iterable[str], otherwise: str = "", least: float = 0.6) -> str:
    """Return the end of a message about an unknown word: the `closest` known one, or else ``otherwise``; empty without both.

    >>> "there is no seat 'nroth'" + hint("nroth", ["north", "south"])
    "there is no seat 'nroth'; did you mean 'north'?"
    """
    ending = nearest(written, known, least) or otherwise
    return f"; {ending}" if ending else ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``code`` is stable and has a page (``bridgespec explain CODE``); ``record`` counts from 0; ``field`` is the dotted path
    of the schema field, with indexes (``boards[1].deal[0]``); ``path`` is the file as the user named it.

    >>> Diagnostic("bad-padding", Severity.WARNING, "these bytes should be spaces", record=2).record
    2
    """

    code: str
    severity: Severity
    message: str
    path: str | None = None
    record: int | None = None
    field: str | None = None
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    help: str | None = None
    fix: Fix | None = None

    def shifted(self, offset: int) -> Diagnostic:
        """Return a finding about an excerpt as one about the whole file, in which the excerpt begins at byte ``offset``."""
        fix = self.fix
        if fix is not None:
            fix = replace(fix, edits=tuple(Edit(one.start + offset, one.stop + offset, one.replacement) for one in fix.edits))
        span = None if self.span is None else self.span.shifted(offset)
        return replace(self, span=span, labels=tuple(Label(one.span.shifted(offset), one.text) for one in self.labels), fix=fix)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its stable name, usual severity, and the page that ``bridgespec explain`` prints."""

    name: str
    severity: Severity
    page: str

    @property
    def summary(self) -> str:
        """The page's first line."""
        return self.page.strip().partition("\n")[0]


CODES: dict[str, Code] = {}
"""Every kind of finding by name. `define` fills it as modules are imported; never edit it by hand."""


def define(name: str, severity: Severity, page: str | None) -> Code:
    """Define a kind of finding beside the code that reports it; ValueError where the name is taken by another page.

    With `python -OO` docstrings are missing and `page` is None: the page is then read from the module's source.
    """
    if page is None:
        # The caller passed its own __doc__, which -OO has removed.
        module = sys.modules[sys._getframe(1).f_globals["__name__"]]
        page = ast.get_docstring(ast.parse(inspect.getsource(module))) or name
    code = Code(name, severity, inspect.cleandoc(page))
    # Equal is accepted: a module that is reloaded defines its codes again.
    if CODES.setdefault(name, code) != code:
        raise ValueError(f"diagnostic code {name} is defined twice")
    return code
