"""Turn the tree of a file of rules into a `Module`: check words, replace parameters, and report mistakes with their places.

`Builder.module` takes the root of the codec's tree and returns the `Module`. Variables for suits stay; `compiled` replaces them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from bridgespec.bidding.rule_file import (
    Aim,
    BiddingRule,
    ItemPlace,
    Module,
    RuleCall,
    RuleTerm,
    SituationRules,
    SituationStep,
    Take,
    WrittenCondition,
)
from bridgespec.bidding.turn import FACT_BITS, SUIT_BITS
from bridgespec.diagnostic import Severity, define, nearest

UNKNOWN_WORD = define(
    "bid-unknown-word",
    Severity.ERROR,
    "A word that the language does not have\n\nA term, a fact, a parameter or a suit's variable.",
)
CONTRADICTION = define(
    "bid-contradiction", Severity.ERROR, "A rule that no hand can meet\n\nIts ranges exclude each other, or a range runs backwards."
)
NO_SITUATION = define(
    "bid-no-situation",
    Severity.ERROR,
    "A rule without a situation\n\nA line that says after which calls, or when, stands above its rules.",
)

NO_STEPS = define(
    "bid-steps",
    Severity.ERROR,
    "Answers by steps without a first bid\n\nThey begin with a bid such as 5C, and end with 7NT at the latest.",
)

SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
# The suits, 0 to 3 from spades down, that each variable may be.
VARIABLES = {"M": (0, 1), "m": (2, 3), "x": (0, 1, 2, 3), "y": (0, 1, 2, 3), "z": (0, 1, 2, 3), "t": (0, 1, 2, 3)}
PLAIN_TERMS = {
    "hcp", "points", "controls", "losers", "newlosers", "quicktricks", "aces", "kings", "longest", "second", "shortest", "rule20",
    "rule15", "playing", "bumrap",
}  # fmt: skip
SUIT_TERMS = {
    "length", "high", "stoppers", "top3", "top5", "quality", "support", "keycards", "trumpqueen", "ace", "king", "queen",
}  # fmt: skip
SHARED_TERMS = {"together", "at-best", "likely", "fit", "side-aces", "side-kings", "side-keycards", "undertricks", "tricks"}
"""Terms of both hands of a side: the term of the caller's hand plus the least, the most or the mean that partner has shown."""
FACTS = {"balanced", "semibalanced", "theirs-stopped", "unbid-stopped", "unbid-three", *FACT_BITS}
SUIT_FACTS = set(SUIT_BITS)
NUMBER_FACTS = {"level", "last-level", "seat", "round", "jump"}
OF_SUIT = {"longest", "stopped", "major", "minor"}
WHO = {"partner", "me", "lho", "rho"}
_SIGNS = {"at_least": ">=", "at_most": "<=", "more": ">", "less": "<", "equal": "="}

_BIDS = tuple(f"{level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT"))

ReportItem = Callable[[str, str, ItemPlace, str | None], None]


class ReadNode(Protocol):
    """The part of the interface of the codec's nodes that this module uses; it spares an import of the codec."""

    field: str
    start: int
    stop: int

    @property
    def text(self) -> str:
        """The characters as in the file, one for each byte."""

    @property
    def value(self) -> Any:
        """The text of a leaf; for a word with a name in the grammar (``"at_least"``), the name."""

    @property
    def parts(self) -> list[Any] | None:
        """The fields of a record in the order of the file."""


