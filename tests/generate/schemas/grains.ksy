meta:
  id: grains
  title: Grains, for tests
  file-extension: grains
  license: CC0-1.0
  endian: be
  bit-endian: le
doc: Integers and bits of every width and order, floats, and a text that takes the rest, so that generated files try them.
-bridge-samples:
  - name: nulls
    hex: 0000 00000000 0000000000000000 00000000 00 00 00 00 0000 00000000 68
seq:
  - id: short
    type: s2
  - id: little
    type: u4le
  - id: long
    type: s8
  - id: ratio
    type: f4
  - id: three
    type: b3
  - id: eleven
    type: b11
    valid:
      min: 0
      max: 2000
  - id: two
    type: b2
    enum: two
  - id: even
    type: u1
    valid:
      expr: _ % 2 == 0
  - id: cells
    type: b5
    repeat: expr
    repeat-expr: 3
  - id: high
    type: b13be
  - id: rest
    type: str
    size-eos: true
    encoding: ASCII
enums:
  two:
    0: none
    1: one
    2: both
    3: all
