"""The language server as an editor uses it: over standard input and output, on every schema and on texts that are being written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridgespec.schema_checks import findings
from bridgespec.spec.catalog import builtin_folder
from tests.told import quoted

from .client import Client

SPECS = builtin_folder()
SCHEMAS = sorted(path for path in SPECS.iterdir() if path.suffix in (".ksy", ".lark"))
SYSTEMS = Path(__file__).parents[2] / "bridgespec" / "systems"
BIDDING = sorted(SYSTEMS.rglob("*.bid"))
DEMO = """\
meta: {id: demo, title: Demo, file-extension: demo, endian: le}
seq:
  - {id: kind, type: u1, enum: kinds}
  - {id: count, type: u1}
  - id: rows
    type: row(count)
    repeat: expr
    repeat-expr: count
  - {id: last, type: {switch-on: kind, cases: {'kinds::plain': row(1), _: pair}}}
types:
  row:
    doc: One line.
    params: [{id: width, type: u1}]
    seq:
      - {id: first, type: pair}
      - {id: more, size: width, if: _root.kind == kinds::plain and first.left > 0}
  pair: {seq: [{id: left, type: u1}, {id: right, type: u1}]}
enums:
  kinds: {0: plain, 1: other}
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client() as found:
        yield found


def labels(items: list[dict[str, Any]]) -> set[str]:
    """The texts that are proposed."""
    return {one["label"] for one in items}


@pytest.mark.slice(None, quick=6)
@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_findings_are_those_of_the_check(client: Client, path: Path) -> None:
    """What an editor shows of each schema is what the function of `check-spec` finds, at the same lines."""
    uri = client.open(path)
    shown = client.findings(uri)
    wanted = [one for one in findings(path, [SPECS])[1] if one.path is None or one.path.endswith(path.name)]
    assert [(one["code"], one["range"]["start"]["line"] + 1) for one in shown] == [
        (one.code, one.span.line if one.span is not None and one.span.line is not None else 1) for one in wanted
    ]
    assert client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    client.close(uri)


