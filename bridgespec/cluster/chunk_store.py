"""The store of finished chunks: a folder, or a URL that fsspec supports (``s3://bucket/folder``), which every worker must reach."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING
from uuid import uuid4

from bridgespec.errors import UsageError
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import fsspec
else:
    fsspec = Extra("fsspec")

SUFFIX = ".chunk"
"""The suffix of the file of a chunk."""
_DIGEST = 32
"""The number of bytes of the digest at the beginning of a file."""


class ChunkStore:
    """The stored results of chunks of work, by name. The client makes one store for a run, and each worker one for the same URL.

    A name is the digest of the input of a chunk, so a stored result never belongs to another task, and may be stored twice. A
    result is written completely or not at all, with its own digest: a damaged one counts as missing.
    """

    def __init__(self, url: str) -> None:
        self.url = url if "://" in url else os.path.abspath(url)
        try:
            self._files, self._root = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise UsageError(f"{url}: {error}") from None

    def prepare(self) -> None:
        """Create the folder of the store if it does not exist."""
        self._files.makedirs(self._root, exist_ok=True)

    def names(self) -> set[str]:
        """Return the names of the stored chunks."""
        # fsspec caches listings, in which chunks that workers have stored since would be missing.
        self._files.invalidate_cache()
        found = self._files.ls(self._root, detail=False) if self._files.exists(self._root) else []
        return {path.rsplit("/", 1)[-1].removesuffix(SUFFIX) for path in map(str, found) if path.endswith(SUFFIX)}

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a chunk; None if it is missing or damaged."""
        try:
            data: bytes = self._files.cat_file(self._path(name))
        except FileNotFoundError:
            return None
        body = data[_DIGEST:]
        return body if data[:_DIGEST] == hashlib.sha256(body).digest() else None

    def write(self, name: str, body: bytes) -> None:
        """Store a chunk."""
        data = hashlib.sha256(body).digest() + body
        if (isinstance(self._files.protocol, str) and self._files.protocol != "file") or "file" not in self._files.protocol:
            # An object store shows an object only when all of it is written.
            self._files.pipe_file(self._path(name), data)
            return
        # Each write has its own temporary file: two workers may write one chunk, if the first was taken for lost.
        part = f"{self._path(name)}.{uuid4().hex}.part"
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # Atomic within a file system: a reader sees the whole chunk or none.
        os.replace(part, self._path(name))

    def clear(self) -> None:
        """Remove the store with all its chunks."""
        if self._files.exists(self._root):
            self._files.rm(self._root, recursive=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}{SUFFIX}"


def digest(*parts: bytes) -> str:
    """Return the name of a chunk, from everything that its result depends on."""
    found = hashlib.sha256()
    for part in parts:
        # With the lengths, or (b"ab", b"c") and (b"a", b"bc") would have one name.
        found.update(len(part).to_bytes(8))
        found.update(part)
    return found.hexdigest()[:40]
