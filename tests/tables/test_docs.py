"""What the documentation says of tables is what they are."""

from __future__ import annotations

import re
from pathlib import Path

from bridgespec.tables.batches import TableLayout
from bridgespec.tables.columns import DERIVED, EVERY, SCHEMA, columns_of
from bridgespec.tables.sql_functions import MACROS, OVERLOADED

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tables.md"
BEGIN, END = "<!-- columns -->\n", "<!-- end of columns -->\n"


def listed() -> str:
    """The table of columns that the page must have; run this module to write it."""
    schema = TableLayout(EVERY, True).schema
    rows = [(column.name, column) for column in columns_of()]
    rows += [(column.name.replace("west", "*seat*"), column) for column in DERIVED if column.name.startswith("west")]
    rows += [(column.name, column) for column in DERIVED if column.name.startswith("par")]
    head = "\n| column | type | what it says |\n| --- | --- | --- |\n"
    for name, column in rows:
        kind = re.sub("item: |values=|, indices=uint8, ordered=0", "", str(schema.field(column.name).type))
        doc = column.doc.replace("West", "the seat") if "*" in name else column.doc
        head += f"| `{name}` | `{kind}` | {doc} |\n"
    return head + "\n"


def test_every_column_is_documented() -> None:
    """The page lists every column with its type, as the terms declare it."""
    text = PAGE.read_text("utf-8")
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == listed()
    assert f"this schema of columns ({SCHEMA})" in text


def test_every_function_is_documented() -> None:
    """The page names every function of questions, and no other."""
    table = PAGE.read_text("utf-8").partition("| function |")[2].partition("\n\n")[0]
    named = {name for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)\(", cell)}
    known = {head.partition("(")[0] for head in MACROS} - {"tricks_of"} | set(OVERLOADED)
    assert named == known


def test_the_answers_are_those_of_the_questions() -> None:
    """The page of answers has each question as it stands in its file, with its picture."""
    text = (ROOT / "docs" / "questions.md").read_text("utf-8")
    for path in sorted((ROOT / "examples" / "questions").glob("*.sql")):
        title, what, *lines = path.read_text("utf-8").splitlines()
        assert title.removeprefix("-- ") in text
        assert what.removeprefix("-- ") in text
        assert "\n".join(lines) in text
        assert (ROOT / "docs" / "questions" / f"{path.stem}.svg").is_file()


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + listed() + END + rest.partition(END)[2], "utf-8")
