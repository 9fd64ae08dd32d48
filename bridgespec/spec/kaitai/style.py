"""The warning for an encoding that a schema does not spell as Kaitai does."""

from __future__ import annotations

from bridgespec.spec.encoding import canonical_encoding
from bridgespec.spec.kaitai.type_scope import YamlReader
from bridgespec.spec.place import SchemaPlace
from bridgespec.spec.problems import STYLE


def check_encoding(reader: YamlReader, name: str, place: SchemaPlace) -> None:
    """Warn of an encoding that is unknown, or whose name is not Kaitai's canonical one."""
    canonical = canonical_encoding(name)
    if canonical is None:
        reader.add(STYLE, f"encoding {name!r} is unknown", place)
    elif canonical != name:
        reader.add(STYLE, f"encoding {name!r} is spelled '{canonical}'", place)
