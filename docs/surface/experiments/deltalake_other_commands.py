"""What delta-rs offers beside DELETE and VACUUM: whatever is called before them, they delete the same rows and keep what is live.

    pip install deltalake==1.6.6 pyarrow pandas
    python deltalake_other_commands.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Each call of BEFORE is made on two tables of the same rows, with a partition column and without; none of them changes a row. Then the same
DELETEs and VACUUM run. What the DELETEs answer and the rows that are left must be those without the call, and VACUUM must leave
the live files, and of others none. With what is in REFUSED each DELETE is refused, and no file is lost. The last ones, CONTROLS,
change rows, and the comparison must see it.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import unquote

import deltalake
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet
from deltalake import (
    BloomFilterProperties,
    ColumnProperties,
    CommitProperties,
    DeltaTable,
    Field,
    Metadata,
    PostCommitHookProperties,
    QueryBuilder,
    Schema,
    TableFeatures,
    Transaction,
    WriterProperties,
    convert_to_deltalake,
    write_deltalake,
)
from deltalake.schema import PrimitiveType
from deltalake.transaction import AddAction

COMMIT = {"commit_properties": CommitProperties(custom_metadata={"who": "me"})}
HOOKS = {"post_commithook_properties": PostCommitHookProperties(create_checkpoint=True, cleanup_expired_logs=True)}
WRITER = {"writer_properties": WriterProperties(compression="ZSTD", max_row_group_size=7)}
SPILL = {"max_spill_size": 10**8, "max_temp_directory_size": 10**8}


def rows(first: int, count: int) -> pa.Table:
    ids = range(first, first + count)
    columns = {
        "id": pa.array(ids, pa.int64()),
        "d": pa.array([None if i % 11 == 0 else i / 8 for i in ids], pa.float64()),
        "s": pa.array([f"{'abcde'[i % 5]}{i}" for i in ids], pa.string()),
        "p": pa.array([i % 4 for i in ids], pa.int32()),
    }
    return pa.table(columns)


def parts(table: DeltaTable) -> list[str]:
    return list(table.metadata().partition_columns)


def made_again(table: DeltaTable, **given) -> None:
    """The table's rows, written into a table that ``DeltaTable.create`` makes in its place."""
    data, root = table.to_pyarrow_table(), Path(table.table_uri.removeprefix("file://"))
    shutil.rmtree(root)
    given = {"mode": "error", "partition_by": parts(table), **given}
    DeltaTable.create(str(root), schema=table.schema(), **given)
    write_deltalake(str(root), data, mode="append")


def converted(table: DeltaTable, **given) -> None:
    """The table's rows, as files of Parquet that are made a table again."""
    data, root, by = table.to_pyarrow_table(), Path(table.table_uri.removeprefix("file://")), parts(table)
    shutil.rmtree(root)
    if by:
        for value in range(4):
            part = root / f"p={value}"
            part.mkdir(parents=True)
            chosen = data.filter(pa.compute.equal(data["p"], value)).drop_columns(["p"])
            pa.parquet.write_table(chosen, part / "one.parquet")
        given = {"partition_by": Schema([Field("p", "integer")]), "partition_strategy": "hive", **given}
    else:
        root.mkdir()
        pa.parquet.write_table(data, root / "one.parquet")
    convert_to_deltalake(str(root), **given)


def written(table: DeltaTable, **given) -> None:
    """The last rows, overwritten by themselves."""
    data = table.to_pyarrow_table()
    root = table.table_uri
    mode = given.pop("mode", "overwrite")
    write_deltalake(root, data, mode=mode, partition_by=parts(table) or None, **given)


def merged(table: DeltaTable, clause: str = "when_matched_update", what: tuple = ({"id": "t.id"},), to: dict = {}, **given) -> None:
    """A MERGE of the row with id 7, or of another that is not there, that leaves what it finds."""
    source = rows(7, 1)
    given = {"source_alias": "s", "target_alias": "t", **given}
    getattr(table.merge(source, "s.id = t.id", **given), clause)(*what, **to).execute()


def again(table: DeltaTable, version: int) -> None:
    table.load_as_version(version)
    table.load_as_version(DeltaTable(table.table_uri).version())


