"""Warnings where a schema does not follow Kaitai's style guide."""

from __future__ import annotations

from bridgespec.spec.encoding import canonical_encoding
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import STYLE


def check_encoding(reader: YamlReader, name: str, place: SchemaPlace) -> None:
    """Warn of an encoding that is unknown or not spelled as Kaitai spells it."""
    canonical = canonical_encoding(name)
    if canonical is None:
        reader.add(STYLE, f"encoding {name!r} is unknown", place)
    elif canonical != name:
        reader.add(STYLE, f"encoding {name!r} is spelled '{canonical}'", place)
