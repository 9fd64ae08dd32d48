"""`serve` as a browser and as an attacker use it: what is given out, to whom, and what follows a change."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from bridgespec.editor.folder import ServedFolder
from bridgespec.editor.web import HOST, LiveServer
from bridgespec.editor.workshop import MOST_BYTES, Workshop
from tests.browsing import AXE, NEEDED, SCHEMES, SIZES, until

SCHEMA = """\
meta: {id: demo, title: Demo, file-extension: demo, endian: le}
doc: A file of rows.
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: left, type: u1}
      - {id: right, type: u1}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    """A server of a folder with one schema and one file; beside the folder lies a secret."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "demo.ksy").write_text(SCHEMA)
    (folder / "rows.demo").write_bytes(bytes(range(40)))
    (tmp_path / "secret.txt").write_text("SECRET")
    made = LiveServer(Workshop(ServedFolder(folder.resolve())))
    with made:
        threads = [threading.Thread(target=made.serve_forever, args=(0.05,)), threading.Thread(target=made.watch, daemon=True)]
        for thread in threads:
            thread.start()
        yield made
        made.ended.set()
        made.change()
        made.shutdown()
        threads[0].join()


def root(server: LiveServer) -> Path:
    return server.workshop.folder.root


def get(server: LiveServer, rest: str, **headers: str) -> tuple[int, str]:
    """The status and the text of an answer."""
    try:
        with urlopen(Request(server.address + rest, headers=headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.long
def test_a_view_has_the_schema_and_the_file_by_it(server: LiveServer) -> None:
    """The first schema and the file of its suffix are chosen; a broken schema is shown with its finding at its line."""
    status, text = get(server, "view")
    assert status == 200
    assert text.count('class="part') == 8 * 2
    for kind in ("trace", "json", "samples", "trials", "doc"):
        status, more = get(server, f"more?kind={kind}")
        assert (status, "internal" in more.lower()) == (200, False), kind
    (root(server) / "demo.ksy").write_text(SCHEMA.replace("type: u1", "typo: u1", 1))
    server.change()
    _, text = get(server, "view")
    assert "schema-key" in text
    assert 'row bad" id="line-8"' in text


def test_trials_name_the_width_with_which_the_file_has_no_findings(server: LiveServer) -> None:
    """A count that takes a byte too many is found by the constant behind it."""
    text = SCHEMA.replace("seq:\n", 'seq:\n  - {id: count, type: u2}\n  - {id: mark, contents: "XY"}\n', 1)
    (root(server) / "demo.ksy").write_text(text)
    (root(server) / "rows.demo").write_bytes(b"\1XYab")
    server.change()
    assert "bad-contents" in get(server, "view")[1]
    assert "schema-width" in (trials := get(server, "more?kind=trials")[1])
    assert "write &#39;u1&#39;" in trials


def test_nothing_is_given_out_without_token_and_address(server: LiveServer) -> None:
    """Another token, another host's name (DNS rebinding), another method, and other interfaces are refused."""
    for rest in ("view", "", "events", "site.js"):
        for token in ("", "x", server.token[:-1], server.token + "x"):
            with pytest.raises(HTTPError) as refused:
                urlopen(f"http://{HOST}:{server.server_port}/{token}/{rest}", timeout=10)
            assert refused.value.code == 404
    assert get(server, "view", Host="evil.example")[0] == 403
    assert get(server, "view", Host=f"evil.example:{server.server_port}")[0] == 403
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(server.address, method=method, data=b"" if method != "OPTIONS" else None), timeout=10)
        assert refused.value.code == 501
    assert server.socket.getsockname()[0] == HOST
    others = {one[4][0] for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {HOST}
    for other in (one for one in others if not str(one).startswith("127.")):
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((str(other), server.server_port), timeout=2)


@pytest.mark.long
def test_no_file_outside_the_folder_is_read(server: LiveServer, tmp_path: Path) -> None:
    """Not by paths, links, folders that are links, schemas that import by links, nor hidden among the names; no pipe is opened."""
    folder = root(server)
    (folder / "link.demo").symlink_to(tmp_path / "secret.txt")
    (folder / "away").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / ".hidden").write_text("HIDDEN")
    os.mkfifo(folder / "pipe.demo")
    server.change()
    _, text = get(server, "view")
    listed = text.partition('data-name="file"')[2].partition("</select>")[0]
    assert [name for name in ("link.demo", "away", "loop", ".hidden", "pipe") if name in listed] == []
    for name in (
        "../secret.txt", "/etc/passwd", str(tmp_path / "secret.txt"), "link.demo", "away/secret.txt", "loop", "pipe.demo",
        "..%2fsecret.txt", "./../secret.txt", "x\0y", "a" * 5000, "away/../../secret.txt", "",
    ):  # fmt: skip
        for asked in (f"view?file={quote(name)}", f"view?schema={quote(name)}", f"more?kind=json&file={quote(name)}"):
            status, text = get(server, asked)
            assert status == 200
            assert "SECRET" not in text
            assert "root:" not in text
    (tmp_path / "outside.ksy").write_text("meta: {id: outside}\ndoc: SECRET\nseq: [{id: x, type: u1}]\n")
    (tmp_path / "outside.lark").write_text('//- id: outside\nsecret: "SECRET"\n')
    for suffix in ("ksy", "lark"):
        (folder / f"outside.{suffix}").symlink_to(tmp_path / f"outside.{suffix}")
    (folder / "demo.ksy").write_text(
        SCHEMA.replace("endian: le", "endian: le, imports: [outside]").replace("type: u1", "type: outside", 1)
    )
    (folder / "deep.lark").write_text("//- id: deep\n//- extensions: [deep]\n%import .outside (secret)\nstart: secret\n")
    server.change()
    for schema in ("demo.ksy", "deep.lark"):
        for asked in (f"view?schema={schema}", f"more?kind=doc&schema={schema}", f"more?kind=trials&schema={schema}"):
            assert "SECRET" not in get(server, asked)[1]


