"""Checksums of bytes: CRC of any width by its parameters, Fletcher, and digests, for the table of functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

MOST_WIDTH = 128
"""The bits of the widest CRC."""


class CrcModel(NamedTuple):
    """The parameters of a CRC, as in the catalogue of parametrised CRC algorithms; ``init`` is not reflected."""

    width: int
    poly: int
    init: int
    refin: bool
    refout: bool
    xorout: int


_CRC16_KERMIT = CrcModel(16, 0x1021, 0, True, True, 0)
_CRC32 = CrcModel(32, 0x04C11DB7, 0xFFFFFFFF, True, True, 0xFFFFFFFF)
_CRC32C = CrcModel(32, 0x1EDC6F41, 0xFFFFFFFF, True, True, 0xFFFFFFFF)
MODELS: Mapping[str, CrcModel] = {
    "crc-5/usb": CrcModel(5, 0x05, 0x1F, True, True, 0x1F),
    "crc-7/mmc": CrcModel(7, 0x09, 0, False, False, 0),
    "crc-8": CrcModel(8, 0x07, 0, False, False, 0),
    "crc-8/autosar": CrcModel(8, 0x2F, 0xFF, False, False, 0xFF),
    "crc-8/smbus": CrcModel(8, 0x07, 0, False, False, 0),
    "crc-8/maxim-dow": CrcModel(8, 0x31, 0, True, True, 0),
    "crc-12/umts": CrcModel(12, 0x80F, 0, False, True, 0),
    "crc-15/can": CrcModel(15, 0x4599, 0, False, False, 0),
    "crc-16/arc": CrcModel(16, 0x8005, 0, True, True, 0),
    "crc-16/ccitt": _CRC16_KERMIT,
    "crc-16/ccitt-false": CrcModel(16, 0x1021, 0xFFFF, False, False, 0),
    "crc-16/dnp": CrcModel(16, 0x3D65, 0, True, True, 0xFFFF),
    "crc-16/genibus": CrcModel(16, 0x1021, 0xFFFF, False, False, 0xFFFF),
    "crc-16/ibm-3740": CrcModel(16, 0x1021, 0xFFFF, False, False, 0),
    "crc-16/kermit": _CRC16_KERMIT,
    "crc-16/modbus": CrcModel(16, 0x8005, 0xFFFF, True, True, 0),
    "crc-16/t10-dif": CrcModel(16, 0x8BB7, 0, False, False, 0),
    "crc-16/usb": CrcModel(16, 0x8005, 0xFFFF, True, True, 0xFFFF),
    "crc-16/x-25": CrcModel(16, 0x1021, 0xFFFF, True, True, 0xFFFF),
    "crc-16/xmodem": CrcModel(16, 0x1021, 0, False, False, 0),
    "crc-24/openpgp": CrcModel(24, 0x864CFB, 0xB704CE, False, False, 0),
    "crc-32": _CRC32,
    "crc-32/bzip2": CrcModel(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0xFFFFFFFF),
    "crc-32/cksum": CrcModel(32, 0x04C11DB7, 0, False, False, 0xFFFFFFFF),
    "crc-32/iscsi": _CRC32C,
    "crc-32/iso-hdlc": _CRC32,
    "crc-32/mpeg-2": CrcModel(32, 0x04C11DB7, 0xFFFFFFFF, False, False, 0),
    "crc-32c": _CRC32C,
    "crc-64/ecma-182": CrcModel(64, 0x42F0E1EBA9EA3693, 0, False, False, 0),
    "crc-64/go-iso": CrcModel(64, 0x1B, (1 << 64) - 1, True, True, (1 << 64) - 1),
    "crc-64/xz": CrcModel(64, 0x42F0E1EBA9EA3693, (1 << 64) - 1, True, True, (1 << 64) - 1),
}
"""CRCs by their names in the catalogue, or by names in common use."""


def crc(data: bytes, *model: str | int) -> int:
    """Return the CRC of data, by the name of a model, or by its width, poly, init, refin, refout and xorout.

    Raises ValueError for an unknown model, or a width that is not 1 to `MOST_WIDTH`.

    >>> hex(crc(b"123456789", "crc-16/ccitt")), hex(crc(b"123456789", 16, 0x1021, 0xffff, 0, 0, 0))
    ('0x2189', '0x29b1')
    """
    given = MODELS.get(str(model[0])) if len(model) == 1 else CrcModel._make(map(int, model))
    if given is None:
        raise ValueError(f"there is no CRC {model[0]!r}")
    width, poly, init, refin, refout, xorout = given
    if not 1 <= width <= MOST_WIDTH:
        raise ValueError(f"a CRC has 1 to {MOST_WIDTH} bits, not {width}")
    table = _table(width, poly, bool(refin))
    # The reflected algorithm needs no reversal of each byte: its register and table are reversed instead.
    if refin:
        found = _reflected(init, width)
        for byte in data:
            found = found >> 8 ^ table[(found ^ byte) & 0xFF]
    else:
        # A register narrower than a byte is kept in the high bits of one.
        pad = max(8 - width, 0)
        shift, mask = width + pad - 8, (1 << (width + pad)) - 1
        found = init << pad
        for byte in data:
            found = (found << 8 & mask) ^ table[(found >> shift ^ byte) & 0xFF]
        found >>= pad
    # The register is already reflected where the input is.
    return (_reflected(found, width) if bool(refin) != bool(refout) else found) ^ xorout


@lru_cache(64)
def _table(width: int, poly: int, reflected: bool) -> tuple[int, ...]:
    """Return the table for byte-wise computation: the CRC register after each single byte, starting from zero."""
    found = []
    pad = max(8 - width, 0)
    turned, top, mask = _reflected(poly, width), 1 << (width + pad - 1), (1 << (width + pad)) - 1
    for byte in range(256):
        value = byte if reflected else byte << (width + pad - 8)
        for _ in range(8):
            if reflected:
                value = value >> 1 ^ turned if value & 1 else value >> 1
            else:
                value = (value << 1 ^ poly << pad if value & top else value << 1) & mask
        found.append(value)
    return tuple(found)


def _reflected(value: int, width: int) -> int:
    """Return the lowest ``width`` bits of a value in reverse order."""
    return int(f"{value & (1 << width) - 1:0{width}b}"[::-1], 2)


def fletcher(data: bytes, width: int) -> int:
    """Return Fletcher's checksum of 16, 32 or 64 bits: two sums of little-endian words of half the width. Raises ValueError for
    another width.

    >>> hex(fletcher(b"abcde", 16)), hex(fletcher(b"abcde", 32)), hex(fletcher(b"abcde", 64))
    ('0xc8f0', '0xf04fc729', '0xc8c6c527646362c6')
    """
    if width not in (16, 32, 64):
        raise ValueError(f"Fletcher's checksum has 16, 32 or 64 bits, not {width}")
    size = width // 16
    low = high = 0
    for at in range(0, len(data), size):
        low = (low + int.from_bytes(data[at : at + size], "little")) % ((1 << width // 2) - 1)
        high = (high + low) % ((1 << width // 2) - 1)
    return high << width // 2 | low


def _digest(name: str) -> Callable[[bytes], bytes]:
    # Systems in FIPS mode refuse MD5 and SHA-1 for security, but not as checksums.
    return lambda data: hashlib.new(name, data, usedforsecurity=False).digest()


md5, sha1, sha256 = _digest("md5"), _digest("sha1"), _digest("sha256")