def hand_written(table: DeltaTable, **given) -> None:
    """A file that another wrote, and a commit that adds it: the rows of one that it takes the place of are taken away before."""
    root = Path(table.table_uri.removeprefix("file://"))
    by = parts(table)
    table.delete("p = 3 AND id < 10")
    data = rows(0, 10)
    data = data.filter(pa.compute.equal(data["p"], 3))
    path = "p=3/by-hand.parquet" if by else "by-hand.parquet"
    pa.parquet.write_table(data.drop_columns(["p"]) if by else data, root / path)
    add = AddAction(
        path, (root / path).stat().st_size, {"p": "3"} if by else {}, int(time.time() * 1000), True, json.dumps({"numRecords": 2})
    )
    DeltaTable(str(root)).create_write_transaction([add], mode="append", schema=table.schema(), partition_by=by, **given)


def repaired(table: DeltaTable, **given) -> None:
    """A file is lost, and FSCK takes it out of the table; then its rows are written again."""
    root = Path(table.table_uri.removeprefix("file://"))
    lost = next(iter(unquote(uri.removeprefix("file://")) for uri in table.file_uris()))
    file = pa.parquet.ParquetFile(lost).read()
    ids = file["id"].to_pylist()
    os.remove(lost)
    DeltaTable(str(root)).repair(**given)
    everything = rows(0, 120)
    write_deltalake(str(root), everything.filter(pa.compute.is_in(everything["id"], pa.array(ids))), mode="append")


def restored(table: DeltaTable, **given) -> None:
    version = table.version()
    table.delete("id = 5")
    table.restore(version, **given)


def queried(table: DeltaTable, **given) -> None:
    session = QueryBuilder(**given).register("t", table)
    pa.table(session.execute("SELECT id FROM t WHERE d > 1"))


def check(table: DeltaTable, **given) -> None:
    table.alter.add_constraint({"c": "id >= 0"}, **given)


def unchecked(table: DeltaTable, **given) -> None:
    check(table)
    DeltaTable(table.table_uri).alter.drop_constraint("c", **given)


def read(name: str, **given):
    return lambda table: getattr(table, name)(**given)


def alter(name: str, *what, **given):
    return lambda table: getattr(table.alter, name)(*what, **given)


LOCAL = pyarrow.fs.LocalFileSystem


def at_root(table: DeltaTable) -> pyarrow.fs.SubTreeFileSystem:
    return pyarrow.fs.SubTreeFileSystem(table.table_uri.removeprefix("file://"), LOCAL())


def typed(table: DeltaTable) -> None:
    """What describes a schema, made in every way it can be and read again."""
    schema = table.schema()
    assert Schema.from_json(schema.to_json()) == schema and Schema.from_arrow(schema.to_arrow(as_large_types=True)) is not None
    assert Schema(schema.fields) == schema and schema.json() is not None and schema.invariants is not None and schema.type
    for field in schema.fields:
        assert Field.from_json(field.to_json()) == field and Field.from_arrow(field.to_arrow()) is not None
        assert Field(field.name, field.type, nullable=field.nullable, metadata=field.metadata) == field


def described(table: DeltaTable) -> None:
    found = Metadata(table._table)
    assert [found.id, found.name, found.description, found.partition_columns, found.created_time, found.configuration]
    protocol = table.protocol()
    assert [protocol.min_reader_version, protocol.min_writer_version, protocol.reader_features, protocol.writer_features]
    assert deltalake.table.ProtocolVersions(1, 2, None, None).min_writer_version == 2
    config = table.table_config
    assert [config.without_files, config.log_buffer_size, config.skip_stats]


