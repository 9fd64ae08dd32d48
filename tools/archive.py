"""Wheels and source archives whose bytes depend on nothing but their contents: no clock, no user, no order of a folder."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import tarfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

EARLIEST = 315532800
"""The first day that a zip file can name: 1 January 1980."""


def read_wheel(path: Path) -> dict[str, bytes]:
    """The files of a wheel by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def wheel(files: Mapping[str, bytes], tags: str, seconds: int) -> tuple[str, bytes]:
    """The name and bytes of a wheel of these files for these tags (``cp311-abi3-win_amd64``; dots between several of a kind).

    ``files`` are those of another wheel, whose tags and record are replaced; ``seconds`` is the time that all of them get.
    """
    kept = {name: data for name, data in files.items() if not name.endswith((".dist-info/RECORD", ".dist-info/WHEEL"))}
    (info,) = {name.split("/")[0] for name in kept if name.split("/")[0].endswith(".dist-info")}
    old = files[f"{info}/WHEEL"].decode().splitlines()
    head = [line for line in old if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    pythons, abis, platforms = (part.split(".") for part in tags.split("-"))
    every = [f"Tag: {python}-{abi}-{platform}" for python in pythons for abi in abis for platform in platforms]
    kept[f"{info}/WHEEL"] = ("\n".join([*head, "Root-Is-Purelib: false", *every]) + "\n").encode()
    kept[f"{info}/RECORD"] = _record(kept, f"{info}/RECORD")
    # What describes a wheel stands last, so that it can be found without reading the rest.
    order = sorted(kept, key=lambda name: (name.startswith(info), name))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in order:
            entry = zipfile.ZipInfo(name, time.gmtime(max(seconds, EARLIEST))[:6])
            entry.external_attr = (0o100755 if name.endswith((".so", ".dylib", ".dll")) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Which system made the archive is told too, and is the same everywhere.
            entry.create_system = 3
            archive.writestr(entry, kept[name], compresslevel=9)
    return f"{info.removesuffix('.dist-info')}-{tags}.whl", target.getvalue()


def _record(files: Mapping[str, bytes], own: str) -> bytes:
    rows = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(files[name])}")
    return ("\n".join([*rows, f"{own},,"]) + "\n").encode()


def source(path: Path, seconds: int) -> bytes:
    """A source archive (``.tar.gz``) made anew, its files in order and all of one time and of nobody."""
    plain = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            entry = tarfile.TarInfo(member.name)
            entry.type, entry.size, entry.mtime = member.type, member.size, seconds
            entry.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(entry, old.extractfile(member) if member.isfile() else None)
    target = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, target, mtime=0) as packed:
        packed.write(plain.getvalue())
    return target.getvalue()
