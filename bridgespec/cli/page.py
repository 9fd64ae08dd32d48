"""The command ``page``: boards as one web page that can be sent round, and their hand records as a PDF.

`command` reads the files (`_PageReader`), solves their boards and finds the best plays of their suits where they are asked for, and
writes the page, the PDF, or both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click
from rich.text import Text

from bridgespec.cli.examine import plural, shown_name
from bridgespec.cli.exit_status import CLEAN, FINDINGS
from bridgespec.cli.files import STDIO, expand, read, write
from bridgespec.cli.options import PATH, boards_option, format_option
from bridgespec.cli.pieces import board_pieces
from bridgespec.cli.progress import tracked
from bridgespec.cli.ranges import Ranges
from bridgespec.cli.settings import Settings, pass_settings
from bridgespec.cli.solve_tables import solved_document
from bridgespec.errors import UsageError
from bridgespec.model.cards import Seat, Suit
from bridgespec.model.combination import Combination
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.suits import SuitPlay, picture, suit_play
from bridgespec.targets.javascript.readers import readers
from bridgespec.version import VERSION
from bridgespec.webpage import ANALYSED, MOST_BOARDS, SHEETS, SuitPlays, find_chromium, page, print_pdf, texts, title_of

GROUP = "Boards"
PAPERS = ("A4", "letter")
EFFORT = 20_000_000
"""The maximum number of comparisons for a suit; a search that ends early gives the value that its line reaches."""


@click.command(
    epilog="""\b
Examples:
  bridgespec page match.pbn -o match.html
  bridgespec page deals.dup --boards 1-16 -o boards.html
  bridgespec page open.lin closed.lin -o match.html --title "Final, set 3"
  bridgespec page deals.dup --pdf records.pdf --paper letter
  bridgespec page evening.pbn --pdf travellers.pdf --sheets travellers
""",
    short_help="Make a web page of boards to look at, play through and print.",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@click.option("-o", "--output", "dest", metavar="FILE", type=PATH, help="The page to write; - is standard output.")
@click.option("--pdf", metavar="FILE", type=PATH, help="Print sheets with a Chromium of this machine.")
@click.option(
    "--sheets",
    type=click.Choice(SHEETS, case_sensitive=False),
    help="What is printed: hand records, eight to a page; each board with its results on a sheet of its own; curtain cards of one "
    "hand each; or hands to duplicate by. The last two show no results and no analysis.  [default: records]",
)
@click.option("--paper", type=click.Choice(PAPERS, case_sensitive=False), help="The paper of the PDF.  [default: A4]")
@click.option("--title", metavar="TEXT", help="The title; else the event that the files name, or the first file's name.")
@click.option("--solve", is_flag=True, help="Solve the boards now, instead of in the reader's browser.")
@click.option("--suits", is_flag=True, help="Work out the best play of each suit for both sides, with its chances.")
@click.option("--texts", "translation", metavar="FILE", type=PATH, help="The page's words in another language (JSON).")
@boards_option()
@format_option("--format", help="The format of every PATH, where name and content do not tell it.")
@pass_settings
def command(
    settings: Settings,
    paths: tuple[str, ...],
    dest: str | None,
    pdf: str | None,
    sheets: str | None,
    paper: str | None,
    title: str | None,
    solve: bool,
    suits: bool,
    translation: str | None,
    boards: Ranges | None,
    format: str | None,
) -> int:
    """Show the boards of files of any format in one HTML file, which needs no network and can be sent by mail: hands, auctions,
    results side by side, double-dummy tables and par, every board to be played through with the worth of each card, and hand
    records to print. The page opens further files too, dropped, chosen or pasted, of every format that is known here; it
    reads them in the browser, and nothing leaves the machine.

    Files that tell of the same boards are put together: the rooms of a match, deals and results. Of a folder, every file of a
    known extension is taken. What a file with errors holds is shown as far as it could be read, and the exit status is 1.
    """
    if dest is None and pdf is None:
        raise UsageError("name the page to write with -o FILE, or a PDF with --pdf FILE")
    # Checked before the boards are read and solved, which may take long.
    printing = _Printing.of(pdf, sheets, paper)
    words = texts(read(translation)) if translation is not None else texts()
    known = frozenset(extension for spec in settings.formats for extension in spec.extensions)
    files = list(expand(paths, known))
    reader = _PageReader(settings, format, boards)
    documents = reader.documents(files)
    if not documents:
        raise UsageError(f"there are no boards in {', '.join(shown_name(path) for path in paths)}")
    if solve or (printing is not None and printing.sheets in ANALYSED):
        documents = [solved_document(settings, document) for document in documents]
    named = [shown_name(files[0])] if files[0] != STDIO else []
    heading = title if title is not None else title_of(documents, named)
    if dest is not None:
        # Only for the page: the sheets of a PDF do not show them.
        plays = _suit_plays(settings, documents) if suits else {}
        write(dest, page(documents, heading, VERSION, words, readers=readers(settings.formats), suits=plays).encode())
        _report(settings, dest, reader.count)
    if printing is not None:
        # Without readers and suits, which are for a page that is opened in a browser.
        made = page(documents, heading, VERSION, words, printing.paper)
        write(printing.path, print_pdf(made, printing.chromium, printing.sheets))
        _report(settings, printing.path, reader.count)
        if printing.sheets == "travellers":
            _note_missing_results(settings, documents)
    return FINDINGS if reader.errors else CLEAN


@dataclass(frozen=True)
class _Printing:
    """The PDF that the options of one call ask for: its path, the sheets, the paper, and the Chromium that prints it."""

    path: str
    sheets: str
    paper: str
    chromium: str

    @classmethod
    def of(cls, pdf: str | None, sheets: str | None, paper: str | None) -> _Printing | None:
        """Return the PDF; None without --pdf. Raises UsageError without a Chromium, and for options of a PDF without --pdf."""
        if pdf is None:
            # These options have no default in click, so that an option that is given differs from an absent one.
            if sheets or paper:
                raise UsageError("--sheets and --paper are for a PDF: name it with --pdf FILE")
            return None
        chromium = find_chromium()
        if chromium is None:
            words = "no Chromium was found to print with; set BRIDGESPEC_CHROMIUM to its program, or print the page yourself"
            raise UsageError(words)
        return cls(pdf, sheets or SHEETS[0], paper or PAPERS[0], chromium)


def _note_missing_results(settings: Settings, documents: Iterable[Document]) -> None:
    """Report that travellers are empty, where no board has a result."""
    printed = [board for document in documents for board in document.boards]
    if not any(one.tables or one.effective_contract for one in printed):
        note = "no board has a result: `bridgespec score -o boards.pbn` puts travellers into boards"
        settings.err.print(Text(note), soft_wrap=True)


class _PageReader:
    """Reads the files of a page; ``count`` and ``errors`` are their numbers of boards and errors so far. Made for one page."""

    def __init__(self, settings: Settings, format: str | None, boards: Ranges | None) -> None:
        self.settings, self.format, self.boards = settings, format, boards
        self.count = self.errors = 0

    def documents(self, paths: Iterable[str]) -> list[Document]:
        """Return the documents of files, without those that have no boards."""
        return [document for path in paths if (document := self.document(path)).boards]

    def document(self, path: str) -> Document:
        """Return the document of a file. Raises UsageError for too many boards, with the option that selects some."""
        found: list[Document] = []
        errors = 0
        for piece, document in board_pieces(self.settings, [path], self.format, self.boards, "--format"):
            errors += len(piece.report.errors)
            self.count += len(document.boards)
            found.append(document)
            # Checked for each piece, so that a file of ten million deals is refused after its first thousands.
            if self.count > MOST_BOARDS:
                raise UsageError(self._too_many(path))
        if errors:
            note = f"{plural(errors, 'error')}; `bridgespec validate` shows them"
            self.settings.err.print(Text.assemble((f"{shown_name(path)}: ", "bold"), (note, "bold red")), soft_wrap=True)
        self.errors += errors
        return _joined(found)

    def _too_many(self, path: str) -> str:
        """Return the message for more boards than a page can have."""
        return (
            f"{shown_name(path)}: a page holds {MOST_BOARDS:,} boards, and here are more; make several pages: "
            f"--boards 1-{MOST_BOARDS} -o 1.html, --boards {MOST_BOARDS + 1}-{2 * MOST_BOARDS} -o 2.html, or a page for each file"
        )


def _joined(documents: Sequence[Document]) -> Document:
    """Return the documents of a file's pieces as one document."""
    if len(documents) == 1:
        return documents[0]
    return Document(tuple(board for document in documents for board in document.boards))