#: The calls, by the names of what they try: of a method, and of each parameter that is no other's.
BEFORE = {
    "DeltaTable.create DeltaTable.create(table_uri) DeltaTable.create(schema) DeltaTable.create(partition_by)": made_again,
    "DeltaTable.create(mode)": lambda t: made_again(t, mode="overwrite"),
    "DeltaTable.create(name) DeltaTable.create(description)": lambda t: made_again(t, name="n", description="d"),
    "DeltaTable.create(configuration)": lambda t: made_again(t, configuration={"delta.logRetentionDuration": "interval 1 day"}),
    "DeltaTable.create(raise_if_key_not_exists)": lambda t: made_again(t, configuration={"my.key": "1"}, raise_if_key_not_exists=False),
    "DeltaTable.create(commit_properties)": lambda t: made_again(t, **COMMIT),
    "DeltaTable.create(post_commithook_properties)": lambda t: made_again(t, **HOOKS),
    "DeltaTable.create(storage_options)": lambda t: made_again(t, storage_options={"timeout": "60s"}),
    "convert_to_deltalake convert_to_deltalake(uri) convert_to_deltalake(partition_by) convert_to_deltalake(partition_strategy)": converted,
    "convert_to_deltalake(mode)": lambda t: converted(t, mode="ignore"),
    "convert_to_deltalake(collect_stats)": lambda t: converted(t, collect_stats=False),
    "convert_to_deltalake(name) convert_to_deltalake(description)": lambda t: converted(t, name="n", description="d"),
    "convert_to_deltalake(configuration)": lambda t: converted(t, configuration={"delta.logRetentionDuration": "interval 1 day"}),
    "convert_to_deltalake(commit_properties)": lambda t: converted(t, **COMMIT),
    "convert_to_deltalake(post_commithook_properties)": lambda t: converted(t, **HOOKS),
    "convert_to_deltalake(storage_options)": lambda t: converted(t, storage_options={"timeout": "60s"}),
    "DeltaTable.create_write_transaction DeltaTable.create_write_transaction(actions) DeltaTable.create_write_transaction(mode) "
    "DeltaTable.create_write_transaction(schema) DeltaTable.create_write_transaction(partition_by)": hand_written,
    "DeltaTable.create_write_transaction(partition_filters)": lambda t: hand_written(t, partition_filters=[]),
    "DeltaTable.create_write_transaction(commit_properties)": lambda t: hand_written(t, **COMMIT),
    "DeltaTable.create_write_transaction(post_commithook_properties)": lambda t: hand_written(t, **HOOKS),
    "write_deltalake(commit_properties)": lambda t: written(t, **COMMIT),
    "write_deltalake(post_commithook_properties)": lambda t: written(t, **HOOKS),
    "write_deltalake(writer_properties) WriterProperties": lambda t: written(t, **WRITER),
    "write_deltalake(name) write_deltalake(description)": lambda t: written(t, name="n", description="d"),
    "write_deltalake(partition_by)": written,
    "write_deltalake(schema_mode)": lambda t: written(t, schema_mode="overwrite"),
    "write_deltalake(storage_options)": lambda t: written(t, storage_options={"timeout": "60s"}),
    "write_deltalake(target_file_size)": lambda t: written(t, target_file_size=2000),
    "write_deltalake(configuration)": lambda t: written(t, configuration={"delta.logRetentionDuration": "interval 1 day"}),
    "ColumnProperties BloomFilterProperties BloomFilterProperties(set_bloom_filter_enabled) BloomFilterProperties(fpp) "
    "BloomFilterProperties(ndv)": lambda t: written(
        t,
        writer_properties=WriterProperties(
            default_column_properties=ColumnProperties(bloom_filter_properties=BloomFilterProperties(True, fpp=0.5, ndv=3))
        ),
    ),
    "ColumnProperties(statistics_enabled)": lambda t: written(
        t, writer_properties=WriterProperties(default_column_properties=ColumnProperties(statistics_enabled="NONE"))
    ),
    "CommitProperties CommitProperties(app_transactions) Transaction Transaction(app_id) Transaction(version) Transaction(last_updated) "
    "Transaction.app_id Transaction.version Transaction.last_updated DeltaTable.transaction_version(app_id)": lambda t: (
        written(t, commit_properties=CommitProperties(app_transactions=[Transaction("app", 3, 1)])),
        DeltaTable(t.table_uri).transaction_version("app"),
    ),
    "PostCommitHookProperties": lambda t: written(t, **HOOKS),
    "DeltaTable.load_as_version DeltaTable.load_as_version(version)": lambda t: again(t, 0),
    "DeltaTable.load_cdf(allow_out_of_range)": lambda t: _changes(t, starting_version=900, allow_out_of_range=True),
    "DeltaTable.load_cdf(columns)": lambda t: _changes(t, columns=["id"]),
    "DeltaTable.load_cdf(predicate)": lambda t: _changes(t, predicate="id > 3"),
    "DeltaTable.load_cdf(starting_timestamp) DeltaTable.load_cdf(ending_timestamp)": lambda t: _changes(
        t, starting_version=None, starting_timestamp="now", ending_timestamp="2100-01-01T00:00:00Z", allow_out_of_range=True
    ),
    "DeltaTable.file_uris(partition_filters)": read("file_uris", partition_filters=[]),
    "DeltaTable.file_uris(file_pruning_predicate)": read("file_uris", file_pruning_predicate="id > 3"),
    "DeltaTable.get_add_actions(flatten)": read("get_add_actions", flatten=True),
    "DeltaTable.history(limit)": read("history", limit=1),
    "DeltaTable.is_deltatable(table_uri) DeltaTable.is_deltatable(storage_options)": lambda t: DeltaTable.is_deltatable(
        t.table_uri, storage_options={"timeout": "60s"}
    ),
    "DeltaTable.partitions(partition_filters)": lambda t: t.partitions(partition_filters=[("p", "=", "1")] if parts(t) else []),
    "DeltaTable.partitions(file_pruning_predicate)": lambda t: t.partitions(file_pruning_predicate="id > 3"),
    "DeltaTable.scan(columns) DeltaTable.scan(predicate)": lambda t: t.scan(columns=["id"], predicate="id > 3").read_all(),
    "DeltaTable.to_pandas": read("to_pandas"),
    "DeltaTable.to_pandas(columns)": read("to_pandas", columns=["id"]),
    "DeltaTable.to_pandas(filesystem)": lambda t: t.to_pandas(filesystem=at_root(t)),
    "DeltaTable.to_pandas(filters)": read("to_pandas", filters=[("id", ">", 3)]),
    "DeltaTable.to_pandas(partitions)": lambda t: t.to_pandas(partitions=[("p", "=", "1")] if parts(t) else None),
    "DeltaTable.to_pandas(types_mapper)": read("to_pandas", types_mapper={}.get),
    "DeltaTable.to_pyarrow_dataset(as_large_types)": read("to_pyarrow_dataset", as_large_types=True),
    "DeltaTable.to_pyarrow_dataset(file_pruning_predicate)": read("to_pyarrow_dataset", file_pruning_predicate="id > 3"),
    "DeltaTable.to_pyarrow_dataset(filesystem)": lambda t: t.to_pyarrow_dataset(filesystem=at_root(t)).to_table(),
    "DeltaTable.to_pyarrow_dataset(parquet_read_options)": read(
        "to_pyarrow_dataset", parquet_read_options=pyarrow.dataset.ParquetReadOptions()
    ),
    "DeltaTable.to_pyarrow_dataset(partitions)": lambda t: t.to_pyarrow_dataset(partitions=[("p", "=", "1")] if parts(t) else None),
    "DeltaTable.to_pyarrow_dataset(schema)": lambda t: t.to_pyarrow_dataset(schema=pa.schema(t.schema().to_arrow())),
    "DeltaTable.to_pyarrow_table(columns)": read("to_pyarrow_table", columns=["id"]),
    "DeltaTable.to_pyarrow_table(filesystem)": lambda t: t.to_pyarrow_table(filesystem=at_root(t)),
    "DeltaTable.to_pyarrow_table(filters)": read("to_pyarrow_table", filters=[("id", ">", 3)]),
    "DeltaTable.to_pyarrow_table(partitions)": lambda t: t.to_pyarrow_table(partitions=[("p", "=", "1")] if parts(t) else None),
    "DeltaTable(without_files)": lambda t: DeltaTable(t.table_uri, without_files=True).version(),
    "DeltaTableConfig DeltaTableConfig(without_files) DeltaTableConfig(log_buffer_size) DeltaTableConfig(skip_stats) "
    "DeltaTableConfig.without_files DeltaTableConfig.log_buffer_size DeltaTableConfig.skip_stats Metadata Metadata(table) Metadata.id "
    "Metadata.name Metadata.description Metadata.partition_columns Metadata.created_time Metadata.configuration ProtocolVersions "
    "ProtocolVersions(min_reader_version) ProtocolVersions(min_writer_version) ProtocolVersions(reader_features) "
    "ProtocolVersions(writer_features) ProtocolVersions.min_reader_version ProtocolVersions.min_writer_version "
    "ProtocolVersions.reader_features ProtocolVersions.writer_features": described,
    "Field Field(name) Field(type) Field(nullable) Field(metadata) Field.name Field.type Field.nullable Field.metadata Field.from_arrow "
    "Field.from_arrow(field) Field.from_json Field.from_json(field_json) Field.to_arrow Field.to_json Schema Schema(fields) Schema.fields "
    "Schema.from_arrow Schema.from_arrow(data_type) Schema.from_json Schema.from_json(schema_json) Schema.invariants Schema.json "
    "Schema.to_arrow Schema.to_arrow(as_large_types) Schema.to_json Schema.type": typed,
    "QueryBuilder(session_config)": lambda t: queried(t, session_config={"datafusion.execution.batch_size": "1"}),
    "QueryBuilder.execute(sql) QueryBuilder.register(table_name) QueryBuilder.register(delta_table)": queried,
    "DeltaTable.merge(source_alias) DeltaTable.merge(target_alias) TableMerger(builder) TableMerger(table)": merged,
    "DeltaTable.merge(commit_properties)": lambda t: merged(t, **COMMIT),
    "DeltaTable.merge(post_commithook_properties)": lambda t: merged(t, **HOOKS),
    "DeltaTable.merge(writer_properties)": lambda t: merged(t, **WRITER),
    "DeltaTable.merge(error_on_type_mismatch)": lambda t: merged(t, error_on_type_mismatch=False),
    "DeltaTable.merge(max_spill_size) DeltaTable.merge(max_temp_directory_size)": lambda t: merged(t, **SPILL),
    "DeltaTable.merge(merge_schema)": lambda t: merged(t, merge_schema=True),
    "DeltaTable.merge(streamed_exec)": lambda t: merged(t, streamed_exec=False),
    "TableMerger.when_matched_delete(predicate)": lambda t: merged(t, "when_matched_delete", (), {"predicate": "t.id < 0"}),
    "TableMerger.when_matched_update(predicate)": lambda t: merged(t, to={"predicate": "t.id > 0"}),
    "TableMerger.when_matched_update_all": lambda t: merged(t, "when_matched_update_all", ()),
    "TableMerger.when_matched_update_all(predicate)": lambda t: merged(t, "when_matched_update_all", (), {"predicate": "t.id > 0"}),
    "TableMerger.when_matched_update_all(except_cols)": lambda t: merged(t, "when_matched_update_all", (), {"except_cols": ["d"]}),
    "TableMerger.when_not_matched_by_source_delete TableMerger.when_not_matched_by_source_delete(predicate)": lambda t: merged(
        t, "when_not_matched_by_source_delete", (), {"predicate": "t.id < 0"}
    ),
    "TableMerger.when_not_matched_by_source_update TableMerger.when_not_matched_by_source_update(updates) "
    "TableMerger.when_not_matched_by_source_update(predicate)": lambda t: merged(
        t, "when_not_matched_by_source_update", ({"id": "t.id"},), {"predicate": "t.id = 9"}
    ),
    "TableMerger.when_not_matched_insert(predicate)": lambda t: merged(
        t, "when_not_matched_insert", ({"id": "s.id"},), {"predicate": "s.id < 0"}
    ),
    "TableMerger.when_not_matched_insert_all TableMerger.when_not_matched_insert_all(predicate)": lambda t: merged(
        t, "when_not_matched_insert_all", (), {"predicate": "s.id < 0"}
    ),
    "TableMerger.when_not_matched_insert_all(except_cols)": lambda t: merged(t, "when_not_matched_insert_all", (), {"except_cols": ["d"]}),
    "DeltaTable.update(commit_properties)": lambda t: t.update({"id": "id"}, predicate="id = 7", **COMMIT),
    "DeltaTable.update(post_commithook_properties)": lambda t: t.update({"id": "id"}, predicate="id = 7", **HOOKS),
    "DeltaTable.update(writer_properties)": lambda t: t.update({"id": "id"}, predicate="id = 7", **WRITER),
    "DeltaTable.update(new_values)": lambda t: t.update(new_values={"id": 7}, predicate="id = 7"),
    "DeltaTable.update(error_on_type_mismatch)": lambda t: t.update({"id": "id"}, predicate="id = 7", error_on_type_mismatch=False),
    "DeltaTable.repair": repaired,
    "DeltaTable.repair(commit_properties)": lambda t: repaired(t, **COMMIT),
    "DeltaTable.repair(post_commithook_properties)": lambda t: repaired(t, **HOOKS),
    "DeltaTable.restore(commit_properties)": lambda t: restored(t, **COMMIT),
    "DeltaTable.restore(ignore_missing_files)": lambda t: restored(t, ignore_missing_files=True),
    "DeltaTable.restore(protocol_downgrade_allowed)": lambda t: restored(t, protocol_downgrade_allowed=True),
    "DeltaTable.restore(post_commithook_properties)": lambda t: restored(t, **HOOKS),
    "TableAlterer(table)": lambda t: deltalake.table.TableAlterer(t).set_table_name("n"),
    "TableAlterer.add_columns(commit_properties)": alter("add_columns", [Field("x", "long")], **COMMIT),
    "TableAlterer.add_columns(post_commithook_properties)": alter("add_columns", [Field("x", "long")], **HOOKS),
    "TableAlterer.add_constraint TableAlterer.add_constraint(constraints)": check,
    "TableAlterer.add_constraint(commit_properties)": lambda t: check(t, **COMMIT),
    "TableAlterer.add_constraint(post_commithook_properties)": lambda t: check(t, **HOOKS),
    "TableAlterer.drop_constraint TableAlterer.drop_constraint(name)": unchecked,
    "TableAlterer.drop_constraint(raise_if_not_exists)": lambda t: t.alter.drop_constraint("none", raise_if_not_exists=False),
    "TableAlterer.drop_constraint(commit_properties)": lambda t: unchecked(t, **COMMIT),
    "TableAlterer.drop_constraint(post_commithook_properties)": lambda t: unchecked(t, **HOOKS),
    "TableAlterer.drop_column_not_null TableAlterer.drop_column_not_null(column_name)": lambda t: nullable(t),
    "TableAlterer.drop_column_not_null(commit_properties)": lambda t: nullable(t, **COMMIT),
    "TableAlterer.drop_column_not_null(post_commithook_properties)": lambda t: nullable(t, **HOOKS),
    "TableAlterer.set_column_metadata TableAlterer.set_column_metadata(column) TableAlterer.set_column_metadata(metadata)": alter(
        "set_column_metadata", "id", {"a": "b"}
    ),
    "TableAlterer.set_column_metadata(commit_properties)": alter("set_column_metadata", "id", {"a": "b"}, **COMMIT),
    "TableAlterer.set_column_metadata(post_commithook_properties)": alter("set_column_metadata", "id", {"a": "b"}, **HOOKS),
    "TableAlterer.set_table_description TableAlterer.set_table_description(description)": alter("set_table_description", "d"),
    "TableAlterer.set_table_description(commit_properties)": alter("set_table_description", "d", **COMMIT),
    "TableAlterer.set_table_description(post_commithook_properties)": alter("set_table_description", "d", **HOOKS),
    "TableAlterer.set_table_name TableAlterer.set_table_name(name)": alter("set_table_name", "n"),
    "TableAlterer.set_table_name(commit_properties)": alter("set_table_name", "n", **COMMIT),
    "TableAlterer.set_table_name(post_commithook_properties)": alter("set_table_name", "n", **HOOKS),
    "TableAlterer.set_table_properties(raise_if_not_exists)": alter("set_table_properties", {"my.key": "1"}, raise_if_not_exists=False),
    "TableAlterer.set_table_properties(commit_properties)": alter("set_table_properties", {"delta.targetFileSize": "1000"}, **COMMIT),
    "TableAlterer.set_table_properties(post_commithook_properties)": alter(
        "set_table_properties", {"delta.targetFileSize": "1000"}, **HOOKS
    ),
    "TableAlterer.add_feature TableAlterer.add_feature(feature) "
    "TableAlterer.add_feature(allow_protocol_versions_increase) TableFeatures": alter(
        "add_feature", TableFeatures.AppendOnly, True
    ),
    "TableAlterer.add_feature(commit_properties)": alter("add_feature", TableFeatures.AppendOnly, True, **COMMIT),
    "TableAlterer.add_feature(post_commithook_properties)": alter("add_feature", TableFeatures.AppendOnly, True, **HOOKS),
    "TableOptimizer(table)": lambda t: deltalake.table.TableOptimizer(t).compact(),
    "rust_core_version": lambda t: deltalake.rust_core_version(),
}
for _name, _given in {
    "commit_properties": COMMIT,
    "post_commithook_properties": HOOKS,
    "writer_properties": WRITER,
    "max_concurrent_tasks": {"max_concurrent_tasks": 1},
    "max_spill_size": {"max_spill_size": 10**8},
    "max_temp_directory_size": {"max_temp_directory_size": 10**8},
    "min_commit_interval": {"min_commit_interval": 1},
    "target_size": {"target_size": 2000},
}.items():
    # These: TableOptimizer.compact(commit_properties) TableOptimizer.z_order(commit_properties)
    # TableOptimizer.compact(writer_properties)
    # TableOptimizer.compact(post_commithook_properties) TableOptimizer.z_order(post_commithook_properties)
    # TableOptimizer.z_order(writer_properties) TableOptimizer.compact(max_concurrent_tasks) TableOptimizer.z_order(max_concurrent_tasks)
    # TableOptimizer.compact(max_spill_size) TableOptimizer.z_order(max_spill_size) TableOptimizer.compact(max_temp_directory_size)
    # TableOptimizer.z_order(max_temp_directory_size) TableOptimizer.compact(min_commit_interval) TableOptimizer.compact(target_size)
    # TableOptimizer.z_order(min_commit_interval) TableOptimizer.z_order(target_size)
    BEFORE[f"TableOptimizer.compact({_name})"] = lambda t, given=_given: t.optimize.compact(**given)
    BEFORE[f"TableOptimizer.z_order({_name})"] = lambda t, given=_given: t.optimize.z_order(["id"], **given)


