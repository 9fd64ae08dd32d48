"""One round of fuzzing of one format: some hundred files from a seed, the first that breaks a claim made small."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.generate.claims import examine
from tests.generate.strategies import broken_files, drawable, formats, raw_files, valid_files

ROUND = 200
"""Files in a round."""


class Broken(Exception):
    """A file breaks a claim: its bytes, as few as could be found, and the failure as the cause."""

    def __init__(self, data: bytes) -> None:
        super().__init__(f"{len(data)} bytes break a claim")
        self.data = data


def sources(format: str) -> st.SearchStrategy[bytes]:
    """Broken files, valid ones, drawn ones and random bytes."""
    kinds = [broken_files(format), valid_files(format), st.binary(max_size=400)]
    if format in formats("lark") or drawable(format):
        kinds.append(raw_files(format))
    return st.one_of(*kinds)


def fuzz(format: str, start: int, files: int = ROUND) -> int:
    """How many files were tried; Broken with the smallest file found that breaks a claim."""
    tried = 0
    last = b""

    @seed(start)
    @settings(
        max_examples=files,
        deadline=None,
        database=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(data=sources(format))
    def check(data: bytes) -> None:
        nonlocal tried, last
        tried, last = tried + 1, data
        examine(data, format)

    try:
        check()
    except Exception as failure:
        raise Broken(smallest(last, format, type(failure))) from failure
    return tried


def smallest(data: bytes, format: str, kind: type[Exception]) -> bytes:
    """The data without every piece that can be left out with the same kind of failure remaining."""
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            try:
                examine(shorter, format)
            except kind:
                data = shorter
            except Exception:
                at += size
            else:
                at += size
        size //= 2
    return data