def _suit_plays(settings: Settings, documents: Iterable[Document]) -> SuitPlays:
    """Return the best plays of the suits of each complete deal, those of North-South and then of East-West, by the deal as a
    string of holders.
    """
    deals = {board.deal for document in documents for board in document.boards if board.deal is not None and board.deal.is_complete}
    # Sorted, since the order of a set differs from run to run, and equal boards must give equal pages.
    ordered = sorted(deals, key=str)
    return {
        "".join(map(str, deal.holders)): [_plays_of(deal, declarer) for declarer in (Seat.SOUTH, Seat.EAST)]
        for deal in tracked(settings, ordered, len(ordered), "suits")
    }


def _plays_of(deal: Deal, declarer: Seat) -> list[dict[str, object]]:
    """Return the best plays of the suits in which the number of tricks of a declarer's side depends on the defenders' cards."""
    found = []
    for suit in Suit:
        if deal.holding(declarer, suit) or deal.holding(declarer.partner, suit):
            # With the defenders' cards hidden: the line that declarer should choose, not the one that wins against these cards.
            answer = suit_play(Combination.of_deal(deal, suit, declarer, open_cards=False), expected=False, effort=EFFORT)
            if any(0 < goal.value < 1 for goal in answer.goals):
                found.append(_play_json(suit, answer, declarer))
    return found


def _play_json(suit: Suit, answer: SuitPlay, declarer: Seat) -> dict[str, object]:
    """Return the answer for a suit as JSON values, with the names of the actual seats in its texts."""

    def named(text: str) -> str:
        # Every combination is computed with South as declarer and North as dummy, so for East-West the names are replaced.
        return text if declarer == Seat.SOUTH else text.replace("North", "West").replace("South", "East")

    goals = [
        {"tricks": goal.tricks, "percent": round(float(100 * goal.value), 2), "exact": goal.is_exact, "line": named(goal.words)}
        for goal in answer.goals
        if 0 < goal.value < 1
    ]
    ours = answer.combination
    return {
        "suit": int(suit),
        "dummy": ours.north.ranks,
        "own": ours.south.ranks,
        "goals": goals,
        "picture": named(picture(answer)),
    }


def _report(settings: Settings, path: str, count: int) -> None:
    """Print the name of a file that was written, with its number of boards; nothing for standard output."""
    if path != STDIO:
        settings.err.print(Text(f"{shown_name(path)}: {plural(count, 'board')}"), soft_wrap=True)
