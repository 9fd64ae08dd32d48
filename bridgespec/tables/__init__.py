"""Boards as tables: Arrow, Parquet, and queries in SQL. The libraries that it needs are an optional extra,
``bridgespec[tables]``.
"""
