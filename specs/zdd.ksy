meta:
  id: zdd
  title: ZDD double-dummy results
  tags: [database]
  file-extension: zdd
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Double-dummy results without their deals, ten bytes each: a nibble for each strain and declarer. The deals are stored
  elsewhere, or generated again. A record that begins with 16 null bits cannot be a result (nobody could take a trick in
  notrump) and ends the list; in files it is optional.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-checksum: sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: Each record is 10 bytes (80 bits).
-bridge-samples:
  - name: the first results of the random solved deals
    hex: 494949492b2a39396767
  - name: nothing known but notrump by West
    hex: f9ffffffffffffffffff
  - name: fourteen tricks
    doc: The first nibble is 14, which no hand can take and which does not mean unknown.
    hex: 4e4949492b2a39396767
    codes: [bad-tricks]
seq:
  - id: boards
    doc: The results, in the order of their deals.
    type: board
    repeat: eos
    -bridge-end: {bits: 16, short: 2}
types:
  board:
    doc: The results of one deal.
    seq:
      - id: tricks
        doc: The tricks that each declarer takes in each strain with best play by all; 15 where unknown.
        type: b4
        repeat: expr
        repeat-expr: 20
        valid:
          expr: _ <= 13 or _ == 15
        -bridge-axes: [{strain: NSHDC}, {seat: WNES}]
        -bridge-unknown: 15
        -bridge-code: bad-tricks
