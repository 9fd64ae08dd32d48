"""Convert the values of a column from the model to Arrow and back. `column_type` returns the conversion of a type of the model.

Seats become letters, cards ``SA``, calls and contracts as players write them, vulnerabilities ``none ns ew both``; dataclasses
become structs of their fields, tuples lists.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from bridgespec.codec.terms._term import Byte, CardMask
from bridgespec.extras import Extra
from bridgespec.model.auction import Call
from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import Card, Seat
from bridgespec.model.contract import Contract
from bridgespec.model.number_texts import whole_number

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Extra("pyarrow")


class ColumnType(ABC):
    """The conversion of values of one type of the model. None is a null of Arrow for every type."""

    @property
    @abstractmethod
    def arrow(self) -> pa.DataType:
        """Arrow's type of the column."""

    def plain(self, value: Any) -> Any:
        """Return the Python value that Arrow takes for a value of the model."""
        return value

    def model(self, plain: Any) -> Any:
        """Return the value of the model for a Python value from Arrow. Raises ValueError if it represents none."""
        return plain


@dataclasses.dataclass(frozen=True)
class PlainColumn(ColumnType):
    """The conversion of numbers, texts and booleans, which are unchanged; ``name`` is the name of the type in ``pyarrow``."""

    name: str

    @property
    def arrow(self) -> pa.DataType:
        return getattr(pa, self.name)()


@dataclasses.dataclass(frozen=True)
class WordedColumn(ColumnType):
    """The conversion of values that become texts; ``write`` and ``read`` convert a value other than None."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]

    @property
    def arrow(self) -> pa.DataType:
        return pa.string()

    def plain(self, value: Any) -> Any:
        return None if value is None else self.write(value)

    def model(self, plain: Any) -> Any:
        return None if plain is None else self.read(plain)


@dataclasses.dataclass(frozen=True)
class ListColumn(ColumnType):
    """The conversion of tuples whose items have the same type, of any length or of length ``size``."""

    item: ColumnType
    size: int | None = None

    @property
    def arrow(self) -> pa.DataType:
        return pa.list_(self.item.arrow) if self.size is None else pa.list_(self.item.arrow, self.size)

    def plain(self, value: Any) -> Any:
        return None if value is None else [self.item.plain(one) for one in value]

    def model(self, plain: Any) -> Any:
        return None if plain is None else tuple(self.item.model(one) for one in plain)


@dataclasses.dataclass(frozen=True)
class StructColumn(ColumnType):
    """The conversion of dataclasses, and of tuples whose items have different types, to structs.

    ``parts`` are the fields of the struct, ``values`` returns the parts of a value, and ``make`` constructs a value from its parts.
    """

    parts: Mapping[str, ColumnType]
    values: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]

    @property
    def arrow(self) -> pa.DataType:
        return pa.struct([(name, column.arrow) for name, column in self.parts.items()])

    def plain(self, value: Any) -> Any:
        if value is None:
            return None
        items = zip(self.parts.items(), self.values(value), strict=True)
        return {name: column.plain(part) for (name, column), part in items}

    def model(self, plain: Any) -> Any:
        return None if plain is None else self.make(*(column.model(plain[name]) for name, column in self.parts.items()))


def _index_or_name(text: str) -> str | int:
    """Return a text that is a whole number as that number, any other text unchanged."""
    number = whole_number(text)
    return text if number is None else number


def _vulnerability(text: str) -> Vulnerability:
    try:
        return Vulnerability[text.upper()]
    except KeyError:
        raise ValueError(f"not a vulnerability: {text!r}; it is none, ns, ew or both") from None


# The types that are not derived from others, such as tuples and dataclasses.
COLUMN_TYPES: Mapping[Any, ColumnType] = {
    str: PlainColumn("string"),
    int: PlainColumn("int64"),
    bool: PlainColumn("bool_"),
    Byte: PlainColumn("uint8"),
    CardMask: PlainColumn("uint64"),
    str | int: WordedColumn(str, _index_or_name),
    Seat: WordedColumn(lambda seat: seat.letter, Seat.parse),
    Vulnerability: WordedColumn(lambda value: value.name.lower(), _vulnerability),
    Card: WordedColumn(str, Card.parse),
    Call: WordedColumn(str, Call.parse),
    Contract: WordedColumn(str, Contract.parse),
}


@cache
def column_type(hint: Any) -> ColumnType:
    """Return the conversion of a type of the model, given as a type hint. Raises TypeError for a type that no column has."""
    if hint in COLUMN_TYPES:
        return COLUMN_TYPES[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if NoneType in arguments:
        (rest,) = (one for one in arguments if one is not NoneType)
        # Every column of Arrow may have nulls.
        return column_type(rest)
    if origin is Annotated:
        return dataclasses.replace(column_type(arguments[0]), size=arguments[1])  # type: ignore[type-var]
    if origin is tuple and arguments[-1] is Ellipsis:
        return ListColumn(column_type(arguments[0]))
    if origin is tuple:
        # Parts of a struct must have names; tuples have none.
        return StructColumn({f"_{at}": column_type(one) for at, one in enumerate(arguments, 1)}, tuple, lambda *parts: parts)
    if isinstance(hint, type) and issubclass(hint, tuple):
        return StructColumn({name: column_type(one) for name, one in get_type_hints(hint).items()}, tuple, hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        # Fields that are not compared belong to the codec (``origin``), and are left out as in JSON.
        names = [one.name for one in dataclasses.fields(hint) if one.compare]
        parts = {name: column_type(hints[name]) for name in names}
        return StructColumn(parts, lambda value: tuple(getattr(value, name) for name in names), hint)
    raise TypeError(f"no column can hold {hint!r}")
