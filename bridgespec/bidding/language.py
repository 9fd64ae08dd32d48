"""Reads `.bid` files: the tree of the grammar into rules, and whatever is wrong as findings with their places."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput

from bridgespec.bidding.rules import SUFFIX, Aim, Made, Module, Place, Rule, Section, Step, Term, Words
from bridgespec.bidding.turn import FACT_BITS, SUIT_BITS
from bridgespec.diagnostic import Diagnostic, Severity, Span, define

SYNTAX = define(
    "bid-syntax",
    Severity.ERROR,
    "The text of a bidding system cannot be read here\n\nThe language is described in the chapter on bidding.",
)
NO_FILE = define(
    "bid-missing-file",
    Severity.ERROR,
    "A system takes a convention that is not there\n\nThey are looked for beside the system, in the folders given, and among ours.",
)
RECURSION = define("bid-recursion", Severity.ERROR, "A convention takes itself\n\nDirectly, or through others that it takes.")
UNKNOWN_WORD = define(
    "bid-unknown-word",
    Severity.ERROR,
    "A word that the language does not have\n\nA term, a fact, a parameter or a suit's variable.",
)
TOO_LARGE = define(
    "bid-too-large", Severity.ERROR, "A system has too many rules or files\n\nA bound that no system made by people comes near to."
)
CONTRADICTION = define(
    "bid-contradiction", Severity.ERROR, "A rule that no hand can meet\n\nIts ranges exclude each other, or a range runs backwards."
)

MOST_RULES = 20_000
MOST_FILES = 200
MOST_BYTES = 4_000_000
SHIPPED = Path(__file__).parent.parent / "systems"
VARIABLE = "BRIDGESPEC_BIDDING"
"""The environment names further folders of systems and conventions in it."""

SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
VARIABLES = {"M": (0, 1), "m": (2, 3), "x": (0, 1, 2, 3), "y": (0, 1, 2, 3), "z": (0, 1, 2, 3), "t": (0, 1, 2, 3)}
PLAIN_TERMS = {
    "hcp", "points", "controls", "losers", "newlosers", "quicktricks", "aces", "kings", "longest", "second", "shortest", "rule20",
    "rule15", "playing", "bumrap",
}  # fmt: skip
SUIT_TERMS = {
    "length", "high", "stoppers", "top3", "top5", "quality", "support", "keycards", "trumpqueen", "ace", "king", "queen",
}  # fmt: skip
SHARED_TERMS = {"together", "at-best", "likely", "fit", "side-aces", "side-kings", "side-keycards"}
"""What both hands of a side have: the caller's own with the least, the most and the mean that partner has shown."""
FACTS = {"balanced", "semibalanced", "theirs-stopped", "unbid-stopped", "unbid-three", *FACT_BITS}
SUIT_FACTS = set(SUIT_BITS)
NUMBER_FACTS = {"level", "last-level", "seat", "round", "jump"}
OF_SUIT = {"longest", "stopped", "major", "minor"}
WHO = {"partner", "me", "lho", "rho", "they"}


