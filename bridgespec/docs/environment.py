"""The templates (`environment`) and the static files of all generated pages: the site, books of systems, and pages of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bridgespec.docs.prose import code, docstring, highlight, plain, prose, slug, suits
from bridgespec.docs.type_names import term_meaning, term_name, term_order
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import jinja2
else:
    jinja2 = Extra("jinja2")

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self' file: blob: 'wasm-unsafe-eval'; style-src 'self' file:; worker-src blob:; "
    "img-src 'self' file: data:; base-uri 'none'; form-action 'self' file:"
)
"""The content security policy of the site: pages may load the site's own files, from a server (``'self'``) or from the disk
(``file:``), and run the solver, which is WebAssembly.
"""


def environment() -> jinja2.Environment:
    """Return the environment of templates (Jinja), with the filters and functions that they use."""
    loader = jinja2.PackageLoader("bridgespec.docs")
    # An undefined name is an error: by default Jinja prints nothing for it, and a misspelled one would go unnoticed.
    undefined = jinja2.StrictUndefined
    made = jinja2.Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(prose=prose, docstring=docstring, highlight=highlight, code=code, plain=plain, slug=slug, suits=suits)
    made.filters.update(term=term_name, meaning=term_meaning, ordered=term_order)
    made.globals.update(highlight=highlight, policy=POLICY)
    return made
