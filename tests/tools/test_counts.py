"""The counts of readability see what they count, in a small checkout made here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.counts import ROOT, Sources, aliases, counts, main
from tools.counts import tested as counts_of_tests

COMPLEX = (
    "def branch(value: int) -> int:\n"
    + "".join(f"    if value == {n}:\n        return {n}\n" for n in range(16))
    + "    return 0\n"
)
FILES = {
    "bridgespec/__init__.py": "",
    "bridgespec/first.py": '"""It holds one thing, and says so."""\n\n\nclass Part:\n    # a reason\n    value = 1\n',
    "bridgespec/room/first.py": "from bridgespec.first import Part as Other\n\n\nclass Part(Other):\n    pass\n",
    "bridgespec/room/second.py": "from .third import branch\n\nPart = int\nPairs = list[int]\n",
    "bridgespec/room/third.py": COMPLEX + "\n\nPairs = set[int]\nTexts = list[str]\n",
    "tests/test_it.py": (
        'def test_silent():\n    assert 1 == 1\n\n\ndef test_claim():\n    """A claim."""\n    assert str(1) == "this is no one"\n'
        '    assert str(2) == f"this is not {1}"\n    assert str(3) == f"it is {1}"\n'
    ),
    "tests/room/test_third.py": '"""The test of a module."""\n',
}


ACROSS = {
    "bidding/test_cases.py": "benchmarks/bidding-disagreements.tsv: published cases",
    "bidding/test_precision.py": "bridgespec/systems/precision.bid",
    "bidding/test_standard.py": "bridgespec/systems/sayc.bid",
    "bidding/test_two_over_one.py": "bridgespec/systems/two-over-one.bid",
    "cli/test_kills.py": "all commands that write, killed",
    "cli/test_paths.py": "all ways that a file may take through the commands",
    "cli/test_report_edges.py": "reports of several commands, at their edges",
    "cli/test_transcripts.py": "tests/cli/transcripts: sessions word for word",
    "codec/binary/test_hostile_bytes.py": "hostile input",
    "codec/terms/test_round_trip.py": "round trips of all terms",
    "codec/terms/test_vectors.py": "terms in Python and in JavaScript",
    "codec/text/test_earley.py": "comparison with Lark",
    "codec/text/test_hostile_text.py": "hostile input",
    "conformance/test_conformance.py": "conformance to Kaitai Struct",
    "dealing/test_chapter.py": "docs/dealing.md",
    "docs/test_browser.py": "the site in a browser",
    "editor/test_neovim.py": "docs/editors.md",
    "editor/test_repairs.py": "repairs in all languages of the editor",
    "examples/test_formats.py": "examples",
    "fuzz/test_fuzz.py": "tests/fuzz",
    "generate/test_broken.py": "hostile input: damaged files of all formats",
    "generate/test_roundtrips.py": "round trips of all formats",
    "oracle/test_oracle.py": "comparison with Kaitai's compiler",
    "rules/test_deal_rules.py": "the rules about deals, a module each",
    "rules/test_system_rules.py": "the rules about systems, a module each",
    "rules/test_table_rules.py": "the rules about auction, play and result, a module each",
    "scoring/test_recipes.py": "docs/director.md",
    "shapes/test_shapes.py": "tests/shapes: foreign formats, in all ways of use",
    "solver/test_dds.py": "native: comparison with DDS",
    "solver/test_leaks.py": "native: memory",
    "solver/test_list100.py": "native: published deals",
    "solver/test_web.py": "web/bridgespec-dd",
    "spec/test_mistakes.py": "tests/spec/mistakes.tsv: check-spec on all words of both languages",
    "specs/test_lin.py": "specs/lin.lark",
    "specs/test_lin_values.py": "specs/lin.lark: its values in other formats",
    "specs/test_pbn.py": "specs/pbn.lark",
    "specs/test_text_formats.py": "specs/*.lark",
    "tables/test_docs.py": "docs/tables.md",
    "tables/test_solved_deals.py": "examples: the recipe for solved deals",
    "targets/test_back_ends.py": "agreement of three back ends",
    "targets/test_browser.py": "generated readers in a browser",
    "targets/test_hostile.py": "hostile schemas, in all targets",
    "targets/test_small_schemas.py": "agreement of generated readers, on all short files",
    "test_architecture.py": "the package's structure",
    "test_caches.py": "the suite with a filled cache",
    "test_foreign.py": "files of no format, in all commands",
    "test_programs.py": "docs/programs.md",
    "test_prose.py": "README.md and the tutorial",
    "test_python_page.py": "docs/python.md",
    "test_quality.py": "types, style and documents",
    "test_samples.py": "tests/samples: every sample and its twin",
    "tools/test_tasks.py": "pyproject.toml: the tasks of poe",
    "webpage/test_browser.py": "the page in a browser",
    "webpage/test_browser_analysis.py": "the page in a browser: analysis",
    "webpage/test_browser_phone.py": "the page in a browser: phones",
    "webpage/test_browser_play.py": "the page in a browser: play",
    "webpage/test_browser_share.py": "the page in a browser: boards of its own",
    "webpage/test_rules.py": "scripts of the page: the rules of the game",
    "webpage/test_share.py": "scripts of the page: boards passed on",
    "webpage/test_visits.py": "tests/webpage/visits: the page step by step",
}
"""The test files that are not named for one module, each with what it tests; all others are, in the folder of their module."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout that has each of the things counted, a known number of times."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_each_thing_is_counted(checkout: Path) -> None:
    """Every count of a checkout whose faults are known is that number."""
    assert {count.name: count.value for count in counts(checkout)} == {
        "lines of the package": sum(text.count("\n") for name, text in FILES.items() if name.startswith("bridgespec")),
        "modules": 5,
        "class names in more than one place": 1,
        "aliases with the name of a class or of another alias": 2,
        "file names in more than one folder": 1,
        "say, tell, hold, stand in 1,000 words of docstrings": round(1000 * 2 / 7, 1),
        "comments in 100 lines of code": round(100 / 52, 2),
        "modules with one importer": 2,
        "blocks of a complexity above 15": 1,
        "test files that mirror no module": 1,
        "tests without a claim": 1,
        "assertions that compare a sentence": 2,
    }


