"""Boards as a web page: documents or files in, one HTML file out, like the command ``page``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bridgespec.engines import Folders, engine
from bridgespec.errors import UsageError
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document
from bridgespec.version import VERSION
from bridgespec.writing import read_whole

if TYPE_CHECKING:
    from bridgespec import solver, webpage
    from bridgespec.targets.javascript import readers as javascript
else:
    solver, webpage = Lazy("bridgespec.solver"), Lazy("bridgespec.webpage")
    javascript = Lazy("bridgespec.targets.javascript.readers")


def page(
    *sources: Document | str | os.PathLike[str],
    title: str | None = None,
    solve: bool = False,
    format: str | None = None,
    specs: Folders = (),
) -> str:
    """Return a web page of documents and files: hands, auctions, results side by side, boards to play through; it needs no network.

    The default ``title`` is the event that all boards name, else the name of the first file. With ``solve`` double-dummy tables are
    in the page, else the reader's browser computes them. ``format`` is that of each file whose name does not determine it.
    UsageError where there is no board, and for more boards than a page can have.

    >>> html = page("tests/samples/dup/melbourne.dup", title="Club night")
    >>> html.startswith("<!DOCTYPE html>"), "<title>Club night</title>" in html
    (True, True)
    """
    known = engine(tuple(specs))
    documents: list[Document] = []
    names: list[str] = []
    for source in sources:
        if isinstance(source, Document):
            documents.append(source)
        elif not isinstance(source, (str, os.PathLike)):
            raise TypeError(
                f"a page is made of Documents and paths, not {type(source).__name__}; boards are shown as Document((board, ...))"
            )
        else:
            names.append(os.fspath(source))
            documents.append(known.load(read_whole(source), format, names[-1]))
    if not any(document.boards for document in documents):
        raise UsageError("a page shows boards, and there are none")
    if solve:
        documents = [solver.solve_document(document) for document in documents]
    heading = title if title is not None else webpage.title_of(documents, names)
    return webpage.page(documents, heading, VERSION, readers=javascript.readers(list(known.catalog.all())))
