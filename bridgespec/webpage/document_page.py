"""Documents as a page: boards, texts, style and scripts in one HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import PurePath
from string import Template

from bridgespec.errors import UsageError
from bridgespec.export.json import load, tree
from bridgespec.model.document import Document
from bridgespec.webpage.page_texts import PageTexts, texts
from bridgespec.webpage.scripts import STATIC, bundle

MOST_BOARDS = 1000
"""The maximum number of boards of a page: with plays, auctions and names some 1.2 MB, which a phone opens at once."""


SuitPlays = Mapping[str, Sequence[Sequence[Mapping[str, object]]]]
"""The best play of suits, as JSON, by the 52 holders of a deal as digits: for each side its suits with holdings, lines, chances and
a drawing (SVG).
"""


def page(
    documents: Sequence[Document],
    title: str,
    version: str,
    words: PageTexts | None = None,
    paper: str = "",
    readers: str = "",
    suits: SuitPlays | None = None,
) -> str:
    """Return the page of some documents as HTML; the same documents give the same page.

    ``words`` are the texts of the page, by default the English ones. ``paper`` is the size of printed sheets (a CSS page size such
    as ``A4``), by default that of the printer. ``readers`` is a script that sets ``bridgespecReaders``, by which the page opens
    further files of its user. UsageError for more boards than `MOST_BOARDS`.

    >>> from bridgespec.model.board import Board
    >>> "<script>alert" in page([Document((Board(number=1, event="<script>alert(1)</script>"),))], "<Boards>", "1")
    False
    """
    count = sum(len(document.boards) for document in documents)
    if count > MOST_BOARDS:
        raise UsageError(f"{count:,} boards are too many for a page, which holds {MOST_BOARDS:,}")
    used = texts() if words is None else words
    sizing = f"@page {{ size: {paper}; }}\n" if paper else ""
    style = (STATIC / "page.css").read_text("utf-8") + sizing
    script = _inline(readers + bundle(STATIC / "main.js"))
    # Not `str.format`, to which the braces of styles and scripts would be fields.
    return Template((STATIC / "page.html").read_text("utf-8")).substitute(
        language=escape(str(used["language"])),
        title=escape(title),
        version=escape(version),
        noscript=escape(str(used["needsScript"])),
        style=style,
        style_hash=digest(style),
        boards=_json({"title": title, "documents": [_plain(document) for document in documents], "suits": suits or {}}),
        texts=_json(used),
        script=script,
        script_hash=digest(script),
    )


def demo_page(version: str, readers: str = "") -> str:
    """Return a page of sixteen boards for demonstration.

    >>> "A match of two rooms" in demo_page("1")
    True
    """
    return page([load((STATIC / "demo.json").read_bytes())], "Sixteen boards", version, readers=readers)


def title_of(documents: Sequence[Document], names: Sequence[str]) -> str:
    """Return the event that every board names, else the first file's name without folder and extension, else ``Boards``."""
    events = {board.event or document.event for document in documents for board in document.boards}
    (event,) = events if len(events) == 1 else (None,)
    return event or (PurePath(names[0]).stem if names else "") or "Boards"


def _plain(document: Document) -> dict[str, object]:
    """Return the published JSON of a document without the parts that no page shows, such as a bidding system."""
    whole = tree(document)
    return {key: value for key, value in whole.items() if key not in {"extras", "system", "tags"}}


def _inline(script: str) -> str:
    """Return a script escaped for a page: texts of schemas in it can neither end the element nor begin a comment.

    >>> _inline('say("</Script><!--")')
    'say("\\\\x3c/Script>\\\\x3c!--")'
    """
    return re.sub(r"<(?=/script|!--|script)", r"\\x3c", script, flags=re.IGNORECASE)


def _json(value: object) -> str:
    """Return JSON escaped for a script element: nothing in it can end the element or begin a comment.

    >>> _json(["</script><!--"])
    '["\\\\u003c/script>\\\\u003c!--"]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair cannot be written as UTF-8; JSON can spell it.
        text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def digest(text: str) -> str:
    """Return the hash by which a content security policy allows a script or style with this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
