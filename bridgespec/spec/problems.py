"""Errors and warnings about schemas: their codes, and `Problems`, which collects those of one load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bridgespec.diagnostic import Code, Diagnostic, Fix, Severity, define
from bridgespec.errors import SpecError
from bridgespec.spec.place import SchemaPlace

SYNTAX = define(
    "schema-syntax",
    Severity.ERROR,
    """The schema is not readable YAML.

    The schema languages of this package are based on YAML 1.2; keys may not be repeated, anchors and aliases are refused.
    """,
)
KEY = define(
    "schema-key",
    Severity.ERROR,
    """A key is unknown here, is missing, or cannot apply.

    Kaitai's own keys and the `-bridge-` keys are known; other keys that begin with a hyphen are ignored, as in Kaitai.
    """,
)
VALUE = define(
    "schema-value",
    Severity.ERROR,
    """A key's value is not one that the key takes.

    The message says what is expected.
    """,
)
NAME = define(
    "schema-name",
    Severity.ERROR,
    """A name is malformed, is used twice, or names nothing.

    Names are lower case letters, digits and underscores, and begin with a letter. Types, enums and fields must be declared.
    """,
)
EXPRESSION = define(
    "schema-expression",
    Severity.ERROR,
    """An expression does not parse, or its types do not fit.

    Expressions are Kaitai's; the message quotes the part with the error.
    """,
)
IMPORT = define(
    "schema-import",
    Severity.ERROR,
    """An imported schema cannot be used.

    Imports are found beside the schema, below its folder, or in the folders where formats are kept, and nowhere else; one that
    begins with a slash is found from each folder above the schema too.
    """,
)
UNSUPPORTED = define(
    "schema-unsupported",
    Severity.ERROR,
    """The schema uses a construct that is not supported.

    Rather than ignore it, the loader refuses it by name.
    """,
)
APPLY = define(
    "schema-cannot-apply",
    Severity.ERROR,
    """A `-bridge-` key has no effect where it is.

    The message says what the key needs: digits an integer, axes an array or digits, a number a text, an unknown value a field
    that can have it.
    """,
)
STYLE = define(
    "schema-style",
    Severity.WARNING,
    """A name or a spelling differs from Kaitai's style guide.

    The schema works; the guide's forms (`len_foo`, `num_foos`, canonical encoding names) make it easier to read.
    """,
)
ENDLESS = define(
    "schema-endless",
    Severity.WARNING,
    """A type or a rule contains itself without a condition.

    No file can contain such a record: it would have no end. Reading one stops where records nest too deeply.
    """,
)


UNUSED = define(
    "schema-unused",
    Severity.WARNING,
    """A rule, a type or an enum that is not used.

    No reference from the start rule reaches it, and no word of another rule names it, so that it never reads anything: its name is
    misspelled somewhere, or it is left over. In a binary schema, no field or expression names it.
    """,
)


IDLE = define(
    "schema-idle",
    Severity.WARNING,
    """A part of the schema has no effect, or allows no file.

    A value that the type cannot have, a range whose end is below its start, a condition that does not depend on the file, a field
    after one that extends to the end of the data, an alternative that occurs twice, a key that no text can be: each can be read,
    but none can be intended.
    """,
)


class HasPlace(Protocol):
    """An element of a schema with a position."""

    @property
    def place(self) -> SchemaPlace:
        """The position of the element."""


class Problems:
    """Collects the findings of one load, so that an author sees all of them at once."""

    LIMIT = 200

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.taken: list[tuple[str, Mapping[str, HasPlace]]] = []
        """The keys that `took` has recorded: for each mapping its owner, and the elements with the positions by key."""
        self.unknown: set[SchemaPlace] = set()
        """The positions of unknown keys; other findings at these positions follow from them, and are dropped."""

    def took(self, owner: str, keys: Mapping[str, HasPlace]) -> None:
        """Record the keys of a mapping that a loader has read; ``owner`` is its entry in the table of keys. Documentation takes
        the positions of keys from ``taken``.
        """
        self.taken.append((owner, keys))

    def add(
        self,
        code: Code,
        message: str,
        place: SchemaPlace,
        help: str | None = None,
        severity: Severity | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a finding, with the severity of its code unless another is given.

        It is dropped beyond the limit, and where the same position has an unknown key, unreadable YAML, or a finding with the same
        message.
        """
        if place in self.unknown:
            return
        # Broken YAML causes further errors at its position, and checks of shared types repeat their findings.
        here = [d for d in self.found if d.span == place.span and d.path == place.file]
        repeated = any(d.message == message or d.code == SYNTAX.name for d in here)
        if len(self.found) < self.LIMIT and not repeated:
            self.found.append(
                Diagnostic(code.name, severity or code.severity, message, path=place.file, span=place.span, help=help, fix=fix)
            )

    def add_unknown(self, message: str, place: SchemaPlace, help: str | None) -> None:
        """Add the finding on an unknown key; later findings at its position are dropped."""
        self.add(KEY, message, place, help)
        self.unknown.add(place)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that make the schema unusable."""
        return tuple(d for d in self.found if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that leave the schema usable."""
        return tuple(d for d in self.found if d.severity is not Severity.ERROR)

    def raise_errors(self) -> None:
        """Raise SpecError with every error, in the order of the schema; do nothing where there is none."""
        # Findings are made record by record, and expressions are checked after all fields: the author reads from the top.
        errors = sorted(self.errors, key=lambda d: (d.path or "", d.span.start if d.span else 0))
        if errors:
            first = errors[0]
            line, column = (first.span.line, first.span.column) if first.span else (1, 1)
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise SpecError(f"{first.path}:{line}:{column}: {first.message}{more}", tuple(errors))
