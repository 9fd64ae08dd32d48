"""Parse a grammar with Lark itself into the values of `rules`, each with its position. `parse_rules` is the entry.

Supported are rules, terminals and relative imports. Directives that would hide characters (``%ignore``) or need Python code
(``%declare``, templates) are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from bridgespec.diagnostic import Edit, Fix, nearest
from bridgespec.sources import is_source
from bridgespec.spec.closing import CLOSING, closing_fix, word_ends
from bridgespec.spec.grammar.possessive import checked_regex
from bridgespec.spec.grammar.regex import behind, captures, settled
from bridgespec.spec.grammar.rules import (
    Expr,
    GrammarChoice,
    GrammarLiteral,
    GrammarRepeat,
    GrammarRule,
    Pattern,
    Ref,
    Sequence,
    source_of,
    walk,
)
from bridgespec.spec.place import SchemaPlace, schema_text
from bridgespec.spec.problems import SYNTAX, Problems

SHARED = "bridge.lark"
"""The file name of the grammar with the rules that text formats share."""
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MOST_ROUNDS = 1_000_000
"""The maximum number of repetitions in ``~`` of a grammar."""
_MOST_DEEP = 400
"""The maximum depth of the parse tree of a rule, in which a bracket takes three or four levels. Python's limit of recursion cannot
serve as the bound, since `depth.permit` raises it.
"""
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
"""The character for each escape of one letter."""
REFUSED = {
    "ignore": "%ignore cannot be used: every character of a file is declared",
    "declare": "%declare cannot be used: every character of a file is declared",
    "override_rule": "%override cannot be used: a grammar says itself what its rules are",
    "template_usage": "templates cannot be used: write the rule out",
    "priority": "priorities have no meaning here: the first alternative that matches is taken",
}


@cache
def lark_syntax() -> Lark:
    """Return the parser of Lark's own syntax, from the grammar that Lark ships."""
    options = {"parser": "lalr", "maybe_placeholders": False}
    # A grammar for Lark's own syntax cannot be read differently from Lark.
    return Lark.open_from_package("lark", "lark.lark", ["grammars"], **options)


def unescape(text: str) -> str:
    r"""Return the text of a string literal, given the source between its quotes.

    >>> unescape(r"a\n\x41\"")
    'a\nA"'
    """

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _PLAIN.get(code, code)

    return _ESCAPE.sub(one, text)


def find_grammar(name: str, path: Path, search: Iterable[Path]) -> Path | None:
    """Return the path of a grammar that another one, at ``path``, imports: in the same folder, else in one of the folders
    ``search``.
    """
    return next((found for folder in (path.parent, *search) if is_source(found := folder / name)), None)


Lines = dict[str, dict[int, str]]
"""For each file, the lines, from 1, on which its rules begin; rules that an importing file overrides are included."""


def parse_rules(
    source: str, path: Path, seen: tuple[Path, ...] = (), search: Iterable[Path] = (), lines: Lines | None = None
) -> dict[str, GrammarRule]:
    """Return the rules and terminals of a grammar, with those of its imports. Raises SpecError with the position of every error.

    Imports are looked up beside the grammar, then in the folders of ``search``. ``seen`` are the files whose imports lead here;
    ``lines`` is filled with the rules of each file by line.
    """
    problems = Problems()
    file = _File(source, path, (*seen, path), list(search), problems, {} if lines is None else lines)
    try:
        tree = lark_syntax().parse(source)
    except UnexpectedInput as error:
        message, place, opened = _unexpected(source, error), file.place_of(error), _open_text(source, error)
        # The parser stops at the end of the rule, which may be far below the bracket that is not closed.
        if (bracket := _open_bracket(source, error)) is not None:
            message, place, opened = f"this '{source[bracket]}' is not closed", file.place_at(bracket), bracket
        problems.add(SYNTAX, message, place, fix=None if opened is None else _closing(source, opened))
        problems.raise_errors()
    file.collect(tree)
    rules = {**file.imported, **file.rules}
    for rule in file.rules.values():
        for part in walk(rule.expr):
            # A name of a missing file has its finding at the import.
            if isinstance(part, Ref) and part.name not in rules and part.name not in file.missing:
                help, fix = file.suggest(part.name, rules)
                problems.add(SYNTAX, f"{part.name} is not defined", part.place, help, fix=fix)
    problems.raise_errors()
    return rules


