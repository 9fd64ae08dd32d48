"""a text says what is shown anyway

The lengths of a suit bid and the disposition are shown by themselves, before the text. A text with `4+!d` after the lengths 4+ in
diamonds, or `Transfer` after that disposition, shows it twice, and long texts cover the auction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from bridgespec.diagnostic import Severity, define
from bridgespec.model.cards import Strain
from bridgespec.model.convention_card import ANY_LENGTH, Meaning
from bridgespec.rules._base import Finding, Repair
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import meanings, named, texts

CODE = define("repeated-display", Severity.NOTE, __doc__)
NEEDS = frozenset({"system"})
_BETWEEN = re.compile(r"([/|;,]|\\n|\\\\)")


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each bidding record whose text repeats its lengths or its disposition."""
    written = texts(facts)
    for index, meaning in meanings(facts):
        shown = _shown(meaning) if meaning.text else ()
        # A fast test first, since splitting the text of every record of a large system takes far longer.
        if not shown or not any(map(meaning.text.lower().__contains__, shown)):
            continue
        pieces = _pieces(meaning.text)
        repeated = [i for i in range(0, len(pieces), 2) if pieces[i].strip().lower().rstrip(".") in shown]
        if repeated:
            rest = sorted(set(range(0, len(pieces), 2)) - set(repeated))
            text = "".join(pieces[i] + (pieces[i + 1] if n + 1 < len(rest) else "") for n, i in enumerate(rest))
            words = " and ".join(f'"{pieces[i].strip()}"' for i in repeated)
            fix = Repair("leave out what is shown anyway", ("system", index), replace(meaning, text=text.strip()))
            message = f"{named(meaning, written[index])}: the text repeats {words}, which is shown anyway"
            yield Finding.of(CODE, message, None, ("system", index, "text"), ("system", index), fix=fix)


def _pieces(text: str) -> list[str]:
    """Return the items of a text, without blanks around them, and at odd indexes the separators between them with these blanks."""
    # The pattern has a group, so `split` returns the separators too, at odd indexes.
    parts = _BETWEEN.split(text)
    for i in range(1, len(parts), 2):
        before, after = parts[i - 1].rstrip(), parts[i + 1].lstrip()
        parts[i] = parts[i - 1][len(before) :] + parts[i] + parts[i + 1][: len(parts[i + 1]) - len(after)]
        parts[i - 1], parts[i + 1] = before, after
    return parts


def _shown(meaning: Meaning) -> tuple[str, ...]:
    """Return the texts, in lower case, that repeat what programs show of a bidding record beside its text."""
    disposition = (meaning.disposition.label.lower(),) if meaning.disposition else ()
    if meaning.lengths is None or meaning.lengths == (0, ANY_LENGTH):
        return disposition
    last = meaning.last
    return disposition if last is None or not last.is_bid else disposition + _lengths(*meaning.lengths, int(last.strain))


@lru_cache(maxsize=1024)
def _lengths(low: int, high: int, strain: int) -> tuple[str, ...]:
    """Return the spellings of lengths in a suit: ``4+!d``, ``4+ !d``, ``4+ diamonds``, ``4+ diamond``."""
    number = f"{low}+" if high == ANY_LENGTH else f"{low}-{high}" if low < high else f"{low}"
    name = Strain(strain).name.lower()
    return f"{number}!{name[0]}", f"{number} !{name[0]}", f"{number} {name}", f"{number} {name[:-1]}"
