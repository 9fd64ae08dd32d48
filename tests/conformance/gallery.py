"""The gallery of real schemas: how many load and pass `check-spec`."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from bridgespec.cli.app import app
from bridgespec.codec.binary.codec import BinaryCodec
from bridgespec.spec.kaitai import schema as ksy
from tests.conformance.suite import Result, guarded


def run_all(gallery: Path) -> list[Result]:
    """Every schema of a checkout of kaitai_struct_formats: loaded, compiled to a codec and checked."""
    files = sorted(path for path in gallery.rglob("*.ksy") if "_build" not in path.parts)
    return [guarded(str(p.relative_to(gallery)), lambda p=p: run(gallery, p)) for p in files]  # type: ignore[misc]


def run(gallery: Path, path: Path) -> str:
    """Why a schema cannot be used; nothing where it can."""
    BinaryCodec(ksy.load(path, [gallery]))
    done = CliRunner().invoke(app, ["check-spec", str(path)])
    return "" if done.exit_code == 0 else done.output.splitlines()[-1]
