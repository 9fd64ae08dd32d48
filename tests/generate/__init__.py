"""Generated files: Hypothesis strategies that are derived from a schema alone."""
