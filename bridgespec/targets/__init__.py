"""Generators of code in other languages and libraries from schemas."""
