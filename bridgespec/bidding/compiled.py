"""Compile rules: variables are replaced, situations become look-ups by calls, and conditions are split by what they depend on.

A condition has facts of the turn (bits), functions of the turn (makers), and a part on the hand.
`compile_words` compiles one condition, `ready_rules` the rules of a section; `bindings` enumerates the values of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bridgespec.bidding.condition import ALWAYS, NEVER, Compared, Condition, Expected, Within, both, either, negated
from bridgespec.bidding.knowledge import mean
from bridgespec.bidding.outlook import tricks, undertricks
from bridgespec.bidding.reading import SHARED_TERMS, SUIT_WORDS, VARIABLES
from bridgespec.bidding.rule_file import Aim, BiddingRule, RuleTerm, SituationRules, SituationStep, WrittenCondition
from bridgespec.bidding.turn import (
    FACT_BITS,
    FIRST_BID,
    SUIT_BITS,
    XX,
    P,
    Turn,
    X,
    bid,
    cheapest,
    game_of,
    level_of,
    suit_of,
)
from bridgespec.model.evaluate import TERMS

Binding = Mapping[str, int]
Maker = Callable[[Turn, int], Condition]
# Below every call number, so that they are keys of the same trie as calls.
ANY_CALL, ANY_BID = -1, -2


def suit_named(word: str, binding: Binding) -> int | None:
    """Return the suit of a word; None for notrump. KeyError for a variable without a value."""
    if word in SUIT_WORDS:
        return SUIT_WORDS.index(word)
    if word == "notrump":
        return None
    if word in ("oM", "om"):
        return {0: 1, 1: 0, 2: 3, 3: 2}[binding[word[1]]]
    return binding[word]


def call_named(text: str, binding: Binding) -> int:
    """Return the number of a call like ``2M``, with its variables replaced."""
    if text in ("P", "X", "XX", "any", "bid"):
        return {"P": P, "X": X, "XX": XX, "any": ANY_CALL, "bid": ANY_BID}[text]
    level, strain = int(text[0]), text[1:]
    if strain in ("N", "NT"):
        return bid(level, None)
    if strain in ("S", "H", "D", "C"):
        return bid(level, "SHDC".index(strain))
    return bid(level, suit_named(strain, binding))


def variables_of(text: str) -> set[str]:
    """Return the variables in a word for a suit or for the strain of a call."""
    if text in ("oM", "om"):
        return {text[1]}
    return {text} if text in VARIABLES else set()


def words_variables(words: WrittenCondition | None) -> set[str]:
    """Return the variables of a condition."""
    if words is None:
        return set()
    found = variables_of(words.suit or "")
    for term in (words.term, words.other):
        if term is not None and term.suit:
            found |= variables_of(term.suit)
    for part in words.parts:
        found |= words_variables(part)
    return found


def _call_suit(rule: BiddingRule) -> str:
    """Return the word for the suit of a rule's call."""
    text = rule.made.text
    return text[1:] if rule.made.aim is Aim.FIXED and text[0].isdigit() else text


def rule_variables(rule: BiddingRule) -> set[str]:
    """Return the variables of a rule."""
    found = variables_of(_call_suit(rule))
    found |= words_variables(rule.shows) | words_variables(rule.wants)
    if rule.agrees:
        found |= variables_of(rule.agrees)
    if rule.asks and rule.asks[1]:
        found |= variables_of(rule.asks[1])
    return found


def bindings(names: set[str], given: Binding) -> Iterator[dict[str, int]]:
    """Yield all values of the variables that are not given; different variables are different suits, except ``t``."""
    free = sorted(names - set(given))
    for values in product(*(VARIABLES[name] for name in free)):
        made = dict(given) | dict(zip(free, values, strict=True))
        # t may be any suit, also one that another variable names.
        suits = [suit for name, suit in made.items() if name != "t"]
        if len(set(suits)) == len(suits):
            yield made


@dataclass(slots=True)
class Compiled:
    """A condition split by what it depends on. Created once for each rule and binding.

    ``need`` and ``forbid`` are bits of facts that must be true or false; ``makers`` build conditions at a turn; ``fixed`` depends
    on the hand alone.
    """

    need: int
    forbid: int
    fixed: Condition
    makers: tuple[Maker, ...]

    def open(self, facts: int) -> bool:
        """Whether the facts allow it."""
        return facts & self.need == self.need and not facts & self.forbid

    def at(self, turn: Turn, call: int) -> Condition:
        """Return the condition on the hand at this turn for this call; the caller has checked the facts already."""
        if not self.makers:
            return self.fixed
        parts = [self.fixed]
        for maker in self.makers:
            made = maker(turn, call)
            if made is NEVER:
                return NEVER
            parts.append(made)
        return both(parts)


