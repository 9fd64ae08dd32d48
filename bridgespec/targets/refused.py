"""The error of a target that cannot express a schema."""

from __future__ import annotations

from bridgespec.errors import BridgespecError
from bridgespec.spec.place import SchemaPlace


class NotExpressible(BridgespecError):
    """The schema has an element that the target cannot express; ``form`` names the target."""

    def __init__(self, what: str, place: SchemaPlace, form: str) -> None:
        super().__init__(f"{place}: {what} cannot be written as {form}")
