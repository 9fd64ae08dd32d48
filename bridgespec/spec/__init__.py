"""The two schema languages, read into one intermediate representation.

`catalog.Catalog` finds the schemas; `kaitai.schema.load` reads a ``.ksy`` file, `grammar.load.load_grammar` a ``.lark`` file; both
return an `ir.Spec`, from which codecs, documentation and generators are derived.
"""