#: What describes a VARIANT.
def variant(table: DeltaTable) -> None:
    """VariantType VariantType.from_json VariantType.from_json(type_json) VariantType.to_arrow VariantType.to_json VariantType.type
    VariantType.from_arrow VariantType.from_arrow(data_type)"""
    kind = deltalake.VariantType()
    try:
        deltalake.VariantType.from_arrow(kind.to_arrow())
    except TypeError as refusal:
        print("  VariantType.from_arrow:", refusal)
    assert deltalake.VariantType.from_json(kind.to_json()) is not None and kind.type == "variant" and kind.to_arrow() is not None


BEFORE[variant.__doc__] = variant

#: Of these the features are given to the table, and what the package does with them is said.
FEATURES = (
    "DomainMetadata",
    "IcebergCompatV1",
    "IdentityColumns",
    "RowTracking",
    "TimestampNanos",
    "TimestampWithoutTimezone",
    "VariantType",
    "VariantTypePreview",
)
PROPERTIES = {
    "delta.autoOptimize.autoCompact": "true",
    "delta.autoOptimize.optimizeWrite": "true",
    "delta.checkpointInterval": "2",
    "delta.minReaderVersion": "1",
    "delta.randomPrefixLength": "5",
}


def featured(table: DeltaTable, name: str) -> None:
    """The feature in the table's protocol; after the commit the package may refuse the table that it made."""
    root = Path(table.table_uri.removeprefix("file://"))
    try:
        table.alter.add_feature(getattr(TableFeatures, name), True)
    except Exception as refusal:
        last = sorted((root / "_delta_log").glob("*.json"))[-1]
        assert '"protocol"' in last.read_text(), refusal


