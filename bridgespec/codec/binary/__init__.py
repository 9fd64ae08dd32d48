"""The reference codec of binary formats: reads every schema, every field with its span. `codec.BinaryCodec` is the entry."""
