"""VAC-SAFE-7: a VACUUM touches nothing outside the table's root."""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.storage.listing import EntryKind
from harness.judging.clause import Judgement, Violation, clause, each
from harness.judging.severity import Cause
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import Reason
from model.vocabulary.severity import Severity
from model.vocabulary.table import Reference
from records.expectations import Unchanged, about
from suites.clauses.shared import harms
from suites.clauses.vacuum.path_rules import must_keep, outside_behind_links, unchanged, with_reason


def _must_keep_outside(v: VacuumObservation, paths: Iterable[str], why: str) -> Judgement:
    """Judge that each of these paths outside the root is unchanged. Dry and refused runs do not count as exercising."""

    def problem(path: str) -> Violation | None:
        after = v.after.beside.get(path)
        if unchanged(v.before.beside[path], after):
            return None
        action = "deleted" if after is None else "changed"
        message = f"VACUUM {action} {path}, which is outside the table's root and must be kept: {why}."
        cause = Cause(f"{action} outside the root: {why}", Severity.DATA_LOSS)
        return Violation(path, message, about(path, Unchanged(path)), evidence.of_path(v, path), cause=cause)

    judged = each(sorted(paths), problem)
    return judged if v.ran else Judgement(0, judged.violations)


@clause(
    "VAC-SAFE-7A",
    "VACUUM deletes, changes and adds nothing beside the root: sibling directories whose names begin like the table's, other tables, targets of links.",
    sources=("P Add File and Remove File", "C 1.2"),
    harm=harms.FILES_LOST,
)
def siblings(v: VacuumObservation) -> Judgement:
    """Files that the log names are VAC-SAFE-7B's, what lies behind a link to a directory is VAC-SAFE-7C's."""
    others = v.before.beside.keys() - v.outside - outside_behind_links(v)
    judged = _must_keep_outside(v, others, "it is not part of the table")
    written = sorted(v.after.beside.keys() - v.before.beside.keys())
    wrong = tuple(
        Violation(
            path,
            f"VACUUM must write nothing outside the table's root; it wrote {path}.",
            about(path, Unchanged(path)),
            cause=Cause("written outside the root", Severity.SPACE_KEPT),
        )
        for path in written
    )
    return Judgement(judged.subjects, (*judged.violations, *wrong))


@clause(
    "VAC-SAFE-7B",
    "VACUUM keeps data files outside the root that the log names by their URI, whether they are live or were removed long ago.",
    sources=("P Add File and Remove File", "C 1.2"),
    harm=harms.FILES_LOST,
    needs=(Reference.OUTSIDE,),
)
def files_outside(v: VacuumObservation) -> Judgement:
    named = [path for path in v.before.beside if path in v.outside and path not in outside_behind_links(v)]
    return _must_keep_outside(v, named, "the log names it by its URI, and another table may use it")


@clause(
    "VAC-SAFE-7C",
    "VACUUM deletes nothing behind a symbolic link to a directory, neither live files of the table itself nor anything outside it.",
    sources=("C 1.2", "P Add File and Remove File"),
    harm=harms.FILES_LOST,
    needs=("links",),
)
def behind_directory_links(v: VacuumObservation) -> Judgement:
    inside = must_keep(v, with_reason(v, Reason.BEHIND_LINK))
    files = [path for path in outside_behind_links(v) if v.before.beside[path].kind is not EntryKind.DIRECTORY]
    outside = _must_keep_outside(v, files, "a symbolic link of the table leads to its directory")
    return Judgement(inside.subjects + outside.subjects, inside.violations + outside.violations)