BEFORE.update({f"feature {name}": lambda t, name=name: featured(t, name) for name in FEATURES})
BEFORE.update({f"property {name}": alter("set_table_properties", {name: value}) for name, value in PROPERTIES.items()})


def new_column(table: DeltaTable, kind: str) -> None:
    """A column of this type, or a refusal."""
    try:
        table.alter.add_columns([Field("x", PrimitiveType(kind))])
        print("  it has a column of", kind)
    except Exception as refusal:
        print("  refused:", str(refusal)[:100])


BEFORE.update({f"type {kind}": lambda t, kind=kind: new_column(t, kind) for kind in ("timestamp_nanos", "void")})
BEFORE["enable_nanosecond_timestamps"] = lambda t: deltalake.enable_nanosecond_timestamps()  # of the process, so it is the last

#: With these each DELETE is refused, and no file is lost.
REFUSED = (*(f"feature {name}" for name in ("DomainMetadata", "IcebergCompatV1", "IdentityColumns", "RowTracking", "TimestampNanos")),)

CONTROLS = {
    "CONTROL deleted": lambda t: t.delete("id = 50"),
    "CONTROL appended": lambda t: write_deltalake(t.table_uri, rows(500, 1), mode="append"),
}

CONDITIONS = ("id = 3", "s LIKE 'a%' AND d > 1", "p = 1", "id > 100 OR d IS NULL", "s IN ('b1', 'c2', 'd3')")


