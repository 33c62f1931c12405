"""Version checksum files: what a version adds up to, written beside its commit."""

from __future__ import annotations

import json
from pathlib import Path

from deltalog.actions import Action
from deltalog.codec import to_json
from deltalog.errors import AlreadyWritten
from deltalog.names import LOG_DIRECTORY, checksum_name
from deltalog.snapshot import Snapshot
from deltalog.times import set_modified

_DELETION_VECTORS = "deletionVectors"


def checksum_fields(
    snapshot: Snapshot, *, in_commit_timestamp: int | None = None, txn_id: str | None = None
) -> dict[str, object]:
    """The JSON object of a version's checksum; all that it tells follows from ``snapshot``.

    ``in_commit_timestamp`` is the version's, in ms since the epoch; it is there if and only if the table has in-commit
    timestamps. ``txn_id`` is that of the commit. The counts of deletion vectors are there where the table supports
    these. Histograms and the list of all files are left out.
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
    """Write the checksum of ``snapshot``'s version, whose commit must be there already; return the file's path.

    ``modified`` is the file's modification time in ms since the epoch; ``None`` leaves the clock's. The other arguments
    are those of ``checksum_fields``. Raises AlreadyWritten.
    Source: PROTOCOL.md, "Version Checksum File".
    """
    fields = checksum_fields(snapshot, in_commit_timestamp=in_commit_timestamp, txn_id=txn_id)
    path = root / LOG_DIRECTORY / checksum_name(snapshot.version)
    try:
        with open(path, "xb") as file:
            file.write(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
    except FileExistsError:
        raise AlreadyWritten(f"{path} exists already, and a version's checksum is never overwritten") from None
    if modified is not None:
        set_modified(path, modified)
    return path


def _content(action: Action) -> object:
    """The action without the name of its kind."""
    (content,) = to_json(action).values()
    return content
