"""Boards as a table: Arrow and Parquet, and questions in SQL. What it is built on is an optional extra, ``bridgespec[tables]``."""
