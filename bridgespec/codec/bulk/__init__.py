"""Arrays of fixed-size records: reading, checking and writing millions of them at once."""
