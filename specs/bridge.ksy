meta:
  id: bridge
  title: What binary bridge formats share
  -bridge-model: boards
  license: CC0-1.0
  endian: le
doc: |
  Hands and codes that more than one format is made of. This schema is imported; no file is of this kind.

types:

  numbered_hands:
    doc: |
      Three hands of thirteen two-digit card numbers each: 01 the ace of spades to 13 the two of spades, then hearts,
      diamonds and clubs up to 52. The cards of a hand may stand in any order. West has what is left.
    seq:
      - id: north
        doc: North's cards.
        type: str
        size: 2
        encoding: ASCII
        repeat: expr
        repeat-expr: 13
        -bridge-number: {pad-left: "0"}
        -bridge-codes: card
      - id: east
        doc: East's cards.
        type: str
        size: 2
        encoding: ASCII
        repeat: expr
        repeat-expr: 13
        -bridge-number: {pad-left: "0"}
        -bridge-codes: card
      - id: south
        doc: South's cards.
        type: str
        size: 2
        encoding: ASCII
        repeat: expr
        repeat-expr: 13
        -bridge-number: {pad-left: "0"}
        -bridge-codes: card

  lettered_hands:
    doc: |
      Four hands of seventeen characters each: a mark for each suit, spades first, followed by the ranks of the cards held
      in it, highest first.
    seq:
      - id: north
        doc: North's hand.
        type: u1
        enum: symbol
        repeat: expr
        repeat-expr: 17
      - id: east
        doc: East's hand.
        type: u1
        enum: symbol
        repeat: expr
        repeat-expr: 17
      - id: south
        doc: South's hand.
        type: u1
        enum: symbol
        repeat: expr
        repeat-expr: 17
      - id: west
        doc: West's hand.
        type: u1
        enum: symbol
        repeat: expr
        repeat-expr: 17

enums:

  card:
    1: sa
    2: sk
    3: sq
    4: sj
    5: st
    6: s9
    7: s8
    8: s7
    9: s6
    10: s5
    11: s4
    12: s3
    13: s2
    14: ha
    15: hk
    16: hq
    17: hj
    18: ht
    19: h9
    20: h8
    21: h7
    22: h6
    23: h5
    24: h4
    25: h3
    26: h2
    27: da
    28: dk
    29: dq
    30: dj
    31: dt
    32: d9
    33: d8
    34: d7
    35: d6
    36: d5
    37: d4
    38: d3
    39: d2
    40: ca
    41: ck
    42: cq
    43: cj
    44: ct
    45: c9
    46: c8
    47: c7
    48: c6
    49: c5
    50: c4
    51: c3
    52: c2

  symbol:
    0x03: hearts
    0x04: diamonds
    0x05: clubs
    0x06: spades
    0x20:
      id: blank
      doc: The hand is not given; a blind record is all blanks.
    0x32: two
    0x33: three
    0x34: four
    0x35: five
    0x36: six
    0x37: seven
    0x38: eight
    0x39: nine
    0x41: ace
    0x4a: jack
    0x4b: king
    0x51: queen
    0x54: ten