@pytest.mark.slice(None, quick=4)
@pytest.mark.parametrize("path", [*SCHEMAS, *BIDDING[:6]], ids=lambda path: path.name)
def test_a_text_that_breaks_off_is_answered(client: Client, path: Path) -> None:
    """Of a file cut at any place, every request has an answer, and the server logs no error of its own."""
    text = path.read_text("utf-8")
    uri = client.open(path)
    for part in range(1, 8):
        cut = text[: len(text) * part // 8]
        client.change(uri, cut)
        for method in ("completion", "hover", "definition", "prepareRename"):
            client.at(method, uri, cut, len(cut))
        client.at("references", uri, cut, len(cut) // 2, context={"includeDeclaration": True})
        client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    client.findings(uri)
    client.close(uri)


def test_findings_follow_what_is_typed(client: Client, tmp_path: Path) -> None:
    """An error is there while its text is, in the text that is not saved, at the place in UTF-16 that an editor counts by."""
    path = tmp_path / "demo.ksy"
    path.write_text(DEMO)
    uri = client.open(path)
    client.findings(uri)
    wrong = DEMO.replace("seq:", "doc: '𝄞' # 𝄞\nseq:", 1).replace("title: Demo", "title: 𝄞, titel: x")
    client.change(uri, wrong)
    (one,) = client.findings(uri)
    assert (one["code"], one["severity"]) == ("schema-key", 1)
    line = wrong.split("\n")[0]
    assert one["range"]["start"] == {"line": 0, "character": len(line[: line.index("titel")].encode("utf-16-le")) // 2}
    client.change(uri, DEMO)
    assert all(one["severity"] != 1 for one in client.findings(uri))
    client.close(uri)


@pytest.mark.parametrize(
    ("typed", "wanted", "unwanted"),
    [
        ("seq:\n  - id: x\n    ", {"type", "repeat", "-bridge-as", "if"}, {"id", "seq", "meta"}),
        ("seq:\n  - id: x\n    ty", {"type"}, {"seq"}),
        ("seq:\n  - {id: x, ", {"type", "enum"}, {"id"}),
        ("seq:\n  - {id: x, type: ", {"u1", "u2le", "strz", "row", "pair"}, {"type", "kinds"}),
        ("seq:\n  - {id: x, type: u1, enum: ", {"kinds"}, {"row"}),
        ("seq:\n  - {id: x, repeat: ", {"eos", "expr", "until"}, {"row"}),
        ("seq:\n  - {id: x, size-eos: ", {"true", "false"}, {"row"}),
        ("seq:\n  - {id: x, -bridge-as: ", {"deal", "contract"}, {"row"}),
        ("seq:\n  - {id: x, -bridge-role: ", {"call", "alert"}, {"row"}),
        ("seq:\n  - {id: x, type: u1, valid: 3, -bridge-code: ", {"hand-size", "bad-padding", "own-code"}, {"half-code", "row"}),
        ("seq:\n  - {id: x, if: ", {"rows", "count", "kinds::"}, {"left", "crc32"}),
        ("seq:\n  - {id: x, if: last", {"last"}, {"row"}),
        ("seq:\n  - id: x\n    if: rows[0].first.", {"left", "right"}, {"count", "kind"}),
        ("seq:\n  - {id: x, if: kind == kinds::", {"plain", "other"}, {"count"}),
        ("seq:\n  - {id: x, type: u1, -bridge-value: ", {"sum", "count"}, {"row"}),
        ("", {"seq", "types", "-bridge-samples"}, {"meta", "type"}),
        ("seq:\n  - {id: x, valid: {", {"min", "max", "any-of"}, {"type"}),
    ],
)  # fmt: skip
def test_completion_knows_what_may_stand_in_a_binary_schema(
    client: Client, tmp_path: Path, typed: str, wanted: set[str], unwanted: set[str]
) -> None:
    """Keys by their owner without those that are there, words of values, types, enums, terms, roles, and names of expressions."""
    path = tmp_path / "demo.ksy"
    path.write_text(DEMO.replace("pair: {seq", "pair: {-bridge-checks: [{code: half-code}], seq"))
    (tmp_path / "other.lark").write_text("//- faults: [{at: a, code: own-code}]\n")
    head, rest = DEMO.partition("seq:\n")[0], DEMO.partition("seq:\n")[2]
    before = head + typed
    text = before + ("\n" + rest if typed else rest)
    uri = client.open(path, text)
    found = labels(client.at("completion", uri, text, len(before)))
    assert wanted <= found, sorted(found)
    assert not unwanted & found
    client.close(uri)


_NEARLY = "'hand-szie' is no known finding, but nearly one"


@pytest.mark.parametrize(
    ("there", "typed", "shown"),
    [
        ("title: Demo", 'title: "Demo', [("schema-syntax", 0, "this string is not closed")]),
        ("doc: One line.", "doc: 'One line.", [("schema-syntax", 11, "this string is not closed")]),
        ("count, type: u1", "count, type: u1, valid: 3, -bridge-code: hand-szie", [("schema-code", 3, _NEARLY)]),
        ("count, type: u1", "count, type: u1, valid: 3, -bridge-code: my-own", []),
        ("repeat: expr", "repaet: expr", [("schema-key", 6, "unknown key 'repaet' in a field")]),
    ],
)
def test_a_mistake_is_shown_where_it_is_made(
    client: Client, tmp_path: Path, there: str, typed: str, shown: list[tuple[str, int, str]]
) -> None:
    """A string that is not closed in its own line, though later ones are, and a misspelled key without what follows from it."""
    text = DEMO.replace(there, typed) + "-bridge-samples: [{name: 'a', hex: '00'}]\n-bridge-sources: [{title: \"b\"}]\n"
    uri = client.open(tmp_path / "demo.ksy", text)
    found = [(one["code"], one["range"]["start"]["line"], one["message"].partition("\n")[0]) for one in client.findings(uri)]
    assert [one for one in found if one[0] != "schema-meaningless"] == shown
    client.close(uri)


def test_files_of_the_package_are_imported_from_any_folder(client: Client, tmp_path: Path) -> None:
    """A grammar that lies elsewhere imports one of ours without a finding, and its definition is found there."""
    text = "//- {id: any, title: Any, extensions: [any]}\nstart: number _NL\n"
    text += "//- {says: a number, opaque: true}\nnumber: /[0-9]+/\n%import .bridge (_NL)\n"
    uri = client.open(tmp_path / "any.lark", text)
    assert "schema-syntax" not in {one["code"] for one in client.findings(uri)}
    assert client.at("definition", uri, text, text.index("_NL"))["uri"].endswith("/bridge.lark")
    client.close(uri)


def test_a_parameter_that_a_convention_has_not_is_shown_where_it_is_set(client: Client, tmp_path: Path) -> None:
    """Not in the file of the convention, which its author has not opened."""
    uri = client.open(tmp_path / "ours.bid", 'system "Ours"\ntake stayman\ntake openings with notrump-lo = 12\n')
    (found,) = client.findings(uri)
    assert (found["code"], found["range"]["start"]["line"]) == ("bid-unknown-word", 2)
    message, help = found["message"].splitlines()
    assert (message.split()[0], message.split()[-1], quoted(help)) == ("openings", "notrump-lo", ["notrump-low"])
    client.close(uri)


GRAMMAR = """\
//- id: notes
//- title: Notes
//- extensions: [notes]
start: (note _END)*
//- {doc: A note with its mark., content: {text: body, rule: number}}
note: mark body
mark: "-" -> open | "x" -> done
//- says: a body
body: /[^\\n]+/
//- number: {base: 10}
number: /[0-9]+/
_END: "\\n"
"""


@pytest.mark.parametrize(
    ("before", "wanted", "unwanted"),
    [
        ("//- ", {"title", "extensions", "start", "samples"}, {"role", "id"}),
        ("start: (no", {"note", "mark", "_END"}, {"open", "title"}),
        ("//- {doc: A note with its mark., ", {"role", "number", "says"}, {"doc", "title"}),
        ("content: {text: body, rule: ", {"number", "body"}, {"title"}),
        ("//- number: {", {"base", "numerals"}, {"doc"}),
    ],
)
def test_completion_knows_what_may_stand_in_a_grammar(
    client: Client, tmp_path: Path, before: str, wanted: set[str], unwanted: set[str]
) -> None:
    """Words of the head, of a rule and of their mappings in ``//-`` lines; rules everywhere else, and where words name one."""
    path = tmp_path / "notes.lark"
    path.write_text(GRAMMAR)
    at = GRAMMAR.index(before, 1) + len(before) if before != "//- " else GRAMMAR.index("//- title") + 4
    uri = client.open(path)
    found = labels(client.at("completion", uri, GRAMMAR, at))
    assert wanted <= found, sorted(found)
    assert not unwanted & found
    client.close(uri)


@pytest.mark.parametrize(
    ("typed", "wanted", "unwanted"),
    [
        ("after 1NT:\n  2C shows 4+ hearts ", {"forcing", "asks", "or", "if"}, set()),
        ("after 1NT:\n  2C shows 8+ ", {"hcp", "points"}, {"balancing", "forcing"}),
        ("after 1NT when ", {"not", "passed", "balancing"}, {"forcing"}),
        ("take ", {"stayman", "blackwood"}, {"forcing"}),
        ("parameter low = 8\nafter 1NT:\n  2C shows {", {"low"}, set()),
    ],
)
def test_completion_knows_what_may_follow_in_a_system(
    client: Client, tmp_path: Path, typed: str, wanted: set[str], unwanted: set[str]
) -> None:
    """Words by the grammar of the language, names by what its reader knows at that place, conventions by their files."""
    path = tmp_path / "mine.bid"
    path.write_text(typed)
    uri = client.open(path, typed)
    found = labels(client.at("completion", uri, typed, len(typed)))
    assert wanted <= found, sorted(found)
    assert not unwanted & found
    client.close(uri)


def test_hover_shows_the_page_of_the_reference(client: Client, tmp_path: Path) -> None:
    """Keys, terms and functions have the text of their entries, types and rules their own words."""
    path = tmp_path / "demo.ksy"
    uri = client.open(path, DEMO)

    def about(word: str, more: int = 1) -> str:
        found = client.at("hover", uri, DEMO, DEMO.index(word) + more)
        return "" if found is None else str(found["contents"]["value"])

    assert about("repeat-expr").startswith("**repeat-expr** · key of a field")
    assert "One line." in about("row(1)")
    assert about("file-extension").startswith("**file-extension** · key of meta")
    path = tmp_path / "notes.lark"
    uri = client.open(path, GRAMMAR)
    found = client.at("hover", uri, GRAMMAR, GRAMMAR.index("body\n") + 1)
    assert "a body" in found["contents"]["value"]
    found = client.at("hover", uri, GRAMMAR, GRAMMAR.index("extensions") + 1)
    assert found["contents"]["value"].startswith("**extensions** · word of the head")


def test_hover_shows_the_page_of_a_finding(client: Client, tmp_path: Path) -> None:
    """In `.ksy` and `.lark`, hovering over a code shows its documentation, or names the schema that declares it."""
    path, text = tmp_path / "demo.ksy", DEMO.replace("count, type: u1", "count, type: u1, valid: 3, -bridge-code: hand-size")
    (tmp_path / "other.ksy").write_text(DEMO.replace("count, type: u1", "count, type: u1, valid: 3, -bridge-code: own-code"))
    uri = client.open(path, text)
    page = client.at("hover", uri, text, text.index("hand-size") + 2)["contents"]["value"]
    assert page.startswith("**hand-size** · error")
    assert "thirteen" in page
    text = text.replace("hand-size", "own-code")
    client.change(uri, text)
    name, owner = client.at("hover", uri, text, text.index("own-code"))["contents"]["value"].split(" · ")
    assert (name, owner.split()[-1]) == ("**own-code**", "other")
    client.close(uri)
    grammar = GRAMMAR.replace("//- says: a body", "//- {says: a body, report: {code: card-twice}}")
    uri = client.open(tmp_path / "notes.lark", grammar)
    at = grammar.index("card-twice") + 3
    assert client.at("hover", uri, grammar, at)["contents"]["value"].startswith("**card-twice**")
    assert "hand-size" in labels(client.at("completion", uri, grammar, at))
    client.close(uri)


def renamed(client: Client, uri: str, text: str, offset: int, name: str) -> str:
    """A text as a renaming leaves it."""
    edits = client.at("rename", uri, text, offset, newName=name)["changes"][uri]
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]), reverse=True):
        start, stop = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[stop["character"] :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("word", "count"), [("pair: {seq", 3), ("row:", 3), ("kinds: {0", 4), ("plain, 1", 3), ("count, type", 3), ("left, type", 2)]
)
def test_a_type_is_renamed_with_its_uses(client: Client, tmp_path: Path, word: str, count: int) -> None:
    """Every use follows, in expressions, cases and arguments too, so that the schema has the findings that it had."""
    path = tmp_path / "demo.ksy"
    path.write_text(DEMO)
    uri = client.open(path)
    before = [one["code"] for one in client.findings(uri)]
    at = DEMO.index(word) + 1
    found = client.at("references", uri, DEMO, at, context={"includeDeclaration": True})
    assert len(found) == count, found
    (place,) = [client.at("definition", uri, DEMO, at)]
    assert place["range"] in [one["range"] for one in found]
    text = renamed(client, uri, DEMO, at, "another")
    assert text.count("another") == count
    client.change(uri, text)
    assert [one["code"] for one in client.findings(uri)] == before
    client.close(uri)


