meta:
  id: dge
  title: DGE lettered hands
  tags: [dealing machine]
  file-extension: dge
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  imports: [bridge]
doc: |
  Deals for dealing machines, 128 bytes each: the hands of North, East, South and West as suit marks and ranks, and 60
  NULs. The marks are the suit signs of the old PC character set. Boards are numbered from 1; dealer and vulnerability
  follow from the number.
-bridge-sources:
  - title: Dealer4 manual, Appendix A - File Formats
    quote: It uses ASCII characters AKQT98765432 for each card and suits symbols
-bridge-samples:
  - name: the first board of the manual's example
    hex: |
      065432034a39363504543735333205363306414b5138373403415132044a38054135064a36350337343304414b34054b
      513832063933034b543804513936054a5439373400000000000000000000000000000000000000000000000000000000
      0000000000000000000000000000000000000000000000000000000000000000
  - name: an unknown character
    hex: |
      065832034a39363504543735333205363306414b5138373403415132044a38054135064a36350337343304414b34054b
      513832063933034b543804513936054a5439373400000000000000000000000000000000000000000000000000000000
      0000000000000000000000000000000000000000000000000000000000000000
    codes: [unknown-code]
  - name: a card twice
    doc: North holds the two of spades twice, and the ten is missing.
    hex: |
      063232034a39363504543735333205363306414b5138373403415132044a38054135064a36350337343304414b34054b
      513832063933034b543804513936054a5439373400000000000000000000000000000000000000000000000000000000
      0000000000000000000000000000000000000000000000000000000000000000
    codes: [card-twice]
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
        type: bridge::lettered_hands
      - id: nulls
        doc: 60 NULs.
        contents: [
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        -bridge-code: bad-padding
        -bridge-severity: warning
