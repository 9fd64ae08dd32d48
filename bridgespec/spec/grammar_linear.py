"""Whether every input is read in time linear in its length: decided on the grammar, before any input is seen."""

from __future__ import annotations

from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ksy_problems import Problems


def check_linear(grammar: Grammar, problems: Problems) -> None:
    """Report what could be slower than linear (placeholder body follows)."""
