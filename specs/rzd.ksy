meta:
  id: rzd
  title: RZD counted binary deals
  tags: [database]
  file-extension: rzd
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  Complete deals for dealing machines, thirteen bytes each, after a heading of thirteen bytes that counts them. A byte holds
  the four cards of one rank, aces first: two bits each for spades, hearts, diamonds and clubs, spades in the high bits.
  Boards are numbered from 1; dealer and vulnerability follow from the number.
-bridge-sources:
  - title: deal-convert, a converter of dealing machine formats
    author: Michał Klichowicz
    url: https://github.com/emkael/deal-convert
-bridge-samples:
  - name: one deal
    hex: 0100 2020202020202020202020 4474dab393a566703c09dfcae8
  - name: a wrong count
    doc: The heading announces two deals.
    hex: 0200 2020202020202020202020 4474dab393a566703c09dfcae8
    codes: [derived-mismatch]
  - name: cut short
    hex: 0100 2020202020202020202020 4474dab393a566
    codes: [truncated]
seq:
  - id: count
    doc: How many deals follow.
    type: u2
    -bridge-value: boards.size
  - id: spaces
    doc: 11 spaces.
    contents: "           "
    -bridge-code: bad-padding
    -bridge-severity: warning
  - id: boards
    doc: The boards, in order.
    type: board
    repeat: eos
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
        -bridge-axes: [{rank: AKQJT98765432}, {suit: SHDC}]
enums:
  seat:
    0: north
    1: east
    2: south
    3: west
