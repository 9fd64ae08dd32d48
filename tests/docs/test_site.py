"""The site is whole: every page there, well-formed, linked, and the same each time."""

from __future__ import annotations

import base64
import hashlib
import html
import inspect
import json
import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urldefrag

import click
import pytest
from click.testing import CliRunner
from pygments.token import STANDARD_TYPES

import bridgespec
from bridgespec.cli.app import app
from bridgespec.diagnostic import CODES
from bridgespec.docs.component import DEMO
from bridgespec.docs.guides import guides, tutorial
from bridgespec.docs.prose import slug
from bridgespec.docs.reference import entries, sections
from bridgespec.docs.site import Site
from bridgespec.engines import Engine
from bridgespec.spec.store import CACHE_VARIABLE
from tests.cli.running import run
from tests.docs.conftest import site_of
from tests.docs.page import Page
from tests.steps import steps

# Each process of a run makes the site once.
pytestmark = pytest.mark.long
OUTSIDE = ("http:", "https:")


@lru_cache(maxsize=512)
def parsed(data: bytes) -> Page:
    return Page(data.decode())


def pages(files: Mapping[str, bytes]) -> dict[str, Page]:
    return {name: parsed(data) for name, data in files.items() if name.endswith(".html")}


def test_every_format_has_its_page_and_schema(site: Site, files: Mapping[str, bytes]) -> None:
    """Each schema makes a page and can be downloaded as it stands."""
    assert len(site.specs) > 20
    for spec in site.specs:
        assert f"formats/{spec.id}.html" in files
        assert files[f"schemas/{Path(spec.path).name}"] == Path(spec.path).read_bytes()
        for name in spec.imports:
            shared = Path(spec.path).parent / f"{name}{Path(spec.path).suffix}"
            assert files[f"schemas/{shared.name}"] == shared.read_bytes()
            assert f"../schemas/{shared.name}" in parsed(files[f"formats/{spec.id}.html"]).links


def test_every_finding_has_its_page(site: Site, files: Mapping[str, bytes]) -> None:
    """Each code of the package, of any schema and of any sample has a page."""
    told = set(CODES) | set(site.codes) | {code for spec in site.specs for sample in spec.samples for code in sample.codes}
    assert not {name for name in told if f"codes/{slug(name)}.html" not in files}


def test_every_command_has_its_page(files: Mapping[str, bytes]) -> None:
    """Each command has a page that names its options."""
    context = click.Context(app, info_name="bridgespec")
    names = app.list_commands(context)
    assert "validate" in names
    for name in names:
        text = parsed(files[f"commands/{name}.html"]).text
        command = app.get_command(context, name)
        assert command is not None
        shown = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
        assert all(option.opts[0] in text for option in shown), name


def test_pages_are_well_formed(files: Mapping[str, bytes]) -> None:
    """Tags nest, no attribute is given twice, ids are unique."""
    for name, page in pages(files).items():
        assert not page.problems, (name, page.problems[:3])
        twice = {one for one in page.ids if page.ids.count(one) > 1}
        assert not twice, (name, twice)


def test_the_parser_sees_what_is_wrong() -> None:
    """The helper above finds tags that do not nest, and attributes given twice."""
    assert Page("<p><b></p>").problems
    assert Page('<p id="a" id="b"></p>').problems
    assert Page("<p>").problems
    assert not Page("<p><br>a</p>").problems


def test_links_lead_somewhere(files: Mapping[str, bytes]) -> None:
    """Every link inside the site has its target, its fragment included."""
    known = pages(files)
    broken = []
    for name, page in known.items():
        for link in page.links:
            if link.startswith(OUTSIDE):
                continue
            path, fragment = urldefrag(link)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
            if target not in files or (fragment and target in known and unquote(fragment) not in known[target].ids):
                broken.append((name, link))
    assert not broken, broken[:10]


def test_nothing_is_fetched_from_outside(files: Mapping[str, bytes]) -> None:
    """No script, style, picture or font comes from a network."""
    for name, page in pages(files).items():
        assert not [source for source in page.sources if "//" in source], name
    for name in ("static/site.css", "static/site.js", "static/search.js"):
        assert b"@import" not in files[name]
        assert b"url(" not in files[name]


