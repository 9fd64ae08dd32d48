"""The reference path of binary formats: every schema, every field with its place."""
