"""Serve a bidder over pipes, one request and one reply a line, so that programs of other versions or other authors can play against
it.

`serve` is the loop; `program_client.Program` is the other end. The server writes ``bidding-lines 1`` and, after a tab, its name;
then it answers each line

    call DEALER VULNERABLE HAND [CALLS...]        call N both AKQ95.AT3.KJ2.97 1NT P

with the call of that hand after those calls (``2C``), a tab, and the explanation of the call; or with ``error``, a tab, and what is
wrong with the request. It ends at the end of its input. ``bridgespec bid --lines`` is such a program. This file can be run by the
Python of an environment with an older version of the package (``PYTHON -I program_server.py --system sayc``), since it imports
only the bidder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from bridgespec.bidding.bidder import Bidder
from bridgespec.errors import BridgespecError
from bridgespec.model.auction import Call

GREETING = "bidding-lines 1"
ERROR = "error"


def serve(bidder: Bidder, requests: Iterable[str], replies: TextIO, name: str) -> None:
    """Answer requests until they end; each reply is flushed, because the other side waits for it.

    >>> serve(Bidder("sayc"), ["call N none AKQ95.AT3.KJ2.97"], sys.stdout, "sayc")  # doctest: +NORMALIZE_WHITESPACE
    bidding-lines 1	sayc
    1NT	balanced (openings)
    """
    print(GREETING, name, sep="\t", file=replies, flush=True)
    for request in requests:
        print(_reply(bidder, request.split()), file=replies, flush=True)


def _reply(bidder: Bidder, words: list[str]) -> str:
    """Return the reply to a request, which is given as its words."""
    if len(words) < 4 or words[0] != "call":
        return f"{ERROR}\ta request is: call DEALER VULNERABLE HAND [CALLS...]"
    _, dealer, vulnerable, hand, *made = words
    try:
        calls = [Call.parse(word) for word in made]
        call = bidder.call(hand, calls, dealer, vulnerable)
        meaning = bidder.turn([*calls, call], dealer, vulnerable).meanings[-1]
    except (BridgespecError, ValueError) as error:
        return f"{ERROR}\t{' '.join(str(error).split())}"
    module = Path(meaning.place.rpartition(":")[0]).stem
    return f"{call}\t{meaning.text or 'without a rule'}{f' ({module})' if module else ''}"


def main() -> None:
    """Serve one system on the standard streams."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", default="sayc")
    parser.add_argument("--samples", type=int, default=0)
    args = parser.parse_args()
    serve(Bidder(args.system, samples=args.samples), sys.stdin, sys.stdout, args.system)


if __name__ == "__main__":
    main()
