"""Deals that satisfy conditions: the cards that nobody has seen, dealt to what is known of the hands."""

from bridgespec.dealing.sampler import Constraint, Layouts, sample

__all__ = ["Constraint", "Layouts", "sample"]
