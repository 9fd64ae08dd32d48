"""Bulk codecs: read, check and write millions of fixed-size records at once, as NumPy arrays."""
