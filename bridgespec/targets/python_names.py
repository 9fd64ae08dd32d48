"""Python identifiers for the names of a schema: `identifiers` makes them, `is_usable` tests one name."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Collection, Iterable

RESERVED = frozenset(dir(builtins))
"""The names of Python's builtins: a global of the same name would replace a builtin that generated expressions call."""


def is_usable(name: str, taken: Collection[str] = ()) -> bool:
    """Return whether a name can be used as a Python identifier where the names in `taken` have another meaning.

    >>> is_usable("dealer"), is_usable("class"), is_usable("items", dir(dict)), is_usable("0x")
    (True, False, False, False)
    """
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name not in taken


def identifiers(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Return a unique global identifier for each absolute name of a schema.

    `taken` are the globals that the module defines or imports itself. A name that is not usable, or that another name already has,
    gets as many underscores at its end as it needs.

    >>> identifiers(["zbd::deal", "class", "len", "a::b_c", "a::b::c"], {"Array"})
    {'zbd::deal': 'zbd_deal', 'class': 'class_', 'len': 'len_', 'a::b_c': 'a_b_c', 'a::b::c': 'a_b_c_'}
    """
    used = {*taken, *RESERVED}
    found: dict[str, str] = {}
    for name in names:
        identifier = name.replace("::", "_")
        while not is_usable(identifier, used):
            identifier += "_"
        used.add(identifier)
        found[name] = identifier
    return found
