"""Rules: checks of a document against the laws and conventions of the game, one module per rule.

A module of this folder (no leading underscore) is a rule if it has ``CODE``, made by `bridgespec.diagnostic.define` from the
module's docstring, and ``check(facts) -> Iterable[Finding]``, which receives the document with the facts derived from it. ``NEEDS``
may name terms without which it has no finding: a large file of records without them is then still checked by arrays. A new module
needs no entry in a list.

>>> "hand-size" in [rule.code.name for rule in RULES]
True
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from bridgespec.model.document import Document
from bridgespec.rules._base import CheckRule, Finding, ModelPlace, Repair
from bridgespec.rules._facts import Facts

__all__ = ["RULES", "CheckRule", "Facts", "Finding", "ModelPlace", "Repair", "findings"]


def _discover() -> Iterator[CheckRule]:
    """Yield the rule of each module of this folder, in the order of the modules' names."""
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{info.name}")
            yield CheckRule(module.CODE, module.check, getattr(module, "NEEDS", frozenset()))


RULES: tuple[CheckRule, ...] = tuple(_discover())
"""Every rule, in the order of their modules' names."""


def findings(document: Document) -> list[Finding]:
    """Return the findings of all rules: first those on the document as a whole, then those on each board, in the order of boards.

    >>> findings(Document())
    []
    """
    facts = Facts(document)
    found = [finding for rule in RULES for finding in rule.check(facts)]
    # Stable: the findings of one board stay in the order of the rules.
    return sorted(found, key=lambda finding: -1 if finding.board is None else finding.board)
