"""Commits, checkpoints and snapshots: what is refused, what is kept, and what a state is."""

from __future__ import annotations

import io
import json
import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltalog.checkpoints.checksums import json_checksum
from deltalog.checkpoints.files import SCHEMA, file_bytes
from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint, read_parts
from deltalog.checkpoints.writing import checkpoint_actions, write_checkpoint
from deltalog.entries.actions import Action, Add, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn, Unknown
from deltalog.entries.commits import commit_bytes, parse_commit, write_commit
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.errors import (
    AlreadyWritten,
    IncompleteState,
    MissingVersion,
    NotATable,
    UnreadableCheckpoint,
    UnreadableCommit,
)
from deltalog.log import read_log
from deltalog.snapshot import replay
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, commit_name
from deltalog.storage.parquet import write_data_file
from deltalog.values.schemas import schema_string, struct_type
from tests.table_rows import read_rows

PROTOCOL = Protocol(3, 7, ("deletionVectors",), ("deletionVectors", "domainMetadata"))
METADATA = Metadata("id", schema_string([("x", "long")]), configuration={"delta.appendOnly": "false"}, created_time=1)
BIRTH: tuple[Action, ...] = (PROTOCOL, METADATA)
VECTOR = DeletionVectorDescriptor("u", "ab^-aqEH.-t@S}K{vb[*k^", 34, 2, offset=4)


def add(path: str, vector: DeletionVectorDescriptor | None = None) -> Add:
    return Add(path, {}, 10, 20, False, stats='{"numRecords":3}', deletion_vector=vector)


def remove(path: str, at: int = 5, vector: DeletionVectorDescriptor | None = None) -> Remove:
    return Remove(path, at, False, True, {}, 10, deletion_vector=vector)


def test_the_newest_reference_to_a_file_wins() -> None:
    state = replay([(0, (*BIRTH, add("a"), add("b"))), (1, (remove("a", 7),)), (2, (remove("a", 9),))])
    assert set(state.adds) == {("b", None)}
    assert state.removes == {("a", None): remove("a", 9)}, "a later tombstone replaces an earlier one"
    again = replay([(3, (add("a"),))], base=state)
    assert set(again.adds) == {("a", None), ("b", None)}
    assert not again.removes, "an add takes the tombstone back"


def test_a_file_with_a_vector_is_another_logical_file() -> None:
    state = replay([(0, (*BIRTH, add("a"))), (1, (remove("a"), add("a", VECTOR)))])
    assert set(state.adds) == {("a", VECTOR.unique_id)}
    assert set(state.removes) == {("a", None)}


def test_txns_and_domains_are_reconciled() -> None:
    first = (*BIRTH, Txn("app", 5), DomainMetadata("d", "1"), DomainMetadata("e", "1"))
    state = replay([(0, first), (1, (Txn("app", 3), DomainMetadata("d", "", removed=True)))])
    assert state.txns == {"app": Txn("app", 3)}, "the latest wins, even with a lower version"
    assert set(state.domains) == {"e"}, "a removed domain is gone"


def test_commits_that_cannot_be_replayed() -> None:
    with pytest.raises(IncompleteState, match="no commit"):
        replay([])
    with pytest.raises(IncompleteState, match="version 0 has no protocol action"):
        replay([(0, (METADATA,))])
    with pytest.raises(IncompleteState, match="version 0 has no metaData action"):
        replay([(0, (PROTOCOL,))])
    with pytest.raises(MissingVersion, match="version 2 cannot be replayed on version 0"):
        replay([(0, BIRTH), (2, ())])


def test_a_commit_is_read_as_it_was_written(tmp_path: Path) -> None:
    actions = (CommitInfo({"operation": "WRITE", "text": "a\u2028b\n"}), *BIRTH, add("a%20b"))
    path = write_commit(tmp_path, 0, actions, modified=-1_234)
    log = read_log(tmp_path)
    commit = log.commits[0]
    assert commit.actions == actions
    assert commit.modified == -1_234
    assert commit.info == actions[0] and commit.adds == actions[3:] and not commit.removes and not commit.cdcs
    assert path.read_bytes() == commit_bytes(actions)
    assert log.commits_after(-1) == (commit,) and log.commits_after(0) == ()


