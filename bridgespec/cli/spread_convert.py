"""Converting a large file of fixed-size records on a cluster: chunks of records go out, and come back to be joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bridgespec.cli.files import opened, output
from bridgespec.cli.large import Large
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.settings import Settings
from bridgespec.cli.spread import Spread, regrouped, spread_over
from bridgespec.cluster.jobs import convert_chunk
from bridgespec.cluster.run import Chunk
from bridgespec.cluster.store import digest
from bridgespec.codec.bulk.codec import BulkCodec
from bridgespec.codec.bulk.stream import RecordStream


def convert_spread(settings: Settings, spread: Spread, large: Large, codec: BulkCodec, records: int, path: str, dest: str) -> None:
    """Convert chunks of records on a cluster and join them."""
    folders = tuple(map(str, settings.specs))

    def chunks(stream: BinaryIO) -> Iterator[Chunk]:
        first = 0
        for rows in regrouped(RecordStream(large.codec, stream), spread.size):
            data = rows.tobytes()
            formats = (large.spec.id, codec.spec.id)
            name = digest(b"convert", *map(str.encode, formats), first.to_bytes(8), data)
            yield Chunk(name, convert_chunk, (data, first, *formats, folders), len(rows))
            first += len(rows)

    with (
        opened(path) as source,
        byte_meter(settings, records * codec.record_size, f"writing {dest}") as meter,
        spread_over(settings, spread, dest, records, lambda count: None) as found,
        output(dest) as file,
    ):
        done = file.write(codec.header(0).tobytes())
        for body in found.run(chunks(source)):
            done += file.write(body)
            meter.reach(done)
