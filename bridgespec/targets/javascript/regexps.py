"""Translate regular expressions of grammars to JavaScript: the same matches, and no backtracking where Python's pattern is
possessive.

JavaScript has neither possessive repetitions nor atomic groups. A possessive part becomes a lookahead, into which JavaScript never
backtracks, followed by a reference to its group: ``a++b`` becomes ``(?=(a+))\\1b``. Where nothing that could fail follows, a plain
repetition is equivalent and is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from lark import Token, Tree

from bridgespec.spec.grammar.regex import count, parsed

_SAME = re.compile(r"\\[\\^$.*+?()[\]{}|/nrtvfd-]|\\x[0-9a-f]{2}|[^\\.\x00-\x1f\x7f-\xff]")
"""Matches single characters with the same spelling in both languages."""
_SAME_CLASS = re.compile(r"\[\^?(?!\])(?:\\[\\^$.*+?()[\]{}|/nrtvfd-]|\\x[0-9a-f]{2}|[^\\\]\x00-\x1f\x7f-\xff])+\]")
"""Matches character classes with the same spelling in both languages."""
_FORGOTTEN = 500
"""The number of rounds of a repetition after which JavaScript discards its states (`_Maker.rounds`)."""
_FORBIDDEN = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v", "\f": r"\f"}
_BOUNDARY = {"b": r"(?:(?<={0})(?!{0})|(?<!{0})(?={0}))", "B": r"(?:(?<={0})(?={0})|(?<!{0})(?!{0}))"}


class LooksBack(ValueError):
    """Raised for a lookbehind with a possessive part, which JavaScript would match from its end."""


@dataclass(frozen=True, slots=True)
class PatternSource:
    """The source of a JavaScript regular expression. ``fold``: it needs the flag ``i``; ``groups`` is the number of its capturing
    groups.
    """

    source: str
    fold: bool
    groups: int

    def literal(self, flags: str = "y") -> str:
        """Return the regular expression as a literal in source code.

        >>> pattern("a++b").literal(), pattern("(?i:[a-z]++)").literal()
        ('/(?=(a+))\\\\1b/y', '/(?:[a-z]+)/iy')
        """
        return f"/{self.source or '(?:)'}/{'i' if self.fold else ''}{flags}"


def pattern(regex: str, multiline: bool = False, after: int = 0) -> PatternSource:
    """Return a JavaScript regular expression that matches texts of Latin-1 where Python's matches; ``after`` is the number of
    groups before it.

    Raises `LooksBack` for a lookbehind with a possessive part.

    >>> pattern(r"(?:[^|]++|\\|(?!x*+y))++").source
    '(?:(?=((?:[^|]+|\\\\|(?!(?=(x*))\\\\2y)){1,500}))\\\\1)+'
    >>> pattern(r"\\s*+\\]").source, pattern(r"a$").source, pattern("^a", multiline=True).source
    ('(?=([\\\\t-\\\\r\\\\x1c- \\\\x85\\\\xa0]*))\\\\1\\\\]', 'a(?=\\\\n?$)', '(?<![^\\\\n])a')
    """
    tree = parsed(regex)
    # JavaScript has the flag `i` for whole expressions only: elsewhere classes get both cases.
    fold = _any_fold(tree) and _closed(tree, False)
    made = _Maker(regex, multiline, fold, after)
    # The separator stays only before a digit, which would otherwise belong to the number of the reference.
    source = re.sub(r"(\\\d+)\(\?:\)(?!\d)", r"\1", made.choice(tree, _Flags(), True))
    return PatternSource(source, fold, made.groups - after)


@dataclass(frozen=True, slots=True)
class _Flags:
    """The flags that are set inside a group."""

    fold: bool = False
    dot_all: bool = False
    multiline: bool = False

    def and_(self, opening: str) -> _Flags:
        """Return these flags with those of an inner group, given its opening, such as ``(?i:``."""
        letters = opening[2:-1] if re.fullmatch(r"\(\?[aimsux]+:", opening) else ""
        return _Flags(self.fold or "i" in letters, self.dot_all or "s" in letters, self.multiline or "m" in letters)

    @property
    def python(self) -> int:
        return (re.IGNORECASE if self.fold else 0) | (re.DOTALL if self.dot_all else 0)


class _Maker:
    """Translates one regular expression. ``fold``: the whole expression has JavaScript's flag ``i``; ``groups`` is the number of
    capturing groups so far.
    """

    def __init__(self, regex: str, multiline: bool, fold: bool, groups: int) -> None:
        self.regex = regex
        self.multiline = multiline
        self.fold = fold
        self.groups = groups

    def choice(self, tree: Tree[Token], flags: _Flags, last: bool) -> str:
        """Return the source for the alternatives of a group; ``last``: nothing that could fail follows."""
        sequences = [child for child in tree.children if isinstance(child, Tree)]
        return "|".join(self.sequence(sequence.children, flags, last) for sequence in sequences)

    def sequence(self, pieces: Sequence[Token | Tree[Token]], flags: _Flags, last: bool) -> str:
        """Return the source for a sequence of atoms."""
        trees = [piece for piece in pieces if isinstance(piece, Tree)]
        return "".join(self.piece(piece, flags, last and index == len(trees) - 1) for index, piece in enumerate(trees))

    def piece(self, piece: Tree[Token], flags: _Flags, last: bool) -> str:
        """Return the source for an atom with its quantifier."""
        atom = piece.children[0]
        if piece.data != "many":
            return self.atom(atom, flags, last)
        quantifier = str(piece.children[1])
        least, most = count(quantifier)
        kept = len(quantifier) > 1 and quantifier[-1] == "+"
        times = quantifier[:-1] if kept else quantifier
        # `{,3}` is no quantifier in JavaScript.
        times = f"{{0,{times[2:]}" if times.startswith("{,") else times
        # Where nothing that could fail follows, a plain repetition matches the same text. In a repetition that needs two rounds or
        # more, a later round can fail, so that the item itself must stay possessive.
        open_ended = last and least <= 1
        if not kept or last or (least == most and _single(atom)):
            return self.rounds(atom, flags, times, open_ended)
        self.groups += 1
        number = self.groups
        # JavaScript does not backtrack into a lookahead; the reference then matches the text of its group.
        return f"(?=({self.rounds(atom, flags, times, least <= 1)}))\\{number}{self.apart}"

    def rounds(self, atom: Token | Tree[Token], flags: _Flags, times: str, last: bool) -> str:
        """Return the source for an atom with a quantifier. JavaScript keeps a state for each repetition of a group and may run
        out of memory: a lookahead makes it discard these states after `_FORGOTTEN` repetitions.
        """
        if times not in ("*", "+") or _single(atom):
            return self.grouped(atom, flags, last) + times
        self.groups += 1
        number = self.groups
        return f"(?:(?=({self.grouped(atom, flags, True)}{{1,{_FORGOTTEN}}}))\\{number}){times}"

    apart = "(?:)"
    """Separates a numbered reference from a digit that follows it; removed where none does."""

    def grouped(self, atom: Token | Tree[Token], flags: _Flags, last: bool) -> str:
        """Return the source for an atom such that a quantifier may follow."""
        text = self.atom(atom, flags, last)
        bare = not isinstance(atom, Tree) or (text.startswith("(?") and _one_group(text))
        return text if bare and not text.endswith(self.apart) else f"(?:{text})"

    def atom(self, atom: Token | Tree[Token], flags: _Flags, last: bool) -> str:
        """Return the source for a character, a class, an anchor or a group."""
        if isinstance(atom, Tree):
            return self.group(atom, flags, last)
        text = str(atom)
        return self.place(text, flags) if atom.type == "LOOK" else self.character(text, flags)

    def group(self, tree: Tree[Token], flags: _Flags, last: bool) -> str:
        """Return the source for a group."""
        opening = str(tree.children[0])
        inner = flags.and_(opening)
        if opening == "(?>":
            if last:
                return f"(?:{self.choice(tree, inner, True)})"
            self.groups += 1
            number = self.groups
            return f"(?=({self.choice(tree, inner, True)}))\\{number}{self.apart}"
        if opening in ("(?=", "(?!"):
            return f"{opening}{self.choice(tree, inner, True)})"
        if opening in ("(?<=", "(?<!"):
            # JavaScript matches a lookbehind from its end: a reference would be matched before the group to which it refers.
            before = self.groups
            text = self.choice(tree, inner, False)
            if self.groups != before:
                raise LooksBack(self.regex)
            return f"{opening}{text})"
        return f"(?:{self.choice(tree, inner, last)})"

    def place(self, text: str, flags: _Flags) -> str:
        """Return the source for an anchor: the start or end of the text or of a line, or a word boundary."""
        many = self.multiline or flags.multiline
        match text:
            case "^":
                return r"(?<![^\n])" if many else "^"
            case "$":
                # `$` of Python also matches in front of a last line end.
                return r"(?![^\n])" if many else r"(?=\n?$)"
            case r"\A":
                return "^"
            case r"\Z":
                return "$"
        # Python's words have the letters of Latin-1, JavaScript's those of ASCII.
        return _BOUNDARY[text[1]].replace("{0}", self.character(r"\w", _Flags()))

    def character(self, text: str, flags: _Flags) -> str:
        """Return the source for a character or a class; unchanged where JavaScript reads it in the same way."""
        same = (_SAME_CLASS if text.startswith("[") else _SAME).fullmatch(text)
        # `\s` and `\w` include other characters in each language.
        if same and r"\s" not in text and r"\w" not in text and (not flags.fold or self.fold or _cased_alike(text)):
            return text.replace("/", r"\/") if text == "/" else text
        return _class(_members(text, flags.python))


def _one_group(text: str) -> bool:
    """Whether the source of a regular expression is exactly one group."""
    depth, at = 0, 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "[":
            at = _class_end(text, at)
        elif text[at] in "()":
            depth += 1 if text[at] == "(" else -1
            if depth == 0 and at < len(text) - 1:
                return False
        at += 1
    return True


def _class_end(text: str, at: int) -> int:
    at += 1
    while text[at] != "]":
        at += 2 if text[at] == "\\" else 1
    return at


def _single(atom: Token | Tree[Token]) -> bool:
    return not isinstance(atom, Tree)


@cache
def _members(text: str, flags: int) -> frozenset[int]:
    """Return the characters of Latin-1 that a character, an escape or a class matches."""
    one = re.compile(text, flags)
    # Texts are decoded as Latin-1, so that 256 characters are all there are.
    return frozenset(code for code in range(256) if one.fullmatch(chr(code)))


def _cased_alike(text: str) -> bool:
    return _members(text, 0) == _members(text, re.IGNORECASE)


def _any_fold(tree: Tree[Token]) -> bool:
    return any(_Flags().and_(str(group.children[0])).fold for group in tree.find_data("group"))


def _closed(tree: Tree[Token], fold: bool) -> bool:
    """Whether the flag ``i`` for the whole expression changes nothing outside of groups that have it."""
    for child in tree.children:
        if isinstance(child, Tree):
            inner = fold or (child.data == "group" and _Flags().and_(str(child.children[0])).fold)
            if not _closed(child, inner):
                return False
        elif child.type in ("TEXT", "CLASS") and not fold and not _cased_alike(str(child)):
            return False
    return True


def _class(codes: frozenset[int]) -> str:
    """Return the source of a class with these characters, negated where that is shorter."""
    return min(f"[{_ranges(codes)}]", f"[^{_ranges(frozenset(range(256)) - codes)}]", key=len)


def _ranges(codes: frozenset[int]) -> str:
    out, last = "", sorted(codes)
    at = 0
    while at < len(last):
        stop = at
        while stop + 1 < len(last) and last[stop + 1] == last[stop] + 1:
            stop += 1
        first, final = _shown(last[at]), _shown(last[stop])
        out += first if stop == at else first + final if stop == at + 1 else f"{first}-{final}"
        at = stop + 1
    return out


def _shown(code: int) -> str:
    character = chr(code)
    if character in _FORBIDDEN:
        return _FORBIDDEN[character]
    if character in "\\]^-/[":
        return f"\\{character}"
    return character if 32 <= code < 127 else f"\\x{code:02x}"
