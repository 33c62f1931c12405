"""Version checksum files."""

from __future__ import annotations

import json
from pathlib import Path

from deltalog.actions import Action
from deltalog.codec import to_json
from deltalog.files import write_new
from deltalog.names import LOG_DIRECTORY, checksum_name
from deltalog.snapshot import Snapshot

_DELETION_VECTORS = "deletionVectors"


def checksum_fields(
    snapshot: Snapshot, *, in_commit_timestamp: int | None = None, txn_id: str | None = None
) -> dict[str, object]:
    """The JSON object of the checksum of ``snapshot``'s version.

    ``in_commit_timestamp`` (ms since the epoch) must be given if the table has in-commit timestamps. ``txn_id`` is that of
    the commit. Deletion vectors are counted if the table supports them. Histograms and the list of files are omitted.
    Source: PROTOCOL.md, "Version Checksum File Schema".
    """
    adds = list(snapshot.adds.values())
    fields: dict[str, object] = {} if txn_id is None else {"txnId": txn_id}
    fields |= {"tableSizeBytes": sum(add.size for add in adds), "numFiles": len(adds)}
    if _DELETION_VECTORS in (snapshot.protocol.writer_features or ()):
        vectors = [add.deletion_vector for add in adds if add.deletion_vector is not None]
        fields["numDeletedRecordsOpt"] = sum(vector.cardinality for vector in vectors)
        fields["numDeletionVectorsOpt"] = len(vectors)
    fields |= {"numMetadata": 1, "numProtocol": 1}
    if in_commit_timestamp is not None:
        fields["inCommitTimestampOpt"] = in_commit_timestamp
    return {
        **fields,
        "setTransactions": [_content(snapshot.txns[name]) for name in sorted(snapshot.txns)],
        "domainMetadata": [_content(snapshot.domains[name]) for name in sorted(snapshot.domains)],
        "metadata": _content(snapshot.metadata),
        "protocol": _content(snapshot.protocol),
    }


def write_checksum(
    root: Path,
    snapshot: Snapshot,
    *,
    in_commit_timestamp: int | None = None,
    txn_id: str | None = None,
    modified: int | None = None,
) -> Path:
    """Write the checksum of ``snapshot``'s version, whose commit must exist; return the file's path.

    ``modified`` is the file's modification time in ms since the epoch (``None``: now). The other arguments are those of
    ``checksum_fields``. Raises AlreadyWritten.
    Source: PROTOCOL.md, "Version Checksum File".
    """
    fields = checksum_fields(snapshot, in_commit_timestamp=in_commit_timestamp, txn_id=txn_id)
    path = root / LOG_DIRECTORY / checksum_name(snapshot.version)
    write_new(path, json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), modified)
    return path


def _content(action: Action) -> object:
    """The JSON of the action without its kind."""
    (content,) = to_json(action).values()
    return content
