"""The exceptions of the package, all derived from `BridgespecError`, and its warnings."""

from __future__ import annotations


class BridgespecError(Exception):
    """Base class of all errors that the package raises deliberately; the message can be shown to a user."""


class UsageError(BridgespecError):
    """The call itself is wrong: an unknown format, an option that does not apply, two sources instead of one."""


class SpecError(BridgespecError):
    """A schema cannot be used; ``diagnostics`` contains every reason, each with its position in the schema.

    The attribute is untyped because ``errors`` imports nothing: it is a tuple of ``diagnostic.Diagnostic``.
    """

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class ReadError(BridgespecError):
    """A file cannot be read, or has errors where the caller requires clean data; ``diagnostics`` contains all of them."""

    def __init__(self, message: str, diagnostics: tuple[object, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class WriteError(BridgespecError):
    """The target format cannot represent the data at all, or the data contradict it; ``lacking`` names a field without value."""

    def __init__(self, message: str, diagnostics: tuple[object, ...] = (), lacking: str | None = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.lacking = lacking


class RecordError(WriteError):
    """The target format cannot represent one record. ``index`` counts from 0 in the records that the writer was given; the message
    counts from 1.
    """

    def __init__(self, index: int, what: str) -> None:
        super().__init__(f"record {index + 1}: {what}")
        self.index, self.what = index, what

    def after(self, records: int) -> RecordError:
        """Return the same error with its index in the file, where ``records`` other records precede those that the writer was
        given.
        """
        return RecordError(self.index + records, self.what)


class SchemaWarning(UserWarning):
    """A schema on the path cannot be used, and is left out."""


class FileWarning(UserWarning):
    """A file was written without the owner, group or links of the file that it replaces; or an included file could not be read."""
