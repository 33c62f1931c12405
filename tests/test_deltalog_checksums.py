"""Version checksum files: that they add up, and that they are written once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltalog.actions import Action, Add, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.checksums import checksum_fields, write_checksum
from deltalog.commits import write_commit
from deltalog.deletion_vectors import inline_vector
from deltalog.errors import AlreadyWritten
from deltalog.log import read_log
from deltalog.names import LogFileKind, parse_name
from deltalog.schemas import schema_string
from deltalog.snapshot import replay

METADATA = Metadata("id", schema_string([("x", "long")]), configuration={"a": "b"}, created_time=5)
METADATA_JSON = {
    "id": "id",
    "schemaString": METADATA.schema_string,
    "partitionColumns": [],
    "configuration": {"a": "b"},
    "createdTime": 5,
    "format": {"provider": "parquet", "options": {}},
}


def test_a_plain_table(tmp_path: Path) -> None:
    adds = (Add("a", {}, 10, 1, True), Add("b", {}, 32, 1, True), Add("c", {}, 99, 1, True))
    write_commit(tmp_path, 0, [Protocol(1, 2), METADATA, *adds])
    write_commit(tmp_path, 1, [Remove("c", 5, True)])
    path = write_checksum(tmp_path, read_log(tmp_path).snapshot(), modified=1_234)
    assert path.name == "00000000000000000001.crc" and path.stat().st_mtime_ns == 1_234_000_000
    name = parse_name(path.name)
    assert name is not None and name.kind is LogFileKind.CHECKSUM
    assert json.loads(path.read_text()) == {
        "tableSizeBytes": 42,
        "numFiles": 2,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [],
        "domainMetadata": [],
        "metadata": METADATA_JSON,
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 2},
    }
    with pytest.raises(AlreadyWritten, match="never overwritten"):
        write_checksum(tmp_path, read_log(tmp_path).snapshot())


def test_a_table_with_features() -> None:
    features = ("deletionVectors",)
    actions: list[Action] = [
        Protocol(3, 7, features, features),
        METADATA,
        Txn("b", 2, 3),
        Txn("a", 1),
        DomainMetadata("delta.rowTracking", '{"rowIdHighWaterMark":4}'),
        Add("x", {}, 10, 1, True, deletion_vector=inline_vector([1, 3])),
        Add("y", {}, 10, 1, True, deletion_vector=inline_vector([2])),
        Add("z", {}, 10, 1, True),
    ]
    fields = checksum_fields(replay([(0, actions)]), in_commit_timestamp=77, txn_id="t")
    assert (fields["numDeletedRecordsOpt"], fields["numDeletionVectorsOpt"], fields["numFiles"]) == (3, 2, 3)
    assert (fields["inCommitTimestampOpt"], fields["txnId"]) == (77, "t")
    assert fields["setTransactions"] == [{"appId": "a", "version": 1}, {"appId": "b", "version": 2, "lastUpdated": 3}]
    assert fields["domainMetadata"] == [
        {"domain": "delta.rowTracking", "configuration": '{"rowIdHighWaterMark":4}', "removed": False}
    ]
    assert fields["protocol"] == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
