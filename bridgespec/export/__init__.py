"""Exporters: one module per target, discovered on import.

A module of this folder (no leading underscore) is an exporter when it has ``NAME``, ``SUFFIX`` (with the dot), ``TITLE`` and
``dump(document) -> bytes``; one that can also read has ``load(data) -> Document``. A new module needs no entry in a list.

>>> sorted(EXPORTERS)
['html', 'json', 'png', 'svg', 'text']
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from bridgespec.model.document import Document

__all__ = ["EXPORTERS", "Exporter"]


@dataclass(frozen=True, slots=True)
class Exporter:
    """A target: its name, the suffix of its files, its title, and the functions that write and, where possible, read a document."""

    name: str
    suffix: str
    title: str
    dump: Callable[[Document], bytes]
    load: Callable[[bytes], Document] | None = None


def _discover() -> dict[str, Exporter]:
    """Return the exporter of each module of this folder, by name."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{info.name}")
            # `load` is optional: only JSON can be read back.
            found[module.NAME] = Exporter(module.NAME, module.SUFFIX, module.TITLE, module.dump, getattr(module, "load", None))
    return found


EXPORTERS: dict[str, Exporter] = _discover()
"""Every exporter by name."""
