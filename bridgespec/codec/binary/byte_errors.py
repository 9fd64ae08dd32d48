"""Errors in binary files: the codes of findings, and the exceptions by which a reader's or writer's elements report them."""

from __future__ import annotations

from bridgespec.diagnostic import Code, Severity, define
from bridgespec.errors import BridgespecError
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError

TRUNCATED = define(
    "truncated",
    Severity.ERROR,
    """The data end in the middle of a field or record.

    The message says how many bytes are missing. The bytes that are there are kept, and written back as they stood.
    """,
)
TRAILING = define(
    "trailing-bytes",
    Severity.WARNING,
    """Bytes follow the last field.

    They belong to no field of the format; they are kept, and written back.
    """,
)
CONTENTS = define(
    "bad-contents",
    Severity.ERROR,
    """Bytes that are the same in every file of the format differ here.

    Such bytes mark the format, or separate its parts; the message shows both.
    """,
)
INVALID = define(
    "invalid-value",
    Severity.ERROR,
    """A value is outside what its field allows.

    The schema's `valid` says what is allowed; the message repeats it.
    """,
)
BAD_SIZE = define(
    "bad-size",
    Severity.ERROR,
    """A size, count or position in the file cannot be.

    It is negative, or points outside the data.
    """,
)
WRONG_EXTENT = define(
    "wrong-extent",
    Severity.ERROR,
    """a length, count, offset or kind does not agree with what follows it

    Read with this value the file has several errors, with the other value none; no other value that was tried, here or in
    another field, gives that. The errors that follow from it are not listed.
    """,
)
BAD_ENCODING = define(
    "bad-encoding",
    Severity.ERROR,
    """Bytes are not text of the field's encoding.

    The field keeps its raw bytes.
    """,
)
NO_TERMINATOR = define(
    "missing-terminator",
    Severity.ERROR,
    """A field that a terminator must end runs to the end of the data.

    The field is taken to be all that is left.
    """,
)
NO_CASE = define(
    "switch-without-case",
    Severity.WARNING,
    """A value selects a layout that the schema does not have.

    Nothing is read for the field, or bytes as they are where its size is known, as in Kaitai. A code that the schema names in an
    enum is no finding, with a case or without: there is nothing to lay out. Where the size is known, values are judged only if they
    are those of an enum.
    """,
)
EXPRESSION = define(
    "expression-error",
    Severity.ERROR,
    """An expression of the schema has no value for these data.

    It divides by zero, looks for an element that is not there, or needs a field that is absent. Where it tells the size
    or place of a field, what follows cannot be found either.
    """,
)
AFTER_END = define(
    "data-after-end",
    Severity.WARNING,
    """Bytes follow the record that ends a list.

    A null record ends the list; readers ignore what stands after it. The bytes are kept, and written back.
    """,
)
BAD_DATA = define(
    "bad-data",
    Severity.ERROR,
    """A field's bytes cannot be transformed as the format says.

    The bytes are compressed, or stored under a process, and the reverse of it fails.
    """,
)


class Unreadable(Exception):
    """Raised by an element that cannot read a field, with the code and the message of the finding and the number of missing
    bytes.
    """

    def __init__(self, code: Code, message: str, missing: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.missing = missing


class UnreadValueError(EvaluationError):
    """Raised by an expression that needs an unreadable field. It does not become a finding: the field already has one."""


FOLLOWS = Code("", Severity.NOTE, "")
"""The code of an error that only follows from an unreadable field; `RecordFrame.report` makes no finding of it."""


def code_of(error: Exception) -> Code:
    """Return the code of the finding for an error in a field or in an expression; `FOLLOWS` where there is to be none."""
    if isinstance(error, Unreadable):
        return error.code
    return FOLLOWS if isinstance(error, UnreadValueError) else EXPRESSION


class Abandoned(Exception):
    """Raised where the position of the fields after a broken one is unknown; the broken field has been reported."""


class CannotWrite(BridgespecError):
    """Raised for a value that cannot be written; ``field`` is the dotted path of its field."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


def shortage(wanted: int, here: int, noun: str = "byte") -> str:
    """Return a message about the number of bytes (or of another ``noun``) that are needed and the number that are there.

    >>> shortage(1, 0), shortage(13, 12)
    ('1 byte is needed, and there is none', '13 bytes are needed, and there are 12')
    """
    need = f"1 {noun} is needed" if wanted == 1 else f"{wanted} {noun}s are needed"
    return f"{need}, and there " + ("is none" if here == 0 else "is 1" if here == 1 else f"are {here}")
