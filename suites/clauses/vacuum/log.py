"""VAC-LOG-1: what a VACUUM that comes to its end writes into the log.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from deltalog.actions import Add, Cdc, Remove
from deltalog.commits import Commit
from deltalog.names import SIDECARS, LogFileKind, parse_name
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import (
    ByReplay,
    Expectation,
    InfoIs,
    MetricCounts,
    NoActions,
    Operations,
    Total,
    Unchanged,
    about,
)
from harness.vacuum_inputs import vector_path
from harness.vacuum_observation import VacuumObservation
from model.layout import is_named_by_engine
from model.table import Kind
from model.vacuum import (
    LOG_DIRECTORY,
    LiteScan,
    PathFate,
    Thing,
    checksum_of,
    listed_directories,
    predict_vacuum,
    resolved,
)
from suites.clauses.definition import redefined
from suites.clauses.vacuum.fates import by_another, deleted, followed, is_lite, is_logged

START, END = "VACUUM START", "VACUUM END"

#: Metrics that are true of what a run deleted, and so of that run alone.
OF_DELETED = {
    "operationMetrics.numDeletedFiles": Total.DELETED_FILES,
    "operationMetrics.sizeOfDataToDelete": Total.DELETED_BYTES,
}


def info(commit: Commit) -> dict[str, Any]:
    """What the commit says of itself."""
    return dict(commit.info.fields) if commit.info else {}


def info_of(v: VacuumObservation, operation: str) -> dict[str, Any] | None:
    """The commitInfo of the run's START or END; None where it is not in the log."""
    found = [info(commit) for commit in v.commits if info(commit).get("operation") == operation]
    return found[0] if len(found) == 1 else None


