"""The mistakes that are planted in JavaScript: one change of the syntax tree each, of the same kinds as in Python.

Texts and regular expressions are left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from tests.mutation.mistakes import ROOT, Mistake

_PARSER = Parser(Language(tree_sitter_javascript.language()))

_EDGE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "===": "!==", "!==": "==="}
_LOGIC = {"&&": "||", "||": "&&"}
_ARITHMETIC = {
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "**": "*",
    "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", ">>>": "<<",
}  # fmt: skip
_ASSIGNED = {f"{old}=": f"{new}=" for old, new in _ARITHMETIC.items()}
_STEPS = {"++": "--", "--": "++"}
_NAMED = ("function_declaration", "generator_function_declaration", "class_declaration", "method_definition", "variable_declarator")

Change = tuple[Node, str, str]
"""What is changed, the name of the mistake, and the new text."""


def mistakes(path: Path) -> Iterator[Mistake]:
    """Yield every change of a file, in order."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for at, (node, kind, _) in enumerate(_changes(path)):
        function, text = _function(node), " ".join(_text(node).split())[:70]
        seen[function, kind, text] += 1
        lines = tuple(range(node.start_point.row + 1, node.end_point.row + 2))
        yield Mistake(str(path.relative_to(ROOT)), function, kind, text, seen[function, kind, text], lines, at, True)


def planted(path: Path, at: int) -> AbstractContextManager[Any]:
    """Return a patch under which the file is read with one change made; pages and modules are made of what is read."""
    source = path.read_bytes()
    node, _, new = list(_changes(path))[at]
    changed = (source[: node.start_byte] + new.encode() + source[node.end_byte :]).decode()
    right = Path.read_text

    def read_text(self: Path, *given: Any, **named: Any) -> str:
        return changed if self.name == path.name and self.resolve() == path else right(self, *given, **named)

    return patch.object(Path, "read_text", read_text)


def _changes(path: Path) -> Iterator[Change]:
    waiting = [_PARSER.parse(path.read_bytes()).root_node]
    while waiting:
        node = waiting.pop()
        for kind, new in _replacements(node):
            yield node, kind, new
        waiting += reversed(node.named_children)


def _replacements(node: Node) -> Iterator[tuple[str, str]]:
    """Yield what the node may be exchanged for, with the name of the mistake."""
    match node.type:
        case "binary_expression" | "augmented_assignment_expression" | "update_expression":
            yield from _operators(node)
        case "unary_expression" if _operator(node) == "!":
            yield "not", f"({_text(_part(node, 'argument'))})"
        case "number" if _text(node).rstrip("n").isdigit():
            # A size of a type array, or a digit: one more.
            yield "number", f"{int(_text(node).rstrip('n')) + 1}{'n' * _text(node).endswith('n')}"
        case "true" | "false":
            yield "flag", "false" if node.type == "true" else "true"
        case "return_statement" if node.named_children and _text(node.named_children[0]) not in ("null", "undefined"):
            yield "return", "return null;"
        case "throw_statement":
            yield "left out", ";"
        case "expression_statement" if node.named_children[0].type in ("call_expression", "await_expression", "yield_expression"):
            yield "left out", ";"
        case "break_statement" | "continue_statement" if not _in_switch(node):
            yield node.type.partition("_")[0], "continue;" if node.type == "break_statement" else "break;"
        case "if_statement" | "ternary_expression":
            # The condition is changed by exchanging the whole, so that its lines are those of the whole.
            for value in ("true", "false"):
                yield f"always {value}", _with(node, _part(node, "condition"), f"({value})")


def _operators(node: Node) -> Iterator[tuple[str, str]]:
    sign = _operator(node)
    tables = {"edge": _EDGE, "opposite": _OPPOSITE, "and-or": _LOGIC, "arithmetic": {**_ARITHMETIC, **_ASSIGNED, **_STEPS}}
    for kind, table in tables.items():
        if sign in table and not (sign in ("+", "+=") and _has_text(node)):
            place = node.child_by_field_name("operator")
            assert place is not None
            # In brackets: the new operator may bind otherwise than the old.
            changed = _with(node, place, table[sign])
            yield kind, f"({changed})" if node.type == "binary_expression" else changed


def _has_text(node: Node) -> bool:
    """Whether texts are put together: another operator would only give what is not a number."""
    return any(one.type in ("string", "template_string") for one in node.named_children)


def _with(node: Node, part: Node, new: str) -> str:
    """Return the text of a node with another text for one of its parts."""
    whole = node.text
    assert whole is not None
    start, stop = part.start_byte - node.start_byte, part.end_byte - node.start_byte
    return (whole[:start] + new.encode() + whole[stop:]).decode()


def _part(node: Node, name: str) -> Node:
    part = node.child_by_field_name(name)
    assert part is not None, f"{node.type} without {name}"
    return part


def _text(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def _operator(node: Node) -> str:
    sign = node.child_by_field_name("operator")
    return "" if sign is None else _text(sign)


def _owners(node: Node) -> Iterator[Node]:
    owner = node.parent
    while owner is not None:
        yield owner
        owner = owner.parent


def _function(node: Node) -> str:
    """Return the names of the functions and classes that the node is in."""
    names = [owner.child_by_field_name("name") for owner in _owners(node) if owner.type in _NAMED]
    return ".".join(_text(name) for name in reversed(names) if name is not None and name.type.endswith("identifier"))


def _in_switch(node: Node) -> bool:
    """Whether the statement ends a case: the other one would not compile there, or end a loop around it."""
    for owner in _owners(node):
        if owner.type == "switch_statement":
            return True
        if owner.type.startswith(("for_", "while_", "do_")):
            return False
    return True
