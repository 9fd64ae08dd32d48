"""Describe a line of play: its main path in one sentence (`line_words`), or the complete tree in indented lines (`tree_text`).

Both walk the tree with the `RemainingCards`, because these decide whether a card is "low", "cashed" or "run".
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
"""The number of tricks of the main path that the sentence describes."""


@dataclass(frozen=True)
class RemainingCards:
    """The ranks that North, South and the defenders together still have. Created for each trick of a walk."""

    north: frozenset[int]
    south: frozenset[int]
    defenders: frozenset[int]

    @classmethod
    def of(cls, combination: Combination) -> RemainingCards:
        """Return the cards before the first trick."""
        holdings = (combination.north, combination.south, combination.defenders)
        return cls(*(frozenset(map(RANKS.index, holding)) for holding in holdings))

    def hand(self, seat: Seat) -> frozenset[int]:
        """Return the cards of North or South."""
        return self.north if seat is Seat.NORTH else self.south

    def after(self, trick: LineTrick, answer: ThirdHandAnswer, outcome: FourthHandOutcome) -> RemainingCards:
        """Return the remaining cards after a trick."""
        played = {trick.lead, answer.third}
        gone: set[int] = set()
        for cards in (answer.second, outcome.fourth):
            held = (self.defenders - gone) & set(cards)
            # Of equivalent cards the defender plays the lowest; which one is played changes only the words.
            gone |= {max(held)} if held else set()
        return RemainingCards(self.north - played, self.south - played, self.defenders - gone)

    def is_low(self, rank: int, seat: Seat) -> bool:
        """Return whether a card is called "low": the lowest of at least two cards of the hand, and no higher than an eight."""
        held = self.hand(seat)
        # Players do not call a nine low, nor a singleton, which is no choice.
        return rank >= EIGHT and rank == max(held) and len(held) > 1

    def is_duck(self, rank: int) -> bool:
        """Return whether a card beats less than half of the defenders' cards, so that it is not played to win."""
        return 2 * sum(rank < card for card in self.defenders) < len(self.defenders)

    def is_top(self, rank: int) -> bool:
        """Return whether no defender can beat a card."""
        return rank < min(self.defenders, default=DISCARD + 99)


def line_words(combination: Combination, tree: LineTrick | None, possible: bool = True) -> str:
    """Return a sentence that describes the main path of a line. ``possible`` is False if no line reaches the goal; ``tree`` is
    None if top cards are enough.

    The main path follows second hand's lowest card. If declarer may win or lose the trick, it has a branch for each case.
    """
    if not possible:
        return "No line of play takes so many tricks in any layout."
    if tree is None:
        return "Top cards are enough."
    text = _main_path(tree, RemainingCards.of(combination), MOST_TRICKS)
    return text[0].upper() + text[1:] + "."


def start_words(combination: Combination, start: Start) -> str:
    """Return a description of a first trick, such as "Low to the jack"."""
    text = _trick(start.hand, start.lead, None if start.third == DISCARD else start.third, RemainingCards.of(combination))
    return text[0].upper() + text[1:]


def _trick(hand: Seat, lead: int, third: int | None, remaining: RemainingCards) -> str:
    """Return a description of a lead and third hand's card (None: a discard)."""
    lead_low = remaining.is_low(lead, hand)
    name = f"the {NAMES[lead]}"
    if third is None:
        return f"cash {name}" if remaining.is_top(lead) else f"play {'low' if lead_low else name} from {hand}"
    third_low = third == max(remaining.hand(hand.partner)) and third >= EIGHT
    if lead < third:
        if remaining.is_top(lead):
            return f"cash {name}" + ("" if third == max(remaining.hand(hand.partner)) else f" and play the {NAMES[third]} under it")
        if third_low and lead_low and remaining.is_duck(lead):
            return "duck a trick"
        return f"run {name}" if third == max(remaining.hand(hand.partner)) else f"lead {name} and play the {NAMES[third]}"
    if third_low and lead_low and remaining.is_duck(third):
        return "duck a trick"
    return f"{'low' if lead_low else name} to the {NAMES[third]}"


