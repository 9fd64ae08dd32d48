"""The codec of text formats: `codec.TextCodec` reads and writes a format by its grammar, with one class for each kind of
expression.
"""
