"""What a target language cannot say of a schema."""

from __future__ import annotations

from bridgespec.errors import BridgespecError
from bridgespec.spec.place import Place


class NotExpressible(BridgespecError):
    """The schema says something that the target cannot; ``form`` is what the target is made of."""

    def __init__(self, what: str, place: Place, form: str) -> None:
        super().__init__(f"{place}: {what} cannot be written as {form}")
