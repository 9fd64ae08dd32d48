"""Evidence for a format in the content of a file: `recognise` uses it to exclude that data fit a format by chance.

`trial` reads data by one format and returns bits of evidence, which `of_binary` and `of_text` count: `CERTAIN` bits exclude chance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from math import comb, inf, log2

from bridgespec.codec.format import Format
from bridgespec.codec.node import Cells, Reading, is_array
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.diagnostic import Code, Severity
from bridgespec.model.board import Board
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.spec.signature import signature

CERTAIN = 40
"""Bits of evidence that exclude chance: one in 2**40 files fits by accident, a million millions."""
DEALS = log2(comb(52, 13) * comb(39, 13) * comb(26, 13))
"""Bits in a deal: there are 52! / 13!**4 of them, 2**95.4."""
WHOLE = 104 - DEALS
"""Bits of evidence in one whole deal: of the 4**52 ways in which 52 cards may be given to four seats, one in 378 gives each seat
thirteen. Every format of deals has at least this redundancy.
"""
VALUES = 13
"""The number of calls, cards or results of a text that must be readable. In a text of another format, at most one word in ten is
such a value (of the 36 letters and digits, two or three at a position where they would be read), so that chance is below 10**-13.
"""
DOUBTFUL = 4
"""If findings cover more than one byte in this many of a text, the format skips the text rather than reading it."""


BRIEF = 1 << 10
"""The size of a text up to which it is read without compiling the programs of its format, which takes longer than reading it."""
HEAD = 24
"""The number of records that show whether the data are deals of a format: of other data, nine records in ten have a hand of too
many cards.
"""
FEW = 8
"""The number of errors allowed in the beginning of a file: a sum or a count is right for the whole file only."""

_DEFAULTS = tuple((one.name, getattr(Board(), one.name)) for one in fields(Board) if one.name not in ("number", "origin"))
"""The name and the default of each field whose value shows that a file states something of a board."""


ReadFile = tuple[Reading, Document]
"""The result of `Format.read` for a file."""


@dataclass(frozen=True, slots=True)
class FormatTrial:
    """The result of reading data by one format: the errors, the records, and the bits of evidence in the records.

    `trial` makes it, and it lives until the format is settled.
    """

    errors: int = 0
    records: int = 1
    bits: float = inf
    read: ReadFile | None = None
    """The file as read, where it was read completely with all its findings."""

    @property
    def evident(self) -> bool:
        """Whether chance is excluded."""
        return self.bits >= CERTAIN


UNREAD = FormatTrial(FEW + 1, 0, 0)
"""The result for a format that cannot be used, or reports more than `FEW` errors."""


def trial(format: Format, data: bytes, cut: bool) -> FormatTrial:
    """Return the evidence in data that are read by a format, without the rules of the game; reading stops at more than `FEW`
    errors.

    With ``cut`` the data are the beginning of a file, and errors at their end are not counted; for a beginning of at most `BRIEF`
    bytes only errors are counted. A hand of more than thirteen cards is an error in every format.
    """
    if cut and len(data) <= BRIEF:
        return _glance(format, data)
    reading = format.codec.read(data, FEW + 1)
    whole = not reading.dropped
    if not whole and not any(one.severity is Severity.ERROR for one in reading.diagnostics):
        # Explaining an error takes long, a warning does not.
        reading, whole = format.codec.read(data), True
    start = signature(format.spec)
    errors = _errors(reading, cut)
    # Binding all records of a wrong format takes longer than all else, so the first 24 deals decide.
    if errors > FEW or (format.text is None and not start and _crowded(format, reading, HEAD, cut) > FEW):
        return UNREAD
    document = format.binder.document(reading)
    errors = _errors(reading, cut) + overfull(document, cut)
    if start:
        bits = inf if data.startswith(start) else 0
    elif format.text is None:
        bits = of_binary(data, document, cut)
    else:
        bits = of_text(reading, document)
    return FormatTrial(errors, records(format, document), bits, (reading, document) if whole and not cut else None)


def _glance(format: Format, data: bytes) -> FormatTrial:
    """Return the number of errors in the first bytes of a file; records and evidence of the returned trial mean nothing.

    A text is read without compiled programs and not bound; of a binary file only the deals are bound.
    """
    if format.text is not None:
        return FormatTrial(_errors(format.text.read(data, FEW + 1, brief=True), True))
    reading = format.codec.read(data, FEW + 1)
    return FormatTrial(_errors(reading, True) + _crowded(format, reading, BRIEF, True))


def _errors(reading: Reading, cut: bool) -> int:
    """Return the number of errors; with ``cut``, without those at the end of the data, which are only the beginning of a file."""
    errors = [one for one in reading.diagnostics if one.severity is Severity.ERROR]
    return sum(not cut or one.span is None or one.span.byte_stop < len(reading.data) for one in errors)


def _crowded(format: Format, reading: Reading, most: int, cut: bool) -> int:
    """Return the number of errors in the deals of the first ``most`` records: those of binding, and hands of more than thirteen
    cards.

    Nothing but the deals is bound. With ``cut`` the last record, which may be incomplete, is left out.
    """
    binder, errors = format.binder, 0

    def count(code: Code, message: str, view: object) -> None:
        nonlocal errors
        errors += code.severity is Severity.ERROR

    sequence, binder.sink = binder.sequence(reading), count
    deals: list[Deal | None] = [sequence.content(at).field("deal")["deal"] for at in range(min(most, len(sequence.nodes) - cut))]
    binder.sink = None
    return errors + sum(deal is not None and max(deal.sizes) > 13 for deal in deals)


def records(format: Format, document: Document) -> int:
    """Return the number of records of a document: the readable elements of the longest list of its file, or 1 without a list.

    Return 0 where the schema binds terms of the model, but the document has neither boards nor a system.
    """
    origin = document.origin
    if not isinstance(origin, FileOrigin) or (format.binder.terms and not document.boards and document.system is None):
        return 0
    root = origin.reading.root
    lists = [child.children or () for child in root.children or () if is_array(child)]
    whole = [len(items) if isinstance(items, Cells) else sum(not item.broken for item in items) for items in lists]
    return max(whole, default=int(bool(root.children)))


def has_content(format: Format, document: Document) -> bool:
    """Return whether the document has a system, or a board of which more is known than its number.

    Return True for every document of a format without terms of the model, which has neither.
    """
    if document.system is not None or not format.binder.terms:
        return True
    return any(map(_is_stated, document.boards))


def _is_stated(board: Board) -> bool:
    """Return whether more is known of a board than its number. The fields of a board that is bound on access stay unbound."""
    if isinstance(board.origin, Origin) and board.origin.made is None:
        return board.origin.sequence.content(board.origin.index).states_a_field()
    return any(getattr(board, name) != default for name, default in _DEFAULTS)


def of_binary(data: bytes, document: Document, cut: bool) -> float:
    """Return the bits of evidence in the records of a format without a signature; ``cut``: the last record may be incomplete.

    Every record must be a whole deal. Equal deals count once: a file of one repeated byte can be any number of them. The content
    must also have the entropy of deals: thirteen dashes are a whole deal (0x2d gives a card to each seat), and a text of few
    different characters may consist of such deals.
    """
    boards = document.boards[: len(document.boards) - cut]
    deals = [board.deal.holders for board in boards if board.deal is not None and board.deal.is_complete]
    if not deals or len(deals) < len(boards):
        return 0
    # The lower of two measures: neither many legal records of few bytes nor many bytes of few records exclude chance.
    return max(min(WHOLE * len(set(deals)), information(data) - DEALS * len(deals)), 0)


def of_text(reading: Reading, document: Document) -> float:
    """Return the bits of evidence in the records of a text.

    Return 0 for a text with fewer than `VALUES` values, or with findings on more than one byte in `DOUBTFUL`. Where a text is
    little more than its deals (26 hexadecimal digits a line), the deals are counted as `of_binary` counts them.
    """
    found = reading.diagnostics
    doubtful = sum(one.span.byte_stop - one.span.byte_start for one in found if one.span and one.severity is not Severity.NOTE)
    # Only the first findings are kept. The dropped ones are assumed to cover the text as densely, so the kept ones are compared
    # with their share of it.
    share = len(reading.data) * len(found) // (len(found) + reading.dropped) if found else len(reading.data)
    deals = [board.deal for board in document.boards if board.deal is not None]
    if doubtful * DOUBTFUL > share or values(document) < VALUES:
        return 0
    rest = information(reading.data) - DEALS * len(deals)
    if deals and rest < CERTAIN * len(deals):
        rest = min(rest, WHOLE * len({deal.holders for deal in deals}))
    return max(rest, 0)


def overfull(document: Document, cut: bool) -> int:
    """Return how many deals have a hand of more than thirteen cards, an error in every format; ``cut`` as in `of_binary`."""
    deals = (board.deal for board in document.boards[: len(document.boards) - cut])
    return sum(deal is not None and max(deal.sizes) > 13 for deal in deals)


def values(document: Document) -> int:
    """Return the number of values with a fixed set of spellings: cards, calls, cells of tables, contracts, declarers and results.

    Each meaning of a bidding system counts as 7. Counting stops after the board with which the sum reaches `VALUES`.
    """
    count = 0 if document.system is None else 7 * len(document.system.meanings)
    for board in document.boards:
        if board.deal is not None:
            count += 52 - board.deal.holders.count(UNKNOWN)
        if board.auction is not None:
            count += len(board.auction.calls)
        if board.play is not None:
            count += sum(len(trick.cards) for trick in board.play.tricks)
        if board.tricks is not None:
            count += board.tricks.known
        count += sum(value is not None for value in (board.contract, board.declarer, board.result))
        if count >= VALUES:
            break
    return count


def information(data: bytes) -> float:
    """Return the bits that the data have if their bytes are drawn independently with the frequencies that they have in the data.

    An estimate from below: few bytes have few different values, so short data are never evidence.

    >>> information(b"-" * 1000), information(bytes(range(256)))
    (0.0, 2048.0)
    """
    size = len(data)
    return abs(sum(count * log2(size / count) for count in Counter(data).values()))
