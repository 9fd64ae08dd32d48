"""The page as it is written: what is in it, what a hostile text cannot do, its size, its words, its command.

Suit combinations of a page, worked out when it is made: the same as those of the command ``suit``, and shown in the page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.engines import engine
from bridgespec.errors import UsageError
from bridgespec.export.json import tree
from bridgespec.model.auction import Auction, AuctionCall, Call
from bridgespec.model.board import Board, Comment
from bridgespec.model.cards import Card, Seat, Strain
from bridgespec.model.contract import Contract
from bridgespec.model.deal import Deal
from bridgespec.model.document import Document
from bridgespec.model.playing import play_of_cards
from bridgespec.targets.javascript.readers import readers
from bridgespec.webpage import MOST_BOARDS, page, texts
from bridgespec.webpage.scripts import STATIC, bundle
from tests.browsing import NEEDED, SIZES, Visit, until
from tests.cli import running as cli
from tests.webpage.running import ROOT, SAMPLES, TSC, made

SIXTEEN = SAMPLES / "pbn" / "sixteen.pbn"
HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> ]]> \u2028 & ' \" $style ${x} \\"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text in each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")
        self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[-1] += data

    def text(self, tag: str, **wanted: str) -> str:
        """The text of the first element of a kind with these attributes."""
        for (name, attributes), text in zip(self.found, self.texts, strict=True):
            if name == tag and all(attributes.get(key) == value for key, value in wanted.items()):
                return text
        raise AssertionError(f"no {tag} {wanted}")


def document(path: Path) -> Document:
    return engine().examine(path.read_bytes(), path.parent.name, str(path)).document


def full_board(number: int) -> Board:
    """A board as long as real ones are: named, bid with explanations, played to the last card."""
    deal = Deal(bytes((card * 7 + number + card // 4) % 4 for card in range(52)))
    cards = [Card((slot + number) % 52) for slot in range(52)]
    words = {"1S": "five or more, 11 to 15", "2S": "three or more, 6 to 9"}
    calls = [AuctionCall(Call.parse(text), explanation=words.get(text)) for text in ["1S", "P", "2S", "P", "4S", "P", "P", "P"]]
    return Board(
        number=number, deal=deal, event="World Team Championship", site="Hammamet", round="Final", room="Open",
        players=("Western Player", "Northern Player", "Eastern Player", "Southern Player"), teams=("France", "USA 2"),
        auction=Auction(tuple(calls), Seat.NORTH), contract=Contract.parse("4S"), declarer=Seat.NORTH, result=10, score=420,
        play=play_of_cards(cards, Seat.EAST, Strain.SPADES),
    )  # fmt: skip


def boards_in(text: str) -> Any:
    return json.loads(Elements(text).text("script", id="boards"))


def test_the_page_holds_the_published_json() -> None:
    """The boards stand in the page as the JSON exporter has them, and nothing is asked of any other place."""
    held = document(SIXTEEN)
    text = page([held], "Sixteen", "1.0")
    assert boards_in(text)["documents"][0]["boards"] == tree(held)["boards"]
    assert boards_in(text)["title"] == "Sixteen"
    found = Elements(text).found
    links = [value for _, attributes in found for name, value in attributes.items() if name in ("src", "href", "action")]
    assert links == ["data:,"]
    # The one address is that of a link which a reader may follow.
    assert set(re.findall(r'https?://[^"]*', text)) == {"https://www.bridgebase.com/tools/handviewer.html?lin="}
    assert not re.search(r"@import|url\(", text)


def test_the_same_boards_give_the_same_page() -> None:
    """Nothing in the page depends on when or where it was made."""
    held = document(SIXTEEN)
    assert page([held], "a", "1") == page([document(SIXTEEN)], "a", "1")


def test_no_text_becomes_markup() -> None:
    """A text that looks like markup adds no element, wherever a file may have it; it comes out as it was."""
    board = Board(
        number=1, event=HOSTILE, site=HOSTILE, room=HOSTILE, players=(HOSTILE,) * 4, teams=(HOSTILE, HOSTILE), par=HOSTILE,
        comments=(Comment(HOSTILE),), auction=Auction((AuctionCall(Call.parse("1S"), explanation=HOSTILE),)),
    )  # fmt: skip
    text = page([Document((board,), event=HOSTILE)], HOSTILE, HOSTILE)
    plain = page([Document((Board(number=1),))], "t", "v")
    assert [tag for tag, _ in Elements(text).found] == [tag for tag, _ in Elements(plain).found]
    assert boards_in(text)["documents"][0]["boards"][0]["event"] == HOSTILE
    assert Elements(text).text("title") == HOSTILE
    lone = page([Document((Board(number=1, event="\ud800 </script>"),))], "t", "v")
    assert boards_in(lone)["documents"][0]["boards"][0]["event"] == "\ud800 </script>"
    assert lone.encode()


@pytest.mark.long
def test_only_the_pages_own_script_may_run() -> None:
    """The policy names the script and the style by their hashes, and no server."""
    text = page([document(SIXTEEN)], "a", "1")
    parsed = Elements(text)
    policy = next(a["content"] for tag, a in parsed.found if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    for source in (parsed.text("script", type="module"), parsed.text("style")):
        assert base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy


def test_no_script_writes_markup() -> None:
    """Every text reaches the page as text: the scripts have no way to make markup of one."""
    makers = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|srcdoc"
    )
    wrong = re.compile(makers)
    for path in STATIC.glob("*.js"):
        assert not wrong.search(path.read_text("utf-8")), path.name


@pytest.mark.long
def test_a_thousand_boards_stay_small() -> None:
    """A page of a thousand boards as long as real ones, with readers of every format, is less than 3 MB; more are refused."""
    boards = tuple(full_board(number) for number in range(1, MOST_BOARDS + 1))
    added = readers(engine().catalog.all())
    assert len(added.encode()) < 450_000
    assert len(page([Document(boards)], "many", "1", readers=added).encode()) < 3_000_000
    with pytest.raises(UsageError, match="1,001 boards are too many"):
        page([Document(boards), Document((Board(number=1),))], "many", "1")


def test_the_script_is_whole(tmp_path: Path) -> None:
    """Each module is in the script once and behind what it imports; a form of module that cannot be put together is refused."""
    script = bundle(STATIC / "main.js")
    own = re.findall(r"^// (\w+)\.js\nconst module(\d+) ", script, re.MULTILINE)
    assert [int(number) for _, number in own] == list(range(len(own)))
    assert len(own) > 15
    assert own[-1][0] == "main"
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    (tmp_path / "whole.js").write_text('import * as all from "./other.js";\n')
    with pytest.raises(ValueError, match=r"whole\.js"):
        bundle(tmp_path / "whole.js")


def test_every_module_is_used() -> None:
    """Nothing stands in the folder that neither the page nor another page's way in needs."""
    reached = "".join(bundle(STATIC / name) for name in ("main.js", "embed.js"))
    for path in STATIC.glob("*.js"):
        assert f"// {path.name}\n" in reached


