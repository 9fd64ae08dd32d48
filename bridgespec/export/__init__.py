"""Exporters: one module a target."""
