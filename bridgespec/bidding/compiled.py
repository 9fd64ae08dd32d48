"""Compile the sections of a file of rules: replace variables by suits, and split conditions by what they depend on.

A `SituationRules` becomes one `CompiledSituation` for each binding of its variables, and each of its rules one `CompiledRule` for
each binding. A `WrittenCondition` becomes a `CompiledCondition`: facts of the turn (bits), functions of the turn (makers), and a
`HandCondition` on the hand. Read first: `compile_condition`, `compile_rules`, `CompiledSituation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bridgespec.bidding.condition import Compared, Expected, HandCondition, Within
from bridgespec.bidding.knowledge import mean
from bridgespec.bidding.outlook import tricks, undertricks
from bridgespec.bidding.reading import SHARED_TERMS
from bridgespec.bidding.rule_file import Aim, BiddingRule, RuleTerm, SituationRules, SituationStep, WrittenCondition
from bridgespec.bidding.turn import (
    FACT_BITS,
    FIRST_BID,
    SUIT_BITS,
    P,
    Turn,
    bid,
    cheapest,
    game_of,
    level_of,
    suit_of,
)
from bridgespec.bidding.variables import (
    SuitBinding,
    bindings,
    call_named,
    call_suit,
    rule_variables,
    suit_named,
    variables_of,
)
from bridgespec.dealing.algebra import ALWAYS, NEVER, Condition, every, negated, some
from bridgespec.model.evaluate import TERMS

# Returns the condition on the hand at a turn, for the call of the rule.
ConditionMaker = Callable[[Turn, int], HandCondition]


@dataclass(slots=True)
class CompiledCondition:
    """A condition without variables, split by what it depends on. Created by `compile_condition`, once for each binding.

    ``need`` and ``forbid`` are the bits of the facts (`Turn.facts`) that must be true and false. ``fixed`` is the condition on the
    hand alone. Each of ``makers`` builds a further condition on the hand at a turn.
    """

    need: int
    forbid: int
    fixed: HandCondition
    makers: tuple[ConditionMaker, ...]

    def allows(self, facts: int) -> bool:
        """Return whether ``facts``, the bits of a turn, meet the part of the condition that depends on facts."""
        return facts & self.need == self.need and not facts & self.forbid

    def at(self, turn: Turn, call: int) -> HandCondition:
        """Return the condition on the hand at this turn for this call; the caller has checked the facts already."""
        if not self.makers:
            return self.fixed
        parts = [self.fixed]
        for maker in self.makers:
            made = maker(turn, call)
            if made is NEVER:
                return NEVER
            parts.append(made)
        return every(parts)


NO_CONDITION = CompiledCondition(0, 0, ALWAYS, ())


def compile_condition(words: WrittenCondition | None, binding: SuitBinding) -> CompiledCondition:
    """Return a condition with its variables replaced by the suits of ``binding``; None is the condition that is always met."""
    if words is None:
        return NO_CONDITION
    parts = words.parts if words.kind == "both" else (words,)
    need = forbid = 0
    fixed: list[HandCondition] = []
    makers: list[ConditionMaker] = []
    # Only conjuncts may become bits: a bit inside `either` or a negated bracket would be required of the whole condition.
    for part in _conjuncts(parts):
        bit = _fact_bit(part, binding)
        if bit:
            need |= bit
        elif part.kind == "negated" and _fact_bit(part.parts[0], binding):
            forbid |= _fact_bit(part.parts[0], binding)
        else:
            made = _compile_part(part, binding)
            if isinstance(made, Condition):
                fixed.append(made)
            else:
                makers.append(made)
    return CompiledCondition(need, forbid, every(fixed), tuple(makers))


def _conjuncts(parts: tuple[WrittenCondition, ...]) -> Iterator[WrittenCondition]:
    """Yield the conditions of nested conjunctions."""
    for part in parts:
        if part.kind == "both":
            yield from _conjuncts(part.parts)
        else:
            yield part


def _fact_bit(words: WrittenCondition, binding: SuitBinding) -> int:
    """Return the bit in `Turn.facts` for a condition that is a plain fact; 0 for any other condition."""
    if words.kind == "fact":
        return FACT_BITS.get(words.name, 0)
    if words.kind == "fact_of" and words.suit is not None:
        suit = suit_named(words.suit, binding)
        return 0 if suit is None else SUIT_BITS[words.name][suit]
    return 0


def _term_index(term: RuleTerm, binding: SuitBinding) -> int:
    """Return the index of a term in `TERMS`."""
    if term.suit is None:
        return TERMS[term.name]
    suit = suit_named(term.suit, binding)
    # ``controls`` alone is a term of the whole hand; its form for one suit has a name of its own in `TERMS`.
    name = f"{term.name}-suit" if term.name in ("controls",) else term.name
    return TERMS[f"{name}.{suit}"]


def _compile_part(words: WrittenCondition, binding: SuitBinding) -> HandCondition | ConditionMaker:
    """Return a condition that depends on the hand alone, or else the function that builds it at a turn."""
    kind = words.kind
    if kind in ("both", "either", "negated"):
        return _compile_joined(kind, [_compile_part(part, binding) for part in words.parts])
    bit = _fact_bit(words, binding)
    if bit:
        return lambda turn, _: ALWAYS if turn.facts & bit else NEVER
    if words.name in ("theirs-stopped", "unbid-stopped", "unbid-three"):
        return _compile_in_suits(words.name)
    return _COMPILERS[kind](words, binding)


def _compile_in_suits(name: str) -> ConditionMaker:
    """Return the builder of a condition on each suit of the opponents, or on each unbid suit."""
    bits = SUIT_BITS["their" if name == "theirs-stopped" else "unbid"]
    term, low = ("length", 3) if name == "unbid-three" else ("stoppers", 1)
    each = [Within(TERMS[f"{term}.{suit}"], low, 13) for suit in range(4)]
    # A stopper that partner has promised is not required of the caller. Partner cannot promise the caller's cards in a suit.
    if term == "length":
        return lambda turn, _: every([each[suit] for suit in range(4) if turn.facts & bits[suit]])
    return lambda turn, _: every([each[suit] for suit in _unstopped(turn) if turn.facts & bits[suit]])


def _compile_fact_of(words: WrittenCondition, binding: SuitBinding) -> HandCondition | ConditionMaker:
    # The facts have one bit for each suit and none for notrump, so notrump is looked up in the turn.
    if words.name not in ("last", "partner-last"):
        return NEVER
    return lambda turn, _: ALWAYS if _last_was_notrump(turn, words.name) else NEVER


def _compile_within(words: WrittenCondition, binding: SuitBinding) -> HandCondition | ConditionMaker:
    assert words.term is not None
    if words.term.name in SHARED_TERMS:
        return _compile_shared(words, binding)
    # Support points and BUM-RAP points have fractions: 14.75 belongs to a range that ends with 14, as a player counts it.
    fine = words.term.name in ("support", "bumrap") and words.high == int(words.high)
    return Within(_term_index(words.term, binding), words.low, words.high + 0.99 if fine else words.high)


def _compile_compare(words: WrittenCondition, binding: SuitBinding) -> HandCondition:
    assert words.term is not None
    assert words.other is not None
    return Compared(_term_index(words.term, binding), words.word, _term_index(words.other, binding))


def _compile_suit_fact(words: WrittenCondition, binding: SuitBinding) -> HandCondition:
    assert words.suit is not None
    return _suit_condition(words.name, suit_named(words.suit, binding))


def _compile_question(words: WrittenCondition, binding: SuitBinding) -> ConditionMaker:
    suit = suit_named(words.suit, binding) if words.suit else -1
    return lambda turn, _: ALWAYS if _question_matches(turn, words.name == "answered", words.word, suit) else NEVER


def _last_was_notrump(turn: Turn, whose: str) -> bool:
    """Whether the last bid, or partner's last call, was in notrump."""
    call = turn.last if whose == "last" else turn.calls[-2] if len(turn.calls) > 1 else P
    return call >= FIRST_BID and suit_of(call) is None


