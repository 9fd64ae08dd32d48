"""Text formats: reader and writer of a format, both derived from its grammar, one class for each piece of it."""
