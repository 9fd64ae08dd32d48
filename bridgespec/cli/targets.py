"""What boards are written as: formats, exporters, and tables, whose library is an extra."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import STDIO
from bridgespec.cli.settings import Settings
from bridgespec.errors import UsageError
from bridgespec.export import EXPORTERS, Exporter
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.recognise import by_name
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec
from bridgespec.tables.files import KINDS, kind_by_name

if TYPE_CHECKING:
    from bridgespec import api, tabular
else:
    api, tabular = Lazy("bridgespec.api"), Lazy("bridgespec.tabular")

SYSTEM = "system"
"""A whole bidding system; it is not a term of a board."""
Target = Spec | Exporter
"""What can be written: a format, or an exporter."""


def _dump(name: str, document: Document) -> bytes:
    file = io.BytesIO()
    tabular.of_document(document).save(file, KINDS[name])
    return file.getvalue()


def _load(name: str, data: bytes) -> Document:
    return tabular.document_of(tabular.of_source(api.engine(), data, name))


TABLES = {name: Exporter(name, kind.suffix, kind.title, partial(_dump, name), partial(_load, name)) for name, kind in KINDS.items()}
"""The kinds of tables by name."""
OTHERS = {**EXPORTERS, **TABLES}
"""Whatever can be written and is not a format."""


def require_arrow(*sources: str, target: str | None = None) -> None:
    """Raise UsageError where the name of a source, or the kind of a target, is that of a table and pyarrow is not installed."""
    if target in KINDS or any(kind_by_name(path) for path in sources):
        require("pyarrow")


def name_of(target: Target) -> str:
    """The name of a format or an exporter."""
    return target.id if isinstance(target, Spec) else target.name


def holds_systems(spec: Spec) -> bool:
    """Whether the format can hold a whole bidding system."""
    return isinstance(spec.text, Grammar) and any(rule.words.binding.term == SYSTEM for rule in spec.text.rules.values())


def target_of(settings: Settings, path: str, name: str | None) -> Target:
    """Return the target's format or exporter, by ``name`` if given, else by the extension; UsageError if it is unknown."""
    target = _named(settings, name) if name is not None else _by_name(settings, path)
    if not isinstance(target, Spec):
        require_arrow(target=target.name)
    binary = target.language == "ksy" if isinstance(target, Spec) else target.name in TABLES
    if path == STDIO and binary and sys.stdout.isatty():
        raise UsageError(f"{name_of(target)} is a binary format; send standard output to a file or a program")
    return target


def _named(settings: Settings, name: str) -> Target:
    return exporter_named(settings, name) or settings.engine.spec(name)


def exporter_named(settings: Settings, name: str) -> Exporter | None:
    """The exporter of a name; None where a format has that name."""
    return None if name.lower() in {head.id for head in settings.heads} else OTHERS.get(name.lower())


def _by_name(settings: Settings, path: str) -> Target:
    found = by_name(settings.heads, path)
    if len(found) == 1:
        return settings.engine.spec(found[0].id)
    if found:
        names = " or ".join(spec.id for spec in found)
        raise UsageError(f"{shown_name(path)}: its extension may mean {names}; name one with --to")
    exporter = exporter_of(path)
    if exporter is not None:
        return exporter
    what = "standard output has no extension" if path == STDIO else f"{path}: no format has this extension"
    raise UsageError(f"{what}; name the format with --to (`bridgespec formats` lists them)")


def exporter_of(path: str) -> Exporter | None:
    """The exporter that the extension of a name means."""
    suffix = PurePath(path).suffix.lower()
    return next((exporter for exporter in OTHERS.values() if suffix and exporter.suffix == suffix), None)
