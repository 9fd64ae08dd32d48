"""The command ``deal``: random deals that satisfy a condition, or those of a file, written, counted or solved.

`command` combines the options and the script into one condition and a `_Wanted`. `_deals_of` returns the source of deals. `_deal`
takes accepted deals from it in batches, counts and solves them, and returns a `FoundDeals` for `_write` or `_show`.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import randbelow

import click
import numpy as np
from rich.text import Text

from bridgespec.bidding.auction_condition import after
from bridgespec.bidding.bidder import Bidder
from bridgespec.cli.array_sources import large_file
from bridgespec.cli.board_targets import target_of
from bridgespec.cli.deal_report import FoundDeals, action_lines, contract_lines
from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.files import STDIO, read
from bridgespec.cli.generated_deals import write_deals
from bridgespec.cli.options import PATH, VULNERABILITIES, format_option, quiet_option
from bridgespec.cli.progress import meter
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.dealing.deal_condition import read_condition
from bridgespec.dealing.deal_stream import DealStream, StoredDeals
from bridgespec.dealing.expression import ByteArray, DealCondition, Deals
from bridgespec.dealing.script import Print, Script, read_script
from bridgespec.dealing.shares import DealSource, shared, shares_of
from bridgespec.errors import UsageError
from bridgespec.export.text import board_text
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.tricks import UNSOLVED

SHOWN = 4
"""The number of deals shown where neither a number nor a file is given."""
MOST_WRITTEN = 1_000_000
"""The maximum number of deals that are shown or written."""
SEEDS = 1_000_000_000
"""Without --seed a random seed below this is used, so that two runs of one command deal different boards."""
SOLVED = 1000
"""The number of deals that are solved at a time."""
ROWS = 1 << 13
"""The number of records of a file that are read at a time."""


GROUP = "Deals and bidding"


@click.command(
    epilog="""\b
Examples:
  bridgespec deal "north: hcp 15-17 and balanced; south: hearts 5+"
  bridgespec deal "ns: hcp 25-26, hearts 8+" -n 1000 -o practice.pbn
  bridgespec deal "north: hcp 15-17" --share "north: spades 5" --share "2* north: balanced" -n 30 -o mixed.pbn
  bridgespec deal --hand "S:AKQ95.AT3.KJ2.97" --auction "1S P 2S P" --dealer S -n 20 -o opposite.lin
  bridgespec deal "south: hcp 6-9, spades 3" --hand "N:AKQ95.AT3.KJ2.97" --solve "4S by N" -n 1000
  bridgespec deal "north: any 5431" -n 10000 --average "losers(north)" --frequency "hcp(north),0,20"
  bridgespec deal --script weak-two.dealer
