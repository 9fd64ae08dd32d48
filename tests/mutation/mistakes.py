"""The mistakes that are planted in Python: one change of the syntax tree each.

Left alone are annotations, docstrings and other texts (what a message says is held by the samples and the documentation),
assertions, what only the type checker runs, and ``strict`` of ``zip``, which guards against mistakes of our own.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

_EDGE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITE = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.Pow: ast.Mult,
}


@dataclass(frozen=True)
class Mistake:
    """One change: the file, the function, what is changed and into what, which of several like it; and the lines that run it."""

    path: str
    function: str
    kind: str
    text: str
    nth: int
    lines: tuple[int, ...]
    at: int
    """The change's number in its file."""
    inside: bool
    """Whether it stands in the body of a function: what else there is runs when the module is imported."""

    @property
    def name(self) -> str:
        """What does not change when other functions do."""
        return f"{self.path} {self.function} {self.kind} {self.text!r} {self.nth}"


def mistakes(path: Path) -> Iterator[Mistake]:
    """Every change of a file, in order."""
    source = path.read_text()
    rows = source.splitlines()
    seen: Counter[tuple[str, str, str]] = Counter()
    for at, (node, kind, _, owners, inside) in enumerate(_changes(ast.parse(source))):
        statement = next(one for one in reversed(owners) if isinstance(one, ast.stmt))
        function = ".".join(one.name for one in owners if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef))
        first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        start, stop = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        text = " ".join(rows[first - 1][start : stop if first == last else None].split())[:70]
        seen[function, kind, text] += 1
        lines = tuple(sorted({statement.lineno, *range(first, last + 1)}))
        yield Mistake(str(path.relative_to(ROOT)), function, kind, text, seen[function, kind, text], lines, at, inside)


def planted(path: Path, at: int) -> ast.Module:
    """The file with one change made."""
    tree = ast.parse(path.read_text())
    for number, (*_, change, _, _) in enumerate(_changes(tree)):
        if number == at:
            change()
            return ast.fix_missing_locations(tree)
    raise IndexError(at)


Change = tuple[ast.AST, str, Callable[[], None], list[ast.AST], bool]


def _changes(tree: ast.Module) -> Iterator[Change]:
    yield from _walk(tree, [], False)


def _walk(node: ast.AST, owners: list[ast.AST], inside: bool) -> Iterator[Change]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment", "decorator_list"):
            continue
        within = inside or (name == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or _left_alone(child):
                continue

            def put(new: ast.AST, name: str = name, value: object = value, index: int = index, old: ast.AST = child) -> None:
                ast.copy_location(new, old)
                if isinstance(value, list):
                    value[index] = new
                else:
                    setattr(node, name, new)

            here = [*owners, node]
            for kind, new in _replacements(child, name, node):
                yield child, kind, lambda new=new, put=put: put(new), [*here, child], within
            yield from _walk(child, here, within)


def _left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")


def _replacements(node: ast.AST, name: str, parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What the node may be exchanged for, with the name of the mistake."""
    match node:
        case ast.Compare(ops=[op]):
            for kind, table in (("edge", _EDGE), ("opposite", _OPPOSITE)):
                if type(op) in table:
                    yield kind, _with(node, ops=[table[type(op)]()])
        case ast.BoolOp():
            yield "and-or", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _ARITHMETIC and not _texts(node):
            yield "arithmetic", _with(node, op=_ARITHMETIC[type(node.op)]())
        case ast.Constant(value=bool()):
            yield "flag", ast.Constant(not node.value)
        case ast.Constant(value=int()) if isinstance(node.value, int):
            yield "number", ast.Constant(node.value + 1)
        case ast.Return(value=ast.expr()) if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.Raise():
            yield "left out", ast.Pass()
        case ast.Break() | ast.Continue():
            yield ("break", ast.Continue()) if isinstance(node, ast.Break) else ("continue", ast.Break())
        case ast.If() | ast.IfExp():
            for value in (True, False):
                yield f"always {value}", _with(node, test=ast.copy_location(ast.Constant(value), node.test))
    if name == "ifs" and isinstance(parent, ast.comprehension):
        yield "filter", ast.Constant(True)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _texts(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether texts are put together: another operator would only raise."""
    if not isinstance(node.op, ast.Add | ast.Mod):
        return False
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str)) for side in sides
    )
