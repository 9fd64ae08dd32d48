"""The command ``suit``: the best play of one suit.

`command` takes the `Combination`s that the arguments name (`_CombinationSource`), adds what the options state about the defenders'
cards (`_PlayOptions`), solves each and prints it (`_report`), as JSON or as a picture if asked for. With ``--table`` the
combinations of two lengths are solved instead (`_write_table`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import click
from rich.text import Text

from bridgespec.cli.options import PATH, boards_option, deal_option, format_option
from bridgespec.cli.origins import NamedSource
from bridgespec.cli.progress import tracked
from bridgespec.cli.ranges import Ranges, chosen
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.errors import UsageError
from bridgespec.model.board import Board
from bridgespec.model.cards import Seat, Suit
from bridgespec.model.combination import Combination
from bridgespec.model.hand import Holding
from bridgespec.suits import HANDS, MODEL_NOTE, Goal, SuitPlay, picture, suit_play, suit_tables, tree_text
from bridgespec.suits.suit_solver import SuitEngine
from bridgespec.writing import written

GROUP = "Deals and bidding"
_RANKS = re.compile("[2-9TJQKA]+", re.IGNORECASE)
_SPAN = re.compile(r"(\d{1,2})-(\d{1,2})")


class NumberRange(click.ParamType[tuple[int, int]]):
    """An option's type: two numbers with a hyphen between them."""

    name = "span"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the two numbers; a single number is both where the option allows that."""
        text = str(value)
        # `--west 3` is exactly three cards.
        found = _SPAN.fullmatch(text) or _SPAN.fullmatch(f"{text}-{text}")
        # Both lengths of a suit and vacant places of a hand are at most 13.
        if found is None or max(map(int, found.groups())) > 13:
            self.fail(f"{value!r} is not two numbers up to 13, like 7-9", param, ctx)
        return int(found[1]), int(found[2])


_SEAT = click.Choice([str(hand) for hand in HANDS], case_sensitive=False)


@click.command(
    epilog="""\b
Examples:
  bridgespec suit AJT5 K932                    North's cards, South's cards
  bridgespec suit AJT 432 --tricks 2 --lines 3 --tree
  bridgespec suit AQT9 432 --vacant 7-9        West has 7 places for unknown cards, East 9
  bridgespec suit KJ4 532 --west 2-4 --entries south 1 --lead-from north
  bridgespec suit layouts.zbs --unused played  each suit of a file; defenders' cards in it are known
  bridgespec suit --table 4-3 -o table.tsv     all combinations of four cards opposite three; resumable
  bridgespec suit --deal "N:AJT5.K.. ... K932..." --seat S
