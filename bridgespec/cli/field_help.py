"""The schema's documentation of a field, as help for findings that have none."""

from __future__ import annotations

import re
from dataclasses import replace

from bridgespec.codec.node import FieldNode, is_array
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.examined import Report

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def with_field_help(report: Report) -> tuple[Diagnostic, ...]:
    """Return the findings of a report. An error or warning on a single field without a help or a fix gets the schema's
    documentation of that field as help.
    """
    return tuple(
        found if found.help or found.fix or found.severity is Severity.NOTE else replace(found, help=_words(report, found))
        for found in report.diagnostics
    )


def _words(report: Report, found: Diagnostic) -> str | None:
    node = node_at(report.reading.root, found.field) if found.field and found.span else None
    if node is None or node.decl is None or node.children is not None or not node.decl.doc:
        return None
    # The documentation of a field explains its value, not a mark at some byte inside or around it.
    if found.span is None or (found.span.start, found.span.stop) != (node.start, node.stop):
        return None
    return f"the schema says of `{node.decl.name}`: {' '.join(node.decl.doc.split())}"


def node_at(root: FieldNode, path: str) -> FieldNode | None:
    """Return the node of a dotted path (``boards[1].deal[0]``); None where there is none."""
    node = root
    for step in steps(path):
        children = node.children or ()
        if isinstance(step, int):
            if not is_array(node) or step >= len(children):
                return None
            node = children[step]
        elif step in node:
            node = node[step]
        else:
            return None
    return node


def steps(path: str) -> list[str | int]:
    """Return the names and indexes of a dotted path.

    >>> steps("boards[1].deal[0]")
    ['boards', 1, 'deal', 0]
    """
    return [int(index) if index else name for index, name in _STEP.findall(path)]
