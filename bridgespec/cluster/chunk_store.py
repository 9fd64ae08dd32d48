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
_DIGEST = 32


class ChunkStore:
    """Chunks by name. A name is the digest of the chunk's input, so a stored chunk always fits its task, and storing one twice does
    no harm.

    A chunk is written completely or not at all, and contains its own digest: a damaged one counts as missing.
    """

    def __init__(self, url: str) -> None:
        self.url = url if "://" in url else os.path.abspath(url)
        try:
            self._files, self._root = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise UsageError(f"{url}: {error}") from None

    def prepare(self) -> None:
        """Make the folder."""
        self._files.makedirs(self._root, exist_ok=True)

    def names(self) -> set[str]:
        """The chunks that are there."""
        # fsspec keeps listings: chunks that workers stored meanwhile would be missing.
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
            # What an object store is given at once it shows at once.
            self._files.pipe_file(self._path(name), data)
            return
        # Two workers may write one chunk, when the first was taken for lost: each has a file of its own.
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