@pytest.mark.slice(None, quick=1)
@pytest.mark.parametrize("suffix", ["ksy", "lark", "bid"])
@pytest.mark.parametrize(
    "wanted",
    ["/upstairs", '"\\x2fupstairs"', '"/up\\x73tairs"', "/up stairs", ".h/middle", "../upstairs", "/sub/upstairs", "upstairs"],
)
def test_no_schema_above_the_folder_is_imported(server: LiveServer, tmp_path: Path, wanted: str, suffix: str) -> None:
    """However its name is spelled: from a collection's top, through another schema, by links; in each language."""
    folder = root(server)
    secret, importing = {
        "ksy": ("meta: {id: upstairs}\nseq: [{id: x, type: u1, doc: SECRET}]\n", "meta: {id: middle, imports: [%s]}\nseq: []\n"),
        "lark": ('//- id: upstairs\nsecret: "SECRET"\n', "//- id: middle\n%%import .%s (secret)\nstart: secret\n"),
        "bid": ('system "SECRET" version 1\n', 'system "middle" version 1\n  take %s\n'),
    }[suffix]
    for name in ("upstairs", "up stairs"):
        (tmp_path / f"{name}.{suffix}").write_text(secret)
    (folder / "sub").mkdir()
    (folder / ".h").mkdir()
    (folder / "sub" / f"upstairs.{suffix}").symlink_to(tmp_path / f"upstairs.{suffix}")
    (folder / f"upstairs.{suffix}").symlink_to(tmp_path / f"upstairs.{suffix}")
    (folder / ".h" / f"middle.{suffix}").write_text(importing % ("../upstairs" if suffix == "bid" else "/upstairs"))
    text = importing % wanted
    if suffix == "ksy":
        text = SCHEMA.replace("endian: le", f"endian: le, imports: [{wanted}]").replace("type: u1", "type: upstairs", 1)
    (folder / f"mine.{suffix}").write_text(text.replace("demo", "mine"))
    server.change()
    shown = [get(server, f"{asked}schema=mine.{suffix}")[1] for asked in ("view?", "more?kind=doc&", "more?kind=trials&")]
    assert not [text for text in shown if "SECRET" in text]
    assert 'class="row bad"' in shown[0]


def test_a_path_above_that_is_only_mentioned_does_no_harm(server: LiveServer, tmp_path: Path) -> None:
    """What is no import is not taken for one."""
    (tmp_path / "upstairs.ksy").write_text("meta: {id: upstairs}\n")
    (root(server) / "demo.ksy").write_text(f"# see /upstairs and {tmp_path}/upstairs\n{SCHEMA}")
    server.change()
    assert get(server, "view")[1].count('class="part') == 8 * 2