def test_every_text_is_used_and_every_use_has_a_text() -> None:
    """The scripts ask for texts that there are, and there are none that nobody asks for."""
    script = "".join(path.read_text("utf-8") for path in STATIC.glob("*.js"))
    known = set(texts())
    asked = set(re.findall(r'\b(?:say|step\("[^"]*",|select)\(?\s*"([\w-]+)"', script))
    assert asked <= known, asked - known
    named = {key for key in known if f'"{key}"' in script}
    built = {"vul", "vulnerable", "team", "heading", "taken"}
    assert {key for key in known - named if re.sub(r"\d$|Tricks$", "", key) not in built} == {"language", "needsScript"}


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"nobody": "x"}', "no text 'nobody'"),
        ('{"board": 3}', "neither a string"),
        ('{"board": "Teiler {nummer}"}', "no value {nummer}; it has number"),
        ('{"ranks": "A K D B"}', "a list of 13 words"),
        ('{"count": {"one": "x"}}', "'other'"),
    ],
)
def test_a_wrong_translation_is_refused(given: str, message: str) -> None:
    """Whatever is wrong with a translation is said before a page is made of it."""
    with pytest.raises(UsageError, match=re.escape(message)):
        texts(given.encode())


def test_a_translation_reaches_the_page() -> None:
    """The page's language and words are the translator's; what is left out stays English."""
    count = {"one": "{n} rozdanie", "few": "{n} rozdania", "other": "{n} rozdań"}
    words = texts(json.dumps({"language": "pl", "boards": "Rozdania", "count": count}).encode())
    text = page([document(SIXTEEN)], "a", "1", words)
    held = json.loads(Elements(text).text("script", id="texts"))
    assert ("html", {"lang": "pl"}) in Elements(text).found
    assert held["boards"] == "Rozdania"
    assert held["records"] == "Hand records"


