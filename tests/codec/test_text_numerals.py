"""What looks like a number, a hand or a letter to some programs and is none is a finding, never an exception."""

from __future__ import annotations

import pytest

from bridgespec import check


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("bss", b"001N{{}=YE"),
        ("bss", b"%fUYlQVItyLfizCfUsBilbIUjQsuhqUGtPCkYBHnslFEGDkELdwQZjFPaKk"),
        ("lin", b"mc|\xfc"),
        ("lin", b"mc|9\xe1\x19"),
        ("lin", "mc|³|".encode("latin-1")),
        ("lin", b"md|3SA|mc|13|0g|"),
        ("rbn", b"H W:....3"),
        ("rbx", b"B{}H{W:....3}"),
    ],
)
def test_it_is_a_finding(format: str, data: bytes) -> None:
    """Superscripts are no digits, a hand has four holdings, a letter may be of the wrong case."""
    assert check(data, format)
