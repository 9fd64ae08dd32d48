"""bridgespec: every bridge file format declared once, everything else derived.

>>> document = loads(bytes.fromhex("72527a0ae17ae4f952e041fc7c"), "zbd")
>>> print(document.boards[0].deal)
N:J873.J42.Q65.KT2 AT652.A976.AJ82. Q4.85.KT9.A87643 K9.KQT3.743.QJ95
>>> check(dumps(document, "bri"), "bri")
[]
"""

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

__all__ = [
    "Auction",
    "Board",
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
    "check",
    "dump",
    "dumps",
    "engine",
    "formats",
    "join",
    "load",
    "loads",
    "solve",
]
