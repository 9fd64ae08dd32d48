"""The site, built once for all tests of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import bridgespec
from bridgespec.cli.app import app
from bridgespec.docs.site import Site
from bridgespec.engines import Engine

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


ODD = """\
meta: {id: odd, title: Everything that a schema may say, file-extension: odd, endian: be, encoding: UTF-8}
doc: Kinds of fields that no deal needs.
-bridge-samples:
  - {name: two entries, hex: 4f44 02 0103 616263 00 02ff 6869 00 0a0b}
  - {name: no magic, hex: 4f45 00, codes: [bad-contents]}
seq:
  - {id: magic, contents: OD}
  - {id: num_entries, type: u1, -bridge-value: entries.size}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries, doc: "A list, of *two* kinds & <more>."}
  - {id: nothing, size: 0}
  - {id: rest, size-eos: true}
instances:
  last_byte: {pos: _io.size - 1, type: u1}
  doubled: {value: num_entries * 2, doc: Twice as many.}
types:
  entry:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: flag, type: b1}
      - {id: low, type: b7}
      - {id: body, type: strz, -bridge-opaque: true}
      - id: extra
        if: flag
        type:
          switch-on: kind
          cases: {"kind::two": nothing}
  nothing:
    seq: []
enums:
  kind: {1: one, 2: two}
"""
HOSTILE = """\
meta: {id: hostile, title: "</title><script>alert(1)</script>", file-extension: hostile}
doc: "<img src=x onerror=alert(1)> [a](javascript:alert(1)) & <b>"
-bridge-sources:
  - {title: "\\"><script>alert(1)</script>", url: "javascript:alert(1)", quote: "<i>"}
-bridge-samples:
  - {name: "\\" onmouseover=\\"alert(1)", hex: "3c2f", doc: "<script>"}
  - {name: "one", hex: "00"}
  - {name: "one!", hex: "ff73", codes: ["../../outside"]}
-bridge-checks:
  - {that: first < 100, code: "../../outside", message: "</script><script>alert(1)</script>"}
seq:
  - {id: first, type: u1, doc: "</td><script>alert(1)</script>", -bridge-opaque: true}
  - {id: second, type: u1, if: not _io.eof, -bridge-opaque: true}
"""
LINES = """\
//- id: lines
//- title: Lines of pairs
//- doc: A name and a number a line.
//- extensions: [lines]
//- samples:
//-   - {name: two lines, text: "a=1\\nb=22\\n"}
//-   - {name: no number, text: "a=x\\n", codes: [unreadable-line]}

start: pairs*
//- {doc: One line.}
pairs: name "=" number _LF
//- {says: a name, opaque: true}
name: /[a-z]+/
//- {says: a number, opaque: true}
number: /[0-9]+/
_LF: /\\n/
"""


def site_of(*folders: Path) -> Site:
    """The site of our schemas and those of some folders."""
    engine = Engine(folders)
    return Site(list(engine.catalog.all()), engine, app, "bridgespec", "test", bridgespec.__all__)


@pytest.fixture(scope="session")
def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a user's own schemas, which have no bridge meaning."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "tally.ksy").write_text(OWN, "utf-8")
    (folder / "odd.ksy").write_text(ODD, "utf-8")
    (folder / "hostile.ksy").write_text(HOSTILE, "utf-8")
    (folder / "lines.lark").write_text(LINES, "utf-8")
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
