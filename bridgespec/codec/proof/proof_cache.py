"""A cache of proofs: `quick_proofs` is for documentation pages, which are made repeatedly for the same schemas.

The proofs of one schema file are one file in the user's cache, beside the compiled schemas (`spec.store`). It is used while a
digest of the schema with its imports, of this program and of Python is unchanged. Where nothing can be cached, the proofs are
made each time.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress

from bridgespec.codec.proof.claim import Proof
from bridgespec.codec.proof.prove import QUICK, prove
from bridgespec.spec import store
from bridgespec.spec.flat import NotStorable, flat, from_flat
from bridgespec.spec.ir import Spec


def quick_proofs(spec: Spec) -> list[Proof]:
    """Return the proofs about a schema (see `prove`), limited to what can be tried in the time for a page."""
    own = store.own_folder()
    try:
        schema = json.dumps(flat(spec))
    except (NotStorable, RecursionError):
        own, schema = None, ""
    if own is None:
        return list(prove(spec, QUICK))
    # Character classes depend on the version of Unicode, and that on the version of Python.
    used = "\n".join((store.program("codec", "model"), sys.version, str(QUICK), schema))
    digest = hashlib.sha256(used.encode("utf-8", "surrogatepass")).hexdigest()
    path = own / f"proofs-{hashlib.sha256(f'{spec.id} {spec.path}'.encode()).hexdigest()[:16]}.json"
    with suppress(Exception):
        # A damaged file raises errors of any kind; the proofs can be made again.
        found = store.read_cached(path)
        if found is not None and found[0] == digest:
            return [_row(one) for one in from_flat(json.loads(found[1]))]
    proofs = list(prove(spec, QUICK))
    with suppress(NotStorable, RecursionError, OSError, UnicodeError):
        store.write_cached(path, digest, json.dumps(flat(proofs), separators=(",", ":")))
    return proofs


def _row(value: object) -> Proof:
    """Return a value of the cache file if it is a proof. Raises TypeError for any other value."""
    if not isinstance(value, Proof):
        raise TypeError(f"{type(value).__name__} is no row of proofs")
    return value
