"""The error of a target that cannot express an element of a schema."""

from __future__ import annotations

from bridgespec.errors import BridgespecError
from bridgespec.spec.place import SchemaPlace


class NotExpressible(BridgespecError):
    """Raised where a schema has an element that the target, named by ``form``, cannot express."""

    def __init__(self, what: str, place: SchemaPlace, form: str) -> None:
        super().__init__(f"{place}: {what} cannot be written as {form}")
