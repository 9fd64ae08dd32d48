meta:
  id: patterns
  title: A table of hand patterns
  file-extension: patterns
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  An example of a table: thirteen bytes for each way in which the thirteen cards of a hand fall into suits. A pattern has the lengths
  of the suits, longest first, as digits of four bits; a bit for each of the 24 orders of the suits in which it can stand; and in how
  many hands it is held. It means nothing on a board, so that it converts to nothing.
-bridge-sources:
  - title: An example of bridgespec
    quote: Records of fixed size, with checks over a list and over the bits of a number.
-bridge-samples:
  - name: the three commonest patterns
    hex: |
      4423 3f304d 305811dd1f000000
      3523 d30f34 60ba16f116000000
      4513 ffffff 509b3d1e13000000
  - name: fourteen cards
    hex: 4533 3f304d 305811dd1f000000
    codes: [pattern-cards]
  - name: the shortest suit first
    hex: 3244 3f304d 305811dd1f000000
    codes: [pattern-order]
  - name: a bit too many among the orders
    hex: 4423 7f304d 305811dd1f000000
    codes: [pattern-ways]
seq:
  - id: patterns
    doc: The patterns, commonest first.
    type: pattern
    repeat: eos
types:
  pattern:
    doc: One pattern.
    seq:
      - id: lengths
        doc: The lengths of the four suits, longest first.
        type: b4
        repeat: expr
        repeat-expr: 4
      - id: orders
        doc: |
          A bit for each order of the suits, from spades, hearts, diamonds, clubs on as a dictionary has them, where an order that puts
          equal lengths differently is not counted again.
        type: b24
      - id: num_hands
        doc: How many hands have the pattern, whichever suits are the long ones.
        type: u8
    instances:
      ways:
        doc: How many orders there are. Equal lengths change places without notice.
        value: >-
          lengths[0] == lengths[2] or lengths[1] == lengths[3] ? 4 :
          lengths[0] == lengths[1] and lengths[2] == lengths[3] ? 6 :
          lengths[0] == lengths[1] or lengths[1] == lengths[2] or lengths[2] == lengths[3] ? 12 : 24
    -bridge-checks:
      - that: sum(lengths) == 13
        code: pattern-cards
        message: the lengths of the suits do not add up to thirteen cards
      - that: lengths[0] >= lengths[1] and lengths[1] >= lengths[2] and lengths[2] >= lengths[3]
        code: pattern-order
        message: the longest suit does not stand first
      - that: popcount(orders) == ways
        code: pattern-ways
        message: the bits of the orders are not as many as the lengths allow
