"""Registry of the terms: the parts of the model that a schema may name, one module per term.

Every module of this folder is imported and its `Term` instances are registered; a new term needs no entry in a list. Readers,
writers and the schema checks look terms up in `TERMS` (by name) and `WORDS` (by any word of a schema).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from bridgespec.codec.terms._term import COMMON, NOTE, REFERENCE, Term, TermContent, is_stated
from bridgespec.codec.terms._values import CannotRepresent

__all__ = [
    "CLAIMS",
    "COMMON",
    "NOTE",
    "REFERENCE",
    "SIZES",
    "TERMS",
    "WORDS",
    "CannotRepresent",
    "Term",
    "TermContent",
    "is_stated",
    "term_of_word",
]


def _found() -> dict[str, Term]:
    """Return the terms in the modules of this package, by name."""
    terms: dict[str, Term] = {}
    for module in sorted(info.name for info in iter_modules(__path__) if not info.name.startswith("_")):
        for value in vars(import_module(f"{__name__}.{module}")).values():
            found = value if isinstance(value, tuple) else (value,)
            terms.update({term.NAME: term for term in found if isinstance(term, Term)})
    return terms


TERMS: Mapping[str, Term] = _found()
"""The terms by name."""


def _words() -> dict[str, tuple[Term, str]]:
    """Return the value of `WORDS`."""
    words: dict[str, tuple[Term, str]] = {}
    for term in TERMS.values():
        words[term.NAME] = term, ""
        for word, role in term.MEMBERS.items():
            words.setdefault(word, (term, role))
    return words


WORDS: Mapping[str, tuple[Term, str]] = _words()
"""Every word of the schemas: the term that it names, and the role where the word names a part of the term."""


SIZES: Mapping[str, int] = {"deal": 52, "tricks": 20}
"""Number of cells of the terms that are arrays of cells."""


CLAIMS: Mapping[str, tuple[Term, ...]] = {
    word: tuple(term for term in TERMS.values() if word in term.MEMBERS) for word in WORDS if WORDS[word][1]
}
"""The terms that a word may be a part of. Where there are several, the word belongs to the term that occurred last in the record.
"""


def term_of_word(word: str) -> tuple[Term, str] | None:
    """Return the term that a word names and the role of the part; the role is empty where the word names the whole term. None for
    any other word. Words: ``deal``, ``north``, ``auction.call_made``.

    >>> term, role = term_of_word("north")
    >>> term.NAME, role, term_of_word("evnt")
    ('deal', 'north', None)
    """
    name, _, role = word.partition(".")
    if role:
        return (TERMS[name], role) if name in TERMS and role in TERMS[name].ROLES else None
    return WORDS.get(word)