def at(values: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key; None where there is none."""
    value: Any = values
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def operations(v: VacuumObservation) -> list[Any]:
    """What the commits of the step say that they are, in order."""
    return [info(commit).get("operation") for commit in v.commits]


def expected_operations(v: VacuumObservation) -> list[str]:
    """START and END; a checkpoint at END may clean the log up at once, START with it."""
    return [START, END][1 if v.before.version + 1 in v.cleaned_up else 0 :]


def wrote_a_version(v: VacuumObservation) -> Violation | None:
    """What is wrong where a VACUUM that must not log has written a version."""
    if not v.commits:
        return None
    return Violation("log", f"VACUUM without logging wrote version {v.commits[0].version}.", Operations(()))


def not_start_and_end(v: VacuumObservation) -> Violation | None:
    """What is wrong where a run has not written START and END, and these alone, without a file action."""
    found = operations(v)
    if found != expected_operations(v) or v.after.version != v.before.version + 2:
        message = f"VACUUM must commit VACUUM START and VACUUM END; it committed {found}."
        return Violation("log", message, Operations(expected_operations(v)))
    files = [action.file for commit in v.commits for action in commit.actions if isinstance(action, (Add, Remove, Cdc))]
    expectation = NoActions(("add", "remove", "cdc"))
    return Violation("log", f"VACUUM's commits hold file actions: {', '.join(files)}.", expectation) if files else None


@clause(
    "VAC-LOG-1A",
    "With logging on, VACUUM writes two versions, START and END, without any file action.",
    of=VacuumObservation,
    sources=("S1", "C 1.5"),
    implementation="spark",
)
def start_and_end(v: VacuumObservation) -> Judgement:
    return one(not_start_and_end(v)) if v.ran and v.step.logging else NOT_EXERCISED


@clause(
    "VAC-LOG-1H",
    "With logging neither switched on nor off, VACUUM of a table on a local file system writes START and END all the same.",
    of=VacuumObservation,
    sources=("C 1.5",),
    implementation="spark",
    needs=("logging",),
)
def start_and_end_by_default(v: VacuumObservation) -> Judgement:
    return one(not_start_and_end(v)) if v.ran and v.step.logging is None else NOT_EXERCISED


@clause(
    "VAC-LOG-1D",
    "With logging off, VACUUM writes no version.",
    of=VacuumObservation,
    sources=("S1", "C 1.5"),
    implementation="spark",
    needs=("logging",),
)
def no_log(v: VacuumObservation) -> Judgement:
    return one(wrote_a_version(v)) if v.ran and not is_logged(v) else NOT_EXERCISED


# What START and END say ---------------------------------------------------------------------------------------------


def misstated(v: VacuumObservation, expected: Mapping[str, Mapping[str, Any]]) -> Violation | None:
    """What is wrong where START or END, as far as they are in the log, say something else. ``expected`` by dotted key."""
    wrong: list[tuple[str, Expectation]] = []
    for name, values in expected.items():
        found = info_of(v, f"VACUUM {name}") or {}
        wrong += [
            (
                f"{name} has {key} {at(found, key)!r}, and it must be {value!r}",
                stated(v, f"VACUUM {name}", key, value),
            )
            for key, value in values.items()
            if found and at(found, key) != value
        ]
    if not wrong:
        return None
    return Violation("log", f"{'; '.join(text for text, _ in wrong)}.", wrong[0][1], evidence.of_cutoff(v))


def stated(v: VacuumObservation, operation: str, key: str, value: Any) -> Expectation:
    """That START or END states this. Metrics of deleted files are compared with what the run deleted."""
    if key in OF_DELETED:
        return MetricCounts(key.rpartition(".")[2], OF_DELETED[key], operation, tuple(sorted(by_another(v))))
    return InfoIs(key, value, operation)


@clause(
    "VAC-LOG-1B",
    "START and END state the parameters of the run, and metrics that are true of what it deleted.",
    of=VacuumObservation,
    sources=("S1", "C 1.5"),
    implementation="spark",
)
def true_parameters_and_metrics(v: VacuumObservation) -> Judgement:
    return one(misstated(v, expected_log(v))) if v.ran and is_logged(v) and len(v.commits) == 2 else NOT_EXERCISED


def expected_log(v: VacuumObservation) -> dict[str, dict[str, Any]]:
    """What START and END must say, by dotted key. Parameters are JSON values, metrics are strings (docs/delta.md 1.5).

    What lies behind a link to a directory is counted by the names it has through the link, and there may be more of
    these than files: then nothing is said of the counts. Nor where a checksum may have been deleted by itself.
    """
    gone = deleted(v)
    start: dict[str, Any] = {
        "operationParameters.retentionCheckEnabled": v.step.safety_check,
        "operationParameters.defaultRetentionMillis": v.table.retention,
        "operationParameters.specifiedRetentionMillis": v.retain,
    }
    end: dict[str, Any] = {"operationParameters.status": "COMPLETED"}
    if followed(v) or _counts_checksums(v):
        return {"START": start, "END": end}
    if not is_lite(v) and v.step.io_fault is None and not _counts_links(v, gone):
        start["operationMetrics.sizeOfDataToDelete"] = str(sum(v.before.listing[path].size for path in gone))
    return {"START": start, "END": {**end, "operationMetrics.numDeletedFiles": str(len(gone))}}


def _counts_links(v: VacuumObservation, gone: Collection[str]) -> bool:
    """Whether START may count a link, by its target's bytes: one that goes, or that is left since its target went first."""
    return any(
        path in gone or (judged.listed is not False and resolved(path, v.before.things) in gone)
        for path, judged in v.fates.items()
        if v.before.things[path].kind is Kind.LINK
    )


def _counts_checksums(v: VacuumObservation) -> bool:
    """Whether VACUUM deletes a checksum of its own accord, too: it counts if that comes before Hadoop deletes it with its file."""
    lost = [path for path in v.vanished if checksum_of(path) in v.vanished and path in v.fates]
    return any(v.fates[path].listed is not False for path in lost)


@clause(
    "VAC-LOG-1F",
    "START's numFilesToDelete and sizeOfDataToDelete are those of all that a DRY RUN would list, whether it can be deleted or not; for LITE, by the log's sizes.",
    of=VacuumObservation,
    sources=("C 1.3", "C 1.5"),
    implementation="spark",
)
def candidates(v: VacuumObservation) -> Judgement:
    started = info_of(v, START)
    if not v.ran or not is_logged(v) or started is None or followed(v):
        return NOT_EXERCISED
    sure, unsure = _candidates(v)
    sizes = _sizes(v)
    fewest = {"numFilesToDelete": len(sure), "sizeOfDataToDelete": sum(min(sizes[path]) for path in sure)}
    most = {
        "numFilesToDelete": len(sure) + len(unsure),
        "sizeOfDataToDelete": sum(max(sizes[path]) for path in (*sure, *unsure)),
    }
    names = ["numFilesToDelete"]
    # The size of a link that goes is that of its target, which may lie anywhere.
    if not any(path in v.before.things and v.before.things[path].kind is Kind.LINK for path in (*sure, *unsure)):
        names.append("sizeOfDataToDelete")
    wrong = []
    expectation: Expectation | None = None
    for name in names:
        found = at(started, f"operationMetrics.{name}")
        if not str(found).isdecimal() or not fewest[name] <= int(found) <= most[name]:
            due = str(fewest[name]) if fewest[name] == most[name] else f"from {fewest[name]} to {most[name]}"
            wrong.append(f"START has {name} {found!r}, and it must be {due}")
            expectation = expectation or _counted(name, fewest[name], most[name], (*sure, *unsure))
    if expectation is None:
        return one(None)
    facts = [f"a candidate: {path}, {' or '.join(map(str, sorted(sizes[path])))} bytes" for path in sure[:10]]
    return one(Violation("log", f"{'; '.join(wrong)}.", expectation, (*facts, *evidence.of_cutoff(v))))


def _counted(name: str, fewest: int, most: int, candidates: Iterable[str]) -> Expectation:
    if fewest != most:
        return ByReplay(f"{name} may be anything from {fewest} to {most}")
    if any(map(is_named_by_engine, candidates)):
        return ByReplay(f"{name} counts files that the engine wrote itself")
    return InfoIs(f"operationMetrics.{name}", str(fewest), START)


def _candidates(v: VacuumObservation) -> tuple[list[str], list[str]]:
    """What VACUUM is about to delete, and what it may be about to; for LITE, files that are gone already too."""
    fates = {**v.fates, **_gone_already(v)}
    sure = sorted(path for path, judged in fates.items() if judged.listed)
    return sure, sorted(path for path, judged in fates.items() if judged.listed is None)


def _gone_already(v: VacuumObservation) -> dict[str, PathFate]:
    """Of the files that the commits of LITE's window name and that are not there any more: what would become of them."""
    named = {*v.scan.stamps, *v.scan.changes} if isinstance(v.scan, LiteScan) else set()
    lost = {path: Thing(Kind.FILE, 0, 0) for path in named if path not in v.before.listing}
    if not lost:
        return {}
    return predict_vacuum(
        lost,
        v.references,
        partition_by=v.table.partition_by,
        cutoff=v.cutoff,
        scan=v.scan,
        reserved=v.rules.reserved_names,
    )


def _sizes(v: VacuumObservation) -> Mapping[str, frozenset[int]]:
    """How many bytes each path may count: as on storage, directories none; for LITE, as the latest action of its window says.

    Of actions of one time any is the latest: two vectors that share a file, say.
    """
    sizes = {path: frozenset({entry.size}) for path, entry in v.before.listing.items()}
    if not isinstance(v.scan, LiteScan) or v.window is None:
        return sizes
    latest: dict[str, tuple[int, frozenset[int]]] = {}  # the time of the actions, and their sizes
    for version, commit in sorted(v.before.log.commits.items()):
        if v.window.first <= version <= v.window.last:
            for action in commit.actions:
                for path, (time, size) in _said_sizes(v, action):
                    known, found = latest.get(path, (time, frozenset[int]()))
                    if time >= known:
                        latest[path] = (time, frozenset({size}) | (found if time == known else frozenset()))
    return {**sizes, **{path: found for path, (_, found) in latest.items()}}


def _said_sizes(v: VacuumObservation, action: object) -> list[tuple[str, tuple[int, int]]]:
    """What an action says of the sizes of the files that it names, each with the time that counts for LITE (docs/delta.md 1.3)."""
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
    "END's numVacuumedDirectories is the number of visible directories that were listed, and one for the root; 1 for LITE.",
    of=VacuumObservation,
    sources=("C 1.3", "C 1.5"),
    implementation="spark",
)
def vacuumed_directories(v: VacuumObservation) -> Judgement:
    """Not the number of directories deleted, whatever its name."""
    if not v.ran or not is_logged(v) or info_of(v, END) is None or followed(v):
        return NOT_EXERCISED
    io_fault = (v.step.io_fault, v.step.faulty_path) if v.step.io_fault and v.step.faulty_path else None
    count = listed_directories(
        v.before.things,
        partition_by=v.table.partition_by,
        scan=v.scan,
        faulty_path=io_fault,
        reserved=v.rules.reserved_names,
    )
    if count is None:
        return NOT_EXERCISED
    return one(misstated(v, {"END": {"operationMetrics.numVacuumedDirectories": str(count)}}))


