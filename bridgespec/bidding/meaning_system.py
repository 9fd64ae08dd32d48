"""A Full Disclosure table as a bidding system: it interprets and vetoes calls, and a base system chooses them.

A table has neither conditions nor an order of its calls, so it cannot choose a call. Its record for a call interprets it: the
length of the suit that is bid, whether the call is forcing, and the high-card points in its text, if that names exactly one range.
A hand outside these ranges does not make the call. Where the table has no record, the base system chooses and interprets.
`read_card` reads a table, `CardSystem` is the system.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bridgespec.bidding.compiled import CompiledCondition, CompiledRule
from bridgespec.bidding.condition import HandCondition, NotChosen, both, in_box
from bridgespec.bidding.knowledge import HCP, LENGTH, Range
from bridgespec.bidding.rule_file import SUFFIX, Aim, BiddingRule, ItemPlace, Module, RuleCall, SituationRules
from bridgespec.bidding.system import BiddingSystem
from bridgespec.bidding.turn import CALL_NAMES, FIRST_BID, Turn, call_of, number_of, suit_of
from bridgespec.codec.bind import Binder
from bridgespec.codec.including import with_included
from bridgespec.codec.text.codec import TextCodec
from bridgespec.errors import UsageError
from bridgespec.model.convention_card import ANY_LENGTH, Danger, Disposition, Meaning, System
from bridgespec.model.disclosure import display
from bridgespec.spec.catalog import Catalog

_POINTS = re.compile(
    r"(?<![\w.+!-])(\d{1,2})(?:\s*(?:--?|–|to)\s*(\d{1,2})|(\+))(?![\d-])\s*(hcp|points|pts|h\.?c\.?p\.?|bal\w*)?(?=[^\w!]|$)",
    re.IGNORECASE,
)
"""Matches ``12-14``, ``15-17 HCP``, ``13+``, but not lengths, which are smaller numbers or have a suit behind them."""
_LEAST_ALONE = 9
"""The least number that counts as points without ``HCP`` or the like behind it; a smaller one may be a length."""
_FORCING = {
    Disposition.FORCING: "round",
    Disposition.GAME_FORCING: "game",
    Disposition.SLAM_TRY: "game",
    Disposition.CONTROL_BID: "round",
    Disposition.TRANSFER: "round",
    Disposition.PUPPET: "round",
    Disposition.RELAY: "round",
    Disposition.ASKING: "round",
}


def points_in(text: str) -> Range | None:
    """Return the high-card points that a text names; None where it names none, or more than one range.

    >>> points_in("MIN (12-14) No 4 card major"), points_in("13+ HCP, 5+!h"), points_in("5-5 in the majors")
    ((12, 14), (13, 37), None)
    >>> points_in("8-10 or 15+"), points_in("12--14 BAL")
    (None, (12, 14))
    """
    found: list[Range] = []
    for match in _POINTS.finditer(text):
        low = int(match[1])
        high = 37 if match[3] else int(match[2])
        named = match[4] is not None
        if low <= high <= 37 and (named or (match[3] and low >= _LEAST_ALONE) or (not match[3] and high >= _LEAST_ALONE)):
            found.append((low, high))
    return found[0] if len(set(found)) == 1 else None


_NOT_CHOSEN = CompiledCondition(0, 0, NotChosen(), ())


class CardSystem(BiddingSystem):
    """A Full Disclosure table (``card``) over a base system. Created by `bidder.system_of`.

    ``coverage`` is a sentence on how many records of the table have lengths and points.
    """

    def __init__(self, card: System, base: BiddingSystem, name: str = "") -> None:
        super().__init__((), (), name or card.name or base.name)
        self.card = card.combined
        self.base = base
        self._made_of = (card, base, name)
        self.modules = [Module(self.name, card.name, "system", [card.name] if card.name else []), *base.modules]
        # The calls for which the table has records, by whether the opponents opened and by the calls so far.
        self._listed_calls: dict[tuple[bool, tuple[int, ...]], dict[int, None]] = defaultdict(dict)
        self._compiled: dict[tuple[int | None, int], CompiledRule] = {}
        self._promised: dict[int, HandCondition] = {}
        lengths = points = 0
        for index, meaning in self.card.meanings:
            calls = tuple(number_of(call) for call in meaning.calls)
            if calls and meaning.is_ours and meaning.illegal is None:
                self._listed_calls[meaning.opponents_opened, calls[:-1]][calls[-1]] = None
                span, strength = _lengths(meaning), points_in(meaning.text)
                lengths += span is not None
                points += strength is not None
                suit = suit_of(calls[-1]) if calls[-1] >= FIRST_BID else None
                box = {} if span is None or suit is None else {LENGTH[suit]: span}
                self._promised[index] = in_box(box if strength is None else box | {HCP: strength})
        self.coverage = (
            f"{self.name}: of {len(self._promised):,} records {lengths:,} have lengths, and the texts of {points:,} name points;"
            f" {base.name} bids where they say nothing"
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the card and the base system; everything else is derived from them when the system is loaded."""
        return CardSystem, self._made_of

    @property
    def title(self) -> str:
        """The name in the table; if it has none, the name of the file."""
        return self.card.name or self.name

    def rules(self, turn: Turn) -> list[CompiledRule]:
        """Return the rules of the base system, their conditions narrowed by the records for their calls, and for each record a rule
        that only interprets its call: behind the last rule for the call, or first if the base has none.
        """
        rules = self.base.rules(turn)
        opened = turn.first >= 0 and (turn.first - turn.me) % 2 == 1
        since = turn.calls[turn.first :] if turn.first >= 0 else ()
        listed = self._listed_calls.get((opened, since))
        if not listed:
            return rules
        records = {call: one for call in listed if (one := self._record(turn, since, call, opened)) is not None}
        calls = [compiled.call(turn) for compiled in rules]
        last = {call: place for place, call in enumerate(calls)}
        # First, because the base system may end with a rule that every hand meets, and rules behind it would be without meaning.
        made = [self._explaining_rule(*record, call) for call, record in records.items() if call not in last]
        for place, (compiled, call) in enumerate(zip(rules, calls, strict=True)):
            record = records.get(call)
            made.append(compiled if record is None else self._narrowed_rule(compiled, *record))
            if record is not None and last[call] == place:
                made.append(self._explaining_rule(*record, call))
        return made

    def _record(self, turn: Turn, since: Sequence[int], call: int, opened: bool) -> tuple[int, Meaning] | None:
        """Return the index and the record for ``call`` after ``since``, the calls from the opening on; None if there is none."""
        seat = (turn.first if turn.first >= 0 else len(turn.calls)) + 1
        we, they = turn.vulnerable[turn.me % 2], turn.vulnerable[1 - turn.me % 2]
        calls = [call_of(number) for number in (*since, call)]
        found = self.card.find(calls, seat if seat <= 4 else None, Danger(we + 2 * they), opened) if seat <= 4 else []
        return next((one for one in found if one[0] in self._promised), None)

    def _narrowed_rule(self, compiled: CompiledRule, index: int, meaning: Meaning) -> CompiledRule:
        """Return a rule of the base system, narrowed to the hands that the record at ``index`` allows, with the record's text."""
        key = id(compiled), index
        if key not in self._compiled:
            shows = compiled.shows
            promised = CompiledCondition(shows.need, shows.forbid, both(shows.fixed, self._promised[index]), shows.makers)
            rule = _with_record(replace(compiled.written, place=self._where(index)), meaning)
            self._compiled[key] = replace(compiled, written=rule, shows=promised)
        return self._compiled[key]

    def _explaining_rule(self, index: int, meaning: Meaning, call: int) -> CompiledRule:
        """Return a rule that interprets ``call`` by the record at ``index`` and never chooses it. Cached."""
        key = None, index
        if key not in self._compiled:
            place = self._where(index)
            rule = _with_record(BiddingRule(RuleCall(Aim.FIXED, CALL_NAMES[call]), place), meaning)
            section = SituationRules(place, (), None, (rule,), self.name)
            shows = CompiledCondition(0, 0, self._promised[index], ())
            self._compiled[key] = CompiledRule(rule, section, {}, shows, _NOT_CHOSEN, None, call, None, None, 0)
        return self._compiled[key]

    def _where(self, index: int) -> ItemPlace:
        """Return the place of a record, which is named instead of the file and line of a rule."""
        return ItemPlace(f"{self.name}, record", index + 1, 1)


