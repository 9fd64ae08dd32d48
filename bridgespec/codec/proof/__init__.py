"""Proofs about a schema: what its codec does with every value of a field, a record or a rule, found by trying each value.

`prove.prove` returns them as the rows of a table (`claim.Proof`). `binary_proofs` makes those of binary schemas, with
`field_proofs` for each field; `text_proofs` makes those of grammars, whose texts `text_sets` lists.
"""