""",
    short_help="The best play of one suit, with its chances.",
)
@click.argument("cards", metavar="[NORTH SOUTH | PATH]", nargs=-1, type=PATH)
@click.option("--tricks", type=click.IntRange(1, 13), metavar="N", help="Only this number of tricks.")
@click.option(
    "--vacant", type=NumberRange(), metavar="W-E", help="Places for unknown cards with West and with East.  [default: 13-13]"
)
@click.option("--west", type=NumberRange(), metavar="FROM-TO", help="How many cards of the suit West holds.")
@click.option(
    "--entries",
    type=(_SEAT, click.IntRange(0, 13)),
    multiple=True,
    metavar="HAND N",
    help="How often a hand can be reached from other suits; any number unless given. Once for each hand.",
)
@click.option("--lead-from", type=_SEAT, help="The hand that leads first; declarer chooses unless given.")
@click.option("--lines", type=click.IntRange(0, 50), default=0, metavar="N", help="Also this many of the next best lines.")
@click.option("--tree", is_flag=True, help="The whole tree of play.")
@click.option("--layouts", is_flag=True, help="Every layout of the defenders' cards, and whether the line wins against it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a combination, with everything.")
@deal_option("The four suits of")
@click.option("--seat", default="S", show_default=True, metavar="SEAT", help="Who declares, of a deal or a file.")
@boards_option()
@format_option("--format", "from_format", help="The format of PATH, where name and content do not tell it.")
@click.option(
    "--unused",
    type=click.Choice(["hidden", "played"]),
    default="hidden",
    show_default=True,
    help="Cards that a file records as unused: hidden with the defenders, or already played.",
)
@click.option("--picture", "drawing", metavar="FILE", type=PATH, help="Draw the combination, its chances and lines, as SVG.")
@click.option(
    "--table", type=NumberRange(), metavar="N-S", help="Write all combinations of two lengths, ace to eight placed, with -o."
)
@click.option("-o", "--output", "dest", metavar="DEST", type=PATH, help="The file of --table: tab-separated values.")
@click.option("--effort", type=click.IntRange(1), metavar="N", help="The most comparisons for a question; then a bound is given.")
@pass_settings
def command(
    settings: Settings,
    cards: tuple[str, ...],
    tricks: int | None,
    vacant: tuple[int, int] | None,
    west: tuple[int, int] | None,
    entries: tuple[tuple[str, int], ...],
    lead_from: str | None,
    lines: int,
    tree: bool,
    layouts: bool,
    as_json: bool,
    dealt: Board | None,
    seat: str,
    boards: Ranges | None,
    from_format: str | None,
    unused: str,
    drawing: str | None,
    table: tuple[int, int] | None,
    dest: str | None,
    effort: int | None,
) -> int:
    """Find the best play of a suit for declarer, who sees two hands, against defenders who see all four.

    For each number of tricks: the exact chance, the line in words and, with options, as a tree, the layouts that it wins
    against, and the next best lines with their cost. Last the line with the best expected number of tricks.
    """
    if (table is None) != (dest is None) or (table is not None and (cards or dealt)):
        raise UsageError("--table and -o go together, without cards")
    if table is not None and dest is not None:
        _write_table(settings, table, dest, effort or 0)
        return 0
    source = _CombinationSource(cards, dealt, boards, from_format, unused == "hidden")
    source.check()
    try:
        found = source.combinations(settings, Seat.parse(seat))
        stated = _PlayOptions.of(vacant, west, entries, lead_from)
        found = [(title, stated.applied(combination)) for title, combination in found]
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not found:
        raise UsageError("declarer has no suit there")
    if drawing is not None and len(found) > 1:
        raise UsageError(f"--picture draws one combination, and there are {len(found)}")
    for title, combination in found:
        answer = suit_play(combination, tricks=tricks, expected=tricks is None, others=lines, effort=effort or 0)
        if drawing is not None:
            with written(drawing, settings.sync) as out:
                out.write(picture(answer).encode())
        if as_json:
            click.echo(json.dumps(({"title": title} if title else {}) | answer.json()))
        else:
            settings.out.print(Text("\n".join(_report(answer, title, tree=tree, layouts=layouts)) + "\n"), soft_wrap=True)
    return 0


@dataclass(frozen=True)
class _CombinationSource:
    """The arguments of one call that name combinations: two holdings or the path of a file, or a deal instead."""

    cards: tuple[str, ...]
    dealt: Board | None
    boards: Ranges | None
    format: str | None
    unused_hidden: bool

    def check(self) -> None:
        """Raise UsageError for arguments that do not go together."""
        cards = self.cards
        if (self.dealt is not None) == bool(cards) or len(cards) > 2:
            raise UsageError("give two holdings (a hyphen for none), or one file, or a deal with --deal")
        # A single argument is a file. If it does not exist and looks like a holding, the second holding was forgotten.
        if len(cards) == 1 and _RANKS.fullmatch(cards[0]) and not Path(cards[0]).exists():
            raise UsageError(f"{cards[0]!r} is one holding, and a combination has two (a hyphen for none)")
        if len(cards) != 1 and (self.boards is not None or self.format is not None):
            raise UsageError("--boards and --format need a file")

    def combinations(self, settings: Settings, declarer: Seat) -> list[tuple[str, Combination]]:
        """Return the combinations with their titles. Raises ValueError for cards that make none."""
        if len(self.cards) == 2:
            return [("", Combination(_parse_holding(self.cards[0]), _parse_holding(self.cards[1])))]
        if self.dealt is not None:
            return list(_suits([self.dealt], declarer, open_cards=False, unused_hidden=True))
        document = NamedSource(settings, self.cards[0], self.format, "--format").read_at_once().document
        return list(_suits(chosen(document, self.boards).boards, declarer, open_cards=True, unused_hidden=self.unused_hidden))


def _parse_holding(text: str) -> Holding:
    """Return the ranks of a holding. Raises UsageError for an ``x``, since it can matter which small card it is."""
    if "x" in text.lower():
        raise UsageError(f"small cards are given by their ranks, like AQ2, not by an x: {text!r}")
    return Holding(text)


@dataclass(frozen=True)
class _PlayOptions:
    """The options about vacant places, West's length, entries and the first lead, which apply to every combination."""

    vacant: tuple[int, int] | None
    west: tuple[int, int] | None
    entries: tuple[int | None, int | None]
    lead_from: Seat | None

    @classmethod
    def of(
        cls,
        vacant: tuple[int, int] | None,
        west: tuple[int, int] | None,
        entries: tuple[tuple[str, int], ...],
        lead_from: str | None,
    ) -> _PlayOptions:
        """Return the options, with the hands as seats."""
        counts = {Seat.parse(hand): count for hand, count in entries}
        first = None if lead_from is None else Seat.parse(lead_from)
        return cls(vacant, west, (counts.get(HANDS[0]), counts.get(HANDS[1])), first)

    def applied(self, combination: Combination) -> Combination:
        """Return the combination with the options applied. Raises ValueError if no layout of the cards is possible with them."""
        return replace(
            combination,
            vacant=self.vacant or combination.vacant,
            west_length=self.west or combination.west_length,
            entries=self.entries,
            lead_from=self.lead_from,
        )


