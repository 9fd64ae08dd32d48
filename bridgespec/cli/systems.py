"""The command ``systems``: the known bidding systems and conventions."""

from __future__ import annotations

import click

from bridgespec.bidding.language import SystemReader
from bridgespec.cli.bid_report import line
from bridgespec.cli.settings import Settings, pass_settings

GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec systems
  bridgespec --bidding mine systems --conventions
  bridgespec docs book --system sayc        the book of one: its calls, what each shows, and hands
""",
    short_help="List the bidding systems that can be named.",
)
@click.option("--conventions", is_flag=True, help="List conventions too, with the parameters that can be set.")
@pass_settings
def command(settings: Settings, conventions: bool) -> None:
    """List the bidding systems by name and title: those in the folders of --bidding and BRIDGESPEC_BIDDING, and those of the
    package.
    """
    for name, module in sorted(
        SystemReader(settings.bidding).known().items(), key=lambda item: (item[1].kind != "system", item[0])
    ):
        if module.kind == "system" or conventions:
            line(settings.out, f"{name:26} {module.title}")
            # Parameters are floats: without `:g` a 15 of the file would be shown as 15.0.
            for parameter, value in module.parameters.items():
                line(settings.out, f"{'':26}   {parameter} = {value:g}")
