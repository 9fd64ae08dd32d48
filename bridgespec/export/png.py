"""Export boards as PNG: the drawings of `svg` as pixels, for programs that do not read SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridgespec.export import svg
from bridgespec.extras import Extra, require
from bridgespec.model.document import Document

if TYPE_CHECKING:
    import resvg_py
else:
    resvg_py = Extra("resvg_py")

NAME = "png"
SUFFIX = ".png"
TITLE = "Hand diagrams as pictures"
ZOOM = 2.0
"""Pixels for each unit of the drawing: a board is 920 pixels wide."""


def dump(document: Document) -> bytes:
    """Return the document's boards in one picture, one below the other. Raises UsageError where the extra ``png`` is missing."""
    require("resvg_py")
    # With a background: on a transparent one, dark text could not be read in a dark viewer.
    return bytes(resvg_py.svg_to_bytes(svg_string=svg.dump(document).decode(), zoom=ZOOM, background="#ffffff"))
