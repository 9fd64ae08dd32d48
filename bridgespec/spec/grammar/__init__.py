"""Schemas of text formats: Lark grammars with words in ``//-`` comments, loaded as values (`rules.Grammar`, `form.RuleWords`)."""

from __future__ import annotations

from bridgespec.spec.grammar.form import (
    Columns,
    Content,
    DigitsForm,
    FaultPattern,
    Fill,
    Inherit,
    LineLimit,
    Needs,
    Once,
    PairForm,
    ReportForm,
    Restart,
    RuleWords,
    Same,
    StrictForm,
    TextForm,
)
from bridgespec.spec.grammar.possessive import compile_regex
from bridgespec.spec.grammar.rules import (
    Expr,
    Grammar,
    GrammarChoice,
    GrammarLiteral,
    GrammarRepeat,
    GrammarRule,
    Pattern,
    Ref,
    Sequence,
)

__all__ = [
    "Columns",
    "Content",
    "DigitsForm",
    "Expr",
    "FaultPattern",
    "Fill",
    "Grammar",
    "GrammarChoice",
    "GrammarLiteral",
    "GrammarRepeat",
    "GrammarRule",
    "Inherit",
    "LineLimit",
    "Needs",
    "Once",
    "PairForm",
    "Pattern",
    "Ref",
    "ReportForm",
    "Restart",
    "RuleWords",
    "Same",
    "Sequence",
    "StrictForm",
    "TextForm",
    "compile_regex",
]
