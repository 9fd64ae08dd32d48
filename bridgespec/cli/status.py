"""The exit statuses."""

CLEAN = 0
FINDINGS = 1
FAILED = 2
INTERRUPTED = 130
