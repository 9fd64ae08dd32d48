meta:
  id: mapped
  title: Deals by their numbers
  file-extension: mapped
  -bridge-model: boards
  license: CC0-1.0
  endian: le
doc: |
  Complete deals in twelve bytes each, the least room that holds any deal in whole bytes: the deal's number among all
  52!/(13!)^4. The cards are taken in the order SA SK .. C2. Of the deals that are left, the first share goes to those in which West
  holds the card, the next to North's, East's and South's, each as large as the hand has cards to come.
doc-ref: http://www.rpbridge.net/7a14.htm
-bridge-sources:
  - title: Mapping Bridge Deals
    author: Richard Pavlicek
    quote: A deal as a 96-bit number.
-bridge-samples:
  - name: the first deal, and the last
    hex: 000000000000000000000000 ff91f48b65da4d6315e355ad
  - name: a number that no deal has
    hex: 0092f48b65da4d6315e355ad
    codes: [bad-ordinal]
  - name: cut short
    hex: "0000000000000000"
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
      - id: deal
        doc: The deal's number, 96 bits, the lowest word first.
        type: u4
        repeat: expr
        repeat-expr: 3
        -bridge-as: deal.ordinal
        -bridge-axes: [{suit: SHDC}, {rank: AKQJT98765432}, {seat: WNES}]
