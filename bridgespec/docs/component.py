"""The component that draws boards on pages of the site: a script for pages opened from the disk, and the data of boards."""

from __future__ import annotations

import json
import re

from bridgespec.export.json import tree
from bridgespec.model.document import Document
from bridgespec.webpage import demo_page
from bridgespec.webpage.page_texts import texts
from bridgespec.webpage.scripts import STATIC, bundle

__all__ = ["DEMO", "data", "demo_page", "script"]

DEMO = "boards.html"
"""The page of sixteen boards in the site, for trying the component."""
_ROOT = re.compile(r"^ *:root \{[^}]*\}\n", re.MULTILINE)
_SCHEME = re.compile(r"^@media \(prefers-color-scheme: dark\) \{\n(?:  [^\n]*\n)*\}\n", re.MULTILINE)


def script() -> str:
    """Return a classic script that sets ``bridgespecBoards``: ``renderBoard``, ``openFile``, the texts, and the style.

    The style is inside a shadow root, to which the site's own does not apply; colours are those of the site.
    """
    modules = bundle(STATIC / "embed.js")
    last = re.findall(r"^const (module\d+) = ", modules, re.MULTILINE)[-1]
    style = _SCHEME.sub("", _ROOT.sub("", (STATIC / "page.css").read_text("utf-8")))
    # A shadow root has no body; its host is the element that carries it.
    style = style.replace("\nbody {", "\n:host {").replace("  body {", "  :host {")
    given = f"{{ ...{last}, style: {json.dumps(style)}, texts: {json.dumps(texts(), ensure_ascii=False)} }}"
    return f"(() => {{\n{modules}\nglobalThis.bridgespecBoards = {given};\n}})();\n"


def data(document: Document) -> str:
    """Return the boards of a document as JSON for a script element; empty where none can be drawn."""
    boards = tree(document).get("boards", [])
    if not any("deal" in board or "auction" in board for board in boards):
        return ""
    # The component does not draw them.
    kept = [{name: value for name, value in board.items() if name not in ("tags", "extras")} for board in boards]
    # The text of a name could contain "</script>", which would end the element; JSON reads the escape as the sign.
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
