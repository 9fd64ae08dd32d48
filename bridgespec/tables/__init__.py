"""Boards as tables: Parquet and Arrow files, and queries in SQL. The libraries needed are the optional extra
``bridgespec[tables]``.

A table is a sequence of Arrow's record batches. `TableLayout` (batches.py) converts boards to batches, `boards_of` back;
table_files.py reads and writes the files; `QuerySession` (query.py) runs queries.
"""
