"""The pictures of the README show what the program prints."""

from __future__ import annotations

import pytest

from tools.pictures import FOLDER, validate


@pytest.mark.long
def test_the_picture_of_a_finding_is_what_the_command_prints() -> None:
    """`docs/pictures/validate.svg` is made by its command, byte for byte, and fetches nothing from the network."""
    made = validate()
    assert (FOLDER / "validate.svg").read_bytes() == made, "run python -m tools.pictures validate.svg"
    assert b"url(http" not in made
    assert b"deal-mismatch" in made
