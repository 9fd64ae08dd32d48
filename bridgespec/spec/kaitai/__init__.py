"""Binary schemas: Kaitai Struct files with ``-bridge-`` keys, read into the intermediate representation by `schema.load`."""
