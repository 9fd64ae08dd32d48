"""Readers in C99: a header and a source of a schema whose records have one size."""
