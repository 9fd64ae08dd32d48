"""The names of encodings in schemas."""

from __future__ import annotations

import codecs
import re

from bridgespec.spec.encoding import ENCODINGS, canonical_encoding


def test_every_encoding_has_one_of_python() -> None:
    """Its own name is known, and no two names that end in other numbers are one encoding."""
    for name, python in ENCODINGS.items():
        assert canonical_encoding(name) == name
        assert codecs.lookup(python).name
        if name.startswith(("IBM", "ISO", "windows-12")):
            assert re.findall(r"\d+", name)[-1] == re.findall(r"\d+", python)[-1]
    assert {"IBM862", "IBM866", "ISO-8859-11", "ISO-8859-16", "windows-1258"} <= ENCODINGS.keys()
    assert not {"ISO-8859-0", "ISO-8859-12", "windows-1249", "windows-1259"} & ENCODINGS.keys()
