"""The table of targets: for each name that `export --to` takes, the function that returns the text of one file for a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from bridgespec.spec.ir import Spec
from bridgespec.targets.c.module import c_name as header_name
from bridgespec.targets.c.module import to_c
from bridgespec.targets.construct import to_construct
from bridgespec.targets.javascript.module import PARTS, to_javascript
from bridgespec.targets.javascript.typescript import to_typescript
from bridgespec.targets.python_module import to_python

PRINTERS: Mapping[str, Callable[[Spec], str]] = {
    "c": lambda spec: to_c(spec)[1],
    "c-header": lambda spec: to_c(spec)[0],
    "construct": to_construct,
    "javascript": to_javascript,
    "python": to_python,
    "typescript": to_typescript,
}

IN_PARTS: Mapping[str, Callable[[Spec, Set[str]], str]] = {"javascript": to_javascript, "typescript": to_typescript}
"""The languages in which a module with only some of `PARTS` can be printed."""

__all__ = ["IN_PARTS", "PARTS", "PRINTERS", "header_name"]
