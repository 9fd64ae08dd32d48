"""How a notebook shows the model's values: who can draw them says so here, since the model itself draws nothing."""

from __future__ import annotations

from collections.abc import Callable

Drawing = Callable[[object], str | None]

_drawings: list[Drawing] = []


def draw_with(drawing: Drawing) -> None:
    """Have values drawn by this from now on: it gives a value as HTML, or None where it cannot."""
    _drawings[:] = [drawing]


class Drawn:
    """A value that notebooks show as a picture where something draws it, and as text elsewhere."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _drawings[0](self) if _drawings else None
