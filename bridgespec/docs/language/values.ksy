meta:
  id: values
  title: Values and what they must be
  application: An example
  file-extension: values
  license: CC0-1.0
  tags: [example]
  ks-version: '0.10'
  xref: {wikidata: Q191776}
  endian: le
doc: Numbers that are constant, bounded, chosen from a list, or named.
doc-ref: https://doc.kaitai.io/user_guide.html
-bridge-samples:
  - name: every value as it must be
    hex: 4f4b 05 0a 02 01 07 0c
  - name: every value wrong
    doc: Each constraint has its finding; the last two name it themselves.
    base64: T0wVCwMJCQ==
    codes: [bad-contents, invalid-value, odd-step, too-large]
seq:
  - {id: magic, contents: OK}
  - {id: bounded, type: u1, valid: {min: 1, max: 9}}
  - {id: even, type: u1, valid: {expr: _ % 2 == 0}}
  - {id: listed, type: u1, valid: {any-of: [1, 2, 4]}}
  - {id: answer, type: u1, enum: answer, valid: {in-enum: true}}
  - {id: step, type: u1, valid: {eq: 7}, -bridge-code: odd-step, -bridge-severity: warning}
  - id: last
    type: u1
    if: not _io.eof
instances:
  twice:
    doc: Nothing is stored for it, and it may not be more than 40.
    value: 2 * bounded
    valid: {max: 40}
    -bridge-code: too-large
to-string: bounded.to_s
enums:
  answer:
    0: 'no'
    1:
      id: 'yes'
      doc: It is so.
      doc-ref: https://en.wikipedia.org/wiki/Yes