def _suits(boards: Sequence[Board], declarer: Seat, *, open_cards: bool, unused_hidden: bool) -> Iterator[tuple[str, Combination]]:
    """Yield a title and a combination for each suit of each board in which the declarer's side has a card.

    ``open_cards`` and ``unused_hidden`` are those of `Combination.of_deal`.
    """
    for number, board in enumerate(boards, 1):
        for suit in Suit:
            deal = board.deal
            if deal is not None and any(deal.holding(seat, suit) for seat in (declarer, declarer.partner)):
                combination = Combination.of_deal(deal, suit, declarer, open_cards=open_cards, unused_hidden=unused_hidden)
                yield f"{number}. {suit}" if len(boards) > 1 else str(suit), combination


def _report(answer: SuitPlay, title: str, *, tree: bool, layouts: bool) -> Iterator[str]:
    """Yield the lines about a combination, about each goal (a number of tricks), and about the requested details."""
    ours = answer.combination
    yield f"{title + ': ' if title else ''}North {_ranks(ours.north)}, South {_ranks(ours.south)}; {_defenders(ours)}"
    for goal in answer.goals:
        yield from _goal(ours, goal, tree, layouts)
    yield MODEL_NOTE


def _ranks(holding: Holding) -> str:
    """Return the ranks of a holding, a hyphen for none."""
    return holding.ranks or "-"


def _defenders(ours: Combination) -> str:
    """Return what is known about the defenders' cards, and about entries and the lead."""
    parts = [f"{seat} has {holding.ranks}" for seat, holding in ((Seat.WEST, ours.west), (Seat.EAST, ours.east)) if holding]
    parts.append(f"hidden {_ranks(ours.hidden)}")
    if ours.vacant != (13, 13):
        parts.append(f"vacant places {ours.vacant[0]}-{ours.vacant[1]}")
    if ours.west_length != (0, 13):
        parts.append(f"West has {ours.west_length[0]} to {ours.west_length[1]} cards")
    for hand, count in zip((Seat.NORTH, Seat.SOUTH), ours.entries, strict=True):
        if count is not None:
            parts.append(f"{hand} can be entered {count} times" if count != 1 else f"{hand} can be entered once")
    if ours.lead_from is not None:
        parts.append(f"the first lead is from {ours.lead_from}")
    return ", ".join(parts)


