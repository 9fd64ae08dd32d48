meta:
  id: gsx
  title: Generic sideprints
  file-extension: gsx
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 10,466 lengths of the hands of two partners, thirteen bytes each. Generic: the four suits may change places; the hands
  may not, they are a first and a second one. The source names a table of this title; its layout is not known here, and this
  one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: GSX.BIN Generic sideprints
-bridge-samples:
  - name: three records of the table
    hex: |
      d0000d000c0100000000000000
      a300327118509b3d1e13000000
      a21004451888f7ae3573370000
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
        doc: The four lengths of the first hand, longest first, then those of the second in the same order of suits.
        type: b4
        valid: {max: 13}
        repeat: expr
        repeat-expr: 8
      - id: num_orders
        doc: How many orders of the suits differ.
        type: u1
      - id: num_pairs
        doc: How many pairs of hands have these lengths in one order of the suits.
        type: u8
    -bridge-checks:
      - that: lengths[0] + lengths[1] + lengths[2] + lengths[3] == 13 and lengths[4] + lengths[5] + lengths[6] + lengths[7] == 13
        code: print-cards
        message: a hand does not have thirteen cards
      - that: lengths[0] + lengths[4] <= 13 and lengths[1] + lengths[5] <= 13 and lengths[2] + lengths[6] <= 13 and lengths[3] + lengths[7] <= 13
        code: print-suit
        message: the two hands have more than thirteen cards of a suit
      - that: 14 * lengths[0] + lengths[4] >= 14 * lengths[1] + lengths[5] and 14 * lengths[1] + lengths[5] >= 14 * lengths[2] + lengths[6] and 14 * lengths[2] + lengths[6] >= 14 * lengths[3] + lengths[7]
        code: print-order
        message: the suits are not in descending order
