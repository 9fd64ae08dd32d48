meta:
  id: bri
  title: BRI numbered hands
  tags: [dealing machine]
  file-extension: bri
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  imports: [bridge]
doc: |
  Deals for dealing machines, 128 bytes each: the cards of North, East and South as two-digit numbers, 32 spaces and
  18 NULs. West has the cards that are left. Boards are numbered from 1; dealer and vulnerability follow from the number.
-bridge-sources:
  - title: Dealer4 manual, Appendix A - File Formats
    quote: First 26 digits store cards for N hand, next 26 for E and next 26 for S.
-bridge-samples:
  - name: the first board of the manual's example
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532202020202020202020202020202020202020
      2020202020202020202020202020000000000000000000000000000000000000
  - name: a card twice
    doc: "North holds the ten of spades twice, and nobody was given the two, so West has fourteen cards."
    hex: |
      303530353137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532202020202020202020202020202020202020
      2020202020202020202020202020000000000000000000000000000000000000
    codes: [card-twice]
  - name: not a number
    hex: |
      357831333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532202020202020202020202020202020202020
      2020202020202020202020202020000000000000000000000000000000000000
    codes: [not-a-number]
  - name: a number that is not a card
    hex: |
      353331333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532202020202020202020202020202020202020
      2020202020202020202020202020000000000000000000000000000000000000
    codes: [unknown-code]
  - name: padding that is not blank
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532782020202020202020202020202020202020
      2020202020202020202020202020000000000000000000000000000000000000
    codes: [bad-padding]
seq:
  - id: boards
    doc: The boards, in order.
    type: board
    repeat: eos
types:
  board:
    doc: One board.
    seq:
      - id: hands
        doc: The deal.
        type: bridge::numbered_hands
      - id: spaces
        doc: 32 spaces.
        contents: "                                "
        -bridge-code: bad-padding
        -bridge-severity: warning
      - id: nulls
        doc: 18 NULs.
        contents: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        -bridge-code: bad-padding
        -bridge-severity: warning
