meta:
  id: zbs
  title: ZBS suit layouts
  tags: [database]
  file-extension: zbs
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Layouts of one suit, four bytes each: who holds each of the thirteen cards, or that a card is not used. Up to four
  records chain into a group, which is then a diagram: a deal, an ending, or a pair of hands. A record of nulls ends the
  list; in files it is optional. A suit is known by its place in the group alone, spades first; the suit of a record
  that stands alone is spades by convention. A group whose suits stand in another order cannot be told from one in order.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-checksum: sum(words_le(span(_io), 4)) & 0xffff_ffff_ffff_ffff
-bridge-sources:
  - title: Binary File Formats (Bridge Guide 7A14)
    author: Richard Pavlicek
    url: http://www.rpbridge.net/7a14.htm
    quote: ZBS (binary suit) is a way to store any suit layout, including unused cards, in the minimal space.
-bridge-samples:
  - name: West holds the ace, North the king
    doc: "Ace W = 1, king N = 2: 1 + 2 * 5 = 11, shifted past the flag: 22."
    hex: "16000000"
  - name: a two of clubs that South holds, three suits unused
    doc: Three chained empty suits, then 4 * 5^12.
    hex: 01000000 01000000 01000000 88526a74
  - name: too large
    doc: The locator is 5^13, one more than the largest.
    hex: 2ae78491
    codes: [bad-locator]
  - name: a group of five suits
    hex: 01000000 01000000 01000000 01000000 16000000
    codes: [too-many-suits]
  - name: a group that goes on past the end
    hex: "17000000"
    codes: [open-group]
seq:
  - id: boards
    doc: The groups, in order.
    type: group
    repeat: eos
    -bridge-end: {bits: 32, short: 4}
types:
  group:
    doc: The suits of one layout.
    -bridge-checks:
      - that: deal.size <= 4
        code: too-many-suits
        message: a group has at most four suits, spades, hearts, diamonds and clubs
    seq:
      - id: deal
        doc: The suits in ranking order, spades first.
        type: layout
        repeat: until
        repeat-until: not _.chained or _io.eof
        -bridge-axes: [{suit: SHDC}]
  layout:
    doc: One suit.
    seq:
      - id: chained
        doc: Whether the next record belongs to the same group.
        type: b1
        -bridge-value: _index < _parent.deal.size - 1
        -bridge-code: open-group
      - id: locator
        doc: Thirteen digits in base five, the ace in the lowest, each the place of one card.
        type: b31
        valid:
          max: 1220703124
        -bridge-role: cell
        -bridge-digits: {base: 5, enum: holder}
        -bridge-axes: [{rank: AKQJT98765432}]
        -bridge-code: bad-locator
enums:
  holder:
    0:
      id: unused
      doc: The card is not part of the layout.
    1: west
    2: north
    3: east
    4: south
