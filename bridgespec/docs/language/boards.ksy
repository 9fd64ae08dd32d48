meta:
  id: boards
  title: Boards
  file-extension: boards
  -bridge-model: boards
  endian: le
  bit-endian: le
  encoding: ASCII
doc: What binds fields to the model. In a schema with a model, names do it alone where they are words of it; keys say the rest.
-bridge-sources:
  - title: An example of bridgespec
    author: its authors
    url: https://en.wikipedia.org/wiki/Duplicate_bridge
    quote: North, East, South and West hold thirteen cards each.
-bridge-checksum: sum(words_le(span(_io), 4))
-bridge-samples:
  - name: two boards, and the null record that ends the list
    hex: |
      3037 07 03 72527a0ae17ae4f952e041fc7c 00 0708070607 00
      2038 08 00 72527a0ae17ae4f952e041fc7c 01 0f08070607 00
      0000
  - name: a number twice and differently, and a dealer who is nobody
    hex: 3037 09 07 72527a0ae17ae4f952e041fc7c 00 0708070607 00
    codes: [mismatch, unknown-code]
  - name: a label that is not a number, and bytes behind the end
    hex: 3078 07 03 72527a0ae17ae4f952e041fc7c 00 0708070607 00 0000 0000 01
    codes: [not-a-number, mismatch, data-after-end]
  - name: a card too many
    hex: 3037 07 03 73527a0ae17ae4f952e041fc7c 00 0708070607 00
    codes: [hand-size]
seq:
  - id: boards
    type: board
    repeat: eos
    -bridge-end: {bits: 16, short: 2}
types:
  board:
    doc: A board.
    -bridge-checks:
      - that: number != 255
        code: no-number
        severity: warning
        message: 255 is not given to boards
    seq:
      - id: label
        doc: The number as text, with zeros before it; old files have blanks there.
        type: str
        size: 2
        -bridge-as: number
        -bridge-number: {pad-left: "0"}
        -bridge-lenient: {0x20: 0x30}
      - {id: number, type: u1, -bridge-prefer: true}
      - {id: dealer, type: u1, enum: seat}
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - {id: declarer, type: u1, enum: seat}
      - id: results
        doc: The declarer's tricks at clubs, diamonds, hearts, spades and notrump.
        type: u1
        repeat: expr
        repeat-expr: 5
        -bridge-as: tricks
        -bridge-axes: [{strain: CDHSN}]
        -bridge-at: {seat: declarer}
        -bridge-unknown: 15
      - {id: table, type: u1, -bridge-opaque: true, -bridge-default: 0}
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
