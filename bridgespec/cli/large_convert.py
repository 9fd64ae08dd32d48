"""Converting a large file of fixed-size records: as arrays, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, cast

from bridgespec.cli.files import opened, output
from bridgespec.cli.large import Head, Large, judged_large, large_file
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.settings import Settings
from bridgespec.cli.spread import Spread
from bridgespec.cli.spread_convert import convert_spread
from bridgespec.cli.status import CLEAN
from bridgespec.cli.streamed import convert_streamed
from bridgespec.cli.transfer import Taken, Target, tell_losses, tell_unread, tell_written
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import convert_stream, why_not_convert
from bridgespec.codec.losses import LOST
from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.errors import SpecError
from bridgespec.spec.ir import Spec

WORDS = {"deal": "the deal", "tricks": "the double-dummy results"}


def convert_large(
    settings: Settings,
    path: str,
    format: str | None,
    dest: str,
    target: Target,
    strict: bool,
    quiet: bool,
    canonical: bool,
    spread: Spread | None = None,
) -> int | None:
    """Convert the file as arrays, or else a stretch at a time, and give the exit status; None where neither can be done: nothing
    has happened yet.

    A file of the target's own format is copied as it stands: that cannot be done where it shall be ``canonical``, or where bytes
    are left over.
    """
    large = large_file(settings, path, format) if isinstance(target, Spec) else None
    codec = _bulk_target(large, target) if large is not None and isinstance(target, Spec) else None
    judged = judged_large(settings, large) if large is not None and codec is not None else None
    if large is None or codec is None or judged is None or not judged[0].records:
        return None if spread is not None else convert_streamed(settings, path, format, dest, target, strict, quiet, canonical)
    verdict, found = judged
    same = large.spec.id == codec.spec.id
    if same and (canonical or verdict.rest):
        return None
    tell_unread(settings, large.source(), [one for one in found if one.severity is Severity.ERROR], strict)
    tell_losses(settings, _losses(large, codec, verdict.records), strict)
    if spread is not None and not same and not verdict.rest and codec.header(0).tobytes() == codec.header(1).tobytes():
        convert_spread(settings, spread, large, codec, verdict.records, path, dest)
        if not quiet:
            size = codec.header_size + verdict.records * codec.record_size
            tell_written(settings, [Taken(path, large.spec.id)], dest, target, verdict.records, size)
        return CLEAN
    with (
        opened(path) as source,
        output(dest) as file,
        byte_meter(settings, large.size, f"writing {dest}") as meter,
    ):
        whole = cast(BinaryIO, Head(source, verdict.rest_at)) if verdict.rest else source
        done = convert_stream(large.codec, whole, codec, file, meter.reach)
    if not quiet:
        size = codec.header_size + done.records * codec.record_size + (verdict.end if same else 0)
        tell_written(settings, [Taken(path, large.spec.id)], dest, target, done.records, size)
    return CLEAN


def _bulk_target(large: Large, target: Spec) -> BulkCodec | None:
    try:
        codec = BulkCodec(target)
    except SpecError:
        return None
    return None if why_not_convert(large.codec, codec) else codec


def _losses(large: Large, codec: BulkCodec, records: int) -> Iterator[Diagnostic]:
    for term in sorted(large.codec.terms - codec.terms):
        what = WORDS.get(term, f"the {term}")
        yield Diagnostic(LOST.name, LOST.severity, f"{codec.spec.id} cannot hold {what} ({records:,} times)")
