"""Pack deals and tables into bits and unpack them: 13 bytes a deal (two bits a card), 10 bytes a table (four bits a cell).

Both run from the low bits up, in slot order and in table order (strain NT S H D C by declarer W N E S).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgespec.model.tricks import UNSOLVED

ByteArray = NDArray[np.uint8]

# The holders of four cards by their byte: one look-up for four cards and not shifts over the whole array.
_FOUR_CARDS = (np.arange(256, dtype=np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)) & np.uint8(3)


def as_bytes(numbers: NDArray[np.generic], what: str) -> ByteArray:
    """Return an array of any integer type as bytes, of the same shape. Raises ValueError if a number is not 0 to 255.

    ``what`` names the numbers in the message.
    """
    numbers = np.asarray(numbers)
    if numbers.dtype == np.uint8:
        return np.ascontiguousarray(numbers, np.uint8)
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"{what} are whole numbers, not {numbers.dtype}")
    # astype would wrap: 256 would become West.
    if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) > 255):
        raise ValueError(f"{what} are bytes, 0 to 255")
    return np.ascontiguousarray(numbers, np.uint8)


def unpack_deals(packed: bytes | ByteArray) -> ByteArray:
    """Return the (N, 52) holders of packed deals, which are bytes or (N, 13). Raises ValueError unless there are 13 bytes a deal.

    >>> unpack_deals(bytes.fromhex("72527a0ae17ae4f952e041fc7c"))[0, :13].tolist()
    [2, 0, 3, 1, 2, 0, 1, 1, 2, 2, 3, 1, 2]
    """
    flat = np.frombuffer(packed, np.uint8) if isinstance(packed, bytes) else as_bytes(packed, "packed deals").ravel()
    if len(flat) % 13:
        raise ValueError(f"packed deals have 13 bytes each: {len(flat)} bytes are not a whole number of deals")
    return _FOUR_CARDS[flat].reshape(-1, 52)


def pack_deals(deals: ByteArray) -> ByteArray:
    """Return (N, 13) packed deals of (N, 52) holders. Raises ValueError for a card that is in no hand.

    >>> packed = bytes(range(1, 14))
    >>> pack_deals(unpack_deals(packed)).tobytes() == packed
    True
    """
    if deals.ndim != 2 or deals.shape[1] != 52:
        raise ValueError(f"deals are (N, 52) holders, not {deals.shape}")
    deals = as_bytes(deals, "holders")
    if deals.size and deals.max() > 3:
        raise ValueError("a packed deal has no room for cards that nobody holds")
    # Little-endian on any machine: the product below needs the first of four cards in the low byte.
    words = deals.view("<u4")
    # The product puts the four cards of a word into its top byte; the lower bytes never carry into it.
    gathered: ByteArray = ((words * np.uint32(1 << 24 | 1 << 18 | 1 << 12 | 1 << 6)) >> np.uint32(24)).astype(np.uint8)
    return gathered


def pack_tables(tables: ByteArray) -> ByteArray:
    """Return (N, 10) packed tables of (N, 20) cells. Raises ValueError for a cell that is not 0 to 15.

    >>> pack_tables(np.array([[9, 4] * 10], np.uint8)).tobytes().hex()
    '49494949494949494949'
    """
    if tables.ndim != 2 or tables.shape[1] != 20:
        raise ValueError(f"tables are (N, 20) cells, not {tables.shape}")
    tables = as_bytes(tables, "cells")
    if tables.size and tables.max() > UNSOLVED:
        raise ValueError("a packed table has no room for cells above 15")
    packed: ByteArray = tables[:, 0::2] | (tables[:, 1::2] << np.uint8(4))
    return packed


def unpack_tables(packed: bytes | ByteArray) -> ByteArray:
    """Return the (N, 20) cells of packed tables, bytes or (N, 10). Raises ValueError unless there are 10 bytes a table."""
    flat = np.frombuffer(packed, np.uint8) if isinstance(packed, bytes) else as_bytes(packed, "packed tables").ravel()
    if len(flat) % 10:
        raise ValueError(f"packed tables have 10 bytes each: {len(flat)} bytes are not a whole number of tables")
    cells = np.empty((len(flat), 2), np.uint8)
    cells[:, 0], cells[:, 1] = flat & UNSOLVED, flat >> 4
    return cells.reshape(-1, 20)
