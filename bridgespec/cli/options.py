"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from bridgespec.cli.ranges import take_ranges
from bridgespec.cli.settings import QUIET, Settings, set_quiet
from bridgespec.lazily import Lazy
from bridgespec.model.board import Board, Vulnerability, standard_dealer, standard_vulnerability
from bridgespec.model.deal import Deal
from bridgespec.model.deck import parse_deck_hex
from bridgespec.model.number_texts import decimal

if TYPE_CHECKING:
    from bridgespec.bidding import language
else:
    # Only completion in the shell needs the names of bidding systems.
    language = Lazy("bridgespec.bidding.language")

SUIT_LETTERS = str.maketrans("♠♥♦♣", "SHDC")
"""A table for `str.translate` that replaces the four suit signs by letters."""
VULNERABILITIES = {one.name.lower(): one for one in Vulnerability}
"""The vulnerability of a board for each word that the options ``--vul`` accept."""

PATH = click.Path(allow_dash=True, readable=False)
"""A file or folder, or - for standard input or output, with completion by shells. A missing file is reported when it is read."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class DecimalRange(click.ParamType[Fraction]):
    """An option's type for exact decimal numbers within bounds; unlike click's floats it excludes ``nan`` and ``inf``."""

    name = "decimal"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Return the exact number of an option's text, or of its integer default."""
        try:
            number = decimal(str(value))
        except ValueError as error:
            self.fail(f"{error}; give one from {self.least} to {self.most}", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"{value} is not in the range {self.least} to {self.most}", param, ctx)
        return number


def complete_format(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the formats whose names begin with ``incomplete``, for completion in the shell."""
    formats = context.ensure_object(Settings).formats
    return [CompletionItem(spec.id, help=spec.title) for spec in formats if spec.id.startswith(incomplete.lower())]


def complete_system(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bidding systems whose names begin with ``incomplete``, for completion in the shell."""
    known = language.SystemReader(context.ensure_object(Settings).bidding).known()
    systems = {name: module.title for name, module in known.items() if module.kind == "system"}
    return [CompletionItem(name, help=title) for name, title in sorted(systems.items()) if name.startswith(incomplete)]


def format_option(*names: str, help: str) -> Callable[[Decorated], Decorated]:
    """Return a command-line option whose value is the name of a format."""
    return click.option(*names, metavar="ID", shell_complete=complete_format, help=help)


def boards_option(help: str = "Only these boards, by number: 1-16,20.") -> Callable[[Decorated], Decorated]:
    """Return the option ``--boards``."""
    return click.option("--boards", metavar="RANGES", callback=take_ranges, help=help)


def take_deal(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Board | None:
    """Return a board with the deal that an option states; None if the option is absent. Raises BadParameter for an invalid text.

    A deck code with a hyphen and a last digit also states the number of a board, from which dealer and vulnerability follow.
    """
    if text is None:
        return None
    try:
        # In "N:... - ..." a hyphen is an unknown hand; in a deck code it precedes the number of the board.
        if "-" in text and ":" not in text:
            deal, number = parse_deck_hex(text)
            assert number is not None
            return Board(deal=deal, dealer=standard_dealer(number), vulnerability=standard_vulnerability(number))
        return Board(deal=Deal.parse(text.translate(SUIT_LETTERS)))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def deal_option(verb: str) -> Callable[[Decorated], Decorated]:
    """Return the option ``--deal``."""
    help = f'{verb} this deal: "N:hand hand hand hand", S.H.D.C each; 26 hexadecimal digits; or its number.'
    return click.option("--deal", "dealt", metavar="DEAL", callback=take_deal, help=help)


quiet_option = click.option("-q", "--quiet", is_flag=True, callback=set_quiet, expose_value=False, help=QUIET)
"""Shown in the help of commands that report what they did; every command accepts it."""

base_option = click.option(
    "--base",
    metavar="SYSTEM",
    shell_complete=complete_system,
    default="sayc",
    show_default=True,
    help="Bids where a Full Disclosure card is silent.",
)


output_format_option = click.option(
    "--output-format",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
    help="Text for people, one JSON object a line, or SARIF 2.1.0.",
)
