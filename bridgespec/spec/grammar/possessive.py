"""Compile the regular expressions of grammars with `compile_regex`, so that possessive repetitions work in every version of
Python.

CPython 3.11.0 to 3.11.4 match a possessive repetition wrongly where its part backtracks (python/cpython issues 106052 and 100061,
corrected in 3.11.5), and Debian 12 has 3.11.2. An atomic group around the greedy repetition has the same meaning and is matched
correctly by these versions.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from bridgespec.lazily import Lazy

# Private modules of `re`, imported where `atomic` is called: only versions that do not change any more need it.
_compiler, _constants, _parser, _sre = (Lazy(name) for name in ("re._compiler", "re._constants", "re._parser", "_sre"))

CORRECT = sys.version_info >= (3, 11, 5)
"""Whether this interpreter matches possessive repetitions correctly."""


@lru_cache(512)
def atomic(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression with each possessive repetition as an atomic group. Raises ``re.error``, as ``re.compile`` does.

    >>> atomic(r"(?:ab|a(?!a)a)++").match("aba").end(), atomic("(?P<first>a++)b").pattern
    (2, '(?P<first>a++)b')
    """

    def parts(operation: Any, argument: Any) -> Iterator[Any]:
        """Yield the parsed expressions inside one operation of the parser's tree."""
        for part in argument if isinstance(argument, tuple | list) else (argument,):
            if isinstance(part, _parser.SubPattern):
                yield part
            elif operation is _constants.BRANCH and isinstance(part, list):
                yield from part

    def rewrite(tree: Any) -> None:
        """Replace the possessive repetitions in a parsed expression by atomic groups, in place."""
        for index, (operation, argument) in enumerate(tree.data):
            for part in parts(operation, argument):
                rewrite(part)
            if operation is _constants.POSSESSIVE_REPEAT:
                greedy = _parser.SubPattern(tree.state, [(_constants.MAX_REPEAT, argument)])
                tree.data[index] = _constants.ATOMIC_GROUP, greedy

    tree = _parser.parse(pattern, flags)
    rewrite(tree)
    names = tree.state.groupdict
    by_number: list[str | None] = [None] * tree.state.groups
    for name, number in names.items():
        by_number[number] = name
    code = _compiler._code(tree, flags)
    made: re.Pattern[str] = _sre.compile(pattern, flags | tree.state.flags, code, tree.state.groups - 1, names, tuple(by_number))
    return made


compile_regex: Callable[..., re.Pattern[str]] = re.compile if CORRECT else atomic
"""Compile a regular expression, with flags where they are given."""


def checked_regex(regex: str) -> re.Pattern[str]:
    r"""Compile a regular expression of a schema. Raises ``re.error`` also for a class such as ``[[a]`` or ``[a--b]``, since ``re``
    warns that later versions of Python may give it another meaning.

    >>> checked_regex(r"[\[a]").match("[").end()
    1
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            return compile_regex(regex)
        except FutureWarning:
            reason = "'[', '--', '&&', '~~' or '||' within a class has two meanings: write a backslash before it"
            raise re.error(reason) from None
