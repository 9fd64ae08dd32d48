"""Files that are easily made, read by the gallery's schemas: without an error, and written back byte for byte, from JSON too.

A database of sqlite3 is not among them: the gallery's schema asks for text of no size where a column holds a number, which
the Kaitai compiler's own parser cannot read either.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
import wave
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from bridgespec.codec import fields
from bridgespec.codec.format import Format
from bridgespec.codec.node import plain
from bridgespec.diagnostic import Severity
from bridgespec.spec.kaitai import schema as ksy
from tests.conformance.suite import Result, guarded


def png() -> bytes:
    """A picture of 3 by 2 grey pixels."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0\1\2\3\0\4\5\6")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def bmp() -> bytes:
    """A picture of 2 by 2 pixels of 24 bits."""
    info = struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 70, 0, 0, 54) + info + bytes(range(16))


def gif() -> bytes:
    """A picture of one pixel."""
    return bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002014400 3b".replace(" ", ""))


def wav() -> bytes:
    """A tenth of a second of silence."""
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(1600))
    return out.getvalue()


def archive() -> bytes:
    """Two files, one compressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("a/b.txt", "hello " * 30, zipfile.ZIP_DEFLATED)
        packed.writestr("c.txt", "hi")
    return out.getvalue()


def program() -> bytes:
    """The running interpreter's first shared library or itself: an ELF file, where this is Linux."""
    data = Path(sys.executable).resolve().read_bytes()
    return data if data[:4] == b"\x7fELF" and len(data) < 10_000_000 else b""


def capture() -> bytes:
    """One packet that was captured, an IP header."""
    packet = bytes.fromhex("45000028000100004006f97d7f0000017f0000011f90005000000000000000005002200000000000")
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    return head + struct.pack("<IIII", 1, 2, len(packet), len(packet)) + packet


def query() -> bytes:
    """A question to a name server."""
    return struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\x03www\x07example\x03org\0" + struct.pack(">HH", 1, 1)


def catalogue() -> bytes:
    """A catalogue of one translated message."""
    head = struct.pack("<7I", 0x950412DE, 0, 1, 28, 36, 0, 44)
    return head + struct.pack("<IIII", 2, 44, 3, 47) + b"hi\0yo!\0"


FILES: dict[str, Callable[[], bytes]] = {
    "archive/gzip": lambda: gzip.compress(b"hello" * 20),
    "archive/zip": archive,
    "common/utf8_string": "héllo ☺".encode,
    "database/gettext_mo": catalogue,
    "executable/elf": program,
    "image/bmp": bmp,
    "image/gif": gif,
    "image/png": png,
    "media/wav": wav,
    "network/dns_packet": query,
    "network/pcap": capture,
}
"""Schemas of the gallery, and what makes a file for each; an empty file means that this machine has none."""


def run_all(gallery: Path) -> list[Result]:
    """Every schema for which there is a file."""
    return [guarded(name, lambda name=name: run(gallery, name)) for name in FILES if FILES[name]()]  # type: ignore[misc]


def run(gallery: Path, name: str) -> str:
    """Why a file cannot be read or written; nothing where it can."""
    known = Format(ksy.load(gallery / f"{name}.ksy", [gallery]))
    codec = known.codec
    data = FILES[name]()
    reading = codec.read(data)
    errors = [d for d in reading.diagnostics if d.severity is Severity.ERROR]
    if errors:
        return f"{errors[0].field}: {errors[0].message}"
    if codec.write(plain(reading.root)) != data:
        return "written back, the bytes differ"
    made = fields.load(known, json.loads(fields.dump(known, reading)))
    return "" if made.data == data and not made.differs else "made of the JSON of its fields, the bytes differ"
