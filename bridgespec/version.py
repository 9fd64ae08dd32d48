"""The version, where both the build and a command that starts fast can read it."""

VERSION = "0.1.0"
