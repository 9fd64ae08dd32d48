"""The command ``check-system``: what is wrong with a bidding system, with hands as witnesses."""

from __future__ import annotations

import click
from rich.text import Text

from bridgespec.bidding.checking import check_system
from bridgespec.bidding.system import BiddingSystem
from bridgespec.cli.examine import plural
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.options import complete_system
from bridgespec.cli.render import print_diagnostic
from bridgespec.cli.render_marks import RenderSource
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.diagnostic import Severity

GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec check-system sayc
  bridgespec check-system mine.bid --bidding conventions --frequencies
  bridgespec check-system sayc --counts --auctions 10000
""",
    short_help="Find what is wrong with a bidding system.",
)
@click.argument("name", metavar="SYSTEM", shell_complete=complete_system)
@click.option("--auctions", type=click.IntRange(1, 1_000_000), default=1000, show_default=True, help="Auctions that are bid.")
@click.option("--frequencies", is_flag=True, help="Tell how often each opening and each answer is made and each rule was used.")
@click.option("--counts", is_flag=True, help="Count calls that contradict what their side knows, with witnesses.")
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@pass_settings
def command(settings: Settings, name: str, auctions: int, frequencies: bool, counts: bool, strict: bool) -> int:
    """Read a system with all that it takes, bid auctions by it, and put the turns met before many hands. Errors: words that the
    language does not have, hands without a call, forcing calls that may be passed, rules that show what their words deny.
    Warnings: rules that no hand can meet or that leave nothing to do, two calls of one rank for one hand, holes and overlaps of
    ranges. Each has an auction and a hand that show it.
    """
    checked = check_system(BiddingSystem.read(name, settings.bidding), auctions)
    notes = (*(checked.notes if frequencies else ()), *(checked.contradictions if counts else ()))
    for finding in (*checked.findings, *notes):
        print_diagnostic(settings.out, finding, RenderSource.of_file(finding.path) if finding.path else RenderSource.of_file(None))
    errors = sum(finding.severity is Severity.ERROR for finding in checked.findings)
    warnings = sum(finding.severity is Severity.WARNING for finding in checked.findings)
    if frequencies:
        for rule in checked.frequencies:
            if rule.count:
                settings.out.print(Text(f"{rule.count:8}  {rule.place}  {rule.text}"), soft_wrap=True)
    unused = sum(rule.count == 0 for rule in checked.frequencies)
    settings.err.print(
        Text(
            f"{plural(errors, 'error')}, {plural(warnings, 'warning')}; {len(checked.frequencies):,} rules, {unused:,} unused"
            f" in {checked.auctions:,} auctions with {checked.turns:,} turns"
        ),
        soft_wrap=True,
    )
    return FINDINGS if errors or (strict and warnings) else CLEAN