def test_a_version_is_never_overwritten(tmp_path: Path) -> None:
    path = write_commit(tmp_path, 0, BIRTH)
    before = path.read_bytes()
    with pytest.raises(AlreadyWritten, match=r"0\.json exists already"):
        write_commit(tmp_path, 0, ())
    assert path.read_bytes() == before
    state = read_log(tmp_path).snapshot()
    write_checkpoint(tmp_path, state)
    with pytest.raises(AlreadyWritten, match=r"checkpoint\.parquet exists already"):
        write_checkpoint(tmp_path, state)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"txn":{"appId":"a","version":1}}\n\n{"txn"', "c.json, line 3, is not JSON"),
        (b'{"txn":{"appId":"a"}}', "c.json, line 1, is not an action: txn lacks the field version"),
        (b'{"x":"\xff"}', "c.json, line 1, is not JSON"),
        (b"[" * 100_000, "c.json, line 1, is not JSON"),
    ],
)
def test_an_invalid_line_is_reported(data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableCommit, match=sentence):
        parse_commit(data, "c.json")


def test_empty_tags_count_as_none(tmp_path: Path) -> None:
    """Writers of checkpoints keep one as the other."""
    tagged = b'{"add":{"path":"f","partitionValues":{},"size":10,"modificationTime":20,"dataChange":false,"tags":{}}}'
    assert parse_commit(tagged, "c.json") == (Add("f", {}, 10, 20, False),)


def test_unknown_keys_and_empty_lines_are_no_fault(tmp_path: Path) -> None:
    """PROTOCOL.md, "Protocol Evolution": readers ignore what they do not know."""
    lines = b'{"commitInfo":{},"newKind":["x"]}\n{}\n{"a":1,"b":2}\n' + commit_bytes([*BIRTH, add("f")])
    (tmp_path / LOG_DIRECTORY).mkdir()
    (tmp_path / LOG_DIRECTORY / commit_name(0)).write_bytes(lines)
    log = read_log(tmp_path)
    unknown = (Unknown("newKind", ["x"]), Unknown("a", 1), Unknown("b", 2))
    assert log.commits[0].actions == (CommitInfo({}), *unknown, *BIRTH, add("f"))
    assert set(log.snapshot().adds) == {("f", None)}


def test_a_table_without_a_schema_has_no_columns(tmp_path: Path) -> None:
    metadata = Metadata("id", None)
    write_commit(tmp_path, 0, (PROTOCOL, metadata, add("f")))
    state = read_log(tmp_path).snapshot()
    write_checkpoint(tmp_path, state)
    (tmp_path / LOG_DIRECTORY / commit_name(0)).unlink()
    write_data_file(tmp_path / "f", pa.table({"a": [1, 2]}))
    assert read_log(tmp_path).snapshot() == state and state.metadata == metadata
    assert read_rows(tmp_path, state) == [(), ()]


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotATable, match="_delta_log is not there"):
        read_log(tmp_path)
    (tmp_path / LOG_DIRECTORY).mkdir()
    with pytest.raises(NotATable, match="neither a commit nor a checkpoint"):
        read_log(tmp_path)


def test_versions_that_cannot_be_rebuilt(tmp_path: Path) -> None:
    write_commit(tmp_path, 0, BIRTH)
    for version in (1, 2, 3):
        write_commit(tmp_path, version, (add(f"f{version}"),))
    write_checkpoint(tmp_path, read_log(tmp_path).snapshot(1))
    for version in (0, 2):
        (tmp_path / LOG_DIRECTORY / commit_name(version)).unlink()
    log = read_log(tmp_path)
    assert log.version == 3
    assert set(log.snapshot(1).adds) == {("f1", None)}
    with pytest.raises(MissingVersion, match="the commit of version 0 is missing"):
        log.snapshot(0)
    with pytest.raises(MissingVersion, match="the commit of version 2 is missing"):
        log.snapshot()
    for version in (-1, 4):
        with pytest.raises(MissingVersion, match=f"has no version {version}; its latest is 3"):
            log.snapshot(version)


