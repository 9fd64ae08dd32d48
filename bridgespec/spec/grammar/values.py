"""Values of the ``//-`` lines of a grammar: texts, severities, mappings, each mistake with its place."""

from __future__ import annotations

from bridgespec.diagnostic import Severity
from bridgespec.spec.grammar.keys import WORDS
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


def known_keys(block: Map, what: str, problems: Problems, more: frozenset[str] = frozenset()) -> None:
    """Report every key of the mapping that is not a word of ``what`` (see `WORDS`); of ``more`` something is said elsewhere."""
    keys = WORDS[what]
    problems.took(what, block.keys)
    for name, scalar in block.keys.items():
        if name not in keys and name not in more:
            help_ = nearest(name, keys) or f"known here: {', '.join(sorted(keys))}"
            problems.add(KEY, f"unknown key '{name}'", scalar.place, help_)


def text_of(block: Map, key: str, problems: Problems) -> str | None:
    """The text of a key; None where it is not there."""
    value = block.get(key)
    if value is None:
        return None
    if not isinstance(value, Scalar):
        problems.add(VALUE, f"'{key}' is a text, not {value.what}", value.place)
        return None
    return value.text


def number_of(block: Map, key: str, problems: Problems) -> int | None:
    """The whole number of a key; None where it is not there."""
    value = block.get(key)
    if value is None:
        return None
    if not isinstance(value, Scalar) or value.kind != "int":
        problems.add(VALUE, f"'{key}' is a whole number, not {value.what}", value.place)
        return None
    return int(value.text, 0)


def flag_of(block: Map, key: str, problems: Problems) -> bool:
    """Whether a key is true; it is not where it does not stand."""
    value = block.get(key)
    if value is not None and not (isinstance(value, Scalar) and value.kind == "bool"):
        problems.add(VALUE, f"'{key}' is true or false, not {value.what}", value.place)
    return plain(value) is True


def severity_of(block: Map, problems: Problems, otherwise: str = "error") -> Severity:
    """The ``severity`` of a finding; ``otherwise`` where none is given."""
    text = text_of(block, "severity", problems) or otherwise
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


def pairs_of(block: Map, key: str, problems: Problems) -> dict[str, str]:
    """A mapping of texts to texts."""
    value = block.get(key)
    if value is not None and not isinstance(value, Map):
        problems.add(VALUE, f"'{key}' is a mapping, not {value.what}", value.place)
    return {k: str(plain(v)) for k, v in value.values.items()} if isinstance(value, Map) else {}


def names_of(block: Map, key: str, problems: Problems) -> tuple[str, ...]:
    """The texts of a list."""
    value = block.get(key)
    if value is not None and not isinstance(value, Items):
        problems.add(VALUE, f"'{key}' is a list, not {value.what}", value.place)
    return tuple(str(plain(item)) for item in value) if isinstance(value, Items) else ()
