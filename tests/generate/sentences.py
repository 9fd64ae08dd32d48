"""Texts drawn from a grammar: each follows its rules, though ordered choices may make a reader see it another way."""

from __future__ import annotations

from hypothesis import strategies as st

from bridgespec.spec import ir
from bridgespec.spec.grammar import Choice, Expr, Grammar, Literal, Pattern, Ref, Repeat, Sequence

DEPTH = 12
"""Rules inside rules; below that a repetition is as short as it may be and a choice takes its first way."""
LATIN = st.characters(codec="latin-1")


def sentences(spec: ir.Spec) -> st.SearchStrategy[bytes]:
    """Files that a text schema's grammar derives."""
    assert isinstance(spec.text, Grammar)
    return _texts(spec.text).map(lambda text: text.encode("latin-1"))


@st.composite
def _texts(draw: st.DrawFn, grammar: Grammar) -> str:
    return "".join(_expand(draw, grammar, grammar.rules[grammar.start].expr, 0))


def _expand(draw: st.DrawFn, grammar: Grammar, expr: Expr, depth: int) -> list[str]:
    match expr:
        case Literal(text=text):
            return [text]
        case Pattern(regex=regex):
            return [draw(st.from_regex(regex, fullmatch=True, alphabet=LATIN))]
        case Ref(name=name):
            return _expand(draw, grammar, grammar.rules[name].expr, depth + 1)
        case Sequence(items=items):
            return [text for item in items for text in _expand(draw, grammar, item, depth)]
        case Choice(options=options):
            option = options[0] if depth > DEPTH else draw(st.sampled_from(options))
            return _expand(draw, grammar, option, depth)
        case Repeat(item=item, least=least, most=most):
            top = least if depth > DEPTH else min(least + 3, least + 3 if most is None else most)
            return [text for _ in range(draw(st.integers(least, top))) for text in _expand(draw, grammar, item, depth)]
    raise AssertionError(f"a grammar holds {type(expr).__name__}")
