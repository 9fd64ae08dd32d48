meta:
  id: combos
  title: Hands by their numbers
  file-extension: combos
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  bit-endian: le
doc: |
  Deals in fifteen bytes each: for North, East and South the number of the hand among the 635,013,559,600 combinations of thirteen
  cards; West has what they leave. Combinations are in lexical order, the cards being AS AH AD AC KS .. 2C: number 0 is the hand
  with the first thirteen of them.
-bridge-sources:
  - title: An example of bridgespec
    quote: The number of a hand is its place among all combinations.
-bridge-samples:
  - name: the highest cards to North, the next to East, the next to South
    hex: 0000000000 48969ff591 b3bfffd693
  - name: a number that no hand has
    hex: 30f5c1d993 48969ff591 b3bfffd693
    codes: [bad-ordinal]
  - name: cut short
    hex: "0000000000"
    codes: [truncated]
seq:
  - id: boards
    doc: The deals, in order.
    type: board
    repeat: eos
types:
  board:
    doc: One deal.
    seq:
      - {id: north, type: hand, doc: North's hand.}
      - {id: east, type: hand, doc: East's hand.}
      - {id: south, type: hand, doc: South's hand.}
  hand:
    doc: One hand.
    seq:
      - id: ordinal
        doc: The number of the hand.
        type: b40
        -bridge-axes: [{rank: AKQJT98765432}, {suit: SHDC}]
