"""Parameters and table properties of delta-rs that must make no difference to a DELETE or a VACUUM: the same with each of them.

    pip install deltalake==1.6.6 pyarrow
    python deltalake_no_difference.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Two tables, with a partition column and without, are copied for each. What the commands answer, the rows that are left, the actions
of each commit and the files that VACUUM leaves are compared with those by default. Those of LOG must make a difference to the log, and to
nothing else. The last ones, CONTROLS, must make a difference: otherwise the comparison sees nothing.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from deltalake import (
    BloomFilterProperties,
    ColumnProperties,
    CommitProperties,
    DeltaTable,
    PostCommitHookProperties,
    QueryBuilder,
    Transaction,
    WriterProperties,
    write_deltalake,
)


def written(**properties):
    return {"delete": {"writer_properties": WriterProperties(**properties)}}


def committed(**properties):
    given = {"commit_properties": CommitProperties(**properties)}
    return {"delete": given, "vacuum": given}


def hooked(**properties):
    given = {"post_commithook_properties": PostCommitHookProperties(**properties)}
    return {"delete": given, "vacuum": given}


#: What each gives to the table, to ``delete`` and to ``vacuum``.
PARAMETERS = {
    "DeltaTable(log_buffer_size)": {"open": {"log_buffer_size": 1}},
    "DeltaTable(skip_stats)": {"open": {"skip_stats": True}},
    "DeltaTable(storage_options)": {"open": {"storage_options": {"timeout": "60s"}}},
    "DeltaTable.delete(writer_properties)": written(),
    "DeltaTable.delete(commit_properties)": {"delete": {"commit_properties": CommitProperties()}},
    "DeltaTable.delete(post_commithook_properties)": {
        "delete": {"post_commithook_properties": PostCommitHookProperties()}
    },
    "DeltaTable.vacuum(commit_properties)": {"vacuum": {"commit_properties": CommitProperties()}},
    "DeltaTable.vacuum(post_commithook_properties)": {
        "vacuum": {"post_commithook_properties": PostCommitHookProperties()}
    },
    "CommitProperties(custom_metadata)": committed(custom_metadata={"who": "me"}),
    "CommitProperties(max_commit_retries)": committed(max_commit_retries=1),
    "PostCommitHookProperties(create_checkpoint)": hooked(create_checkpoint=False),
    "PostCommitHookProperties(cleanup_expired_logs)": hooked(cleanup_expired_logs=False),
    "WriterProperties(compression)": written(compression="ZSTD"),
    "WriterProperties(compression_level)": written(compression="ZSTD", compression_level=9),
    "WriterProperties(data_page_row_count_limit)": written(data_page_row_count_limit=2, write_batch_size=1),
    "WriterProperties(data_page_size_limit)": written(data_page_size_limit=16),
    "WriterProperties(dictionary_page_size_limit)": written(dictionary_page_size_limit=8),
    "WriterProperties(max_row_group_size)": written(max_row_group_size=7),
    "WriterProperties(write_batch_size)": written(write_batch_size=1),
    "WriterProperties(statistics_truncate_length)": written(statistics_truncate_length=1),
    "WriterProperties(default_column_properties)": written(default_column_properties=ColumnProperties()),
    "WriterProperties(column_properties)": written(column_properties={"s": ColumnProperties(dictionary_enabled=False)}),
    "ColumnProperties(dictionary_enabled)": written(
        default_column_properties=ColumnProperties(dictionary_enabled=False)
    ),
    "ColumnProperties(encoding)": written(column_properties={"id": ColumnProperties(encoding="DELTA_BINARY_PACKED")}),
    "ColumnProperties(bloom_filter_properties)": written(
        default_column_properties=ColumnProperties(bloom_filter_properties=BloomFilterProperties(True, fpp=0.5, ndv=3))
    ),
}

#: What is asked of the table, opened, before its commands.
READS = {
    "DeltaTable.count": lambda table: table.count(),
    "DeltaTable.deletion_vectors": lambda table: table.deletion_vectors(),
    "DeltaTable.file_uris": lambda table: table.file_uris(),
    "DeltaTable.generate": lambda table: table.generate(),
    "DeltaTable.get_add_actions": lambda table: table.get_add_actions(flatten=True),
    "DeltaTable.history": lambda table: table.history(1),
    "DeltaTable.is_deltatable": lambda table: DeltaTable.is_deltatable(table.table_uri),
    "DeltaTable.metadata": lambda table: table.metadata(),
    "DeltaTable.partitions": lambda table: table.partitions(),
    "DeltaTable.protocol": lambda table: table.protocol(),
    "DeltaTable.repair(dry_run)": lambda table: table.repair(dry_run=True),
    "DeltaTable.scan": lambda table: table.scan(columns=["id"], predicate="id > 3").read_all(),
    "DeltaTable.table_config": lambda table: table.table_config,
    "DeltaTable.table_uri": lambda table: table.table_uri,
    "DeltaTable.to_pyarrow_dataset": lambda table: table.to_pyarrow_dataset().to_table(),
    "DeltaTable.transaction_version": lambda table: table.transaction_version("app"),
    "DeltaTable.update_incremental": lambda table: table.update_incremental(),
}

#: Settings of a query's session, set in one before the commands.
SETTINGS = (
    "datafusion.execution.batch_size",
    "datafusion.execution.parquet.pruning",
    "datafusion.execution.parquet.pushdown_filters",
    "datafusion.execution.time_zone",
    "datafusion.optimizer.max_passes",
    "datafusion.sql_parser.parse_float_as_decimal",
    "datafusion.runtime.file_statistics_cache_limit",
    "datafusion.runtime.list_files_cache_limit",
    "datafusion.runtime.list_files_cache_ttl",
    "datafusion.runtime.max_spill_merge_fan_in",
    "datafusion.runtime.max_temp_directory_size",
    "datafusion.runtime.memory_limit",
    "datafusion.runtime.metadata_cache_limit",
    "datafusion.runtime.temp_directory",
    "datafusion.spark.map_key_dedup_policy",
)
VALUES = {
    **{"batch_size": "1", "pruning": "false", "pushdown_filters": "true", "time_zone": "'+09:00'", "max_passes": "1"},
    **{"file_statistics_cache_limit": "'1K'", "list_files_cache_limit": "'1K'", "list_files_cache_ttl": "'1s'"},
    **{"max_spill_merge_fan_in": "2", "max_temp_directory_size": "'1M'", "memory_limit": "'1M'"},
    **{"metadata_cache_limit": "'1K'", "temp_directory": "'/tmp'", "map_key_dedup_policy": "'LAST_WIN'"},
}

#: Of the session too: what begins so and is a switch is switched the other way, what is a whole number is 2, all at once.
FAMILIES = (
    "datafusion.catalog.*",
    "datafusion.execution.*",
    "datafusion.explain.*",
    "datafusion.format.*",
    "datafusion.optimizer.*",
    "datafusion.sql_parser.*",
)

#: Each set on its own table, before the commands.
PROPERTIES = {
    "delta.checkpoint.writeStatsAsStruct": "true",
    "delta.enableExpiredLogCleanup": "false",
    "delta.randomizeFilePrefixes": "true",
    "delta.setTransactionRetentionDuration": "interval 1 day",
    "delta.targetFileSize": "1000",
    "delta.tuneFileSizesForRewrites": "true",
}

#: These of them leave another log: expired commits, no new checkpoints, or without an expired transaction. All else is the same.
LOG = (
    "PostCommitHookProperties(create_checkpoint)",
    "PostCommitHookProperties(cleanup_expired_logs)",
    "delta.enableExpiredLogCleanup",
    "delta.setTransactionRetentionDuration",
)

#: These make a difference, and the comparison must see it. Another writer has committed since the table was opened: without a retry the
#: first DELETE fails.
CONTROLS = {
    "CommitProperties(max_commit_retries) of 0": committed(max_commit_retries=0),
    "CommitProperties(app_transactions)": committed(app_transactions=[Transaction("app", 1)]),
    "ColumnProperties(statistics_enabled)": written(
        default_column_properties=ColumnProperties(statistics_enabled="NONE")
    ),
    "DeltaTable.vacuum(retention_hours)": {"vacuum": {"retention_hours": 1000}},
    "a row less, by what is called before": {"before": lambda table: table.delete("id = 50")},
}

#: So do these properties.
OTHER_PROPERTIES = {
    "delta.checkpoint.writeStatsAsJson": "false",
    "delta.enableChangeDataFeed": "true",
    "delta.dataSkippingNumIndexedCols": "0",
}

CONDITIONS = ("id = 3", "s LIKE 'a%' AND d > 1", "p = 1", "id > 100 OR d IS NULL", "s IN ('b1', 'c2', 'd3')")


def rows(first: int, last: int) -> pa.Table:
    ids = list(range(first, last))
    columns = {
        "id": pa.array(ids, pa.int64()),
        "d": pa.array([None if i % 11 == 0 else i / 8 for i in ids], pa.float64()),
        "s": [f"{'abcde'[i % 5]}{i}" for i in ids],
        "p": pa.array([i % 4 for i in ids], pa.int32()),
    }
    return pa.table(columns)


def make(home: Path) -> None:
    """The two tables, each of three files, with a checkpoint of every second version, and a transaction of ten days ago."""
    for name, by in (("parts", ["p"]), ("plain", None)):
        given = {"partition_by": by, "configuration": {"delta.checkpointInterval": "2"}}
        given["commit_properties"] = CommitProperties(app_transactions=[Transaction("old", 1, _days_ago(10) * 1000)])
        for first in (0, 40, 80):
            write_deltalake(str(home / name), rows(first, first + 40), mode="append", **given)


def _days_ago(days: int) -> int:
    return int(time.time()) - days * 24 * 3600


def facts(root: Path, open: dict = {}, before: Callable = repr, delete: dict = {}, vacuum: dict = {}) -> list[object]:
    """What the commands did to a copy of a table."""
    existing = {path.name for path in (root / "_delta_log").iterdir()}
    table, found = DeltaTable(str(root), **open), []
    before(table)
    write_deltalake(str(root), rows(500, 502), mode="append", **hooked(cleanup_expired_logs=False)["delete"])
    for condition in CONDITIONS:
        answer = table.delete(condition, **delete)
        found.append({key: value for key, value in answer.items() if "time" not in key})
        found.append(sorted(DeltaTable(str(root)).to_pyarrow_table(columns=["id"])["id"].to_pylist()))
    names = {path.name for path in (root / "_delta_log").iterdir()}
    log = (sorted(names & existing), len(names - existing), DeltaTable(str(root)).transaction_version("old"))
    for dry_run in (True, False):
        given = {"retention_hours": 0, "dry_run": dry_run, "enforce_retention_duration": False, **vacuum}
        found.append(len(table.vacuum(**given)))
    found.append(sorted(DeltaTable(str(root)).to_pyarrow_table(columns=["id"])["id"].to_pylist()))
    for commit in sorted(path for path in (root / "_delta_log").glob("*.json") if path.name not in existing):
        actions = [next(iter(json.loads(line).items())) for line in commit.read_text().splitlines()]
        kinds = Counter((kind, "nullCount" in (body.get("stats") or ""), _bounds(body)) for kind, body in actions)
        found.append(sorted(kinds.items()))
    left = [path for path in root.rglob("*.parquet") if "_delta_log" not in path.parts]
    return [*found, len(left), log]


def _bounds(body: dict) -> bool:
    return bool(json.loads(body.get("stats") or "{}").get("minValues"))


def of_family(family: str) -> list[str]:
    """The statements that change its settings from their defaults."""
    session = QueryBuilder()
    session.execute("SET datafusion.catalog.information_schema = true")
    rows = pa.table(session.execute("SELECT name, value FROM information_schema.df_settings")).to_pylist()
    found = []
    for name, value in (row.values() for row in rows):
        if name.startswith(family.rstrip("*")) and name != "datafusion.catalog.information_schema":
            other = {"true": "false", "false": "true"}.get(value) or ("2" if str(value).isdigit() else None)
            other = "9" if name.endswith("recursion_limit") else other  # else the statements are refused
            found += [] if other is None else [f"SET {name} = {other}"]
    return found


def typed(statements: list[str]) -> str:
    """The type of a number in a query's session, after these statements."""
    session = QueryBuilder()
    for statement in statements:
        session.execute(statement)
    return str(pa.table(session.execute("SELECT arrow_typeof(0.5) AS type")).to_pylist())


