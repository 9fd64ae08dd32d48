"""The solver for the web: the same answers as the native one, in Node.js and in a browser; and the module is what was built.

Node.js is used where it is present. The browser needs Debian's Chromium (or ``BRIDGESPEC_CHROMIUM``) and Playwright's Python
package. The module is built again where the version of ziglang that the Makefile names is installed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bridgespec.model.board import Vulnerability
from bridgespec.model.cards import SEATS, Card, Seat, Strain
from bridgespec.model.deal import Deal
from bridgespec.model.par import par
from bridgespec.model.tricks import Tricks
from bridgespec.solver import Position, Solver
from tests.browsing import CHROMIUM
from tests.solver.list100 import cases
from tests.solver.sampling import HARD, random_deal, skewed_deal

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "web" / "bridgespec-dd"
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
STRAINS = {"NT": Strain.NOTRUMP, "S": Strain.SPADES, "H": Strain.HEARTS, "D": Strain.DIAMONDS, "C": Strain.CLUBS}
SCRIPTS = ("wasm.js", "core.js", "par.js", "index.js")

Question = list[Any]


def name_of(strain: Strain) -> str:
    return next(name for name, known in STRAINS.items() if known is strain)


def table_of(tricks: Tricks) -> dict[str, dict[str, int]]:
    """A table as the module writes it."""
    return {name: {SEATS[seat]: tricks.cells[4 * strain + seat] for seat in Seat} for name, strain in STRAINS.items()}


def worths(solver: Solver, position: Position) -> list[dict[str, Any]]:
    """The worth of every card as the module writes it."""
    seat = SEATS[position.on_turn]
    groups = solver.cards(position)
    return [{"seat": seat, "card": str(card), "tricks": group.tricks} for group in groups for card in group.cards]


def asked(questions: list[Question], module: Path = PACKAGE / "index.js", memory: int = 64) -> list[Any]:
    """What Node.js gets from the module."""
    run = subprocess.run(
        ["node", HERE / "web_answers.mjs", module.as_uri(), str(memory)],
        input="\n".join(map(json.dumps, questions)),
        capture_output=True,
        text=True,
        check=True,
        timeout=1800,
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def play_of(rng: random.Random, position: Position, count: int) -> list[Card]:
    cards: list[Card] = []
    for _ in range(count):
        cards.append(rng.choice(position.playable))
        position = position.after(cards[-1])
    return cards


def compared(deals: list[Deal], rng: random.Random, solver: Solver) -> tuple[list[Question], list[Any]]:
    """Questions about deals, their tables, leads, a card in mid-play, and what a whole play cost; and the native answers."""
    questions: list[Question] = []
    answers: list[Any] = []
    for deal in deals:
        strain, leader = rng.choice(list(Strain)), rng.choice(list(Seat))
        start = Position(deal, strain, leader)
        play = play_of(rng, start, 52)
        words = {"deal": str(deal), "strain": name_of(strain), "leader": SEATS[leader]}
        cut = rng.randrange(53)
        tricks = solver.table(deal)
        questions += [["table", str(deal)], ["cards", words], ["trace", words, list(map(str, play))]]
        questions += [["cards", {**words, "played": list(map(str, play[:cut]))}]]
        trace = solver.trace(start, play)
        answers += [table_of(tricks), worths(solver, start), [trace.tricks, *(card.tricks for card in trace.cards)]]
        answers += [worths(solver, Position.of(deal, strain, leader, play[:cut]))]
    return questions, answers


def agree(questions: list[Question], found: list[Any], wanted: list[Any]) -> None:
    assert len(found) == len(wanted)
    for question, ours, native in zip(questions, found, wanted, strict=True):
        assert ours == native, question


@pytest.mark.long
@NODE
def test_answers_are_the_native_ones():
    """The web module answers all questions as the native solver does."""
    rng = random.Random(71)
    deals = [case.deal for case in cases()[2::20]] + [skewed_deal(rng) for _ in range(12)] + [random_deal(rng) for _ in range(3)]
    with Solver(memory_mb=64) as solver:
        questions, answers = compared(deals, rng, solver)
    agree(questions, asked(questions), answers)


@NODE
@pytest.mark.slow
def test_many_answers_are_the_native_ones():
    """The hundred published deals and 500 skewed ones."""
    rng = random.Random(72)
    deals = [case.deal for case in cases()] + [skewed_deal(rng) for _ in range(500)]
    with Solver(memory_mb=64) as solver:
        questions, answers = compared(deals, rng, solver)
    agree(questions, asked(questions), answers)


@pytest.mark.long
@NODE
def test_par_is_the_one_of_the_model():
    """Tables of deals, and tables that no deal has: every cell at random."""
    rng = random.Random(73)
    tables = [case.table for case in cases()]
    tables += [Tricks(bytes(rng.randrange(14) for _ in range(20))) for _ in range(400)]
    vulnerabilities = {"none": Vulnerability.NONE, "ns": Vulnerability.NS, "ew": Vulnerability.EW, "both": Vulnerability.BOTH}
    questions: list[Question] = []
    answers = []
    for table in tables:
        word, dealer = rng.choice(list(vulnerabilities)), rng.choice(list(Seat))
        questions.append(["par", table_of(table), SEATS[dealer], word])
        found = par(table, dealer, vulnerabilities[word])
        contracts = [
            {
                "level": item.contract.level,
                "strain": name_of(item.contract.strain),
                "doubled": bool(item.contract.doubling),
                "declarers": "".join(SEATS[seat] for seat in item.declarers),
                "tricks": item.tricks,
            }
            for item in found.contracts
        ]
        answers.append({"score": found.score, "contracts": contracts})
    agree(questions, asked(questions), answers)


@NODE
def test_what_cannot_be_is_refused_with_its_reason():
    """The web module refuses each impossible question with its reason."""
    deal = str(cases()[0].deal)
    good = {"deal": deal, "strain": "S", "leader": "N"}
    held = [str(card) for card in cases()[0].deal.cards(Seat.NORTH)]
    east = str(cases()[0].deal.cards(Seat.EAST)[0])
    refused: list[tuple[Question, str]] = [
        (["table", "nonsense"], "not a deal"),
        (["table", None], "not a deal"),
        (["table", "N:A... K... Q..."], "four hands, not 3"),
        (["table", "N:A... K... Q... J.."], "not four suits"),
        (["table", "N:A... A... Q... J..."], "SA is in two hands"),
        (["table", "N:1... A... Q... J..."], '"S1" is not a card'),
        (["table", "N:AK... Q... J... T..."], "too many or too few cards (N)"),
        (["table", deal, ["X"]], '"X" is not a strain'),
        (["cards", {**good, "strain": 3}], "3 is not a strain"),
        (["cards", {**good, "leader": "X"}], '"X" is not a seat'),
        (["cards", {**good, "declarer": "N"}], "a leader, or else a declarer"),
        (["cards", {"deal": deal, "strain": "S"}], "a leader, or else a declarer"),
        (["cards", {**good, "played": [east]}], "card 1 of the play: N does not hold it"),
        (["cards", {**good, "played": [held[0], "SA", "SK", "SQ", "S1"]}], "card"),
        (["trace", good, [held[0]] * 2], "card 2 of the play"),
        (["trace", good, [held[0]] * 53], "52 cards at most"),
        (["par", {"NT": {"N": 3}}, "N", "none"], "all twenty"),
        (["par", {}, "X", "none"], '"X" is not a seat'),
        (["par", {}, "N", "all"], '"all" is not a vulnerability'),
    ]
    found = asked([question for question, _ in refused] + [["table", deal]])
    for (question, words), answer in zip(refused, found, strict=False):
        assert words in answer["error"], (question, answer)
    assert found[-1] == table_of(cases()[0].table)


@pytest.mark.long
@NODE
def test_memory_is_bounded_and_changes_nothing():
    """Four megabytes and the half that the module itself needs; a deal that would take more is solved in them."""
    deals = [str(case.deal) for case in cases()[:60:2]]
    questions: list[Question] = [*(["table", deal] for deal in deals), ["memory"]]
    small, large = asked(questions, memory=4), asked(questions, memory=256)
    assert small[:-1] == large[:-1]
    assert small[-1] <= (4 << 20) + (1 << 19) < large[-1]


@NODE
@pytest.mark.slow
def test_memory_is_bounded_where_it_is_full():
    """The hardest deal is solved within the memory limit of the web module."""
    found = asked([["table", HARD[0], ["S"]], ["memory"]], memory=8)
    assert found[0]["S"] == {"W": 7, "N": 4, "E": 7, "S": 4}
    assert found[1] <= (8 << 20) + (1 << 19)


def test_the_module_is_the_one_whose_hash_is_told():
    """The web module, its text form and its recorded digest agree, and it is smaller than 20 kB compressed."""
    module = (PACKAGE / "solver.wasm").read_bytes()
    assert (PACKAGE / "solver.wasm.sha256").read_text().split()[0] == hashlib.sha256(module).hexdigest()
    (text,) = re.findall(r'"(.*)"', (PACKAGE / "wasm.js").read_text())
    assert base64.b64decode(text) == module
    assert len(gzip.compress(module, 9)) <= 20_000


@NODE
def test_the_module_imports_nothing():
    """The web module needs no import."""
    script = (
        "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));"
        "console.log(JSON.stringify(WebAssembly.Module.imports(m)))"
    )
    run = subprocess.run(["node", "-e", script, PACKAGE / "solver.wasm"], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == []


def _compiler() -> str:
    """Why the module cannot be built here; nothing where it can."""
    wanted = re.search(r"^ZIGLANG = (.*)$", (ROOT / "native" / "Makefile").read_text(), re.MULTILINE)
    assert wanted is not None
    if shutil.which("make") is None or find_spec("ziglang") is None:
        return f"no ziglang=={wanted[1]}"
    version = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, text=True).stdout.strip()
    return "" if version == wanted[1] else f"ziglang {version}, not {wanted[1]}"


def test_the_module_is_what_the_sources_give(tmp_path):
    """Built again it is the same to the byte; what is committed is never behind the C."""
    missing = _compiler()
    if missing:
        pytest.skip(missing)
    command = ["make", "-s", "-C", ROOT / "native", "wasm", f"WEB={tmp_path}", f"ZIG={sys.executable} -m ziglang"]
    subprocess.run(command, check=True, capture_output=True)
    for name in ("solver.wasm", "solver.wasm.sha256", "wasm.js"):
        assert (tmp_path / name).read_bytes() == (PACKAGE / name).read_bytes(), f"{name}: run `make -C native wasm`"


@pytest.mark.long
@NODE
@pytest.mark.skipif(shutil.which("npm") is None, reason="no npm")
def test_the_packed_package_works_where_it_is_installed(tmp_path):
    """What `npm pack` puts together is all that is needed, types and licence too; and its README's example holds."""
    pack = ["npm", "pack", PACKAGE, "--json", "--pack-destination", tmp_path]
    (packed,) = json.loads(subprocess.run(pack, capture_output=True, text=True, check=True).stdout)
    names = {item["path"] for item in packed["files"]}
    assert names == {*SCRIPTS, "index.d.ts", "package.json", "README.md", "LICENSE"}
    assert packed["size"] < 40_000
    manifest = json.loads((PACKAGE / "package.json").read_text())
    assert "dependencies" not in manifest
    shutil.unpack_archive(tmp_path / packed["filename"], tmp_path)
    home = tmp_path / "node_modules"
    home.mkdir()
    (tmp_path / "package").rename(home / "bridgespec-dd")
    assert all((home / "bridgespec-dd" / name).read_bytes() == (PACKAGE / name).read_bytes() for name in names)
    examples = re.findall(r"```js\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    deal = re.search(r'const deal = "(.*?)"', examples[0])
    assert deal is not None
    (tmp_path / "worker.mjs").write_text(examples[0].replace("table.S.E;", "console.log(table.S.E);"))
    run = subprocess.run(["node", "worker.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    with Solver() as solver:
        assert int(run.stdout) == solver.table(Deal.parse(deal[1])).get(Strain.SPADES, Seat.EAST)
    example = examples[1].replace("open(", "console.log(open(", 1).replace(".NT.N;", ".NT.N);")
    (tmp_path / "example.mjs").write_text(example)
    run = subprocess.run(["node", "example.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    with Solver() as solver:
        assert int(run.stdout) == solver.table(Deal.parse(deal[1])).get(Strain.NOTRUMP, Seat.NORTH)
    assert f"// {run.stdout.strip()}" in examples[1]


# --- in a browser -----------------------------------------------------------------------------------------------------

MISSING = [
    reason
    for absent, reason in (
        (not CHROMIUM, "no chromium (apt-get install chromium, or BRIDGESPEC_CHROMIUM)"),
        (find_spec("playwright") is None, "no playwright (pip install playwright)"),
    )
    if absent
]


def one_script() -> str:
    """The package as one script for a page opened from a file, made as its README says."""
    parts = []
    for name in SCRIPTS:
        lines = [line for line in (PACKAGE / name).read_text().splitlines() if not line.startswith(("import ", "export {"))]
        parts.append("\n".join(re.sub(r"^export ", "", line) for line in lines))
    return "\n".join(parts)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A page opened from a file, with nothing to fetch and the network off."""
    path = tmp_path_factory.mktemp("page") / "solve.html"
    script = one_script().replace("</", "<\\/")
    path.write_text(f"<!doctype html><meta charset=utf-8><title>solve</title><script>{script};window.Solver = Solver</script>")
    context = browser.new_context(offline=True)
    opened = context.new_page()
    opened.goto(path.as_uri())
    yield opened
    context.close()


def ask_page(page: Any, questions: list[Question]) -> list[Any]:
    """All questions at once: they wait for each other in the Worker."""
    script = """async (questions) => {
        const solver = new Solver();
        const ask = ([name, ...given]) => solver[name](...given).catch((error) => ({ error: error.message }));
        const answers = await Promise.all(questions.map(ask));
        solver.close();
        return answers;
    }"""
    return page.evaluate(script, questions)


@pytest.mark.browser
@pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))
def test_a_page_opened_from_a_file_gets_the_native_answers(page):
    """A page opened without a server gets the native solver's answers."""
    rng = random.Random(74)
    deals = [case.deal for case in cases()[3::20]] + [skewed_deal(rng) for _ in range(10)]
    with Solver(memory_mb=64) as solver:
        questions, answers = compared(deals, rng, solver)
    agree(questions, ask_page(page, questions), answers)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))
def test_a_page_gets_many_native_answers(page):
    """A page gets the native answers to hundreds of deals."""
    rng = random.Random(75)
    deals = [case.deal for case in cases()] + [skewed_deal(rng) for _ in range(500)]
    with Solver(memory_mb=64) as solver:
        questions, answers = compared(deals, rng, solver)
    page.set_default_timeout(1_800_000)
    agree(questions, ask_page(page, questions), answers)


@pytest.mark.browser
@pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING))
def test_a_page_stops_a_search_and_goes_on(page):
    """Aborting ends the Worker; what waited behind is answered by the next one, and a refusal stops nothing."""
    script = """async ([hard, easy]) => {
        const solver = new Solver({ memory: 16 }), stop = new AbortController(), late = new AbortController();
        const long = solver.table(hard, { signal: stop.signal }).then(() => "done", (error) => error.name);
        const dropped = solver.table(easy, { signal: late.signal }).then(() => "done", (error) => error.name);
        const wrong = solver.table("nonsense").catch((error) => error.message);
        const after = solver.table(easy);
        setTimeout(() => late.abort(), 50);
        setTimeout(() => stop.abort(), 200);
        const answers = [await long, await dropped, await wrong, await after];
        const last = solver.table(hard).then(() => "done", (error) => error.name);
        solver.close();
        const gone = new AbortController();
        gone.abort();
        return [...answers, await last, await solver.table(easy, { signal: gone.signal }).catch((error) => error.name)];
    }"""
    case = cases()[0]
    answers = page.evaluate(script, [HARD[1], str(case.deal)])
    assert answers[:2] == ["AbortError", "AbortError"]
    assert "not a deal" in answers[2]
    assert answers[3] == table_of(case.table)
    assert answers[4:] == ["AbortError", "AbortError"]
