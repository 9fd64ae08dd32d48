"""Files that have nothing to do with bridge: generated from a seed, and found on the machine."""

from __future__ import annotations

import bz2
import csv
import gzip
import html
import io
import json
import lzma
import os
import struct
import sysconfig
import tarfile
import wave
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

Foreign = tuple[str, bytes]
"""A file's name, which may be one that says nothing, and its content."""

WORDS = tuple(
    "the a of and river stone quick brown fox lazy dog window seven north heart club deal board hand double bid contract "  # noqa: SIM905
    "table result play trick number void dealer pass spade East West All None error 1NT KQJ 10 3 42 Club? naïve café".split()
)
RULERS = "-=*~_#.+^|/'69KNclrx"
SIZES = (10, 13, 14, 16, 23, 26, 52, 54, 88, 128, 156)
"""Of records of several formats, so that files of whole records are frequent."""
NEUTRAL = ("x", "x.txt", "x.dat", "x.bin", "x.unknown")


def _size(random: Random, most: int = 6000) -> int:
    record = random.choice(SIZES)
    return random.choice((random.randrange(1, most), record * random.randrange(1, max(2, most // record))))


def noise(random: Random) -> Foreign:
    """Random bytes."""
    return "noise", random.randbytes(_size(random))


def monotony(random: Random) -> Foreign:
    """Few different bytes, often one alone, or a short pattern over and over."""
    size = _size(random)
    few = bytes(
        random.choices(
            random.choice((RULERS.encode(), bytes(range(256)), b"0123456789abcdef", b"NESW1234")), k=random.randrange(1, 6)
        )
    )
    if random.random() < 0.5:
        return "monotony", (few * size)[:size]
    return "monotony", bytes(random.choices(few, k=size))


def sentence(random: Random) -> str:
    """Some words."""
    return " ".join(random.choices(WORDS, k=random.randrange(3, 15))).capitalize() + random.choice(".?!:")


def prose(random: Random) -> Foreign:
    """Paragraphs with rulers between them, in one of several encodings."""
    lines = []
    for _ in range(random.randrange(1, 40)):
        lines.append(random.choice((sentence(random), "", random.choice(RULERS) * random.choice(SIZES), "- " + sentence(random))))
    text = random.choice(("\n", "\r\n")).join(lines)
    return "notes.txt", text.encode(random.choice(("utf-8", "latin-1", "utf-16", "utf-8-sig", "cp1252")))


def code(random: Random) -> Foreign:
    """Something like source code, with comments."""
    mark = random.choice(("#", "//", ";", "%", "--", "{", "*"))
    rows = []
    for _ in range(random.randrange(1, 60)):
        name = random.choice(WORDS)
        rows.append(
            random.choice(
                (
                    f"{mark} {sentence(random)}",
                    f'def {name}(a, b={random.randrange(99)}): return [a, "{name}"]',
                    f'[{name} "{random.choice(WORDS)}"]',
                    f"{name} = {{ {random.random()} }}",
                    f"{random.choice('ABCDEHIKLNPRST')} {random.choice(WORDS)}",
                    f"{random.choice(('md', 'pn', 'if', 'or', 'sv'))}|{name}|",
                    mark + random.choice(RULERS) * random.randrange(3, 80),
                )
            )
        )
    return random.choice(("program.c", "tool.py", "macro.tex", "style.css")), "\n".join(rows).encode()


def markup(random: Random) -> Foreign:
    """An HTML page."""
    rows = [
        f'<a href="https://www.example.org/?n={random.choice(WORDS)}&v=b">{html.escape(sentence(random))}</a>'
        for _ in range(random.randrange(1, 30))
    ]
    return "page.html", ("<!doctype html>\n<html><body>\n" + "<hr>\n".join(rows) + "\n</body></html>\n").encode()


def _value(random: Random, depth: int = 3) -> object:
    kind = random.randrange(7 if depth else 4)
    if kind < 4:
        return (random.randrange(10**6), random.random(), random.choice(WORDS), None)[kind]
    if kind < 6:
        return {random.choice(WORDS): _value(random, depth - 1) for _ in range(random.randrange(5))}
    return [_value(random, depth - 1) for _ in range(random.randrange(5))]


def data(random: Random) -> Foreign:
    """JSON, or a chess game, which has the tags of another game."""
    if random.random() < 0.3:
        tags = "".join(f'[{name} "{random.choice(WORDS)}"]\n' for name in ("Event", "Site", "Date", "Round", "White", "Black"))
        return "game.pgn", f'{tags}[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n'.encode()
    value = {random.choice(WORDS): _value(random) for _ in range(random.randrange(1, 6))}
    return "values.json", json.dumps(value, indent=random.choice((None, 2))).encode()


def numbers(random: Random) -> Foreign:
    """Numbers as lines of digits, as a table, or as binary arrays."""
    count = random.randrange(1, 200)
    kind = random.randrange(5)
    if kind == 0:
        width = random.choice((1, 8, 16, 26, 27, 32, 40, 52, 64))
        digits = random.choice(("0123456789", "0123456789abcdef", "0123456789ABCDEF", "1234", "01"))
        return "digits", "".join("".join(random.choices(digits, k=width)) + "\n" for _ in range(count)).encode()
    if kind == 1:
        table = io.StringIO()
        csv.writer(table).writerows([random.randrange(1000), f"{random.random():.3f}", random.choice(WORDS)] for _ in range(count))
        return "table.tsv", table.getvalue().encode()
    if kind == 2:
        return "counter", b"".join(struct.pack("<I", random.randrange(9) + at) for at in range(count))
    if kind == 3:
        return "floats", struct.pack(f"<{count}d", *(random.gauss(0, 1) for _ in range(count)))
    return "shorts", struct.pack(f"<{count}h", *(int(random.gauss(0, 300)) for _ in range(count)))


def image(random: Random) -> Foreign:
    """An image or a sound: PNG, BMP of one or eight bits, PGM, WAV."""
    wide, high = random.randrange(1, 60), random.randrange(1, 60)
    rows = [bytes((x * y + random.randrange(3)) % 256 for x in range(wide)) for y in range(high)]
    kind = random.randrange(4)
    if kind == 0:

        def chunk(name: bytes, content: bytes) -> bytes:
            return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

        header = chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0))
        return "image.png", b"\x89PNG\r\n\x1a\n" + header + chunk(
            b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))
        ) + chunk(b"IEND", b"")
    if kind == 1:
        depth = random.choice((1, 8))
        line = (wide * depth + 31) // 32 * 4
        body = b"".join(row[:line].ljust(line, b"\xff") for row in rows)
        head = struct.pack(
            "<2sIHHIIiiHHIIiiII", b"BM", 54 + len(body), 0, 0, 54, 40, wide, high, 1, depth, 0, len(body), 0, 0, 2, 0
        )
        return "image.bmp", head + body
    if kind == 2:
        return "image.pgm", f"P5\n{wide} {high}\n255\n".encode() + b"".join(rows)
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(rows) + b"\0" * (len(rows) * wide % 2))
    return "sound.wav", sound.getvalue()


