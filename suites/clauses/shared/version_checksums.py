"""What a version checksum must say of its version (PROTOCOL.md, "Version Checksum File Schema").

Engines may write one beside each commit, and may leave out its optional members; what is there must be true, because readers
take protocol, metadata and files from it instead of from the log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from deltalog.checkpoints.checksums import DELETED_RECORD_BINS, HISTOGRAM_NAMES, deleted_record_counts
from deltalog.checkpoints.parsed_columns import ParsedColumns
from deltalog.entries.actions import Action, Add, DomainMetadata, Protocol, Txn
from deltalog.entries.codec import from_json
from deltalog.errors import MalformedAction
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.names import checksum_name
from harness.judging.clause import Judgement, Violation, each
from harness.judging.severity import Cause
from harness.observing.steps.observation import Observation
from harness.observing.table.root_paths import relative_action
from records.expectations import ByReplay
from suites.clauses.shared.checks import sorted_features
from suites.clauses.shared.log_files import is_kept

_VECTORS = ("numDeletedRecordsOpt", "numDeletionVectorsOpt", "deletedRecordCountsHistogramOpt")


@dataclass(frozen=True)
class VersionChecksum:
    """A new checksum file. ``fields`` is its JSON object without nulls; None: it holds none. ``info`` is its version's commitInfo."""

    version: int
    fields: Mapping[str, object] | None
    state: Snapshot
    info: Mapping[str, object]
    root: str

    def has(self, *names: str) -> bool:
        """Whether it has one of these members."""
        return self.fields is not None and any(name in self.fields for name in names)


#: Yields the members that are wrong, each with what is wrong.
ChecksumCheck = Callable[[VersionChecksum], Iterable[tuple[str, str]]]


def new_checksums(o: Observation) -> list[VersionChecksum]:
    """The checksums of the versions that the step committed, except those of which log cleanup has deleted a commit."""
    found, state = [], o.before.snapshot
    for commit in o.commits:
        if commit.version != state.version + 1:
            break
        state = replay([(commit.version, commit.actions)], base=state)
        if commit.version in o.after.checksums:
            document = o.after.checksums[commit.version]
            fields = None if document is None else {key: item for key, item in document.items() if item is not None}
            info = commit.info.fields if commit.info else {}
            found.append(VersionChecksum(commit.version, fields, state, info, o.before.root))
    return found


def judge_checksums(checksums: Iterable[VersionChecksum], *checks: ChecksumCheck) -> Judgement:
    """Judge each checksum by all of the checks."""

    def problem(checksum: VersionChecksum) -> Violation | None:
        wrong = [found for check in checks for found in check(checksum)]
        if not wrong:
            return None
        name = checksum_name(checksum.version)
        message = f"{name} does not describe version {checksum.version}: {'; '.join(text for _, text in wrong)}."
        reason = "a version checksum must be compared with the log"
        return Violation(name, message, ByReplay(reason), cause=Cause(f"wrong: {wrong[0][0]}"))

    return each(checksums, problem)


def counts(checksum: VersionChecksum) -> Iterable[tuple[str, str]]:
    """The numbers of files, bytes, protocols and metadata, and the histogram of the files' sizes."""
    if checksum.fields is None:
        yield "JSON", "it is no JSON object"
        return
    sizes = [add.size for add in checksum.state.adds.values()]
    expected = {"numFiles": len(sizes), "tableSizeBytes": sum(sizes), "numMetadata": 1, "numProtocol": 1}
    for name, value in expected.items():
        yield from _compared(name, value, checksum.fields.get(name))
    for name in HISTOGRAM_NAMES:
        found = checksum.fields.get(name)
        if found is not None and not _is_histogram(found, sizes):
            yield name, f"{name} is {found}, for files of {sorted(sizes)} bytes"


