"""VAC-LITE, VAC-INV, VAC-PAR, VAC-FORM: the ways to look for files, to delete them, and to ask for it.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from deltalog.listing import EntryKind
from harness import evidence
from harness.clause import NOT_EXERCISED, Judgement, Violation, clause, one
from harness.expectations import AnswersPaths, AnswersRoot, LastVacuum, Of, RowsAre
from harness.observation import relative
from harness.vacuum_inputs import commit_times
from harness.vacuum_observation import VacuumObservation
from model.steps import API_VACUUM_FORMS, Mode, VacuumForm
from model.vacuum import Fate, InventoryScan, Reason, last_outside_retention
from suites.clauses.vacuum.command import refusal
from suites.clauses.vacuum.cutoff import named
from suites.clauses.vacuum.fates import (
    all_paths,
    exactly,
    is_by_inventory,
    is_lite,
    must_delete,
    must_keep,
    must_run,
    with_reason,
)

# LITE ---------------------------------------------------------------------------------------------------------------


@clause(
    "VAC-LITE-1A",
    "LITE deletes nothing but files that removes or change files of its window name: no orphans, no directories, nothing of other commits.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def lite_looks_at_its_window_only(v: VacuumObservation) -> Judgement:
    return must_keep(v, with_reason(v, Reason.NOT_SCANNED)) if is_lite(v) else NOT_EXERCISED


@clause(
    "VAC-LITE-1B",
    "LITE deletes every file, and every deletion vector's file, that a remove of its window names, whose tombstones are all expired and which nothing else protects, whatever the file's own age.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def lite_deletes_what_its_window_removed(v: VacuumObservation) -> Judgement:
    told = v.ran and is_lite(v)
    return (
        must_delete(v, with_reason(v, Reason.EXPIRED, Reason.EXPIRED_VECTOR, fate=Fate.DELETE))
        if told
        else NOT_EXERCISED
    )


@clause(
    "VAC-LITE-1D",
    "LITE notes down in _last_vacuum_info the last version outside retention, whether it found work or not; a VACUUM of another kind notes down none, so that the next LITE begins anew.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def bookmark(v: VacuumObservation) -> Judgement:
    if not v.ran or v.cutoff.earliest != v.cutoff.latest:
        return NOT_EXERCISED
    times = commit_times(v.before)
    expected = last_outside_retention(times, v.cutoff.latest) if is_lite(v) else None
    found = v.after.last_vacuumed
    if v.after.last_vacuum is not None and expected == found:
        return one(None)
    kind = "LITE" if is_lite(v) else "A VACUUM that is not LITE"
    expectation = LastVacuum(expected)
    told = "there is no _last_vacuum_info" if v.after.last_vacuum is None else f"it noted down {named(found)}"
    message = f"{kind} must note down {named(expected)}; {told}."
    facts = tuple(f"version {version} was committed at {v.instant(time)}" for version, time in sorted(times.items()))
    return one(Violation("log", message, expectation, (*facts, *evidence.of_cutoff(v))))


@clause(
    "VAC-LITE-1E",
    "LITE deletes every change file that a commit of its window names, however young the file is.",
    of=VacuumObservation,
    sources=("C 1.3",),
    since="3.3",
    implementation="spark",
    needs=(Mode.LITE, Mode.LITE_SETTING),
)
def lite_deletes_change_files(v: VacuumObservation) -> Judgement:
    return (
        must_delete(v, with_reason(v, Reason.CHANGE_FILE, fate=Fate.DELETE)) if v.ran and is_lite(v) else NOT_EXERCISED
    )


# USING INVENTORY ----------------------------------------------------------------------------------------------------


def _files(v: VacuumObservation) -> list[str]:
    return [path for path in all_paths(v) if v.before.listing[path].kind is EntryKind.FILE]


@clause(
    "VAC-INV-1A",
    "USING INVENTORY with an inventory of all files, a table or a query, VACUUM keeps and deletes the files that it would by a listing.",
    of=VacuumObservation,
    sources=("C 1.4",),
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
)
def inventory_is_as_good_as_a_listing(v: VacuumObservation) -> Judgement:
    return exactly(v, _files(v)) if v.ran and is_by_inventory(v) else NOT_EXERCISED


@clause(
    "VAC-INV-1B",
    "USING INVENTORY with an inventory of files only, VACUUM leaves all directories, empty ones too.",
    of=VacuumObservation,
    sources=("C 1.4",),
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
)
def inventory_of_files_leaves_directories(v: VacuumObservation) -> Judgement:
    if not isinstance(v.scan, InventoryScan) or not v.scan.files_only:
        return NOT_EXERCISED
    left = with_reason(v, Reason.NOT_SCANNED)
    return must_keep(v, [path for path in left if v.before.listing[path].kind is EntryKind.DIRECTORY])


@clause(
    "VAC-INV-1C",
    "USING INVENTORY, VACUUM deletes no hidden file and no hidden directory, at any depth, nor anything in one, as by a listing.",
    of=VacuumObservation,
    sources=("S1", "C 1.4"),
    since="3.2",
    needs=(Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY),
)
def inventory_with_hidden_names(v: VacuumObservation) -> Judgement:
    """Of what is hidden at the top level VAC-SAFE-4 speaks."""
    return must_keep(v, with_reason(v, Reason.HIDDEN_DEEPER)) if is_by_inventory(v) else NOT_EXERCISED


# Parallel deletion --------------------------------------------------------------------------------------------------


@clause(
    "VAC-PAR-1",
    "With parallel deletion every path has the fate that it has without.",
    of=VacuumObservation,
    sources=("S1", "C 1.2"),
    needs=("parallel",),
)
def parallel_deletion(v: VacuumObservation) -> Judgement:
    if not v.step.parallel or v.step.dry_run or not must_run(v):
        return NOT_EXERCISED
    return one(refusal(v, "with parallel deletion was refused")) if v.refused else exactly(v, all_paths(v))


# Forms --------------------------------------------------------------------------------------------------------------


@clause(
    "VAC-FORM-1A",
    "By a quoted path, by name and through the DeltaTable class, with hours and without, VACUUM does what it does by delta.`path`: every path has its fate.",
    of=VacuumObservation,
    sources=("S1", "C 1.1"),
    needs=(
        VacuumForm.SQL_QUOTED_PATH,
        VacuumForm.SQL_NAME,
        VacuumForm.SQL_MANAGED,
        VacuumForm.API_PATH,
        VacuumForm.API_NAME,
    ),
)
def forms(v: VacuumObservation) -> Judgement:
    """What DRY RUN lists is judged by VAC-DRY-2C."""
    if v.step.form is VacuumForm.SQL_PATH or v.step.dry_run or not must_run(v):
        return NOT_EXERCISED
    return one(refusal(v, f"by {v.step.form.value} was refused")) if v.refused else exactly(v, all_paths(v))


@clause(
    "VAC-FORM-1B",
    "The SQL command answers one row, the path of the table's root; DRY RUN, a row for each path, none twice; the DeltaTable class answers no rows.",
    of=VacuumObservation,
    sources=("C 1.1",),
    implementation="spark",
)
def answers(v: VacuumObservation) -> Judgement:
    if v.refused:
        return NOT_EXERCISED
    rows = v.outcome.rows
    facts = tuple(f"a row: {row}" for row in rows[:5]) or ("no row",)
    if v.step.form in API_VACUUM_FORMS:
        message = f"{v.step.form.value} must answer no rows; it answered {len(rows)}."
        return one(Violation("rows", message, RowsAre(Of.ANSWER, ()), facts) if rows else None)
    paths = [relative(str(row[0]), v.root) if len(row) == 1 else None for row in rows]
    if not v.step.dry_run:
        message = f"VACUUM must answer one row, the path of the root; it answered {len(rows)}."
        return one(None if paths == [""] else Violation("rows", message, AnswersRoot(), facts))
    strange = [
        row for row, path in zip(rows, paths) if path is None or not path or path.startswith("/") or "://" in path
    ]
    twice = sorted({str(path) for path in paths if paths.count(path) > 1})
    if not strange and not twice:
        return one(None)
    what = (
        f"DRY RUN answered {strange[0]}, which is no path below the root."
        if strange
        else f"DRY RUN names {twice[0]} twice."
    )
    return one(Violation("rows", what, AnswersPaths(), facts))
