"""Text layouts: Lark grammars with their ``//-`` lines, read into values (`rules.Grammar`, `form.Words`)."""

from __future__ import annotations

from bridgespec.spec.grammar.form import (
    Columns,
    Content,
    Digits,
    Fault,
    Fill,
    Inherit,
    LineLimit,
    Needs,
    Once,
    Pair,
    Report,
    Restart,
    Same,
    StrictForm,
    TextForm,
    Words,
)
from bridgespec.spec.grammar.rules import Choice, Expr, Grammar, Literal, Pattern, Ref, Repeat, Rule, Sequence

__all__ = [
    "Choice",
    "Columns",
    "Content",
    "Digits",
    "Expr",
    "Fault",
    "Fill",
    "Grammar",
    "Inherit",
    "LineLimit",
    "Literal",
    "Needs",
    "Once",
    "Pair",
    "Pattern",
    "Ref",
    "Repeat",
    "Report",
    "Restart",
    "Rule",
    "Same",
    "Sequence",
    "StrictForm",
    "TextForm",
    "Words",
]
