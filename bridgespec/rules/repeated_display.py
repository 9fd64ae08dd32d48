"""a text says what is shown anyway

The lengths of a suit bid and the disposition are shown by themselves, before the text. A text that says `4+!d` after
the lengths 4+ in diamonds, or `Transfer` after that disposition, shows it twice, and long texts cover the auction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bridgespec.diagnostic import Severity, define
from bridgespec.model.document import Document
from bridgespec.model.system import ANY_LENGTH, Meaning
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._system import meanings, named

CODE = define("repeated-display", Severity.NOTE, __doc__)


def check(document: Document) -> Iterable[Finding]:
    """One finding for each record, at its text."""
    for index, meaning in meanings(document):
        if not meaning.text or not (meaning.disposition or meaning.lengths):
            continue
        pieces = re.split(r"(\s*(?:[/|;,]|\\n|\\\\)\s*)", meaning.text)
        repeated = [i for i in range(0, len(pieces), 2) if _shown(meaning, pieces[i].strip())]
        if repeated:
            rest = [i for i in range(0, len(pieces), 2) if i not in repeated]
            text = "".join(pieces[i] + (pieces[i + 1] if n + 1 < len(rest) else "") for n, i in enumerate(rest))
            words = " and ".join(f'"{pieces[i].strip()}"' for i in repeated)
            fix = Repair("leave out what is shown anyway", ("system", index), replace(meaning, text=text.strip()))
            message = f"{named(meaning)}: the text repeats {words}, which is shown anyway"
            yield Finding.of(CODE, message, None, ("system", index, "text"), ("system", index), fix=fix)


def _shown(meaning: Meaning, piece: str) -> bool:
    word = piece.lower().rstrip(".")
    if meaning.disposition and word == meaning.disposition.label.lower():
        return True
    last = meaning.last
    if meaning.lengths is None or last is None or not last.is_bid or meaning.lengths == (0, ANY_LENGTH):
        return False
    low, high = meaning.lengths
    number = f"{low}+" if high == ANY_LENGTH else f"{low}-{high}" if low < high else f"{low}"
    name = last.strain.name.lower()
    return word in {f"{number}!{name[0]}", f"{number} !{name[0]}", f"{number} {name}", f"{number} {name[:-1]}"}
