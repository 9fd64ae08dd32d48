"""What a format lost of a document: told by reading back what was written, and comparing it term by term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, count

from bridgespec.codec.bind import Binder
from bridgespec.codec.binding import BOARD
from bridgespec.codec.decl import Pair
from bridgespec.codec.node import Node
from bridgespec.codec.origin import FileOrigin, Origin
from bridgespec.codec.terms import TERMS, is_said
from bridgespec.codec.text.tree import TextNode
from bridgespec.codec.words import FIRST_NUMBER, OF_FILE, OWN_NUMBERS, pair_entry
from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Board
from bridgespec.model.document import Document
from bridgespec.spec.ir import BOARDS

LOST = define(
    "lost",
    Severity.WARNING,
    """the target cannot hold this

    The source says more than the target format has room for. The file is written without it. With ``--strict`` nothing is
    written and the exit status is 1.
    """,
)
_TERMS = tuple(TERMS[name] for name in BOARD if name in TERMS)
_AROUND, _OF_BOARDS, _OWN_AROUND, _OWN = range(4)
_BLANK = ("", 0, b"", False, None)
MANY = 10_000
"""So many kinds of boards are kept of each format."""
_IDLE = ", 0"
"""Characters of a list in which nothing is given, and of a count of nothing."""
_TEXTS = frozenset({"event", "site", "date"})
_NAMES = {"system": "the bidding system", "tags": "the tags of the whole file", "comments": "the comments on the whole file"}


class Losses(Counter[tuple[int, str]]):
    """The kinds of what was lost of a document, or of its batches so far, with their counts: first what it states of all boards,
    then what its boards state, then fields that its own format alone has. What it states of all boards counts once.
    """

    def include(self, more: Losses, times: int = 1) -> None:
        """Add the losses of the next batch, or of so many like it."""
        for (rank, kind), number in more.items():
            self[rank, kind] = 1 if rank == _AROUND else self[rank, kind] + number * times

    def in_words(self, spec: str, rooms: int = 0) -> list[Diagnostic]:
        """Return what the format of that name lost; ``rooms`` boards were left out whose deal another room has."""
        several = f"{rooms} board{'s' * (rooms > 1)} of another room with the same deal: each deal is written once"
        told = [several] if rooms else []
        kinds: Counter[str] = Counter()
        for (_, kind), number in sorted(self.items(), key=lambda item: item[0][0]):
            kinds[kind] += number
        told += [kind if number == 1 else f"{kind} ({number} times)" for kind, number in kinds.items()]
        return [Diagnostic(LOST.name, LOST.severity, f"{spec} cannot hold {what}") for what in told]


def counted(
    binder: Binder,
    document: Document,
    again: Callable[[], Document],
    fresh: bool,
    known: dict[object, list[str]] | None = None,
    first: int = 0,
) -> Losses:
    """Return the kinds of what is lost, with their counts; ``again`` reads what was written, ``fresh`` if all was encoded anew.

    What is in the file as the same format read it is written back byte for byte, so nothing of it can be lost. ``known`` is what
    was found of boards of a kind: they are not read back again, nor is anything if all are known. The document is what the file
    has from board ``first`` (from 0) on.
    """
    lost = Losses()
    if not binder.terms or (not fresh and _stands(binder, document)):
        return lost
    if not fresh and any(isinstance(board.origin, Origin) and board.origin.spec == binder.spec.id for board in document.boards):
        known = None  # a record that stays as it was read may be a broken one, which decides how others are read
    if first == 0 and binder.terms & FIRST_NUMBER and document.boards and document.boards[0].number != 1:
        known = None  # every board that comes back has a number that follows from the first
    kinds = [None if known is None else _kind(binder, board, place) for place, board in enumerate(document.boards, first + 1)]
    if kinds and kinds[-1] is not None:
        # A last board may be written in its own way, as the first, of which the place tells.
        kinds[-1] = "last", kinds[-1]
    said = {name: value for name in OF_FILE if is_said(value := getattr(document, name))}
    back = again() if said or known is None or not all(kind in known for kind in kinds) else Document()
    for name, value in said.items():
        boards = [getattr(board, name, None) for board in back.boards]
        if not document.boards and document.system is None and name in _TEXTS:
            continue  # other batches have the boards that say it
        if getattr(back, name) != value and not (boards and all(one == value for one in boards)):
            written = name in _TEXTS and name in binder.terms and boards
            lost[_AROUND, _NAMES.get(name, f"the {name}") + " as it is written" * bool(written)] = 1
    # Where the format holds no boards, or too few, those that are left say their number alone.
    none = (Board(number=number) for number in count(len(back.boards) + 1))
    for kind, one, two in zip(kinds, document.boards, chain(back.boards, none), strict=False):
        found = None if known is None else known.get(kind)
        if found is None:
            found = [what for term in _TERMS for what in term.losses(one, two, term.NAME in binder.terms)]
        if known is not None and kind is not None and len(known) < MANY:
            known[kind] = found
        lost.update((_OF_BOARDS, what) for what in found)
    for rank, own in ((_OWN_AROUND, own_around), (_OWN, own_of_boards)):
        lost.update({(rank, what): times for what, times in own(document, binder.spec.id, fresh).items()})
    return lost


def _kind(binder: Binder, board: Board, place: int) -> object:
    """Return what decides the losses of a board at a place (from 1); None if only reading it back can tell.

    Of a term for which the schema has no room it is what the board states; where boards have no numbers of their own, a board that
    comes back has that of its place.
    """
    kinds: list[object] = [place == 1]
    numbered = bool(binder.terms & OWN_NUMBERS)
    held, blank = binder.terms | OWN_NUMBERS if numbered else binder.terms, Board(number=None if numbered else place)
    for term in _TERMS:
        kind = term.kind_of(board, place) if numbered or term.NAME in held else None
        if kind is None:
            if term.NAME in held:
                return None
            kind = tuple(term.losses(board, blank, False))
        kinds.append(kind)
    return tuple(kinds)


def _stands(binder: Binder, document: Document) -> bool:
    """Whether every board stands as the format itself had it."""
    origin = document.origin
    if getattr(origin, "spec", None) != binder.spec.id or document != getattr(origin, "as_read", None):
        return False
    return all(isinstance(board.origin, Origin) and board.origin.spec == binder.spec.id for board in document.boards)


def own_fields(document: Document, spec: str = "", fresh: bool = False) -> Counter[str]:
    """Fields that only the source's own format has, which is not that of the name; each with its count.

    Of a text that is spelled afresh, pairs without a meaning are lost in its own format too.
    """
    return own_around(document, spec, fresh) + own_of_boards(document, spec, fresh)


def own_around(document: Document, spec: str, fresh: bool) -> Counter[str]:
    """Those around its boards."""
    file = document.origin
    if not isinstance(file, FileOrigin) or not (fresh or file.spec != spec):
        return Counter()
    return Counter(f"the field {name} of {file.spec}" for name in _around(file.reading.root))


def own_of_boards(document: Document, spec: str, fresh: bool) -> Counter[str]:
    """Those of its boards."""
    found: Counter[str] = Counter()
    for board in document.boards:
        origin = board.origin
        if not isinstance(origin, Origin) or (origin.spec == spec and not fresh):
            continue
        for child in origin.node.children or () if origin.spec != spec and origin.sequence.table.has_own_fields else ():
            decl = child.decl
            if decl is not None and decl.binding.opaque and decl.binding.default is None and child.value not in _BLANK:
                found[f"the field {decl.name} of {origin.spec}"] += 1
        found.update(f"the field {key} of {origin.spec}" for key in _own_pairs(origin))
    return found


def _own_pairs(origin: Origin) -> list[str]:
    """The keys of the pairs of a record that give something and have no meaning in the model."""
    if origin.sequence.table.pairs is None:
        return []
    decl = origin.sequence.table.pair_keys.decl
    pair = decl.pair
    if pair is None or all(pair_entry(decl, key).kind == "term" for key in pair.words):
        return []
    rows = origin.sequence.rows(origin.index)
    values = _pairs_of(origin.node, decl.name, pair) if rows is None else [(key, value) for key, value, *_ in rows[0] if key]
    return [key.lower() for key, value in values if value.strip(_IDLE) and pair_entry(decl, key).kind == "rest"]


def _around(node: Node) -> Iterator[str]:
    """The names of what a text says around its boards and the model has no place for: pairs, and fields of what is a term."""
    for child in node.children or ():
        if not isinstance(child, TextNode) or child.field == BOARDS or not child.text.strip(_IDLE):
            continue
        pair = child.rule.words.pair
        if pair is not None and pair.key in child:
            key = str(child[pair.key].value).lower()
            values = [one for one in child.children or () if isinstance(one, TextNode) and one.field != pair.key]
            if pair.terms.get(key, pair.terms.get("*")) == "opaque" and values and values[0].text.strip(_IDLE):
                yield key
        elif child.children is not None:
            yield from _around(child)
        elif child.rule.words.binding.opaque and isinstance(node, TextNode) and node.rule.words.binding.term is not None:
            yield child.field.replace("_", " ")


def _pairs_of(node: Node, name: str, pair: Pair) -> list[tuple[str, str]]:
    """The keys and values of a record of which not every pair follows its form."""
    pairs = [one for child in node.children or () if child.name == name for one in child.children or ()]
    return [(str(one[pair.key].value), str(one[pair.value].value or "")) for one in pairs if pair.key in one and pair.value in one]
