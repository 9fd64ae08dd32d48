"""Generated readers in a real browser give what the reference gives, and what they give in Node.js."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.codec.text.codec import TextCodec
from bridgespec.targets.javascript.readers import readers
from tests.browsing import NEEDED, Visit
from tests.generate.house import engine
from tests.generate.strategies import corpus, formats
from tests.targets.javascript import difference, expected, expected_model

pytestmark = NEEDED
WIRE = Path(__file__).with_name("wire.mjs").read_text("utf-8").replace("export function", "function")
READ = """([id, text]) => {
  const { read, model } = globalThis.bridgespecReaders[id];
  const bytes = Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const { tree, findings } = read(bytes);
  return JSON.stringify([{ tree: wire(tree), findings }, model ? model(tree) : null]);
}"""


@pytest.fixture(scope="module")
def blank(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An empty page with the readers of every format."""
    folder = tmp_path_factory.mktemp("blank")
    specs = [engine().spec(format) for format in formats()]
    (folder / "readers.js").write_text(f"{readers(specs)}\nglobalThis.wire = (() => {{ {WIRE} return wire; }})();\n", "utf-8")
    (folder / "blank.html").write_text('<!DOCTYPE html><meta charset="utf-8"><script src="readers.js"></script>', "utf-8")
    visit = Visit(browser)
    yield visit.open(folder / "blank.html")
    visit.context.close()


@pytest.mark.slice(8, quick=2)
@pytest.mark.parametrize("format", formats())
def test_samples_are_read_alike_in_a_browser(blank: Any, format: str) -> None:
    """Every sample, good or bad: the same tree, the same findings, the same boards."""
    spec = engine().spec(format)
    codec = TextCodec(spec) if spec.language == "lark" else BinaryCodec(spec)
    for data in corpus(format):
        reading = codec.read(data)
        found, model = json.loads(blank.evaluate(READ, [format, data.hex()]))
        assert not difference(found, expected(reading)), data.hex()
        if model is not None:
            assert not difference(model, expected_model(codec.read(data), spec)), data.hex()
