"""The exceptions of the package: one base, few children."""

from __future__ import annotations


class BridgespecError(Exception):
    """Anything the package raises on purpose; the message is fit to be shown to a user."""


class UsageError(BridgespecError):
    """The call itself is wrong: an unknown format, an option that cannot apply, two sources where one is wanted."""


class SpecError(BridgespecError):
    """A schema cannot be used; ``diagnostics`` holds every reason, each with its place in the schema.

    The value is kept untyped here, since ``errors`` imports nothing: it is a tuple of ``diagnostic.Diagnostic``.
    """

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class ReadError(BridgespecError):
    """A file holds errors where the caller asked for clean data; ``diagnostics`` holds all of them."""

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class WriteError(BridgespecError):
    """The target format cannot hold the data at all, or the data contradict it."""

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class RecordError(WriteError):
    """The target format cannot hold one record: ``index``, from 0 among those that were given; in words records count from 1."""

    def __init__(self, index: int, what: str) -> None:
        super().__init__(f"record {index + 1}: {what}")
        self.index, self.what = index, what

    def after(self, records: int) -> RecordError:
        """The same of a file in which so many records stand before those that were given."""
        return RecordError(self.index + records, self.what)


class SchemaWarning(UserWarning):
    """A schema on the path cannot be used, and is left out."""


class FileWarning(UserWarning):
    """A file was written, but not quite as the one that it replaces was; or one that another names was not read."""
