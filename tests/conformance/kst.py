"""The suite's ``.kst`` files: a schema, a file, and what expressions must give, checked by interpretation alone."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.diagnostic import Severity
from bridgespec.errors import BridgespecError
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.expr.check import Checker
from bridgespec.spec.kaitai.expr.evaluator import compile_expression
from bridgespec.spec.kaitai.expr.parse import parse
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.expr.types import ExpressionTypeError
from bridgespec.spec.kaitai.schema import names_of
from tests.conformance.suite import PROCESSORS, Result, guarded, load_format

CODES = {
    "EndOfStreamError": {"truncated", "missing-terminator"},
    "UndecidedEndiannessError": {"expression-error"},
    "ConversionError": {"expression-error"},
    "ValidationNotEqualError": {"invalid-value", "bad-contents"},
    "ValidationNotAnyOfError": {"invalid-value"},
    "ValidationNotInEnumError": {"invalid-value"},
    "ValidationLessThanError": {"invalid-value"},
    "ValidationGreaterThanError": {"invalid-value"},
    "ValidationExprError": {"invalid-value"},
}
"""The findings that stand for each of the suite's exceptions."""


ERRORS = {
    "cast_to_top": "too-deep",  # an instance that reads the whole again, for ever; Kaitai reads it when it is asked for
    "debug_array_user_eof_exception": "truncated",  # its file is cut short on purpose
    "str_encodings_escaping_enc": "bad-encoding",  # its encodings have names that nothing has
}
"""The tests that name no exception and whose files cannot be read whole, each with the finding that says so."""


def run_all(suite: Path) -> list[Result]:
    """Every ``.kst`` file."""
    return [guarded(path.stem, lambda path=path: run(suite, path)) for path in sorted((suite / "spec/ks").glob("*.kst"))]  # type: ignore[misc]


def run(suite: Path, path: Path) -> str:
    """Why a test fails; nothing where it passes."""
    test = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
    spec = load_format(suite, str(test["id"]))
    for extra in test.get("imports", ()):
        load_format(suite, extra)
    reading = BinaryCodec(spec, PROCESSORS).read((suite / "src" / test["data"]).read_bytes())
    errors = [d for d in reading.diagnostics if d.severity is Severity.ERROR]
    wanted = test.get("exception", "missing")
    if wanted != "missing":
        wanted = wanted["type"] if isinstance(wanted, dict) else wanted
        codes = CODES.get(re.sub(r"<.*|\(.*", "", str(wanted or "EndOfStreamError")), set())
        return "" if any(d.code in codes for d in errors) else f"expected {wanted}, found {[d.code for d in errors]}"
    fails = any("exception" in item for item in test.get("asserts", ()))
    if {d.code for d in errors} - {ERRORS.get(str(test["id"]))} and not fails:
        return f"no error is expected, found {[(d.code, d.message) for d in errors]}"
    for item in test.get("asserts", ()):
        reason = check(suite, spec, reading.root.scope, item)  # type: ignore[attr-defined]
        if reason:
            return reason
    return ""


def check(suite: Path, spec: Spec, scope: Any, item: dict[str, Any]) -> str:
    """Why an assertion fails."""
    actual = str(item["actual"])
    if "exception" in item:
        try:
            value = evaluate(suite, spec, scope, actual)
        except BridgespecError:
            return ""
        return f"{actual}: expected {item['exception']}, got {value!r}"
    expected = item["expected"]
    want = evaluate(suite, spec, scope, expected) if isinstance(expected, str) and expected != "null" else expected
    want = None if want == "null" else want
    try:
        got = evaluate(suite, spec, scope, actual)
    except BridgespecError as error:
        return f"{actual}: {error}"
    return "" if same(got, want) else f"{actual}: expected {want!r}, got {got!r}"


def evaluate(suite: Path, spec: Spec, scope: Any, source: str) -> Any:
    """An expression of the test, seen from the file's root."""
    expression = parse(source.strip())
    head = re.match(r"\s*([a-z][a-z0-9_]*)::", source)
    if head and head[1] != spec.id and f"{head[1]}" not in spec.records and (suite / f"formats/{head[1]}.ksy").exists():
        spec = load_format(suite, head[1])
    try:
        _, tree = Checker(names_of(spec)).visit(expression.tree)
    except ExpressionTypeError:
        # a cast of the suite's names a type by a path that does not exist; dynamic languages, as this one, ignore casts
        plain = re.sub(r"\.as<[a-z0-9_:]+>", "", source)
        if plain == source:
            raise
        tree = parse(plain).tree
    return compile_expression(Expression(source, tree))(scope)


def single(value: float) -> float | None:
    """The nearest number of four bytes, which the tests write with as many digits as it has; None where there is none."""
    found: float | None = struct.unpack("<f", struct.pack("<f", value))[0] if 1e-37 < abs(value) < 3e38 else None
    return found


def same(got: Any, want: Any) -> bool:
    """Whether two values are equal, byte arrays and lists alike, floats to their last digits."""
    if isinstance(got, float) or isinstance(want, float):
        return got is not None and want is not None and (got == want or (single(got) == got and single(want) == got))
    if (isinstance(got, bytes) and isinstance(want, list)) or (isinstance(got, list) and isinstance(want, bytes)):
        return list(got) == list(want)
    if isinstance(got, list) and isinstance(want, list):
        return len(got) == len(want) and all(same(a, b) for a, b in zip(got, want, strict=True))
    return bool(got == want)
