"""The values of the model that have a JSON form of their own: cards, calls, deals, tables."""

from __future__ import annotations

from typing import Any

from bridgespec.export._shapes import SPECIAL, Bad, Json, JsonProblems, JsonShape, Object, WordedShape, fail, kind_of
from bridgespec.model.auction import Call
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.convention_card import Flags, Step, parse_sequence, sequence_text
from bridgespec.model.deal import UNKNOWN, Deal
from bridgespec.model.document import Document
from bridgespec.model.hand import Hand
from bridgespec.model.tricks import UNSOLVED, Tricks


class DealShape(JsonShape):
    """A deal: dotted holdings S.H.D.C by seat, and ``out`` for cards out of play; all other cards are unknown."""

    KEYS = (*(seat.name.lower() for seat in Seat), "out")

    def encode(self, value: Deal) -> Json:
        done = {}
        for holder, key in enumerate(self.KEYS):
            if holder in value.holders:
                # `Deal.hand` takes a seat, and cards out of play have none: they are shown to it as West's.
                own = bytes(0 if item == holder else UNKNOWN for item in value.holders)
                done[key] = str(Deal(own).hand(Seat(0)))
        return done

    def decode(self, value: Json, path: str, problems: JsonProblems) -> Any:
        if not isinstance(value, dict):
            raise fail(path, problems, f"expected an object, found {kind_of(value)}")
        holders = bytearray([UNKNOWN]) * 52
        bad = False
        for key, text in value.items():
            place = f"{path}.{key}"
            try:
                if key not in self.KEYS or not isinstance(text, str):
                    raise ValueError("expected holdings by west, north, east, south or out")
                for card in Hand.parse(text):
                    if holders[card] != UNKNOWN:
                        raise ValueError(f"{card} is dealt twice")
                    holders[card] = self.KEYS.index(key)
            except ValueError as error:
                problems.add(place, str(error))
                bad = True
        if bad:
            raise Bad
        return Deal(bytes(holders))

    def schema(self, definitions: dict[str, Json]) -> Json:
        hand = {"type": "string", "pattern": r"^[AKQJT2-9]*(\.[AKQJT2-9]*){3}$"}
        about = "Dotted holdings S.H.D.C by seat; out: cards out of play; cards that stand nowhere are unknown."
        definitions["Deal"] = {
            "type": "object",
            "description": about,
            "properties": dict.fromkeys(self.KEYS, hand),
            "additionalProperties": False,
        }
        return {"$ref": "#/$defs/Deal"}


class TricksShape(JsonShape):
    """A double-dummy table: declarers by letter, strains by label; unknown cells left out."""

    def encode(self, value: Tricks) -> Json:
        rows = {
            seat.letter: {strain.label: cell for strain in Strain if (cell := value.get(strain, seat)) is not None} for seat in Seat
        }
        return {letter: row for letter, row in rows.items() if row}

    def decode(self, value: Json, path: str, problems: JsonProblems) -> Any:
        cells = bytearray([UNSOLVED]) * 20
        bad = not isinstance(value, dict)
        for letter, row in value.items() if isinstance(value, dict) else ():
            # A row that is no object is reported by the same test as a wrong cell.
            for label, cell in row.items() if isinstance(row, dict) else [("", None)]:
                strain = next((strain for strain in Strain if strain.label == label), None)
                # The length too: "" and "NE" are parts of the text. 14 is no result, but files have it, and a rule reports it.
                if letter not in "WNES" or len(letter) != 1 or strain is None or type(cell) is not int or not 0 <= cell <= 14:
                    problems.add(f"{path}.{letter}", "expected tricks 0 to 13 by W N E S, then NT S H D C")
                    bad = True
                else:
                    cells[4 * strain + Seat.parse(letter)] = cell
        if bad:
            raise fail(path, problems, f"expected an object, found {kind_of(value)}") if not isinstance(value, dict) else Bad()
        return Tricks(bytes(cells))

    def schema(self, definitions: dict[str, Json]) -> Json:
        cell = {"type": "integer", "minimum": 0, "maximum": 14}
        row = {"type": "object", "properties": {strain.label: cell for strain in Strain}, "additionalProperties": False}
        return {
            "type": "object",
            "description": "Double-dummy tricks by declarer, then strain.",
            "properties": {seat.letter: row for seat in Seat},
            "additionalProperties": False,
        }


def _step(text: str) -> Step:
    steps = parse_sequence(text)
    if len(steps) != 1:
        raise ValueError(f"expected one call, not {text!r}")
    return steps[0]


_CALL = {"pattern": "^([1-7](NT|[SHDC])|Pass|X|XX)$"}
# Before `Object(Document)` below, which derives the shapes of all fields.
SPECIAL.update(
    {
        Card: WordedShape(str, Card.parse, {"pattern": "^[SHDC][AKQJT2-9]$"}),
        Call: WordedShape(str, Call.parse, _CALL),
        Contract: WordedShape(str, Contract.parse, {"pattern": "^([1-7](NT|[SHDC])(X|XX)?|Pass)$"}),
        Flags: WordedShape(str, Flags.parse, {"pattern": "^[YN]{7}$"}),
        Step: WordedShape(lambda step: sequence_text([step]), _step, {"pattern": r"^([PDR]|[1-7][CDHSN])(\{[^{}]*\})?$"}),
        Deal: DealShape(),
        Tricks: TricksShape(),
    }
)


DOCUMENT = Object(Document)
"""The shape of a whole document."""
