meta:
  id: gsp
  title: Generic side patterns
  file-extension: gsp
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 104 ways in which the 26 cards of a side (two partners together) fall into suits, eight bytes each. Generic: the four
  suits may change places. The source names a table of this title; its layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: GSP.BIN Generic side patterns
-bridge-samples:
  - name: three records of the table
    hex: |
      dd00000000000006
      da300000001df460
      d9220000031c8510
seq:
  - id: patterns
    doc: The patterns, the longest suits first.
    type: pattern
    repeat: eos
types:
  pattern:
    doc: One record.
    seq:
      - id: lengths
        doc: The lengths of the four suits, longest first.
        type: b4
        valid: {max: 13}
        repeat: expr
        repeat-expr: 4
      - id: num_sides
        doc: How many sets of 26 cards have these lengths, in any order of the suits.
        type: b48
    instances:
      ways:
        doc: In how many ways thirteen cards of a suit give so many, by the number of cards.
        value: "[1, 13, 78, 286, 715, 1287, 1716, 1716, 1287, 715, 286, 78, 13, 1, 0, 0]"
      orders:
        doc: In how many orders the suits can be put.
        value: >-
          lengths[0] == lengths[3] ? 1 :
          lengths[0] == lengths[2] or lengths[1] == lengths[3] ? 4 :
          lengths[0] == lengths[1] and lengths[2] == lengths[3] ? 6 :
          lengths[0] == lengths[1] or lengths[1] == lengths[2] or lengths[2] == lengths[3] ? 12 : 24
    -bridge-checks:
      - that: sum(lengths) == 26
        code: side-cards
        message: the lengths of the suits do not add up to 26 cards
      - that: lengths[0] >= lengths[1] and lengths[1] >= lengths[2] and lengths[2] >= lengths[3]
        code: side-order
        message: the longest suit does not come first
      - that: num_sides == orders * ways[lengths[0]] * ways[lengths[1]] * ways[lengths[2]] * ways[lengths[3]]
        code: side-count
        message: not as many sets of 26 cards have these lengths
