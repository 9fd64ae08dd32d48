"""Converting a large file of fixed-size records: as arrays, in memory that does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    tell_losses(settings, _losses(large, [codec], verdict.records), strict)
    if spread is not None and not same and not verdict.rest and codec.header(0).tobytes() == codec.header(1).tobytes():
        convert_spread(settings, spread, large, codec, verdict.records, path, dest)
        if not quiet:
            size = codec.header_size + verdict.records * codec.record_size
            tell_written(settings, [Taken(path, large.spec.id)], dest, target, verdict.records, size)
        return CLEAN
    _write(settings, large, codec, dest, target, quiet, verdict.end, verdict.rest_at if verdict.rest else None)
    return CLEAN


def split_large(
    settings: Settings, path: str, format: str | None, dests: Sequence[str], targets: Sequence[Target], strict: bool, quiet: bool
) -> bool:
    """Write each DEST with the part of the file that its format holds, as arrays, and say whether that could be done; where not,
    nothing has happened yet.
    """
    large = large_file(settings, path, format) if all(isinstance(target, Spec) for target in targets) else None
    codecs = [_bulk_target(large, target) for target in targets if isinstance(target, Spec)] if large is not None else []
    kept = [codec for codec in codecs if codec is not None]
    if large is None or len(kept) < len(targets):
        return False
    judged = judged_large(settings, large)
    if judged is None or not judged[0].records or judged[0].rest:
        return False
    verdict, found = judged
    tell_unread(settings, large.source(), [one for one in found if one.severity is Severity.ERROR], strict)
    tell_losses(settings, _losses(large, kept, verdict.records), strict)
    for dest, target, codec in zip(dests, targets, kept, strict=True):
        _write(settings, large, codec, dest, target, quiet, verdict.end)
    return True


def _write(
    settings: Settings, large: Large, codec: BulkCodec, dest: str, target: Target, quiet: bool, end: int, stop: int | None = None
) -> None:
    """Write the records of the file, up to byte ``stop``, in the codec's format; its own keeps an end record of so many bytes."""
    with (
        opened(large.path) as source,
        output(dest) as file,
        byte_meter(settings, large.size, f"writing {dest}") as meter,
    ):
        whole = cast(BinaryIO, Head(source, stop)) if stop is not None else source
        done = convert_stream(large.codec, whole, codec, file, meter.reach)
    if not quiet:
        size = codec.header_size + done.records * codec.record_size + (end if large.spec.id == codec.spec.id else 0)
        tell_written(settings, [Taken(large.path, large.spec.id)], dest, target, done.records, size)


def _bulk_target(large: Large, target: Spec) -> BulkCodec | None:
    try:
        codec = BulkCodec(target)
    except SpecError:
        return None
    return None if why_not_convert(large.codec, codec) else codec


def _losses(large: Large, codecs: Sequence[BulkCodec], records: int) -> Iterator[Diagnostic]:
    """What none of the targets can hold."""
    for term in sorted(large.codec.terms.difference(*(codec.terms for codec in codecs))):
        what = WORDS.get(term, f"the {term}")
        yield Diagnostic(LOST.name, LOST.severity, f"{codecs[0].spec.id} cannot hold {what} ({records:,} times)")
