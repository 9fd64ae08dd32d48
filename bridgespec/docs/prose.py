"""Prose, code and names as safe HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from pygments import highlight as paint
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers.data import YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.shell import BashSessionLexer
from pygments.token import Comment, Keyword, Name, Operator, String, Text

from bridgespec.model.cards import Suit

__all__ = ["Markup", "code", "escape", "highlight", "joined", "plain", "prose", "slug", "suits"]


class _GrammarLexer(RegexLexer):  # type: ignore[misc]
    """Lark grammars, as far as colours go."""

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
}


def highlight(text: str, language: str) -> Markup:
    """Source text as a coloured block; a language without colours comes out plain.

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
    made = MarkdownIt("commonmark", {"html": False, "highlight": _fence}).enable("table")
    made.add_render_rule("code_inline", lambda _, tokens, at, *__: str(code(tokens[at].content)))
    return made


def _fence(text: str, language: str, _attributes: str) -> str:
    return str(highlight(text, language))


def prose(text: str) -> Markup:
    """Markdown as HTML; HTML inside is text, and comments are nothing.

    >>> prose("a `b` <i>")
    Markup('<p>a <code>b</code> &lt;i&gt;</p>\\n')
    """
    return Markup(_markdown().render(_COMMENT.sub("", text).strip()))


def plain(text: str) -> str:
    """Text on one line."""
    return " ".join(text.split())


def code(text: object) -> Markup:
    """Return code inside a sentence; no line ends after a hyphen in a short word of it, as it would by itself.

    >>> code("a --b")
    Markup('<code>a <span>--b</span></code>')
    """
    words = (
        Markup("<span>{}</span>" if "-" in word and len(word) <= _SHORT else "{}").format(word) for word in str(text).split(" ")
    )
    return Markup("<code>{}</code>").format(Markup(" ").join(words))


def joined(parts: list[Markup] | list[str], between: str = ", ") -> Markup:
    """Pieces with something between them."""
    return Markup(between).join(parts)


def slug(text: str) -> str:
    """A name as a fragment of an address.

    >>> slug("bridge::numbered_hands")
    'bridge-numbered_hands'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-")


def suits(text: str) -> Markup:
    """Text in which each suit sign has its colour.

    >>> suits("4♥")
    Markup('4<span class="suit h">♥</span>')
    """
    safe = str(escape(text))
    for suit in Suit:
        safe = safe.replace(suit.symbol, f'<span class="suit {suit.letter.lower()}">{suit.symbol}</span>')
    return Markup(safe)