def run(home: Path, number: int, given: dict, properties: dict, statements: list[str]) -> list[list[object]]:
    found = []
    for name in ("parts", "plain"):
        root = home / f"{name}-{number}"
        shutil.copytree(home / name, root)
        DeltaTable(str(root)).alter.set_table_properties(properties or {"delta.appendOnly": "false"})
        for version in (0, 1):  # older than the log's retention
            os.utime(root / f"_delta_log/{version:020}.json", (_days_ago(60), _days_ago(60)))
        session = QueryBuilder()
        for statement in statements:
            session.execute(statement)
        found.append(facts(root, **given))
    return found


def main(parts: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = unclear = 0
    try:
        make(home)
        expected = run(home, 0, {}, {}, [])
        assert expected == run(home, 1, {}, {}, []), "the commands differ from run to run"
        assert len(list((home / "plain-0").rglob("*.checkpoint.parquet"))) > 2, "nothing writes checkpoints"
        tried = [(name, given, {}, []) for name, given in PARAMETERS.items()]
        tried += [(name, {"before": read}, {}, []) for name, read in READS.items()]
        tried += [(name, {}, {}, [f"SET {name} = {VALUES.get(name.split('.')[-1], 'true')}"]) for name in SETTINGS]
        tried += [(name, {}, {}, of_family(name)) for name in FAMILIES]
        tried += [(name, {}, {name: value}, []) for name, value in PROPERTIES.items()]
        tried += [(name, given, {}, []) for name, given in CONTROLS.items()]
        tried += [(name, {}, {name: value}, []) for name, value in OTHER_PROPERTIES.items()]
        controls = {*CONTROLS, *OTHER_PROPERTIES}
        assert typed([]) != typed(["SET datafusion.sql_parser.parse_float_as_decimal = true"]), "SET has no effect on a query"
        for number, (name, *what) in enumerate(tried, start=2):
            if name not in controls and not any(part in name for part in parts):
                continue
            try:
                facts_now = run(home, number, *what)
                same = all(now[:-1] == once[:-1] for now, once in zip(facts_now, expected))
                same_log = all(now[-1] == once[-1] for now, once in zip(facts_now, expected))
                wrong = same is (name in controls) or (same_log is (name in LOG) and name not in controls)
            except Exception as problem:
                same, wrong = False, name not in controls
                print("  ", repr(problem)[:200])
            unclear += wrong and name in controls
            violated += wrong and name not in controls
            print("WRONG" if wrong else "ok", "no difference:" if same else "a difference:", name)
    finally:
        shutil.rmtree(home)
    return 2 if unclear else int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:] or [""])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
