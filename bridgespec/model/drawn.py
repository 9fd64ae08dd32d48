"""Display of values in notebooks: `draw_with` registers a function that draws values of classes derived from `Drawn`.

The model cannot import the package that draws, so that package registers itself.
"""

from __future__ import annotations

from collections.abc import Callable

DrawAsHtml = Callable[[object], str | None]
"""A function that returns a value as HTML, or None if it cannot draw the value."""

_drawings: list[DrawAsHtml] = []


def draw_with(drawing: DrawAsHtml) -> None:
    """Register the function that draws values from now on, in place of an earlier one."""
    _drawings[:] = [drawing]


class Drawn:
    """A base class for values that notebooks show as a picture if a drawing function is registered, else as text."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _drawings[0](self) if _drawings else None
