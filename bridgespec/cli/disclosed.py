"""Bidding systems in files of rules, converted to tables of the meaning of each call, for commands that use tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from bridgespec.bidding.rule_file import SUFFIX
from bridgespec.cli.board_sources import LoadedSource
from bridgespec.cli.examine import shown_name
from bridgespec.cli.settings import Settings
from bridgespec.cli.transfer import Decorated
from bridgespec.lazily import Lazy
from bridgespec.model.document import Document

if TYPE_CHECKING:
    from bridgespec.bidding import meaning_table
    from bridgespec.bidding import system as systems
else:
    # The bidder is slow to import, and few of the files that commands read are systems of rules.
    meaning_table, systems = Lazy("bridgespec.bidding.meaning_table"), Lazy("bridgespec.bidding.system")

DEPTH = 3
"""The default of ``--depth``."""


def is_rules(path: str) -> bool:
    """Whether a path names a file of rules: an existing file, or a known system."""
    return PurePath(path).suffix.lower() == SUFFIX


def disclosed(settings: Settings, path: str, depth: int | None) -> LoadedSource:
    """Return a system of rules as a source: a document whose system is the table of the meaning of each call.

    Auctions are followed for ``depth`` calls of the system's side, by default `DEPTH`.
    """
    system = systems.BiddingSystem.load(path, settings.bidding)
    table = meaning_table.disclose(system, DEPTH if depth is None else depth)
    return LoadedSource(settings, shown_name(path), SUFFIX.lstrip("."), Document(system=table))


def depth_option() -> Callable[[Decorated], Decorated]:
    """Return the option for the number of calls up to which auctions are followed."""
    help = f"Of a system of rules: how many calls of its side are followed.  [default: {DEPTH}]"
    return click.option("--depth", type=click.IntRange(1, 6), help=help)
