"""The best play of a suit combination against best defence: a line of play in words and as a tree, and its chances.

`suit_play` takes two holdings or a `Combination`, and returns a `SuitPlay` with a `Goal` for each number of tricks.
"""

from bridgespec.model.combination import Combination
from bridgespec.suits.best_play import MODEL_NOTE, Goal, LayoutResult, OtherLine, SuitPlay, suit_play
from bridgespec.suits.line import FourthHandOutcome, LineTrick, ThirdHandAnswer
from bridgespec.suits.picture import picture
from bridgespec.suits.play_words import tree_text
from bridgespec.suits.suit_solver import HANDS

__all__ = [
    "HANDS",
    "MODEL_NOTE",
    "Combination",
    "FourthHandOutcome",
    "Goal",
    "LayoutResult",
    "LineTrick",
    "OtherLine",
    "SuitPlay",
    "ThirdHandAnswer",
    "picture",
    "suit_play",
    "tree_text",
]
