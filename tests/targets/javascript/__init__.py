"""Generated JavaScript readers, run by Node.js, beside the reference codec."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridgespec.cli.render_json import json_value
from bridgespec.cli.render_marks import RenderSource
from bridgespec.codec.bind import Binder
from bridgespec.codec.format import Format
from bridgespec.codec.node import ByteNode, Cells, FieldNode, Reading
from bridgespec.examined import Report
from bridgespec.export.json import tree
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec
from bridgespec.targets.javascript.module import PARTS, to_javascript

NODE = shutil.which("node")
DRIVER = Path(__file__).parents[1] / "driver.mjs"
needs_node = pytest.mark.skipif(NODE is None, reason="Node.js, which runs the generated readers, is not installed")
SAFE = 2**53 - 1


def write_module(spec: Spec, folder: Path, parts: Set[str] = frozenset(PARTS)) -> Path:
    """The generated module of a spec in a folder."""
    path = folder / f"{spec.id}.mjs"
    path.write_text(to_javascript(spec, parts), "utf-8")
    return path


class Reader:
    """Node.js with the driver, which answers one question after another."""

    def __init__(self) -> None:
        assert NODE is not None
        self.process = subprocess.Popen([NODE, str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, module: Path, data: bytes, **more: Any) -> list[Any]:
        """What a generated reader gives for a file: tree and findings, or those of each record."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"module": str(module), "data": data.hex(), **more}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"Node.js fell over {data.hex()} as {module.stem}"
        found: list[Any] = json.loads(answer, parse_int=_number)
        return found

    def close(self) -> None:
        """Let the driver end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


_KNOWN: dict[int, Format] = {}


def known(spec: Spec) -> Format:
    """Return the codec and the binding of a spec, made once: a codec compiles its expressions as it reads."""
    # The format keeps its spec, so that the id stays its own.
    if id(spec) not in _KNOWN:
        _KNOWN[id(spec)] = Format(spec)
    return _KNOWN[id(spec)]


TOLD = ("code", "severity", "message", "record", "field", "span", "line", "column", "help", "fix")
"""What a generated module says of each finding."""

JUDGED = frozenset(["unknown-code", "bad-result", "not-a-number", "bad-hand", "bad-ordinal", "hand-size", "vulnerability-number"])
"""The findings of a generated module's `judge`."""


def expected_judgement(report: Report, spec: Spec) -> list[dict[str, Any]]:
    """Return the findings of `validate` with these codes, without fields and lines."""
    read = known(spec).codec.read(report.reading.data).diagnostics
    found = [one for one in report.diagnostics if one.code in JUDGED and replace(one, path=None) not in read]
    told = ("code", "severity", "message", "record", "span", "help")
    return [{key: json_value(one, RenderSource())[key] for key in told} for one in found]


SHOWN = frozenset(
    ["number", "dealer", "vulnerability", "deal", "tricks", "declarer", "play", "auction", "contract", "result", "score", "scoring",
     "event", "site", "date", "round", "room", "players", "teams", "par", "comments", "tables", "tags", "irregular", "conflicts"]
)  # fmt: skip
"""What a generated module makes of each board."""


def expected_model(reading: Reading, spec: Spec) -> dict[str, Any]:
    """What the binding gives of the same, as the published JSON has it."""
    value = tree(known(spec).binder.document(reading))
    boards = [{name: part for name, part in board.items() if name in SHOWN} for board in value.get("boards", [])]
    about = {name: value[name] for name in ("event", "site", "date", "tags", "comments") if name in value}
    found: dict[str, Any] = {"version": value["version"], **about, "boards": boards}
    return found


def expected_places(document: Document, binder: Binder) -> list[dict[str, Any]]:
    """Where the binding says that the boards stand."""
    places = binder.places

    def at(board: int, *place: str | int) -> list[int] | None:
        nodes = places.nodes(document, board, place)
        return [nodes[0].start, nodes[0].stop] if nodes else None

    found = []
    for index, board in enumerate(document.boards):
        calls = range(len(board.auction.calls)) if board.auction is not None else ()
        tricks = board.play.tricks if board.play is not None else ()
        found.append(
            {
                "cards": [at(index, "deal", card) for card in range(52)] if board.deal is not None else None,
                "tricks": [at(index, "tricks", *divmod(cell, 4)) for cell in range(20)] if board.tricks is not None else None,
                "calls": [at(index, "auction", call) for call in calls],
                "play": [[at(index, "play", trick, card) for card in range(len(one.cards))] for trick, one in enumerate(tricks)],
                **{name: place for name in FACTS if (place := at(index, name)) is not None},
            }
        )
    return found


FACTS = ("number", "dealer", "vulnerability", "contract", "declarer", "result", "score", "event", "date")
"""Terms that stand at one place."""


def _number(text: str) -> int | float:
    """Integers past what a number holds come as text; a number that looks like one is a float."""
    return int(text) if abs(int(text)) <= SAFE else float(text)


def expected(reading: Reading) -> dict[str, Any]:
    """What the reference gives, in the form in which a generated reader's answer comes."""
    findings = []
    for diagnostic in reading.diagnostics:
        value = json_value(diagnostic, RenderSource())
        findings.append({key: value[key] for key in TOLD})
    return {"tree": _node(reading.root), "findings": findings}


def expected_plain(value: Any) -> Any:
    """The plain value of a reading (`FieldNode.as_plain`) in the form in which a generated reader's comes."""
    if isinstance(value, dict):
        return {name: expected_plain(part) for name, part in value.items()}
    return [expected_plain(part) for part in value] if isinstance(value, list) else _scalar(value)


def without_instances(value: Any, spec: Spec) -> Any:
    """A plain value without instances, of which `FieldNode.as_plain` leaves some out."""
    computed = {name for record in spec.records.values() for name in record.instances}
    if isinstance(value, dict):
        return {name: without_instances(part, spec) for name, part in value.items() if name not in computed}
    return [without_instances(part, spec) for part in value] if isinstance(value, list) else value


def _node(node: FieldNode) -> dict[str, Any]:
    cells = node.children if isinstance(node.children, Cells) else None
    children = None if node.children is None or cells is not None else [_node(child) for child in node.children]
    return {
        "name": node.name,
        "place": [node.start, node.stop, node.lsb],
        "value": _scalar(node.value),
        "kept": _scalar(node.kept) if isinstance(node, ByteNode) else None,
        "state": [node.absent, node.broken],
        "decl": node.decl.name if node.decl is not None else None,
        "cells": [cells.step, *map(_scalar, cells.values)] if cells is not None else None,
        "children": children,
        "instances": [_node(child) for child in node.instances] if isinstance(node, ByteNode) else [],
    }


def _scalar(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE:
        return {"int": str(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    return value


def difference(found: Any, wanted: Any, path: str = "") -> str:
    """Where two answers first differ, and how; nothing where they agree."""
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        return next((told for key in wanted if (told := difference(found[key], wanted[key], f"{path}.{key}"))), "")
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs: Sequence[tuple[Any, Any]] = list(zip(found, wanted, strict=True))
        return next((told for at, (a, b) in enumerate(pairs) if (told := difference(a, b, f"{path}[{at}]"))), "")
    same = found == wanted and (isinstance(found, bool) == isinstance(wanted, bool))
    return "" if same else f"{path}: JavaScript {str(found)[:300]}, Python {str(wanted)[:300]}"
