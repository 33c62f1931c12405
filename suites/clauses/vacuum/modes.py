"""VAC-LITE, VAC-INV, VAC-PAR, VAC-FORM: how a VACUUM finds files, deletes them, and is invoked."""

from __future__ import annotations

from collections import Counter

from deltalog.storage.listing import EntryKind
from deltalog.storage.names import LAST_VACUUM_INFO, LAST_VACUUM_KEY
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, judgement
from harness.judging.severity import Cause, data_loss, wrong_words
from harness.observing import evidence
from harness.observing.steps.observation import relative
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import commit_times
from model.prediction.fates import Reason
from model.prediction.lite import last_outside_retention
from model.prediction.scans import InventoryScan
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import Mode, VacuumForm
from records.expectations import FieldIs, Lists, RowsAre, RowsOf
from suites.clauses.shared import harms
from suites.clauses.shared.causes import OTHER_VERSION_RECORDED
from suites.clauses.vacuum.command import check_not_refused
from suites.clauses.vacuum.cutoff import version_name
from suites.clauses.vacuum.path_rules import (
    all_paths,
    deletes,
    is_by_inventory,
    is_lite,
    keeps,
    keeps_and_deletes,
    must_keep,
    must_match_prediction,
    must_succeed,
    with_reason,
)

# LITE ---------------------------------------------------------------------------------------------------------------

LITE_FILES = (
    clause(
        "VAC-LITE-1A",
        "LITE deletes only files that are named by removes or change files of the commits that it examines: no orphans, no directories, nothing of other commits.",
        sources=("C 1.3",),
        harm=data_loss("LITE deletes files that no commit which it examined has removed."),
        since="3.3",
        needs=(Mode.LITE, Mode.LITE_SETTING),
    )(keeps(Reason.NOT_SCANNED, when=is_lite)),
    clause(
        "VAC-LITE-1B",
        "LITE deletes every data file and deletion vector file that is named by a remove of the commits that it examines, if all tombstones of the file are expired and nothing else protects it, whatever the file's own age.",
        sources=("C 1.3",),
        harm=harms.SKIPPED_BY_LITE,
        since="3.3",
        needs=(Mode.LITE, Mode.LITE_SETTING),
    )(deletes(Reason.EXPIRED, Reason.EXPIRED_VECTOR, when=is_lite)),
)


