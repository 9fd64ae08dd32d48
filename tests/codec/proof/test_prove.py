"""Proofs: what is proved was tried on every value; what is wrong is found, with a value that shows it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from bridgespec.codec.binary.leaf.bits import BitsLeaf
from bridgespec.codec.bulk.view import DigitsView
from bridgespec.codec.proof.claim import ClaimTrial, Proof, Property, Status
from bridgespec.codec.proof.prove import prove
from bridgespec.codec.proof.text_proofs import RuleTrial
from bridgespec.codec.proof.text_sets import Languages
from bridgespec.codec.text.grammar_engine import TextEngine
from bridgespec.diagnostic import Severity
from bridgespec.engines import Engine
from bridgespec.schema_checks import file_findings, findings, sample_findings, trial_findings
from bridgespec.spec.catalog import Catalog
from bridgespec.spec.grammar import Grammar, Pattern
from bridgespec.spec.ir import Spec
from bridgespec.spec.kaitai.schema import loads
from tests.told import numbers

SPECS = Path(__file__).parents[3] / "specs"
MISTAKES: list[dict[str, str]] = YAML(typ="safe").load(Path(__file__).parent / "mistakes.yaml")
SLOW = {"bri.ksy", "dup.ksy"}
"""Their numbers are texts of two bytes, each of which is read."""
MOST = 1 << 17


def wrong(proofs: Iterator[Proof]) -> dict[str, str]:
    """The witness of each claim that is wrong."""
    return {f"{one.about}: {one.property}": one.witness for one in proofs if one.status is Status.FALSE}


@cache
def of_house(name: str) -> Mapping[str, str]:
    """The claims of a schema of ours that are wrong as it is."""
    return wrong(prove(Engine([SPECS]).spec(name), MOST))


@pytest.mark.slice(5, quick=2)
@pytest.mark.parametrize(
    "mistake", [pytest.param(one, marks=pytest.mark.slow if one["schema"] in SLOW else ()) for one in MISTAKES]
)
def test_a_planted_mistake_is_found_by_what_the_list_names(mistake: Mapping[str, str], tmp_path: Path) -> None:
    """By the claim that is refuted, by the checks without proofs, or by neither; the list follows where proofs find more."""
    folder, schema = tmp_path / "specs", mistake["schema"]
    shutil.copytree(SPECS, folder)
    path = folder / mistake.get("in", schema)
    text = path.read_text("utf-8")
    assert text.count(mistake["old"]) >= 1
    path.write_text(text.replace(mistake["old"], mistake["new"]), "utf-8")
    name = schema.partition(".")[0]
    spec, here = findings(folder / schema, [folder])
    plain = any(one.severity is Severity.ERROR for one in here)
    refuted: set[str] = set()
    if spec is not None and not plain:
        engine = Engine([folder])
        plain = any([*sample_findings(engine, spec), *trial_findings(engine, spec), *file_findings(engine, spec, folder)])
        refuted = {claim for claim in wrong(prove(spec, MOST)) if claim not in of_house(name)}
    wanted = mistake["found"]
    assert wanted in (refuted or {"check-spec" if plain else "neither"})


def test_a_proof_of_fewer_values_than_there_are_cannot_be_made() -> None:
    """Neither directly nor by counting."""
    with pytest.raises(ValueError, match="3 of 4 values prove nothing"):
        Proof("a", Property.BACK, Status.PROVED, 3, 4, "")
    attempt = ClaimTrial("a", Property.BACK, 4)
    assert attempt.proof("").status is Status.OPEN
    for value in range(3):
        attempt.check(True, value)
    assert attempt.proof("").status is Status.SAMPLED
    attempt.check(False, "3")
    assert (attempt.proof("").status, attempt.proof("").witness) == (Status.FALSE, "3")


def one_field(declared: str) -> Spec:
    """The schema of a file of one field."""
    return loads(f"meta: {{id: one, bit-endian: le, endian: le, encoding: ASCII}}\nseq: [{{id: a, {declared}}}]")


def proved(spec: Spec, most: int = MOST) -> dict[str, Proof]:
    """The proofs of a schema, by what they are about and what they claim."""
    return {f"{one.about}: {one.property}": one for one in prove(spec, most)}


def test_a_codec_that_changes_one_value_of_a_field_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value is the witness, of the reference codec and of arrays."""
    build = BitsLeaf._build

    def wrong_build(self: BitsLeaf, obj: Any, *rest: Any) -> Any:
        return build(self, 4 if obj == 5 else obj, *rest)

    spec = one_field("type: b3")
    assert proved(spec)["one.a: written back"].status is Status.PROVED
    monkeypatch.setattr(BitsLeaf, "_build", wrong_build)
    refuted = proved(spec)["one.a: written back"]
    assert (refuted.status, refuted.witness) == (Status.FALSE, "the 3 bits of 5")