@cache
def grammar() -> Lark:
    """The grammar of the language."""
    text = (Path(__file__).parent / "bid.lark").read_text("utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


class Reader:
    """Reads a system with all that it takes; findings are collected, never raised."""

    def __init__(self, folders: Sequence[Path] = (), changes: Mapping[str, Mapping[str, float]] | None = None) -> None:
        # Parameters by convention that stand above what the files say: for trying others.
        self.changes = changes or {}
        named = [Path(folder) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
        self.folders = [*folders, *named, SHIPPED, SHIPPED / "conventions"]
        self.findings: list[Diagnostic] = []
        self.modules: list[Module] = []
        self._open: list[Path] = []
        self._texts: dict[str, str] = {}
        self._rules = 0

    def find(self, name: str, beside: Path | None = None) -> Path | None:
        """The file of a system or convention: a path, or a name looked for in the folders."""
        given = Path(name)
        if given.suffix == SUFFIX and given.is_file():
            return given
        places = [*([beside] if beside else []), *self.folders]
        for folder in places:
            path = folder / f"{given.stem if given.suffix == SUFFIX else name}{SUFFIX}"
            if path.is_file():
                return path
        return None

    def read(self, path: Path, settings: Mapping[str, float] | None = None, at: Place | None = None) -> None:
        """Read a file and what it takes, in order."""
        path = path.resolve()
        if path in self._open:
            self.report(RECURSION.name, f"{path.name} takes itself", at or Place(str(path), 1, 1))
            return
        if len(self.modules) >= MOST_FILES:
            self.report(TOO_LARGE.name, f"more than {MOST_FILES} files", at or Place(str(path), 1, 1))
            return
        try:
            data = path.read_bytes()
        except OSError as error:
            self.report(NO_FILE.name, f"{path}: {error.strerror}", at or Place(str(path), 1, 1))
            return
        if len(data) > MOST_BYTES:
            self.report(TOO_LARGE.name, f"{path.name} has more than {MOST_BYTES:,} bytes", Place(str(path), 1, 1))
            return
        self.read_text(data.decode("utf-8", "replace"), path, settings)

    def read_text(self, text: str, path: Path, settings: Mapping[str, float] | None = None) -> None:
        """Read the text of a file; ``path`` names it, and what it takes is looked for beside it first."""
        self._texts[str(path)] = text
        try:
            tree = grammar().parse(text)
        except UnexpectedInput as error:
            line, column = getattr(error, "line", 1), getattr(error, "column", 1)
            at = error.pos_in_stream or 0
            place = Place(str(path), max(line, 1), max(column, 1), at, at + 1)
            token = getattr(error, "token", None)
            met = (
                repr(str(token))
                if token is not None and str(token)
                else "the end of the file"
                if token is not None
                else repr(text[at : at + 1])
            )
            self.report(SYNTAX.name, f"{met} cannot stand here", place, help=_expected(error))
            return
        except RecursionError:
            self.report(TOO_LARGE.name, "parentheses nested too deeply", Place(str(path), 1, 1))
            return
        self._open.append(path)
        module = Module(path.stem)
        self.modules.append(module)
        try:
            _Builder(self, module, path, {**(settings or {}), **self.changes.get(path.stem, {})}).build(tree)
        except RecursionError:
            self.report(TOO_LARGE.name, "conditions nested too deeply", Place(str(path), 1, 1))
        self._open.pop()

    def count_rule(self, place: Place) -> bool:
        """Whether one more rule may be read."""
        self._rules += 1
        if self._rules == MOST_RULES + 1:
            self.report(TOO_LARGE.name, f"more than {MOST_RULES:,} rules", place)
        return self._rules <= MOST_RULES

    def report(self, code: str, message: str, place: Place, help: str | None = None, severity: Severity = Severity.ERROR) -> None:
        """Keep a finding."""
        text = self._texts.get(place.file, "")
        start, stop = (len(text[:at].encode()) for at in (place.start, place.stop))
        span = Span.of_bytes(start, stop - start, place.line, place.column)
        if len(self.findings) < 1000:
            self.findings.append(Diagnostic(code, severity, message, path=place.file, span=span, help=help))


def _expected(error: UnexpectedInput) -> str | None:
    names = getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", None)
    if not names:
        return None
    words = sorted(name.lower().strip("_") for name in names if not name.startswith("__"))
    return "expected " + ", ".join(words[:12])


class _Builder:
    def __init__(self, reader: Reader, module: Module, path: Path, settings: dict[str, float]) -> None:
        self.reader = reader
        self.module = module
        self.path = path
        self.settings = settings

    def place(self, item: Tree[Any] | Token) -> Place:
        if isinstance(item, Token):
            line, column, start, stop = item.line, item.column, item.start_pos, item.end_pos
        else:
            meta = item.meta
            if meta.empty:
                return Place(str(self.path), 1, 1)
            line, column, start, stop = meta.line, meta.column, meta.start_pos, meta.end_pos
        return Place(str(self.path), line or 1, column or 1, start or 0, stop or 0)

    def build(self, tree: Tree[Any]) -> None:
        known = set()
        item: Any
        for item in _trees(tree):
            if item.data == "parameter":
                name, value = str(item.children[0]), float(item.children[1])
                known.add(name)
                self.module.parameters[name] = self.settings.get(name, value)
        for name in self.settings:
            if name not in known:
                self.unknown("parameter", name, known, Place(str(self.path), 1, 1))
        for item in _trees(tree):
            if item.data == "title":
                self.module.kind, self.module.title = str(item.children[0]), item.children[1][1:-1]
                self.module.sources += [str(source.children[0])[1:-1] for source in item.children[2:]]
            elif item.data == "take":
                self.take(item)
            elif item.data in ("after", "opening", "whenever"):
                self.section(item)

    def take(self, item: Any) -> None:
        name, *settings = item.children
        values = {}
        for setting in settings:
            if setting is not None:
                values[str(setting.children[0])] = float(setting.children[1])
        path = self.reader.find(str(name), self.path.parent)
        if path is None:
            known = sorted({file.stem for folder in [self.path.parent, *self.reader.folders] for file in folder.glob(f"*{SUFFIX}")})
            close = difflib.get_close_matches(str(name), known, 1)
            self.reader.report(
                NO_FILE.name, f"there is no {name}.bid", self.place(name), f"did you mean {close[0]}?" if close else None
            )
            return
        self.reader.read(path, values, self.place(item))

    def section(self, item: Any) -> None:
        steps: tuple[Step, ...] | None = None
        rest = item.children
        if item.data == "after":
            steps = tuple(Step(part.data == "ours", tuple(str(call) for call in part.children)) for part in rest[0].children)
            rest = rest[1:]
        elif item.data == "opening":
            steps = ()
        when, rules = rest[0], rest[1:]
        made = [self.rule(rule) for rule in rules if self.reader.count_rule(self.place(rule))]
        if made:
            words = None if when is None else self.words(when)
            self.module.sections.append(Section(self.place(item), steps, words, tuple(made), self.module.name))

    def rule(self, item: Any) -> Rule:
        call = item.children[0]
        values: dict[str, Any] = {}
        for part in item.children[1:]:
            if isinstance(part, Token):
                values["text"] = str(part)[1:-1]
                continue
            name, children = str(part.data), part.children
            if name in ("shows", "wants"):
                words = self.words(children[0])
                old = values.get(name)
                values[name] = words if old is None else Words("both", words.place, (old, words))
            elif name == "forcing":
                values[name] = str(children[0] or "round")
            elif name == "asks":
                values[name] = (str(children[0]), str(children[1]) if children[1] else None)
            elif name == "agrees":
                values[name] = str(children[0])
            elif name == "prefer":
                values[name] = float(children[0])
            elif name in ("artificial", "signoff"):
                values[name] = True
        return Rule(Made(Aim(call.data), str(call.children[0])), self.place(item), **values)

    def words(self, item: Any) -> Words:
        place, kind, parts = self.place(item), str(item.data), item.children
        if kind in ("both", "either", "negated"):
            return Words(kind, place, tuple(self.words(part) for part in parts))
        if kind == "within":
            low, high = self.range(parts[0])
            return Words(kind, place, low=low, high=high, term=self.term(parts[1]))
        if kind == "compare":
            other = parts[2]
            if other.data == "value":
                number = self.value(other)
                low, high = {">=": (number, 99), ">": (number + 1, 99), "<=": (0, number), "<": (0, number - 1)}.get(
                    str(parts[1]), (number, number)
                )
                return Words("within", place, low=low, high=high, term=self.term(parts[0]))
            return Words(kind, place, term=self.term(parts[0]), other=self.term(other), word=str(parts[1]))
        if kind == "fact":
            self.check("fact", parts[0], FACTS)
            return Words(kind, place, name=str(parts[0]))
        if kind == "fact_of":
            self.check("fact", parts[0], SUIT_FACTS)
            return Words(kind, place, name=str(parts[0]), suit=str(parts[1]))
        if kind == "fact_named":
            self.check("fact", parts[0], {"asked", "answered"})
            return Words(kind, place, name=str(parts[0]), word=str(parts[1]), suit=str(parts[2]) if len(parts) > 2 else None)
        if kind == "fact_within":
            self.check("fact", parts[0], NUMBER_FACTS)
            low, high = self.range(parts[1])
            return Words(kind, place, name=str(parts[0]), low=low, high=high)
        if kind == "known":
            self.check("player", parts[0], WHO)
            low, high = self.range(parts[1])
            return Words(kind, place, name=str(parts[0]), low=low, high=high, term=self.term(parts[2]))
        self.check("fact", parts[1], OF_SUIT)
        return Words("suit_fact", place, name=str(parts[1]), suit=str(parts[0]))

    def term(self, item: Any) -> Term:
        if item.data == "suit_length":
            return Term("length", str(item.children[0]))
        name, suit = str(item.children[0]), item.children[1]
        known = SUIT_TERMS | SHARED_TERMS if suit is not None else PLAIN_TERMS | SHARED_TERMS
        self.check("term", item.children[0], known)
        return Term(name, None if suit is None else str(suit))

    def range(self, item: Any) -> tuple[float, float]:
        values = [self.value(part) for part in item.children]
        if item.data == "least":
            return values[0], 99
        if item.data == "under":
            return 0, values[0] - 0.5
        if item.data == "exact":
            return values[0], values[0]
        if values[0] > values[1]:
            self.reader.report(CONTRADICTION.name, f"the range {values[0]:g} to {values[1]:g} runs backwards", self.place(item))
        return values[0], values[1]

    def value(self, item: Any) -> float:
        inner = item.children[0]
        if isinstance(inner, Token):
            return float(inner)
        total, sign = 0.0, 1
        for part in inner.children:
            if part in ("+", "-"):
                sign = 1 if part == "+" else -1
            elif part.type == "NUMBER":
                total += sign * float(part)
            elif part in self.module.parameters:
                total += sign * self.module.parameters[part]
            else:
                self.unknown("parameter", str(part), set(self.module.parameters), self.place(part))
        return total

    def check(self, kind: str, word: Token, known: set[str]) -> None:
        if str(word) not in known:
            self.unknown(kind, str(word), known, self.place(word))

    def unknown(self, kind: str, word: str, known: set[str], place: Place) -> None:
        close = difflib.get_close_matches(word, sorted(known), 1)
        self.reader.report(UNKNOWN_WORD.name, f"there is no {kind} {word}", place, f"did you mean {close[0]}?" if close else None)


def _trees(tree: Tree[Any]) -> Iterator[Tree[Any]]:
    for item in tree.children:
        if isinstance(item, Tree):
            yield item
