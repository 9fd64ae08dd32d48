meta:
  id: shp
  title: Specific hand patterns
  file-extension: shp
  license: CC0-1.0
  endian: le
  bit-endian: be
doc: |
  The 560 ways in which the thirteen cards of a hand fall into the four named suits, ten bytes each: the lengths in spades, hearts,
  diamonds and clubs, and the number of hands that have them. The source names a table of this title; its layout is not known here,
  and this one is ours.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: SHP.BIN Specific hand patterns
-bridge-samples:
  - name: four spades, four hearts, three diamonds, two clubs
    hex: 44320472c1a702000000
  - name: fourteen cards
    hex: 5432d4668fc704000000
    codes: [hand-cards]
seq:
  - id: patterns
    doc: The patterns, from thirteen spades to thirteen clubs, longer spades first, then longer hearts, then longer diamonds.
    type: pattern
    repeat: eos
types:
  pattern:
    doc: One pattern.
    seq:
      - id: lengths
        doc: How many spades, hearts, diamonds and clubs.
        type: b4
        repeat: expr
        repeat-expr: 4
      - id: num_hands
        doc: How many hands have these lengths.
        type: u8
    instances:
      ways:
        doc: In how many ways thirteen cards of a suit give so many, by the number of cards.
        value: "[1, 13, 78, 286, 715, 1287, 1716, 1716, 1287, 715, 286, 78, 13, 1, 0, 0]"
    -bridge-checks:
      - that: sum(lengths) == 13
        code: hand-cards
        message: the lengths of the suits do not add up to thirteen cards
      - that: num_hands == ways[lengths[0]] * ways[lengths[1]] * ways[lengths[2]] * ways[lengths[3]]
        code: hand-count
        message: not as many hands have these lengths
