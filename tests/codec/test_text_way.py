"""How far a pair of a text goes to the model and back: counted in the functions that it passes."""

from __future__ import annotations

from dataclasses import replace

from bridgespec import Document, dumps, loads
from bridgespec.model.contract import Contract
from tests.steps import functions

PAIRS = b'[Event "Cup"]\r\n[Dealer "N"]\r\n[Contract "4S"]\r\n'


def changed(contract: str) -> Document:
    """The pairs read, and another contract in the place of theirs."""
    document = loads(PAIRS, "pbn")
    return replace(document, boards=(replace(document.boards[0], contract=Contract.parse(contract)),))


def test_a_pair_is_near_the_model() -> None:
    """Once its format is known, few functions stand between the text of a contract and the contract."""
    assert loads(PAIRS, "pbn").boards[0].contract == Contract.parse("4S")
    assert len(functions(lambda: loads(PAIRS.replace(b"4S", b"3NT"), "pbn").boards[0].contract)) <= 92


def test_a_pair_goes_to_the_model_and_back() -> None:
    """Read, changed, written and compared with what was meant."""
    assert dumps(changed("5C"), "pbn") == PAIRS.replace(b"4S", b"5C")
    assert len(functions(lambda: dumps(changed("6HX"), "pbn"))) <= 260