def executed(page: Page) -> list[str]:
    """The tags and attributes of a page that a browser would run or apply, other than files that are linked."""
    found = [f"{name} of <{tag}>" for tag, values in page.tags for name in values if name == "style" or name.startswith("on")]
    found += [tag for tag, values in page.tags if tag == "style" or (tag == "script" and not {"src", "type"} & values.keys())]
    return found + [link for link in page.links if link.lower().startswith(("javascript:", "data:"))]


def test_pages_run_nothing_but_their_own_files(files: Mapping[str, bytes], tmp_path: Path) -> None:
    """Every page has a content security policy and nothing that it would forbid; so has the book of a system."""
    assert run("docs", tmp_path, "--system", "sayc", "--depth", "1").exit_code == 0
    book = {str(path): path.read_bytes() for path in tmp_path.rglob("*.html")}
    assert len(book) > 3
    for name, page in pages({**files, **book}).items():
        (policy,) = [values["content"] for tag, values in page.tags if tag == "meta" and "http-equiv" in values]
        assert policy is not None
        assert policy.startswith("default-src 'none'; "), name
        assert "unsafe-inline" not in policy
        # The page of boards is one file, with hashes of its script and style (tests/webpage/test_document_page.py).
        assert executed(page) == (["style"] if name == DEMO else []), name


