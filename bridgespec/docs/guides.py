"""Pages written by hand: the tutorial beside this module and the guides in ``docs/``.

A page is a Markdown file. `guides` and `tutorial` find the files, `WrittenPage.html` converts one to HTML. Links between pages of
the site are kept; links to files of the repository become text, since a site is read without the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from bridgespec.docs.prose import Markup, plain, prose, slug

HERE = Path(__file__).parent
TUTORIAL = HERE / "tutorial"
GUIDES = (HERE / "data" / "guides", HERE.parent.parent / "docs")
"""The folders that may have the guides: that of an installed package, and that of the repository."""
_PICTURES = (".svg", ".png")


@dataclass(frozen=True)
class WrittenPage:
    """A Markdown file as a page of the site: its address from the site's root, and its text. Made by `guides` and `tutorial`, once
    for each process.
    """

    path: str
    text: str

    @property
    def title(self) -> str:
        """The text of the first heading."""
        return self.text.partition("\n")[0].lstrip("# ")

    @property
    def summary(self) -> str:
        """The first sentence below the heading."""
        return plain(self.text.split("\n\n")[1]).split(". ")[0].rstrip(":.") + "."

    @property
    def html(self) -> Markup:
        """The body of the page as HTML: headings have anchors, and links that leave the site become text."""
        return prose(self.text, self._address)

    def _address(self, link: str) -> str | None:
        """Return the address in the site for a link of the file; None if the site has no such page."""
        name, mark, anchor = link.partition("#")
        # Addresses with a scheme, and anchors on the same page, are kept.
        if re.match(r"[a-z]+:", link) or not name:
            return link
        if name.endswith(".md") and "/" not in name:
            name = f"{name[:-3]}.html"
        return name + mark + anchor if (name.endswith(".html") or name.endswith(_PICTURES)) and ".." not in name else None

    def parts(self) -> Iterator[tuple[str, str, str]]:
        """Yield anchor, title and text of each section, for the search index."""
        # Without the text before the first section, which has an entry with the title of the page.
        for section in re.split(r"^## ", self.text, flags=re.MULTILINE)[1:]:
            title, _, text = section.partition("\n")
            yield slug(title).lower(), title, text


def _guides_folder() -> Path | None:
    """Return the folder with the guides; None where neither of `GUIDES` exists."""
    return next((folder for folder in GUIDES if folder.is_dir()), None)


@cache
def guides() -> list[WrittenPage]:
    """Return the guides in the order of their file names, without those beside a JSON file, from which the site makes a page."""
    folder = _guides_folder()
    files = sorted(folder.glob("*.md")) if folder else []
    return [
        WrittenPage(f"guides/{path.stem}.html", path.read_text("utf-8")) for path in files if not path.with_suffix(".json").exists()
    ]


def pictures() -> Iterator[tuple[str, bytes]]:
    """Yield the pictures that guides show: the address from the site's root, and the content."""
    folder = _guides_folder()
    for path in sorted(folder.rglob("*")) if folder else []:
        if path.suffix in _PICTURES:
            yield str(PurePosixPath("guides", *path.relative_to(folder or path).parts)), path.read_bytes()


@cache
def tutorial() -> list[WrittenPage]:
    """Return the introduction of the tutorial, then its chapters in the order of their file names."""
    opening = WrittenPage("tutorial.html", (TUTORIAL / "index.md").read_text("utf-8"))
    files = sorted(TUTORIAL.glob("[0-9]*.md"))
    return [opening, *(WrittenPage(f"tutorial/{path.stem.partition('-')[2]}.html", path.read_text("utf-8")) for path in files)]
