meta:
  id: gdx
  title: Generic dealprints
  file-extension: gdx
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 66,789 lengths of the four hands of a deal in the four suits, 26 bytes each. Generic: the suits may change places, and
  the hands may, in any way. The specific prints that they arise from are 37,478,624. The source names a table of this
  title; its layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: GDX.BIN Generic dealprints
-bridge-samples:
  - name: three records of the table
    hex: |
      d0000d0000d0000d180001000000010000000100000001000000
      b20017321237027440029c000000485b0200108600008c640000
      b11014441309058040029c000000a87f050023190000cb020000
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
        doc: Four lengths a hand, in the same order of suits.
        type: b4
        valid: {max: 13}
        repeat: expr
        repeat-expr: 16
      - id: num_prints
        doc: How many specific prints it is, by changes of suits and hands.
        type: u2
        valid: {min: 1, max: 576}
      - id: suit_ways
        doc: In how many ways each suit can be dealt so; their product is the number of deals with one specific print.
        type: u4
        repeat: expr
        repeat-expr: 4
    -bridge-checks:
      - that: lengths[0] + lengths[1] + lengths[2] + lengths[3] == 13 and lengths[4] + lengths[5] + lengths[6] + lengths[7] == 13 and lengths[8] + lengths[9] + lengths[10] + lengths[11] == 13 and lengths[12] + lengths[13] + lengths[14] + lengths[15] == 13
        code: print-cards
        message: a hand does not have thirteen cards
      - that: lengths[0] + lengths[4] + lengths[8] + lengths[12] == 13 and lengths[1] + lengths[5] + lengths[9] + lengths[13] == 13 and lengths[2] + lengths[6] + lengths[10] + lengths[14] == 13 and lengths[3] + lengths[7] + lengths[11] + lengths[15] == 13
        code: print-suit
        message: the hands do not have thirteen cards of each suit
