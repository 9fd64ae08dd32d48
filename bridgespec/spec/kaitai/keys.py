"""Every key of binary schemas, by what it is a key of: what the loader takes, and what documentation and editors must know."""

from __future__ import annotations

_BINDING = "as role axes at digits number codes value default opaque lenient unknown end prefer code severity"
FIELD_KEYS = frozenset(f"-bridge-{word}" for word in _BINDING.split())
TYPE_KEYS = frozenset({"-bridge-checks"})
TOP_KEYS = frozenset({"-bridge-checksum", "-bridge-sources", "-bridge-samples"})
EXTENT_KEYS = frozenset({"size", "size-eos", "terminator", "include", "consume", "eos-error", "pad-right"})
COMMON_KEYS = frozenset({"id", "doc", "doc-ref", "if", "valid", "type", "repeat", "repeat-expr", "repeat-until"})
ATTRIBUTE_KEYS = COMMON_KEYS | EXTENT_KEYS | {"contents", "process", "enum", "encoding", "parent"} | FIELD_KEYS
VALUE_KEYS = frozenset({"value", "doc", "doc-ref", "if", "enum", "valid", "id"}) | FIELD_KEYS
RECORD_KEYS = frozenset({"meta", "doc", "doc-ref", "params", "seq", "types", "instances", "enums", "to-string"}) | TYPE_KEYS
META_KEYS = frozenset({
    "application", "bit-endian", "encoding", "endian", "file-extension", "id", "imports", "ks-debug", "ks-opaque-types",
    "ks-version", "ks-zero-copy-substream", "license", "tags", "title", "xref",
})  # fmt: skip

KEYS: dict[str, frozenset[str]] = {
    "a schema": RECORD_KEYS | TOP_KEYS,
    "a type": RECORD_KEYS,
    "meta": META_KEYS,
    "a type's meta": frozenset({"endian", "bit-endian", "encoding", "id", "title"}),
    "a field": ATTRIBUTE_KEYS,
    "an instance": ATTRIBUTE_KEYS | {"pos", "io"},
    "a value instance": VALUE_KEYS,
    "a parameter": frozenset({"id", "type", "doc", "doc-ref", "enum"}),
    "a switch": frozenset({"switch-on", "cases"}),
    "an endian switch": frozenset({"switch-on", "cases"}),
    "valid": frozenset({"eq", "min", "max", "any-of", "expr", "in-enum"}),
    "an enum member": frozenset({"id", "doc", "doc-ref"}),
    "a check": frozenset({"that", "code", "severity", "message"}),
    "a source": frozenset({"title", "url", "author", "quote"}),
    "a sample": frozenset({"name", "hex", "base64", "codes", "doc"}),
    "-bridge-digits": frozenset({"base", "enum"}),
    "-bridge-number": frozenset({"pad-left"}),
    "-bridge-end": frozenset({"bits", "short"}),
}
"""The keys by what messages call their owner."""
