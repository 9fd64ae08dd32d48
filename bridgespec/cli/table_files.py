"""Files of tables as the commands take them: sources and targets like any other, whose library is an extra."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING

from bridgespec.cli.settings import Settings
from bridgespec.export import EXPORTERS, Exporter
from bridgespec.extras import require
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.tables.files import KINDS, kind_by_name

if TYPE_CHECKING:
    from bridgespec import api, tabular
else:
    api, tabular = Lazy("bridgespec.api"), Lazy("bridgespec.tabular")


def _dump(name: str, document: Document) -> bytes:
    file = io.BytesIO()
    tabular.of_document(document).save(file, KINDS[name])
    return file.getvalue()


def _load(name: str, data: bytes) -> Document:
    return tabular.document_of(tabular.of_source(api.engine(), data, name))


def require_arrow(*sources: str, target: str | None = None) -> None:
    """Raise UsageError where the name of a source, or the kind of a target, is that of a table and pyarrow is not installed."""
    if target in KINDS or any(kind_by_name(path) for path in sources):
        require("pyarrow")


def table_document(settings: Settings, path: str, name: str, data: bytes | None = None) -> Document:
    """The document of a file of a kind of table; ``data`` is that of standard input."""
    return tabular.document_of(tabular.of_source(settings.engine, path if data is None else data, name))


TABLES = {name: Exporter(name, kind.suffix, kind.title, partial(_dump, name), partial(_load, name)) for name, kind in KINDS.items()}
"""The kinds of tables by name."""
OTHERS = {**EXPORTERS, **TABLES}
"""Whatever can be written and is not a format."""