@pytest.mark.long
@pytest.mark.skipif(TSC is None, reason="no TypeScript (tsc, or BRIDGESPEC_TSC) to check the scripts' types with")
def test_the_scripts_types_are_right() -> None:
    """TypeScript finds nothing in the scripts, read strictly."""
    assert TSC is not None
    done = subprocess.run([TSC, "-p", str(Path(__file__).with_name("tsconfig.json"))], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# --- the command ---------------------------------------------------------------------------------------------------


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["page", *arguments])


@pytest.mark.long
def test_the_command_puts_files_together(tmp_path: Path) -> None:
    """Files of several formats make one page, titled by the first or as asked, and standard output takes it too."""
    done = run(str(SIXTEEN), str(SAMPLES / "zrd" / "record0.zrd"), "-o", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.output
    held = boards_in((tmp_path / "a.html").read_text("utf-8"))
    assert [len(one["boards"]) for one in held["documents"]] == [16, 1]
    assert held["title"] == "sixteen"
    done = run(str(SIXTEEN), "--boards", "3,5", "--title", "Two <b>", "-o", "-")
    assert [board["number"] for board in boards_in(done.stdout)["documents"][0]["boards"]] == [3, 5]
    assert boards_in(done.stdout)["title"] == "Two <b>"


@pytest.mark.long
def test_every_format_with_boards_makes_a_page(tmp_path: Path) -> None:
    """The first valid sample of each format that holds boards is shown; what holds none is refused by name."""
    target = tmp_path / "boards.html"
    folders = [sorted(path for path in folder.glob("*.*") if path.suffix != ".json") for folder in sorted(SAMPLES.iterdir())]
    samples = [paths[0] for paths in folders if paths]
    held = [sample for sample in samples if document(sample).boards]
    done = run(*map(str, held), "-o", str(target))
    assert done.exit_code in (0, 1), done.output
    for sample, shown in zip(held, boards_in(target.read_text("utf-8"))["documents"], strict=True):
        assert shown["boards"] == json.loads(json.dumps(tree(document(sample))["boards"])), sample
    for sample in set(samples) - set(held):
        assert run(str(sample), "--format", sample.parent.name, "-o", str(target)).exit_code == 2


@pytest.mark.long
def test_boards_are_solved_beforehand_if_asked(tmp_path: Path) -> None:
    """With --solve every board has its table in the page."""
    source = SAMPLES / "lin" / "match.lin"
    done = run(str(source), "--boards", "1-2", "--solve", "-o", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.output
    boards = boards_in((tmp_path / "a.html").read_text("utf-8"))["documents"][0]["boards"]
    assert all(sum(len(row) for row in board["tricks"].values()) == 20 for board in boards)


@pytest.mark.long
def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """Errors of a source are counted and give status 1, and what could be read is shown; a call without a target is refused."""
    bad = SAMPLES / "zrd" / "bad" / "fourteen.zrd"
    done = run(str(bad), "-o", str(tmp_path / "a.html"))
    assert done.exit_code == 1
    assert "`bridgespec validate` shows" in done.output
    assert (tmp_path / "a.html").exists()
    assert "with -o FILE" in run(str(SIXTEEN)).output
    assert "no boards" in run(str(SAMPLES / "bss" / "test.bss"), "-o", str(tmp_path / "b.html")).output
    assert not (tmp_path / "b.html").exists()


@pytest.mark.long
def test_too_many_boards_are_told_how_to_split(tmp_path: Path) -> None:
    """A file of more boards than a page holds is refused, with the calls that make several pages of it."""
    source = tmp_path / "many.zbd"
    source.write_bytes((SAMPLES / "zbd" / "record0.zbd").read_bytes() * (MOST_BOARDS + 1))
    refused = run(str(source), "-o", str(tmp_path / "a.html"))
    assert refused.exit_code == 2
    calls = re.findall(r"--boards (\S+) -o (\d+\.html)", refused.output)
    assert calls == [("1-1000", "1.html"), ("1001-2000", "2.html")]
    done = run(str(source), "--boards", "2-1001", "-o", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.output


def test_a_pdf_needs_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Chromium the call says so and writes nothing; one that prints nothing is reported in its own words."""
    target = tmp_path / "a.pdf"
    monkeypatch.setenv("BRIDGESPEC_CHROMIUM", str(tmp_path / "none"))
    assert "no Chromium" in run(str(SIXTEEN), "--pdf", str(target)).output
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho cannot open display >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("BRIDGESPEC_CHROMIUM", str(broken))
    assert "cannot open display" in run(str(SIXTEEN), "--pdf", str(target)).output
    assert not target.exists()


def test_the_solver_for_the_web_is_found() -> None:
    """The repository has the module that the page imports."""
    assert (ROOT / "web" / "bridgespec-dd" / "index.js").is_file()


browser_test = pytest.mark.parametrize("marks", [pytest.param(None, marks=NEEDED, id="page")])


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two boards with their suits."""
    return made(tmp_path_factory.mktemp("suits"), SIXTEEN, options=["--boards", "1-2", "--suits"])


@pytest.mark.long
def test_the_suits_are_those_of_the_command(two: Path) -> None:
    """Chances and lines of both sides are what `suit --deal` answers; numbers of tricks without a choice are left out."""
    held = re.search(r'id="boards">(.*?)</script>', two.read_text("utf-8"))
    assert held is not None
    plays = json.loads(held[1])["suits"]
    assert len(plays) == 2
    compared = 0
    for holders, sides in plays.items():
        deal = str(Deal(bytes(map(int, holders))))
        for seat, suits in zip("SE", sides, strict=True):
            answers = [json.loads(line) for line in cli.run("suit", "--deal", deal, "--seat", seat, "--json").output.splitlines()]
            known = {(one["north"], one["south"]): one["goals"] for one in answers}
            for suit in suits:
                goals = {goal["tricks"]: goal for goal in known[suit["dummy"], suit["own"]]}
                assert suit["goals"]
                for goal in suit["goals"]:
                    assert goal["percent"] == round(100 * goals[goal["tricks"]]["value"], 2)
                    assert 0 < goal["percent"] < 100
                    compared += 1
                assert ("East" if seat == "E" else "South") in suit["picture"]
    assert compared > 8


@browser_test
def test_the_page_shows_them_beside_double_dummy(browser: Any, two: Path, marks: None) -> None:
    """Each side's suits with chance, line and drawing; on a phone nothing is wider than it, and no other page has them."""
    visit = Visit(browser, size=SIZES[1])
    open_page = visit.open(two, "#board=2")
    open_page.locator(".suits > details > summary").first.click()
    assert "AQ63 – J85" in open_page.inner_text(".suits")
    assert "50.7 %" in open_page.inner_text(".suits")
    open_page.locator(".suitplay summary").first.click()
    until(open_page, "document.querySelector('.suitplay img')?.naturalWidth > 0")
    assert open_page.evaluate("document.documentElement.scrollWidth") <= SIZES[1][0]
    assert not visit.axe()
    assert not visit.problems
    visit.context.close()