def _changes(table: DeltaTable, starting_version=0, **given) -> None:
    """Of a table that has a change feed from now on."""
    root = table.table_uri
    table.alter.set_table_properties({"delta.enableChangeDataFeed": "true"})
    if starting_version == 0:
        starting_version = DeltaTable(root).version()
    if given.get("starting_timestamp") == "now":
        given["starting_timestamp"] = datetime.now(timezone.utc).isoformat()
    pa.table(DeltaTable(root).load_cdf(starting_version=starting_version, **given).read_all())


def nullable(table: DeltaTable, **given) -> None:
    """On a table made again with a column that is NOT NULL."""
    data, root, by = table.to_pyarrow_table(), Path(table.table_uri.removeprefix("file://")), parts(table)
    shutil.rmtree(root)
    fields = [Field(one.name, one.type, nullable=one.name != "id") for one in table.schema().fields]
    DeltaTable.create(str(root), schema=Schema(fields), partition_by=by)
    schema = pa.schema([pa.field(one.name, one.type, nullable=one.name != "id") for one in data.schema])
    write_deltalake(str(root), data.cast(schema), mode="append")
    DeltaTable(str(root)).alter.drop_column_not_null("id", **given)


def make(home: Path) -> None:
    for name, by in (("parts", ["p"]), ("plain", None)):
        for first in (0, 40, 80):
            write_deltalake(str(home / name), rows(first, 40), mode="append", partition_by=by)


