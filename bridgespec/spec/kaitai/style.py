"""Warnings where a schema does not follow Kaitai's style guide."""

from __future__ import annotations

from bridgespec.spec.encoding import canonical_encoding
from bridgespec.spec.kaitai.scope import Reader
from bridgespec.spec.place import Place
from bridgespec.spec.problems import STYLE


def check_encoding(reader: Reader, name: str, place: Place) -> None:
    """Warn of an encoding that is unknown or not spelled as Kaitai spells it."""
    canonical = canonical_encoding(name)
    if canonical is None:
        reader.add(STYLE, f"encoding {name!r} is unknown", place)
    elif canonical != name:
        reader.add(STYLE, f"encoding {name!r} is spelled '{canonical}'", place)