NO_CONDITION = Compiled(0, 0, ALWAYS, ())


def compile_words(words: WrittenCondition | None, binding: Binding) -> Compiled:
    """Return a condition with its variables replaced."""
    if words is None:
        return NO_CONDITION
    parts = words.parts if words.kind == "both" else (words,)
    need = forbid = 0
    fixed: list[Condition] = []
    makers: list[Maker] = []
    # Only conjuncts may become bits: a bit inside `either` or a negated bracket would be required of the whole condition.
    for part in _flat(parts):
        bit = _bit(part, binding)
        if bit:
            need |= bit
        elif part.kind == "negated" and _bit(part.parts[0], binding):
            forbid |= _bit(part.parts[0], binding)
        else:
            made = _part(part, binding)
            if isinstance(made, Condition):
                fixed.append(made)
            else:
                makers.append(made)
    return Compiled(need, forbid, both(fixed), tuple(makers))


def _flat(parts: tuple[WrittenCondition, ...]) -> Iterator[WrittenCondition]:
    for part in parts:
        if part.kind == "both":
            yield from _flat(part.parts)
        else:
            yield part


def _bit(words: WrittenCondition, binding: Binding) -> int:
    if words.kind == "fact":
        return FACT_BITS.get(words.name, 0)
    if words.kind == "fact_of" and words.suit is not None:
        suit = suit_named(words.suit, binding)
        return 0 if suit is None else SUIT_BITS[words.name][suit]
    return 0


def _term(term: RuleTerm, binding: Binding) -> int:
    if term.suit is None:
        return TERMS[term.name]
    suit = suit_named(term.suit, binding)
    # ``controls`` alone is a term of the whole hand; its form for one suit has a name of its own in `TERMS`.
    name = f"{term.name}-suit" if term.name in ("controls",) else term.name
    return TERMS[f"{name}.{suit}"]


def _part(words: WrittenCondition, binding: Binding) -> Condition | Maker:
    kind = words.kind
    if kind in ("both", "either", "negated"):
        return _joined(kind, [_part(part, binding) for part in words.parts])
    bit = _bit(words, binding)
    if bit:
        return lambda turn, _: ALWAYS if turn.facts & bit else NEVER
    if words.name in ("theirs-stopped", "unbid-stopped", "unbid-three"):
        bits = SUIT_BITS["their" if words.name == "theirs-stopped" else "unbid"]
        term, low = ("length", 3) if words.name == "unbid-three" else ("stoppers", 1)
        each = [Within(TERMS[f"{term}.{suit}"], low, 13) for suit in range(4)]
        # Stoppers that partner has promised need not be shown again; a number of cards in a suit cannot be promised for the caller.
        if term == "length":
            return lambda turn, _: both([each[suit] for suit in range(4) if turn.facts & bits[suit]])
        return lambda turn, _: both([each[suit] for suit in _unstopped(turn) if turn.facts & bits[suit]])
    if kind == "fact":
        return Within(TERMS[words.name], 1, 1)
    if kind == "fact_of" and words.name in ("last", "partner-last"):
        # The facts have one bit for each suit and none for notrump, so notrump is looked up in the turn.
        whose = words.name
        return lambda turn, _: ALWAYS if _last_was_notrump(turn, whose) else NEVER
    if kind == "within" and words.term is not None:
        if words.term.name in SHARED_TERMS:
            return _shared(words, binding)
        # These two count in fractions: 14.75 belongs to a range that ends with 14, as a player counts it.
        fine = words.term.name in ("support", "bumrap") and words.high == int(words.high)
        return Within(_term(words.term, binding), words.low, words.high + 0.99 if fine else words.high)
    if kind == "compare" and words.term is not None and words.other is not None:
        return Compared(_term(words.term, binding), words.word, _term(words.other, binding))
    if kind == "suit_fact" and words.suit is not None:
        return _of_suit(words.name, suit_named(words.suit, binding))
    if kind == "known" and words.term is not None:
        return _known(words, binding)
    if kind == "fact_named":
        suit = suit_named(words.suit, binding) if words.suit else -1
        name, mine = words.word, words.name == "answered"
        return lambda turn, _: ALWAYS if _asked(turn, mine, name, suit) else NEVER
    if kind == "fact_within":
        return _number(words.name, words.low, words.high)
    return NEVER


