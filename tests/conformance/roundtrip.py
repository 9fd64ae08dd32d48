"""Read, write, read again: the values must be equal. The values are written as values, not as the bytes they came from."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.node import ByteNode, Cells, FieldNode, KeptBytes, KeptFloat, KeptInt, KeptText, is_array, plain
from bridgespec.diagnostic import Severity
from tests.conformance.suite import PROCESSORS, Result, guarded, load_format


def pairs(suite: Path) -> list[tuple[str, str]]:
    """Every schema of the suite with every file that one of its tests reads with it."""
    found: set[tuple[str, str]] = set()
    for path in (suite / "spec/ks").glob("*.kst"):
        test = YAML(typ="safe", pure=True).load(path.read_text("utf-8"))
        found.add((str(test["id"]), str(test["data"])))
    for path in [*(suite / "spec/python/spec").glob("test_*.py"), *(suite / "spec/python/specwrite").glob("test_*.py")]:
        text = path.read_text("utf-8")
        data = re.search(r"src/([\w./-]+)", text)
        name = path.stem.removeprefix("test_")
        if data and (suite / f"formats/{name}.ksy").exists():
            found.add((name, data[1]))
    return sorted(found)


def run_all(suite: Path) -> list[Result]:
    """Every pair."""
    return [guarded(f"{name} ({data})", lambda name=name, data=data: run(suite, name, data)) for name, data in pairs(suite)]  # type: ignore[misc]


def run(suite: Path, name: str, data: str) -> str:
    """Why a file does not survive; nothing where it does."""
    codec = BinaryCodec(load_format(suite, name), PROCESSORS)
    original = (suite / "src" / data).read_bytes()
    first = codec.read(original)
    values = plain(first.root)
    if codec.write(values) != original:
        return "written as it was spelled, the bytes differ"
    broken = any(d.severity is Severity.ERROR and d.code not in ("invalid-value", "bad-contents") for d in first.diagnostics)
    again = codec.read(codec.write(values if broken else respelled(values)))
    return "" if same(everything(first.root), everything(again.root)) else "the values differ when read again"


def respelled(value: Any) -> Any:
    """The same values without their own spellings."""
    if isinstance(value, dict):
        return {key: respelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [respelled(item) for item in value]
    if isinstance(value, KeptText):
        return str(value)
    if isinstance(value, KeptFloat):
        return float(value)
    if isinstance(value, KeptBytes):
        return bytes(value)
    return int(value) if isinstance(value, KeptInt) else value


def everything(node: FieldNode) -> Any:
    """A tree's values, computed instances included."""
    if node.absent:
        return None
    if node.children is None:
        return node.value
    if isinstance(node.children, Cells):
        return node.children.values
    if is_array(node):
        return [everything(child) for child in node.children]
    extra = node.instances if isinstance(node, ByteNode) else []
    return {child.name: everything(child) for child in (*node.children, *extra)}


def same(a: Any, b: Any) -> bool:
    """Equality, where not-a-number equals itself."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)
