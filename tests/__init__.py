"""The tests; a package, so that its tools run with ``python -m``."""