def test_other_files_of_a_log_are_listed(tmp_path: Path) -> None:
    write_commit(tmp_path, 0, BIRTH)
    log = tmp_path / LOG_DIRECTORY
    (log / LAST_CHECKPOINT).write_text("{}")
    (log / f"{0:020d}.crc").write_text("{}")
    (log / "_commits").mkdir()
    (log / "_commits" / commit_name(1)).write_text("no commit of this table")
    read = read_log(tmp_path)
    assert read.others == (f"{0:020d}.crc", f"_commits/{commit_name(1)}", LAST_CHECKPOINT)
    assert read.version == 0


def test_a_checkpoint_keeps_the_state_and_the_tombstones_given(tmp_path: Path) -> None:
    tagged = Remove("gone", 5, False, True, {}, 1, stats="{}", tags={"t": "1"}, deletion_vector=VECTOR, base_row_id=3)
    full = Add("x", {"p": None, "q": "1"}, 1, 2, False, "{}", {"t": "1"}, VECTOR, 3, 4, "liquid")
    state = replay(
        [(0, (*BIRTH, full, add("a"), tagged, remove("old", 1), Txn("app", 1, 2), DomainMetadata("d", "{}")))]
    )
    (file,) = write_checkpoint(tmp_path, state, tombstones=[tagged], modified=1_000)
    log = read_log(tmp_path)
    assert log.version == 0 and not log.commits
    again = log.snapshot()
    assert (again.protocol, again.metadata, again.adds) == (state.protocol, state.metadata, state.adds)
    assert (again.txns, again.domains) == (state.txns, state.domains)
    (kept,) = again.removes.values()
    assert kept == Remove("gone", 5, False, True, {}, 1, deletion_vector=VECTOR, base_row_id=3), "no stats, no tags"
    pointer = json.loads((file.parent / LAST_CHECKPOINT).read_text())
    assert pointer.pop("checksum") == json_checksum(pointer)
    assert pointer == {
        "version": 0,
        "size": 7,
        "sizeInBytes": file.stat().st_size,
        "numOfAddFiles": 2,
    }
    assert file.stat().st_mtime_ns == 1_000_000_000


def test_the_newest_checkpoint_is_the_base(tmp_path: Path) -> None:
    write_commit(tmp_path, 0, (*BIRTH, remove("old", 1), remove("new", 9)))
    write_commit(tmp_path, 1, (add("a"),))
    write_checkpoint(tmp_path, read_log(tmp_path).snapshot(0))
    write_checkpoint(tmp_path, read_log(tmp_path).snapshot(1), tombstones=[remove("new", 9)])
    assert set(read_log(tmp_path).snapshot().removes) == {("old", None), ("new", None)}, "whole logs need no checkpoint"
    (tmp_path / LOG_DIRECTORY / commit_name(0)).unlink()
    log = read_log(tmp_path)
    assert set(log.snapshot(0).removes) == {("old", None), ("new", None)}
    assert set(log.snapshot(1).removes) == {("new", None)}


def test_tombstones_in_a_checkpoint_have_no_stats_and_no_tags() -> None:
    state = replay([(0, (*BIRTH, Remove("a", 5, True, stats="{}", tags={"t": "1"})))])
    assert checkpoint_actions(state)[-1] == Remove("a", 5, False)


def test_a_protocol_without_features_has_null_features_in_a_checkpoint() -> None:
    table = pq.read_table(io.BytesIO(file_bytes([Protocol(1, 2)], SCHEMA)))
    assert table.to_pylist()[0]["protocol"] == {
        "minReaderVersion": 1,
        "minWriterVersion": 2,
        "readerFeatures": None,
        "writerFeatures": None,
    }


def test_checkpoints_have_the_columns_of_the_protocol() -> None:
    """PROTOCOL.md, "Checkpoint Schema", in Delta's order: an add has ``stats`` last, a remove has neither stats nor tags."""
    vector = "deletionVector baseRowId defaultRowCommitVersion"
    assert {column.name: " ".join(one.name for one in column.type) for column in SCHEMA} == {
        "txn": "appId version lastUpdated",
        "add": f"path partitionValues size modificationTime dataChange tags {vector} clusteringProvider stats",
        "remove": f"path deletionTimestamp dataChange extendedFileMetadata partitionValues size {vector}",
        "metaData": "id name description format schemaString partitionColumns configuration createdTime",
        "protocol": "minReaderVersion minWriterVersion readerFeatures writerFeatures",
        "domainMetadata": "domain configuration removed",
    }
    stored = SCHEMA.field("add").type.field("deletionVector").type
    assert {one.name: str(one.type) for one in stored} == {
        "storageType": "string",
        "pathOrInlineDv": "string",
        "offset": "int32",
        "sizeInBytes": "int32",
        "cardinality": "int64",
    }


