"""Everything that can be generated for a format, in one place.

``documents``: documents of the model that the format holds. ``valid_files``: their bytes, or for a schema without bridge
meaning those of drawn values. ``raw_files``: bytes of values that the schema allows, meaningful or not. ``broken_files``:
samples and valid files with one to three faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st

from bridgespec.codec.samples.random_values import Drawing, Undrawn
from bridgespec.codec.samples.sentences import Sentences
from bridgespec.codec.samples.uses import why_not
from bridgespec.errors import WriteError
from bridgespec.spec.grammar import Grammar
from tests.generate.broken import damaged
from tests.generate.documents import documents, has_meaning
from tests.generate.house import EXAMPLES, engine
from tests.listed import listed

SAMPLES = Path(__file__).parent.parent / "samples"


@cache
@listed
def formats(language: str | None = None) -> Iterator[str]:
    """Every format that the catalog finds, or those whose schemas are in a language."""
    return (spec.id for spec in engine().catalog.all() if language in (None, spec.language))


@cache
@listed
def meaningful() -> Iterator[str]:
    """The formats that hold boards that documents can be made of."""
    return filter(has_meaning, formats())


@cache
@listed
def drawn() -> Iterator[str]:
    """The formats of which values can be drawn from the schema alone."""
    return filter(drawable, formats())


@cache
def corpus(format: str) -> tuple[bytes, ...]:
    """The format's samples: files, broken ones included, and the vectors inside its schema."""
    folders = (SAMPLES / format, EXAMPLES / "samples" / format)
    found = (path for folder in folders for path in (*folder.glob("*"), *folder.glob("bad/*")))
    paths = sorted(path for path in found if path.is_file() and path.suffix != ".json")
    return (*(path.read_bytes() for path in paths), *(sample.data for sample in engine().spec(format).samples))


def drawable(format: str) -> bool:
    """Whether values can be drawn from the schema alone."""
    return why_not(engine().spec(format)) is None


@st.composite
def values(draw: st.DrawFn, format: str) -> dict[str, Any]:
    """Plain values that a binary schema allows."""
    try:
        return Drawing(engine().spec(format), draw(st.randoms())).file()
    except Undrawn:
        reject()


@st.composite
def raw_files(draw: st.DrawFn, format: str) -> bytes:
    """Files of values that a schema allows, or texts that its grammar derives."""
    spec = engine().spec(format)
    if isinstance(spec.text, Grammar):
        try:
            return Sentences(spec.text, draw(st.randoms())).text().encode("latin-1")
        except Undrawn:
            reject()
    drawn = draw(values(format))
    try:
        return engine().of(spec).codec.write(drawn)
    except WriteError:
        assume(False)
        raise


@st.composite
def valid_files(draw: st.DrawFn, format: str) -> bytes:
    """Files without an error."""
    if not has_meaning(format):
        return draw(raw_files(format))
    return engine().spell(draw(documents(format)), format).data


@st.composite
def broken_files(draw: st.DrawFn, format: str) -> bytes:
    """Files with one to three faults, made from samples and from valid files."""
    known = corpus(format)
    made = raw_files(format) if engine().spec(format).language == "lark" or drawable(format) else st.sampled_from(known)
    source = st.one_of(st.sampled_from(known), made) if known else made
    return draw(damaged(draw(source)))