def definition(checksum: VersionChecksum) -> Iterable[tuple[str, str]]:
    """The protocol, the metadata, transaction identifiers and domains of the version, and its commit's times and id."""
    fields, state, info = checksum.fields or {}, checksum.state, checksum.info
    protocol, metadata = _actions("protocol", [fields.get("protocol")]), _actions("metaData", [fields.get("metadata")])
    if [sorted_features(one) for one in protocol or () if isinstance(one, Protocol)] != [
        sorted_features(state.protocol)
    ]:
        yield "protocol", f"protocol is {fields.get('protocol')}, and must be {state.protocol}"
    if metadata != [state.metadata]:
        yield "metadata", f"metadata is {fields.get('metadata')}, and must be {state.metadata}"
    lists: tuple[tuple[str, str, Iterable[Txn | DomainMetadata]], ...] = (
        ("setTransactions", "txn", state.txns.values()),
        ("domainMetadata", "domainMetadata", state.domains.values()),
    )
    for name, kind, expected in lists:
        if name in fields and _sorted(_actions(kind, fields[name])) != _sorted(expected):
            yield name, f"{name} is {fields[name]}, and must be {[*expected]}"
    timed = state.metadata.configuration.get("delta.enableInCommitTimestamps") == "true"
    at = info.get("inCommitTimestamp") if timed else None
    yield from _compared("inCommitTimestampOpt", at, fields.get("inCommitTimestampOpt"))
    if "txnId" in fields and "txnId" in info:
        yield from _compared("txnId", info["txnId"], fields["txnId"])


def vectors(checksum: VersionChecksum) -> Iterable[tuple[str, str]]:
    """The numbers of deletion vectors and of the rows that they delete, and the histogram of these by file."""
    adds = checksum.state.adds.values()
    deleted = [add.deletion_vector.cardinality for add in adds if add.deletion_vector is not None]
    expected: dict[str, object] = dict(zip(_VECTORS, (sum(deleted), len(deleted))))
    expected[_VECTORS[2]] = {DELETED_RECORD_BINS: deleted_record_counts(adds)}
    for name, value in expected.items():
        if checksum.has(name):
            yield from _compared(name, value, (checksum.fields or {})[name])


def files(checksum: VersionChecksum) -> Iterable[tuple[str, str]]:
    """The list of the live files. Their statistics may have been read from a checkpoint that has them as a struct alone."""
    if not checksum.has("allFiles"):
        return
    found = _actions("add", (checksum.fields or {})["allFiles"])
    adds = [add for add in found or () if isinstance(add, Add)]
    listed = [replace(relative_action(add, checksum.root), data_change=False) for add in adds]
    expected = checksum.state.adds
    if found is None or len(listed) != len(expected) or {add.key for add in listed} != expected.keys():
        paths = sorted(add.file for add in expected.values())
        yield "allFiles", f"allFiles lists {sorted(add.file for add in listed)}, and must list {paths}"
        return
    struct = ParsedColumns(checksum.state.metadata)
    for add in listed:
        if not is_kept(expected[add.key], add, struct):
            yield "allFiles", f"allFiles has {add}, and must have {expected[add.key]}"


def counts_vectors(checksum: VersionChecksum) -> bool:
    """Whether it has members about deletion vectors."""
    return checksum.has(*_VECTORS)


def lists_files(checksum: VersionChecksum) -> bool:
    """Whether it lists the live files."""
    return checksum.has("allFiles")


def _compared(name: str, expected: object, found: object) -> Iterable[tuple[str, str]]:
    if found != expected or isinstance(found, bool):
        yield name, f"{name} is {found}, and must be {expected}"


def _actions(kind: str, contents: object) -> list[Action] | None:
    """The actions with these contents; None if one of them is malformed."""
    try:
        return [action for one in contents for action in from_json({kind: one})] if isinstance(contents, list) else None
    except MalformedAction:
        return None


def _sorted(actions: Iterable[Action] | None) -> list[str] | None:
    return None if actions is None else sorted(map(str, actions))


def _is_histogram(found: object, sizes: list[int]) -> bool:
    """Whether these are the counts and sums of the sizes by bin; the bins begin with 0 and ascend."""
    if not isinstance(found, Mapping):
        return False
    bounds = found.get("sortedBinBoundaries")
    if not isinstance(bounds, list) or not all(isinstance(bound, int) for bound in bounds):
        return False
    if bounds[:1] != [0] or bounds != sorted(set(bounds)):
        return False
    filled = [(0, 0)] * len(bounds)
    for size in sizes:
        place = bisect_right(bounds, size) - 1
        filled[place] = (filled[place][0] + 1, filled[place][1] + size)
    counts, totals = found.get("fileCounts"), found.get("totalBytes")
    return counts == [count for count, _ in filled] and totals == [total for _, total in filled]
