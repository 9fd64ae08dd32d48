meta: {id: digits, title: A suit as one number, file-extension: digits, endian: le, encoding: ASCII}
doc: Who holds each card of a suit, as the digits of a number of base 4; and a seat as a digit that is text.
-bridge-samples:
  - name: one board
    hex: 30 e4e4e400 39393901 4e4e4e02 93939303
seq: [{id: boards, type: board, repeat: eos}]
types:
  board:
    seq:
      - {id: dealer, type: str, size: 1, -bridge-number: {}, -bridge-codes: seat}
      - id: deal
        type: suit
        repeat: expr
        repeat-expr: 4
        -bridge-axes: [{suit: SHDC}]
  suit:
    seq:
      - {id: cards, type: u4, -bridge-role: cell, -bridge-digits: {base: 4, enum: seat}, -bridge-axes: [{rank: AKQJT98765432}]}
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
