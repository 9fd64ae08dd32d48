meta:
  id: esh
  title: Every suit holding
  file-extension: esh
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 8,192 holdings of a suit, from none of its cards to all, eight bytes each. The source names a table of this title; its
  layout is not known here, and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: ESH.BIN Every suit holding
-bridge-samples:
  - name: three records of the table
    hex: |
      00000001e4226064
      0aaa800003aac724
      1552880003aac724
seq:
  - id: holdings
    doc: The holdings, by their bits as a number.
    type: holding
    repeat: eos
types:
  holding:
    doc: One record.
    seq:
      - id: cards
        doc: A bit for each card, the ace's the highest, the two's the lowest.
        type: b13
      - id: length
        doc: How many cards.
        type: b4
      - id: points
        doc: High-card points, four for an ace, three for a king, two for a queen and one for a jack.
        type: b4
      - id: num_hands
        doc: How many hands have exactly this holding of one named suit.
        type: b43
    instances:
      worth:
        doc: The points of aces, kings, queens and jacks, by their bits.
        value: "[0, 1, 2, 3, 3, 4, 5, 6, 4, 5, 6, 7, 7, 8, 9, 10]"
      rests:
        doc: In how many ways the 39 cards of the other suits fill the hand, by the length.
        value: "[8122425444, 3910797436, 1676056044, 635745396, 211915132, 61523748, 15380937, 3262623, 575757, 82251, 9139, 741, 39, 1, 0, 0]"
    -bridge-checks:
      - that: length == popcount(cards)
        code: holding-length
        message: the holding has another length
      - that: points == worth[cards >> 9]
        code: holding-points
        message: the cards have another number of points
      - that: num_hands == rests[length]
        code: holding-count
        message: not as many hands have this holding