# The rest of the log ------------------------------------------------------------------------------------------------


@clause("VAC-LOG-1C", "Nothing else in the log changes.", of=VacuumObservation, sources=("S1", "C 1.2"))
def rest_of_the_log(v: VacuumObservation) -> Judgement:
    if not v.ran:
        return NOT_EXERCISED
    known = {checkpoint.files for checkpoint in v.before.log.checkpoints}
    new_checkpoint = any(checkpoint.files not in known for checkpoint in v.after.log.checkpoints)
    wrong = [path for path in _new_in_log(v) if not _may_appear(v, path, new_checkpoint)]
    for path, entry in v.before.listing.items():
        # Writing a checkpoint also cleans up the log (docs/delta.md 1.2, step 14): what goes then is not VACUUM's doing.
        if (
            path.startswith(f"{LOG_DIRECTORY}/")
            and not new_checkpoint
            and not _may_change(path)
            and not _may_be_cleaned_up(v, path)
            and v.after.listing.get(path) != entry
        ):
            wrong.append(path)
    return one(
        Violation(wrong[0], f"VACUUM changed {', '.join(wrong)}.", about(wrong[0], Unchanged(wrong[0])))
        if wrong
        else None
    )


def _new_in_log(v: VacuumObservation) -> list[str]:
    return [path for path in v.after.listing if path.startswith(f"{LOG_DIRECTORY}/") and path not in v.before.listing]


