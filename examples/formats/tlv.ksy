meta:
  id: tlv
  title: Boards as tag, length and value
  file-extension: tlv
  license: CC0-1.0
  endian: be
  bit-endian: be
  encoding: UTF-8
doc: |
  An example of a stream of items, each with a tag, a length and as many bytes as that says. An item with the tag 42 is a board: its
  number, its dealer, its deal, and further items about it, whose tags a reader need not know. Bytes of a number stand the high one first.
-bridge-sources:
  - title: An example of bridgespec
    quote: The length of an item follows from what stands in it.
-bridge-samples:
  - name: a board
    hex: 42 0010 0001 01 8d85ada04bad1b6f850b413f3d
  - name: a board with a remark, a list of items and an item that nobody knows
    hex: |
      42 0026 0002 02 8d85ada04bad1b6f850b413f3d
      01 0003 466f6f
      02 000a  01 0002 c3a9  09 0002 0102
      7f 0000
  - name: an item that is not a board
    hex: 43 0010 0001 01 8d85ada04bad1b6f850b413f3d
    codes: [tlv-tag]
  - name: a length that leads past the end
    hex: 42 0011 0001 01 8d85ada04bad1b6f850b413f3d
    codes: [truncated]
seq:
  - id: boards
    doc: The boards, to the end of the stream.
    type: item
    repeat: eos
types:
  item:
    doc: A board as an item.
    seq:
      - id: tag
        doc: What the item is; 42 is a board.
        type: u1
        valid: 0x42
        -bridge-code: tlv-tag
      - id: len_body
        doc: How many bytes its value takes.
        type: u2
        -bridge-value: body._sizeof
      - id: body
        doc: The board.
        type: board
        size: len_body
  board:
    doc: The value of a board.
    seq:
      - id: number
        doc: The board's number.
        type: u2
      - id: dealer
        doc: The seat that calls first.
        type: u1
        enum: seat
      - id: deal
        doc: The seat that holds each card.
        type: b2
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]
      - id: more
        doc: What else is said of the board.
        type: part
        repeat: eos
        -bridge-opaque: true
  part:
    doc: An item about a board.
    seq:
      - id: tag
        doc: What the item is.
        type: u1
      - id: len_body
        doc: How many bytes its value takes.
        type: u2
        -bridge-value: body._sizeof
      - id: body
        doc: A text, a list of further items, or bytes that nobody knows.
        size: len_body
        type:
          switch-on: tag
          cases:
            1: remark
            2: parts
  remark:
    doc: A text.
    seq:
      - id: text
        doc: The text.
        type: str
        size-eos: true
  parts:
    doc: Items in an item.
    seq:
      - id: items
        doc: The items.
        type: part
        repeat: eos
enums:
  seat:
    0: west
    1: north
    2: east
    3: south
