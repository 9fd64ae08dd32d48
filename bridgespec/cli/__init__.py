"""The command line: every module here that exposes ``command`` is a command."""

from bridgespec.cli.app import app, main

__all__ = ["app", "main"]