def _last_was_notrump(turn: Turn, whose: str) -> bool:
    """Whether the last bid, or partner's last call, was in notrump."""
    call = turn.last if whose == "last" else turn.calls[-2] if len(turn.calls) > 1 else P
    return call >= FIRST_BID and suit_of(call) is None


def _unstopped(turn: Turn) -> Sequence[int]:
    """Return the suits in which partner has promised no stopper by a natural bid of notrump; those bid by the opponents after it
    count again.
    """
    spoken = [
        place
        for place in range((turn.me + 2) % 4, len(turn.calls), 4)
        if turn.calls[place] >= FIRST_BID and suit_of(turn.calls[place]) is None and not turn.meanings[place].artificial
    ]
    if not spoken:
        return range(4)
    later = {
        suit_of(call)
        for place, call in enumerate(turn.calls)
        if place > spoken[-1] and place % 2 != turn.me % 2 and call >= FIRST_BID
    }
    return [suit for suit in range(4) if suit in later]


def _asked(turn: Turn, mine: bool, name: str, suit: int | None) -> bool:
    asked = turn.side.asked if not mine else turn.meanings[-4].asks if len(turn.meanings) >= 4 else None
    return asked is not None and asked[0] == name and suit in (-1, asked[1])


def _joined(kind: str, parts: list[Condition | Maker]) -> Condition | Maker:
    plain = [part for part in parts if isinstance(part, Condition)]
    if len(plain) == len(parts):
        return _join(kind, plain)
    return lambda turn, call: _join(kind, [part if isinstance(part, Condition) else part(turn, call) for part in parts])


def _join(kind: str, parts: list[Condition]) -> Condition:
    return both(parts) if kind == "both" else either(parts) if kind == "either" else negated(parts[0])


def _of_suit(name: str, suit: int | None) -> Condition:
    if suit is None:
        return NEVER
    if name == "longest":
        return Compared(TERMS[f"length.{suit}"], "=", TERMS["longest"])
    if name == "stopped":
        return Within(TERMS[f"stoppers.{suit}"], 1, 2)
    return ALWAYS if (suit < 2) == (name == "major") else NEVER


def _shared(words: WrittenCondition, binding: Binding) -> Maker:
    assert words.term is not None
    name, word = words.term.name, words.term.suit
    low, high = words.low, words.high
    suit = None if word is None else suit_named(word, binding)
    if name == "undertricks":
        # Before the first bid there is no contract that could fail.
        return lambda turn, _: NEVER if turn.last < FIRST_BID else Expected(name, *undertricks(turn), low, high)
    if name == "tricks":
        return lambda turn, _: Expected(f"tricks({word})", *tricks(turn, suit), low, high)
    if name == "fit" or name.startswith("side-"):
        term = RuleTerm("length" if name == "fit" else name.removeprefix("side-"), word)
        held = _term(term, binding)
        return lambda turn, _: _range(held, low - (shown := turn.partner.range(held)[0]), high - shown)
    place = TERMS["points"] if word is None else TERMS["bumrap"] if suit is None else TERMS[f"support.{suit}"]

    def made(turn: Turn, _: int) -> Condition:
        least, most = turn.partner.points if word is None else turn.partner.strength(suit)
        if name == "likely":
            shown = mean(least, most) if word is None else turn.partner.likely(suit)
        else:
            shown = least if name == "together" else most
        return _range(place, low - shown, high - shown)

    return made


def _range(place: int, low: float, high: float) -> Condition:
    # Partner alone exceeds the upper bound where it is negative: no hand of the caller fits then.
    return NEVER if high < 0 else Within(place, max(low, 0), high)


def _known(words: WrittenCondition, binding: Binding) -> Maker:
    assert words.term is not None
    place = _term(words.term, binding)
    offset = {"me": 0, "lho": 1, "partner": 2, "rho": 3}.get(words.name, 2)
    low, high = words.low, words.high

    def made(turn: Turn, _: int) -> Condition:
        least, most = turn.known[(turn.me + offset) % 4].range(place)
        return ALWAYS if least >= low and most <= high else NEVER

    return made


