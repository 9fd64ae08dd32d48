meta:
  id: zrd
  title: ZRD solved deals
  tags: [database]
  file-extension: zrd
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Deals with their double-dummy results, 23 bytes each: the thirteen bytes of a deal, then the ten bytes of its results.
  The database of 10,485,760 random solved deals is published in this form. A record that begins with 32 null bits
  ends the list; in files it is optional. Some files hold a result of nulls after a real deal, which means "not solved".
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-checksum: sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: ZRD is a stand-alone version of ZDD, in that each random deal is stored with its double-dummy results.
-bridge-samples:
  - name: the first record of the random solved deals
    hex: 72527a0ae17ae4f952e041fc7c 494949492b2a39396767
  - name: a deal that nobody solved
    hex: 72527a0ae17ae4f952e041fc7c ffffffffffffffffffff
  - name: fourteen tricks
    hex: 72527a0ae17ae4f952e041fc7c 4e4949492b2a39396767
    codes: [bad-tricks]
seq:
  - id: boards
    doc: The deals with their results, in order.
    type: board
    repeat: eos
    -bridge-end: {bits: 32, short: 4}
types:
  board:
    doc: One deal and its results.
    seq:
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: tricks
        doc: The tricks that each declarer takes in each strain with best play by all; 15 where unknown.
        type: b4
        repeat: expr
        repeat-expr: 20
        valid:
          expr: _ <= 13 or _ == 15
        -bridge-axes: [{strain: NSHDC}, {seat: WNES}]
        -bridge-unknown: 15
        -bridge-code: bad-tricks
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
