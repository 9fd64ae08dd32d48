"""The expression language of binary schemas."""
