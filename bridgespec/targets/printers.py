"""The languages that a schema is printed in, by the names that `export --to` has for them: each gives the text of one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bridgespec.spec.ir import Spec
from bridgespec.targets.construct import to_construct
from bridgespec.targets.javascript.module import to_javascript
from bridgespec.targets.javascript.types import to_typescript
from bridgespec.targets.python_module import to_python

PRINTERS: Mapping[str, Callable[[Spec], str]] = {
    "construct": to_construct,
    "javascript": to_javascript,
    "python": to_python,
    "typescript": to_typescript,
}