def _value(goal: Goal, value: Fraction) -> str:
    """Return a value of a goal as text: a chance as a percentage, an expected number of tricks as a decimal."""
    return f"{float(value):.3f}" if goal.tricks is None else f"{float(100 * value):.2f}%"


def _goal(ours: Combination, goal: Goal, tree: bool, layouts: bool) -> Iterator[str]:
    """Yield the lines about one goal: its chance and best line, the next best ones, the tree, the layouts."""
    name = "expected" if goal.tricks is None else f"{goal.tricks} trick{'s' if goal.tricks > 1 else ''}"
    bound = "" if goal.is_exact else f" or more, at most {_value(goal, goal.bound)} (the search ended early)"
    yield f"  {name:9} {_value(goal, goal.value):>7}{bound}  {goal.words}"
    for other in goal.others:
        cost = "as good" if not other.cost else f"costs {_value(goal, other.cost)}"
        yield f"  {'':9} {_value(goal, other.value):>7}  {other.words} ({cost})"
    if tree:
        yield from ("      " + line for line in tree_text(ours, goal.tree))
    if layouts:
        yield from ("      " + line for line in _layouts(goal))


def _layouts(goal: Goal) -> Iterator[str]:
    """Yield the layouts of the defenders' cards for a goal: those with most tricks first, then the most probable."""
    for one in sorted(goal.layouts, key=lambda one: (-one.tricks, -one.chance, one.west.ranks)):
        result = f"{one.tricks}" if goal.tricks is None else "won" if one.tricks else "lost"
        yield f"{result:4}  {float(100 * one.chance):5.2f}%  West {_ranks(one.west):8} East {_ranks(one.east)}"


def _write_table(settings: Settings, shape: tuple[int, int], dest: str, effort: int) -> None:
    """Write the table of a shape to ``dest``.

    Until it is complete the rows are in a file named ``dest`` with ``.partial`` appended, from which the same command continues; a
    row that an interruption cut off is solved again. Raises UsageError where that file contains another table.
    """
    if sum(shape) > 13 or not min(shape):
        raise UsageError(f"no suit has {shape[0]} and {shape[1]} cards: name two lengths like 4-3")
    found = list(suit_tables.rows(*shape))
    partial = Path(f"{dest}.partial")
    done = _done(partial)
    begun = [suit_tables.header(*shape), *(f"{row.north}\t{row.south}\t" for row in found)]
    # The beginnings of the lines depend only on the shape of the table: if they are equal, the file is of this table.
    if len(done) > len(begun) or not all(map(str.startswith, done, begun)):
        raise UsageError(f"{partial} holds the rows of another table: remove it, or name another file")
    with SuitEngine(effort=effort) as engine, partial.open("a", encoding="ascii", newline="\n") as rest:
        # An incomplete last row is cut off. Rewriting the file could lose hours of work if it were interrupted.
        rest.truncate(sum(len(text) + 1 for text in done))
        if not done:
            rest.write(begun[0] + "\n")
        solved = max(len(done) - 1, 0)
        for row in tracked(settings, found[solved:], len(found) - solved, "combinations"):
            rest.write(suit_tables.line(engine, row) + "\n")
            rest.flush()
    with written(dest, settings.sync) as out:
        out.write(partial.read_bytes())
    partial.unlink()


def _done(partial: Path) -> list[str]:
    """Return the complete lines of an earlier run, without one that was cut off; empty without a file."""
    if not partial.exists():
        return []
    return partial.read_text("ascii", errors="replace").split("\n")[:-1]
