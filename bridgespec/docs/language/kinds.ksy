meta: {id: kinds, title: Boards among remarks, file-extension: kinds, endian: le}
doc: A table of offsets, a list of boards with remarks between them, and a checksum of all of it.
-bridge-samples:
  - name: a board, a remark and a board
    hex: 03 0700 0a00 0e00 010302 02026869 010403 55c7
  - name: a remark alone
    hex: 01 0300 0200 0000
    codes: [derived-mismatch]
seq:
  - {id: num_records, type: u1, -bridge-value: boards.size}
  - {id: offsets, type: u2, repeat: expr, repeat-expr: num_records, -bridge-value: 'map(boards, _._offset)'}
  - {id: boards, type: record, repeat: expr, repeat-expr: num_records, -bridge-case: board}
  - {id: crc, type: u2, -bridge-value: 'crc(span(num_records, boards), "crc-16/ccitt")'}
types:
  record:
    seq:
      - {id: kind, type: u1, -bridge-opaque: true, -bridge-default: 1}
      - id: body
        type: {switch-on: kind, cases: {1: board, 2: remark}}
  board:
    seq:
      - {id: number, type: u1}
      - {id: dealer, type: u1, enum: seat}
  remark:
    seq:
      - {id: len_words, type: u1, -bridge-value: words._sizeof}
      - {id: words, type: str, size: len_words, encoding: ASCII}
enums:
  seat: {0: north, 1: east, 2: south, 3: west}
