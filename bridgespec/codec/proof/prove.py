"""Make the table of proofs of a schema: `prove` tries each field and rule with all of its values, or with as many as allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bridgespec.codec.format import Format
from bridgespec.codec.probe_boards import SPECIMENS, trials
from bridgespec.codec.proof.binary_proofs import binary_proofs
from bridgespec.codec.proof.claim import Proof, Property, Status
from bridgespec.codec.proof.text_proofs import text_proofs
from bridgespec.model.document import Document
from bridgespec.spec.ir import Spec

EVERYTHING = 1 << 31
"""The default limit: the number of values of a field that are tried as arrays within minutes."""
QUICK = 1 << 20
"""The number of values of a field that are tried within a second, for documentation pages."""
_TEXTS = 1 << 14
"""The maximum number of texts of a rule that are tried: each is read and written by itself."""


def prove(spec: Spec, most: int = EVERYTHING) -> Iterator[Proof]:
    """Return the proofs of a schema, in the order of its records or rules; at most ``most`` values of a field are tried.

    >>> from bridgespec.spec.kaitai.schema import loads
    >>> for proof in prove(loads("meta: {id: one, bit-endian: le}\\nseq: [{id: a, type: b4, valid: {max: 9}}, {id: b, type: b4}]")):
    ...     print(proof.about, "|", proof.property, "|", proof.status, "|", proof.told)
    one | every byte | proved | bits: 8 of values
    one.a | written back | proved | all 16 bit patterns, 10 accepted
    one.a | constraint decides | proved | 10 of 16 accepted
    one.a | one spelling | proved | 10 accepted patterns are 10 values
    one.b | written back | proved | all 16 bit patterns, 16 accepted
    one.b | one spelling | proved | 16 accepted patterns are 16 values
    """
    format = Format(spec)
    if format.text is None:
        yield from binary_proofs(spec, most)
    else:
        yield from text_proofs(format.text.engine, min(most, _TEXTS))
    if format.binder.terms:
        yield _boards(format)


def _boards(format: Format) -> Proof:
    """Return the proof that generated boards are read back as they were written, sampled."""

    def write(document: Document) -> tuple[bytes, Document]:
        data, _, placed = format.trial(document)
        return data, placed

    def read(data: bytes) -> tuple[Document, str | None]:
        reading, document = format.read(data)
        errors = [one.message for one in reading.diagnostics if one.severity == "error"]
        return document, errors[0] if errors else None

    lost = [f"{one.term}: {one.lost}" if one.term else one.lost for one in trials(format.binder, write, read)]
    name = format.spec.id
    told = f"{SPECIMENS} generated boards, each with every term"
    proof = Proof(name, Property.BOARDS, Status.SAMPLED, SPECIMENS, None, told)
    return replace(proof, status=Status.FALSE, witness=lost[0]) if lost else proof
