"""The documentation generator: a static site from the specs, the rules and the commands (`site.Site`),
and pages of single files.
"""
