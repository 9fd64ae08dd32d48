"""Conversions of schemas to the forms of other programs."""
