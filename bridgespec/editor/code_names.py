"""Codes of findings that schemas name: `known_codes` lists them for completion, `code_findings` finds misspelled ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from bridgespec.diagnostic import Diagnostic, Guess, Severity, closest, define
from bridgespec.docs.codes import code_pages
from bridgespec.editor.draft_yaml import root_shapes, spots, tolerant
from bridgespec.errors import BridgespecError
from bridgespec.sources import is_source, read_source
from bridgespec.spec.catalog import LANGUAGES, builtin_folder
from bridgespec.spec.place import schema_text

CODE = define(
    "schema-code",
    Severity.WARNING,
    """The code of a finding is malformed, or nearly a known one.

    A schema may name findings of its own. A code whose spelling is nearly that of a finding of the package, or of another schema,
    is probably meant to be that one. Codes are words in small letters, joined by hyphens.
    """,
)
_FORM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
# A `code: NAME` in a schema of either language.
_DECLARED = re.compile(rf"""(?<![\w-])(?:-bridge-)?code:[ ]+["']?({_FORM.pattern})(?![\w-])""")
_NEAR = 0.87
"""The least similarity (0 to 1) of a misspelled code to the one that is meant. No two codes of the package are as similar."""
_MOST_FILES = 200
"""The maximum number of schemas of one folder whose codes are searched."""
_ROOT = root_shapes("ksy", "schema")


def declared_codes(text: str) -> Iterator[str]:
    """Yield the codes that the text of a schema declares. The text is searched, not loaded: loading all formats takes seconds."""
    yield from (match[1] for match in _DECLARED.finditer(text))


@lru_cache(maxsize=1024)
def _codes_in_file(path: Path, _changed: int) -> frozenset[str]:
    """Return the codes that a schema file declares; none if it cannot be read. ``_changed`` is a key of the cache only."""
    try:
        return frozenset(declared_codes(read_source(path).decode("utf-8", "replace")))
    except (OSError, BridgespecError):
        return frozenset()


def known_codes(path: Path, folders: Iterable[Path]) -> dict[str, str]:
    """Return the codes that a schema at ``path`` may name, each with Markdown about it: those of the package, and those that the
    other schemas beside it, in ``folders`` and of the package declare.
    """
    found = {name: f"**{name}** · {page.severity}\n\n{page.text}" for name, page in code_pages(()).items()}
    owners: dict[str, list[str]] = {}
    for folder in dict.fromkeys([path.parent, *folders, builtin_folder()]):
        files = (one for one in sorted(folder.glob("*")) if one.suffix in LANGUAGES and one.name != path.name and is_source(one))
        # Completion must answer while somebody types, whatever the size of the folder.
        for one in islice(files, _MOST_FILES):
            # The time of the last change is part of the key of the cache, so that a saved file is read again.
            for name in _codes_in_file(one, one.stat().st_mtime_ns):
                owners.setdefault(name, []).append(one.stem)
    for name, of in owners.items():
        found.setdefault(name, f"**{name}** · a finding of {', '.join(sorted(of))}")
    return dict(sorted(found.items()))


def code_findings(path: Path, folders: Iterable[Path], text: str | None) -> Iterator[Diagnostic]:
    """Yield a finding for each code of a ``.ksy`` schema that is malformed or nearly a known one.

    ``text`` is that of the file where it is not saved yet.
    """
    text = schema_text(path) if text is None else text
    known: dict[str, str] = {}
    for spot in spots("ksy", tolerant(text, str(path)), _ROOT):
        if spot.is_key or "finding" not in spot.formats or spot.scalar.kind == "null":
            continue
        known = known or known_codes(path, folders)
        code, place = spot.scalar.text, spot.scalar.place
        if code in known:
            continue
        meant = closest(code.lower().replace("_", "-"), known, _NEAR)
        right = "-".join(re.findall(r"[a-z0-9]+", code.lower()))
        help_ = Guess(code, meant or right) if meant or _FORM.fullmatch(right) else None
        if not _FORM.fullmatch(code):
            message = f"{code!r} is no code: words in small letters, joined by hyphens"
        elif meant:
            message = f"{code!r} is no known finding, but nearly one"
        else:
            continue
        yield Diagnostic(CODE.name, CODE.severity, message, str(path), span=place.span, help=help_)