def test_arrays_that_change_one_number_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of digits whose cells give another one is the witness, and what is tried in part is not proved."""
    source = (SPECS / "zbs.ksy").read_text("utf-8").replace("AKQJT98765432", "AKQ").replace("max: 1220703124", "max: 124")
    spec = loads(source.replace("type: b31", "type: b7").replace("type: b1\n", "type: b1\n"), "zbs.ksy")
    rows = {key: one for key, one in proved(spec).items() if "locator" in key}
    assert {key: (one.status, one.tried, one.domain) for key, one in rows.items()} == {
        "layout.locator: written back": (Status.PROVED, 128, 128),
        "layout.locator: constraint decides": (Status.PROVED, 128, 128),
        "layout.locator: one spelling": (Status.PROVED, 125, 125),
    }
    assert proved(spec, 60)["layout.locator: one spelling"].status is Status.SAMPLED
    write = DigitsView.write
    monkeypatch.setattr(DigitsView, "write", lambda *given: {name: found - (found == 77) for name, found in write(*given).items()})
    assert proved(spec)["layout.locator: one spelling"].witness == "the number 77"


@pytest.mark.parametrize(
    ("declared", "claim", "status", "told"),
    [
        ("type: u1, valid: {max: 255}", "constraint decides", Status.FALSE, "no pattern is refused"),
        ("type: b3, valid: {expr: _ % 2 == 0}", "constraint decides", Status.PROVED, "4 of 8 accepted"),
        ("type: u1, -bridge-lenient: {1: 0}", "one spelling", Status.PROVED, "1 of them declared as lenient"),
        ("type: b7", "every byte", Status.FALSE, "no field has 1 bits at its end"),
        ("type: strz", "written back", Status.OPEN, "its size depends on the file"),
        ("type: f4", "written back", Status.SAMPLED, "patterns at equal distances of 2^32"),
    ],
)
def test_a_field_has_the_proofs_that_it_can_have(declared: str, claim: str, status: Status, told: str) -> None:
    """With what was counted, or with the value or the reason."""
    rows = proved(one_field(declared))
    found = rows["one: every byte" if claim == "every byte" else f"one.a: {claim}"]
    assert found.status is status
    assert told in (found.witness or found.told)


CONDITIONS = """
meta: {id: one, bit-endian: le}
seq:
  - {id: kind, type: b2}
  - {id: size, type: b6}
  - {id: never, type: u1, if: size > 63}
  - {id: often, type: u1, if: size > kind}
  - {id: body, type: {switch-on: kind, cases: {0: u1, 1: u2le, 4: u4le}}}
"""


def test_conditions_and_cases_are_tried_on_all_combinations() -> None:
    """A condition that is always false and a case that no value chooses are refuted."""
    rows = proved(loads(CONDITIONS))
    never, often, body = (rows[f"one.{name}: condition decides"] for name in ("never if", "often if", "body"))
    assert (never.status, numbers(never.told), never.witness.endswith("false")) == (Status.FALSE, [0, 64], True)
    assert (often.status, numbers(often.told), often.told.endswith(" of kind, size")) == (Status.PROVED, [246, 256], True)
    assert (body.status, numbers(body.witness)) == (Status.FALSE, [4])


REGEXES = ["[ab]{0,2}c?", "a(?:b|ba)?+b?", "(?i:a)b", "(?s:.)a", "(?i:(?:a|B){2})", "(?=a)[ab]", "a|ab|b{2}", "[^b]a"]


@pytest.mark.parametrize("regex", REGEXES)
def test_the_texts_of_an_expression_are_all_that_it_matches(regex: str) -> None:
    """Of the texts of a small alphabet each that matches is listed; whatever else is listed does not match, and is tried later."""
    languages = Languages(Grammar.__new__(Grammar), 2000)
    listed = languages.of(Pattern(regex))
    matching = {text for size in range(4) for text in map("".join, product("abcAB", repeat=size)) if re.fullmatch(regex, text)}
    assert listed is None or matching <= listed
    assert listed is not None or regex in ("[^b]a", "(?s:.)a")


@pytest.mark.parametrize("name", ["zrj", "zbd", "deck", "gib", "bss"])
def test_schemas_of_ours_have_no_wrong_claim(name: str) -> None:
    """Beside those by which a number may be spelled with a sign, and texts that a fresh writer spells otherwise."""
    assert of_house(name) == {}


@pytest.mark.long
def test_proofs_are_the_same_each_time() -> None:
    """What is drawn by chance is drawn by the name of its rule."""
    spec = Catalog().load("oneline")
    assert [one.as_json() for one in prove(spec, MOST)] == [one.as_json() for one in prove(spec, MOST)]


@pytest.mark.parametrize(
    ("id", "rule", "text"),
    [
        ("pbn", "score", "NS 620 EW -620"),
        ("pbn", "score", "620"),
        ("pbn", "calls", '1C "lead\r\n;note\r\nPass\r\n'),
        ("pbn", "cards", '"SA\r\n;note\r\nSK\r\n'),
        ("rbn", "auction", "EE:"),
        ("rbn", "auction", "NZ:1CPPP"),
        ("rbn", "names", "::^"),
        ("rbx", "names", "N:E+W:3"),
        ("oneline", "boards", "n 2... e 3... s 4... w 5... 21\n"),
        ("oneline", "boards", "n 2... e 3... s 4... w 5...\t\n"),
        ("handviewer", "lin_deal", "2sA,sK,sQ"),
        ("handviewer", "lin_deal", "2sA,sK,sQ,"),
    ],
)
def test_a_text_of_plain_values_alone_is_read_as_these_values(id: str, rule: str, text: str) -> None:
    """Each once came back as other values when it was written without its file."""
    engine = Engine([SPECS])
    spec = engine.spec(id)
    assert isinstance(spec.text, Grammar)
    trial = RuleTrial(TextEngine(spec).value(rule), Languages(spec.text, 1))
    read = trial.read(text)
    assert read is not None
    assert trial.read(trial.value.spell(read, "")) == read


@pytest.mark.long
def test_leading_zeros_are_spellings_that_the_word_of_numbers_declares() -> None:
    """`00` is the number that is written as `0`, and there is no other second spelling among all texts of two bytes."""
    field = "{id: n, type: str, encoding: ASCII, size: 2, pad-right: 0x20, -bridge-number: {}}"
    rows = {one.property: one for one in prove(loads(f"meta: {{id: t}}\nseq: [{field}]"), MOST) if one.about == "t.n"}
    assert (rows[Property.ONCE].status, rows[Property.ONCE].tried) == (Status.PROVED, rows[Property.ONCE].domain)
    assert rows[Property.ONCE].told.endswith("10 with leading zeros")