@clause(
    "VAC-LITE-1D",
    "LITE records in _last_vacuum_info the last version outside retention, whether it found files to delete or not; any other VACUUM records no version, so that the next LITE starts from the beginning of the log.",
    sources=("C 1.3",),
    harm=harms.SKIPPED_BY_LITE,
    since="3.3",
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def last_vacuum_info(v: VacuumObservation) -> Judgement:
    if not v.ran or v.cutoff.earliest != v.cutoff.latest:
        return NOT_EXERCISED
    times = commit_times(v.before)
    expected = last_outside_retention(times, v.cutoff.latest) if is_lite(v) else None
    recorded = v.after.last_vacuumed
    if v.after.last_vacuum is not None and expected == recorded:
        return judgement(None)
    kind = "LITE" if is_lite(v) else "A VACUUM that is not LITE"
    found = "there is no such file" if v.after.last_vacuum is None else f"it recorded {version_name(recorded)}"
    message = f"{kind} must record {version_name(expected)} in _last_vacuum_info; {found}."
    facts = tuple(f"version {version} was committed at {v.instant(time)}" for version, time in sorted(times.items()))
    facts = (*facts, *evidence.of_cutoff(v))
    return judgement(
        Violation(
            "log", message, FieldIs(LAST_VACUUM_INFO, LAST_VACUUM_KEY, expected), facts, cause=OTHER_VERSION_RECORDED
        )
    )


lite_change_files = clause(
    "VAC-LITE-1E",
    "LITE deletes every change file that is named by a commit that it examines, however young the file is.",
    sources=("C 1.3",),
    harm=harms.SKIPPED_BY_LITE,
    since="3.3",
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)(deletes(Reason.CHANGE_FILE, when=is_lite))


# USING INVENTORY ----------------------------------------------------------------------------------------------------


def _files(v: VacuumObservation) -> list[str]:
    return [path for path in all_paths(v) if v.before.listing[path].kind is EntryKind.FILE]


all_files_in_inventory = clause(
    "VAC-INV-1A",
    "USING INVENTORY with a table or query that contains all files, VACUUM keeps and deletes the files that it would with a listing.",
    sources=("C 1.4",),
    harm=harms.LOST_BY_INVENTORY,
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
)(keeps_and_deletes(_files, when=is_by_inventory))


@clause(
    "VAC-INV-1B",
    "USING INVENTORY with an inventory of files only, VACUUM keeps all directories, also empty ones.",
    sources=("C 1.4",),
    harm=wrong_words("Directories disappear that the documentation promises to keep."),
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
    of_directories=True,
)
def inventory_of_files_keeps_directories(v: VacuumObservation) -> Judgement:
    if not isinstance(v.scan, InventoryScan) or not v.scan.files_only:
        return NOT_EXERCISED
    kept = with_reason(v, Reason.NOT_SCANNED)
    return must_keep(v, [path for path in kept if v.before.listing[path].kind is EntryKind.DIRECTORY])


# What is hidden at the top level is VAC-SAFE-4's.
hidden_in_inventory = clause(
    "VAC-INV-1C",
    "USING INVENTORY, VACUUM deletes no hidden file and no hidden directory, at any depth, nor anything in one, as with a listing.",
    sources=("S1", "C 1.4"),
    harm=harms.LOST_BY_INVENTORY,
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
)(keeps(Reason.HIDDEN_DEEPER, when=is_by_inventory))


# Parallel deletion and forms ----------------------------------------------------------------------------------------


@clause(
    "VAC-PAR-1",
    "With parallel deletion every path is kept or deleted as without it.",
    sources=("S1", "C 1.2"),
    harm=data_loss("Parallel deletion deletes what must be kept."),
    needs=("parallel",),
)
def parallel_deletion(v: VacuumObservation) -> Judgement:
    return _as_usual(v, "with parallel deletion") if v.step.parallel else NOT_EXERCISED


@clause(
    "VAC-FORM-1A",
    "By a quoted path, by name and through the DeltaTable class, with hours and without, VACUUM keeps and deletes the same paths as by delta.`path`.",
    sources=("S1", "C 1.1"),
    harm=harms.VACUUM_WRITTEN_DIFFERENTLY,
    needs=(
        VacuumForm.SQL_QUOTED_PATH,
        VacuumForm.SQL_NAME,
        VacuumForm.SQL_MANAGED,
        VacuumForm.API_PATH,
        VacuumForm.API_NAME,
    ),
)
def forms(v: VacuumObservation) -> Judgement:
    return _as_usual(v, f"by {v.step.form.value}") if v.step.form is not VacuumForm.SQL_PATH else NOT_EXERCISED


@clause(
    "VAC-FORM-1C",
    "VACUUM keeps and deletes the same paths for every spelling of its table's path: relative, with a scheme, with parts or slashes that change nothing, through a symbolic link.",
    sources=("S1", "C 1.1"),
    harm=harms.VACUUM_WRITTEN_DIFFERENTLY,
    needs=tuple(spelling for spelling in Spelling if spelling is not Spelling.PLAIN),
)
def spellings(v: VacuumObservation) -> Judgement:
    spelling = v.step.spelling
    return _as_usual(v, f"by a {spelling.value}") if spelling is not Spelling.PLAIN else NOT_EXERCISED


def _as_usual(v: VacuumObservation, how: str) -> Judgement:
    """A VACUUM of this kind must succeed, and delete what any other would. What a dry run lists is VAC-DRY-2C's."""
    if v.step.dry_run or not must_succeed(v):
        return NOT_EXERCISED
    return judgement(check_not_refused(v, how)) if v.refused else must_match_prediction(v, all_paths(v))


_OTHER_ANSWER = Cause("other rows are answered")


@clause(
    "VAC-FORM-1B",
    "The SQL command returns one row, the path of the table's root; DRY RUN returns one row per path, none twice; the DeltaTable class returns no rows.",
    sources=("C 1.1",),
    harm=wrong_words("The command answers with other rows than documented."),
    implementation="spark",
)
def answers(v: VacuumObservation) -> Judgement:
    if v.refused:
        return NOT_EXERCISED
    rows = v.outcome.rows
    facts = tuple(f"a row: {row}" for row in rows[:5]) or ("no row",)
    if not v.step.returns_rows:
        message = f"{v.step.form.value} must return no rows; it returned {len(rows)}."
        return judgement(
            Violation("rows", message, RowsAre(RowsOf.ANSWER, ()), facts, cause=_OTHER_ANSWER) if rows else None
        )
    paths = [relative(str(row[0]), v.root) if len(row) == 1 else None for row in rows]
    if not v.step.dry_run:
        first = f", the first {rows[0]}" if rows else ""
        message = f"VACUUM must return one row, the path of the root {v.root}; it returned {len(rows)} rows{first}."
        return judgement(
            None if paths == [""] else Violation("rows", message, Lists(".", alone=True), facts, cause=_OTHER_ANSWER)
        )
    invalid = [
        row for row, path in zip(rows, paths) if path is None or not path or path.startswith("/") or "://" in path
    ]
    repeated = sorted(str(path) for path, count in Counter(paths).items() if count > 1)
    if invalid:
        message = f"DRY RUN must return paths below the root; it returned {invalid[0]}."
    elif repeated:
        message = f"DRY RUN must return each path once; it returned {repeated[0]} {paths.count(repeated[0])} times."
    else:
        return judgement(None)
    return judgement(Violation("rows", message, Lists(), facts, cause=_OTHER_ANSWER))