def ids(root: Path) -> list[int]:
    """By a query: ``to_pyarrow_table`` refuses some features that a DELETE takes."""
    session = QueryBuilder().register("t", DeltaTable(str(root)))
    return sorted(pa.table(session.execute("SELECT id FROM t"))["id"].to_pylist())


def facts(root: Path, before, refused: bool) -> list[object]:
    if refused:
        DeltaTable(str(root)).delete("id = 5")  # so that VACUUM has a file to delete
    before(DeltaTable(str(root)))
    if refused:
        return [nothing_done(root)]
    found: list[object] = []
    for condition in CONDITIONS:
        found += [DeltaTable(str(root)).delete(condition)["num_deleted_rows"], ids(root)]
    DeltaTable(str(root)).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    left = {path.resolve() for path in root.rglob("*.parquet") if not {"_delta_log", "_change_data"} & set(path.parts)}
    live = {Path(unquote(uri.removeprefix("file://"))).resolve() for uri in DeltaTable(str(root)).file_uris()}
    return [*found, ids(root), left == live]


def nothing_done(root: Path, conditions: tuple = (*CONDITIONS, None)) -> bool:
    """Whether every DELETE is refused, and every file is as before, after VACUUM too."""
    files = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
    for condition in conditions:
        try:
            DeltaTable(str(root)).delete(condition)
            return False
        except Exception as refusal:
            assert any(word in str(refusal) for word in ("nsupported", "requires", "not yet supported")), refusal
    try:
        DeltaTable(str(root)).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    except Exception as refusal:
        assert any(word in str(refusal) for word in ("nsupported", "requires", "not yet supported")), refusal
    return files.items() <= {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}.items()


