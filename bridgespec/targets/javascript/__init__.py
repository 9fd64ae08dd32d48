"""Readers in JavaScript: one module without dependencies, and its TypeScript types, from the intermediate representation."""