def _unexpected(source: str, error: UnexpectedInput) -> str:
    """Return the message for a syntax error."""
    token = getattr(error, "token", None)
    # No token: no token of Lark's syntax matches the text there.
    if token is None:
        found = source[error.pos_in_stream or 0]
        unclosed = {'"': "this text is not closed", "/": "this regular expression is not closed"}
        return unclosed.get(found, f"{found!r} is not part of a grammar")
    if token.type == "$END":
        return "the grammar stops in the middle of a rule"
    if "COLON" in getattr(error, "expected", ()):
        return f"a ':' is missing between the name of the rule and {str(token)!r}"
    return "the rule ends too early" if not token.strip() else f"{str(token)!r} is not allowed here"


_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|/(?!/)(?:[^/\\\n]|\\.)+/|//[^\n]*')
_COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*|^[ \t]*%[^\n]*|\s)+\Z", re.MULTILINE)
_RULE_HEAD = re.compile(r"^[!?]?_?[a-zA-Z]\w*[^:\n]*:", re.MULTILINE)


def _open_bracket(source: str, error: UnexpectedInput) -> int | None:
    """Return the offset of the bracket that is not closed, if the error is at the end of a rule; None for any other error."""
    token = getattr(error, "token", None)
    if token is None or (token.strip() and token.type != "$END" and not _RULE_HEAD.match(source, token.start_pos or 0)):
        return None
    stop = len(source) if token.type == "$END" else token.start_pos or 0
    head = max((found.start() for found in _RULE_HEAD.finditer(source, 0, stop)), default=0)
    bare = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), source[head:stop])
    opened: list[int] = []
    for at, character in enumerate(bare):
        if character in "([":
            opened.append(head + at)
        elif character in ")]" and opened:
            opened.pop()
    return opened[-1] if opened else None


def _open_text(source: str, error: UnexpectedInput) -> int | None:
    """Return the offset of a literal or a regular expression that is not closed in its line; None for any other error."""
    at = error.pos_in_stream or 0
    return at if getattr(error, "token", None) is None and source[at : at + 1] in ('"', "/") else None


def _closing(source: str, opened: int) -> Fix | None:
    """Return the fix that closes the bracket, literal or regular expression that begins at ``opened``; None where no single
    character in its rule suffices.
    """
    after = _RULE_HEAD.search(source, source.find("\n", opened) if "\n" in source[opened:] else len(source))
    start = max((found.start() for found in _RULE_HEAD.finditer(source, 0, opened + 1)), default=0)
    stop = len(source) if after is None else after.start()

    def reads(text: str) -> bool:
        try:
            lark_syntax().parse(text[start : stop + 1])
        except UnexpectedInput:
            return False
        return True

    if source[opened] in "([":
        end = start + len(_COMMENT.sub("", source[start:stop]).rstrip())
        places = [end - 1, end] if source[end - 1] in "?*+" else [end]
    else:
        end = source.find("\n", opened)
        end = len(source) if end < 0 else end
        line = source.rfind("\n", 0, opened) + 1
        places = word_ends(source, opened + 1, end)
        # The mark at `opened` may be the end of an earlier literal in the line that was closed too early: try that one as well.
        places += word_ends(source, source.index(source[opened], line) + 1, opened)
    return closing_fix(source, CLOSING[source[opened]], places, reads)


