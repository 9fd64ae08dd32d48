"""The interface of rules: `CheckRule`, the `Finding` that a check yields, and the `Repair` that a finding may propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from bridgespec.diagnostic import Code, Severity
from bridgespec.rules._facts import Facts

ModelPlace = tuple[str | int, ...]
"""A model path: the name of a field of a board, or ``system`` for the document's system, then indexes into its value.

``("deal",)``, ``("deal", card)``, ``("hand", seat)``, ``("tricks", strain, seat)``, ``("number",)``, ``("auction",
call)``, ``("play", trick, card)``, ``("contract",)``, ``("system", record)``, ``("system", record, "text")`` ...
Indexes count from 0; cards, seats and strains are their model numbers.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of the model, proposed by a finding: set ``value`` at the model path ``at`` of the finding's board. ``safe`` means
    that it loses no information.
    """

    description: str
    at: ModelPlace
    value: object
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation found by a rule, located in the model by model paths, which `codec.origin.ModelSpans` converts to spans.

    ``board`` is the index of the board; None for a finding on the document or its system. ``at`` are model paths, the most exact
    first: the finding is placed at the first path that has a span in the file; of each path, shorter beginnings are tried before
    the next path. ``labels`` are further paths, each with a text. ``stated`` is a path without which there is no finding: one on
    the number of a board is not reported where the file has no numbers and boards were merely counted.
    """

    code: str
    severity: Severity
    message: str
    board: int | None = None
    at: tuple[ModelPlace, ...] = ()
    labels: tuple[tuple[ModelPlace, str], ...] = ()
    help: str | None = None
    fix: Repair | None = None
    stated: ModelPlace | None = None

    @classmethod
    def of(
        cls,
        code: Code,
        message: str,
        board: int | None = None,
        *at: ModelPlace,
        labels: tuple[tuple[ModelPlace, str], ...] = (),
        help: str | None = None,
        fix: Repair | None = None,
        severity: Severity | None = None,
        stated: ModelPlace | None = None,
    ) -> Finding:
        """Return the finding of a code, with the code's severity unless another is given."""
        return cls(code.name, severity or code.severity, message, board, at, labels, help, fix, stated)


@dataclass(frozen=True, slots=True)
class CheckRule:
    """One rule: its code, whose page is the module's docstring, and its check. Made when the package is imported.

    ``needs`` are terms (``system`` included) without any of which the rule has no finding; empty if that is not known.
    """

    code: Code
    check: Callable[[Facts], Iterable[Finding]]
    needs: frozenset[str] = frozenset()

    def may_report(self, terms: Set[str]) -> bool:
        """Return whether the rule can have a finding on boards that state no other terms than these."""
        return self.needs <= terms
