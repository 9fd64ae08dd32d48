"""A bidding system: the rules of its files, indexed by the calls of an auction.

`BiddingSystem.load` reads the files of a system; `BiddingSystem.rules` takes a `Turn` and returns the rules that apply there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bridgespec.bidding.compiled import CompiledRule, CompiledSituation, call_patterns, compile_condition
from bridgespec.bidding.language import TOO_LARGE, SystemReader, too_large, unknown_system
from bridgespec.bidding.rule_file import Module, SituationRules
from bridgespec.bidding.turn import FIRST_BID, Turn
from bridgespec.bidding.variables import ANY_BID, ANY_CALL, bindings, condition_variables
from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import UsageError

MOST_PATTERNS = 200_000
"""The most nodes of the trie that all situations of a system may reach together; beyond it the system has the finding
``bid-too-large``.
"""
MOST_SYSTEMS = 8
"""The most systems that `BiddingSystem.read` caches; the cache is emptied when it is full."""


class _Branch(dict[int, "_Branch"]):
    """A node of the trie of calls, which begins with the opening.

    ``here`` are the situations of the auction that leads to the node. The items are the nodes after one more call; a key is a
    call's number, or `ANY_CALL` or `ANY_BID`.
    """

    def __init__(self) -> None:
        self.here: list[CompiledSituation] = []


class BiddingSystem:
    """A system read from its files. Created by `load` or `read`; its rules never change, so several engines share one instance.

    >>> BiddingSystem.load("sayc").title
    'Standard American Yellow Card'
    """

    def __init__(self, modules: Sequence[Module], findings: Sequence[Diagnostic] = (), name: str = "") -> None:
        self.modules = list(modules)
        self.findings = list(findings)
        self.name = name
        self._root = _Branch()
        self._openings: list[CompiledSituation] = []
        self._anytime: list[CompiledSituation] = []
        order = 0
        self._patterns = 0
        for module in self.modules:
            for section in module.sections:
                self._index(section, order)
                order += 1

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the rules only; the loading process compiles them again."""
        return BiddingSystem, (self.modules, self.findings, self.name)

    @classmethod
    def load(cls, name: str | Path, folders: Sequence[Path] = (), settings: Mapping[str, float] | None = None) -> BiddingSystem:
        """Return the system of a name (``sayc``) or of a file. Raises UsageError if no such system exists or its files have errors.

        ``folders`` are searched before those of the package; ``settings`` override parameters of the system's own file.
        """
        system = cls.read(name, folders, settings)
        if system.findings:
            first = system.findings[0]
            where = f"{first.path}:{first.span.line}:{first.span.column}: " if first.span else ""
            raise UsageError(f"{where}{first.message}")
        return system

    @classmethod
    def read(cls, name: str | Path, folders: Sequence[Path] = (), settings: Mapping[str, float] | None = None) -> BiddingSystem:
        """Return the system of a name or of a file, also if it has findings. Raises UsageError if no such system exists.

        A system without findings is cached: the same instance is returned as long as its files do not change.
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
        """The title in the system's file; its name if no module is a system."""
        return next((module.title for module in self.modules if module.kind == "system"), self.name)

    def _index(self, section: SituationRules, order: int) -> None:
        """Compile a section once for each binding of its variables, and enter it where `rules` looks situations up."""
        if section.steps is None:
            for binding in bindings(condition_variables(section.when), {}):
                self._anytime.append(CompiledSituation(order, compile_condition(section.when, binding), section, binding))
            return
        if not section.steps:
            for binding in bindings(condition_variables(section.when), {}):
                self._openings.append(CompiledSituation(order, compile_condition(section.when, binding), section, binding))
            return
        for given, turns in call_patterns(section):
            for binding in bindings(condition_variables(section.when), given):
                situation = CompiledSituation(order, compile_condition(section.when, binding), section, binding)
                branches = [self._root]
                for calls in turns:
                    self._patterns += len(branches) * len(calls)
                    if self._patterns > MOST_PATTERNS:
                        # The bound is crossed in many sections; one finding is enough.
                        if not any(found.code == TOO_LARGE.name for found in self.findings):
                            message = f"more than {MOST_PATTERNS:,} auctions in all situations"
                            self.findings.append(too_large(message, section.place))
                        return
                    # Situations share the beginnings of their auctions, so a turn finds its own by one walk along its calls.
                    branches = [branch.setdefault(call, _Branch()) for branch in branches for call in calls]
                for branch in branches:
                    branch.here.append(situation)

    def rules(self, turn: Turn) -> list[CompiledRule]:
        """Return the rules of all situations that match the auction, those with the highest ``prefer`` first, then in file order.

        Only the situations' conditions are tested; those of the rules themselves are not.
        """
        found: list[CompiledSituation] = []
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
        # Situations without calls (sections that begin with ``when``) apply at every turn; `order` puts them between the others.
        found.extend(self._anytime)
        facts = turn.facts
        open_ = [s for s in found if facts & s.when.need == s.when.need and not facts & s.when.forbid]
        if len(open_) > 1:
            open_.sort(key=lambda situation: situation.order)
        rules = []
        for situation in open_:
            # Facts are cheap and were compared for all situations above; ``makers`` build a condition at the turn. A situation
            # matches if that condition has any box at all.
            if not situation.when.makers or bool(situation.when.at(turn, 0).boxes()):
                rules.extend(situation.rules)
        # The sort is stable: rules of equal preference stay in the order of the system.
        if any(rule.prefer for rule in rules):
            rules.sort(key=lambda rule: -rule.prefer)
        return rules


_SYSTEMS: dict[tuple[object, ...], BiddingSystem] = {}
"""Cached systems, by class, name and `SystemReader.contents`: indexing the situations of a system takes longer than a call."""