def test_a_checkpoint_with_a_missing_part_is_ignored(tmp_path: Path) -> None:
    write_commit(tmp_path, 0, (*BIRTH, add("a"), add("b")))
    files = write_checkpoint(tmp_path, read_log(tmp_path).snapshot(), parts=3)
    assert [checkpoint.files for checkpoint in read_log(tmp_path).checkpoints] == [files]
    files[1].unlink()
    log = read_log(tmp_path)
    assert not log.checkpoints
    assert {files[0].name, files[2].name} <= set(log.others)


def test_a_v2_checkpoint_is_written_with_its_sidecar(tmp_path: Path) -> None:
    full = Add("x%20y", {"p": None, "q": "1"}, 1, 2, False, "{}", {"t": "1"}, VECTOR, 3, 4, "liquid")
    gone = Remove("gone", 5, False, True, {}, 1, deletion_vector=VECTOR, base_row_id=3, default_row_commit_version=4)
    actions = (*BIRTH, full, add("a"), gone, Txn("app", 1, 2), DomainMetadata("d", "{}"))
    state = replay([(0, ()), (1, actions)], base=replay([(-1, BIRTH)]))
    first, sidecar = write_checkpoint(tmp_path, state, v2=True, modified=1_000)
    assert first.name == f"{1:020d}.checkpoint.00000001-0000-4000-8000-000000000001.parquet"
    assert sidecar.parent == first.parent / "_sidecars"
    assert read_log(tmp_path).snapshot() == state
    top = {kind: len(rows) for kind, rows in _by_kind(first).items()}
    assert top == {"checkpointMetadata": 1, "protocol": 1, "metaData": 1, "txn": 1, "domainMetadata": 1, "sidecar": 1}
    assert {kind: len(rows) for kind, rows in _by_kind(sidecar).items()} == {"add": 2, "remove": 1}
    (named,) = _by_kind(first)["sidecar"]
    size = sidecar.stat().st_size
    assert (named["path"], named["sizeInBytes"], named["modificationTime"]) == (sidecar.name, size, 1_000)
    pointer = json.loads((first.parent / LAST_CHECKPOINT).read_text())
    assert pointer.pop("checksum") == json_checksum(pointer)
    assert pointer == {
        "version": 1,
        "size": 9,
        "sizeInBytes": first.stat().st_size + size,
        "numOfAddFiles": 2,
        "v2Checkpoint": {"path": first.name, "sizeInBytes": first.stat().st_size, "modificationTime": 1_000},
    }
    again = write_checkpoint(tmp_path / "again", state, v2=True, modified=1_000)
    assert [path.read_bytes() for path in again] == [first.read_bytes(), sidecar.read_bytes()], (
        "equal states, equal bytes"
    )
    with pytest.raises(AlreadyWritten):
        write_checkpoint(tmp_path, state, v2=True)


def test_a_v2_checkpoint_can_be_embedded_in_the_pointer(tmp_path: Path) -> None:
    state = replay([(0, (*BIRTH, add("a"), remove("b"), Txn("app", 1, 2)))])
    first, sidecar = write_checkpoint(tmp_path, state, v2=True, embeds=True, modified=1_000)
    (metadata,) = read_parts(LoggedCheckpoint(0, (first,))).metadata
    size = sidecar.stat().st_size
    tags = {"sidecarNumActions": "2", "sidecarSizeInBytes": str(size), "numOfAddFiles": "1"}
    assert metadata == {"version": 0, "tags": tags}
    embedded = json.loads((first.parent / LAST_CHECKPOINT).read_text())["v2Checkpoint"]
    assert [sorted(action) for action in embedded["nonFileActions"]] == [
        ["checkpointMetadata"],
        ["protocol"],
        ["metaData"],
        ["txn"],
    ]
    named = {"path": sidecar.name, "sizeInBytes": size, "modificationTime": 1_000, "tags": {}}
    assert embedded["sidecarFiles"] == [named]
    assert read_log(tmp_path).snapshot() == state


