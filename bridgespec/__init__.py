"""bridgespec: every bridge file format declared once, everything else derived.

>>> from bridgespec import check, dumps, loads
>>> document = loads(bytes.fromhex("72527a0ae17ae4f952e041fc7c"), "zbd")
>>> print(document.boards[0].deal)
N:J873.J42.Q65.KT2 AT652.A976.AJ82. Q4.85.KT9.A87643 K9.KQT3.743.QJ95
>>> check(dumps(document, "bri"), "bri")
[]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from bridgespec.version import VERSION as __version__

if TYPE_CHECKING:
    from bridgespec.api import Engine, Output, Report, check, dump, dumps, engine, formats, join, load, loads
    from bridgespec.diagnostic import Code, Diagnostic, Edit, Fix, Label, Severity, Span
    from bridgespec.errors import BridgespecError, ReadError, SpecError, UsageError, WriteError
    from bridgespec.model.auction import Auction
    from bridgespec.model.board import Board, Vulnerability
    from bridgespec.model.cards import Card, Seat, Side, Strain, Suit
    from bridgespec.model.contract import Contract
    from bridgespec.model.deal import Deal
    from bridgespec.model.document import Document
    from bridgespec.model.play import Play, Trick
    from bridgespec.model.tricks import Tricks
    from bridgespec.solver import solve_document as solve
    from bridgespec.tabular import BoardTable, table

__all__ = [
    "Auction",
    "Board",
    "BoardTable",
    "BridgespecError",
    "Card",
    "Code",
    "Contract",
    "Deal",
    "Diagnostic",
    "Document",
    "Edit",
    "Engine",
    "Fix",
    "Label",
    "Output",
    "Play",
    "ReadError",
    "Report",
    "Seat",
    "Severity",
    "Side",
    "Span",
    "SpecError",
    "Strain",
    "Suit",
    "Trick",
    "Tricks",
    "UsageError",
    "Vulnerability",
    "WriteError",
    "__version__",
    "check",
    "dump",
    "dumps",
    "engine",
    "formats",
    "join",
    "load",
    "loads",
    "solve",
    "table",
]

_HOMES = {
    "bridgespec.api": (
        "Engine",
        "Output",
        "Report",
        "check",
        "dump",
        "dumps",
        "engine",
        "formats",
        "join",
        "load",
        "loads",
    ),
    "bridgespec.diagnostic": (
        "Code",
        "Diagnostic",
        "Edit",
        "Fix",
        "Label",
        "Severity",
        "Span",
    ),
    "bridgespec.errors": (
        "BridgespecError",
        "ReadError",
        "SpecError",
        "UsageError",
        "WriteError",
    ),
    "bridgespec.model.auction": ("Auction",),
    "bridgespec.model.board": (
        "Board",
        "Vulnerability",
    ),
    "bridgespec.model.cards": (
        "Card",
        "Seat",
        "Side",
        "Strain",
        "Suit",
    ),
    "bridgespec.model.contract": ("Contract",),
    "bridgespec.model.deal": ("Deal",),
    "bridgespec.model.document": ("Document",),
    "bridgespec.model.play": (
        "Play",
        "Trick",
    ),
    "bridgespec.model.tricks": ("Tricks",),
    "bridgespec.solver": ("solve",),
    "bridgespec.tabular": (
        "BoardTable",
        "table",
    ),
}
"""Where each name stands: importing the package imports none of these modules, the first use of a name does."""

_WHERE = {name: module for module, names in _HOMES.items() for name in names}
_RENAMED = {"solve": "solve_document"}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_WHERE[name]), _RENAMED.get(name, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
