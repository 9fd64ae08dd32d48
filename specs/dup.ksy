meta:
  id: dup
  title: DUP Duplimate deals
  tags: [dealing machine]
  file-extension: dup
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  encoding: ASCII
  imports: [bridge]
doc: |
  Deals for Duplimate dealing machines, 156 bytes each: the deal as numbered hands, the same deal as lettered hands, and
  ten bytes that control the machine. Both halves must hold the same deal; most programs read the lettered one. Dealer and
  vulnerability follow from the board number, which counts from the first board that the control bytes name, or from 1. Programs
  differ in what they write into the control bytes: into every record, into the first alone, or nothing, as spaces or NULs. Some
  hide a deal by 68 spaces in place of the lettered half of the first board.
-bridge-sources:
  - title: Dealer4 manual, Appendix A - File Formats
    quote: So each board is recorded twice in different formats and both parts have to be the same.
-bridge-samples:
  - name: the manual's example
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532065432034a39363504543735333205363306
      414b5138373403415132044a38054135064a36350337343304414b34054b513832063933034b543804513936054a5439
      3734594e3120203120322020303530373038313131333134333733383430343434353530353230393138323432363239
      333233333335333634313432343334363031313031323137323032323233323733303339343834393531065438373432
      0341043433054154393432063603543432045139383635054b514a3806413533034a38363504414a3205363533064b51
      4a39034b51393733044b54370537594e3120203120322020
  - name: no control bytes
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532065432034a39363504543735333205363306
      414b5138373403415132044a38054135064a36350337343304414b34054b513832063933034b543804513936054a5439
      373400000000000000000000
  - name: a blind board
    doc: The lettered half is hidden.
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532202020202020202020202020202020202020
      202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020
      2020594e3120203120312020
  - name: two halves that differ
    doc: North and West have exchanged the three and the two of spades in the lettered half.
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532065433034a39363504543735333205363306
      414b5138373403415132044a38054135064a36350337343304414b34054b513832063932034b543804513936054a5439
      3734594e3120203120322020303530373038313131333134333733383430343434353530353230393138323432363239
      333233333335333634313432343334363031313031323137323032323233323733303339343834393531065438373432
      0341043433054154393432063603543432045139383635054b514a3806413533034a38363504414a3205363533064b51
      4a39034b51393733044b54370537594e3120203120322020
    codes: [deal-mismatch]
  - name: a suit mark that stands twice
    doc: North's void in diamonds has the mark of hearts.
    hex: |
      303130323033303430353036303730383039313031313132313331343135313631373138313932303231323232333234
      32353236323732383239333033313332333333343335333633373338333906414b514a54393837363534333203030506
      03414b514a5439383736353433320405060304414b514a5439383736353433320506030405414b514a54393837363534
      3332594e3120202020312020
    codes: [bad-hand]
  - name: a first board that is not a number
    hex: |
      303531333137313932323233333133343336333833393438353130313032303330373038313131343136323633303333
      343034393034303931303231323432353237323833373431343234363532065432034a39363504543735333205363306
      414b5138373403415132044a38054135064a36350337343304414b34054b513832063933034b543804513936054a5439
      3734594e3178203120312020
    codes: [not-a-number]
seq:
  - id: boards
    doc: The boards, in order.
    type: board
    repeat: eos
types:
  board:
    doc: One board.
    seq:
      - id: numbered
        doc: The deal as numbered hands.
        type: bridge::numbered_hands
        -bridge-code: deal-mismatch
      - id: lettered
        doc: The same deal as lettered hands.
        type: bridge::lettered_hands
        -bridge-prefer: true
        -bridge-code: deal-mismatch
      - id: random
        doc: Whether the machine shall deal at random.
        type: u1
        enum: answer
        -bridge-opaque: true
        -bridge-default: answer::yes
      - id: backwards
        doc: Whether the machine shall deal the last board first.
        type: u1
        enum: answer
        -bridge-opaque: true
        -bridge-default: answer::no
      - id: first_number
        doc: The number of the first board.
        type: str
        size: 3
        pad-right: 0x20
        -bridge-number: {}
        -bridge-lenient: {0x00: 0x20}
      - id: copies
        doc: How many copies of each board to deal.
        type: str
        size: 2
        pad-right: 0x20
        -bridge-number: {}
        -bridge-lenient: {0x00: 0x20}
        -bridge-opaque: true
      - id: last
        doc: The number of the last board, or how many boards there are.
        type: str
        size: 3
        pad-right: 0x20
        -bridge-as: last_number
        -bridge-number: {}
        -bridge-lenient: {0x00: 0x20}
        -bridge-default: (first_number.to_i + _parent.boards.size - 1).to_s
enums:
  answer:
    0x00: not_given
    0x20: blank
    0x4e: no
    0x59: yes
