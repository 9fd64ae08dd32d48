"""Readers in JavaScript: `module.to_javascript` makes one module without dependencies from a spec,
`types.to_typescript` its types.
"""
