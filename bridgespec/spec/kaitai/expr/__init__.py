"""The expression language of binary schemas: parse to a tree (`parse`), check it against a schema (`check`), evaluate it
(`evaluate`).
"""
