"""A bidding system: the rules of its files, indexed by calls so that those of a turn are found quickly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bridgespec.bidding.compiled import ANY_BID, ANY_CALL, Ready, Situation, bindings, compile_words, patterns, words_variables
from bridgespec.bidding.language import TOO_LARGE, SystemReader, too_large, unknown_system
from bridgespec.bidding.rule_file import Module, SituationRules
from bridgespec.bidding.turn import FIRST_BID, Turn
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError

MOST_PATTERNS = 200_000
MOST_SYSTEMS = 8


class _Branch(dict[int, "_Branch"]):
    """A node of the trie of calls: the situations after some calls (``here``), and the nodes after one more call."""

    def __init__(self) -> None:
        self.here: list[Situation] = []


class BiddingSystem:
    """A system read from its files. Created by `load` or `read`; not changed afterwards, so engines share it.

    >>> BiddingSystem.load("sayc").title
    'Standard American Yellow Card'
    """

    def __init__(self, modules: Sequence[Module], findings: Sequence[Diagnostic] = (), name: str = "") -> None:
        self.modules = list(modules)
        self.findings = list(findings)
        self.name = name
        self._root = _Branch()
        self._openings: list[Situation] = []
        self._anytime: list[Situation] = []
        order = 0
        self._patterns = 0
        for module in self.modules:
            for section in module.sections:
                self._place(section, order)
                order += 1

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the rules only; the loading process compiles them again."""
        return BiddingSystem, (self.modules, self.findings, self.name)

    @classmethod
    def load(cls, name: str | Path, folders: Sequence[Path] = (), settings: Mapping[str, float] | None = None) -> BiddingSystem:
        """Return the system of a name (``sayc``) or a file. Raises UsageError where there is none, or where it has errors."""
        system = cls.read(name, folders, settings)
        if system.findings:
            first = system.findings[0]
            where = f"{first.path}:{first.span.line}:{first.span.column}: " if first.span else ""
            raise UsageError(f"{where}{first.message}")
        return system

    @classmethod
    def read(cls, name: str | Path, folders: Sequence[Path] = (), settings: Mapping[str, float] | None = None) -> BiddingSystem:
        """Return the system of a name or a file with its findings, whatever they are. Raises UsageError where there is no such
        file. While its files are unchanged, the same system is returned.
        """
        reader = SystemReader(folders)
        path = reader.find(str(name))
        if path is None:
            systems = (known for known, module in reader.known().items() if module.kind == "system")
            raise unknown_system(str(name), systems)
        reader.read(path, settings)
        if reader.findings:
            return cls(reader.modules, reader.findings, path.stem)
        key = cls, path.stem, *reader.contents
        if key not in _SYSTEMS:
            if len(_SYSTEMS) >= MOST_SYSTEMS:
                _SYSTEMS.clear()
            _SYSTEMS[key] = cls(reader.modules, reader.findings, path.stem)
        return _SYSTEMS[key]

    @property
    def title(self) -> str:
        """The system's title in its file; its name where there is none."""
        return next((module.title for module in self.modules if module.kind == "system"), self.name)

    def _place(self, section: SituationRules, order: int) -> None:
        if section.steps is None:
            for binding in bindings(words_variables(section.when), {}):
                self._anytime.append(Situation(order, compile_words(section.when, binding), section, binding))
            return
        if not section.steps:
            for binding in bindings(words_variables(section.when), {}):
                self._openings.append(Situation(order, compile_words(section.when, binding), section, binding))
            return
        for given, turns in patterns(section):
            for binding in bindings(words_variables(section.when), given):
                situation = Situation(order, compile_words(section.when, binding), section, binding)
                branches = [self._root]
                for calls in turns:
                    self._patterns += len(branches) * len(calls)
                    if self._patterns > MOST_PATTERNS:
                        # The bound is crossed in many sections; one finding is enough.
                        if not any(found.code == TOO_LARGE.name for found in self.findings):
                            told = f"more than {MOST_PATTERNS:,} auctions in all situations"
                            self.findings.append(too_large(told, section.place))
                        return
                    # Situations share the beginnings of their auctions, so a turn finds its own by one walk along its calls.
                    branches = [branch.setdefault(call, _Branch()) for branch in branches for call in calls]
                for branch in branches:
                    branch.here.append(situation)

    def rules(self, turn: Turn) -> list[Ready]:
        """Return the rules of all situations that this turn is in, by preference, then in the order of the system."""
        found: list[Situation] = []
        if turn.first < 0:
            found.extend(self._openings)
        else:
            branches = [self._root]
            for call in turn.calls[turn.first :]:
                after = []
                for branch in branches:
                    # A situation may be reached by the call itself and by a wildcard, so all three are followed.
                    if call in branch:
                        after.append(branch[call])
                    if ANY_CALL in branch:
                        after.append(branch[ANY_CALL])
                    if call >= FIRST_BID and ANY_BID in branch:
                        after.append(branch[ANY_BID])
                branches = after
                if not branches:
                    break
            for branch in branches:
                found.extend(branch.here)
        # Situations without calls are judgement: they apply at every turn, and `order` puts them behind or between the others.
        found.extend(self._anytime)
        facts = turn.facts
        open_ = [s for s in found if facts & s.when.need == s.when.need and not facts & s.when.forbid]
        if len(open_) > 1:
            open_.sort(key=lambda situation: situation.order)
        rules = []
        for situation in open_:
            # Bits are compared for all situations first; conditions with makers are evaluated only for those that remain.
            if not situation.when.makers or bool(situation.when.at(turn, 0).boxes()):
                rules.extend(situation.rules)
        # The sort is stable: rules of equal preference stay in the order of the system.
        if any(rule.prefer for rule in rules):
            rules.sort(key=lambda rule: -rule.prefer)
        return rules


_SYSTEMS: dict[tuple[object, ...], BiddingSystem] = {}
"""Systems by their names and `SystemReader.contents`: finding the situations of a system takes longer than a call."""