""",
    short_help="Deal at random what a condition asks for.",
)
@click.argument("condition", metavar="[CONDITION]", required=False)
@click.option("-n", "--count", type=click.IntRange(1), metavar="N", help=f"How many deals; {SHOWN} unless given.")
@click.option(
    "--share",
    "shares",
    metavar="CONDITION",
    multiple=True,
    help="One share of the deals satisfies this too (repeatable); '2* CONDITION': two shares.",
)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="Write the deals there, in any format that holds deals.")
@format_option("--to", "to_format", help="The format of DEST, where its name does not tell it.")
@click.option("--hand", "hands", metavar="SEAT:HAND", multiple=True, help="Cards that are known: N:AKQ95.AT3.KJ2.97 (repeatable).")
@click.option("--auction", metavar="CALLS", help="The calls so far: what they show, by --system, is part of the condition.")
@click.option("--system", metavar="SYSTEM", default="sayc", show_default=True, help="The system of the auction: a name or a file.")
@click.option("--dealer", metavar="SEAT", help="Who deals. Deals are numbered boards without it.")
@click.option("--vul", type=click.Choice(list(VULNERABILITIES), case_sensitive=False), help="Who is vulnerable, likewise.")
@click.option("--script", "script_path", metavar="FILE", type=PATH, help="A script of the program dealer; - is standard input.")
@click.option("--variable", "variables", metavar="N=TEXT", multiple=True, help="The text of $N in the script (repeatable).")
@click.option("--counts", "counts_path", metavar="FILE", type=PATH, help="A Python file with the script's opc and usereval.")
@click.option(
    "--deals", "deals_path", metavar="FILE", type=PATH, help="Take the deals of a file, and its results, in place of random ones."
)
@click.option("--average", "averages", metavar="EXPR", multiple=True, help="The mean of a script's expression (repeatable).")
@click.option("--frequency", "frequencies", metavar="EXPR,LOW,HIGH", multiple=True, help="How often each of its values comes.")
@click.option("--solve", "contract", metavar="TEXT", help="How often a contract makes: '4S by north'.")
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same deals; a new one is printed.")
@click.option(
    "--tries", type=click.IntRange(1), metavar="N", help="Deals that may be made to find these; 1000 times as many unless given."
)
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Threads of the solver; all cores unless given.")
@quiet_option
@pass_settings
def command(
    settings: Settings,
    condition: str | None,
    count: int | None,
    shares: tuple[str, ...],
    dest: str | None,
    to_format: str | None,
    hands: tuple[str, ...],
    auction: str | None,
    system: str,
    dealer: str | None,
    vul: str | None,
    script_path: str | None,
    variables: tuple[str, ...],
    counts_path: str | None,
    deals_path: str | None,
    averages: tuple[str, ...],
    frequencies: tuple[str, ...],
    contract: str | None,
    seed: int | None,
    tries: int | None,
    jobs: int | None,
) -> int:
    """Deal at random, every deal that satisfies the condition as likely as any other.

    A condition names seats, or a side for both hands together, and terms of their hands, with "and", "or", "not":
    `north: hcp 15-17 and balanced; ns: spades 8+`. Lengths, points and single cards are dealt at once, not tried for. With
    --average, --frequency or --solve the deals are counted, else shown, or written with -o. Exit status 1 where not enough deals
    were found.
    """
    script = _script(script_path, variables, counts_path, averages, frequencies)
    if condition is not None and script_path is not None:
        raise UsageError("a script has its own condition: give one of them")
    seat = None if dealer is None else _seat(dealer)
    asked = [script.condition]
    if condition is not None:
        asked.append(read_condition(condition))
    known = dict(script.known)
    for text in hands:
        _add_known_cards(known, text)
    if auction is not None:
        asked.append(_auction_condition(settings, auction, system, seat, vul))
    wanted = _Wanted(script, seat, vul, None if contract is None else _contract(contract), count, dest)
    # --seed prevails over the seed of the script, so that a published script can be run with other deals.
    stated = seed if seed is not None else script.seed
    # A seed is drawn only where neither the command line nor the script gives one; the summary prints a drawn seed.
    drawn = randbelow(SEEDS) if stated is None and deals_path is None else None
    try:
        stream = _deals_of(settings, deals_path, asked, shares, wanted.count, known, stated or drawn or 0, jobs)
    except ValueError as error:
        raise UsageError(str(error)) from None
    made = _deal(settings, stream, wanted, tries or (script.generate if script_path else 1000 * wanted.count))
    if dest is not None:
        _write(settings, made, wanted, dest, to_format)
    else:
        _show(settings, made, wanted)
    _summarise(settings, stream, made, wanted, drawn)
    # `generate` of a script limits the deals that are tried, so finding fewer than `produce` is not an error.
    return 0 if len(made.holders) >= wanted.count or script_path is not None else 1


def _auction_condition(settings: Settings, calls: str, system: str, dealer: Seat | None, vul: str | None) -> DealCondition:
    """Return the condition that the four hands fit an auction by a system. Raises UsageError where no dealer is named."""
    if dealer is None:
        raise UsageError("who deals? An auction needs --dealer")
    bidder = Bidder(system, folders=settings.bidding)
    return after(bidder, calls, dealer, VULNERABILITIES[(vul or "none").lower()])


@dataclass
class _Wanted:
    """The settings of one call of the command, from its options and its script; the options prevail."""

    script: Script
    dealer: Seat | None
    vul: str | None
    contract: tuple[Contract, Seat] | None
    number: int | None
    dest: str | None

    @property
    def count(self) -> int:
        """The number of deals to be found."""
        if self.number is not None:
            return self.number
        return self.script.wanted if self.script.actions else 1000 if self.contract else SHOWN

    @property
    def boards(self) -> bool:
        """Whether the deals themselves are shown or written, and not only the results of actions."""
        printed = any(isinstance(action, Print) for action in self.script.actions)
        return self.dest is not None or printed or not (self.script.actions or self.contract)


def _script(
    path: str | None,
    variables: Sequence[str],
    counts_path: str | None,
    averages: Sequence[str],
    frequencies: Sequence[str],
) -> Script:
    """Return the script of a file, or an empty one, with an action for each --average and --frequency."""
    script = Script()
    counts = {} if counts_path is None else _counts(counts_path)
    if path is not None:
        texts_of = dict(_variable(text) for text in variables)
        script = read_script(read(path).decode("utf-8", "replace"), shown_name(path), texts_of, counts)
    elif variables:
        raise UsageError("--variable is of a script: name it with --script")
    for word, texts in (("average", averages), ("frequency", frequencies)):
        for text in texts:
            # An expression may have commas of its own: the bounds of a frequency are the last two.
            action = f'average "{text}" {text}' if word == "average" else f'frequency "{text.rsplit(",", 2)[0]}" ({text})'
            script.actions.extend(read_script(f"action {action}", f"--{word}", counts=counts).actions)
    return script


def _counts(path: str) -> dict[str, Callable[..., object]]:
    """Run a Python file of the user and return its functions ``opc`` (a point count) and ``usereval``."""
    try:
        names = runpy.run_path(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    # Whatever the user's file raises is a fault of that file, and no internal error of this program.
    except Exception as error:
        raise UsageError(f"{path} does not run: {type(error).__name__}: {error}") from None
    found = {name: names[name] for name in ("opc", "usereval") if callable(names.get(name))}
    if not found:
        raise UsageError(f"{path} defines no function named opc or usereval")
    return found


def _variable(text: str) -> tuple[str, str]:
    """Return the digit and the text of ``--variable``: ``1=west``."""
    number, equals, value = text.partition("=")
    if not equals or len(number) != 1 or number not in "0123456789":
        raise click.BadParameter(f"{text!r}: give the digit of a variable and its text, as 1=west", param_hint="--variable")
    return number, value


def _add_known_cards(known: dict[int, int], text: str) -> None:
    """Add the cards of a ``--hand`` (SEAT:HAND) to ``known``, which maps cards to seats. Raises BadParameter for a card in two
    hands.
    """
    seat_text, colon, hand = text.partition(":")
    if not colon:
        raise click.BadParameter(f"{text!r}: whose hand? Say N:{text}", param_hint="--hand")
    seat = _seat(seat_text)
    try:
        # `Deal.parse` needs four hands; a hyphen is an unknown one.
        deal = Deal.parse(f"{'WNES'[seat]}:{hand.strip()} - - -")
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: {error}", param_hint="--hand") from None
    for slot, holder in enumerate(deal.holders):
        # Parts of one hand may be in several options, but a card in two hands is an error, reported here with its text.
        if holder == seat and known.setdefault(slot, int(seat)) != seat:
            raise click.BadParameter(f"{text!r}: a card of it is in another hand", param_hint="--hand")


def _deals_of(
    settings: Settings,
    path: str | None,
    conditions: Sequence[DealCondition],
    shares: Sequence[str],
    count: int,
    known: Mapping[int, int],
    seed: int,
    threads: int | None,
) -> DealSource:
    """Return a source of deals that satisfy the conditions: those of a file if ``path`` is given, else random ones.

    ``known`` maps cards to seats. Raises ValueError for known cards or shares that are impossible.
    """

    def source(condition: DealCondition, seed: int) -> DealStream | StoredDeals:
        if path is None:
            return DealStream(condition, known, seed, threads)
        return StoredDeals(_stored_deals(settings, path), condition, known, seed, threads)

    return shared(source, conditions, shares_of(shares, count), seed)


def _stored_deals(settings: Settings, path: str) -> Iterator[tuple[ByteArray, ByteArray | None]]:
    """Yield the deals of a file in chunks: holders, shape (deals, 52), and trick tables, (deals, 20), None where its format has
    none.

    Files of fixed-size records are read in chunks; records that are not clean are left out. Raises UsageError where there is no
    deal in the file.
    """
    # With `least`, also a small file is read as arrays, the form in which its deals are needed.
    large = large_file(settings, path, None, least=1)
    if large is None or not large.codec.deal_views:
        yield _deals_of_boards(settings, path)
        return
    codec = large.codec
    names = dict.fromkeys((*codec.deal_fields, *codec.tricks_fields))
    for start in range(0, large.count, ROWS):
        stop = min(start + ROWS, large.count)
        # Records with errors are left out: their bytes may be no deal.
        arrays = codec.unpack(np.ascontiguousarray(large.rows(start, stop)[~large.mark(start, stop)]), names)
        tables = codec.tricks(arrays) if codec.tricks_view is not None else None
        yield codec.deals(arrays), tables


def _deals_of_boards(settings: Settings, path: str) -> tuple[ByteArray, ByteArray]:
    """Return all deals of a file of any format as one chunk of `_stored_deals`."""
    boards = settings.engine.load(read(path), path=path).boards
    dealt = [(board.deal, board.tricks) for board in boards if board.deal is not None]
    if not dealt:
        raise UsageError(f"{path}: there is no deal in it")
    holders = [deal.holders for deal, _ in dealt]
    tables = [bytes([UNSOLVED]) * 20 if tricks is None else tricks.cells for _, tricks in dealt]
    return (
        np.frombuffer(b"".join(holders), np.uint8).reshape(-1, 52),
        np.frombuffer(b"".join(tables), np.uint8).reshape(-1, 20),
    )


def _deal(settings: Settings, stream: DealSource, wanted: _Wanted, tries: int) -> FoundDeals:
    """Take accepted deals from the source until there are enough, or ``tries`` deals were made. Pass them to the actions of the
    script, and solve them if the options or actions require it.
    """
    made = FoundDeals()
    parts: list[Deals] = []
    left = wanted.count
    counting = [action for action in wanted.script.actions if not isinstance(action, Print)]
    solving = wanted.contract is not None or any(action.value.solves for action in counting)
    if wanted.boards and wanted.count > MOST_WRITTEN:
        raise UsageError(f"at most {MOST_WRITTEN:,} deals are written at a time: part them by --seed")
    with meter(settings, wanted.count, "dealing", "deals") as progress:
        for deals in stream.accepted(tries):
            # Solving a batch of 16,384 deals at once would show no progress for minutes.
            step = SOLVED if solving else max(1, len(deals))  # `range` refuses 0, and no deal of a batch may be accepted
            for at in range(0, min(len(deals), left), step):
                part = deals.where(slice(at, min(left, at + step)))
                for action in counting:
                    action.add(part)
                if wanted.contract is not None:
                    made.tricks.append(part.tricks(wanted.contract[0].strain, wanted.contract[1]).astype(np.int64))
                progress.advance(len(part))
                parts.append(part)
            left -= min(left, len(deals))
            if left <= 0:
                break
    made.deals = Deals.joined(parts)
    return made


def _boards(made: FoundDeals, wanted: _Wanted) -> Iterator[Board]:
    """Yield the deals as numbered boards, with the dealer and vulnerability of the options, else of the script."""
    script = wanted.script
    dealer, vul = wanted.dealer, None if wanted.vul is None else VULNERABILITIES[wanted.vul.lower()]
    if script.actions and dealer is None:
        dealer, vul = script.dealer, script.vulnerability if vul is None else vul
    for number, holders in enumerate(made.holders, script.first):
        yield Board(number=number, deal=Deal(holders.tobytes()), dealer=dealer, vulnerability=vul)


def _write(settings: Settings, made: FoundDeals, wanted: _Wanted, dest: str, to_format: str | None) -> None:
    """Write the deals to a file, and print the results of all actions that do not print deals."""
    target = target_of(settings, dest, to_format)
    if not len(made.holders):
        raise UsageError("no deal was found, and nothing was written")
    # Boards with a deal and a number only can be written as arrays, without `Board` objects.
    plain = wanted.dealer is None and wanted.vul is None and not wanted.script.actions
    write_deals(settings, made.holders, None if plain else lambda: _boards(made, wanted), target, dest)
    _show(settings, made, replace(wanted, dest=None), boards=False)


def _show(settings: Settings, made: FoundDeals, wanted: _Wanted, boards: bool = True) -> None:
    """Print the deals, unless ``boards`` is false, and the results of the actions and of --solve."""
    lines = [wanted.script.title] if boards and wanted.script.title else []
    if boards and wanted.boards and not wanted.script.actions:
        lines += [board_text(board) + "\n" for board in _boards(made, wanted)]
    for action in wanted.script.actions:
        if boards or not isinstance(action, Print):
            lines += action_lines(action, made, [*_boards(made, wanted)] if isinstance(action, Print) else [])
    if wanted.contract is not None:
        vulnerable = wanted.vul is not None and VULNERABILITIES[wanted.vul.lower()].covers(wanted.contract[1].side)
        lines += contract_lines(*wanted.contract, made, vulnerable)
    for line in lines:
        settings.out.print(Text(line), soft_wrap=True)


def _summarise(settings: Settings, stream: DealSource, made: FoundDeals, wanted: _Wanted, drawn: int | None) -> None:
    """Print how many deals were found and tried, the random seed, and what to do if there are too few. Print nothing with
    --quiet, unless there are too few.
    """
    if settings.quiet and len(made.holders) >= wanted.count:
        return
    where = "" if wanted.dest is None else f"{'<stdout>' if wanted.dest == STDIO else wanted.dest}: "
    text = f"{where}{plural(len(made.holders), 'deal')} of {stream.tried:,} {stream.tried_as}"
    if stream.equivalent > stream.tried:
        text += f"; by shuffling alone {stream.equivalent:,.0f} would have been"
    if drawn is not None and len(made.holders):
        text += f"; --seed {drawn} gives the same again"
    settings.err.print(Text(text), soft_wrap=True)
    if not len(made.holders) and stream.impossible:
        settings.err.print(Text("no deal can satisfy the condition"), soft_wrap=True, style="bold yellow")
    elif len(made.holders) < wanted.count:
        text = f"{plural(wanted.count, 'deal')} were asked for: allow more with --tries, or ask for less"
        settings.err.print(Text(text), soft_wrap=True, style="bold yellow")


def _seat(text: str) -> Seat:
    """Return the seat with a name. Raises UsageError for any other text."""
    try:
        return Seat.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _contract(text: str) -> tuple[Contract, Seat]:
    """Parse the contract and declarer of ``--solve``: 4S by north."""
    words = text.replace("-", " ").replace(" by ", " ").split()
    try:
        contract = Contract.parse(words[0] if words else text)
        if len(words) != 2 or contract.is_passed_out:
            raise ValueError(f"who plays {text!r}? Say '{words[0]} by south'")
        return contract, Seat.parse(words[1])
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--solve") from None
