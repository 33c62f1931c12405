"""VAC-CHK, VAC-DRY, VAC-LOG, VAC-IDEM: the command around the deletion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deltalog.actions import Add, Cdc, CommitInfo, Remove
from deltalog.commits import Commit
from deltalog.names import LogFileKind, parse_name
from model.vacuum import LOG_DIRECTORY, Fate, checksum_of
from suites import evidence
from suites.clause import NOT_MET, Judgement, Law, Violation, clause, each, law_of, one
from suites.clauses.definition import redefined
from suites.evidence import changes
from suites.observation import VacuumSeen

TOO_SHORT = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"


def _too_short(v: VacuumSeen) -> bool:
    return v.retain is not None and v.retain < v.table.retention


@clause(
    "VAC-CHK-1A",
    "RETAIN below the table's retention is refused while the safety check is on, dry run too, and nothing changes.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
    since="4.1",
)
def too_short_is_refused(v: VacuumSeen) -> Judgement:
    if not (_too_short(v) and v.step.safety_check):
        return NOT_MET
    error, changed = v.outcome.error, changes(v.before, v.after)
    law = Law("refused", {"condition": TOO_SHORT})
    if error is None:
        return one(
            Violation("step", f"RETAIN {v.step.retain_hours:g} HOURS was not refused.", law, evidence.of_cutoff(v))
        )
    if error.condition != TOO_SHORT:
        return one(
            Violation(
                "step",
                f"RETAIN {v.step.retain_hours:g} HOURS was refused with {error.condition}, not with {TOO_SHORT}.",
                law,
                evidence.of_answer(v),
            )
        )
    return one(
        Violation(changed[0], f"A refused VACUUM changed {', '.join(changed)}.", Law("nothing_changed"))
        if changed
        else None
    )


@clause(
    "VAC-CHK-1B",
    "RETAIN below the table's retention is allowed with the safety check off.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def too_short_is_allowed(v: VacuumSeen) -> Judgement:
    if not _too_short(v) or v.step.safety_check:
        return NOT_MET
    return one(_refusal(v))


@clause(
    "VAC-CHK-1C",
    "A RETAIN that does not round to 0 hours, a negative one too, is ignored: it is neither refused nor does it move the cutoff.",
    of=VacuumSeen,
    sources=("C 1.2",),
    since="4.1",
)
def other_retain_is_ignored(v: VacuumSeen) -> Judgement:
    """That the cutoff stays is judged by VAC-KEEP-1, whose cutoff is without RETAIN here."""
    return one(_refusal(v)) if v.step.retain_hours is not None and v.retain is None else NOT_MET


def _refusal(v: VacuumSeen) -> Violation | None:
    return Violation("step", "The VACUUM was refused.", Law("succeeded"), evidence.of_answer(v)) if v.refused else None


@clause("VAC-CHK-2", "A VACUUM without RETAIN is not refused.", of=VacuumSeen, sources=("S1", "C 1.2"))
def plain_vacuum_runs(v: VacuumSeen) -> Judgement:
    return one(_refusal(v)) if v.step.retain_hours is None else NOT_MET


@clause(
    "VAC-DRY-1",
    "DRY RUN changes nothing at all: files, modification times, log, _last_vacuum_info.",
    of=VacuumSeen,
    sources=("S1",),
)
def dry_run_changes_nothing(v: VacuumSeen) -> Judgement:
    if not v.step.dry_run:
        return NOT_MET
    changed = changes(v.before, v.after)
    return one(
        Violation(
            changed[0],
            f"DRY RUN changed {', '.join(changed)}.",
            Law("nothing_changed"),
            evidence.of_path(v, changed[0]),
        )
        if changed
        else None
    )


def _announced(v: VacuumSeen) -> VacuumSeen | None:
    """The DRY RUN right before this real run, under the same settings."""
    dry = v.previous
    if not v.ran or v.retain is not None or not isinstance(dry, VacuumSeen) or not dry.step.dry_run or dry.refused:
        return None
    return dry if dry.cutoff == v.cutoff else None


@clause(
    "VAC-DRY-2A",
    "What a real run deletes is what the DRY RUN before it listed, or a part of it.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def dry_run_lists_what_goes(v: VacuumSeen) -> Judgement:
    dry = _announced(v)
    if dry is None:
        return NOT_MET

    def problem(path: str) -> Violation | None:
        if path in dry.listed:
            return None
        return Violation(
            path,
            f"VACUUM deleted {path}; the DRY RUN before it did not list it.",
            law_of("lists", path, otherwise=Law("table_is_there")),
            evidence.of_path(v, path),
            step=dry.index,
        )

    return each(deleted(v), problem)


@clause(
    "VAC-DRY-2B",
    "Of what a DRY RUN listed, the real run leaves only directories that are not empty.",
    of=VacuumSeen,
    sources=("S1", "C 1.2"),
)
def dry_run_lists_only_what_goes(v: VacuumSeen) -> Judgement:
    dry = _announced(v)
    if dry is None:
        return NOT_MET

    def problem(path: str) -> Violation | None:
        # A directory may be emptied after it was tried: in what order VACUUM deletes is not promised.
        held = v.before.listing.get(path)
        if path not in v.after.listing:
            return None
        if held and held.kind == "directory" and any(other.startswith(f"{path}/") for other in v.before.listing):
            return None
        message, facts = f"The DRY RUN listed {path}, and the VACUUM after it left it.", evidence.of_path(v, path)
        judged = dry.fates.get(path)
        if judged is None or judged.fate is Fate.STAY:
            return Violation(
                path, message, law_of("lists_not", path, otherwise=Law("table_is_there")), facts, step=dry.index
            )
        return Violation(path, message, law_of("goes", path, otherwise=Law("table_is_there")), facts)

    return each(sorted(dry.listed), problem)


def deleted(v: VacuumSeen) -> list[str]:
    """What VACUUM itself deleted; a checksum file that Hadoop deletes along with its file does not count."""
    return sorted(path for path in v.vanished if checksum_of(path) not in v.vanished)


def _info(commit: Commit) -> dict[str, Any]:
    infos = [action for action in commit.actions if isinstance(action, CommitInfo)]
    return dict(infos[0].fields) if infos else {}


@clause(
    "VAC-LOG-1A",
    "With logging on, VACUUM writes two versions, START and END, without any file action.",
    of=VacuumSeen,
    sources=("S1", "C 1.5"),
)
def start_and_end(v: VacuumSeen) -> Judgement:
    if not v.ran or not v.step.logging:
        return NOT_MET
    operations = [_info(commit).get("operation") for commit in v.commits]
    law = Law("vacuum_log", {"expected": {}})
    # A checkpoint at END may clean the log up at once, START with it.
    expected = ["VACUUM START", "VACUUM END"][1 if v.before.version + 1 in v.cleaned_up else 0 :]
    if operations != expected or v.after.version != v.before.version + 2:
        return one(Violation("log", f"VACUUM must commit VACUUM START and VACUUM END; it committed {operations}.", law))
    files = [action.file for commit in v.commits for action in commit.actions if isinstance(action, (Add, Remove, Cdc))]
    return one(Violation("log", f"VACUUM's commits hold file actions: {', '.join(files)}.", law) if files else None)


@clause(
    "VAC-LOG-1B",
    "START and END state the parameters of the run, and metrics that are true of what it deleted.",
    of=VacuumSeen,
    sources=("S1", "C 1.5"),
)
def true_parameters_and_metrics(v: VacuumSeen) -> Judgement:
    if not v.ran or not v.step.logging or len(v.commits) != 2:
        return NOT_MET
    expected = expected_log(v)
    wrong = [
        f"{operation} has {key} {_at(info, key)!r}, and it must be {value!r}"
        for (operation, values), info in zip(expected.items(), map(_info, v.commits))
        for key, value in values.items()
        if _at(info, key) != value
    ]
    law = Law("vacuum_log", {"expected": expected})
    return one(Violation("log", f"{'; '.join(wrong)}.", law, evidence.of_cutoff(v)) if wrong else None)


def _at(info: dict[str, Any], key: str) -> Any:
    """The value at a dotted key; None where there is none."""
    value: Any = info
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def expected_log(v: VacuumSeen) -> dict[str, dict[str, Any]]:
    """What START and END must say, by dotted key. Parameters are JSON values, metrics are strings (facts 1.5)."""
    gone = deleted(v)
    return {
        "START": {
            "operationParameters.retentionCheckEnabled": v.step.safety_check,
            "operationParameters.defaultRetentionMillis": v.table.retention,
            "operationParameters.specifiedRetentionMillis": v.retain,
            "operationMetrics.sizeOfDataToDelete": str(sum(v.before.listing[path].size for path in gone)),
        },
        "END": {
            "operationParameters.status": "COMPLETED",
            "operationMetrics.numDeletedFiles": str(len(gone)),
        },
    }


@clause("VAC-LOG-1C", "Nothing else in the log changes.", of=VacuumSeen, sources=("S1", "C 1.2"))
def rest_of_the_log(v: VacuumSeen) -> Judgement:
    if not v.ran:
        return NOT_MET
    new_checkpoint = any(_kind(path) is LogFileKind.CHECKPOINT for path in _new_in_log(v))
    wrong = [path for path in _new_in_log(v) if not _may_appear(v, path)]
    for path, entry in v.before.listing.items():
        # Writing a checkpoint also cleans up the log (facts 1.2, step 14): what goes then is not VACUUM's doing.
        if (
            path.startswith(f"{LOG_DIRECTORY}/")
            and not new_checkpoint
            and not _may_change(path)
            and v.after.listing.get(path) != entry
        ):
            wrong.append(path)
    return one(Violation(wrong[0], f"VACUUM changed {', '.join(wrong)}.", Law("log_unchanged")) if wrong else None)


def _new_in_log(v: VacuumSeen) -> list[str]:
    return [path for path in v.after.listing if path.startswith(f"{LOG_DIRECTORY}/") and path not in v.before.listing]


def _kind(path: str) -> LogFileKind | None:
    name = parse_name(path.removeprefix(f"{LOG_DIRECTORY}/"))
    return name.kind if name else None


def _may_change(path: str) -> bool:
    name = path.rpartition("/")[2].removeprefix(".").removesuffix(".crc")
    return name in ("_last_vacuum_info", "_last_checkpoint")


def _may_appear(v: VacuumSeen, path: str) -> bool:
    """Commits, checkpoints and version checksums of the run's own versions; the checksums that Hadoop adds to files."""
    if _may_change(path):
        return True
    own = path.removeprefix(f"{LOG_DIRECTORY}/")
    name = parse_name(own) or parse_name((checksum_of(path) or "").removeprefix(f"{LOG_DIRECTORY}/"))
    return name is not None and v.before.version < name.version <= v.after.version


