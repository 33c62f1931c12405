"""VAC-LOG-1: what a VACUUM that completes writes into the log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.entries.commits import LoggedCommit
from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, wrong_words
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import vector_path
from model.prediction.fates import PathFate
from model.prediction.links import resolved
from model.prediction.paths import StorageEntry, checksum_of
from model.prediction.scans import LiteScan
from model.prediction.vacuum import listed_directories, predict_vacuum
from model.text.layout import is_named_by_engine
from model.vocabulary.severity import Severity
from model.vocabulary.table import Kind
from records.expectations import ByReplay, Expectation, InfoIs, MetricCounts, NoActions, Operations, Total
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.provenance import check_names, fields
from suites.clauses.vacuum.path_rules import (
    VacuumCondition,
    VacuumJudge,
    deleted,
    deleted_by_others,
    is_lite,
    is_logged,
    linked_directories,
)

START, END = "VACUUM START", "VACUUM END"

#: Metrics about what the run itself deleted, which differ from run to run.
OF_DELETED = {
    "operationMetrics.numDeletedFiles": Total.DELETED_FILES,
    "operationMetrics.sizeOfDataToDelete": Total.DELETED_BYTES,
}


def info_of(v: VacuumObservation, operation: str) -> dict[str, Any] | None:
    """The commitInfo of the run's START or END; None if it is not in the log."""
    found = [fields(commit) for commit in v.commits if fields(commit).get("operation") == operation]
    return found[0] if len(found) == 1 else None


