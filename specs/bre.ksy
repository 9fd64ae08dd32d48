meta:
  id: bre
  title: BRE lettered hands with a heading
  tags: [dealing machine]
  file-extension: bre
  -bridge-model: boards
  license: CC0-1.0
  endian: le
  encoding: windows-1252
  imports: [bridge]
doc: |
  Three lines that name the event, the site and the date, then a line of 68 characters for each board, with the hands of
  North, East, South and West as suit marks and ranks. Boards are numbered from 1; dealer and vulnerability follow from
  the number.
-bridge-sources:
  - title: Dealer4 manual, Appendix A - File Formats
    quote: There are three ASCII lines (finished with CRLF (0x0D, 0x0A) characters) at the beginning of the file.
-bridge-samples:
  - name: the first board of the manual's example
    hex: |
      46696c6520466f726d61742053616d706c65730d0a4d656c626f75726e650d0a30312e30312e323031330d0a06543203
      4a39363504543735333205363306414b5138373403415132044a38054135064a36350337343304414b34054b51383206
      3933034b543804513936054a543937340d0a
  - name: a heading without its last line
    hex: |
      46696c6520466f726d61742053616d706c65730d0a4d656c626f75726e650d0a
    codes: [missing-terminator]
seq:
  - id: event
    doc: What was played.
    type: str
    terminator: 0x0d
  - id: event_end
    doc: The LF of the line's CR LF.
    contents: [0x0a]
  - id: site
    doc: Where it was played.
    type: str
    terminator: 0x0d
  - id: site_end
    doc: The LF of the line's CR LF.
    contents: [0x0a]
  - id: date
    doc: When it was played, in any form.
    type: str
    terminator: 0x0d
  - id: date_end
    doc: The LF of the line's CR LF.
    contents: [0x0a]
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
      - id: line_end
        doc: CR LF.
        contents: [0x0d, 0x0a]
