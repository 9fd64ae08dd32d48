meta:
  id: gsp
  title: Generic side patterns
  file-extension: gsp
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 104 ways in which the 26 cards of a side (two partners together) fall into suits, ten bytes each: the four lengths, longest
  first, and the number of sets of 26 cards that have them. Generic: the four suits may change places, so the number counts every
  order of the lengths. The source names a table of this title; its layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: GSP.BIN Generic side patterns
-bridge-samples:
  - name: the commonest pattern
    hex: 77660066e03e512f0000
  - name: a card too many
    hex: 8766009950def9460000
    codes: [side-cards]
  - name: the shortest suit first
    hex: 66770066e03e512f0000
    codes: [side-order]
  - name: fourteen cards of a suit
    hex: e6600000000000000000
    codes: [side-order]
seq:
  - id: patterns
    doc: The patterns, the longest suit first, then the next.
    type: pattern
    repeat: eos
types:
  pattern:
    doc: One pattern.
    seq:
      - id: lengths
        doc: The lengths of the four suits, longest first.
        type: b4
        repeat: expr
        repeat-expr: 4
      - id: num_sides
        doc: How many sets of 26 cards have these lengths, in any order of the suits.
        type: u8
    instances:
      ways:
        doc: In how many ways thirteen cards of a suit give so many, by the number of cards.
        value: "[1, 13, 78, 286, 715, 1287, 1716, 1716, 1287, 715, 286, 78, 13, 1, 0, 0]"
      orders:
        doc: In how many orders the lengths can be put.
        value: >-
          lengths[0] == lengths[3] ? 1 :
          lengths[0] == lengths[2] or lengths[1] == lengths[3] ? 4 :
          lengths[0] == lengths[1] and lengths[2] == lengths[3] ? 6 :
          lengths[0] == lengths[1] or lengths[1] == lengths[2] or lengths[2] == lengths[3] ? 12 : 24
    -bridge-checks:
      - that: sum(lengths) == 26
        code: side-cards
        message: the lengths of the suits do not add up to 26 cards
      - that: lengths[0] <= 13 and lengths[0] >= lengths[1] and lengths[1] >= lengths[2] and lengths[2] >= lengths[3]
        code: side-order
        message: the lengths are not at most thirteen with the longest first
      - that: num_sides == orders * ways[lengths[0]] * ways[lengths[1]] * ways[lengths[2]] * ways[lengths[3]]
        code: side-count
        message: not as many sets of 26 cards have these lengths