def _unstopped(turn: Turn) -> Sequence[int]:
    """Return the suits in which the caller still needs a stopper: all, unless partner has bid notrump naturally; after such a bid
    the suits that the opponents have bid later.
    """
    notrump_bids = [
        place
        for place in range((turn.me + 2) % 4, len(turn.calls), 4)
        if turn.calls[place] >= FIRST_BID and suit_of(turn.calls[place]) is None and not turn.meanings[place].artificial
    ]
    if not notrump_bids:
        return range(4)
    later = {
        suit_of(call)
        for place, call in enumerate(turn.calls)
        if place > notrump_bids[-1] and place % 2 != turn.me % 2 and call >= FIRST_BID
    }
    return [suit for suit in range(4) if suit in later]


def _question_matches(turn: Turn, mine: bool, name: str, suit: int | None) -> bool:
    """Return whether partner's last call asked the question ``name``, or with ``mine`` the caller's own last call did.

    ``suit`` is the suit of the question, None for notrump, -1 for any.
    """
    asked = turn.side.asked if not mine else turn.meanings[-4].asks if len(turn.meanings) >= 4 else None
    return asked is not None and asked[0] == name and suit in (-1, asked[1])


def _compile_joined(kind: str, parts: list[HandCondition | ConditionMaker]) -> HandCondition | ConditionMaker:
    """Return the conjunction, disjunction or negation of parts (``kind``), built at a turn if any of the parts is."""
    plain = [part for part in parts if isinstance(part, Condition)]
    if len(plain) == len(parts):
        return _join_conditions(kind, plain)
    return lambda turn, call: _join_conditions(kind, [part if isinstance(part, Condition) else part(turn, call) for part in parts])