def test_a_rule_is_renamed_with_its_uses_in_other_files(client: Client, tmp_path: Path) -> None:
    """Uses in words and in a grammar beside it that imports the rule follow; a name that is taken, or is none, is refused."""
    path, other = tmp_path / "notes.lark", tmp_path / "more.lark"
    path.write_text(GRAMMAR)
    other.write_text("//- id: more\n//- extensions: [more]\n%import .notes (number, _END)\nstart: (number _END)*\n")
    uri = client.open(path)
    at = GRAMMAR.index("number: /") + 1
    edits = client.at("rename", uri, GRAMMAR, at, newName="count")["changes"]
    assert {key.rpartition("/")[2]: len(one) for key, one in edits.items()} == {"notes.lark": 2, "more.lark": 2}
    assert "rule: count" in renamed(client, uri, GRAMMAR, at, "count")
    where = {"uri": uri}, {"line": GRAMMAR[:at].count("\n"), "character": 1}
    for name, told in (("mark", "already"), ("Not A Name", "cannot be the name")):
        answer = client.request("textDocument/rename", textDocument=where[0], position=where[1], newName=name)
        assert told in answer["error"]["message"]
    there = client.open(other)
    found = client.at("definition", there, other.read_text(), other.read_text().index("number _END") + 1)
    assert found["uri"] == uri
    assert found["range"]["start"]["line"] == GRAMMAR[:at].count("\n")


