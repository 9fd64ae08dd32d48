"""Check that a set of codes is complete: a suit, seat or card without a code cannot be written."""

from __future__ import annotations

from collections.abc import Iterable

from bridgespec.codec.code_numbers import CARDS, RANK_WORDS, SEATS
from bridgespec.codec.proof.claim import Proof, Property, Status
from bridgespec.codec.terms._values import STRAINS, SUIT_WORDS
from bridgespec.spec.place import SchemaPlace

_SETS: dict[str, frozenset[str]] = {
    "seats": frozenset(SEATS),
    "suits": frozenset(SUIT_WORDS),
    "strains": frozenset(STRAINS),
    "ranks": frozenset(RANK_WORDS),
    "cards": frozenset(CARDS),
    "vulnerabilities": frozenset({"none", "ns", "ew", "both"}),
}


def cover_proof(about: str, codes: Iterable[str], place: SchemaPlace | None) -> Proof | None:
    """Return the proof that ``codes`` name all members of each known set (suits, seats ...) of which they name more than half;
    None where there is no such set.

    >>> cover_proof("seat", ["west", "north", "east"], None).witness
    'south has no code'
    >>> cover_proof("suit", ["spades", "hearts", "diamonds", "clubs"], None).told
    'all suits'
    """
    names = {"both" if name == "all" else name for name in codes}
    begun = {kind: words for kind, words in _SETS.items() if 2 * len(names & words) > len(words)}
    whole = {kind: words for kind, words in begun.items() if words <= names}
    # An incomplete set is no fault if a set within it is complete: codes for the four suits need none for notrump.
    lacking = {
        kind: words - names for kind, words in begun.items() if kind not in whole and not any(one < words for one in whole.values())
    }
    if not begun:
        return None
    missing = min(lacking.values(), key=len, default=frozenset[str]())
    count = sum(map(len, whole.values())) + sum(map(len, (begun[kind] for kind in lacking)))
    told = f"all {' and '.join(whole)}" if not lacking else f"{count - len(missing)} of {count}"
    witness = f"{', '.join(sorted(missing))} {'has' if len(missing) == 1 else 'have'} no code" if missing else ""
    return Proof(about, Property.COVER, Status.FALSE if missing else Status.PROVED, count, count, told, place, witness)