def _join_conditions(kind: str, parts: list[HandCondition]) -> HandCondition:
    return every(parts) if kind == "both" else some(parts) if kind == "either" else negated(parts[0])


def _suit_condition(name: str, suit: int | None) -> HandCondition:
    """Return the condition for a word of `OF_SUIT`, such as ``M longest``; no hand meets it for notrump (None)."""
    if suit is None:
        return NEVER
    if name == "longest":
        return Compared(TERMS[f"length.{suit}"], "=", TERMS["longest"])
    if name == "stopped":
        return Within(TERMS[f"stoppers.{suit}"], 1, 2)
    return ALWAYS if (suit < 2) == (name == "major") else NEVER


def _compile_shared(words: WrittenCondition, binding: SuitBinding) -> ConditionMaker:
    """Return the function that builds the condition for a term of `SHARED_TERMS`, which counts the hands of both partners."""
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
        held = _term_index(term, binding)
        return lambda turn, _: _range(held, low - (shown := turn.partner.range(held)[0]), high - shown)
    place = TERMS["points"] if word is None else TERMS["bumrap"] if suit is None else TERMS[f"support.{suit}"]

    def made(turn: Turn, _: int) -> HandCondition:
        least, most = turn.partner.points if word is None else turn.partner.strength(suit)
        if name == "likely":
            shown = mean(least, most) if word is None else turn.partner.likely(suit)
        else:
            shown = least if name == "together" else most
        return _range(place, low - shown, high - shown)

    return made


def _range(place: int, low: float, high: float) -> HandCondition:
    """Return the condition that a term of the caller's hand is in a range from which partner's share was subtracted."""
    # If the upper bound is negative, partner alone exceeds it, and no hand of the caller fits.
    return NEVER if high < 0 else Within(place, max(low, 0), high)


def _compile_known(words: WrittenCondition, binding: SuitBinding) -> ConditionMaker:
    """Return the function for a condition on what a player has shown: ALWAYS if it proves the range of the term, else NEVER."""
    assert words.term is not None
    place = _term_index(words.term, binding)
    offset = {"me": 0, "lho": 1, "partner": 2, "rho": 3}[words.name]
    low, high = words.low, words.high

    def made(turn: Turn, _: int) -> HandCondition:
        least, most = turn.known[(turn.me + offset) % 4].range(place)
        return ALWAYS if least >= low and most <= high else NEVER

    return made


def _compile_number(name: str, low: float, high: float) -> ConditionMaker:
    """Return the function for a condition on a number of `NUMBER_FACTS`: ALWAYS if it is in the range, else NEVER."""

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


_COMPILERS: dict[str, Callable[[WrittenCondition, SuitBinding], HandCondition | ConditionMaker]] = {
    "fact": lambda words, _: Within(TERMS[words.name], 1, 1),
    "fact_of": _compile_fact_of,
    "within": _compile_within,
    "compare": _compile_compare,
    "suit_fact": _compile_suit_fact,
    "known": _compile_known,
    "fact_named": _compile_question,
    "fact_within": lambda words, _: _compile_number(words.name, words.low, words.high),
}
"""The compiler of each kind of `WrittenCondition` that is neither a combination nor a plain fact."""


