"""A line of play in words: one sentence for the main path (`line_words`), the whole tree in lines (`tree_text`).

Both walk the tree with the cards that are left, since whether a card is "low", "cashed" or "run" depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridgespec.model.cards import RANKS, Seat
from bridgespec.model.combination import Combination
from bridgespec.suits.line import FourthHandOutcome, LineTrick, ThirdHandAnswer
from bridgespec.suits.suit_solver import DISCARD, Start

NAMES = ("ace", "king", "queen", "jack", "ten", "nine", "eight", "seven", "six", "five", "four", "three", "two")
EIGHT = RANKS.index("8")
MOST_TRICKS = 3
"""Tricks of the main path that the sentence describes."""


@dataclass(frozen=True)
class Left:
    """The ranks that each of declarer's hands and the defenders have left."""

    north: frozenset[int]
    south: frozenset[int]
    defenders: frozenset[int]

    @classmethod
    def of(cls, combination: Combination) -> Left:
        """All cards of a combination."""
        holdings = (combination.north, combination.south, combination.defenders)
        return cls(*(frozenset(map(RANKS.index, holding)) for holding in holdings))

    def hand(self, seat: Seat) -> frozenset[int]:
        """Declarer's cards in a hand."""
        return self.north if seat is Seat.NORTH else self.south

    def after(self, trick: LineTrick, answer: ThirdHandAnswer, outcome: FourthHandOutcome) -> Left:
        """Return the remaining cards after a trick. Of a defender's equal cards the lowest counts as played."""
        played = {trick.lead, answer.third}
        gone: set[int] = set()
        for cards in (answer.second, outcome.fourth):
            held = (self.defenders - gone) & set(cards)
            # A defender plays the lowest of equal cards; which one does not change the play, only the words.
            gone |= {max(held)} if held else set()
        return Left(self.north - played, self.south - played, self.defenders - gone)

    def is_low(self, rank: int, seat: Seat) -> bool:
        """Whether a card is a hand's smallest, no higher than an eight, with a higher one above it."""
        held = self.hand(seat)
        # A nine is named, because players do not call it a small card; a singleton is not "low" as there is nothing to choose.
        return rank >= EIGHT and rank == max(held) and len(held) > 1

    def is_duck(self, rank: int) -> bool:
        """Whether a card beats less than half of the defenders' cards."""
        return 2 * sum(rank < card for card in self.defenders) < len(self.defenders)

    def is_top(self, rank: int) -> bool:
        """Whether no defender can beat a card."""
        return rank < min(self.defenders, default=DISCARD + 99)


def line_words(combination: Combination, tree: LineTrick | None, possible: bool = True) -> str:
    """Describe the main path of a line in a sentence.

    The path follows second hand's lowest card, and two of fourth hand's: where declarer wins the trick and where he loses it.
    """
    if not possible:
        return "No line of play takes so many tricks in any layout."
    if tree is None:
        return "Top cards are enough."
    text = _path(tree, Left.of(combination), MOST_TRICKS)
    return text[0].upper() + text[1:] + "."


def start_words(combination: Combination, start: Start) -> str:
    """Describe a first trick: "low to the jack"."""
    text = _trick(start.hand, start.lead, None if start.third == DISCARD else start.third, Left.of(combination))
    return text[0].upper() + text[1:]


def _trick(hand: Seat, lead: int, third: int | None, left: Left) -> str:
    lead_low = left.is_low(lead, hand)
    name = f"the {NAMES[lead]}"
    if third is None:
        return f"cash {name}" if left.is_top(lead) else f"play {'low' if lead_low else name} from {hand}"
    third_low = third == max(left.hand(hand.partner)) and third >= EIGHT
    if lead < third:
        if left.is_top(lead):
            return f"cash {name}" + ("" if third == max(left.hand(hand.partner)) else f" and play the {NAMES[third]} under it")
        if third_low and lead_low and left.is_duck(lead):
            return "duck a trick"
        return f"run {name}" if third == max(left.hand(hand.partner)) else f"lead {name} and play the {NAMES[third]}"
    if third_low and lead_low and left.is_duck(third):
        return "duck a trick"
    return f"{'low' if lead_low else name} to the {NAMES[third]}"