def test_hostile_names_and_texts_stay_text(server: LiveServer) -> None:
    """Markup in names, schemas and files is escaped; names of any bytes are listed and opened."""
    folder = root(server)
    names = ["<img src=x onerror=alert(1)>.demo", "a\nb.demo", "'\"&.demo", "%2e%2e.demo", "{{7*7}}.demo", "é𝄞.demo"]
    for name in names:
        (folder / name).write_bytes(b"AB")
    odd = os.fsencode(folder) + b"/\xff\xfe.demo"
    Path(os.fsdecode(odd)).write_bytes(b"CD")
    server.change()
    for raw in [*(os.fsencode(name) for name in names), b"\xff\xfe.demo"]:
        status, text = get(server, f"view?file={quote(raw)}")
        assert status == 200
        assert text.count('class="part') == 2, raw
        assert "<img" not in text
    before = seen(server)
    (folder / "rows.demo").write_bytes(b"xy")
    for _ in range(200):
        if server.version > before:
            break
        time.sleep(0.05)
    assert server.version > before, "the watcher ended with the name"


@pytest.mark.long
def test_a_large_file_is_read_as_far_as_it_is_shown(server: LiveServer) -> None:
    """Of ten megabytes the first records are there, without findings about where they break off."""
    (root(server) / "large.demo").write_bytes(bytes(10_000_000))
    server.change()
    _, text = get(server, "view?file=large.demo&part=5")
    assert f"the first {MOST_BYTES:,} are read" in text
    assert "truncated" not in text
    assert text.count('class="part') == 16


def seen(server: LiveServer) -> int:
    """The version when it last changed, after it was quiet for a while."""
    time.sleep(0.5)
    return server.version


@pytest.mark.parametrize("way", ["in place", "renamed into place", "deleted and written"])
def test_every_way_of_saving_is_seen(server: LiveServer, way: str) -> None:
    """Editors write a file in place, rename another one over it, or delete it first: an event follows each."""
    path, before = root(server) / "rows.demo", seen(server)
    if way == "in place":
        path.write_bytes(b"xy")
    elif way == "renamed into place":
        path.with_name("rows.demo~").write_bytes(b"xy")
        path.with_name("rows.demo~").replace(path)
    else:
        path.unlink()
        path.write_bytes(b"xy")
    for _ in range(200):
        if server.version > before:
            break
        time.sleep(0.05)
    assert server.version > before
    assert get(server, "view")[1].count('class="part') == 2


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("scheme", SCHEMES)
class TestInABrowser:
    """The page in Chromium."""

    pytestmark = NEEDED

    def test_an_edit_keeps_the_selection(self, server: LiveServer, browser: Any, scheme: str, size: tuple[int, int]) -> None:
        """A field that was selected is selected still when schema and file have changed; axe-core finds nothing in any state."""
        context = browser.new_context(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
        page, problems = context.new_page(), []
        page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(server.address)
        until(page, "document.querySelectorAll('.annotated.live .part').length === 16")
        page.evaluate("document.querySelectorAll('.annotated .part .f')[3].click()")
        assert page.evaluate("document.querySelector('.pin .f').dataset.path") == "right"
        schema = root(server) / "demo.ksy"
        schema.write_text(SCHEMA.replace("    seq:", "    doc: Two numbers.\n    seq:"))
        (root(server) / "rows.demo").write_bytes(b"ABCDEFGH" * 5)
        until(page, "document.querySelector('.pin .v')?.textContent === '68'")
        assert page.evaluate("document.querySelector('.pin').closest('details').firstElementChild.textContent") == "rows[1]"
        for kind in ("trace", "json", "samples", "trials", "doc"):
            page.evaluate(f"document.querySelector('details[data-kind={kind}]').open = true")
            until(page, f"document.querySelector('details[data-kind={kind}] .body').textContent.trim() !== ''")
        page.evaluate(AXE.read_text("utf-8"))
        ask = "axe.run().then(r => r.violations.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].html}`))"
        assert page.evaluate(ask) == []
        schema.write_text(SCHEMA.replace("type: u1", "typo: u1", 1))
        until(page, "document.querySelectorAll('.schema-text .bad').length > 0")
        assert page.evaluate(ask) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert problems == []
        if place := os.environ.get("BRIDGESPEC_SHOTS"):
            page.screenshot(path=f"{place}/serve-{scheme}-{size[0]}.png", full_page=True)
        context.close()
