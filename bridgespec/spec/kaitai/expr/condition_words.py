"""Express simple conditions of schemas in words, for documentation and messages."""

from __future__ import annotations

from bridgespec.spec.kaitai.expr.tree import Compare, LiteralExpression, Logic, Name, Tree

_COMPARED = {"<=": ["at most"], ">=": ["at least"], "==": [], "!=": ["not"], "<": ["below"], ">": ["above"]}


def condition(tree: Tree) -> list[str | LiteralExpression] | None:
    """Return a condition on the value ``_`` as words and literals; None for an expression other than comparisons with literals.

    >>> from bridgespec.spec.kaitai.expr.parse import parse_tree
    >>> condition(parse_tree("_ <= 13 or _ == 15"))
    ['at most', LiteralExpression(value=13), 'or', LiteralExpression(value=15)]
    """
    match tree:
        case Compare(op, Name("_"), LiteralExpression() as literal) if op in _COMPARED:
            return [*_COMPARED[op], literal]
        case Logic(op, items):
            words: list[str | LiteralExpression] = []
            for item in items:
                part = condition(item)
                if part is None:
                    return None
                words += [op, *part] if words else part
            return words
    return None
