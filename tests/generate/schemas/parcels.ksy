meta:
  id: parcels
  title: Parcels, for tests
  file-extension: parcels
  license: CC0-1.0
  endian: le
  encoding: UTF-8
doc: |
  No bridge at all: conditions, counts, sizes, enums, switches, substreams and every way to end a text, so that generated
  files try what the bridge formats do not need.
-bridge-samples:
  - name: one letter and no more
    hex: 50 43 01 00 01 03 02 616263 01 07
  - name: a colour that does not exist
    hex: 50 43 01 00 09 03 02 616263 01 07
    codes: [invalid-value]
  - name: cut short
    hex: 50 43 02 00 01 03 02 616263 01
    codes: [truncated]
  - name: another beginning
    hex: 50 44 00 00
    codes: [bad-contents]
seq:
  - id: magic
    contents: PC
  - id: count
    type: u2
    valid:
      max: 2000
  - id: parcels
    type: parcel
    repeat: expr
    repeat-expr: count
types:
  parcel:
    seq:
      - id: colour
        type: u1
        enum: colour
        valid:
          in-enum: true
      - id: length
        type: u1
      - id: kind
        type: u1
        valid:
          any-of: [1, 2, 3]
      - id: name
        type: str
        size: length
      - id: flags
        type: flags
      - id: weight
        type: s2be
        if: flags.heavy
      - id: body
        type:
          switch-on: kind
          cases:
            1: words
            2: u1
            3: box(length)
        if: flags.heavy or kind == 2
  flags:
    meta:
      bit-endian: be
    seq:
      - id: heavy
        type: b1
      - id: level
        type: b3
      - id: rest
        type: b4
    instances:
      twice:
        value: level * 2
  words:
    seq:
      - id: words
        type: word
        repeat: until
        repeat-until: _.last == 0 or _.text == ''
  word:
    seq:
      - id: text
        type: strz
      - id: last
        type: u1
  box:
    params:
      - id: size
        type: u1
    seq:
      - id: inside
        size: size
        type: inner(size)
      - id: tail
        size: 4
        pad-right: 0x2e
        terminator: 0x21
  inner:
    params:
      - id: count
        type: u1
    seq:
      - id: numbers
        type: u1
        repeat: expr
        repeat-expr: count
enums:
  colour:
    1: red
    2: green
    7: blue
