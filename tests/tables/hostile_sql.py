"""Statements that write, set, load, read what nobody named, or run text as SQL, by families.

`{f}` is a path, `{t}` a table that the session has.
"""

from __future__ import annotations

from collections.abc import Iterator

_WRITES = {
    "copy to": [
        "COPY (SELECT 1) TO '{f}'",
        "COPY {t} TO '{f}'",
        "COPY {t} TO '{f}' (FORMAT parquet, OVERWRITE)",
        "COPY (FROM {t}) TO '{f}' WITH (FORMAT csv, HEADER)",
        "copy (select 1) to '{f}' (format json)",
        "COPY (SELECT 1 AS a) TO '{f}' (FORMAT parquet, PARTITION_BY (a), OVERWRITE_OR_IGNORE)",
        "COPY (SELECT 1) TO '{f}' (FORMAT blob)",
    ],
    "copy from": ["COPY {t} FROM '{f}'", "CREATE TABLE x(a INT); COPY x FROM '{f}'"],
    "explain analyze": [
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{f}'",
        "explain analyze copy (from {t}) to '{f}' (format parquet)",
        "EXPLAIN/**/ANALYZE/**/COPY (SELECT 1) TO '{f}'",
        "/* EXPLAIN SELECT 1 */ EXPLAIN ANALYZE COPY (SELECT 1) TO '{f}'",
        "-- SELECT 1\nEXPLAIN ANALYZE COPY (SELECT 1) TO '{f}'",
        "EXPLAIN ANALYZE EXPORT DATABASE '{f}'",
        "EXPLAIN ANALYZE ATTACH '{f}'",
        "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
        "EXPLAIN ANALYZE EXECUTE p",
    ],
    "explain with options": [
        "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{f}'",
        "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '{f}'",
        "EXPLAIN (FORMAT json) COPY (SELECT (1)) TO '{f}'",
        "EXPLAIN ( ANALYZE /* ) SELECT 1 */ ) COPY (SELECT 1) TO '{f}'",
    ],
    "explain": ["EXPLAIN COPY (SELECT 1) TO '{f}'", "EXPLAIN ATTACH '{f}'", "EXPLAIN INSERT INTO {t} VALUES (1)"],
    "export": ["EXPORT DATABASE '{f}'", "EXPORT DATABASE '{f}' (FORMAT parquet)"],
    "import": ["IMPORT DATABASE '{f}'", "FROM import_database('{f}')"],
    "attach": [
        "ATTACH '{f}'",
        "ATTACH '{f}' AS x",
        "ATTACH IF NOT EXISTS '{f}' AS x (READ_WRITE)",
        "ATTACH '{f}' AS x (TYPE sqlite)",
        "ATTACH OR REPLACE '{f}' AS memory",
    ],
    "copy database": ["COPY FROM DATABASE memory TO x", "ATTACH '{f}' AS x; COPY FROM DATABASE memory TO x"],
    "several": [
        "SELECT 1; COPY (SELECT 1) TO '{f}'",
        "COPY (SELECT 1) TO '{f}'; SELECT 1",
        ";;COPY (SELECT 1) TO '{f}';;",
        "SELECT 1;\x00COPY (SELECT 1) TO '{f}'",
        "SELECT ';'; ATTACH '{f}'",
    ],
    "describe": ["DESCRIBE COPY (SELECT 1) TO '{f}'", "SUMMARIZE COPY (SELECT 1) TO '{f}'", "SHOW COPY (SELECT 1) TO '{f}'"],
    "prepare": [
        "PREPARE p AS COPY (SELECT 1) TO '{f}'",
        "PREPARE p AS COPY (SELECT 1) TO '{f}'; EXECUTE p",
        "PREPARE p AS SELECT 1",
    ],
    "query by text": [
        "FROM query('COPY (SELECT 1) TO ''{f}''')",
        "FROM query('SELECT 1')",
        "SELECT * FROM Query('FROM read_text(''{f}'')')",
        "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "FROM query_table('{f}')",
    ],
    "profiling": [
        "FROM enable_profiling(save_location='{f}')",
        "EXPLAIN ANALYZE FROM enable_profiling(save_location='{f}')",
        "PRAGMA profile_output='{f}'",
        "PRAGMA enable_profiling='json'; PRAGMA profiling_output='{f}'; SELECT 1",
        "SET profile_output='{f}'",
    ],
    "logging": [
        "FROM enable_logging('QueryLog', storage='file', storage_path='{f}')",
        "CALL enable_logging(storage='file', storage_config={'path': '{f}'})",
        "SET log_query_path='{f}'",
        "FROM truncate_duckdb_logs()",
    ],
    "read a file": [
        "FROM read_text('{f}')",
        "FROM read_blob('{f}')",
        "FROM read_csv('{f}')",
        "FROM read_json('{f}')",
        "FROM read_parquet('{f}')",
        "FROM parquet_metadata('{f}')",
        "FROM parquet_schema('{f}')",
        "FROM sniff_csv('{f}')",
        "FROM read_duckdb('{f}')",
        "SELECT (SELECT content FROM read_text('{f}'))",
        "SELECT * FROM {t} WHERE EXISTS (FROM read_blob('{f}'))",
        "WITH x AS MATERIALIZED (FROM glob('{f}')) FROM x",
        "EXPLAIN FROM read_text('{f}')",
        "EXPLAIN ANALYZE FROM read_csv('{f}')",
        "FROM {t}, LATERAL (FROM read_text('{f}'))",
        "FROM main.glob('{f}')",
        "FROM \"read_text\"('{f}')",
        "SELECT * FROM READ_TEXT('{f}') UNION ALL FROM read_text('{f}')",
    ],
    "storage settings": [
        "SET temp_directory='{f}'",
        "SET secret_directory='{f}'",
        "SET extension_directory='{f}'",
        "SET file_search_path='{f}'",
    ],
    "secret": ["CREATE PERSISTENT SECRET x IN local_file (TYPE http)", "CREATE SECRET x (TYPE s3, KEY_ID '{f}')", "DROP SECRET x"],
}
"""Statements with a path."""
_OTHERS = {
    "create table": ["CREATE TABLE x(a INT)", "CREATE TABLE x AS FROM {t}", "CREATE OR REPLACE TEMP TABLE x AS SELECT 1"],
    "create view": ["CREATE VIEW x AS SELECT 1", "CREATE OR REPLACE VIEW {t} AS SELECT 1", "CREATE TEMP VIEW x AS FROM {t}"],
    "create others": [
        "CREATE SCHEMA x",
        "CREATE SEQUENCE x",
        "CREATE INDEX x ON {t}(number)",
        "CREATE TYPE x AS ENUM ('a')",
        "CREATE MACRO hcp(a) AS 0",
        "CREATE OR REPLACE MACRO hcp(a) AS 0",
        "CREATE FUNCTION x(a) AS TABLE SELECT 1",
    ],
    "insert": [
        "INSERT INTO {t} VALUES (1)",
        "INSERT INTO {t} SELECT * FROM {t}",
        "INSERT OR REPLACE INTO {t} VALUES (1) RETURNING *",
    ],
    "update": ["UPDATE {t} SET number = 1", "UPDATE {t} SET number = 1 RETURNING *"],
    "delete": ["DELETE FROM {t}", "DELETE FROM {t} RETURNING *", "TRUNCATE {t}", "TRUNCATE TABLE {t}"],
    "merge": ["MERGE INTO {t} USING (SELECT 1 a) x ON true WHEN MATCHED THEN DELETE"],
    "writing inside a select": [
        "WITH x AS (INSERT INTO {t} VALUES (1) RETURNING *) FROM x",
        "WITH x AS (DELETE FROM {t} RETURNING *) SELECT * FROM x",
        "WITH x AS (UPDATE {t} SET number = 1 RETURNING *) SELECT * FROM x",
        "EXPLAIN ANALYZE WITH x AS (DELETE FROM {t} RETURNING *) FROM x",
        "SELECT (WITH x AS (DELETE FROM {t} RETURNING *) SELECT count(*) FROM x)",
    ],
    "drop": ["DROP TABLE {t}", "DROP VIEW {t}", "DROP VIEW IF EXISTS {t} CASCADE", "DROP SCHEMA main", "DROP MACRO hcp"],
    "alter": [
        "ALTER TABLE {t} RENAME TO x",
        "ALTER VIEW {t} RENAME TO x",
        "ALTER TABLE {t} ADD COLUMN a INT",
        "COMMENT ON VIEW {t} IS 'x'",
    ],
    "detach and use": ["DETACH memory", "DETACH DATABASE IF EXISTS memory", "USE memory", "USE temp.main"],
    "install": [
        "INSTALL httpfs",
        "FORCE INSTALL spatial FROM community",
        "INSTALL shellfs FROM 'http://127.0.0.1:9/x'",
        "UPDATE EXTENSIONS",
    ],
    "load": ["LOAD json", "LOAD httpfs", "LOAD './evil.duckdb_extension'", "LOAD shellfs"],
    "set": [
        "SET threads=1",
        "SET GLOBAL memory_limit='100GB'",
        "SET SESSION enable_external_access=true",
        "SET lock_configuration=false",
        "SET disabled_filesystems=''",
        "SET allowed_paths=['/']",
        "SET allowed_directories=['/']",
        "SET VARIABLE bridge_imps = [1]",
        "SET autoinstall_known_extensions=true",
        "SET allow_unsigned_extensions=true",
        "SET python_enable_replacements=true",
        "SET custom_extension_repository='http://127.0.0.1:9'",
        "SET enable_profiling='json'",
    ],
    "reset": ["RESET threads", "RESET enable_external_access", "RESET SESSION disabled_filesystems", "RESET VARIABLE bridge_imps"],
    "pragma": [
        "PRAGMA threads=1",
        "PRAGMA version",
        "PRAGMA enable_profiling",
        "PRAGMA database_list",
        "PRAGMA table_info('{t}')",
        "PRAGMA enable_external_access=true",
        "PRAGMA memory_limit='100GB'",
        "PRAGMA disable_checkpoint_on_shutdown",
    ],
    "call": ["CALL pragma_version()", "CALL force_checkpoint()", "CALL duckdb_settings()", "CALL checkpoint()", "CALL range(3)"],
    "maintenance": [
        "CHECKPOINT",
        "FORCE CHECKPOINT",
        "VACUUM",
        "VACUUM ANALYZE {t}",
        "ANALYZE",
        "ANALYZE {t}",
        "FROM force_checkpoint()",
    ],
    "transaction": ["BEGIN", "BEGIN TRANSACTION", "COMMIT", "ROLLBACK", "ABORT", "BEGIN; SELECT 1; COMMIT"],
    "execute": ["EXECUTE p", "EXECUTE p(1)", "DEALLOCATE p", "EXPLAIN EXECUTE p"],
    "pivot": ["PIVOT {t} ON number", "PIVOT {t} ON number USING sum(number)", "EXPLAIN ANALYZE PIVOT {t} ON number"],
    "addresses in memory": [
        "FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)",
        "FROM pandas_scan(1::POINTER)",
        "FROM python_map_function(1, 2)",
        "FROM python_arrow_scan(1)",
        "FROM seq_scan()",
        "FROM arrow_scan_dumb(1, 2, 3)",
    ],
    "state of the engine": [
        "FROM duckdb_settings()",
        "FROM duckdb_secrets()",
        "FROM duckdb_variables()",
        "FROM create_external_resource('x')",
        "FROM register_external_resource('x')",
        "FROM disable_logging()",
        "FROM copy_database('memory', 'x')",
        "FROM duckdb_extensions()",
        "FROM enable_verification()",
        "FROM add_parquet_key('a', '0123456789112345')",
    ],
    "remote": [
        "FROM 'http://127.0.0.1:9/x.parquet'",
        "FROM 's3://a/x.parquet'",
        "FROM 'file:///etc/passwd'",
        "FROM 'hf://datasets/a/b.csv'",
    ],
    "other files": [
        "FROM '*.csv'",
        "FROM 'secret.csv'",
        "FROM '/etc/passwd'",
        "FROM '/etc/hosts'",
        "SELECT * FROM './secret.csv'",
        "FROM '../{t}/x.csv'",
        "FROM '/dev/null'",
        "FROM '/proc/self/environ'",
        "EXPLAIN FROM 'secret.csv'",
        "SELECT (SELECT count(*) FROM 'secret.csv')",
    ],
    "variables of Python": ["FROM hidden", "FROM run", "FROM sys", "FROM os.environ"],
    "commands of a shell": [".read secret.csv", ".shell touch x", ".output x", "\\! touch x", "!touch x", ".open x.db"],
    "not SQL": [
        "",
        ";",
        "SELEC 1",
        "EXPLAIN",
        "EXPLAIN ANALYZE",
        "EXPLAIN (",
        "(((",
        "'",
        "$$",
        "\x00",
        "SELECT '\ud800'",
        "EXPLAIN EXPLAIN SELECT 1",
    ],
}
FAMILIES = (*_WRITES, *_OTHERS)


def statements(paths: tuple[str, ...], table: str) -> Iterator[str]:
    """Yield every statement, those with a path once for each."""
    for forms in _WRITES.values():
        for form in forms:
            for path in paths:
                yield form.replace("{f}", path).replace("{t}", table)
    for forms in _OTHERS.values():
        for form in forms:
            yield form.replace("{t}", table)


def one_of_each(path: str, table: str) -> Iterator[str]:
    """Yield the first statement of each family."""
    for forms in (*_WRITES.values(), *_OTHERS.values()):
        yield forms[0].replace("{f}", path).replace("{t}", table)
