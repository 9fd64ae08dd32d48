meta:
  id: ssx
  title: Specific sideprints
  file-extension: ssx
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 239,344 lengths of the hands of two partners in the four named suits, twelve bytes each. The hands are a first and a
  second one. The source names a table of this title; its layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: SSX.BIN Specific sideprints
-bridge-samples:
  - name: three records of the table
    hex: |
      d0000d000100000000000000
      903132710076f41416010000
      80054234b80de71ac30b0000
seq:
  - id: prints
    doc: The prints, in descending order of their lengths.
    type: print
    repeat: eos
types:
  print:
    doc: One record.
    seq:
      - id: lengths
        doc: How many spades, hearts, diamonds and clubs the first hand has, then the second.
        type: b4
        valid: {max: 13}
        repeat: expr
        repeat-expr: 8
      - id: num_pairs
        doc: How many pairs of hands have these lengths.
        type: u8
    -bridge-checks:
      - that: lengths[0] + lengths[1] + lengths[2] + lengths[3] == 13 and lengths[4] + lengths[5] + lengths[6] + lengths[7] == 13
        code: print-cards
        message: a hand does not have thirteen cards
      - that: lengths[0] + lengths[4] <= 13 and lengths[1] + lengths[5] <= 13 and lengths[2] + lengths[6] <= 13 and lengths[3] + lengths[7] <= 13
        code: print-suit
        message: the two hands have more than thirteen cards of a suit
