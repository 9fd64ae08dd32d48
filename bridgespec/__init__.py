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

from bridgespec.lazily import Lazy
from bridgespec.model import drawn
from bridgespec.version import VERSION as __version__

if TYPE_CHECKING:
    from bridgespec.api import Engine, Output, Report, check, dump, dumps, engine, formats, join, load, loads, split
    from bridgespec.bidding.bidder import Bidder, Knowledge
    from bridgespec.bidding.system import BiddingSystem
    from bridgespec.dealing.deals import deals
    from bridgespec.diagnostic import Code, Diagnostic, Edit, Fix, Label, Severity, Span
    from bridgespec.errors import BridgespecError, ReadError, SpecError, UsageError, WriteError
    from bridgespec.export.text import diagram
    from bridgespec.model.auction import Auction, Call
    from bridgespec.model.board import Board, Vulnerability
    from bridgespec.model.cardplay import CardPlay
    from bridgespec.model.cards import Card, Seat, Side, Strain, Suit
    from bridgespec.model.contract import Contract
    from bridgespec.model.deal import Deal
    from bridgespec.model.deck import Deck
    from bridgespec.model.document import Document
    from bridgespec.model.hand import Hand, Holding
    from bridgespec.model.par import Par, ParContract
    from bridgespec.model.play import Play, Trick
    from bridgespec.model.score import board_points, imps, matchpoints, points
    from bridgespec.model.tricks import Tricks
    from bridgespec.publishing import page
    from bridgespec.questions import query
    from bridgespec.scores import score
    from bridgespec.solver import PlayedCard, PlayTrace, Solver, analyse_play, card_worths, par, solve_deal, solve_many
    from bridgespec.solver import solve_document as solve
    from bridgespec.suits import Combination, SuitPlay, suit_play
    from bridgespec.tabular import BoardTable, table

__all__ = [
    "Auction",
    "Bidder",
    "BiddingSystem",
    "Board",
    "BoardTable",
    "BridgespecError",
    "Call",
    "Card",
    "CardPlay",
    "Code",
    "Combination",
    "Contract",
    "Deal",
    "Deck",
    "Diagnostic",
    "Document",
    "Edit",
    "Engine",
    "Fix",
    "Hand",
    "Holding",
    "Knowledge",
    "Label",
    "Output",
    "Par",
    "ParContract",
    "Play",
    "PlayTrace",
    "PlayedCard",
    "ReadError",
    "Report",
    "Seat",
    "Severity",
    "Side",
    "Solver",
    "Span",
    "SpecError",
    "Strain",
    "Suit",
    "SuitPlay",
    "Trick",
    "Tricks",
    "UsageError",
    "Vulnerability",
    "WriteError",
    "__version__",
    "analyse_play",
    "board_points",
    "card_worths",
    "check",
    "deals",
    "diagram",
    "dump",
    "dumps",
    "engine",
    "formats",
    "imps",
    "join",
    "load",
    "loads",
    "matchpoints",
    "page",
    "par",
    "points",
    "query",
    "score",
    "solve",
    "solve_deal",
    "solve_many",
    "split",
    "suit_play",
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
        "split",
    ),
    "bridgespec.bidding.bidder": (
        "Bidder",
        "Knowledge",
    ),
    "bridgespec.bidding.system": ("BiddingSystem",),
    "bridgespec.dealing.deals": ("deals",),
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
    "bridgespec.export.text": ("diagram",),
    "bridgespec.model.auction": (
        "Auction",
        "Call",
    ),
    "bridgespec.model.board": (
        "Board",
        "Vulnerability",
    ),
    "bridgespec.model.cardplay": ("CardPlay",),
    "bridgespec.model.cards": (
        "Card",
        "Seat",
        "Side",
        "Strain",
        "Suit",
    ),
    "bridgespec.model.contract": ("Contract",),
    "bridgespec.model.deal": ("Deal",),
    "bridgespec.model.deck": ("Deck",),
    "bridgespec.model.document": ("Document",),
    "bridgespec.model.hand": (
        "Hand",
        "Holding",
    ),
    "bridgespec.model.par": (
        "Par",
        "ParContract",
    ),
    "bridgespec.model.play": (
        "Play",
        "Trick",
    ),
    "bridgespec.model.score": (
        "board_points",
        "imps",
        "matchpoints",
        "points",
    ),
    "bridgespec.model.tricks": ("Tricks",),
    "bridgespec.publishing": ("page",),
    "bridgespec.questions": ("query",),
    "bridgespec.scores": ("score",),
    "bridgespec.solver": (
        "PlayTrace",
        "PlayedCard",
        "Solver",
        "analyse_play",
        "card_worths",
        "par",
        "solve",
        "solve_deal",
        "solve_many",
    ),
    "bridgespec.suits": (
        "Combination",
        "SuitPlay",
        "suit_play",
    ),
    "bridgespec.tabular": (
        "BoardTable",
        "table",
    ),
}
"""The module of each public name: importing the package imports none of these modules, the first use of a name does."""

_WHERE = {name: module for module, names in _HOMES.items() for name in names}
_RENAMED = {"solve": "solve_document"}
"""The name in its module of each public name that has another one there."""

# The model must not import export. The drawing functions are registered here, and imported when the first value is shown.
_notebook = Lazy("bridgespec.export._notebook")
_diagnostic = Lazy("bridgespec.diagnostic")
drawn.draw_with(lambda value: _notebook.draw(value))


if not TYPE_CHECKING:
    # A type checker takes the names from the imports above, so that a misspelt one is an error.
    def __getattr__(name: str) -> object:
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_diagnostic.hint(name, __all__)}")
        found = getattr(import_module(_WHERE[name]), _RENAMED.get(name, name))
        # Python asks __getattr__ only for names that the module does not have: the second use costs nothing.
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
