"""Import exported modules and print what each reads: standard input has one JSON object a line, {module, id, data}."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any


def bare(value: Any) -> Any:
    """Return a result of construct as JSON has it: enum members as their numbers, bytes in hexadecimal."""
    if isinstance(value, dict):
        return {name: bare(part) for name, part in value.items() if not name.startswith("_")}
    if isinstance(value, list):
        return [bare(part) for part in value]
    if isinstance(value, bytes):
        return value.hex()
    return int(value) if isinstance(value, int) or hasattr(value, "intvalue") else value


def main() -> None:
    """Answer each line of standard input."""
    for line in sys.stdin:
        asked = json.loads(line)
        spec = importlib.util.spec_from_file_location("exported", asked["module"])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        declared = next(reversed(vars(module).values()))
        data = bytes.fromhex(asked["data"])
        parsed = declared.parse(data)
        print(json.dumps({"doc": module.__doc__, "values": bare(parsed), "same": declared.build(parsed) == data}), flush=True)


if __name__ == "__main__":
    main()
