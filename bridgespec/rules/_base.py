"""What a rule is and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bridgespec.diagnostic import Code, Severity
from bridgespec.rules._facts import Facts

ModelPlace = tuple[str | int, ...]
"""A place in the model: the name of a board's (or document's) field, then indexes into it.

``("deal",)``, ``("deal", card)``, ``("hand", seat)``, ``("tricks", strain, seat)``, ``("number",)``, ``("auction",
call)``, ``("play", trick, card)``, ``("contract",)``, ``("system", record)``, ``("system", record, "text")`` ...
Indexes count from 0; cards, seats and strains are their model numbers.
"""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair in terms of the model: put ``value`` at ``at`` of the same board; ``safe`` means that no meaning can be
    lost.
    """

    description: str
    at: ModelPlace
    value: object
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found, placed in the model; whoever knows the file turns places into spans.

    ``board`` counts from 0 (None: the whole document, or its system). ``at`` names the place, most exact first: where
    the file has no span for the first, the next is tried, and within one the last index may be dropped. ``labels`` are
    further places, each with what stands there. ``stated`` is a place where the file itself must say something for the
    finding to hold: a number that was only counted is not a reason for one.
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
        """The finding of a code, at its usual severity unless told otherwise."""
        return cls(code.name, severity or code.severity, message, board, at, labels, help, fix, stated)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code, whose page is the module's docstring, and its check."""

    code: Code
    check: Callable[[Facts], Iterable[Finding]]
