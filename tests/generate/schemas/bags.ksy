meta:
  id: bags
  title: Bags, for tests
  file-extension: bags
  license: CC0-1.0
  endian: le
  bit-endian: le
  encoding: UTF-8
doc: What is said of a board stands in items, of which each says what it is, in any order.
-bridge-samples:
  - name: a dealer and two remarks
    hex: 01 1b1b1b1b1b1b1b1b1b1b1b1b1b 03  01 01 01  04 03 6f6e65  04 03 74776f
  - name: nothing said
    hex: 01 1b1b1b1b1b1b1b1b1b1b1b1b1b 00
  - name: an item that is not known
    hex: 01 1b1b1b1b1b1b1b1b1b1b1b1b1b 01  09 00
    codes: [invalid-value]
seq:
  - id: boards
    type: board
    repeat: eos
types:
  board:
    seq:
      - id: number
        type: u1
        valid: {min: 1}
      - id: deal
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: num_items
        type: u1
        -bridge-value: items.size
      - id: items
        type: item
        repeat: expr
        repeat-expr: num_items
  item:
    seq:
      - id: kind
        type: u1
        enum: kind
        valid: {in-enum: true}
        -bridge-opaque: true
      - id: len_body
        type: u1
        -bridge-value: body._sizeof
      - id: body
        size: len_body
        type:
          switch-on: kind
          cases:
            kind::opener: opener
            kind::name: name
            kind::outcome: outcome
            kind::remark: remark
            kind::bag: bag
            kind::tally: tally
  opener:
    seq:
      - id: dealer
        type: u1
        enum: seat
  name:
    seq:
      - id: event
        type: str
        size-eos: true
  outcome:
    seq:
      - id: declarer
        type: u1
        enum: seat
      - id: weight
        type: u1
        -bridge-opaque: true
  tally:
    seq:
      - id: result
        type: u1
        valid: {max: 13}
  remark:
    seq:
      - id: comment
        type: str
        size-eos: true
  bag:
    seq:
      - id: items
        type: item
        repeat: eos
        -bridge-opaque: true
enums:
  seat: {0: west, 1: north, 2: east, 3: south}
  kind: {1: opener, 2: name, 3: outcome, 4: remark, 5: bag, 6: tally}
