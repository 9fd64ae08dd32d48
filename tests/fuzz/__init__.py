"""The fuzz target: any bytes, any format, never an exception."""
