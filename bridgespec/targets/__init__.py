"""Schemas in the forms that other programs use."""