def _main_path(trick: LineTrick, remaining: RemainingCards, depth: int) -> str:
    """Return a description of the main path from a trick on, of at most ``depth`` tricks."""
    usual = trick.usual
    text = _trick(trick.hand, trick.lead, usual.third, remaining)
    won = [one for one in usual.outcomes if one.won]
    lost = [one for one in usual.outcomes if not one.won]
    then_won, then_lost = (_continuation(trick, usual, branch, remaining, depth - 1) for branch in (won, lost))
    # If both cases have the same continuation, or there is one case, "if it holds" would suggest a difference.
    if then_won == then_lost or not (won and lost):
        following = then_won or then_lost
        return text + (f"; then {following}" if following else "")
    parts = [f"if it {word}, {then}" for word, then in (("loses", then_lost), ("holds", then_won)) if then]
    return "; ".join([text, *parts])


def _continuation(
    trick: LineTrick, answer: ThirdHandAnswer, outcomes: Sequence[FourthHandOutcome], remaining: RemainingCards, depth: int
) -> str:
    """Return a description of the next tricks, after the lowest card of fourth hand for which there is a next trick; empty if there
    is none.
    """
    following = [(one, one.then) for one in outcomes if one.then is not None]
    if not following:
        return ""
    if not depth:
        return "go on as in the tree"
    main, then = max(following, key=lambda pair: max(pair[0].fourth, default=-1))
    return _main_path(then, remaining.after(trick, answer, main), depth)


def cards_text(cards: Sequence[int], remaining: RemainingCards) -> str:
    """Return a description of equivalent cards, one of which a defender plays: "shows out", "low", "king or queen"."""
    held = sorted(remaining.defenders & set(cards))
    if not cards:
        return "shows out"
    if held and held[-1] >= EIGHT and held[-1] == max(remaining.defenders):
        return "low"
    return " or ".join(NAMES[rank] for rank in held)


def tree_text(combination: Combination, tree: LineTrick | None) -> list[str]:
    """Return a description of the complete tree, a line for each lead and each answer, indented by two spaces a level."""
    return [] if tree is None else _tree_lines(tree, RemainingCards.of(combination))


def _tree_lines(trick: LineTrick, remaining: RemainingCards) -> list[str]:
    lead = "low" if remaining.is_low(trick.lead, trick.hand) else f"the {NAMES[trick.lead]}"
    lines = [f"{trick.hand} leads {lead}"]
    second, fourth = trick.hand.next, trick.hand.next.partner
    answers: dict[tuple[str, ...], list[str]] = {}
    for answer in trick.answers:
        body = (_third_hand(trick, answer, remaining), *_indented(_outcomes(trick, answer, remaining, fourth)))
        # Cards with the same continuation share a line.
        answers.setdefault(body, []).append(cards_text(answer.second, remaining))
    for (third, *rest), cards in answers.items():
        lines += [f"  {second} {_listed(cards)}: {third}", *_indented(rest)]
    return lines


def _third_hand(trick: LineTrick, answer: ThirdHandAnswer, remaining: RemainingCards) -> str:
    partner = trick.hand.partner
    if answer.third is None:
        return f"{partner} discards"
    return f"{partner} plays {'low' if remaining.is_low(answer.third, partner) else 'the ' + NAMES[answer.third]}"


def _outcomes(trick: LineTrick, answer: ThirdHandAnswer, remaining: RemainingCards, fourth: Seat) -> list[str]:
    """Return the lines of the continuations for fourth hand's cards. Cards with the same continuation share a line; if all cards
    have the same, they are not named.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for outcome in answer.outcomes:
        if outcome.then is None:
            body = ["cash the top cards" if outcome.cash else "done"]
        else:
            body = _tree_lines(outcome.then, remaining.after(trick, answer, outcome))
        found.setdefault(tuple(body), []).append(cards_text(outcome.fourth, remaining))
    if len(found) == 1:
        return list(next(iter(found)))
    lines: list[str] = []
    for (first, *rest), cards in found.items():
        lines += [f"{fourth} {_listed(cards)}: {first}", *_indented(rest)]
    return lines


def _listed(cards: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(cards))


def _indented(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]
