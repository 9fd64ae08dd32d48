"""Lark's grammar syntax, read into `grammar` values with the place of everything.

Only what a declared format needs: rules, terminals, relative imports. What would hide characters (``%ignore``) or reach for
Python (``%declare``, templates) is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.spec.grammar import Choice, Expr, Literal, Pattern, Ref, Repeat, Rule, Sequence
from bridgespec.spec.place import Place
from bridgespec.spec.problems import SYNTAX

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r]+|//[^\n]*|\#[^\n]*)|(?P<newline>\n)|(?P<string>"(?:\\.|[^"\\\n])*"i?)
    |(?P<regexp>/(?!/)(?:\\/|\\\\|[^/\n])*?/[imslux]*)|(?P<arrow>->)|(?P<range>\.\.)|(?P<number>-?\d+)
    |(?P<directive>%[a-z]+)|(?P<name>[!?]?_?[A-Za-z][A-Za-z0-9_]*)|(?P<op>[+*?~|()\[\]:.,{}])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MOST_ROUNDS = 1_000_000
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    place: Place
    offset: int


def spec_error(message: str, place: Place, help_: str | None = None) -> SpecError:
    """The error of one place of a schema."""
    finding = Diagnostic(SYNTAX.name, Severity.ERROR, message, path=place.file, span=place.span, help=help_)
    return SpecError(f"{place}: {message}", (finding,))


def _tokens(source: str, file: str) -> list[_Token]:
    found, offset, line, start = [], 0, 1, 0
    while offset < len(source):
        match = _TOKEN.match(source, offset)
        place = Place(file, line, offset - start + 1, offset, len(match[0]) if match else 1)
        if match is None:
            raise spec_error(f"{source[offset]!r} is no part of a grammar", place)
        kind = match.lastgroup or ""
        if kind == "newline":
            line, start = line + 1, match.end()
        elif kind != "skip":
            found.append(_Token(kind, match[0], place, offset))
        offset = match.end()
    found.append(_Token("end", "", Place(file, line, offset - start + 1, offset), offset))
    return found


def unescape(text: str) -> str:
    """The text of a string literal's inside."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _PLAIN.get(code, code)

    return _ESCAPE.sub(one, text)


