"""Text formats: reader and writer of a format, both derived from its grammar, one class for each piece of it."""

from __future__ import annotations

from bridgespec.codec.text_codec import TextCodec, plain

__all__ = ["TextCodec", "plain"]
