"""Binary schemas: Kaitai Struct files with the keys of ours, read into the intermediate representation."""
