"""Help for who writes a schema or a bidding system: findings, completion, descriptions, uses of names and the outline of a text."""