def _number(name: str, low: float, high: float) -> Maker:
    def value(turn: Turn, call: int) -> int:
        if name == "level":
            return level_of(call) if call >= FIRST_BID else 0
        if name == "last-level":
            return level_of(turn.last) if turn.last >= FIRST_BID else 0
        if name == "seat":
            return len(turn.calls) + 1 if turn.first < 0 else turn.first + 1
        if name == "round":
            return len(turn.calls) // 4 + 1
        if name == "jump":
            # Bids of one strain are five numbers apart, so the quotient is the number of levels that are skipped.
            return (call - cheapest(turn.last, suit_of(call))) // 5 if call >= FIRST_BID else 0
        return 0

    return lambda turn, call: ALWAYS if low <= value(turn, call) <= high else NEVER


@dataclass(slots=True)
class Ready:
    """A rule with one value for each variable: its compiled conditions, and how to find its call. Created by `ready_rules`, kept by
    its situation as long as the system.
    """

    rule: BiddingRule
    section: SituationRules
    binding: Binding
    shows: Compiled
    wants: Compiled
    suit: int | None
    number: int | None
    agrees: int | None
    asks: tuple[str, int | None] | None
    prefer: float
    several: bool = False
    """Whether the suit of the call is a variable: of the suits that fit a hand the longest is bid, and of equal ones the highest.
    """

    def call(self, turn: Turn) -> int:
        """Return the call at this turn; it may be illegal."""
        if self.number is not None:
            return self.number
        aim = self.rule.made.aim
        if aim is Aim.GAME:
            return game_of(self.suit)
        if aim is Aim.SLAM:
            return bid(6, self.suit)
        # It may exceed 7NT or be too low; `BiddingEngine.candidates` drops illegal calls.
        return cheapest(turn.last, self.suit) + {Aim.JUMP: 5, Aim.DOUBLE_JUMP: 10}.get(aim, 0)


def ready_rules(section: SituationRules, given: Binding) -> Iterator[Ready]:
    """Yield the rules of a section, once for each value of the variables that the situation leaves free."""
    for rule in section.rules:
        for binding in bindings(rule_variables(rule), given):
            fixed = rule.made.aim is Aim.FIXED
            # A variable that the situation fixes leaves one suit, and an artificial call names none.
            several = not rule.artificial and bool(variables_of(_call_suit(rule)) - set(given))
            yield Ready(
                rule,
                section,
                binding,
                compile_words(rule.shows, binding),
                compile_words(rule.wants, binding),
                None if fixed else suit_named(rule.made.text, binding),
                call_named(rule.made.text, binding) if fixed else None,
                None if rule.agrees is None else suit_named(rule.agrees, binding),
                None if rule.asks is None else (rule.asks[0], None if rule.asks[1] is None else suit_named(rule.asks[1], binding)),
                rule.prefer,
                several,
            )


@dataclass(slots=True)
class Situation:
    """A section with one value for each variable of its calls and its ``when``. Created when the system is loaded, and kept with
    it.
    """

    order: int
    when: Compiled
    section: SituationRules
    binding: Binding
    _rules: list[Ready] | None = None

    @property
    def rules(self) -> list[Ready]:
        """The compiled rules; compiled at first use, because most situations of a system never occur."""
        if self._rules is None:
            self._rules = list(ready_rules(self.section, self.binding))
        return self._rules


def patterns(section: SituationRules) -> Iterator[tuple[dict[str, int], list[tuple[int, ...]]]]:
    """Yield for each binding the calls of a situation from the opening on: for each turn, the calls that it may be."""
    steps = with_passes(section.steps or ())
    names = {name for step in steps for call in step.calls if call[0].isdigit() for name in variables_of(call[1:])}
    for binding in bindings(names, {}):
        yield binding, [tuple(call_named(call, binding) for call in step.calls) for step in steps]


def with_passes(steps: tuple[SituationStep, ...]) -> list[SituationStep]:
    """Return the steps with the passes that the language leaves out: one between two calls of a side,
    and one after our last call.
    """
    full: list[SituationStep] = []
    for step in steps:
        if full and full[-1].ours == step.ours:
            full.append(SituationStep(not step.ours, ("P",)))
        full.append(step)
    if full and full[-1].ours:
        full.append(SituationStep(False, ("P",)))
    return full
