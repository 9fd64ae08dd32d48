meta:
  id: scorebox
  title: A box of score slips
  file-extension: scorebox
  endian: be
  encoding: ASCII
  -bridge-model: boards
doc: |
  A heading, the boards with their deals and slips, and behind them a table of where each board begins. The heading has the table's place, a
  checksum of all that follows it, and the name of the evening.
-bridge-samples:
  - name: an evening
    hex: >-
      53424f5802006402bd96075475657364617904f10100030301020302000200020301010000030102010201000303010302000301
      01010300020300010002000200020203000201030201020410000a026c03040315010701f40920010201070e020d08c000120059
seq:
  - {id: magic, doc: How each box begins., contents: SBOX}
  - {id: version, doc: Which version this is., type: u1, valid: 2, -bridge-default: 2}
  - id: ofs_table
    doc: Where the table begins.
    type: u2
    -bridge-value: "len_event + 11 + sum(boards, _._sizeof)"
    -bridge-code: scorebox-offset
  - {id: num_boards, doc: How many boards there are., type: u1, -bridge-value: boards.size}
  - id: sum
    doc: CRC-16 of CCITT of the event, the boards and the table.
    type: u2
    -bridge-value: crc(span(len_event, table), "crc-16/ccitt")
    -bridge-code: scorebox-sum
  - {id: len_event, doc: How long the name is., type: u1, -bridge-value: event._sizeof}
  - {id: event, doc: The name of the evening., type: str, size: len_event}
  - {id: boards, doc: The boards., type: board, repeat: expr, repeat-expr: num_boards}
  - id: table
    doc: Where each board begins.
    type: u2
    repeat: expr
    repeat-expr: num_boards
    -bridge-value: map(boards, _._offset)
    -bridge-code: scorebox-offset
types:
  board:
    doc: A deal and its slips.
    seq:
      - {id: number, doc: The number of the board., type: u1, valid: {min: 1}}
      - {id: dealer, doc: Who calls first., type: b2, enum: seat}
      - {id: vulnerability, doc: Which sides are vulnerable., type: b2, enum: sides}
      - {id: has_deal, doc: Whether the cards are known., type: b4, valid: {max: 1}, -bridge-value: "deal.size > 0 ? 1 : 0"}
      - id: deal
        doc: The owner of each card, spades first, from the ace down.
        type: u1
        enum: seat
        repeat: expr
        repeat-expr: has_deal * 52
        valid: {in-enum: true}
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - {id: num_slips, doc: How many slips there are., type: u1, -bridge-value: slips.size}
      - {id: slips, doc: The slips., type: slip, repeat: expr, repeat-expr: num_slips}
  slip:
    doc: What two pairs have scored.
    seq:
      - {id: pair_ns, doc: The pair of North and South., type: u1, valid: {min: 1}}
      - {id: pair_ew, doc: The pair of East and West., type: u1, valid: {min: 1}}
      - {id: contract, doc: What was played., type: contract}
      - {id: declarer, doc: Who played it., type: u1, enum: seat, valid: {in-enum: true}}
      - {id: result, doc: Tricks that were taken., type: u1, valid: {max: 13}}
      - {id: score_ns, doc: Points for North and South., type: s2}
  contract:
    doc: A contract in two bytes.
    seq:
      - {id: level, doc: The level., type: u1, valid: {min: 1, max: 7}}
      - {id: strain, doc: The strain., type: b6, enum: strain, valid: {in-enum: true}}
      - {id: doubling, doc: Whether it was doubled., type: b2, enum: doubling, valid: {in-enum: true}}
enums:
  seat: {0: north, 1: east, 2: south, 3: west}
  sides: {0: none, 1: ns, 2: ew, 3: both}
  strain: {1: clubs, 2: diamonds, 3: hearts, 4: spades, 5: notrump}
  doubling: {0: undoubled, 1: doubled, 2: redoubled}
