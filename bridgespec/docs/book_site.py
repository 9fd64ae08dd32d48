"""Generate the book of a bidding system as a static site: the tree of calls, the meaning and frequency of each, hands, alerts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bridgespec.bidding.book import Book, BookEntry, Chapter
from bridgespec.docs.environment import STATIC, environment
from bridgespec.docs.prose import slug
from bridgespec.docs.search import SearchEntry, script
from bridgespec.model.cards import SUITS, Suit

_SIGNS = str.maketrans({letter: Suit(place).symbol for place, letter in enumerate(SUITS)})


def signs(text: str) -> str:
    """Return a text of calls, points and lengths with the letters of suits replaced by symbols.

    >>> signs("1S (2NT) 3D"), signs("15-17 hcp, 5+ H")
    ('1♠ (2NT) 3♦', '15-17 hcp, 5+ ♥')
    """
    # A word of several letters is English; calls have a digit or parentheses, suits are single letters.
    return " ".join(word if word.isalpha() and len(word) > 1 else _one(word) for word in text.split(" "))


def _one(word: str) -> str:
    """Return a call or a suit with the letter of its suit replaced."""
    return word[:-2] + word[-2:].translate(_SIGNS) if word[-1:] in "),S" + SUITS and "NT" not in word else word


def holdings(hand: str) -> str:
    """Return a hand with the symbol of the suit before each holding.

    >>> holdings("AKQ95.AT3.KJ2.")
    '♠AKQ95 ♥AT3 ♦KJ2 ♣–'
    """
    return " ".join(f"{Suit(suit).symbol}{held or '–'}" for suit, held in enumerate(hand.split(".")))


def often(share: float) -> str:
    """Return a frequency from 0 to 1 as a percentage with at most two decimals.

    >>> often(0.0484), often(0.00031), often(0.5)
    ('4.8%', '0.03%', '50%')
    """
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}" if share >= 0.001 else f"{share:.2%}"


@dataclass(frozen=True)
class BookSite:
    """Generates the site of one book; ``program`` and ``version`` are named in the footers."""

    book: Book
    program: str
    version: str

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file of the site: its path from the root, and its content."""
        env = environment()
        env.filters.update(defence=defence, signs=signs, holdings=holdings, often=often)
        openings = [entry for entry in self.book.openings.entries if entry.followers]
        common: dict[str, object] = {"book": self.book, "openings": openings, "program": self.program, "version": self.version}

        def page(path: str, template: str, **context: object) -> tuple[str, bytes]:
            root = "../" * path.count("/")
            return path, env.get_template(template).render(**common, **context, root=root, here=path).encode()

        yield page("index.html", "book.html")
        for entry in openings:
            yield page(address(entry.call), "book_opening.html", entry=entry)
        for chapter in self.book.defence:
            yield page(defence(chapter), "book_defence.html", chapter=chapter)
        yield page("search.html", "book_search.html")
        yield "static/search.js", script(self._search_entries()).encode()
        for path in sorted(STATIC.iterdir()):
            if path.is_file() and path.name.startswith(("site", "theme")):
                yield f"static/{path.name}", path.read_bytes()

    def _search_entries(self) -> Iterator[SearchEntry]:
        for entry in self.book.openings.entries:
            yield from self._entries(entry, address(entry.call) if entry.followers else "index.html")
        for chapter in self.book.defence:
            for entry in chapter.entries:
                yield from self._entries(entry, defence(chapter))
        for title, sources in self.book.conventions:
            yield SearchEntry("convention", title, "index.html#conventions", " ".join(sources))

    def _entries(self, entry: BookEntry, url: str) -> Iterator[SearchEntry]:
        """Yield the search entries of a call and of all calls that follow it on the page ``url``."""
        words = f"{entry.text} {entry.shows} {'alert artificial' if entry.artificial else ''}"
        yield SearchEntry("call", signs(entry.auction), f"{url}#{anchor(entry)}", f"{entry.auction} {words}")
        for follower in entry.followers:
            yield from self._entries(follower, url)


def address(call: str) -> str:
    """Return the address of the page for an opening."""
    return f"openings/{call.lower()}.html"


def anchor(entry: BookEntry) -> str:
    """Return the anchor of a call's entry on its page."""
    # `slug` drops parentheses, so that "1S (2H)" and "1S 2H" would have one anchor: `o` marks calls of the opponents.
    return slug(entry.auction.replace("(", "o").replace(")", "")).lower()


def defence(chapter: Chapter) -> str:
    """Return the address of the page for our calls after an opening of the opponents."""
    return f"defence/{chapter.title.strip('()').lower()}.html"
