"""Every word of ``//-`` lines, by what it is a word of: what the loader takes, and what documentation and editors must know."""

from __future__ import annotations

PAIR = frozenset(
    ["name", "terms", "inherit", "repeats", "mandatory", "also", "tags", "blank", "mark", "columns", "once", "needs", "strict"]
)  # fmt: skip
BOUND = frozenset(["as", "role", "axes", "at", "digits", "number", "codes", "default", "opaque", "prefer"])
RULE = PAIR | BOUND | frozenset(
    ["doc", "says", "write", "only-read", "ends", "trim", "content", "report", "restart", "xor", "fill", "decode", "between"]
) | frozenset(
    ["unknown", "marks"]
)  # fmt: skip
BINARY = frozenset(["checks", "value", "lenient", "code", "severity", "end"])
"""Words of binary fields that do nothing in a text."""
HEAD = frozenset(
    ["id", "title", "doc", "extensions", "encoding", "tags", "sources", "samples", "start", "recover", "lines", "faults", "strict",
     "clean"]
)  # fmt: skip
REPORT = frozenset(["code", "severity", "message", "help", "fix", "safe"])

WORDS: dict[str, frozenset[str]] = {
    "head": HEAD,
    "rule": RULE,
    "report": REPORT,
    "sources": frozenset({"title", "url", "author", "quote"}),
    "samples": frozenset({"name", "text", "ends", "hex", "base64", "codes", "doc"}),
    "lines": REPORT | {"most", "ends"},
    "faults": REPORT | {"at", "characters", "skip", "once", "strict"},
    "content": frozenset(["of", "by", "rule", "cases", "else", "code", "severity", "message", "ascending"]),
    "restart": frozenset({"at", "after"}),
    "number": frozenset(["base", "numerals", "from", "pad-left", "width", "modulo"]),
    "digits": frozenset(["base", "codes", "from", "first"]),
    "fill": frozenset(["number", "after", "to"]),
    "inherit": frozenset(["same", "header", "never", "code", "severity", "message"]),
    "columns": frozenset(["tables", "cases", "code", "severity", "name", "width", "cell", "quote", "heads"]),
    "once": REPORT | {"within"},
    "needs": REPORT | {"of"},
    "strict": frozenset(["missing", "order", "same", "rows", "content"]),
    "order": REPORT | {"sections"},
    "same": REPORT | {"key", "as", "by"},
}
"""The words by what they are words of."""
