"""VAC-ANS: what delta-rs says that a VACUUM has deleted, in its result and in its log."""

from __future__ import annotations

from collections.abc import Callable

from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.observing import evidence
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.fates import Fate, Reason
from model.vocabulary.rules import DELTA_RS
from records.expectations import ByReplay, Expectation, Gone, Lists, Unchanged, about
from suites.clauses.shared import harms
from suites.clauses.vacuum.log import END, at, info_of


def _runs(v: VacuumObservation) -> bool:
    """Whether it is a run of delta-rs."""
    return v.rules.implementation == DELTA_RS.implementation and v.ran


def _deleted_files(v: VacuumObservation) -> list[str]:
    """The files and links that are gone; not what was behind a link to a directory, which has the link's name too."""
    return sorted(
        path
        for path in v.vanished
        if v.before.listing[path].kind is not EntryKind.DIRECTORY
        and (path not in v.fates or v.fates[path].reason is not Reason.BEHIND_LINK)
    )


def _expected(v: VacuumObservation, path: str, answer: Lists) -> Expectation:
    """The answer is right where the VACUUM did with the path what it must; else that it does so."""
    fate = v.fates[path].fate if path in v.fates else Fate.DELETE
    if fate is Fate.UNSPECIFIED:
        return ByReplay(f"{path} may be deleted or not, and be returned accordingly")
    done = path not in v.after.listing
    if fate is Fate.KEEP and done:
        return about(path, Unchanged(path))
    return about(path, Gone(path) if fate is Fate.DELETE and not done else answer)


def _returned(v: VacuumObservation, wrong: Callable[[str], bool], what: str) -> Judgement:
    """No returned path is wrong in this way."""
    if not _runs(v):
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        if not wrong(path):
            return None
        message = f"VACUUM returned {path} as deleted, {what}."
        return Violation(path, message, _expected(v, path, Lists(path, listed=False)), evidence.of_path(v, path))

    return each(sorted(v.returned), problem)


@clause(
    "VAC-ANS-1A",
    "The result of a VACUUM names every file that it deleted.",
    sources=("R DeltaTable.vacuum", "R VacuumMetrics"),
    harm=harms.WRONG_VACUUM_ANSWER,
    implementation="deltalake",
)
def returns_what_it_deleted(v: VacuumObservation) -> Judgement:
    if not _runs(v):
        return NOT_EXERCISED

    def problem(path: str) -> Violation | None:
        if path in v.returned:
            return None
        message = f"VACUUM deleted {path}, and did not return it."
        return Violation(path, message, _expected(v, path, Lists(path)), evidence.of_path(v, path))

    return each(_deleted_files(v), problem)


@clause(
    "VAC-ANS-1B",
    "The result of a VACUUM names no file that is still there.",
    sources=("R DeltaTable.vacuum", "R VacuumMetrics"),
    harm=harms.WRONG_VACUUM_ANSWER,
    implementation="deltalake",
)
def returns_nothing_that_is_left(v: VacuumObservation) -> Judgement:
    return _returned(v, lambda path: path in v.after.listing, "and it is still there")


@clause(
    "VAC-ANS-1C",
    "The result of a VACUUM names no file that was not there before, except for those that tombstones name.",
    sources=("R DeltaTable.vacuum", "R VacuumMetrics"),
    harm=harms.WRONG_VACUUM_ANSWER,
    implementation="deltalake",
)
def returns_nothing_that_never_was(v: VacuumObservation) -> Judgement:
    """The result is "the list of files no longer referenced", so also those that an earlier VACUUM has deleted."""
    links = tuple(f"{path}/" for path, entry in v.before.listing.items() if entry.kind is EntryKind.LINK)

    def unknown(path: str) -> bool:
        return v.before.entry(path) is None and path not in v.references.tombstones and not path.startswith(links)

    return _returned(v, unknown, "which was not there before, and no tombstone names it")


@clause(
    "VAC-LOG-4",
    "If a VACUUM commits END, its numDeletedFiles is the number of files that it returns, each counted once.",
    sources=("R VacuumEndOperationMetrics",),
    harm=harms.WRONG_VACUUM_HISTORY,
    implementation="deltalake",
)
def counts_what_it_returned(v: VacuumObservation) -> Judgement:
    info = info_of(v, END)
    if not _runs(v) or info is None:
        return NOT_EXERCISED
    found, expected = at(info, "operationMetrics.numDeletedFiles"), len(v.returned)
    if str(found) == str(expected):
        return judgement(None)
    message = f"numDeletedFiles of {END} must be {expected}, and is {found}."
    expectation = ByReplay("numDeletedFiles is compared with what the VACUUM returns")
    return judgement(Violation("log", message, expectation, evidence.of_answer(v)))
