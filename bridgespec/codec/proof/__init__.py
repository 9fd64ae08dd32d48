"""Proofs of a schema: what its codec does with every value of a field, a record or a rule, found by trying each of them.

`prove` gives the rows of the table of a schema (`claim.Proof`): `binary` makes those of bytes, `arrays` those of integers too wide
for the reference codec, `text` those of grammars, whose texts `language` lists.
"""