def test_the_page_of_a_file_runs_its_own_script_alone(tmp_path: Path) -> None:
    """The policy of a dump allows one script and one style, by their digests; the bytes of a file cannot add another."""
    hostile = b'[Event "</script><script>x()</script><style>*{}</style>"]\n{<img src=x onerror=x()>}\n'
    (tmp_path / "x.pbn").write_bytes(hostile)
    assert run("dump", tmp_path / "x.pbn", "--html", tmp_path / "x.html").exit_code == 0
    text = (tmp_path / "x.html").read_text("utf-8")
    assert executed(Page(text)) == ["style", "script"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in html.unescape(policy[1])


def test_the_same_schemas_give_the_same_bytes(
    files: Mapping[str, bytes], own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second build differs in no byte, with every proof made anew."""
    monkeypatch.setenv(CACHE_VARIABLE, "")
    again = dict(site_of(own_folder).pages())
    assert again.keys() == files.keys()
    assert not [name for name in files if files[name] != again[name]]


def test_pages_name_no_folder_of_the_machine(files: Mapping[str, bytes], own_folder: Path) -> None:
    """Where the schemas stood does not show."""
    for place in (str(own_folder), str(Path(__file__).parent.parent.parent)):
        assert not [name for name, data in files.items() if place.encode() in data]


def test_each_field_is_in_the_table_of_its_format(site: Site, files: Mapping[str, bytes]) -> None:
    """Nothing that a binary schema declares for the file is left out."""
    for page in site.formats:
        text = parsed(files[f"formats/{page.spec.id}.html"])
        for drawn in page.records:
            record = page.spec.records[drawn.table.name]
            assert {f"field-{record.name.replace('::', '-')}-{field.name}" for field in record.fields} <= set(text.ids)


def test_each_sample_is_taken_apart(site: Site, files: Mapping[str, bytes]) -> None:
    """Every sample stands on its format's page with the findings that it gives."""
    for page in site.formats:
        text = files[f"formats/{page.spec.id}.html"].decode()
        assert text.count('<div class="annotated') == len(page.spec.samples)
        for vector in page.broken:
            assert vector.codes
            assert all(code in text for code in vector.codes)


def test_a_format_without_bridge_meaning_has_the_same_page(files: Mapping[str, bytes]) -> None:
    """A user's own format has layout, sample and vectors, and is in the lists; what its schema does not mention is not there."""
    page = parsed(files["formats/tally.html"])
    assert {"sample", "layout", "vectors", "schema"} <= set(page.ids)
    assert "frequency" in page.text
    assert any(tag == "svg" for tag, _ in page.tags)
    assert b"formats/tally.html" in files["index.html"]
    assert b"formats/tally.html" in files["static/search.js"]


@pytest.mark.parametrize("name", ["odd", "lines"])
def test_a_page_without_cards_does_not_mention_them(files: Mapping[str, bytes], name: str) -> None:
    """Neither cards nor deals nor boards nor the model, in headings, hints, tables and lists."""
    page = parsed(files[f"formats/{name}.html"])
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", page.text.partition("The schema Download")[0])}
    assert not words & {"card", "cards", "hand", "hands", "board", "boards", "game", "bridge", "model", "pbn"}
    assert "deals" in parsed(files["formats/zbd.html"]).text


def test_formats_of_an_author_come_first(site: Site, files: Mapping[str, bytes]) -> None:
    """In the list of formats, in the head of every page, and among the formats that report a finding."""
    own = ["hostile", "lines", "odd", "tally"]
    assert [page.spec.id for page in site.formats[: len(own) + 1]] == [*own, "ber"]
    heading, pages = site.groups[0]
    assert (heading, [page.spec.id for page in pages]) == ("Your own formats", own)
    links = [link for link in parsed(files["codes/index.html"]).links if "formats/" in link]
    assert links == [f"../formats/{name}.html" for name in own]
    assert next(page.spec.id for page, _ in site.reporting["truncated"]) == "tally"
    assert not any(f'href="{name}.html"' in files["formats/zbd.html"].decode() for name in own), "a deal is lost to every other"


def test_the_reference_is_a_page_a_chapter(site: Site, files: Mapping[str, bytes]) -> None:
    """The table of contents leads to every word, and none of its pages has as much as a quarter of all chapters."""
    contents = parsed(files["language.html"])
    sizes = {name: len(data) for name, data in files.items() if name.startswith("language/")}
    assert {f"language/{chapter.anchor}.html" for chapter in sections()} | {"language/examples.html"} == set(sizes)
    assert {f"language/{entry.kind}.html#{entry.anchor}" for entry in entries()} <= set(contents.links)
    assert len(files["language.html"]) < sum(sizes.values()) / 4


def test_whatever_a_schema_says_has_a_place(files: Mapping[str, bytes]) -> None:
    """Switches, instances, conditions, bits and empty types are told; text of a schema stays text."""
    page = parsed(files["formats/odd.html"])
    assert not page.problems
    for words in ("depends on", "only if flag", "num_entries * 2", "& <more>", "Bit 0 is the high bit"):
        assert words in page.text, words
    assert not [tag for tag, _ in page.tags if tag == "more"]
    lines = parsed(files["formats/lines.html"])
    assert {"grammar", "rules", "vectors", "rule-number"} <= set(lines.ids)
    assert "unreadable-line" in lines.text


def test_a_colour_of_code_is_no_style_of_the_page(files: Mapping[str, bytes]) -> None:
    """Classes that colour a schema are styled in code alone: `sr`, a regular expression, was also what only screen readers have."""
    style = files["static/site.css"].decode()
    colours = {name for name in STANDARD_TYPES.values() if name}
    rules = re.findall(r"(?:^|[,}])\s*([^{},@/]+?)\s*(?=[,{])", style, re.MULTILINE)
    found = {one for one in rules for name in re.findall(r"\.([a-z]+\d?)(?![\w-])", one.split()[0]) if name in colours}
    assert not found
    assert "/[a-z]+/" in parsed(files["formats/lines.html"]).text


def test_the_tutorial_is_a_page_a_chapter(files: Mapping[str, bytes]) -> None:
    """Its opening leads to each chapter, and each chapter but the last to the next."""
    chapters = [one.path for one in tutorial()]
    assert len(chapters) > 10
    assert set(chapters[1:]) <= set(parsed(files["tutorial.html"]).links)
    for path, after in pairwise(chapters):
        assert f'href="{"../" * path.count("/")}{after}">Next: ' in files[path].decode()


def test_every_guide_is_a_page(files: Mapping[str, bytes]) -> None:
    """Each file of `docs/` is a page that the guides' index and the search lead to, with its pictures and anchors; the measured
    conformance has a page of its own.
    """
    written = {path.stem for path in (Path(__file__).parents[2] / "docs").glob("*.md")} - {"conformance"}
    assert {guide.path for guide in guides()} == {f"guides/{name}.html" for name in written}
    index, search = parsed(files["guides/index.html"]), files["static/search.js"].decode()
    for guide in guides():
        assert f"../{guide.path}" in index.links
        assert f'"{guide.path}"' in search
        page = parsed(files[guide.path])
        assert {anchor for anchor, _, _ in guide.parts()} <= set(page.ids)
        for tag, values in page.tags:
            assert tag != "img" or posixpath.join("guides", str(values["src"])) in files
    assert "combinations/AJ9-432.svg" in files["guides/combinations.html"].decode()


def test_the_search_shows_guides_as_text(files: Mapping[str, bytes]) -> None:
    """The words of guides and chapters are found and shown without the marks of Markdown, those above the first section too."""
    rows = json.loads(files["static/search.js"].decode().partition("=")[2].strip().rstrip(";"))
    found = {url: words for kind, _, url, words in rows if kind == "page"}
    for page in [*guides(), *tutorial()]:
        assert not re.search(r"```|\]\((?:https?:|[\w/-]+\.(?:md|html))", found[page.path]), page.path
        assert not found[page.path].startswith("#")
    assert "without a compiler" in found["guides/platforms.html"]


def test_every_name_of_the_package_is_documented(files: Mapping[str, bytes]) -> None:
    """Each name of `bridgespec.__all__` but the version has its signature, its docstring and an entry of the search."""
    search = files["static/search.js"].decode()
    functions = parsed(files["python/functions.html"])
    for name in set(bridgespec.__all__) - {"__version__"}:
        kind = getattr(bridgespec, name)
        page = functions if not isinstance(kind, type) else parsed(files[f"python/{name}.html"])
        assert name in page.text
        assert isinstance(kind, type) or name in functions.ids
        assert f'["python","{name}",' in search
        summary = " ".join((inspect.getdoc(kind) or "").replace("`", "").split()[:3])
        assert summary in page.text
    assert "from_number" in parsed(files["python/Deal.html"]).ids
    assert "rotated(" in parsed(files["python/Deal.html"]).text


def test_a_schema_cannot_leave_its_place(files: Mapping[str, bytes]) -> None:
    """What an untrusted schema says is text: no element, no handler, no script address, no path out of the site."""
    assert all(".." not in name and not name.startswith("/") for name in files)
    ours = {"site.js", "theme.js", "reader.js"}
    for name in ("formats/hostile.html", "index.html", "search.html", "codes/index.html"):
        page = parsed(files[name])
        assert not page.problems, (name, page.problems)
        assert not [link for link in page.links if link.lower().startswith("javascript:")], name
        for tag, values in page.tags:
            assert tag != "img"
            data = values.get("type") == "application/json"
            assert tag != "script" or data or str(values.get("src", "")).rpartition("/")[2] in ours, (name, values)
            assert not [key for key in values if key.startswith("on")], (name, tag, values)
    assert len(parsed(files["formats/hostile.html"]).ids) == len(set(parsed(files["formats/hostile.html"]).ids))


def test_the_command_writes_the_site(tmp_path: Path, own_folder: Path, files: Mapping[str, bytes]) -> None:
    """``docs DIR`` makes the folders that it needs, takes schemas of a user, overwrites the pages that are there, and leaves other
    files alone.
    """
    target = tmp_path / "a" / "site"
    target.mkdir(parents=True)
    (target / "mine.txt").write_text("mine", "utf-8")
    (target / "formats").mkdir()
    (target / "formats" / "zbd.html").write_text("an earlier page", "utf-8")
    assert run("docs", target, "--specs", own_folder).exit_code == 0
    assert (target / "formats" / "zbd.html").read_text("utf-8") != "an earlier page"
    assert (target / "mine.txt").read_text("utf-8") == "mine"
    written = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert written == {*files, "mine.txt"}
    assert not [path for path in tmp_path.rglob("*outside*") if target not in path.parents]


def test_a_folder_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    """A file in the place of the folder is told, without a traceback."""
    (tmp_path / "file").write_text("", "utf-8")
    for place in (tmp_path / "file", tmp_path / "file" / "inside"):
        done = CliRunner().invoke(app, ["docs", str(place)])
        assert done.exit_code == 2, done.output


def doubling(depth: int) -> str:
    """A schema of types that have two fields of the next, down to one byte."""
    rows = [f"  t{at}: {{seq: [{{id: a, type: t{at + 1}}}, {{id: b, type: t{at + 1}}}]}}\n" for at in range(depth)]
    head = "meta: {id: x, title: x, endian: le, file-extension: x}\nseq: [{id: a, type: t0}]\ntypes:\n"
    return f"{head}{''.join(rows)}  t{depth}: {{seq: [{{id: a, type: u1}}]}}\n"


def page_of(site: Site, path: str) -> bytes:
    """One page, without those that come after it."""
    return next(data for name, data in site.pages() if name == path)


def test_a_page_grows_with_what_is_written(tmp_path: Path) -> None:
    """Not with what that unfolds into: 2**14 bytes of fourteen types are within what a schema may be."""
    sizes, taken = [], []
    for depth in (6, 10, 14):
        (tmp_path / "x.ksy").write_text(doubling(depth), "utf-8")
        engine = Engine([tmp_path])
        site = Site([engine.spec("x")], engine, app, "bridgespec", "0")
        # What is common to all sites is made before the count.
        assert site.codes
        made: list[bytes] = []
        taken.append(steps(lambda site=site, made=made: made.append(page_of(site, "formats/x.html"))))
        sizes.append(len(made[0]))
    for counts in (sizes, taken[1:]):
        assert counts[-1] < 2.5 * counts[0]


def test_hostile_schemas_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is named with what is wrong, and the site is made without it."""
    (tmp_path / "x.ksy").write_text(doubling(40), "utf-8")
    rules = "".join(f"r{at}: r{at + 1} r{at + 1}\n" for at in range(40))
    (tmp_path / "y.lark").write_text(f'//- {{id: y, title: y, extensions: [y]}}\nstart: r0\n{rules}r40: "y"\n', "utf-8")
    made: list[str] = []

    def no_pages(self: Site) -> list[tuple[str, bytes]]:
        made.extend(spec.id for spec in self.specs)
        return []

    monkeypatch.setattr(Site, "pages", no_pages)
    done = run("--specs", tmp_path, "docs", tmp_path / "site")
    assert done.exit_code == 0
    assert [done.stderr.count(f"{name}:") for name in ("x.ksy", "y.lark")] == [1, 1]
    assert {"zbd", "pbn"} <= set(made)
    assert not {"x", "y"} & set(made)


@pytest.mark.parametrize("kind", ["binary", "text"])
def test_what_is_drawn(site: Site, files: Mapping[str, bytes], kind: str) -> None:
    """Binary formats have a drawing and a figure of each record with fixed fields, text formats railroad diagrams."""
    for page in (page for page in site.formats if page.kind == kind):
        text = files[f"formats/{page.spec.id}.html"].decode()
        if kind == "binary":
            assert text.count('<svg class="bits"') == sum(drawn.svg is not None for drawn in page.records) > 0
            assert "+-+-+-+-+-+-+-+-+" in text
        else:
            assert text.count("railroad-diagram") == len(page.tracks) > 0


def test_the_site_has_boards_to_try(files: Mapping[str, bytes]) -> None:
    """The page of sixteen boards is one of its files, linked from every page, and holds whole boards that were played twice;
    a schema's text cannot end its script."""
    held = re.search(r'id="boards">(.*?)</script>', files[DEMO].decode(), re.DOTALL)
    assert held is not None
    boards = json.loads(held[1])["documents"][0]["boards"]
    assert [board["number"] for board in boards] == [number for number in range(1, 17) for _ in "ab"]
    assert sum("play" in board for board in boards) > 28
    assert all(len(board["tricks"]) == 4 for board in boards)
    others = [name for name in files if name.endswith(".html") and name != DEMO]
    assert all(f'{"../" * name.count("/")}{DEMO}"' in files[name].decode() for name in others)
    assert files[DEMO].count(b"</script") == 3
