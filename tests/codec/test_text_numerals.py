"""What looks like a number, a hand or a letter to some programs and is not one is a finding, never an exception."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bridgespec import Vulnerability, check, dumps, loads


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
    """Superscripts are not digits, a hand has four holdings, a letter may be of the wrong case."""
    assert check(data, format)


@pytest.mark.parametrize(
    ("number", "letter"), [(Vulnerability.NS, b"sv|n|"), (Vulnerability.NONE, b"sv|o|"), (Vulnerability.BOTH, b"sv|b|")]
)
def test_a_changed_code_is_spelled_as_the_format_spells_it(number: Vulnerability, letter: bytes) -> None:
    """The name that a grammar gives to a code never reaches the file."""
    text = b"md|1S962HAJ7DKT82CJ75,ST5HQ9863DA943CKQ,SK843HT542DJ6C863|sv|e|ah|Board 12|mb|2N|mb|p|\n"
    document = loads(text, "lin")
    changed = replace(document, boards=(replace(document.boards[0], vulnerability=number),))
    assert dumps(changed, "lin") == text.replace(b"sv|e|", letter)