def _may_change(path: str) -> bool:
    name = path.rpartition("/")[2].removeprefix(".").removesuffix(".crc")
    return name in ("_last_vacuum_info", "_last_checkpoint")


def _may_be_cleaned_up(v: VacuumObservation, path: str) -> bool:
    """Whether a file of the log is gone that a later checkpoint stands for, and the engine cleans up at any commit."""
    name = parse_name(path.rpartition("/")[2])
    newest = max((checkpoint.version for checkpoint in v.before.log.checkpoints), default=-1)
    return v.rules.cleans_up_anytime and path not in v.after.listing and name is not None and name.version < newest


def _may_appear(v: VacuumObservation, path: str, new_checkpoint: bool) -> bool:
    """Commits, checkpoints and version checksums of the run's own versions; the checksums that Hadoop adds to files.

    With a checkpoint of its own comes log cleanup, which gives an older checkpoint of version 2 a twin by a classic name,
    for readers that do not know the feature (Delta: MetadataCleanup.createSinglePartCheckpointForBackwardCompat).
    """
    if _may_change(path):
        return True
    own = path.removeprefix(f"{LOG_DIRECTORY}/")
    if own.split("/")[0] == SIDECARS:
        return new_checkpoint  # the parts of a checkpoint of version 2
    name = parse_name(own) or parse_name((checksum_of(path) or "").removeprefix(f"{LOG_DIRECTORY}/"))
    if name is None:
        return False
    twins = {checkpoint.version for checkpoint in v.before.log.checkpoints} if new_checkpoint else set()
    return v.before.version < name.version <= v.after.version or (
        name.kind is LogFileKind.CHECKPOINT and name.version in twins
    )


@clause(
    "VAC-LOG-1E",
    "A VACUUM changes neither protocol nor metadata.",
    of=VacuumObservation,
    sources=("C 1.5", "P Change Metadata"),
)
def definition_stays(v: VacuumObservation) -> Judgement:
    return one(redefined(v)) if v.ran and v.commits else NOT_EXERCISED
