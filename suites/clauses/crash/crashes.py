"""CRASH: what a DELETE or a VACUUM leaves that is killed in the middle, and what is read after it.

The engine's answer is no evidence. The commit in the log decides: up to it the table is the one of before, from then on the
one of after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from harness.judging.clause import NOT_EXERCISED, Clause, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, space_kept, wrong_answers, wrong_words
from harness.observing import evidence
from harness.observing.steps.crash_observation import CrashObservation, DeleteCrashObservation, VacuumCrashObservation
from harness.observing.steps.observation import DeleteObservation, ReadObservation
from harness.observing.table.table_state import differing
from model.prediction.fates import DISPUTED, Fate
from model.prediction.paths import checksum_of, is_visible
from model.vocabulary.severity import Severity
from records.expectations import NoFileWritten, Operations, Readable, Unchanged, about
from suites.clauses.delete import adds, changes, commit, files, removes, row_ids, rows, vectors
from suites.clauses.shared import causes, harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import check_rows_read, check_table_rows
from suites.clauses.vacuum.log import END, START, check_no_file_action, expected_operations, operations
from suites.clauses.vacuum.path_rules import (
    UNPROTECTED,
    check_kept,
    is_logged,
    lost_disputed_paths,
    outside_behind_links,
    with_reason,
)

_NEEDS = ("crashes",)
_ATOMIC = ("P Overview", "P Delta Log Entries", "S8")

_NOT_REPLAYED = replace(causes.NOT_REPLAYED, severity=Severity.UNREADABLE)


def _told(judged: Judgement, c: CrashObservation) -> Judgement:
    """The judgement, with the effects before the engine was killed as evidence of each violation, and what it left."""
    facts = evidence.of_crash(c) if judged.violations else ()
    told = tuple(replace(one, evidence=(*one.evidence, *facts)) for one in judged.violations)
    return Judgement(judged.subjects, told)


# The table ----------------------------------------------------------------------------------------------------------


def _check_table(c: DeleteCrashObservation | VacuumCrashObservation, command: str, which: str) -> Judgement:
    """The log must be there, and the table have the rows that its commits say."""
    if c.after.broken is not None:
        message = f"After a {command} that was killed the table must be readable; it is not: {c.after.broken}."
        return _told(judgement(Violation("log", message, Readable(), cause=_NOT_REPLAYED)), c)
    if c.before.rows is None:
        return NOT_EXERCISED
    return _told(judgement(check_table_rows(c.whole, c.expected_rows, which)), c)


@clause(
    "CRASH-1A",
    "After a DELETE is killed, the log can be replayed, and the table has the rows from before the DELETE or, if its commit is in the log, the rows from after it.",
    sources=_ATOMIC,
    harm=harms.TORN,
    of_broken=True,
    needs=_NEEDS,
)
def table_is_before_or_after(d: DeleteCrashObservation) -> Judgement:
    if d.after.version > d.before.version:
        return _check_table(d, "DELETE", "the rows of after the killed DELETE, whose commit is in the log")
    return _check_table(d, "DELETE", "the rows of before the killed DELETE, which committed nothing")


@clause(
    "CRASH-2A",
    "After a VACUUM is killed, the log can be replayed, and the table has the same rows as before.",
    sources=(*_ATOMIC, "S1"),
    harm=harms.TORN,
    of_broken=True,
    needs=_NEEDS,
)
def table_is_as_before(v: VacuumCrashObservation) -> Judgement:
    if lost_disputed_paths(v.whole):
        return NOT_EXERCISED
    return _check_table(v, "VACUUM", "the rows of before the killed VACUUM")


@clause(
    "CRASH-3",
    "After a DELETE or VACUUM is killed, the engine reads the rows from before it or, if its commit is in the log, the rows from after it.",
    sources=_ATOMIC,
    harm=wrong_answers("After a crash the engine answers with rows that the table does not have."),
    needs=_NEEDS,
)
def engine_reads(r: ReadObservation) -> Judgement:
    last = r.after_step
    if not r.is_current or not isinstance(last, CrashObservation):
        return NOT_EXERCISED
    return _told(judgement(check_rows_read(r)), last)


# What was there before ----------------------------------------------------------------------------------------------


@clause(
    "CRASH-1B",
    "A DELETE that is killed in the middle has deleted, overwritten and touched nothing that was there outside the log: no file, no directory, nothing beside the root.",
    sources=("P Data Files", "P Overview"),
    harm=harms.TORN,
    needs=_NEEDS,
)
def nothing_of_before_is_touched(d: DeleteCrashObservation) -> Judgement:
    before, after = {**d.before.data, **d.before.beside}, {**d.after.data, **d.after.beside}
    wrong = set(differing(before, {path: entry for path, entry in after.items() if path in before}))

    def problem(path: str) -> Violation | None:
        if path not in wrong:
            return None
        action = "changed" if path in after else "deleted"
        message = f"A DELETE that was killed must leave what was there as it was; it {action} {path}."
        facts, cause = evidence.of_path(d, path), causes.changed(d, [path])
        return Violation(path, message, about(path, Unchanged(path, times=True)), facts, cause=cause)

    return _told(each(sorted(before), problem), d)


@clause(
    "CRASH-2B",
    "A VACUUM that is killed in the middle has deleted nothing but what the whole VACUUM may delete, and changed nothing.",
    sources=("S1", "C 1.2"),
    harm=harms.TORN,
    needs=_NEEDS,
)
def what_must_be_kept_is_kept(c: VacuumCrashObservation) -> Judgement:
    v = c.whole
    refused = v.retain_refused or v.step.dry_run
    kept = [
        path
        for path, predicted in v.fates.items()
        if path in v.before.data and (refused or predicted.fate is Fate.KEEP) and predicted.reason not in DISPUTED
    ]

    return _told(each(sorted(kept), lambda path: check_kept("A VACUUM that was killed", v, path)), c)


EARLIER = clauses_of("CRASH-1E", "CRASH-2E", told=lambda c, judged: _told(judged, c))


# What is left ---------------------------------------------------------------------------------------------------------

LOG = clauses_of("CRASH-1C", "CRASH-2C", told=lambda c, judged: _told(judged, c))


def _unexpected(c: CrashObservation, command: str, paths: Iterable[str], what: str) -> Judgement:
    """There must be no such new paths, which ``what`` describes."""

    def problem(path: str) -> Violation:
        message = f"A {command} that was killed left {path}, {what}."
        return Violation(path, message, NoFileWritten(), evidence.of_path(c, path), cause=causes.NEEDLESS_WRITE)

    found = tuple(map(problem, sorted(paths)))
    return _told(Judgement(1, found), c)


@clause(
    "CRASH-1F",
    "What a DELETE that is killed in the middle leaves outside the log is where a VACUUM finds it: none of it is hidden, or beside the root.",
    sources=("S1", "P Data Files"),
    harm=space_kept("What a killed command leaves costs storage for ever: no VACUUM finds it."),
    needs=_NEEDS,
)
def leftovers_can_be_vacuumed(d: DeleteCrashObservation) -> Judgement:
    """That the VACUUM deletes them, once they are older than the retention, is VAC-LIVE-2's and VAC-LIVE-5's."""

    def is_hidden(path: str) -> bool:
        # The file system writes a checksum next to a file, and deletes it with the file.
        return checksum_of(path) is None and not is_visible(path, d.table.partition_by, d.rules.reserved_names)

    hidden = [path for path in d.appeared if is_hidden(path)]
    beside = d.after.beside.keys() - d.before.beside.keys()
    return _unexpected(d, "DELETE", (*hidden, *beside), "where no VACUUM finds it")


@clause(
    "CRASH-2F",
    "A VACUUM that is killed in the middle has written nothing outside the log, and changed nothing beside the root.",
    sources=("C 1.2", "P Add File and Remove File"),
    harm=harms.NEEDLESS_FILES,
    needs=_NEEDS,
)
def nothing_is_written(v: VacuumCrashObservation) -> Judgement:
    beside = frozenset(v.changed_beside) - outside_behind_links(v.whole)
    return _unexpected(v, "VACUUM", (*v.appeared, *beside), "and must write nothing outside the log")


# The commits ----------------------------------------------------------------------------------------------------------

#: What must hold of a DELETE's commit, by id: functions of the commit alone, which every engine must meet.
_OF_COMMITS: Mapping[str, Clause[DeleteObservation]] = {
    one.id: one
    for one in (
        commit.one_commit,
        *clauses_of("DEL-INFO-1C"),
        files.whole_table,
        files.partitions_exactly,
        files.rows_exactly,
        files.others_as_they_were,
        rows.survivors,
        adds.adds_exist,
        adds.adds_named,
        removes.removes_stamped,
        removes.removes_complete,
        removes.removes_carry_vectors,
        removes.no_conflicts,
        changes.change_files_hold_the_deleted,
        changes.change_files_are_described,
        vectors.vector_is_the_union,
        vectors.adds_with_new_vectors,
        vectors.vectors_are_valid,
        row_ids.row_ids_kept,
        row_ids.adds_have_ids,
        row_ids.high_water_mark,
        *clauses_of("DEL-CRC", "DEL-CKPT-1"),
    )
}


@clause(
    "CRASH-1D",
    "If the commit of a DELETE that is killed in the middle is in the log, it is that of the whole DELETE: one version with all its actions; so are the version checksum and the checkpoint, if they are there.",
    sources=_ATOMIC,
    harm=harms.TORN,
    needs=_NEEDS,
)
def commit_is_whole(d: DeleteCrashObservation) -> Judgement:
    """By the clauses of DELETE that are about its commit; a violation costs what it costs by that clause, which it names."""
    if not d.commits:
        return NOT_EXERCISED
    found: dict[str, Judgement] = {id: one.judge(d.whole) for id, one in _OF_COMMITS.items()}
    wrong = tuple(_as_of(id, one) for id, judged in found.items() for one in judged.violations)
    return _told(Judgement(sum(judged.subjects for judged in found.values()), wrong), d)


def _as_of(id: str, violation: Violation) -> Violation:
    """A violation by the clause with this id: its cause has that clause's severity and its id."""
    cause = replace(
        violation.cause, text=f"{id}: {violation.kind}", severity=_OF_COMMITS[id].severity_of(violation.cause)
    )
    return replace(violation, message=f"{id} is violated: {violation.message}", cause=cause)


