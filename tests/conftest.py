"""How the suite runs: what is left out by default, and how much Hypothesis tries.

``pytest`` runs in about a minute. ``pytest -m slow`` runs the long suites, and ``HYPOTHESIS_PROFILE=thorough`` makes every
generated test try a hundred times as much; both together are for a night.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile("default", max_examples=30, deadline=None, suppress_health_check=_QUIET, derandomize=True, database=None)
settings.register_profile("thorough", max_examples=3000, deadline=None, suppress_health_check=_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow suites out unless the ``-m`` expression speaks of them or one test is named."""
    if "slow" in config.option.markexpr or any("::" in argument for argument in config.args):
        return
    skip = pytest.mark.skip(reason="slow: run with -m slow")
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(skip)
