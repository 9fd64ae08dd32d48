"""Kaitai's expression language: parsed by our own grammar, evaluated by our own evaluator."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression as the schema writes it."""

    source: str
