"""The expression language of binary schemas: `parse` makes a tree, `check` resolves its names by the schema, `evaluator` compiles
it.
"""
