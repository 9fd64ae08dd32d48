"""Files of tables as the commands take them: sources and targets like any other, whose library is an extra."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING

from bridgespec.cli.files import STDIO, read
from bridgespec.cli.settings import Settings
from bridgespec.export import EXPORTERS, Exporter
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.tables.files import KINDS

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


def table_document(settings: Settings, path: str, name: str) -> Document:
    """The document of a file of a kind of table."""
    return tabular.document_of(tabular.of_source(settings.engine, read(path) if path == STDIO else path, name))


TABLES = {name: Exporter(name, kind.suffix, kind.title, partial(_dump, name), partial(_load, name)) for name, kind in KINDS.items()}
"""The kinds of tables by name."""
OTHERS = {**EXPORTERS, **TABLES}
"""Whatever can be written and is no format."""
