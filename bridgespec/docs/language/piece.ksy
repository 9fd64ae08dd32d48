meta: {id: piece, title: A piece for other schemas}
doc: It has no file extension of its own, so that it is not a format.
types:
  row:
    seq:
      - {id: len_name, type: u1}
      - {id: ofs_name, type: u1}
