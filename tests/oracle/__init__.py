"""The comparison with the real Kaitai compiler: a tool of the tests, never shipped."""