def _lengths(meaning: Meaning) -> tuple[float, float] | None:
    """Return the range of lengths of the suit that is bid; None if the record does not limit it."""
    if meaning.lengths is None or meaning.lengths == (0, ANY_LENGTH):
        return None
    low, high = meaning.lengths
    return low, 13 if high == ANY_LENGTH else high


def _with_record(rule: BiddingRule, meaning: Meaning) -> BiddingRule:
    """Return the rule with the text, the flag ``artificial`` and the disposition of a record."""
    rule = replace(rule, text=" ".join(display(meaning).split()), artificial=meaning.flags.artificial)
    if not meaning.disposition:
        return rule
    return replace(rule, forcing=_FORCING.get(meaning.disposition), signoff=meaning.disposition is Disposition.SIGNOFF)


def read_card(path: Path, specs: Sequence[Path] = ()) -> System:
    """Return the table in a file, with the records of the tables that it includes. Raises UsageError if the file has no table."""
    catalog = Catalog(specs)
    for spec in catalog.by_extension(path.suffix.lstrip(".")):
        if spec.language != "lark":
            continue
        codec, binder = TextCodec(spec), Binder(spec)

        def system_of(data: bytes, codec: TextCodec = codec, binder: Binder = binder) -> System | None:
            return binder.document(codec.read(data)).system

        try:
            found = system_of(path.read_bytes())
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        if found is not None:
            return with_included(found, path, (), system_of)
    raise UsageError(f"{path} holds no bidding system")


def is_card(name: str | Path) -> bool:
    """Return whether ``name`` is the path of an existing file with an extension other than that of rules."""
    path = Path(name)
    return path.suffix not in ("", SUFFIX) and path.is_file()
