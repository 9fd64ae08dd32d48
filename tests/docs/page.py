"""A page as tests read it: well-formed or an error, with its links, anchors and text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
_SCRIPT = re.compile(r"<script\b.*?</script>", re.S)


class Page(HTMLParser):
    """Parses a page; ``problems`` are tags that do not nest and attributes that occur twice."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.problems: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(_SCRIPT.sub(lambda match: re.sub(r">.*</script>", "></script>", match[0], flags=re.S), text))
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self.open]

    @property
    def text(self) -> str:
        """The visible text."""
        return " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        self.problems += [f"{name} twice on <{tag}>" for name in {n for n in names if names.count(n) > 1}]
        values = dict(attrs)
        self.tags.append((tag, values))
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "a" and values.get("href") is not None:
            self.links.append(str(values["href"]))
        for name in ("src", "data", "poster", "srcset"):
            if values.get(name):
                self.sources.append(str(values[name]))
        if tag == "link" and values.get("href"):
            self.sources.append(str(values["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> closes <{self.open[-1] if self.open else 'nothing'}> at {self.getpos()}")
            if tag in self.open:
                while self.open and self.open.pop() != tag:
                    pass
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)
