"""The search index of the site: an entry for each page, field, rule and name, in a script that pages load when a search begins."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class SearchEntry:
    """An entry of the search index: its kind, title, address from the site's root, and the words by which it is found."""

    kind: str
    title: str
    url: str
    words: str = ""


def script(entries: Iterable[SearchEntry]) -> str:
    """Return the index as a script that sets ``BRIDGESPEC_INDEX``."""
    rows = [[entry.kind, entry.title, entry.url, " ".join(entry.words.split())] for entry in entries]
    # A line for each entry, so that two versions of a site can be compared line by line.
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    # A script and not JSON: pages opened from the disk may load scripts, but not use `fetch`.
    return f"window.BRIDGESPEC_INDEX = [\n{lines}\n];\n"
