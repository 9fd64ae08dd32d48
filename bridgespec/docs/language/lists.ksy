meta:
  id: lists
  title: Lists, types and switches
  file-extension: lists
  ks-debug: false
  ks-zero-copy-substream: false
  ks-opaque-types: false
  bit-endian: be
  endian: be
doc: A list of so many, one up to a mark, and one to the end of the file, whose items are of several types.
-bridge-samples:
  - name: every list, the rows in big-endian order
    hex: 02 02 0102 0304 09 ff 01 07 02 6869 03 a5
  - name: the same, the rows in little-endian order
    hex: 01 02 0201 0403 09 ff 01 07 02 6869 03 a5
  - name: a count that leads past the end
    hex: 02 09 0102
    codes: [truncated]
seq:
  - {id: order, type: u1}
  - {id: rows, type: rows}
  - {id: marks, type: u1, repeat: until, repeat-until: _ == 0xff}
  - {id: items, type: item, repeat: eos}
types:
  rows:
    doc: Numbers whose byte order a field before them tells.
    meta:
      endian:
        switch-on: _root.order
        cases: {1: le, _: be}
    seq:
      - {id: num_rows, type: u1, -bridge-value: rows.size}
      - {id: rows, type: u2, repeat: expr, repeat-expr: num_rows}
  item:
    doc: A kind, and what that kind has.
    seq:
      - {id: kind, type: u1, enum: kind}
      - id: body
        type:
          switch-on: kind
          cases: {"kind::amount": "amount(9, kind)", "kind::word": word, _: bits}
  amount:
    doc: A number up to a most that the use of the type gives.
    params:
      - {id: most, type: u1, doc: The greatest value.}
      - {id: kind, type: u1, enum: kind, doc-ref: the enum below}
    seq: [{id: amount, type: u1, valid: {max: most}}]
  word:
    meta: {id: word, title: A word of two letters, encoding: ASCII, endian: le, bit-endian: le}
    seq: [{id: word, type: str, size: 2}]
  bits:
    seq: [{id: high, type: b4}, {id: low, type: b4}]
enums:
  kind: {1: amount, 2: word}
