"""The site, built once for all tests of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bridgespec.api import Engine
from bridgespec.cli.app import app
from bridgespec.docs.site import Site

OWN = """\
meta: {id: tally, title: Tallies of hand patterns, file-extension: tally, endian: le}
doc: Numbers of cards by suit, and how often they occur.
-bridge-samples:
  - {name: two patterns, hex: 04040302 d2040000 0d000000 01000000}
  - {name: cut short, hex: 040403, codes: [truncated]}
seq:
  - {id: patterns, type: pattern, repeat: eos, doc: The patterns.}
types:
  pattern:
    doc: One pattern.
    seq:
      - {id: spades, type: u1, doc: Cards in spades., -bridge-opaque: true, valid: {max: 13}}
      - {id: hearts, type: u1, doc: Cards in hearts., -bridge-opaque: true, valid: {max: 13}}
      - {id: diamonds, type: u1, doc: Cards in diamonds., -bridge-opaque: true, valid: {max: 13}}
      - {id: clubs, type: u1, doc: Cards in clubs., -bridge-opaque: true, valid: {max: 13}}
      - {id: frequency, type: u4, doc: How often the pattern occurs., -bridge-opaque: true}
"""


def site_of(*folders: Path) -> Site:
    """The site of our schemas and those of some folders."""
    engine = Engine(folders)
    return Site(list(engine.catalog.all()), engine, app, "bridgespec", "test")


@pytest.fixture(scope="session")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a user's own schema, which has no bridge meaning."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "tally.ksy").write_text(OWN, "utf-8")
    return folder


@pytest.fixture(scope="session")
def site(own_folder: Path) -> Site:
    """The site of all formats and the user's one."""
    return site_of(own_folder)


@pytest.fixture(scope="session")
def files(site: Site) -> Mapping[str, bytes]:
    """Every file of the site by its path."""
    return dict(site.pages())


@pytest.fixture(scope="session")
def folder(files: Mapping[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site on the disk."""
    root = tmp_path_factory.mktemp("site")
    for name, data in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return root
