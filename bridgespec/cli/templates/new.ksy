# A format of records with a deal each. Change what differs, then run:  bridgespec check-spec ID.ksy
#
# The language is Kaitai Struct's: https://doc.kaitai.io/user_guide.html (meta, seq, types, enums, instances, expressions).
# Keys that begin with -bridge- say what Kaitai cannot; Kaitai's own compiler ignores them.
meta:
  id: ID                        # the name of this file
  title: ID deals               # what people call it
  file-extension: ID            # without the dot; a list where there are several
  endian: le                    # byte order of numbers longer than a byte: le or be
  bit-endian: be                # where the first bit of a byte is: be the high one, le the low one

doc: |
  What the format is for, who writes it, and what a reader must know that the fields do not say.

# Where each claim comes from; it appears on the format's page.
-bridge-sources:
  - title: The document that describes the format
    author: Somebody
    url: https://example.org/format

# Test vectors: `codes` are the findings that a broken one must give. `bridgespec check-spec` holds the schema to them.
-bridge-samples:
  - name: one board
    hex: 01 12 ee fd ea 55 42 20 78 87 90 36 2f 77
  - name: cut short
    hex: 01 12 ee fd
    codes: [truncated]

seq:
  - id: boards                  # a list named `boards` holds the boards of the model
    doc: The boards, in order.
    type: board
    repeat: eos                 # to the end of the file

types:
  board:
    doc: One board.
    seq:
      - id: number              # a field with the name of a model term holds that term:
        doc: The board's number.  # number dealer vulnerability deal tricks declarer event site date north east south west
        type: u1
        valid: {min: 1}

      - id: deal
        doc: The seat that holds each card.
        type: b2                # two bits for each card
        enum: seat
        repeat: expr
        repeat-expr: 52
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}]   # in file order, the last one running fastest

enums:
  seat:                         # members named like the model's words need nothing more
    0: north
    1: east
    2: south
    3: west