@clause(
    "VAC-LOG-1E",
    "A VACUUM changes neither protocol nor metadata.",
    of=VacuumSeen,
    sources=("C 1.5", "P Change Metadata"),
)
def definition_stays(v: VacuumSeen) -> Judgement:
    return one(redefined(v)) if v.ran and v.commits else NOT_MET


@clause("VAC-LOG-1D", "With logging off, VACUUM writes no version.", of=VacuumSeen, sources=("S1", "C 1.5"))
def no_log(v: VacuumSeen) -> Judgement:
    if not v.ran or v.step.logging:
        return NOT_MET
    return one(
        Violation("log", f"VACUUM without logging wrote version {v.commits[0].version}.", Law("no_commit"))
        if v.commits
        else None
    )


def _repeats(v: VacuumSeen) -> VacuumSeen | None:
    """The real run right before this one, to the same cutoff."""
    first = v.previous
    if not v.ran or not isinstance(first, VacuumSeen) or not first.ran:
        return None
    return first if first.cutoff == v.cutoff and v.retain is None else None


@clause(
    "VAC-IDEM-1A",
    "A second run right after deletes nothing but directories that the first one left empty.",
    of=VacuumSeen,
    sources=("S1",),
)
def second_run(v: VacuumSeen) -> Judgement:
    first = _repeats(v)
    if first is None:
        return NOT_MET
    wrong = [path for path in deleted(v) if v.before.listing[path].kind != "directory"]
    if not wrong:
        return one(None)
    return one(
        Violation(
            wrong[0],
            f"A second VACUUM right after the first deleted {', '.join(wrong)}.",
            Law("no_file_went"),
            evidence.of_path(v, wrong[0]),
        )
    )


@clause("VAC-IDEM-1B", "A run right after one that deleted nothing deletes nothing.", of=VacuumSeen, sources=("S1",))
def settled(v: VacuumSeen) -> Judgement:
    first = _repeats(v)
    if first is None or first.vanished:
        return NOT_MET
    gone = deleted(v)
    return one(
        Violation(
            gone[0],
            f"A VACUUM right after one that deleted nothing deleted {', '.join(gone)}.",
            Law("nothing_went"),
            evidence.of_path(v, gone[0]),
        )
        if gone
        else None
    )
