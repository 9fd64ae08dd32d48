"""Suit combinations: the best play of one suit against best defence, as a line in words, as a tree and in figures.

`suit_play` answers for two holdings or a `Combination`; `SuitPlay.goals` hold the answer.
"""

from bridgespec.model.combination import Combination
from bridgespec.suits.engine import HANDS
from bridgespec.suits.line import Answer, Outcome, Trick
from bridgespec.suits.picture import picture
from bridgespec.suits.play import MODEL_NOTE, Goal, LayoutResult, OtherLine, SuitPlay, suit_play
from bridgespec.suits.words import tree_text

__all__ = [
    "HANDS",
    "MODEL_NOTE",
    "Answer",
    "Combination",
    "Goal",
    "LayoutResult",
    "OtherLine",
    "Outcome",
    "SuitPlay",
    "Trick",
    "picture",
    "suit_play",
    "tree_text",
]
