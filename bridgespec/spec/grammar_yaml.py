"""Values of the ``//-`` lines of a grammar: texts, severities, mappings, each mistake with its place."""

from __future__ import annotations

from bridgespec.diagnostic import Severity
from bridgespec.spec.problems import KEY, VALUE, Problems, nearest
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def plain(value: Yaml | None) -> Plain:
    """A YAML value as plain Python."""
    if isinstance(value, Map):
        return {key: plain(item) for key, item in value.values.items()}
    if isinstance(value, Items):
        return [plain(item) for item in value]
    if value is None or value.kind == "null":
        return None
    if value.kind == "int":
        return int(value.text, 0)
    if value.kind == "float":
        return float(value.text)
    return value.text == "true" if value.kind == "bool" else value.text


def known_keys(block: Map, keys: frozenset[str], problems: Problems) -> None:
    """Report every key of the mapping that is not one of ``keys``."""
    for name, scalar in block.keys.items():
        if name not in keys:
            problems.add(KEY, f"unknown key '{name}'", scalar.place, nearest(name, keys))


def text_of(block: Map, key: str, problems: Problems) -> str | None:
    """The text of a key; None where it is not there."""
    value = block.get(key)
    if value is None:
        return None
    if not isinstance(value, Scalar):
        problems.add(VALUE, f"'{key}' is a text, not {value.what}", value.place)
        return None
    return value.text


def severity_of(block: Map, problems: Problems) -> Severity:
    """What ``severity`` says, an error where it says nothing."""
    text = text_of(block, "severity", problems) or "error"
    if text not in list(Severity):
        problems.add(VALUE, f"a severity is error, warning or note, not {text!r}", block.key_place("severity"))
        return Severity.ERROR
    return Severity(text)


def maps_of(block: Map, key: str, problems: Problems) -> list[Map]:
    """The mappings of a key that holds one or a list of them."""
    value = block.get(key)
    items = list(value) if isinstance(value, Items) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, Map):
            problems.add(VALUE, f"'{key}' holds mappings, not {item.what}", item.place)
    return [item for item in items if isinstance(item, Map)]


def pairs_of(block: Map, key: str) -> dict[str, str]:
    """A mapping of texts to texts."""
    value = block.get(key)
    return {k: str(plain(v)) for k, v in value.values.items()} if isinstance(value, Map) else {}


def names_of(value: Plain) -> tuple[str, ...]:
    """The texts of a list."""
    return tuple(map(str, value)) if isinstance(value, list) else ()
