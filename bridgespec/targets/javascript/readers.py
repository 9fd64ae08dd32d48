"""Generate one classic script with the readers of several formats (`readers`), for pages opened from the disk, where browsers load
no modules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bridgespec.spec.ir import Spec
from bridgespec.targets.javascript.module import declarations
from bridgespec.targets.javascript.runtime import emitted
from bridgespec.targets.refused import NotExpressible

NAME = "bridgespecReaders"
"""The global name under which a page finds the readers, by the ids of their formats."""

_EXPORTED = re.compile(r"^export (?=(?:async )?(?:function\*?|const) (\w+))", re.MULTILINE)
_LISTED = re.compile(r"^export \{ (\w+)(?: as (\w+))? \};\n", re.MULTILINE)
_COMMENT = re.compile(r"^ */\*\*.*?\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^ +|\n(?=\n)", re.MULTILINE)


def readers(specs: Sequence[Spec]) -> str:
    """Return a script that sets ``bridgespecReaders`` to the exports of each format's module, by its id; helpers are included once
    for each language. A schema that JavaScript cannot express is left out.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> source = readers([loads("meta: {id: one}\\nseq: [{id: a, type: u1}]")])
    >>> source.splitlines()[0], "/**" in source
    ('globalThis.bridgespecReaders ??= {};', False)
    """
    out = [f"globalThis.{NAME} ??= {{}};\n"]
    # Helpers of the two languages share names, so each language has a scope of its own.
    for language in ("lark", "ksy"):
        scopes = [(spec, source) for spec in specs if spec.language == language and (source := _declared(spec))]
        if scopes:
            helpers = emitted("\n".join(source for _, source in scopes), language)
            parts = "".join(_scope(spec, source) for spec, source in scopes)
            out.append(f"(() => {{\n{helpers}\n{parts}}})();\n")
    # Without comments, since only the page reads the script; in modules that `export` prints, declarations keep their comments.
    return _INDENT.sub("", _COMMENT.sub("", "".join(out)))


def _declared(spec: Spec) -> str:
    """Return the declarations of a format; empty for a schema that JavaScript cannot express."""
    try:
        return declarations(spec, frozenset({"read", "model"}))
    except NotExpressible:
        return ""


def _scope(spec: Spec, source: str) -> str:
    """Return a statement that sets the exports of a format; its declarations are in a function, since formats use equal names."""
    given = [*_EXPORTED.findall(source), *(f"{other}: {name}" if other else name for name, other in _LISTED.findall(source))]
    body = _LISTED.sub("", _EXPORTED.sub("", source))
    return f'globalThis.{NAME}["{spec.id}"] = (() => {{\n{body}\nreturn {{ {", ".join(given)} }};\n}})();\n'
