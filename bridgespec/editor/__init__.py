"""Help for writing schemas and bidding systems: findings, completion, descriptions, uses of names and the outline of a text."""
