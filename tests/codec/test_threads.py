"""Threads that share an engine do not take each other's findings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from bridgespec.engines import engine
from tests.twins import SAMPLES


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.long
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("format", "damage"), [("dge", b"\0"), ("bri", b"\xff"), ("pbn", b"#")])
def test_threads_find_what_one_finds(format: str, damage: bytes) -> None:
    """As many findings in each of a hundred readings: up to fifty of seventy were lost, or found in another thread's file."""
    samples = (SAMPLES / format).glob(f"*.{format}")
    sample = max(samples, key=lambda path: path.stat().st_size)
    data = bytearray(sample.read_bytes()[:4000])
    data[40::7] = damage * len(data[40::7])
    known = engine()
    expected = known.read(bytes(data), format).diagnostics
    assert expected
    with ThreadPoolExecutor(4) as workers:
        for found in workers.map(lambda _: known.read(bytes(data), format).diagnostics, range(100)):
            assert found == expected