def archive(random: Random) -> Foreign:
    """A compressed file or an archive of other foreign files."""
    name, content = random.choice((prose, code, numbers, monotony))(random)
    packed = {"x.gz": gzip.compress, "x.bz2": bz2.compress, "x.xz": lzma.compress, "x.z": zlib.compress}
    kind = random.choice([*packed, "x.zip", "x.tar"])
    if kind in packed:
        return kind, packed[kind](content)
    file = io.BytesIO()
    if kind == "x.zip":
        with zipfile.ZipFile(file, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as target:
            target.writestr(name, content)
    else:
        with tarfile.open(fileobj=file, mode="w") as tar:
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return kind, file.getvalue()


KINDS: Sequence[Callable[[Random], Foreign]] = (noise, monotony, prose, code, markup, data, numbers, image, archive)


def generated(seed: int, count: int) -> Iterator[Foreign]:
    """Files of every kind in turn, half of them under a name that says nothing."""
    for index in range(count):
        random = Random(f"{seed} {index}")
        name, content = KINDS[index % len(KINDS)](random)
        yield (random.choice(NEUTRAL) if random.random() < 0.5 else name), content


FOLDERS = (sysconfig.get_path("stdlib"), "/usr/share", "/usr/lib", "/usr/bin", "/usr/include", "/etc", "/boot")
BRIDGE = ("bridge", "endplay", "redeal", "dds", ".pbn", ".lin", ".bss")
"""Words in the path of a file that may be of bridge after all."""
LARGEST = 1 << 18


def found(seed: int, count: int) -> Iterator[Foreign]:
    """Files of the machine, drawn at random; fewer where there are fewer."""
    paths = []
    for folder in FOLDERS:
        for where, _, names in os.walk(folder):
            if not any(word in where.lower() for word in BRIDGE):
                paths += [os.path.join(where, name) for name in names if not any(word in name.lower() for word in BRIDGE)]
    random = Random(seed)
    random.shuffle(paths)
    left = count
    for name in paths:
        path = Path(name)
        try:
            if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST:
                continue
            content = path.read_bytes()
        except OSError:
            continue
        if not left:
            return
        left -= 1
        yield (random.choice(NEUTRAL) if random.random() < 0.5 else path.name), content