@dataclass(slots=True)
class CompiledRule:
    """A rule of a file with a suit for each of its variables: compiled conditions, and the call or how to find it at a turn.

    Created by `compile_rules` from ``written``, the rule as it is in the file: a rule for ``M`` has two instances. It does not
    depend on an auction, and lives as long as its system; `engine.Candidate` is a compiled rule at one turn.

    ``number`` is the call's number if the rule names the call (``2M``). For a rule such as ``jump M`` it is None, and ``suit`` is
    the strain of the bid (None: notrump). ``agrees`` is the suit that the call sets as trumps, ``asks`` its question with the suit
    of the question.
    """

    written: BiddingRule
    section: SituationRules
    binding: SuitBinding
    shows: CompiledCondition
    wants: CompiledCondition
    suit: int | None
    number: int | None
    agrees: int | None
    asks: tuple[str, int | None] | None
    prefer: float
    several: bool = False
    """Whether the suit of the call is a variable. The rule is then compiled once for each suit; of those that a hand fits, the one
    with the longest suit is chosen, and of equally long suits the highest.
    """

    def call(self, turn: Turn) -> int:
        """Return the number of the call at this turn; the call may be illegal."""
        if self.number is not None:
            return self.number
        aim = self.written.made.aim
        if aim is Aim.GAME:
            return game_of(self.suit)
        if aim is Aim.SLAM:
            return bid(6, self.suit)
        # It may exceed 7NT or be too low; `BiddingEngine.candidates` drops illegal calls.
        return cheapest(turn.last, self.suit) + {Aim.JUMP: 5, Aim.DOUBLE_JUMP: 10}.get(aim, 0)


def compile_rules(section: SituationRules, given: SuitBinding) -> Iterator[CompiledRule]:
    """Yield the rules of a section, each once for every combination of suits for the variables that ``given`` lacks."""
    for rule in section.rules:
        for binding in bindings(rule_variables(rule), given):
            fixed = rule.made.aim is Aim.FIXED
            # A variable that the situation fixes leaves one suit, and an artificial call names none.
            several = not rule.artificial and bool(variables_of(call_suit(rule)) - set(given))
            yield CompiledRule(
                rule,
                section,
                binding,
                compile_condition(rule.shows, binding),
                compile_condition(rule.wants, binding),
                None if fixed else suit_named(rule.made.text, binding),
                call_named(rule.made.text, binding) if fixed else None,
                None if rule.agrees is None else suit_named(rule.agrees, binding),
                None if rule.asks is None else (rule.asks[0], None if rule.asks[1] is None else suit_named(rule.asks[1], binding)),
                rule.prefer,
                several,
            )


@dataclass(slots=True)
class CompiledSituation:
    """A section of a file with a suit for each variable of its calls and of its ``when``. Created by `BiddingSystem` and kept by
    it.

    It matches a turn by the calls under which the system indexes it and by ``when``. ``order`` is the position of the section in
    the system, ``binding`` the suits of the variables; variables that only rules use are not bound yet.
    """

    order: int
    when: CompiledCondition
    section: SituationRules
    binding: SuitBinding
    _rules: list[CompiledRule] | None = None

    @property
    def rules(self) -> list[CompiledRule]:
        """The rules of the section, compiled on first access, because most situations of a system never occur."""
        if self._rules is None:
            self._rules = list(compile_rules(self.section, self.binding))
        return self._rules


def call_patterns(section: SituationRules) -> Iterator[tuple[dict[str, int], list[tuple[int, ...]]]]:
    """Yield each binding of the variables in a situation's calls, with the calls allowed at each turn from the opening on."""
    steps = with_passes(section.steps or ())
    names = {name for step in steps for call in step.calls if call[0].isdigit() for name in variables_of(call[1:])}
    for binding in bindings(names, {}):
        yield binding, [tuple(call_named(call, binding) for call in step.calls) for step in steps]


def with_passes(steps: tuple[SituationStep, ...]) -> list[SituationStep]:
    """Return the steps with the passes that files leave out: one between two calls of a side, and one after our last call."""
    full: list[SituationStep] = []
    for step in steps:
        if full and full[-1].ours == step.ours:
            full.append(SituationStep(not step.ours, ("P",)))
        full.append(step)
    if full and full[-1].ours:
        full.append(SituationStep(False, ("P",)))
    return full
