"""The version, in a module that the build can read and a command can import quickly."""

VERSION = "0.1.0"