@clause(
    "CRASH-2D",
    "A VACUUM with logging that is killed in the middle has committed nothing, START, or START and END, without any file action; without logging it has committed nothing.",
    sources=("S1", "C 1.5"),
    harm=wrong_words("The history of the table tells another VACUUM than what happened."),
    implementation="spark",
    needs=_NEEDS,
)
def commits_in_order(c: VacuumCrashObservation) -> Judgement:
    v = c.whole
    due = expected_operations(v) if is_logged(v) else []
    found = operations(v)
    if found != due[: len(found)]:
        which = "nothing, START, or START and END" if due else "nothing, without logging"
        message = f"A VACUUM that was killed must have committed {which}; it committed {found}."
        cause = Cause("other versions are written", Severity.WRONG_WORDS)
        return _told(judgement(Violation("log", message, Operations(()), cause=cause)), c)
    return _told(judgement(check_no_file_action(v)), c)


@clause(
    "CRASH-2G",
    "If a VACUUM with logging is killed after it deleted something, START is in the log; if END is in the log, everything is deleted that the whole VACUUM must delete.",
    sources=("C 1.5",),
    harm=wrong_words("The history of the table does not tell how far the VACUUM came."),
    implementation="spark",
    needs=_NEEDS,
)
def commits_say_what_was_done(c: VacuumCrashObservation) -> Judgement:
    v = c.whole
    found = operations(v)
    if not is_logged(v) or v.step.dry_run or v.retain_refused:
        return NOT_EXERCISED
    if v.vanished and not found and not v.cleaned_up:
        path = min(v.vanished)
        message = f"A VACUUM that was killed deleted {path} before START was in the log."
        cause = Cause("deleted before START", Severity.WRONG_WORDS)
        wrong = Violation(path, message, Operations((START,)), evidence.of_path(v, path), cause=cause)
        return _told(judgement(wrong), c)
    kept = [path for path in with_reason(v, *UNPROTECTED, fate=Fate.DELETE) if path in v.after.listing]
    if END in found and kept:
        message = f"A VACUUM that was killed committed END before it had deleted {kept[0]}."
        cause = Cause("END before a deletion", Severity.WRONG_WORDS)
        wrong = Violation(kept[0], message, Operations((START,)), evidence.of_path(v, kept[0]), cause=cause)
        return _told(judgement(wrong), c)
    return judgement(None)