def test_the_list_gives_what_was_counted(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--list`` each count is followed by its occurrences."""
    main([str(checkout), "--list"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["-", "Part:", "bridgespec/first.py", "bridgespec/room/first.py"] in lines
    assert ["-", "Pairs:", "bridgespec/room/second.py", "bridgespec/room/third.py"] in lines
    assert ["-", "bridgespec.room.third", "<-", "bridgespec.room.second"] in lines


def test_aliases_are_names_in_camel_case() -> None:
    """Neither constants are aliases, nor names inside a function."""
    source = "Pair = tuple[int, int]\n_Text: TypeAlias = str\nMOST = 3\nlimit = 4\nT = TypeVar('T')\n"
    nested = "if TYPE_CHECKING:\n    Words = list[str]\ndef f():\n    Inner = int\n"
    assert list(aliases(ast.parse(source + nested))) == [("Pair", "tuple[int, int]"), ("_Text", "str"), ("Words", "list[str]")]


@pytest.mark.long
def test_a_name_is_shared_only_by_a_role() -> None:
    """In this checkout no name of a class, an alias or a file is used for two things."""
    found = {count.name: count.found for count in counts(ROOT)}
    assert found["class names in more than one place"] == ()
    assert found["aliases with the name of a class or of another alias"] == ()
    assert found["file names in more than one folder"] == ()


@pytest.mark.long
def test_a_test_file_is_named_for_its_module_or_listed() -> None:
    """A new test file has the name and the folder of a module, or an entry with what it is about; no entry outlives its file."""
    (found,) = (count.found for count in counts(ROOT) if count.name == "test files that mirror no module")
    assert found == tuple(f"tests/{name}" for name in ACROSS)
    assert all(ACROSS.values())


@pytest.mark.long
def test_few_assertions_compare_sentences() -> None:
    """Tests compare codes, places and values, and recorded sessions have the words: at most 60 assertions compare a sentence."""
    *_, sentences = counts_of_tests(Sources(ROOT, "tests"), ROOT)
    assert sentences.name == "assertions that compare a sentence"
    assert sentences.value <= 60, sentences.found
