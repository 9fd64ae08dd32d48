"""The target C99: a header and a source that read files of a schema with records of one size."""
