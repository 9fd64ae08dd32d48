"""Everything that can be generated for a format, in one place.

``documents``: documents of the model that the format holds. ``valid_files``: their bytes, or for a schema without bridge
meaning those of drawn values. ``raw_files``: bytes of values that the schema allows, meaningful or not. ``broken_files``:
samples and valid files with one to three faults.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import assume
from hypothesis import strategies as st

from bridgespec.api import engine
from bridgespec.errors import WriteError
from bridgespec.spec.ir import Spec
from tests.generate.broken import damaged
from tests.generate.documents import documents, has_meaning
from tests.generate.sentences import sentences
from tests.generate.values import can_draw, files

SAMPLES = Path(__file__).parent.parent / "samples"


@cache
def specs() -> tuple[Spec, ...]:
    """Every format that the catalog finds."""
    return tuple(engine().catalog.all())


@cache
def corpus(format: str) -> tuple[bytes, ...]:
    """The format's samples: files, broken ones included, and the vectors inside its schema."""
    folder = SAMPLES / format
    paths = sorted(path for path in (*folder.glob("*"), *folder.glob("bad/*")) if path.is_file() and path.suffix != ".json")
    return (*(path.read_bytes() for path in paths), *(sample.data for sample in engine().spec(format).samples))


def drawable() -> tuple[Spec, ...]:
    """The formats whose values can be drawn from their schema alone."""
    return tuple(spec for spec in specs() if can_draw(spec) is None)


def meaningful() -> tuple[Spec, ...]:
    """The formats that hold boards."""
    return tuple(spec for spec in specs() if has_meaning(spec))


@st.composite
def raw_files(draw: st.DrawFn, spec: Spec) -> bytes:
    """Files of values that a schema allows, or texts that its grammar derives."""
    if spec.language == "lark":
        return draw(sentences(spec))
    values = draw(files(spec))
    try:
        return engine().codec(spec).write(values)
    except WriteError:
        assume(False)
        raise


@st.composite
def valid_files(draw: st.DrawFn, spec: Spec) -> bytes:
    """Files without an error."""
    if not has_meaning(spec):
        return draw(raw_files(spec))
    return engine().spell(draw(documents(spec)), spec.id).data


@st.composite
def broken_files(draw: st.DrawFn, spec: Spec) -> bytes:
    """Files with one to three faults, made from samples and from valid files."""
    known = corpus(spec.id)
    made = raw_files(spec) if spec.language == "lark" or can_draw(spec) is None else st.sampled_from(known)
    source = st.one_of(st.sampled_from(known), made) if known else made
    return draw(damaged(draw(source)))
