"""Translate constraints (``valid``) of a schema to tests in JavaScript."""

from __future__ import annotations

from bridgespec.codec.binary.valid import show
from bridgespec.spec.ir import Valid
from bridgespec.spec.kaitai.expr.condition_words import condition
from bridgespec.spec.kaitai.expr.tree import Expression, LiteralExpression, Name, walk
from bridgespec.targets.javascript.expressions import Scene
from bridgespec.targets.javascript.known import Js
from bridgespec.targets.javascript.source import CallCode, CodeText, Value


def constraint(scene: Scene, valid: Valid, it: Js, codes: tuple[str, str] | None) -> Value:
    """Return the tests for ``valid``, with ``it`` in place of ``_``; ``codes`` are the constant and the name of the enum."""
    scene = scene.with_it(it)
    tests: list[Value] = []
    if valid.eq is not None:
        tests.append(CallCode("equals", (scene.function(valid.eq), *_shown(scene, it, valid.eq))))
    if valid.min is not None:
        tests.append(CallCode("atLeast", (scene.function(valid.min), *_shown(scene, it, valid.min))))
    if valid.max is not None:
        tests.append(CallCode("atMost", (scene.function(valid.max), *_shown(scene, it, valid.max))))
    if valid.any_of:
        options = [scene.function(option) for option in valid.any_of]
        tests.append(CallCode("oneOf", (options, *_shown(scene, it, valid.any_of[0]))))
    if valid.in_enum and codes is not None:
        tests.append(CallCode("codeOf", (CodeText(codes[0]), codes[1])))
    if valid.expr is not None:
        words = condition(valid.expr.tree)
        told = " ".join(show(w.value) if isinstance(w, LiteralExpression) else w for w in words) if words else None
        more: tuple[Value, ...] = (told,) if told is not None or it.kind.kind == "float" else ()
        if it.kind.kind == "float":
            more = (*more, CodeText("shownFloat"))
        tests.append(CallCode("holds", (valid.expr.shown, scene.function(valid.expr), *more)))
    looks = (valid.eq, valid.min, valid.max, valid.expr, *valid.any_of)
    names = [n for e in looks if e is not None for n in walk(e.tree) if isinstance(n, Name) and n.id != "_"]
    return CallCode("together" if names else "alone", tests)


def _shown(scene: Scene, it: Js, bound: Expression) -> tuple[Value, ...]:
    """Return the names of the functions that format a value and its bound in the message of a test: floats have a decimal point."""
    ways = [CodeText("shownFloat" if kind == "float" else "shown") for kind in (it.kind.kind, scene.visit(bound.tree).kind.kind)]
    if all(way.text == "shown" for way in ways):
        return ()
    return tuple(ways[:1] if ways[0] == ways[1] else ways)
