"""Hand terms: the scalar definitions against known hands, and the array forms against the scalar ones."""

from __future__ import annotations

import numpy as np
import pytest

from bridgespec.model.evaluate import (
    TERMS,
    Evaluated,
    evaluate,
    hand_of,
    hand_text,
    holdings_of,
    losers,
    shape,
    stoppers,
    top_three,
)

HANDS = 500


@pytest.fixture(scope="module")
def deals() -> np.ndarray:
    """Random deals as holders."""
    rng = np.random.default_rng(5)
    return rng.permuted(np.broadcast_to(np.repeat(np.arange(4, dtype=np.uint8), 13), (HANDS, 52)), axis=1)


def test_array_forms_agree_with_scalar_ones(deals: np.ndarray) -> None:
    """Every term of every hand is the same by look-up and by definition."""
    holdings = holdings_of(deals, 2)
    many = Evaluated(holdings)
    rows = [evaluate(tuple(int(value) for value in holdings[:, row])) for row in range(HANDS)]  # type: ignore[arg-type]
    for name, place in TERMS.items():
        assert many.column(name).tolist() == pytest.approx([row[place] for row in rows]), name


@pytest.mark.parametrize(
    ("hand", "term", "value"),
    [
        ("AKQ95.AT3.KJ2.97", "hcp", 17),
        ("AKQ95.AT3.KJ2.97", "points", 18),
        ("AKQ95.AT3.KJ2.97", "balanced", 1),
        ("AK987.KT65.82.K3", "losers", 6),
        ("AQ97.K86.KJ5.752", "newlosers", 8),
        ("AK84.KQ6.82.K932", "quicktricks", 3.5),
        ("KQJ9.765.A43.K82", "stoppers.0", 2),
        ("J432.765.A43.K82", "stoppers.0", 1),
        ("AQJ87.A4.K65.952", "quality.0", 8),
        ("A4.K8765.AQ3.652", "support.1", 15.5),
        ("A4.K8765.AQ3.652", "keycards.1", 3),
        (".AT876.9875.AK75", "rule20", 20),
    ],
)
def test_terms_have_their_published_values(hand: str, term: str, value: float) -> None:
    """Each count gives what its author's definition gives."""
    assert evaluate(hand_of(hand))[TERMS[term]] == value


@pytest.mark.parametrize(
    ("suits", "once"),
    [
        ("A A2 K2 K32 Q32 QJ2 J432 JT98 AJ2 AT9 KJ2", 1),
        ("AK AQ AK2 KQJ AJT KJT KQT AJ32 AQJ2", 2),
        ("K Q Q2 J J2 J32 JT2 T987 2", 0),
    ],
)
def test_stoppers_of_a_suit(suits: str, once: int) -> None:
    """Every combination that the definition names, and those that just miss it."""
    for suit in suits.split():
        assert stoppers(sum(1 << 12 - "AKQJT98765432".index(rank) for rank in suit)) == once, suit


@pytest.mark.parametrize(
    ("suits", "count"), [("A AK AKQ AKQ2", 0), ("K K2 AQ A2 AK2 AKJ2 AQ2 2", 1), ("Q2 32 K32 KJ2 QJ", 2), ("432 JT9", 3)]
)
def test_losers_of_a_suit(suits: str, count: int) -> None:
    """One for each of the three highest that is missing, as far as the length goes."""
    for suit in suits.split():
        assert losers(sum(1 << 12 - "AKQJT98765432".index(rank) for rank in suit)) == count, suit


def test_the_highest_three() -> None:
    """Ace, king and queen, and no jack."""
    assert [top_three(holding) for holding in (0b1111111111111, 0b1110000000000, 0b0001111111111, 0b0010000000000)] == [3, 3, 0, 1]


def test_an_unknown_term_is_refused() -> None:
    """By its name, of a hand or of a suit."""
    for name in ("nothing", "nothing.1"):
        with pytest.raises(KeyError, match="nothing"):
            Evaluated(np.zeros((4, 1), np.int64)).column(name)


def test_hands_are_read_and_written_back() -> None:
    """Text of a hand survives, and what is not a hand is refused with the reason."""
    for text in ("AKQ95.AT3.KJ2.97", "AKQJT98765432...", ".5432.A7652.KQ32"):
        assert hand_text(hand_of(text)) == text
    assert shape(hand_of(".5432.A7652.KQ32")) == "5440"
    for text, reason in (("AKQ.AT3.KJ2.97", "13 cards, not 11"), ("AA.2.3.4", "twice"), ("AKQ", "four holdings"), ("X...", "rank")):
        with pytest.raises(ValueError, match=reason):
            hand_of(text)
