meta:
  id: vault
  title: A vault of boards
  file-extension: vault
  license: CC0-1.0
  endian: le
  bit-endian: le
  encoding: UTF-8
doc: |
  An example of a file with a header, offsets, strings and a CRC. The header tells how many boards there are, where they and their
  strings stand, and the CRC-32 of all that follows it. A board has its deal, and points at the name of its event among the strings.
-bridge-sources:
  - title: An example of bridgespec
    quote: Counts, offsets, sizes and the CRC are computed when a file is written, and verified when one is read.
-bridge-samples:
  - name: three boards, the second without an event
    hex: |
      56414c54 0100 0300 18000000 5d000000 0a000000 de92c3ec
      0100 01 00 72527a0ae17ae4f952e041fc7c 0500 5d000000
      0200 02 01 72527a0ae17ae4f952e041fc7c 0000 62000000
      0300 03 02 72527a0ae17ae4f952e041fc7c 0500 62000000
      436166c3a9 46696e616c
  - name: a letter of an event is not what it was
    doc: One bit of the last byte is another; only the CRC tells.
    hex: |
      56414c54 0100 0300 18000000 5d000000 0a000000 de92c3ec
      0100 01 00 72527a0ae17ae4f952e041fc7c 0500 5d000000
      0200 02 01 72527a0ae17ae4f952e041fc7c 0000 62000000
      0300 03 02 72527a0ae17ae4f952e041fc7c 0500 62000000
      436166c3a9 46696e616d
    codes: [vault-crc]
  - name: cut in the header
    hex: 56414c54 0100 0300 18
    codes: [truncated]
seq:
  - id: magic
    doc: The letters by which such a file is known.
    contents: VALT
  - id: version
    doc: The version of the format.
    type: u2
    valid: 1
  - id: num_boards
    doc: How many boards there are.
    type: u2
    -bridge-value: boards.size
  - id: ofs_boards
    doc: Where the first board stands.
    type: u4
    -bridge-value: boards._offset
  - id: ofs_strings
    doc: Where the strings stand.
    type: u4
    -bridge-value: boards._offset + boards._sizeof
  - id: len_strings
    doc: How many bytes the strings take.
    type: u4
    -bridge-value: sum(boards, _.len_event)
  - id: crc
    doc: The CRC-32 of all that follows.
    type: u4
    -bridge-value: crc32(span(boards, _io))
    -bridge-code: vault-crc
  - id: boards
    doc: The boards, in order.
    type: board
    repeat: expr
    repeat-expr: num_boards
types:
  board:
    doc: One board.
    seq:
      - id: number
        doc: The board's number.
        type: u2
      - id: dealer
        doc: The seat that calls first.
        type: u1
        enum: seat
      - id: vulnerability
        doc: Which sides are vulnerable.
        type: u1
        enum: vulnerability
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: len_event
        doc: How many bytes the name of the event takes; none where there is none.
        type: u2
        -bridge-value: event._sizeof
      - id: ofs_event
        doc: Where the name of the event stands. The names stand in the order of the boards, without gaps.
        type: u4
        -bridge-value: '_index == 0 ? _root.ofs_strings : _parent.boards[_index - 1].ofs_event + _parent.boards[_index - 1].len_event'
    instances:
      event:
        doc: The name of the event.
        pos: ofs_event
        size: len_event
        type: str
        if: len_event > 0
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
  vulnerability:
    0: none
    1: ns
    2: ew
    3: both
