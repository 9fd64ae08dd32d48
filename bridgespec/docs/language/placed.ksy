meta:
  id: placed
  title: Counts, offsets and a CRC
  file-extension: placed
  endian: be
  encoding: UTF-8
  imports: [piece]
doc: |
  The head tells how many rows there are, where the names stand and what their CRC is: all of it is computed when a file is written,
  and verified when one is read.
-bridge-samples:
  - name: two names
    hex: 02 0000000d 2dee0d41 0300 0203 416e6e 426f
  - name: a letter is not what it was
    hex: 02 0000000d 2dee0d41 0300 0203 416e6e 4270
    codes: [derived-mismatch]
  - name: a row that leads out of the names
    hex: 02 0000000d 2dee1f01 0300 02ff 416e6e 426f
    codes: [bad-size]
  - name: two rows announced, one there
    hex: 02 0000000d 2dee1f01 0300
    codes: [truncated]
seq:
  - {id: num_rows, type: u1, -bridge-value: rows.size}
  - {id: ofs_names, type: u4, -bridge-value: rows._offset + rows._sizeof}
  - {id: crc, type: u4, -bridge-value: 'crc32(span(rows, _io))'}
  - {id: rows, type: piece::row, repeat: expr, repeat-expr: num_rows}
  - {id: names, type: names, size-eos: true, parent: _root}
types:
  names:
    seq: [{id: text, size-eos: true}]
instances:
  last_name:
    doc: Where the last row says that its name is.
    io: names._io
    pos: rows.last.ofs_name
    size: rows.last.len_name
    type: str
