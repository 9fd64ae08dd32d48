"""Texts that are being written are broken most of the time: whatever is asked of them has an answer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bridgespec.editor.draft import EditorDraft
from bridgespec.editor.languages import LANGUAGES
from bridgespec.spec.catalog import builtin_folder

SPECS = builtin_folder()
SYSTEMS = Path(__file__).parents[2] / "bridgespec" / "systems" / "conventions"
FILES = [
    *(SPECS / name for name in ("zbs.ksy", "dup.ksy", "rzd.ksy", "lin.lark", "bss.lark", "csv.lark")),
    SYSTEMS / "bergen.bid",
    SYSTEMS / "blackwood.bid",
]
SIGNS = "{}[]\"':|>#&*!%@`\t -.,\\/𝄞é\0"


def broken(text: str, chance: random.Random) -> str:
    """A text with some of it taken out, doubled, or replaced by signs of the languages."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        stop = min(len(text), at + chance.choice([0, 1, 1, 20, 300]))
        text = text[:at] + chance.choice(["", chance.choice(SIGNS), chance.choice(SIGNS) * 3, text[at:stop] * 2]) + text[stop:]
    return text


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_broken_text_has_answers(path: Path) -> None:
    """Findings, names, the outline, completion and descriptions of twenty-five broken forms of a file; places lie in the text."""
    chance, language = random.Random(path.name), LANGUAGES[path.suffix]
    whole = path.read_text("utf-8")
    for _ in range(25):
        draft = EditorDraft(path, broken(whole, chance))
        size, offset = len(draft.text), chance.randrange(len(draft.text) + 1)
        for start, stop in map(draft.span, language.findings(draft)):
            assert 0 <= start <= stop <= size
        for one in (*language.mentions(draft), *language.outline(draft)):
            assert 0 <= one.start <= one.stop <= size
        language.complete(draft, offset)
        language.describe(draft, offset)


@pytest.mark.parametrize("suffix", sorted(LANGUAGES))
@pytest.mark.parametrize(
    "text", ["", "\n", "\0", "{", "- ", ": :", "//- ", "//- {", "a:\n//- x", '"', "x: /", "after", "\ufeff", "\t\tx: [1"]
)
def test_next_to_nothing_has_answers(tmp_path: Path, suffix: str, text: str) -> None:
    """An empty file, and one in which the first thing is begun, are answered at their end."""
    path, language = tmp_path / f"x{suffix}", LANGUAGES[suffix]
    path.write_text(text)
    draft = EditorDraft(path, text)
    language.findings(draft)
    language.trials(draft)
    assert language.complete(draft, len(text)) is not None
    assert language.describe(draft, len(text)) is not None
    assert not any(one.stop > len(text) for one in (*language.mentions(draft), *language.outline(draft)))
