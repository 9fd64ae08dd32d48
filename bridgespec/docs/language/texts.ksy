meta:
  id: texts
  title: Texts and bytes, and where they end
  file-extension: texts
  encoding: ASCII
doc: A text ends after so many bytes, at a byte of its own, or with the file.
-bridge-samples:
  - name: every way to end
    hex: 41422020 43443b 4546 2c 4748 00 494a ff 012b f0 789c030000000001 4b4c
  - name: the text before the semicolon is not closed
    text: |
      AB  CD
    ends: "\r\n"
    codes: [missing-terminator]
  - name: a byte that is not ASCII
    hex: 41e92020 43443b 4546 2c 4748 00 494a ff 012b f0 789c030000000001 4b4c
    codes: [bad-encoding]
  - name: what is not packed
    hex: 41422020 43443b 4546 2c 4748 00 494a ff 012b f0 0000000000000000 4b4c
    codes: [bad-data]
seq:
  - {id: padded, type: str, size: 4, pad-right: 0x20, doc: Two letters and two blanks.}
  - {id: closed, type: str, terminator: 0x3b, include: true}
  - {id: before, type: str, terminator: 0x2c, consume: false}
  - {id: comma, contents: ','}
  - {id: zero, type: strz, encoding: UTF-8}
  - {id: open, terminator: 0xff, eos-error: false}
  - {id: turned, size: 2, process: xor(0x01)}
  - {id: rolled, size: 1, process: rol(4)}
  - {id: packed, size: 8, process: zlib}
  - {id: rest, size-eos: true}
