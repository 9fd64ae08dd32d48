"""How much the content of a file speaks for a format: what `recognise` needs to exclude that data fits a format by chance.

`of_binary` and `of_text` take a document that one format has read, and return bits: `CERTAIN` of them exclude chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, log2

from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.model.deal import UNKNOWN
from bridgespec.model.document import Document

CERTAIN = 40
"""Bits of evidence that exclude chance: one in 2**40 files fits by accident, a million millions."""
DEALS = log2(comb(52, 13) * comb(39, 13) * comb(26, 13))
"""Bits in a deal: there are 52! / 13!**4 of them, 2**95.4."""
WHOLE = 104 - DEALS
"""Bits of evidence in one whole deal: of the 4**52 ways in which 52 cards may be given to four seats, one in 378 gives each seat
thirteen. No format of deals is freer than that.
"""
VALUES = 13
"""So many calls, cards, results of a text must be readable. In text that is none of the format's, at most one word in ten is such a
value (of the 36 letters and digits, two or three in a place where they would be read), so that chance is below 10**-13.
"""
DOUBTFUL = 4
"""Where more than one byte in so many of a text belongs to findings, the format passes over the text and does not read it."""


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
    return max(min(WHOLE * len(set(deals)), information(data) - DEALS * len(deals)), 0)


def of_text(data: bytes, document: Document, findings: Sequence[Diagnostic]) -> float:
    """Return the bits of evidence in the records of a text.

    There are none where it has few values of the format, or findings are about much of it. Where deals leave no room for words
    around them (26 hexadecimal digits a line), they are counted as `of_binary` counts them.
    """
    doubtful = sum(one.span.byte_stop - one.span.byte_start for one in findings if one.span and one.severity is not Severity.NOTE)
    deals = [board.deal for board in document.boards if board.deal is not None]
    if doubtful * DOUBTFUL > len(data) or values(document) < VALUES:
        return 0
    rest = information(data) - DEALS * len(deals)
    if deals and rest < CERTAIN * len(deals):
        rest = min(rest, WHOLE * len({deal.holders for deal in deals}))
    return max(rest, 0)


def overfull(document: Document, cut: bool) -> int:
    """Return how many deals have a hand of more than thirteen cards, an error in every format; ``cut`` as in `of_binary`."""
    deals = (board.deal for board in document.boards[: len(document.boards) - cut])
    return sum(deal is not None and max(deal.sizes) > 13 for deal in deals)


def values(document: Document) -> int:
    """Return how many values with a fixed set of spellings there are: cards, calls, cells, contracts, results, bidding records."""
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

    This is at most what the data have in truth, and the less the shorter they are, so that few bytes are no evidence.

    >>> information(b"-" * 1000), information(bytes(range(256)))
    (0.0, 2048.0)
    """
    size = len(data)
    return abs(sum(count * log2(size / count) for count in Counter(data).values()))
