meta:
  id: ghc
  title: Generic high cards
  file-extension: ghc
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 3,855 ways in which a hand can have aces, kings, queens and jacks, eight bytes each. Generic: the four suits may
  change places. A hand has at most thirteen of the sixteen. The source names a table of this title; its layout is not known
  here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: GHC.BIN Generic high cards
-bridge-samples:
  - name: three records of the table
    hex: |
      fff8220000000004
      feb81e0000003b10
      fd54190000029d60
seq:
  - id: records
    doc: The records, in descending order of their honours.
    type: record
    repeat: eos
types:
  record:
    doc: One record.
    seq:
      - id: honours
        doc: A bit each for the ace, king, queen and jack of one suit, then of the others; the suit with the higher number comes first.
        type: b4
        repeat: expr
        repeat-expr: 4
      - id: points
        doc: High-card points, four for an ace, three for a king, two for a queen and one for a jack.
        type: b8
      - id: num_hands
        doc: How many hands have these high cards and no other, in any order of the suits.
        type: b40
    instances:
      worth:
        doc: The points of aces, kings, queens and jacks, by their bits.
        value: "[0, 1, 2, 3, 3, 4, 5, 6, 4, 5, 6, 7, 7, 8, 9, 10]"
      rests:
        doc: In how many ways the 36 lower cards fill a hand, by the number of its high cards.
        value: "[2310789600, 1251677700, 600805296, 254186856, 94143280, 30260340, 8347680, 1947792, 376992, 58905, 7140, 630, 36, 1, 0, 0, 0]"
      orders:
        doc: In how many orders the suits can be put.
        value: >-
          honours[0] == honours[3] ? 1 :
          honours[0] == honours[2] or honours[1] == honours[3] ? 4 :
          honours[0] == honours[1] and honours[2] == honours[3] ? 6 :
          honours[0] == honours[1] or honours[1] == honours[2] or honours[2] == honours[3] ? 12 : 24
    -bridge-checks:
      - that: points == worth[honours[0]] + worth[honours[1]] + worth[honours[2]] + worth[honours[3]]
        code: high-points
        message: the cards have another number of points
      - that: honours[0] >= honours[1] and honours[1] >= honours[2] and honours[2] >= honours[3]
        code: high-order
        message: the suits are not in descending order
      - that: num_hands == orders * rests[sum(honours, popcount(_))] and num_hands > 0
        code: high-count
        message: not as many hands have these high cards
