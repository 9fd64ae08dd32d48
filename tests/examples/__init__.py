"""Tests of what stands in ``examples/``."""
