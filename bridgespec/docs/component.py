"""The component that draws boards on pages of the site: its script (`script`), and the data of the boards (`data`)."""

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
    """Return a script that sets ``bridgespecBoards`` to an object with ``renderBoard``, ``openFile``, the texts, and the style.

    It is a classic script and no module, since pages opened from the disk cannot load modules. The style is for a shadow root, to
    which that of the site does not apply; colours are those of the site.
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
    # The component shows neither tags nor extras.
    kept = [{name: value for name, value in board.items() if name not in ("tags", "extras")} for board in boards]
    # A name may contain "</script>", which would end the element; the escape is the same character in JSON.
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
