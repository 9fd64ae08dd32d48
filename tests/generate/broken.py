"""Minimal damage: every truncation, flipped bits, bytes put in, taken out or exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st


def truncations(data: bytes) -> Iterator[bytes]:
    """The data cut off before every byte, from none to all but one."""
    return (data[:length] for length in range(len(data)))


def flips(data: bytes) -> Iterator[bytes]:
    """The data with one bit flipped, every bit in turn."""
    for position in range(8 * len(data)):
        yield flip(data, position)


def flip(data: bytes, position: int) -> bytes:
    """The data with the bit at ``8 * byte + bit`` flipped, bit 0 the low one."""
    out = bytearray(data)
    out[position // 8] ^= 1 << position % 8
    return bytes(out)


def variants(data: bytes, random: Random, count: int) -> Iterator[bytes]:
    """The data itself, then others made from it by one fault each: cheap ones, where drawing a file costs more than using it."""
    yield data
    for _ in range(count - 1 if data else 0):
        at, length = random.randrange(len(data)), random.randint(1, 8)
        match random.randrange(5):
            case 0:
                yield data[:at]
            case 1:
                yield flip(data, 8 * at + random.randrange(8))
            case 2:
                yield data[:at] + random.randbytes(length) + data[at + length :]
            case 3:
                yield data[:at] + data[at + length :]
            case _:
                yield data[:at] + random.randbytes(length) + data[at:]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The data with one to three faults."""
    for _ in range(draw(st.integers(1, 3))):
        if not data:
            return draw(st.binary(max_size=8))
        at = draw(st.integers(0, len(data) - 1))
        length = draw(st.integers(1, min(32, len(data) - at)))
        match draw(st.sampled_from(("cut", "flip", "replace", "insert", "delete", "repeat", "swap"))):
            case "cut":
                data = data[:at]
            case "flip":
                data = flip(data, 8 * at + draw(st.integers(0, 7)))
            case "replace":
                data = data[:at] + draw(st.binary(min_size=length, max_size=length)) + data[at + length :]
            case "insert":
                data = data[:at] + draw(st.binary(min_size=1, max_size=8)) + data[at:]
            case "delete":
                data = data[:at] + data[at + length :]
            case "repeat":
                data = data[: at + length] + data[at:]
            case "swap":
                other = draw(st.integers(0, len(data) - length))
                low, high = min(at, other), max(at, other)
                if low + length <= high:
                    one, two = data[low : low + length], data[high : high + length]
                    data = data[:low] + two + data[low + length : high] + one + data[high + length :]
    return data
