meta:
  id: ssp
  title: Specific side patterns
  file-extension: ssp
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 1,834 ways in which the 26 cards of a side (two partners together) fall into the four named suits, eight bytes each.
  The source names a table of this title; its layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: SSP.BIN Specific side patterns
-bridge-samples:
  - name: three records of the table
    hex: |
      dd00000000000001
      d21a000000046cd4
      c5630001e96c8f88
seq:
  - id: patterns
    doc: The patterns, longer spades first, then longer hearts, then longer diamonds.
    type: pattern
    repeat: eos
types:
  pattern:
    doc: One record.
    seq:
      - id: lengths
        doc: How many spades, hearts, diamonds and clubs.
        type: b4
        valid: {max: 13}
        repeat: expr
        repeat-expr: 4
      - id: num_sides
        doc: How many sets of 26 cards have these lengths.
        type: b48
    instances:
      ways:
        doc: In how many ways thirteen cards of a suit give so many, by the number of cards.
        value: "[1, 13, 78, 286, 715, 1287, 1716, 1716, 1287, 715, 286, 78, 13, 1, 0, 0]"
    -bridge-checks:
      - that: sum(lengths) == 26
        code: side-cards
        message: the lengths of the suits do not add up to 26 cards
      - that: num_sides == ways[lengths[0]] * ways[lengths[1]] * ways[lengths[2]] * ways[lengths[3]]
        code: side-count
        message: not as many sets of 26 cards have these lengths