def main(wanted: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = unclear = 0
    try:
        make(home)

        def run(number: int, before, refused: bool) -> list[list[object]]:
            roots = [Path(shutil.copytree(home / name, home / f"{name}-{number}")) for name in ("parts", "plain")]
            return [facts(root, before, refused) for root in roots]

        expected = run(0, repr, False)
        assert all(one[-1] for one in expected), "VACUUM leaves other files"
        taken = Path(shutil.copytree(home / "plain", home / "taken"))
        DeltaTable(str(taken)).delete("id = 5")
        assert not nothing_done(taken, ()), "VACUUM deletes a file, and the comparison does not see it"
        assert not nothing_done(taken), "a DELETE is not refused, and the comparison does not see it"
        for number, (name, before) in enumerate({**BEFORE, **CONTROLS}.items(), start=1):
            if name not in CONTROLS and not any(part in name for part in wanted):
                continue
            try:
                refused = name in REFUSED
                same, said = run(number, before, refused) == ([[True], [True]] if refused else expected), ""
            except Exception as problem:
                same, said = False, f"{type(problem).__name__}: {str(problem)[:150]}"
            wrong = bool(said) or same is (name in CONTROLS)
            violated += wrong and name not in CONTROLS
            unclear += wrong and name in CONTROLS
            print("WRONG" if wrong else "ok", "the same:" if same else "not the same:", name, said, flush=True)
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
