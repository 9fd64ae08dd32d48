"""The target JavaScript: `module.to_javascript` generates a module without dependencies from a spec, `typescript.to_typescript`
its type declarations.
"""
