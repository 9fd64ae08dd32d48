"""Targets of boards: formats, exporters, and tables, whose library is an extra."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import PurePath

from bridgespec.cli.examine import shown_name
from bridgespec.cli.files import STDIO
from bridgespec.cli.settings import Settings
from bridgespec.errors import UsageError
from bridgespec.export import EXPORTERS, Exporter
from bridgespec.extras import require
from bridgespec.recognise import by_name
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import Spec
from bridgespec.tables.table_files import KINDS, Kind, kind_by_name

SYSTEM = "system"
"""The term of a whole bidding system, which is not a term of a board."""
Other = Exporter | Kind
"""A target without a schema: an exporter, or a kind of table."""
Target = Spec | Other
"""Any target."""
OTHERS: Mapping[str, Other] = {**EXPORTERS, **KINDS}
"""The exporters and kinds of tables, by name."""


def require_arrow(*sources: str, target: str | None = None) -> None:
    """Raise UsageError where pyarrow is needed for a source, by its name, or for a target, and is not installed."""
    if target in KINDS or any(kind_by_name(path) for path in sources):
        require("pyarrow")


def name_of(target: Target) -> str:
    """Return the id of a format, or the name of an exporter or of a kind of table."""
    return target.id if isinstance(target, Spec) else target.name


def holds_systems(spec: Spec) -> bool:
    """Whether a format can represent a bidding system."""
    return isinstance(spec.text, Grammar) and any(rule.words.binding.term == SYSTEM for rule in spec.text.rules.values())


def refuse_plain(shown: str, spec: Spec, target: Target) -> None:
    """Raise UsageError for a source whose format has no boards, unless the target is its own format."""
    if not isinstance(target, Spec) or target.id != spec.id:
        what = f"{shown}: {spec.id} describes no boards, and only boards become {name_of(target)}"
        raise UsageError(f"{what}: convert it to .json for its fields; `bridgespec query` makes a table of fixed-size records")


def refuse_systems(shown: str, target: Target) -> None:
    """Raise UsageError for a source that is a bidding system, where the target cannot represent one."""
    if isinstance(target, Spec) and not holds_systems(target):
        raise UsageError(f"{shown} holds a bidding system and no boards, and {target.id} cannot hold a system")


def target_of(settings: Settings, path: str, name: str | None) -> Target:
    """Return the target by ``name`` if given, else by the extension. Raises UsageError if it is unknown."""
    target = _named(settings, name) if name is not None else _by_name(settings, path)
    if isinstance(target, Kind):
        require_arrow(target=target.name)
    binary = target.language == "ksy" if isinstance(target, Spec) else isinstance(target, Kind)
    # Bytes of a file may be control sequences, which a terminal obeys.
    if path == STDIO and binary and sys.stdout.isatty():
        raise UsageError(f"{name_of(target)} is a binary format; send standard output to a file or a program")
    return target


def _named(settings: Settings, name: str) -> Target:
    return other_named(settings, name) or settings.engine.spec(name)


def other_named(settings: Settings, name: str) -> Other | None:
    """Return the exporter or the kind of table with this name; None where a format has the name."""
    # A schema prevails over an exporter of the same name.
    return None if name.lower() in {head.id for head in settings.heads} else OTHERS.get(name.lower())


def _by_name(settings: Settings, path: str) -> Target:
    found = by_name(settings.heads, path)
    if len(found) == 1:
        return settings.engine.spec(found[0].id)
    if found:
        names = " or ".join(spec.id for spec in found)
        raise UsageError(f"{shown_name(path)}: its extension may mean {names}; name one with --to")
    other = other_of(path)
    if other is not None:
        return other
    what = "standard output has no extension" if path == STDIO else f"{path}: no format has this extension"
    raise UsageError(f"{what}; name the format with --to (`bridgespec formats` lists them)")


def other_of(path: str) -> Other | None:
    """Return the exporter or the kind of table for a file's extension; None where there is none."""
    suffix = PurePath(path).suffix.lower()
    return next((other for other in OTHERS.values() if suffix and other.suffix == suffix), None)
