"""Convert Markdown (`prose`), docstrings, code and names to escaped HTML."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight as paint
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers.data import YamlLexer
from pygments.lexers.python import PythonConsoleLexer, PythonLexer
from pygments.lexers.shell import BashSessionLexer
from pygments.token import Comment, Keyword, Name, Operator, String, Text

from bridgespec.model.cards import Suit

__all__ = ["Markup", "code", "docstring", "escape", "highlight", "joined", "plain", "prose", "slug", "suits"]


class _GrammarLexer(RegexLexer):  # type: ignore[misc]
    """A lexer for Lark grammars, for syntax highlighting."""

    name = "Lark"
    tokens = {  # noqa: RUF012
        "root": [
            (r"//-[^\n]*", Comment.Special),
            (r"//[^\n]*", Comment.Single),
            (r"%\w+", Keyword),
            (r"^[!?]?[_a-zA-Z][\w]*(?=(\.\d+)?\s*:)", Name.Function),
            (r"->\s*\w+", Name.Label),
            (r'"(?:\\.|[^"\\\n])*"i?', String),
            (r"/(?:\\.|[^/\\\n])+/[a-z]*", String.Regex),
            (r"[:|()\[\]?*+~.,]", Operator),
            (r"[A-Za-z_]\w*", Name),
            (r"[^\S]+|.", Text),
        ]
    }


_LEXERS: Mapping[str, type[RegexLexer]] = {
    "ksy": YamlLexer,
    "yaml": YamlLexer,
    "lark": _GrammarLexer,
    "sh": BashSessionLexer,
    "console": BashSessionLexer,
    "shell": BashSessionLexer,
    "python": PythonLexer,
    "pycon": PythonConsoleLexer,
}


def highlight(text: str, language: str) -> Markup:
    """Return source text as an HTML block with syntax highlighting; without it for a language that has no lexer here.

    >>> highlight("<a>", "none")
    Markup('<pre class="code" tabindex="0"><code>&lt;a&gt;</code></pre>')
    """
    lexer = _LEXERS.get(language)
    if lexer is None:
        return Markup('<pre class="code" tabindex="0"><code>{}</code></pre>').format(text)
    inner = paint(text, lexer(), HtmlFormatter(nowrap=True))
    return Markup('<pre class="code" tabindex="0"><code>') + Markup(inner) + Markup("</code></pre>")


_SHORT = 32
_COMMENT = re.compile(r"<!--.*?-->[ \t]*\n?", re.DOTALL)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    """Return the Markdown parser; cached."""
    made = MarkdownIt("commonmark", {"html": False, "highlight": _fence}).enable("table")
    made.add_render_rule("code_inline", lambda _, tokens, at, *__: str(code(tokens[at].content)))
    # A table scrolls in a frame of its own, so that it does not widen the page on a phone.
    frame = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
    made.add_render_rule("table_open", lambda *_: frame)
    made.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return made


def _fence(text: str, language: str, _attributes: str) -> str:
    return str(highlight(text, "pycon" if language == "python" and text.startswith(">>>") else language))


def prose(text: str, address: Callable[[str], str | None] | None = None) -> Markup:
    """Return Markdown as HTML; HTML inside is escaped, and comments are dropped.

    With ``address``, the text is that of a page: headings get anchors, and ``address`` returns the new address of a link or
    picture. Where it returns None, a link becomes its text, and a picture is dropped.

    >>> prose("a `b` <i>")
    Markup('<p>a <code>b</code> &lt;i&gt;</p>\\n')
    >>> prose("# One suit\\n[a](b.md) [c](d)", {"b.md": "b.html"}.get)
    Markup('<h1 id="one-suit">One suit</h1>\\n<p><a href="b.html">a</a> c</p>\\n')
    """
    markdown, text = _markdown(), _COMMENT.sub("", text).strip()
    if address is None:
        return Markup(markdown.render(text))
    tokens = markdown.parse(text)
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", slug(content.content).lower())
    for token in tokens:
        # A column's alignment comes as a style attribute, which the policy of the pages forbids.
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "right")
        if token.children:
            token.children = list(_linked(token.children, address))
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))


def _linked(tokens: Sequence[Token], address: Callable[[str], str | None]) -> Iterator[Token]:
    """Yield the tokens of a paragraph with the addresses of links and pictures replaced; links without an address become text."""
    dropped = False
    for token in tokens:
        name = {"link_open": "href", "image": "src"}.get(token.type)
        if name is not None:
            found = address(str(token.attrGet(name)))
            if token.type == "link_open":
                dropped = found is None
            if found is None:
                continue
            token.attrSet(name, found)
        if token.type == "link_close" and dropped:
            dropped = False
            continue
        yield token


_SPHINX = re.compile(r"``([^`]+)``|`([^`]+)`")


def docstring(text: str) -> Markup:
    """Return a docstring as HTML: names in back quotes are code, examples are highlighted.

    >>> docstring("Return ``a``.\\n\\n>>> 1\\n1")
    Markup('<p>Return <code>a</code>.</p>\\n<pre class="code" tabindex="0"><code><span class="gp">&gt;&gt;&gt; </span>...
    """
    made = Markup()
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if part.lstrip().startswith(">>>"):
            made += highlight(part + "\n", "pycon")
        elif part:
            made += prose(_SPHINX.sub(lambda m: f"`{m[1] or m[2]}`", part))
    return made


def plain(text: str) -> str:
    """Return a text on one line, without line breaks and repeated blanks."""
    return " ".join(text.split())


def code(text: object) -> Markup:
    """Return code in a sentence as HTML in which browsers do not break short words after a hyphen.

    >>> code("a --b")
    Markup('<code>a <span>--b</span></code>')
    """
    return Markup("<code>{}</code>").format(Markup(" ").join(map(_unbroken, str(text).split(" "))))


_PARTS = re.compile(rf"([\w-]{{1,{_SHORT}}})")
"""The parts of a long word that are not broken: at most `_SHORT` letters, digits and hyphens."""


def _unbroken(word: str) -> Markup:
    """Return a word as HTML in which browsers break no line; one longer than `_SHORT` may be broken between parts of `_PARTS`."""
    # `split` with a group keeps the separators. A long word without breaks would widen the page on a phone.
    parts = [word] if len(word) <= _SHORT else _PARTS.split(word)
    return Markup("").join(Markup("<span>{}</span>" if "-" in one and len(one) <= _SHORT else "{}").format(one) for one in parts)


def joined(parts: list[Markup] | list[str], between: str = ", ") -> Markup:
    """Return HTML parts with a separator between them."""
    return Markup(between).join(parts)


def slug(text: str) -> str:
    """Return a name in the form of an HTML anchor.

    >>> slug("bridge::numbered_hands")
    'bridge-numbered_hands'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-")


def suits(text: str) -> Markup:
    """Return a text as HTML in which suit symbols are coloured.

    >>> suits("4♥")
    Markup('4<span class="suit h">♥</span>')
    """
    safe = str(escape(text))
    # After escaping, which keeps suit symbols but would also escape the tags that are added.
    for suit in Suit:
        safe = safe.replace(suit.symbol, f'<span class="suit {suit.letter.lower()}">{suit.symbol}</span>')
    return Markup(safe)
