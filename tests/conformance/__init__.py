"""Kaitai Struct's own test suite, run against this package; the suite itself is fetched by whoever runs it."""