def at(values: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key; None if there is none."""
    value: Any = values
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def operations(v: VacuumObservation) -> list[Any]:
    """The operations of the step's commits, in order."""
    return [fields(commit).get("operation") for commit in v.commits]


def expected_operations(v: VacuumObservation) -> list[str]:
    """START and END; only END if a checkpoint at END has cleaned up the log at once."""
    return [START, END][1 if v.before.version + 1 in v.cleaned_up else 0 :]


def check_no_version(v: VacuumObservation) -> Violation | None:
    """A VACUUM without logging must write no version."""
    if not v.commits:
        return None
    message = f"VACUUM without logging must write no version; it wrote version {v.commits[0].version}."
    cause = Cause("a version is written", Severity.WRONG_WORDS)
    return Violation("log", message, Operations(()), cause=cause)


def check_start_and_end(v: VacuumObservation) -> Violation | None:
    """The run must write START and END, no other version, and no file action."""
    found = operations(v)
    if found != expected_operations(v) or v.after.version != v.before.version + 2:
        message = f"VACUUM must commit VACUUM START and VACUUM END; it committed {found}."
        cause = Cause("other versions are written", Severity.WRONG_WORDS)
        return Violation("log", message, Operations(expected_operations(v)), cause=cause)
    return check_no_file_action(v)


def check_no_file_action(v: VacuumObservation) -> Violation | None:
    """The run's commits must contain no file action."""
    files = [action.file for commit in v.commits for action in commit.actions if isinstance(action, (Add, Remove, Cdc))]
    message = f"VACUUM's commits must contain no file action; they have actions for {evidence.named(files)}."
    cause = Cause("file actions are written", Severity.UNREADABLE)
    return Violation("log", message, NoActions(("add", "remove", "cdc")), cause=cause) if files else None


def check_as_by_default(v: VacuumObservation) -> Violation | None:
    """What a run must write whose logging is not set: that depends on the storage."""
    return check_start_and_end(v) if is_logged(v) else check_no_version(v)


def passes(check: Callable[[VacuumObservation], Violation | None], *, when: VacuumCondition) -> VacuumJudge:
    """A run of this kind passes the check."""

    def judge(v: VacuumObservation) -> Judgement:
        return judgement(check(v)) if v.ran and when(v) else NOT_EXERCISED

    return judge


VERSIONS = (
    clause(
        "VAC-LOG-1A",
        "With logging on, VACUUM writes two versions, START and END, without any file action.",
        sources=("S1", "C 1.5"),
        harm=harms.VACUUM_NOT_IN_HISTORY,
        implementation="spark",
    )(passes(check_start_and_end, when=lambda v: bool(v.step.logging))),
    clause(
        "VAC-LOG-1H",
        "With logging switched neither on nor off, VACUUM of a table on a local file system also writes START and END; of one in S3 it writes no version.",
        sources=("C 1.5",),
        harm=harms.VACUUM_NOT_IN_HISTORY,
        implementation="spark",
        needs=("logging",),
    )(passes(check_as_by_default, when=lambda v: v.step.logging is None)),
    clause(
        "VAC-LOG-1D",
        "With logging off, VACUUM writes no version.",
        sources=("S1", "C 1.5"),
        harm=wrong_words("The history of the table tells of a VACUUM although logging is off."),
        implementation="spark",
        needs=("logging",),
    )(passes(check_no_version, when=lambda v: v.step.logging is False)),
)


# The contents of START and END --------------------------------------------------------------------------------------


def check_values(v: VacuumObservation, expected: Mapping[str, Mapping[str, Any]]) -> Violation | None:
    """START and END, those that are in the log, must have these values. ``expected``: by operation and dotted key."""
    messages: list[str] = []
    keys: list[str] = []
    expectations: list[Expectation] = []
    for operation, values in expected.items():
        found = info_of(v, operation)
        for key, value in values.items() if found else ():
            if found and at(found, key) != value:
                messages.append(f"{key} of {operation} must be {value!r}, and is {at(found, key)!r}")
                keys.append(f"{key} of {operation}")
                expectations.append(expected_value(v, operation, key, value))
    if not messages:
        return None
    cause = Cause(f"another value: {keys[0]}", Severity.WRONG_NUMBERS)
    return Violation("log", f"{'; '.join(messages)}.", expectations[0], evidence.of_cutoff(v), cause=cause)


def expected_value(v: VacuumObservation, operation: str, key: str, value: Any) -> Expectation:
    """That START or END has this value. Metrics of deleted files are compared with what the run deleted."""
    if key in OF_DELETED:
        return MetricCounts(key.rpartition(".")[2], OF_DELETED[key], operation, tuple(sorted(deleted_by_others(v))))
    return InfoIs(key, value, operation)


@clause(
    "VAC-LOG-1B",
    "START and END contain the parameters of the run, and metrics that match what it deleted.",
    sources=("S1", "C 1.5"),
    harm=harms.WRONG_VACUUM_HISTORY,
    implementation="spark",
)
def parameters_and_metrics(v: VacuumObservation) -> Judgement:
    if not is_logged(v) or len(v.commits) != 2:
        return NOT_EXERCISED
    if v.ran:
        return judgement(check_values(v, _expected_values(v)))
    return judgement(check_values(v, {START: _parameters(v)})) if v.fails else NOT_EXERCISED


def _parameters(v: VacuumObservation) -> dict[str, Any]:
    return {
        "operationParameters.retentionCheckEnabled": v.step.safety_check,
        "operationParameters.defaultRetentionMillis": v.table.retention,
        "operationParameters.specifiedRetentionMillis": v.retain,
    }


def _expected_values(v: VacuumObservation) -> dict[str, dict[str, Any]]:
    """The values of START and END, by dotted key. Parameters are JSON values, metrics are strings (docs/delta.md 1.5).

    Files behind a link to a directory are counted once for each name that they have through links, so with such links the
    counts are not specified. Nor are they if VACUUM may have deleted a checksum file itself.
    """
    paths = deleted(v)
    start = _parameters(v)
    end: dict[str, Any] = {"operationParameters.status": "COMPLETED"}
    if linked_directories(v) or _counts_checksums(v):
        return {START: start, END: end}
    if not is_lite(v) and v.step.io_fault is None and not _counts_links(v, paths):
        start["operationMetrics.sizeOfDataToDelete"] = str(sum(v.before.listing[path].size for path in paths))
    if _counts_markers(v, len(paths)):
        return {START: start, END: end}
    return {START: start, END: {**end, "operationMetrics.numDeletedFiles": str(len(paths))}}


def _counts_markers(v: VacuumObservation, files: int) -> bool:
    """Whether END counts no more than the deleted files and the directories of a bucket, where an empty one is an object: a marker,
    which VACUUM deletes and S3A writes when a prefix loses its last object.
    """
    if v.rules.directories:
        return False
    found = at(info_of(v, END) or {}, "operationMetrics.numDeletedFiles")
    markers = sum(entry.kind is EntryKind.DIRECTORY for entry in v.before.data.values())
    return str(found).isdecimal() and files < int(found) <= files + markers


def _counts_links(v: VacuumObservation, deleted_paths: Collection[str]) -> bool:
    """Whether START may count a link by its target's bytes: a deleted one, or one whose target was deleted before it."""
    return any(
        path in deleted_paths or (predicted.listed is not False and resolved(path, v.before.things) in deleted_paths)
        for path, predicted in v.fates.items()
        if v.before.things[path].kind is Kind.LINK
    )


def _counts_checksums(v: VacuumObservation) -> bool:
    """Whether VACUUM may have deleted a checksum file itself, and counted it, before Hadoop deleted it with its file."""
    checksums = [path for path in v.vanished if checksum_of(path) in v.vanished and path in v.fates]
    return any(v.fates[path].listed is not False for path in checksums)


@clause(
    "VAC-LOG-1F",
    "START's numFilesToDelete and sizeOfDataToDelete count all that a DRY RUN would list, whether it can be deleted or not; LITE uses the sizes in the log.",
    sources=("C 1.3", "C 1.5"),
    harm=harms.WRONG_VACUUM_HISTORY,
    implementation="spark",
)
def candidates(v: VacuumObservation) -> Judgement:
    started = info_of(v, START)
    if not (v.ran or v.fails) or not is_logged(v) or started is None or linked_directories(v):
        return NOT_EXERCISED
    sure, unsure = _candidates(v)
    sizes = _sizes(v)
    fewest = {"numFilesToDelete": len(sure), "sizeOfDataToDelete": sum(min(sizes[path]) for path in sure)}
    most = {
        "numFilesToDelete": len(sure) + len(unsure),
        "sizeOfDataToDelete": sum(max(sizes[path]) for path in (*sure, *unsure)),
    }
    names = ["numFilesToDelete"]
    # The size of a deleted link is that of its target, which may be anywhere.
    if not any(path in v.before.things and v.before.things[path].kind is Kind.LINK for path in (*sure, *unsure)):
        names.append("sizeOfDataToDelete")
    wrong = []
    expectation: Expectation | None = None
    for name in names:
        found = at(started, f"operationMetrics.{name}")
        if not str(found).isdecimal() or not fewest[name] <= int(found) <= most[name]:
            expected = str(fewest[name]) if fewest[name] == most[name] else f"from {fewest[name]} to {most[name]}"
            wrong.append(f"{name} of {START} must be {expected}, and is {found!r}")
            expectation = expectation or _counted(name, fewest[name], most[name], (*sure, *unsure))
    if expectation is None:
        return judgement(None)
    facts = [f"a candidate: {path}, {' or '.join(map(str, sorted(sizes[path])))} bytes" for path in sure[:10]]
    return judgement(Violation("log", f"{'; '.join(wrong)}.", expectation, (*facts, *evidence.of_cutoff(v))))


def _counted(name: str, fewest: int, most: int, candidates: Iterable[str]) -> Expectation:
    if fewest != most:
        return ByReplay(f"{name} may be anything from {fewest} to {most}")
    if any(map(is_named_by_engine, candidates)):
        return ByReplay(f"{name} counts files that the engine wrote itself")
    return InfoIs(f"operationMetrics.{name}", str(fewest), START)


def _candidates(v: VacuumObservation) -> tuple[list[str], list[str]]:
    """What VACUUM must count, and what it may count; for LITE, also files that no longer exist."""
    fates = {**v.fates, **_missing_files(v)}
    sure = sorted(path for path, predicted in fates.items() if predicted.listed)
    return sure, sorted(path for path, predicted in fates.items() if predicted.listed is None)


def _missing_files(v: VacuumObservation) -> dict[str, PathFate]:
    """The fates that files would have which the commits that LITE examines name, and which no longer exist."""
    named = {*v.scan.stamps, *v.scan.changes} if isinstance(v.scan, LiteScan) else set()
    missing = {path: StorageEntry(Kind.FILE, 0, 0) for path in named if path not in v.before.listing}
    if not missing:
        return {}
    return predict_vacuum(
        missing,
        v.references,
        partition_by=v.table.partition_by,
        cutoff=v.cutoff,
        scan=v.scan,
        reserved=v.rules.reserved_names,
    )


def _sizes(v: VacuumObservation) -> Mapping[str, frozenset[int]]:
    """The bytes that each path may count: its size on storage; for LITE, the size in the latest action that it examines.

    Of actions of the same time any may be the latest, such as two deletion vectors that share a file.
    """
    sizes = {path: frozenset({entry.size}) for path, entry in v.before.listing.items()}
    if not isinstance(v.scan, LiteScan) or v.window is None:
        return sizes
    latest: dict[str, tuple[int, frozenset[int]]] = {}  # the time of the actions, and their sizes
    for version, commit in sorted(v.before.log.commits.items()):
        if v.window.first <= version <= v.window.last:
            for action in commit.actions:
                for path, (time, size) in _sizes_in(v, action):
                    known, found = latest.get(path, (time, frozenset[int]()))
                    if time >= known:
                        latest[path] = (time, frozenset({size}) | (found if time == known else frozenset()))
    return {**sizes, **{path: found for path, (_, found) in latest.items()}}


def _sizes_in(v: VacuumObservation, action: object) -> list[tuple[str, tuple[int, int]]]:
    """The files that an action names, each with the time that LITE uses and its size (docs/delta.md 1.3)."""
    if isinstance(action, Cdc):
        return [(action.file, (0, action.size))]
    if not isinstance(action, Remove):
        return []
    time = action.deletion_timestamp or 0
    found = [(action.file, (time, action.size or 0))]
    vector, path = action.deletion_vector, vector_path(action, v.before.root)
    return found + ([(path, (time, vector.size))] if vector and path and vector.storage == "u" else [])


@clause(
    "VAC-LOG-1G",
    "END's numVacuumedDirectories is the number of visible directories that were listed, plus one for the root; 1 for LITE.",
    sources=("C 1.3", "C 1.5"),
    harm=harms.WRONG_VACUUM_HISTORY,
    implementation="spark",
)
def vacuumed_directories(v: VacuumObservation) -> Judgement:
    """Despite its name it is not the number of deleted directories."""
    if not v.ran or not is_logged(v) or info_of(v, END) is None or linked_directories(v):
        return NOT_EXERCISED
    fault = (v.step.io_fault, v.step.faulty_path) if v.step.io_fault and v.step.faulty_path else None
    count = listed_directories(
        v.before.things,
        partition_by=v.table.partition_by,
        scan=v.scan,
        faulty_path=fault,
        reserved=v.rules.reserved_names,
    )
    if count is None:
        return NOT_EXERCISED
    return judgement(check_values(v, {END: {"operationMetrics.numVacuumedDirectories": str(count)}}))


# What holds of other commands too, and what START and END record of themselves -----------------------------------------

AS_OF_DELETE = clauses_of("VAC-LOG-1C", "VAC-LOG-1E", "VAC-LOG-3")


def _check_members(v: VacuumObservation, commit: LoggedCommit) -> Violation | None:
    """The parameters and metrics of START and END must be the documented ones; an END that failed has no metrics."""
    found = fields(commit)
    if found.get("operation") == START:
        specified = [] if v.retain is None else ["specifiedRetentionMillis"]
        parameters = ["retentionCheckEnabled", "defaultRetentionMillis", *specified]
        metrics = ["numFilesToDelete", "sizeOfDataToDelete"]
    else:
        parameters = ["status"]
        completed = at(found, "operationParameters.status") == "COMPLETED"
        metrics = ["numDeletedFiles", "numVacuumedDirectories"] if completed else []
    return check_names(commit, "operationParameters", parameters) or check_names(commit, "operationMetrics", metrics)


@clause(
    "VAC-LOG-3E",
    "START and END record the documented parameters and metrics, and no others.",
    sources=("C 1.5",),
    harm=wrong_words("The history of the table lacks numbers or options of the VACUUM, or has others."),
    implementation="spark",
)
def members(v: VacuumObservation) -> Judgement:
    return each(v.commits, lambda commit: _check_members(v, commit))
