"""The elements of primitive types: one class for each type, in the modules of this folder, which are searched for classes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from bridgespec.codec.binary.element import LeafElement
from bridgespec.spec.ir import Primitive


def _leaves(kind: type[LeafElement]) -> Iterator[type[LeafElement]]:
    for inner in kind.__subclasses__():
        if hasattr(inner, "TYPE"):
            yield inner
        yield from _leaves(inner)


for _info in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_info.name}")
LEAVES: dict[type[Primitive], type[LeafElement]] = {kind.TYPE: kind for kind in _leaves(LeafElement)}  # type: ignore[type-abstract]
"""The element class of each primitive type."""


def leaf_of(type_: Primitive) -> type[LeafElement]:
    """Return the class of the elements of a primitive type.

    >>> from bridgespec.spec.ir import FloatType
    >>> leaf_of(FloatType(4, "le")).words(FloatType(4, "le"))
    ['32-bit float, low byte first']
    """
    return LEAVES[type(type_)]


def type_words(type_: Primitive) -> str:
    """Return the description of a primitive type in words.

    >>> from bridgespec.spec.ir import IntType
    >>> type_words(IntType(2, True, "be"))
    'signed 16-bit integer, high byte first'
    """
    return "".join(map(str, leaf_of(type_).words(type_)))
