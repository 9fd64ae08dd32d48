"""What a test reads from the text of a command or a finding: its numbers, and the words that it quotes."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")


def numbers(text: str) -> list[float]:
    """Return the numbers of a text, in order: commas group thousands; digits of a longer word, such as ``1NT``, are none.

    >>> numbers("2,000 boards, -0.5 IMPs each (50%); 4S by N, 2-3")
    [2000, -0.5, 50, 2, 3]
    """
    found = (match.group().replace(",", "") for match in _NUMBER.finditer(text))
    return [float(one) if "." in one else int(one) for one in found]


def quoted(text: str) -> list[str]:
    """Return what stands in quotation marks of a text, in order.

    >>> quoted("'sell' is not a name of \\"suit\\"; did you mean 'cell'?")
    ['sell', 'suit', 'cell']
    """
    return [one or other for one, other in re.findall(r"'([^']*)'|\"([^\"]*)\"", text)]
