meta:
  id: cds
  title: CDS numbered binary deals
  tags: [dealing machine]
  file-extension: cds
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  Complete deals for dealing machines, fourteen bytes each: the board's number, then thirteen bytes, each holding the four
  cards of one rank, aces first: two bits each for spades, hearts, diamonds and clubs, spades in the high bits.
  Dealer and vulnerability follow from the number.
-bridge-sources:
  - title: deal-convert, a converter of dealing machine formats
    author: Michał Klichowicz
    url: https://github.com/emkael/deal-convert
-bridge-samples:
  - name: board 1
    hex: 01 99892fc4e4fabb85415e201f3d
  - name: cut short
    hex: 01 99892fc4e4fabb85
    codes: [truncated]
seq:
  - id: boards
    doc: The boards, in order.
    type: board
    repeat: eos
types:
  board:
    doc: One board.
    seq:
      - id: number
        doc: The board's number.
        type: u1
        valid:
          min: 1
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{rank: AKQJT98765432}, {suit: SHDC}]
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
