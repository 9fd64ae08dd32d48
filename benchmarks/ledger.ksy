meta: {id: ledger, title: A ledger of entries, file-extension: ledger, endian: le, bit-endian: be}
seq: [{id: entries, type: entry, repeat: eos}]
types:
  entry:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: table, type: u2, valid: {max: 60000}}
      - id: body
        type:
          switch-on: kind
          cases:
            kind::played: played
            kind::passed: passed
            kind::adjusted: adjusted
      - {id: note_size, type: u1, valid: {max: 3}}
      - {id: total, type: u2, -bridge-value: 'sum(span(kind, body)) & 0xffff'}
      - {id: check, type: u4, -bridge-value: 'crc32(span(table, total))'}
  played:
    -bridge-checks:
      - {that: tricks + 0 <= 13, code: many-tricks, message: more tricks than there are}
    seq:
      - {id: level, type: b4, valid: {min: 1, max: 7}}
      - {id: strain, type: b4, valid: {max: 4}}
      - {id: tricks, type: u1}
      - {id: scores, type: u2, repeat: expr, repeat-expr: 4}
      - {id: sum, type: u4, -bridge-value: 'sum(scores)'}
  passed:
    seq: [{id: reason, type: u1, valid: {any-of: [1, 2, 4]}}]
  adjusted:
    seq:
      - {id: north_south, type: s1}
      - {id: east_west, type: s1}
      - {id: parity, type: u1, -bridge-value: 'xor(span(north_south, east_west))'}
enums:
  kind: {1: played, 2: passed, 3: adjusted}