class Builder:
    """Makes the `Module` of one file. Created by `SystemReader` for one call of `module`.

    ``settings`` override parameters of the file. ``report`` is called with code, message, place and help of each mistake.
    """

    def __init__(self, report: ReportItem, path: Path, data: bytes, settings: dict[str, float]) -> None:
        self.report = report
        self.file = str(path)
        self.data = data
        self.settings = settings
        self.made = Module(path.stem)
        self._lines = [0, *(place + 1 for place, byte in enumerate(data) if byte == 10)]

    def module(self, root: Any) -> Module:
        """Return the contents of the file whose tree has this root; what is wrong is reported and left out."""
        items = list(_items(root))
        made = self.made
        # After an unreadable line, which may have been a situation, rules without a situation are not reported.
        lost = False
        for item in items:
            if item.field == "parameter" and not item.broken:
                self._parameter(item)
        section: list[SituationRules] = []
        rules: list[BiddingRule] = []
        for item in items:
            if item.broken:
                lost = True
            elif item.field == "title":
                made.kind, made.title = _one(item, "kind").value, _string(_one(item, "string"))
                made.sources += [_string(_one(source, "string")) for source in _all(item, "source")]
            elif item.field == "take":
                self._close(section, rules)
                section, rules = [], []
                # A take ends the situation, since the rules of the convention come
                # between; rules below it need a line of their own above.
                settings = {_one(one, "name").text: float(_one(one, "number").text) for one in _all(item, "setting")}
                made.takes.append(Take(_one(item, "name").text, settings, self._place(item), len(made.sections)))
            elif item.field == "situation":
                self._close(section, rules)
                section, rules = self._situation(item), []
            elif item.field == "rule":
                if not section and not lost:
                    self.report(NO_SITUATION.name, "no situation stands above this rule", self._place(item), None)
                rules += self._rules(item)
        self._close(section, rules)
        return made

    def _parameter(self, item: ReadNode) -> None:
        name = _one(item, "name")
        value = float(_one(item, "number").text)
        self.made.parameters[name.text] = self.settings.get(name.text, value)

    def _close(self, section: list[SituationRules], rules: list[BiddingRule]) -> None:
        """Add the sections of the last situation with the rules below it."""
        if rules:
            # Situations joined by ``or`` are sections of their own with the same rules.
            self.made.sections += [replace(situation, rules=tuple(rules)) for situation in section]

    def _situation(self, item: ReadNode) -> list[SituationRules]:
        """Return the situations of a line, one for each that ``or`` joins, without rules."""
        steps: list[tuple[SituationStep, ...] | None] = []
        when: WrittenCondition | None = None
        for part in item.parts or ():
            if part.field == "after":
                steps.append(tuple(self._step(step) for step in _all(part, "step")))
            elif part.field == "opening":
                steps.append(())
            else:
                when = self._condition(part)
        return [SituationRules(self._place(item), made, when, (), self.made.name) for made in steps or [None]]

    @staticmethod
    def _step(item: ReadNode) -> SituationStep:
        side = (item.parts or [])[0]
        return SituationStep(side.field == "ours", tuple(call.text for call in side.parts))

    def _rules(self, item: ReadNode) -> list[BiddingRule]:
        """Return the rules of a line: one, or with ``steps`` one for each answer; all have the place of the line."""
        rule = self._rule(item)
        steps = [step for part in _all(item, "steps") for step in _all(part, "step_shown")]
        if not steps:
            return [rule]
        first = _BIDS.index(rule.made.text) if rule.made.text in _BIDS else len(_BIDS)
        if first + len(steps) > len(_BIDS):
            self.report(NO_STEPS.name, "steps need a first bid, and room below 7NT", rule.place, None)
            return [rule]
        found = []
        for call, step in zip(_BIDS[first:], steps, strict=False):
            shows, texts = self._condition(_one(step, "condition")), _all(step, "string")
            both = shows if rule.shows is None else WrittenCondition("both", shows.place, (rule.shows, shows))
            text = _string(texts[0]) if texts else rule.text
            found.append(replace(rule, made=RuleCall(Aim.FIXED, call), text=text, shows=both))
        return found

    def _rule(self, item: ReadNode) -> BiddingRule:
        """Return the rule of a line, without its ``steps``."""
        values: dict[str, Any] = {}
        for part in item.parts or ():
            name = part.field
            if name == "made":
                values["made"] = self._made(part)
            elif name == "string":
                values["text"] = _string(part)
            elif name == "because":
                values[name] = _string(_one(part, "string"))
            elif name in ("shows", "wants"):
                words = self._condition(_one(part, "condition"))
                old = values.get(name)
                # A rule may have several lines of ``shows``: all of them must be true.
                values[name] = words if old is None else WrittenCondition("both", words.place, (old, words))
            elif name == "forcing":
                target = _all(part, "target")
                values[name] = target[0].value if target else "round"
            elif name == "asks":
                suits = _all(part, "suit")
                values[name] = (_one(part, "name").text, suits[0].text if suits else None)
                # Collected for the finding ``bid-unasked``.
                self.made.asks.append(_one(part, "name").text)
            elif name == "agrees":
                values[name] = _one(part, "suit").text
            elif name == "prefer":
                values[name] = float(_one(part, "number").text)
            elif name in ("artificial", "exclusive", "signoff", "unconditional"):
                values[name] = True
        return BiddingRule(place=self._place(item), **values)

    @staticmethod
    def _made(item: ReadNode) -> RuleCall:
        """Return the call of a rule."""
        calls = _all(item, "call")
        if calls:
            return RuleCall(Aim.FIXED, calls[0].text)
        aim = Aim(_one(item, "aim").value)
        if _all(item, "double") and aim is Aim.JUMP:
            aim = Aim.DOUBLE_JUMP
        return RuleCall(aim, _one(item, "suit").text)

    # --- conditions: a method for each rule of the grammar, from the loosest operator (a comma) to the tightest

    def _condition(self, item: ReadNode) -> WrittenCondition:
        return self._joined("both", item, self._either)

    def _either(self, item: ReadNode) -> WrittenCondition:
        return self._joined("either", item, self._every)

    def _every(self, item: ReadNode) -> WrittenCondition:
        return self._joined("both", item, self._single)

    def _joined(self, kind: str, item: ReadNode, inner: Callable[[Any], WrittenCondition]) -> WrittenCondition:
        parts = item.parts or []
        if len(parts) == 1:
            return inner(parts[0])
        return WrittenCondition(kind, self._place(item), tuple(inner(part) for part in parts))

    def _single(self, item: ReadNode) -> WrittenCondition:
        *negation, operand = item.parts or []
        words = self._condition(operand) if operand.field == "condition" else self._atom(operand)
        return WrittenCondition("negated", self._place(item), (words,)) if negation else words

    def _atom(self, item: ReadNode) -> WrittenCondition:
        place, kind = self._place(item), item.field
        suits = [suit.text for suit in _all(item, "suit")]
        suit = suits[0] if suits else None
        if kind == "within":
            low, high = self._range(_one(item, "range"))
            return WrittenCondition("within", place, low=low, high=high, term=self._term(_one(item, "term")))
        if kind == "comparison":
            return self._comparison(item, place)
        name = _one(item, "name")
        if kind == "question":
            self.made.asked.append((name.text, self._place(name)))
            return WrittenCondition("fact_named", place, name=_one(item, "which").value, word=name.text, suit=suit)
        if kind == "measure":
            low, high = self._range(_one(item, "range"))
            terms = _all(item, "term")
            self._check("player" if terms else "fact", name, WHO if terms else NUMBER_FACTS)
            if terms:
                return WrittenCondition("known", place, name=name.text, low=low, high=high, term=self._term(terms[0]))
            return WrittenCondition("fact_within", place, name=name.text, low=low, high=high)
        if kind == "fact":
            self._check("fact", name, FACTS if suit is None else SUIT_FACTS)
            return WrittenCondition("fact" if suit is None else "fact_of", place, name=name.text, suit=suit)
        self._check("fact", name, OF_SUIT)
        return WrittenCondition("suit_fact", place, name=name.text, suit=suit)

    def _comparison(self, item: ReadNode, place: ItemPlace) -> WrittenCondition:
        terms, word = [self._term(term) for term in _all(item, "term")], _SIGNS[_one(item, "relation").value]
        if len(terms) == 2:
            return WrittenCondition("compare", place, term=terms[0], other=terms[1], word=word)
        number = self._value(_one(item, "value"))
        # 99 is above every term. Terms compared with numbers count in whole numbers, so > 4 is 5 and more.
        low, high = {">=": (number, 99), ">": (number + 1, 99), "<=": (0, number), "<": (0, number - 1)}.get(word, (number, number))
        return WrittenCondition("within", place, low=low, high=high, term=terms[0])

    def _term(self, item: ReadNode) -> RuleTerm:
        names, suits = _all(item, "name"), _all(item, "suit")
        if not names:
            return RuleTerm("length", suits[0].text)
        # The grammar has no terms with the names of suits, but they are suggested: a suit alone is its length.
        known = SUIT_TERMS | SHARED_TERMS if suits else PLAIN_TERMS | SHARED_TERMS | {*SUIT_WORDS}
        self._check("term", names[0], known)
        return RuleTerm(names[0].text, suits[0].text if suits else None)

    def _range(self, item: ReadNode) -> tuple[float, float]:
        values = [self._value(value) for value in _all(item, "value")]
        if _all(item, "plus"):
            return values[0], 99
        if _all(item, "under"):
            # Excludes the bound and includes every whole number below it.
            return 0, values[0] - 0.5
        if len(values) == 1:
            return values[0], values[0]
        if values[0] > values[1]:
            message = f"the range {values[0]:g} to {values[1]:g} runs backwards"
            self.report(CONTRADICTION.name, message, self._place(item), None)
        return values[0], values[1]

    def _value(self, item: ReadNode) -> float:
        total, sign = 0.0, 1
        for part in item.parts or ():
            if part.field == "sign":
                sign = 1 if part.value == "plus" else -1
                continue
            word = part.parts[0] if part.field == "addend" and part.parts else part
            if word.field == "number":
                total += sign * float(word.text)
            elif word.text in self.made.parameters:
                total += sign * self.made.parameters[word.text]
            else:
                self._unknown("parameter", word.text, set(self.made.parameters), self._place(word))
        return total

    # --- places and findings

    def _place(self, item: ReadNode) -> ItemPlace:
        # Offsets of nodes are in bits, for text as for binary files.
        start, stop = item.start // 8, item.stop // 8
        line = bisect_right(self._lines, start)
        before = self.data[self._lines[line - 1] : start]
        # Columns count characters, as editors do, and offsets count bytes.
        return ItemPlace(self.file, line, len(before.decode("utf-8", "replace")) + 1, start, stop)

    def _check(self, kind: str, word: ReadNode, known: set[str]) -> None:
        if word.text not in known:
            self._unknown(kind, word.text, known, self._place(word))

    def _unknown(self, kind: str, word: str, known: set[str], place: ItemPlace) -> None:
        self.report(UNKNOWN_WORD.name, f"there is no {kind} {word}", place, nearest(word, sorted(known)))


def _items(root: Any) -> Iterator[Any]:
    """Yield the items of a file in the order of the text; the tree has a list for each kind of item."""
    found = [child for array in root.children or () for child in array.children or ()]
    yield from sorted(found, key=lambda child: child.start)


def _all(item: ReadNode, field: str) -> list[Any]:
    """Return the parts of a node that are the field ``field``."""
    return [part for part in item.parts or () if part.field == field]


def _one(item: ReadNode, field: str) -> Any:
    """Return the first part of a node that is the field ``field``; the grammar guarantees that there is one."""
    return next(part for part in item.parts or () if part.field == field)


def _string(item: ReadNode) -> str:
    """Return the text between quotation marks; files of rules are UTF-8, and the tree has one character for each byte."""
    return item.text[1:-1].encode("latin-1").decode("utf-8", "replace")
