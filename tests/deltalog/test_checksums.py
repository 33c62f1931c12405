"""Version checksum files: that they add up, and that they are written once."""

from __future__ import annotations

import hashlib
import json

from deltalog.checkpoints.checksums import checksum_fields, json_checksum
from deltalog.data.deletion_vectors import inline_vector
from deltalog.entries.actions import Action, Add, DomainMetadata, Metadata, Protocol, Txn
from deltalog.snapshot import replay
from deltalog.values.schemas import schema_string

METADATA = Metadata("id", schema_string([("x", "long")]), configuration={"a": "b"}, created_time=5)


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


def test_a_complete_checksum_has_the_files_and_histograms() -> None:
    features = ("deletionVectors",)
    actions: list[Action] = [
        Protocol(3, 7, features, features),
        METADATA,
        Add("x", {}, 1_023, 1, True, deletion_vector=inline_vector(range(10))),
        Add("y", {}, 1_024, 1, True, deletion_vector=inline_vector([2])),
        Add("z", {}, 1_000_000, 1, True),
    ]
    fields = checksum_fields(replay([(0, actions)]), complete=True)
    assert fields["fileSizeHistogram"] == {
        "sortedBinBoundaries": [0, 1_024, 4_096],
        "fileCounts": [1, 1, 1],
        "totalBytes": [1_023, 1_024, 1_000_000],
    }
    assert fields["deletedRecordCountsHistogramOpt"] == {"deletedRecordCounts": [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]}
    listed = fields["allFiles"]
    assert isinstance(listed, list) and [file["path"] for file in listed] == ["x", "y", "z"]


def test_the_checksum_of_a_json_object() -> None:
    """The example of PROTOCOL.md, "JSON checksum"."""
    text = (
        """{"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": ["v3", [1, 2], """
        """{"k4": "v4", "k5": ["v5", "v6", "v7"]}]}}"""
    )
    assert json_checksum(json.loads(text)) == "6a92d155a59bf2eecbd4b4ec7fd1f875"
    assert json_checksum({"b": None, "a": True}) == json_checksum({"a": True, "b": None}), "in any order"
    assert json_checksum({"a": "a/b é~"}) == hashlib.md5(b'"a"="a%2Fb%20%C3%A9~"').hexdigest()
