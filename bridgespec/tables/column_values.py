"""Convert the values of a column to Arrow and back, by the type that the column declares: `shape_of`.

Seats are letters, cards ``SA``, calls and contracts as players write them, vulnerabilities ``none ns ew both``; dataclasses are
structs of their fields, tuples are lists.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from bridgespec.codec.terms._term import Byte, Mask
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
    """The conversion of one type of the model; None is a null for every type."""

    @property
    @abstractmethod
    def arrow(self) -> pa.DataType:
        """The type of the column."""

    def plain(self, value: Any) -> Any:
        """Return the value in the form that Arrow takes."""
        return value

    def model(self, plain: Any) -> Any:
        """Return the model's value of what Arrow gives. Raises ValueError where it is not a value of this type."""
        return plain


@dataclasses.dataclass(frozen=True)
class PlainColumn(ColumnType):
    """Numbers, texts and booleans, unchanged; ``name`` is Arrow's name of the type."""

    name: str

    @property
    def arrow(self) -> pa.DataType:
        return getattr(pa, self.name)()


@dataclasses.dataclass(frozen=True)
class WordedColumn(ColumnType):
    """Values of the model that are written as words."""

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
class ManyColumn(ColumnType):
    """Tuples of one shape, of any number or of ``size``."""

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
class Parts(ColumnType):
    """Values of several parts: dataclasses and tuples of different types, which ``make`` constructs."""

    parts: Mapping[str, ColumnType]
    values: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]

    @property
    def arrow(self) -> pa.DataType:
        return pa.struct([(name, shape.arrow) for name, shape in self.parts.items()])

    def plain(self, value: Any) -> Any:
        if value is None:
            return None
        items = zip(self.parts.items(), self.values(value), strict=True)
        return {name: shape.plain(part) for (name, shape), part in items}

    def model(self, plain: Any) -> Any:
        return None if plain is None else self.make(*(shape.model(plain[name]) for name, shape in self.parts.items()))


def _index_or_name(text: str) -> str | int:
    number = whole_number(text)
    return text if number is None else number


def _vulnerability(text: str) -> Vulnerability:
    try:
        return Vulnerability[text.upper()]
    except KeyError:
        raise ValueError(f"not a vulnerability: {text!r}; it is none, ns, ew or both") from None


SHAPES: Mapping[Any, ColumnType] = {
    str: PlainColumn("string"),
    int: PlainColumn("int64"),
    bool: PlainColumn("bool_"),
    Byte: PlainColumn("uint8"),
    Mask: PlainColumn("uint64"),
    str | int: WordedColumn(str, _index_or_name),
    Seat: WordedColumn(lambda seat: seat.letter, Seat.parse),
    Vulnerability: WordedColumn(lambda value: value.name.lower(), _vulnerability),
    Card: WordedColumn(str, Card.parse),
    Call: WordedColumn(str, Call.parse),
    Contract: WordedColumn(str, Contract.parse),
}


@cache
def shape_of(hint: Any) -> ColumnType:
    """Return the shape of a type. Raises TypeError for one that no column has."""
    if hint in SHAPES:
        return SHAPES[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if NoneType in arguments:
        (rest,) = (one for one in arguments if one is not NoneType)
        # None needs no shape: every column of Arrow may have nulls.
        return shape_of(rest)
    if origin is Annotated:
        return dataclasses.replace(shape_of(arguments[0]), size=arguments[1])  # type: ignore[type-var]
    if origin is tuple and arguments[-1] is Ellipsis:
        return ManyColumn(shape_of(arguments[0]))
    if origin is tuple:
        # Parts of a struct must have names; tuples have none.
        return Parts({f"_{at}": shape_of(one) for at, one in enumerate(arguments, 1)}, tuple, lambda *parts: parts)
    if isinstance(hint, type) and issubclass(hint, tuple):
        return Parts({name: shape_of(one) for name, one in get_type_hints(hint).items()}, tuple, hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        # Fields outside of comparison belong to the codec (`origin`), as in the JSON.
        names = [one.name for one in dataclasses.fields(hint) if one.compare]
        parts = {name: shape_of(hints[name]) for name in names}
        return Parts(parts, lambda value: tuple(getattr(value, name) for name in names), hint)
    raise TypeError(f"no column can hold {hint!r}")