def _path(trick: LineTrick, left: Left, depth: int) -> str:
    usual = trick.usual
    text = _trick(trick.hand, trick.lead, usual.third, left)
    held = [one for one in usual.outcomes if one.won]
    lost = [one for one in usual.outcomes if not one.won]
    then_held, then_lost = (_then(trick, usual, branch, left, depth - 1) for branch in (held, lost))
    # One continuation for both cases, or only one case: "if it holds" would suggest a difference.
    if then_held == then_lost or not (held and lost):
        following = then_held or then_lost
        return text + (f"; then {following}" if following else "")
    parts = [f"if it {word}, {then}" for word, then in (("loses", then_lost), ("holds", then_held)) if then]
    return "; ".join([text, *parts])


def _then(trick: LineTrick, answer: ThirdHandAnswer, outcomes: Sequence[FourthHandOutcome], left: Left, depth: int) -> str:
    """Return the text of the continuation after fourth hand's lowest card that leaves a decision; empty if none leaves one."""
    following = [(one, one.then) for one in outcomes if one.then is not None]
    if not following:
        return ""
    if not depth:
        return "go on as in the tree"
    main, then = max(following, key=lambda pair: max(pair[0].fourth, default=-1))
    return _path(then, left.after(trick, answer, main), depth)


def cards_text(cards: Sequence[int], left: Left) -> str:
    """Name the cards of which a defender plays any: "shows out", "low", "king or queen"."""
    held = sorted(left.defenders & set(cards))
    if not cards:
        return "shows out"
    if held and held[-1] >= EIGHT and held[-1] == max(left.defenders):
        return "low"
    return " or ".join(NAMES[rank] for rank in held)


def tree_text(combination: Combination, tree: LineTrick | None) -> list[str]:
    """Describe the whole tree, a line for each lead and each answer, indented by two spaces a level."""
    return [] if tree is None else _tree(tree, Left.of(combination))


def _tree(trick: LineTrick, left: Left) -> list[str]:
    lead = "low" if left.is_low(trick.lead, trick.hand) else f"the {NAMES[trick.lead]}"
    lines = [f"{trick.hand} leads {lead}"]
    second, fourth = trick.hand.next, trick.hand.next.partner
    answers: dict[tuple[str, ...], list[str]] = {}
    for answer in trick.answers:
        body = (_third(trick, answer, left), *_indented(_outcomes(trick, answer, left, fourth)))
        # Cards with the same continuation share a line, or a tree would have one branch for each spot card.
        answers.setdefault(body, []).append(cards_text(answer.second, left))
    for (third, *rest), cards in answers.items():
        lines += [f"  {second} {_either(cards)}: {third}", *_indented(rest)]
    return lines


def _third(trick: LineTrick, answer: ThirdHandAnswer, left: Left) -> str:
    partner = trick.hand.partner
    if answer.third is None:
        return f"{partner} discards"
    return f"{partner} plays {'low' if left.is_low(answer.third, partner) else 'the ' + NAMES[answer.third]}"


def _outcomes(trick: LineTrick, answer: ThirdHandAnswer, left: Left, fourth: Seat) -> list[str]:
    """Return the lines of the continuations. Equal continuations share a line; a single one is not headed by its cards."""
    found: dict[tuple[str, ...], list[str]] = {}
    for outcome in answer.outcomes:
        if outcome.then is None:
            body = ["cash the top cards" if outcome.cash else "done"]
        else:
            body = _tree(outcome.then, left.after(trick, answer, outcome))
        found.setdefault(tuple(body), []).append(cards_text(outcome.fourth, left))
    if len(found) == 1:
        return list(next(iter(found)))
    lines: list[str] = []
    for (first, *rest), cards in found.items():
        lines += [f"{fourth} {_either(cards)}: {first}", *_indented(rest)]
    return lines


def _either(cards: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(cards))


def _indented(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]
