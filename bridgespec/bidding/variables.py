"""Variables in rules of a system: suits for which a word such as ``M`` is written.

`bindings` enumerates the suits for a set of variables; `suit_named` and `call_named` look a written suit or call up in a
`SuitBinding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from bridgespec.bidding.reading import SUIT_WORDS, VARIABLES
from bridgespec.bidding.rule_file import Aim, BiddingRule, WrittenCondition
from bridgespec.bidding.turn import XX, P, X, bid

SuitBinding = Mapping[str, int]
"""A suit, 0 to 3 from spades down, for each variable."""
ANY_CALL, ANY_BID = -1, -2
"""The words ``any`` and ``bid``. Below every call number, so that they are keys of the same trie as calls."""


def suit_named(word: str, binding: SuitBinding) -> int | None:
    """Return the suit that a word names: its name, or a variable (``oM``: the major other than ``M``); None for notrump.

    Raises KeyError for a variable that ``binding`` lacks.
    """
    if word in SUIT_WORDS:
        return SUIT_WORDS.index(word)
    if word == "notrump":
        return None
    if word in ("oM", "om"):
        return {0: 1, 1: 0, 2: 3, 3: 2}[binding[word[1]]]
    return binding[word]


def call_named(text: str, binding: SuitBinding) -> int:
    """Return the number of a call such as ``2M``, with its variable replaced; `ANY_CALL` for ``any`` and `ANY_BID` for ``bid``."""
    if text in ("P", "X", "XX", "any", "bid"):
        return {"P": P, "X": X, "XX": XX, "any": ANY_CALL, "bid": ANY_BID}[text]
    level, strain = int(text[0]), text[1:]
    if strain in ("N", "NT"):
        return bid(level, None)
    if strain in ("S", "H", "D", "C"):
        return bid(level, "SHDC".index(strain))
    return bid(level, suit_named(strain, binding))


def variables_of(text: str) -> set[str]:
    """Return the variable in a word for a suit, as a set of one; empty if the word is a suit's name or notrump."""
    if text in ("oM", "om"):
        return {text[1]}
    return {text} if text in VARIABLES else set()


def condition_variables(words: WrittenCondition | None) -> set[str]:
    """Return the variables that occur in a condition."""
    if words is None:
        return set()
    found = variables_of(words.suit or "")
    for term in (words.term, words.other):
        if term is not None and term.suit:
            found |= variables_of(term.suit)
    for part in words.parts:
        found |= condition_variables(part)
    return found


def call_suit(rule: BiddingRule) -> str:
    """Return the strain of a rule's call as written, such as ``M`` of ``2M``; a pass or double as it is."""
    text = rule.made.text
    return text[1:] if rule.made.aim is Aim.FIXED and text[0].isdigit() else text


def rule_variables(rule: BiddingRule) -> set[str]:
    """Return the variables that occur in a rule: in its call, its conditions, the suit it agrees and the suit it asks about."""
    found = variables_of(call_suit(rule))
    found |= condition_variables(rule.shows) | condition_variables(rule.wants)
    if rule.agrees:
        found |= variables_of(rule.agrees)
    if rule.asks and rule.asks[1]:
        found |= variables_of(rule.asks[1])
    return found


def bindings(names: set[str], given: SuitBinding) -> Iterator[dict[str, int]]:
    """Yield ``given`` extended by each combination of suits for the other variables; all but ``t`` must be different suits."""
    free = sorted(names - set(given))
    for values in product(*(VARIABLES[name] for name in free)):
        made = dict(given) | dict(zip(free, values, strict=True))
        # t may be any suit, also one that another variable names.
        suits = [suit for name, suit in made.items() if name != "t"]
        if len(set(suits)) == len(suits):
            yield made
