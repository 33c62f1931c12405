"""DEL-INFO, DEL-PHYS: the commit of a DELETE, and what the DELETE must not change."""

from __future__ import annotations

from collections.abc import Mapping

from deltalog.storage.listing import EntryKind
from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, data_loss, wrong_answers, wrong_words
from harness.observing import evidence
from harness.observing.steps.observation import DeleteObservation
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Form
from records.expectations import (
    Expectation,
    FieldHolds,
    ForbiddenChange,
    InfoIs,
    NothingChanged,
    Operations,
    Unchanged,
    about,
)
from suites.clauses.shared import harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.causes import changed, rows_left


@clause(
    "DEL-INFO-1A",
    "A DELETE that removes something is one commit, the next version.",
    sources=("S0", "C 2.4"),
    harm=wrong_answers("The DELETE is not committed, so that deleted rows stay in the table."),
)
def one_commit(d: DeleteObservation) -> Judgement:
    if not d.prediction.commits:
        return NOT_EXERCISED
    versions = [commit.version for commit in d.commits]
    if versions == [d.before.version + 1]:
        return judgement(None)
    return judgement(
        Violation(
            "log",
            f"The DELETE must write version {d.before.version + 1}; it wrote {versions or 'none'}.",
            Operations((_operation(d),)),
            evidence.of_answer(d),
            cause=rows_left(d, Cause("other versions are written", Severity.WRONG_WORDS)),
        )
    )


def _operation(d: DeleteObservation) -> str:
    return "TRUNCATE" if d.step.form is Form.TRUNCATE else "DELETE"


@clause(
    "DEL-INFO-1B",
    "commitInfo has the operation DELETE, its predicate, the version before as readVersion, isBlindAppend=false and the isolation level Serializable; for TRUNCATE TABLE the operation TRUNCATE, without a predicate.",
    sources=("S0", "S2", "C 2.4"),
    harm=harms.WRONG_OPERATION,
    implementation="spark",
)
def commit_info(d: DeleteObservation) -> Judgement:
    if not d.commits:
        return NOT_EXERCISED
    truncates = d.step.form is Form.TRUNCATE
    expected = {
        "operation": _operation(d),
        "readVersion": d.before.version,
        "isBlindAppend": False,
        "isolationLevel": "Serializable",
    }
    fields = dict(d.info.fields) if d.info else {}
    parameters = fields.get("operationParameters")
    keys = [key for key, value in expected.items() if fields.get(key) != value]
    wrong = [f"{key} is {fields.get(key)!r} instead of {expected[key]!r}" for key in keys]
    expectation: Expectation = FieldHolds(
        "commitInfo", "operationParameters.predicate", '".+"', "a text that is not empty"
    )
    if keys:
        expectation = InfoIs(keys[0], expected[keys[0]])
    if not truncates and (not isinstance(parameters, Mapping) or not parameters.get("predicate")):
        wrong.append("there is no predicate among its operationParameters")
    return judgement(
        Violation(
            "commitInfo",
            f"commitInfo of version {d.after.version} is wrong: {'; '.join(wrong)}.",
            expectation,
            cause=Cause(f"another value: {keys[0] if keys else 'predicate'}"),
        )
        if wrong
        else None
    )


DEFINITION = clauses_of("DEL-INFO-1C")


@clause(
    "DEL-PHYS-1",
    "DELETE deletes, overwrites and touches no existing file: bytes and modification times are as before.",
    sources=("S0",),
    harm=data_loss("A file that readers and time travel still need is deleted or overwritten."),
)
def nothing_touched(d: DeleteObservation) -> Judgement:
    files = sorted(path for path, entry in d.before.data.items() if entry.kind != "directory")

    def problem(path: str) -> Violation | None:
        before, after = d.before.listing[path], d.after.listing.get(path)
        if after == before:
            return None
        action = "deleted" if after is None else "changed" if after.digest != before.digest else "touched"
        expectation = about(path, Unchanged(path, times=True), otherwise=NothingChanged(ForbiddenChange.OF_FILES))
        message = f"DELETE {action} {path}, which must stay as it was."
        return Violation(path, message, expectation, evidence.of_path(d, path), cause=changed(d, [path]))

    return each(files, problem)


@clause(
    "DEL-PHYS-5",
    "DELETE deletes and replaces no directory, not even an empty or a hidden one.",
    sources=("S0", "C 1.2"),
    harm=wrong_words("A directory disappears that its user, or a writer, still needs."),
)
def directories_stay(d: DeleteObservation) -> Judgement:
    directories = sorted(path for path, entry in d.before.data.items() if entry.kind is EntryKind.DIRECTORY)

    def problem(path: str) -> Violation | None:
        after = d.after.listing.get(path)
        if after is not None and after.kind is EntryKind.DIRECTORY:
            return None
        action = "deleted" if after is None else "replaced"
        expectation = about(path, Unchanged(path), otherwise=NothingChanged(ForbiddenChange.OF_FILES))
        message = f"DELETE {action} the directory {path}, which only a VACUUM may delete."
        return Violation(path, message, expectation, evidence.of_path(d, path), cause=Cause(f"a directory is {action}"))

    return each(directories, problem)


LOG = clauses_of("DEL-PHYS-3")
