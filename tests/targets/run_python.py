"""Import exported modules and print what each makes of files: standard input has one JSON object a line, {module, data}.

It runs without site-packages, so that what is imported is of the standard library.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from types import ModuleType
from typing import Any


@cache
def load(path: str) -> ModuleType:
    """Import a module by its path."""
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(reading: Any) -> dict[str, Any]:
    """Return the findings of a reading, its values and its nodes with their places."""
    nodes, left = [], [reading.root]
    while left:
        node = left.pop()
        nodes.append([node.name, node.start, node.stop, node.absent, node.broken, repr(node.value)])
        left += list(node.children or ())
    findings = [
        [one.code, str(one.severity), one.message, one.field, one.record, one.help, repr(one.span)] for one in reading.diagnostics
    ]
    return {"findings": findings, "nodes": nodes, "plain": repr(reading.root.as_plain())}


def main() -> None:
    """Answer each line of standard input."""
    for line in sys.stdin:
        asked = json.loads(line)
        module = load(asked["module"])
        data = bytes.fromhex(asked["data"])
        reading = module.read(data)
        answer = told(reading)
        try:
            answer["written"] = module.write(module.plain(reading.root)).hex()
        except module.WriteError as error:
            answer["written"] = str(error)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
