"""Tests of bidding; most ask one bidder, which keeps nothing of what it was asked."""

from functools import cache

from bridgespec import Bidder, BiddingSystem


@cache
def load(name: str = "sayc") -> BiddingSystem:
    """A system of the package, read once."""
    return BiddingSystem.load(name)


@cache
def sayc() -> Bidder:
    """Standard American at all four seats."""
    return Bidder(load())
