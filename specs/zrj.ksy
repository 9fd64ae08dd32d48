meta:
  id: zrj
  title: ZRJ deals solved for one hand
  tags: [database]
  file-extension: zrj
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Deals with the double-dummy results of one hand in the five strains, sixteen bytes each, a size that suits a machine's
  words. A record that begins with 32 null bits ends the list; in files it is optional.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-checksum: sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: ZRJ is similar to ZRD but stores only the double-dummy results of one hand (in all five strains).
-bridge-samples:
  - name: the first random solved deal, South's results
    hex: 72527a0ae17ae4f952e041fc7c 43 24 63
  - name: unused bits set
    doc: Bits 106 and 107 must be null.
    hex: 72527a0ae17ae4f952e041fc7c 47 24 63
    codes: [bad-padding]
  - name: fourteen tricks
    hex: 72527a0ae17ae4f952e041fc7c e3 24 63
    codes: [bad-tricks]
seq:
  - id: boards
    doc: The deals with one hand's results, in order.
    type: board
    repeat: eos
    -bridge-end: {bits: 32, short: 4}
types:
  board:
    doc: One deal and the results of one hand.
    seq:
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: declarer
        doc: The hand whose results follow.
        type: b2
        enum: seat
      - id: unused
        doc: Always null.
        type: b2
        valid: 0
        -bridge-value: "0"
        -bridge-code: bad-padding
        -bridge-severity: warning
      - id: tricks
        doc: The tricks that the hand takes as declarer in each strain with best play by all; 15 where unknown.
        type: b4
        repeat: expr
        repeat-expr: 5
        valid:
          expr: _ <= 13 or _ == 15
        -bridge-axes: [{strain: NSHDC}]
        -bridge-at: {seat: declarer}
        -bridge-unknown: 15
        -bridge-code: bad-tricks
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
