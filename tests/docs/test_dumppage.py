"""The page of one file has every byte in one part, and stays small."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.docs.dumppage import MOST_RECORDS
from bridgespec.spec.kaitai.sizes import record_bits
from tests.docs.page import Page
from tests.docs.test_decode import binary_specs


def dumped(path: Path, folder: Path, *options: str) -> str:
    target = folder / "page.html"
    result = CliRunner().invoke(app, ["dump", str(path), "--html", str(target), *options])
    assert result.exit_code == 0, result.output
    return target.read_text("utf-8")


def unpacked(text: str) -> list[str]:
    parts = re.findall(r'<script type="application/octet-stream" id="packed-\d+"[^>]*>([^<]*)</script>', text)
    return [zlib.decompress(b64decode(part)).decode() for part in parts]


@pytest.mark.long
def test_a_file_as_a_page(tmp_path: Path) -> None:
    """Every byte of the user's file is in exactly one part of the page, with the findings at their parts."""
    for path in sorted(Path(__file__).parent.parent.glob("samples/*/sixteen.*")):
        if path.suffix == ".json":
            continue
        text = dumped(path, tmp_path)
        page = Page(text)
        assert not page.problems, (path, page.problems[:3])
        assert not page.sources or all(source.startswith("data:") for source in page.sources)
        bounds = [tuple(map(int, found)) for found in re.findall(r"bytes (\d+)–(\d+)", text)] or [(0, path.stat().st_size - 1)]
        assert bounds[0][0] == 0
        assert bounds[-1][1] == path.stat().st_size - 1
        assert all(one[1] + 1 == other[0] for one, other in pairwise(bounds)), path
        assert all(not Page(part).problems for part in unpacked(text))


@pytest.mark.long
def test_a_large_file_stays_small(tmp_path: Path) -> None:
    """A file of many records gives a page of the first ones that says so, and of others where they are asked for."""
    samples = ((spec, sample) for spec in binary_specs() for sample in spec.samples)
    spec, sample = next((s, x) for s, x in samples if 8 * len(x.data) == record_bits(f"{s.id}::board", s.records))
    path = tmp_path / f"large.{spec.extensions[0]}"
    path.write_bytes(sample.data * (MOST_RECORDS + 20))
    text = dumped(path, tmp_path)
    assert len(text) < 5_000_000
    assert "too large" in text
    text = dumped(path, tmp_path, "--record", "2011-2020")
    assert re.search(r"records 2011–20\d\d", text)
    assert "too large" not in text
    offset = len(sample.data) * 2010
    assert f'data-o="{offset - offset % 16}"' in "".join(unpacked(text))
