"""Text formats: `codec.TextCodec` reads and writes a format, derived from its grammar, one class for each kind of expression."""
