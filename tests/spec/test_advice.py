"""What a finding about a schema advises where a new author is likely to go wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridgespec.schema_checks import findings

HEAD = "//- id: x\n//- extensions: [x]\n//- model: boards\nstart: boards*\n"
DEALS = 'boards: "b" deal _NL\ndeal: hand " " hand " " hand " " hand\nhand: holding? "." holding? "." holding? "." holding?\n'
HOLDING = "//- {axes: [{suit: SHDC}]}\nholding: /[AKQJT2-9]++/\n_NL: /\\n/\n"


@pytest.mark.parametrize(
    ("rules", "message", "help"),
    [
        (
            "boards: a b _NL\n//- opaque: true\na: /x/\n//- {number: {}, value: sum(span(a), _ * 2)}\nb: /[0-9]/\n_NL: /\\n/\n",
            "the expression ends too early",
            "put the expression in quotation marks",
        ),
        (
            "boards: number _NL\n//- {number: {}}\n//- says: a number\nnumber: /[0-9]/\n_NL: /\\n/\n",
            "this key stands beside a value in { }",
            "each on a line of its own",
        ),
        (
            DEALS.replace("deal: hand", "//- {axes: [{seat: WNES}]}\ndeal: hand") + HOLDING,
            "deal: 'axes' has no effect: the field is deal, and no array",
            "give them to a part with the role",
        ),
    ],
)
def test_a_mistake_comes_with_advice(tmp_path: Path, rules: str, message: str, help: str) -> None:
    """The finding that says what is wrong has a help that says what to do."""
    path = tmp_path / "x.lark"
    path.write_text(HEAD + rules, "utf-8")
    told = [one.help or "" for one in findings(path, [])[1] if one.message.endswith(message)]
    assert told
    assert help in told[0]
