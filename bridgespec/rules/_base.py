"""The interface of rules: `CheckRule`, the `Finding` that a check yields, and the `Repair` that a finding may propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bridgespec.diagnostic import Code, Severity
from bridgespec.rules._facts import Facts

ModelPlace = tuple[str | int, ...]
"""A path in the model: the name of a board's (or document's) field, then indexes into it.

``("deal",)``, ``("deal", card)``, ``("hand", seat)``, ``("tricks", strain, seat)``, ``("number",)``, ``("auction",
call)``, ``("play", trick, card)``, ``("contract",)``, ``("system", record)``, ``("system", record, "text")`` ...
Indexes count from 0; cards, seats and strains are their model numbers.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair in terms of the model: set ``value`` at the path ``at`` of the same board; ``safe`` means that it loses no
    information.
    """

    description: str
    at: ModelPlace
    value: object
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation found by a rule, located in the model. The code that knows the file converts model paths to spans.

    ``board`` counts from 0 (None: the whole document, or its system). ``at`` are model paths, the most exact first: each is
    looked up whole, then without its last words, and where the file has nothing of it, the next is tried. ``labels`` are further
    paths, each with a text. With ``stated``, the finding is reported only if the file itself states that path: a number that was
    only counted is not a reason for a finding.
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
    """One rule: its code, whose page is the module's docstring, and its check. Made when the package is imported."""

    code: Code
    check: Callable[[Facts], Iterable[Finding]]
