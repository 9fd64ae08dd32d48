"""What the editor offers to repair: the word that is meant, an import that is missing, and nothing where it would be a guess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .client import Client
from .test_server import DEMO, GRAMMAR

SYSTEM = """\
system "Ours"
parameter low = 15 "the weakest one notrump"
take stayman

opening:
  1NT "balanced" shows {low}-17 hcp, balanced
  2C "strong" shows 22+ hcp forcing artificial asks strength

after 2C when asked strength:
  2D "weak" shows under 8 hcp artificial
  P "nothing at all" shows under 3 hcp
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client() as found:
        yield found


def repairs(client: Client, uri: str, text: str) -> list[tuple[str, str]]:
    """Return what is offered for each finding of a text: the title, and the text after the repair."""
    made = []
    for one in client.findings(uri):
        actions = client.ask("textDocument/codeAction", textDocument={"uri": uri}, range=one["range"], context={"diagnostics": []})
        made += [(each["title"], changed(text, each["edit"]["changes"][uri])) for each in actions]
    return made


def changed(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text of ASCII letters with the edits of an editor."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for one in sorted(edits, key=lambda each: -each["range"]["start"]["line"]):
        start, stop = (starts[at["line"]] + at["character"] for at in (one["range"]["start"], one["range"]["end"]))
        text = text[:start] + one["newText"] + text[stop:]
    return text


@pytest.mark.parametrize(
    ("name", "right", "written", "wrong"),
    [
        ("demo.ksy", DEMO, "repeat-expr: count", "repeat-exp: count"),
        ("demo.ksy", DEMO, "first, type: pair", "first, type: piar"),
        ("demo.ksy", DEMO, "first.left > 0", "first.letf > 0"),
        ("demo.ksy", DEMO, "enum: kinds}", "enum: kindes}"),
        ("ours.bid", SYSTEM, "take stayman", "take staymen"),
        ("ours.bid", SYSTEM, "{low}", "{lo}"),
        ("ours.bid", SYSTEM, "forcing", "forcng"),
        ("ours.bid", SYSTEM, "hcp, balanced", "hcp, balancd"),
        ("ours.bid", SYSTEM, "asked strength", "asked strenght"),
        ("ours.bid", SYSTEM, "artificial asks", "artifical asks"),
        ("ours.bid", SYSTEM.replace("22+ hcp", "22+ hcp, 5+ spades"), "5+ spades", "5+ spaddes"),
    ],
)
def test_the_word_that_is_meant_is_offered(client: Client, tmp_path: Path, name: str, right: str, written: str, wrong: str) -> None:
    """The repair of one misspelt word gives the text without it."""
    text = right.replace(written, wrong)
    assert text != right
    uri = client.open(tmp_path / name, text)
    assert right in [after for _, after in repairs(client, uri, text)]
    client.close(uri)


@pytest.mark.parametrize(
    ("name", "right", "written", "wrong"),
    [
        ("demo.ksy", DEMO, "enum: kinds}", "enum: kinds"),
        ("demo.ksy", DEMO.replace("title: Demo", 'title: "Demo"'), 'title: "Demo"', 'title: "Demo'),
        ("demo.ksy", DEMO.replace("title: Demo", "title: 'Demo'"), "title: 'Demo'", "title: 'Demo"),
        ("notes.lark", GRAMMAR, "(note _END)*", "(note _END*"),
        ("notes.lark", GRAMMAR.replace("note _END", '["#" note] _END'), '["#" note]', '["# note]'),
        ("notes.lark", GRAMMAR.replace("//- id: notes", '//- id: "notes"'), '"notes"', '"notes'),
        ("ours.bid", SYSTEM, "opening:", "opening"),
        ("ours.bid", SYSTEM, "asked strength:", "asked strength"),
        ("ours.bid", SYSTEM, '"strong"', '"strong'),
        ("ours.bid", SYSTEM, '"strong"', 'strong"'),
        ("ours.bid", SYSTEM.replace("22+ hcp", "{low} hcp"), "{low} hcp", "{low hcp"),
        ("ours.bid", SYSTEM.replace("after 2C", "after 2C (2D)"), "(2D)", "(2D"),
        ("ours.bid", SYSTEM.replace("22+ hcp", "(22+ hcp)"), "(22+ hcp)", "(22+ hcp"),
    ],
)
def test_the_mark_that_is_missing_is_offered(
    client: Client, tmp_path: Path, name: str, right: str, written: str, wrong: str
) -> None:
    """The repair of a bracket, a quotation mark or a colon that is missing gives the text with it."""
    text = right.replace(written, wrong, 1)
    assert text != right
    uri = client.open(tmp_path / name, text)
    assert right in [after for _, after in repairs(client, uri, text)]
    client.close(uri)


def test_a_shared_name_is_imported(client: Client, tmp_path: Path) -> None:
    """A name of what text formats share is not defined before it is imported; the repair adds the line."""
    text = GRAMMAR.replace("note _END", "note _NL").replace('_END: "\\n"\n', "")
    uri = client.open(tmp_path / "notes.lark", text)
    found = repairs(client, uri, text)
    assert ("import it", True) in [(title, "%import .bridge (_NL)\n" in after) for title, after in found]
    uri = client.open(tmp_path / "again.lark", next(after for title, after in found if title == "import it"))
    assert "schema-syntax" not in {one["code"] for one in client.findings(uri)}
    client.close(uri)


@pytest.mark.long
def test_findings_of_a_system_stand_together(client: Client, tmp_path: Path) -> None:
    """A pass without a condition is shown beside a misspelt word, before that is repaired."""
    text = SYSTEM.replace('P "nothing at all" shows under 3 hcp', 'P "nothing"').replace("hcp, balanced", "hcp, balancd")
    uri = client.open(tmp_path / "ours.bid", text)
    assert {one["code"] for one in client.findings(uri)} == {"bid-bare-pass", "bid-unknown-word"}
    client.close(uri)


@pytest.mark.long
def test_places_and_files_that_are_not_there(client: Client, tmp_path: Path) -> None:
    """They are answered with nothing; the log keeps silent (the client looks)."""
    absent = (tmp_path / "absent.ksy").as_uri()
    uri = client.open(tmp_path / "demo.ksy", DEMO)
    for line, character in ((10**6, 0), (0, 10**6), (3, 2**31 - 1)):
        for method in ("hover", "completion", "definition", "references", "prepareRename"):
            for asked in (uri, absent):
                position = {"line": line, "character": character}
                more = {"context": {"includeDeclaration": True}} if method == "references" else {}
                answer = client.request(f"textDocument/{method}", textDocument={"uri": asked}, position=position, **more)
                assert "result" in answer or answer["error"]["code"] == -32602, answer
    assert client.ask("textDocument/documentSymbol", textDocument={"uri": absent}) == []
    client.close(uri)


@pytest.mark.long
def test_a_finding_on_an_imported_file_is_not_repaired_here(client: Client, tmp_path: Path) -> None:
    """What is wrong in another file is shown, and its repair would change the wrong text."""
    (tmp_path / "other.lark").write_text("word: nmae\nname: /[a-z]+/\n")
    text = "//- {id: any, title: Any, extensions: [any]}\nstart: word\n%import .other (word)\n"
    uri = client.open(tmp_path / "any.lark", text)
    assert repairs(client, uri, text) == []
    client.close(uri)