class _File:
    """Collects the rules of one file from its parse tree. `parse_rules` makes one for each file."""

    def __init__(
        self, source: str, path: Path, seen: tuple[Path, ...], search: list[Path], problems: Problems, lines: Lines
    ) -> None:
        self.source = source
        self.lines = lines
        self.path = path
        self.seen = seen
        self.search = search
        self.problems = problems
        self.rules: dict[str, GrammarRule] = {}
        self.imported: dict[str, GrammarRule] = {}
        self.missing: set[str] = set()
        """Names that were imported from files that do not exist."""

    # --- places

    def _place(self, line: int, column: int, start: int, stop: int) -> SchemaPlace:
        # Positions of Lark count characters, those of findings bytes.
        offset = start if self.source.isascii() else len(self.source[:start].encode())
        return SchemaPlace(self.path.name, line, column, offset, max(stop - start, 1))

    def place(self, token: Token) -> SchemaPlace:
        """Return the position of a token in the file."""
        start = token.start_pos or 0
        return self._place(token.line or 1, token.column or 1, start, start + len(token))

    def place_of(self, error: UnexpectedInput) -> SchemaPlace:
        """Return the position at which the text is no valid grammar; its end for an incomplete one."""
        token = getattr(error, "token", None)
        ended = token is not None and token.type == "$END"
        return self.place_at(len(self.source) if ended else error.pos_in_stream or 0, len(token or " "))

    def place_at(self, position: int, size: int = 1) -> SchemaPlace:
        """Return the position of ``size`` characters from offset ``position`` on."""
        line = self.source.count("\n", 0, position) + 1
        return self._place(line, position - self.source.rfind("\n", 0, position), position, position + size)

    def add(self, message: str, token: Token, help: str | None = None) -> None:
        """Add an error at a token's position."""
        self.problems.add(SYNTAX, message, self.place(token), help)

    def suggest(self, name: str, rules: Iterable[str]) -> tuple[str | None, Fix | None]:
        """Return help and fix for a name that is not defined: the import of a shared rule, else the most similar name (no fix)."""
        shared = find_grammar(SHARED, self.path, self.search)
        if shared is None or not re.search(rf"^[!?]?{name}\s*:", schema_text(shared), re.MULTILINE):
            return nearest(name, rules), None
        line = f"%import .{shared.stem} ({name})"
        first = re.search(r"^(?!\s|//)", self.source, re.MULTILINE)
        at = self.place_at(first.start() if first is not None else 0).span.byte_start
        return f"it is one of {SHARED}: write {line}", Fix("import it", (Edit(at, at, f"{line}\n".encode()),))

    # --- rules and imports

    def collect(self, tree: Tree[Token]) -> None:
        """Collect all rules and imports in the file."""
        for item in _trees(tree):
            if item.data in ("rule", "token"):
                self.rule(item)
            elif item.data in ("import", "multi_import"):
                self.load(item)
            else:
                names = [source_of(self.body(child, _first(item))) for child in _trees(item)] if item.data == "ignore" else []
                self.add(REFUSED[item.data], _first(item), _declared(names) if names else None)

    def rule(self, tree: Tree[Token]) -> None:
        """Collect one rule or terminal."""
        name = tree.children[0]
        assert isinstance(name, Token)
        # The last child is the body; before it are the parameters of a template and a priority.
        for part in _trees(tree)[:-1]:
            if part.children:
                self.add(REFUSED["priority" if part.data == "priority" else "template_usage"], _first(part))
        key = name.lstrip("!?")
        if key in self.rules:
            self.add(f"{key} is defined twice", name)
        self.lines.setdefault(self.path.name, {})[name.line or 1] = key
        self.rules[key] = GrammarRule(key, self.body(tree.children[-1], name), self.place(name))

    def load(self, tree: Tree[Token]) -> None:
        """Import names of another file, with all rules that these need."""
        where, *more = _trees(tree)
        names = [_first(child) if isinstance(child, Tree) else child for child in where.children]
        wanted = [_first(child) for child in _trees(more[0])] if tree.data == "multi_import" else [names.pop()]
        if names[0] != "." or (tree.data == "import" and more):
            self.add("an import is of a file beside this one, its names as they are: %import .file (NAME)", names[0])
            return
        module = "/".join(name for name in names if name != ".")
        path = find_grammar(f"{module}.lark", self.path, self.search)
        if path is None:
            self.add(f"there is no {module}.lark beside this grammar, nor where formats are kept", names[-1])
            self.missing |= set(wanted)
        # `parse_rules` calls itself for imports.
        elif path in self.seen:
            self.add(f"{module} imports itself", names[-1])
        else:
            rules = parse_rules(schema_text(path), path, self.seen, self.search, self.lines)
            for name in wanted:
                if name not in rules:
                    self.add(f"{path.name} has no {name}", name)
            self.imported |= rules

    # --- expressions

    def body(self, item: Tree[Token] | Token, name: Token) -> Expr:
        """Return the expression that defines a name; report brackets that are nested too deeply."""
        level, depth = [item], 0
        while level and depth < _MOST_DEEP:
            # Level by level: a recursive function would fail at the depth that it is to report.
            level, depth = [child for one in level if isinstance(one, Tree) for child in one.children], depth + 1
        if level:
            self.add(f"the brackets of {name} are nested too deeply: move inner ones to rules of their own", name)
            return Sequence(())
        return self.expr(item)

    def expr(self, item: Tree[Token] | Token) -> Expr:
        """Return the expression of a part of a rule."""
        assert isinstance(item, Tree)
        children = item.children
        # As a `str`: Lark's `Token` compares itself by a method in Python, which is slower.
        match str(item.data):
            case "expansions":
                return self.choice([child for child in children if isinstance(child, Tree)])
            case "alias":
                return self.choice([item])
            case "expansion":
                items = [self.expr(child) for child in children]
                return items[0] if len(items) == 1 else Sequence(tuple(items))
            case "expr":
                return self.repeat(children)
            case "maybe":
                return GrammarRepeat(self.expr(children[0]), 0, 1)
            case "literal":
                return self.literal(_first(item))
            case "literal_range":
                first, last = (unescape(str(child)[1:-1]) for child in children)
                return _pattern(f"[{re.escape(first)}-{re.escape(last)}]", "")
            case "name":
                token = _first(item)
                return Ref(token.lstrip("!?"), self.place(token))
            case _:
                self.add(REFUSED["template_usage"], _first(item))
                return Sequence(())

    def choice(self, options: list[Tree[Token]]) -> Expr:
        """Return the expression for alternatives, some of which may have names."""
        found: list[Expr] = []
        names: list[str | None] = []
        for option in options:
            named = option.data == "alias" and len(option.children) == 2
            found.append(self.expr(option.children[0] if option.data == "alias" else option))
            names.append(str(option.children[1]) if named else None)
        return found[0] if names == [None] else GrammarChoice(tuple(found), tuple(names))

    def repeat(self, children: list[Tree[Token] | Token]) -> Expr:
        """Return the expression of a repetition."""
        item, *tokens = children
        inner = self.expr(item)
        counts = [token for token in tokens if isinstance(token, Token)]
        if counts[0].type == "OP":
            least, most = {"?": (0, 1), "*": (0, None), "+": (1, None)}[str(counts[0])]
            return GrammarRepeat(inner, least, most)
        least, most = self.count(counts[0]), self.count(counts[-1])
        if most < least:
            self.add(f"{least}..{most} is not a range: the smaller number stands first", counts[-1])
        return GrammarRepeat(inner, least, most)

    def count(self, token: Token) -> int:
        """Return the number of repetitions that a token spells; report one that is out of range."""
        # `float` takes any number of digits; `int` refuses thousands of them.
        if not 0 <= float(token) <= _MOST_ROUNDS:
            self.add(f"{token[:20]} is not a number of repetitions: those are 0 to {_MOST_ROUNDS}", token)
            return 0
        return int(token)

    def literal(self, token: Token) -> Expr:
        """Return the expression of a literal or a regular expression."""
        if token.type == "STRING":
            body, _, flag = token.rpartition('"')
            return GrammarLiteral(unescape(body[1:]), flag == "i")
        body, _, flags = token[1:].rpartition("/")
        # Only Lark needs the slash escaped.
        body = body.replace("\\/", "/")
        try:
            checked_regex(body)
            if captures(body):
                self.add("a terminal has no groups that capture: write (?: )", token)
        except re.error as error:
            self.add(f"not a regular expression: {error}", token)
            # Findings of other rules are still made with an expression that can be compiled.
            body = ""
        return _pattern(body, flags)


def _pattern(regex: str, flags: str) -> Pattern:
    # Both properties are computed here, so that a cached grammar needs no parser of regular expressions.
    return Pattern(regex, flags, settled(regex), behind(regex))


def _declared(names: list[str]) -> str:
    """Return the help for a grammar with ``%ignore`` of ``names``: layout to declare in place of it."""
    return f"declare it as layout, `_GAP: {names[0]}`, and write `_GAP*` wherever it may stand: between the names of a rule"


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _first(tree: Tree[Token]) -> Token:
    first = tree.children[0]
    return first if isinstance(first, Token) else next(tree.scan_values(lambda value: isinstance(value, Token)))
