"""Readers in JavaScript: one module without dependencies, with its TypeScript types, from a schema's intermediate representation."""
