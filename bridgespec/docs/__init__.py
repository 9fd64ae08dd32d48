"""The documentation: a static site made from the specs, the rules and the commands alone, and pages of single files."""