class _Parser:
    def __init__(self, source: str, path: Path, seen: tuple[Path, ...], search: Iterable[Path]) -> None:
        self.tokens = _tokens(source, path.name)
        self.at = 0
        self.path = path
        self.seen = (*seen, path)
        self.search = search
        self.rules: dict[str, Rule] = {}
        self.imported: dict[str, Rule] = {}

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self, text: str | None = None, kind: str | None = None) -> _Token:
        token = self.token
        if (text is not None and token.text != text) or (kind is not None and token.kind != kind):
            wanted = repr(text) if text is not None else f"a {kind}"
            raise spec_error(f"expected {wanted}, not {token.text or 'the end'!r}", token.place)
        if token.kind != "end":
            self.at += 1
        return token

    def count(self) -> int:
        """A number of repetitions."""
        token = self.take(kind="number")
        if not 0 <= float(token.text) <= _MOST_ROUNDS:
            raise spec_error(f"{token.text[:20]} is no number of repetitions: 0 to {_MOST_ROUNDS} are", token.place)
        return int(token.text)

    def starts_rule(self) -> bool:
        return self.token.kind in ("end", "directive") or (
            self.token.kind == "name" and self.token.place.column == 1 and self.tokens[self.at + 1].text in (":", ".")
        )

    def parse(self) -> None:
        while self.token.kind != "end":
            if self.token.kind == "directive":
                self.directive()
                continue
            token = self.take()
            if token.kind != "name":
                raise spec_error(f"expected a rule, not {token.text!r}", token.place)
            if self.token.text == ".":
                raise spec_error("priorities have no meaning here: the first alternative that matches is taken", self.token.place)
            self.take(":")
            name = token.text.lstrip("!?")
            if name in self.rules:
                raise spec_error(f"{name} is defined twice", token.place)
            self.rules[name] = Rule(name, self.expansions(), token.place)

    def directive(self) -> None:
        token = self.take()
        if token.text != "%import":
            raise spec_error(f"{token.text} cannot be used: every character of a file is declared", token.place)
        self.take(".")
        module = self.take(kind="name")
        names: list[str] = []
        if self.token.text == ".":
            self.take(".")
            names.append(self.take(kind="name").text)
        else:
            self.take("(")
            while self.token.text != ")":
                names.append(self.take(kind="name").text)
                if self.token.text == ",":
                    self.take(",")
            self.take(")")
        self.load(module, names)

    def load(self, module: _Token, names: list[str]) -> None:
        path = find_grammar(f"{module.text}.lark", self.path, self.search)
        if path is None:
            raise spec_error(f"there is no {module.text}.lark beside this grammar, nor where formats are kept", module.place)
        if path in self.seen:
            raise spec_error(f"{module.text} imports itself", module.place)
        rules = parse_rules(path.read_text("utf-8"), path, self.seen, self.search)
        for name in names:
            if name not in rules:
                raise spec_error(f"{path.name} has no {name}", module.place)
        self.imported |= rules

    def expansions(self) -> Expr:
        options, names = [], []
        while True:
            options.append(self.expansion())
            name = None
            if self.token.kind == "arrow":
                self.take()
                name = self.take(kind="name").text
            names.append(name)
            if self.token.text != "|":
                break
            self.take("|")
        if len(options) == 1 and names == [None]:
            return options[0]
        return Choice(tuple(options), tuple(names))

    def expansion(self) -> Expr:
        items: list[Expr] = []
        while not self.starts_rule() and self.token.text not in ("|", ")", "]", "->"):
            items.append(self.repeated())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def repeated(self) -> Expr:
        item = self.atom()
        if self.token.text in ("?", "*", "+"):
            least, most = {"?": (0, 1), "*": (0, None), "+": (1, None)}[self.take().text]
            return Repeat(item, least, most)
        if self.token.text == "~":
            self.take("~")
            least = self.count()
            most = least
            if self.token.kind == "range":
                self.take()
                place = self.token.place
                most = self.count()
                if most < least:
                    raise spec_error(f"{least}..{most} is no range: the smaller number stands first", place)
            return Repeat(item, least, most)
        return item

    def atom(self) -> Expr:
        token = self.take()
        if token.text == "(":
            inner = self.expansions()
            self.take(")")
            return inner
        if token.text == "[":
            inner = self.expansions()
            self.take("]")
            return Repeat(inner, 0, 1)
        if token.kind == "string":
            body, _, flag = token.text.rpartition('"')
            if self.token.kind == "range":
                self.take()
                last = unescape(self.take(kind="string").text[1:-1])
                return Pattern(f"[{re.escape(unescape(body[1:]))}-{re.escape(last)}]")
            return Literal(unescape(body[1:]), flag == "i")
        if token.kind == "regexp":
            body, _, flags = token.text[1:].rpartition("/")
            body = body.replace("\\/", "/")
            try:
                compiled = re.compile(body)
            except re.error as error:
                raise spec_error(f"not a regular expression: {error}", token.place) from None
            if compiled.groups:
                raise spec_error("a terminal has no groups that capture: write (?: )", token.place)
            return Pattern(body, flags)
        if token.kind == "name":
            return Ref(token.text, token.place)
        raise spec_error(f"{token.text or 'the end'!r} cannot stand here", token.place)


def find_grammar(name: str, path: Path, search: Iterable[Path]) -> Path | None:
    """The file of a grammar that the one at ``path`` imports: beside it, else in one of the folders."""
    return next((found for folder in (path.parent, *search) if (found := folder / name).is_file()), None)


def parse_rules(source: str, path: Path, seen: tuple[Path, ...] = (), search: Iterable[Path] = ()) -> dict[str, Rule]:
    """The rules and terminals of a grammar, those of its imports included; SpecError names the place of a mistake.

    Imports are looked for beside the grammar, then in the folders of ``search``.
    """
    parser = _Parser(source, path, seen, search)
    parser.parse()
    rules = {**parser.imported, **parser.rules}
    for rule in parser.rules.values():
        _check_names(rule.expr, rules)
    return rules


def _check_names(expr: Expr, rules: dict[str, Rule]) -> None:
    match expr:
        case Ref(name, place):
            if name not in rules:
                raise spec_error(f"{name} is not defined", place)
        case Sequence(items) | Choice(items):
            for item in items:
                _check_names(item, rules)
        case Repeat(item):
            _check_names(item, rules)
        case _:
            pass


def recursive(rules: dict[str, Rule]) -> set[str]:
    """The names of the rules that reach themselves: a grammar that has one is not regular."""
    reach = {name: _names(rule.expr) for name, rule in rules.items()}
    while True:
        wider = {name: direct.union(*(reach[other] for other in direct)) for name, direct in reach.items()}
        if wider == reach:
            return {name for name, others in reach.items() if name in others}
        reach = wider


def _names(expr: Expr) -> set[str]:
    match expr:
        case Ref(name):
            return {name}
        case Sequence(items) | Choice(items):
            return set().union(*(_names(item) for item in items))
        case Repeat(item):
            return _names(item)
        case _:
            return set()
