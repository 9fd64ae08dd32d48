"""a word too long to wrap

Texts are wrapped at blanks. A word of more than some 55 characters runs out of the window on the right, and its end is
never seen. Separate items by a blank, or break the line with two backslashes.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.diagnostic import Severity, define
from bridgespec.model.carding import Carding
from bridgespec.model.convention_card import Header, Meaning
from bridgespec.model.disclosure import plain_text
from bridgespec.rules._base import Finding
from bridgespec.rules._facts import Facts
from bridgespec.rules._system import systems

CODE = define("long-word", Severity.WARNING, __doc__)
NEEDS = frozenset({"system"})
LONGEST = 55
_TEXTS = {Meaning: "text", Carding: "text", Header: "summary"}


def check(facts: Facts) -> Iterable[Finding]:
    """Yield a finding for each text with a word of more than `LONGEST` characters."""
    for system in systems(facts):
        for index, record in enumerate(system.records):
            name = _TEXTS.get(type(record))
            # Most texts are not longer than the longest word allowed, and need no splitting.
            if name is None or len(text := getattr(record, name)) <= LONGEST:
                continue
            longest = max(plain_text(text).split(), key=len, default="")
            if len(longest) > LONGEST:
                message = f'a word of {len(longest)} characters, "{longest[:20]}...", cannot be wrapped'
                yield Finding.of(CODE, message, None, ("system", index, name), ("system", index))