def test_a_checkpoint_that_does_not_begin_as_parquet_cannot_be_read(tmp_path: Path) -> None:
    (file,) = write_checkpoint(tmp_path, replay([(0, BIRTH)]))
    file.write_bytes(b"x" + file.read_bytes()[1:])
    with pytest.raises(UnreadableCheckpoint, match="does not begin as a Parquet file"):
        read_checkpoint(LoggedCheckpoint(0, (file,)))


def _by_kind(path: Path) -> dict[str, list[dict[str, object]]]:
    """What a checkpoint's file holds, by the kind of its actions."""
    found: dict[str, list[dict[str, object]]] = {}
    for row in pq.read_table(path).to_pylist():
        ((kind, value),) = ((kind, value) for kind, value in row.items() if value is not None)
        found.setdefault(kind, []).append(value)
    return found


@pytest.mark.parametrize(("zone", "int96"), [("UTC", False), (None, False), (None, True)])
def test_statistics_that_are_only_a_struct_are_read(tmp_path: Path, zone: str | None, int96: bool) -> None:
    """As of a table with delta.checkpoint.writeStatsAsJson = false, and writeStatsAsStruct = true."""
    instant = datetime(1, 1, 31, 1, 2, 3, 4_999)
    bounds = {
        "l": pa.array([2**60]),
        "d": pa.array([math.nan]),
        "p": pa.array([Decimal("1.20")], pa.decimal128(38, 2)),
        "s": pa.array(["ü"]),
        "day": pa.array([date(2020, 1, 31)]),
        "at": pa.array([instant], pa.timestamp("us", zone)),
        "in": pa.array([{"flag": True, "none": None, "local": instant}]),
        "v": pa.array([{"metadata": b"\1", "value": b"\0"}]),
        "none": pa.nulls(1, pa.int64()),
    }
    inside = struct_type([("flag", "boolean"), ("local", "timestamp_ntz")])
    metadata = Metadata("id", schema_string([("at", "timestamp"), ("in", inside)]))
    lower = pa.StructArray.from_arrays(list(bounds.values()), list(bounds))
    nulls = pa.array([{"l": 0, "in": {"flag": 1}}])
    parsed = pa.StructArray.from_arrays([pa.array([3]), lower, nulls], ["numRecords", "minValues", "nullCount"])
    checkpoint = pq.read_table(io.BytesIO(file_bytes([PROTOCOL, metadata, Add("f", {}, 1, 2, False)], SCHEMA)))
    actions = checkpoint.column("add").combine_chunks()
    kept = [(one, actions.field(index)) for index, one in enumerate(actions.type) if one.name != "stats"]
    fields = [*(one for one, _ in kept), pa.field("stats_parsed", parsed.type)]
    values = [*(column for _, column in kept), pa.concat_arrays([pa.nulls(2, parsed.type), parsed])]
    structs = pa.StructArray.from_arrays(values, fields=fields, mask=actions.is_null())
    path = tmp_path / LOG_DIRECTORY / f"{0:020d}.checkpoint.parquet"
    path.parent.mkdir()
    table = checkpoint.drop_columns("add").append_column("add", structs)
    pq.write_table(table, path, use_deprecated_int96_timestamps=int96)
    (found,) = read_log(tmp_path).snapshot().adds.values()
    assert not found.extra
    assert found.stats == (
        '{"numRecords":3,"minValues":{"l":1152921504606846976,"d":"NaN","p":1.20,"s":"ü","day":"2020-01-31",'
        '"at":"0001-01-31T01:02:03.004Z","in":{"flag":true,"local":"0001-01-31T01:02:03.004"}},"nullCount":{"l":0,"in":{"flag":1}}}'
    )


def test_a_damaged_checkpoint_is_reported(tmp_path: Path) -> None:
    path = tmp_path / f"{1:020d}.checkpoint.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(UnreadableCheckpoint, match=path.name):
        read_checkpoint(LoggedCheckpoint(1, (path,)))
    pq.write_table(pa.table({"add": [{"path": "f"}]}), path)
    with pytest.raises(UnreadableCheckpoint, match="row 1, is not an action: add lacks the field partitionValues"):
        read_checkpoint(LoggedCheckpoint(1, (path,)))
