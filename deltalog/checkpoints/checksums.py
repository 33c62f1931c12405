"""Version checksum files, and the checksum of a JSON object such as ``_last_checkpoint``."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from hashlib import md5
from pathlib import Path
from urllib.parse import quote

from deltalog.entries.actions import Action, Add
from deltalog.entries.codec import to_json
from deltalog.snapshot import Snapshot
from deltalog.storage.files import write_new
from deltalog.storage.names import LOG_DIRECTORY, checksum_name

_DELETION_VECTORS = "deletionVectors"

#: The member with the histogram of file sizes: by PROTOCOL.md, and as Delta on Spark has long written it.
HISTOGRAM_NAMES = ("fileSizeHistogram", "histogramOpt")

#: The one member of a DeletedRecordCountsHistogram.
DELETED_RECORD_BINS = "deletedRecordCounts"

#: The first number of deleted records of each bin (PROTOCOL.md, "Deleted Record Counts Histogram Schema").
_BINS = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 2**31 - 1)

#: The bounds of the file sizes' bins, in bytes. A writer is free to choose them.
_SIZE_BOUNDS = (0, 1_024, 4_096)


def checksum_fields(
    snapshot: Snapshot,
    *,
    in_commit_timestamp: int | None = None,
    txn_id: str | None = None,
    complete: bool = False,
) -> dict[str, object]:
    """The JSON object of the checksum of ``snapshot``'s version.

    ``in_commit_timestamp`` (ms since the epoch) must be given if the table has in-commit timestamps. ``txn_id`` is that of
    the commit. Deletion vectors are counted if the table supports them.
    Only with ``complete`` it has histograms and the list of files.
    Source: PROTOCOL.md, "Version Checksum File Schema".
    """
    adds = list(snapshot.adds.values())
    fields: dict[str, object] = {} if txn_id is None else {"txnId": txn_id}
    fields |= {"tableSizeBytes": sum(add.size for add in adds), "numFiles": len(adds)}
    counts_vectors = _DELETION_VECTORS in (snapshot.protocol.writer_features or ())
    if counts_vectors:
        vectors = [add.deletion_vector for add in adds if add.deletion_vector is not None]
        fields["numDeletedRecordsOpt"] = sum(vector.cardinality for vector in vectors)
        fields["numDeletionVectorsOpt"] = len(vectors)
    fields |= {"numMetadata": 1, "numProtocol": 1}
    if in_commit_timestamp is not None:
        fields["inCommitTimestampOpt"] = in_commit_timestamp
    if complete:
        fields |= {HISTOGRAM_NAMES[0]: _size_histogram(adds), "allFiles": [_content(add) for add in adds]}
        if counts_vectors:
            fields["deletedRecordCountsHistogramOpt"] = {DELETED_RECORD_BINS: deleted_record_counts(adds)}
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
    complete: bool = False,
    modified: int | None = None,
) -> Path:
    """Write the checksum of ``snapshot``'s version, whose commit must exist; return the file's path.

    ``modified`` is the file's modification time in ms since the epoch (``None``: now). The other arguments are those of
    ``checksum_fields``. Raises AlreadyWritten.
    Source: PROTOCOL.md, "Version Checksum File".
    """
    fields = checksum_fields(snapshot, in_commit_timestamp=in_commit_timestamp, txn_id=txn_id, complete=complete)
    path = root / LOG_DIRECTORY / checksum_name(snapshot.version)
    write_new(path, json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), modified)
    return path


def deleted_record_counts(adds: Iterable[Add]) -> list[int]:
    """How many of these files have so many rows deleted, by the bins of PROTOCOL.md's DeletedRecordCountsHistogram."""
    counts = [0] * len(_BINS)
    for add in adds:
        deleted = 0 if add.deletion_vector is None else add.deletion_vector.cardinality
        counts[bisect_right(_BINS, deleted) - 1] += 1
    return counts


def _size_histogram(adds: Iterable[Add]) -> dict[str, object]:
    """PROTOCOL.md, "File Size Histogram Schema"."""
    counts, totals = [0] * len(_SIZE_BOUNDS), [0] * len(_SIZE_BOUNDS)
    for add in adds:
        place = bisect_right(_SIZE_BOUNDS, add.size) - 1
        counts[place], totals[place] = counts[place] + 1, totals[place] + add.size
    return {"sortedBinBoundaries": list(_SIZE_BOUNDS), "fileCounts": counts, "totalBytes": totals}


def json_checksum(document: Mapping[str, object]) -> str:
    """The MD5 digest, in hexadecimal, of a JSON object in its canonical form, without its own member ``checksum``.

    Source: PROTOCOL.md, "JSON checksum".
    """
    pairs = _canonical({key: value for key, value in document.items() if key != "checksum"}, "")
    ordered = sorted(pairs, key=lambda pair: pair[0].encode("utf-8", "surrogatepass"))
    text = ",".join(f"{path}={value}" for path, value in ordered)
    return md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()


def _canonical(value: object, path: str) -> Iterator[tuple[str, str]]:
    """The paths and values of the leaves, in canonical form."""
    if isinstance(value, Mapping):
        steps = [(_quoted(str(key)), member) for key, member in value.items()]
    elif isinstance(value, (list, tuple)):
        steps = [(str(place), member) for place, member in enumerate(value)]
    else:
        yield path, _quoted(value) if isinstance(value, str) else json.dumps(value)
        return
    for step, member in steps:
        yield from _canonical(member, f"{path}+{step}" if path else step)


def _quoted(text: str) -> str:
    return f'"{quote(text, safe="-._~", errors="surrogatepass")}"'


def _content(action: Action) -> object:
    """The JSON of the action without its kind."""
    (content,) = to_json(action).values()
    return content
