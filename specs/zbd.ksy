meta:
  id: zbd
  title: ZBD binary deals
  tags: [database]
  file-extension: zbd
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Complete deals and nothing else, thirteen bytes each: two bits for each card say who holds it. Designed by
  Richard Pavlicek for collections of millions of deals. A record that begins with 32 null bits cannot be a deal and
  ends the list, so that a list may be embedded in something larger; in files it is optional.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-checksum: sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: ZBD (binary deal) is a simple, compact way to store a complete deal.
-bridge-samples:
  - name: the first deal of the random solved deals
    hex: 72527a0ae17ae4f952e041fc7c
  - name: an optional end record
    doc: A bare null word after the last deal.
    hex: 72527a0ae17ae4f952e041fc7c 00000000
  - name: cut short
    hex: 72527a0ae17ae4f952e0
    codes: [truncated]
  - name: one hand too long
    doc: The first card was moved from East to North.
    hex: 71527a0ae17ae4f952e041fc7c
    codes: [hand-size]
seq:
  - id: boards
    doc: The deals, in order.
    type: board
    repeat: eos
    -bridge-end: {bits: 32, short: 4}
types:
  board:
    doc: One deal.
    seq:
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