@pytest.mark.long
@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_every_type_and_rule_of_every_schema_can_be_renamed(client: Client, tmp_path: Path, path: Path) -> None:
    """After the first rule or type is renamed a schema has no finding that it had not."""
    for one in SCHEMAS:
        (tmp_path / one.name).write_text(one.read_text("utf-8"))
    here = tmp_path / path.name
    text = here.read_text("utf-8")
    uri = client.open(here)
    before = sorted(one["code"] for one in client.findings(uri) if one["severity"] == 1)
    symbols = client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    pending, names = list(symbols), []
    while pending:
        one = pending.pop(0)
        pending += one.get("children") or []
        names += [one] if one["kind"] in (5, 12) and one["name"] not in ("start", "deal", "boards", "hand") else []
    for one in names[1:4]:
        place = one["selectionRange"]["start"]
        lines = text.split("\n")
        at = sum(len(line) + 1 for line in lines[: place["line"]]) + place["character"]
        name = "ZZ_NEW" if one["name"].isupper() else "zz_new"
        name = f"_{name}" if one["name"].startswith("_") else name
        changed = renamed(client, uri, text, at, name)
        client.change(uri, changed)
        after = sorted(one["code"] for one in client.findings(uri) if one["severity"] == 1)
        # A name that is a term is bound by it: its rule under another name is bound to nothing, which is a finding of its own.
        assert [code for code in after if code != "schema-unbound"] == before, one["name"]
        client.change(uri, text)
        client.findings(uri)
    client.close(uri)
