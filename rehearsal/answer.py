"""The first line of a rehearsal: a word, why, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deltalog.storage.names import LOG_DIRECTORY
from model.vocabulary.severity import Severity
from rehearsal.prediction import Prediction
from rehearsal.quantities import files, size
from rehearsal.rehearsed import Deletion, Difference, Trial
from rehearsal.words import broken_words
from reports.text.ladder import Answer, Word, gravest, of_one, of_two
from reports.text.quantities import counted


def answer_of(predictions: Sequence[Prediction], difference: Difference | None) -> Answer:
    """One release: PASS (0), FAIL (1) or, if the log contradicts itself, INCONCLUSIVE (2). Two: UPGRADE (0), LOOK FIRST (3) or
    DO NOT UPGRADE (1).
    """
    if difference is None:
        return _of_one(predictions[0])
    first, second = predictions
    new = sorted({*second.versions.needed} - {*first.versions.needed})
    differs = not difference.is_none or (first.refusal is None) != (second.refusal is None)
    word = of_two(forbids={*new} - {*second.versions.backdated}, asks=differs or second.versions.needed)
    if word is Word.DO_NOT_UPGRADE:
        return Answer(word, _loses(second, new))
    if differs:
        return Answer(word, _differs(first, second, difference))
    if second.versions.needed:
        return Answer(word, _loses(second, second.versions.needed, also=first.release.title))
    if second.refusal is not None:
        return Answer(word, f"{first.release.title} and {second.release.title} refuse the statement: {second.refusal}")
    same = files(second.total(second.deleted_files))
    return Answer(word, f"{second.release.title} {_verb(second)} the same as {first.release.title}: {same}")


def _of_one(prediction: Prediction) -> Answer:
    title = prediction.release.title
    if prediction.refusal is not None:
        return Answer(Word.PASS, f"{title} refuses the statement and deletes nothing: {prediction.refusal}")
    versions = prediction.versions
    word = of_one(wrong=versions.needed != versions.backdated, undecided=versions.needed)
    if versions.needed:
        return Answer(word, _loses(prediction, versions.needed))
    deleted = files(prediction.total(prediction.deleted_files))
    return Answer(word, f"{title} {_verb(prediction)} {deleted}, and none that a version inside the retention needs")


def _verb(prediction: Prediction) -> str:
    return "lists" if prediction.vacuum.dry_run else "deletes"


def _loses(prediction: Prediction, needed: Sequence[str], *, also: str = "") -> str:
    """``also``: the release that does the same."""
    lost, such = prediction.total(needed), f"such as {needed[0]}{f', and so does {also}' if also else ''}"
    does = f"{prediction.release.title} {_verb(prediction)} {files(lost)}"
    if {*needed} - {*prediction.versions.backdated}:
        return f"{does} that a version inside the retention needs, {such}"
    return (
        f"the log contradicts itself: tombstones are older than their own commits. By the tombstones {does}, {such}; by the "
        f"commits a version inside the retention needs {'it' if lost.files == 1 else 'them'}. A copy of a table must keep the "
        f"times of the files in {LOG_DIRECTORY}"
    )


def _differs(first: Prediction, second: Prediction, difference: Difference) -> str:
    told = []
    for one, other, only in ((second, first, difference.only_second), (first, second, difference.only_first)):
        if only.files:
            told.append(f"{one.release.title} {_verb(one)} {files(only)} that {other.release.title} keeps")
    if not told:
        refusing, other = (first, second) if first.refusal is not None else (second, first)
        told.append(f"{refusing.release.title} refuses the statement, which {other.release.title} runs")
    why = difference.causes[0].rstrip(".") if difference.causes else ""
    if not why:
        refusal = first.refusal or second.refusal
        why = refusal or "the rules of the two engines differ"
    return f"{', and '.join(told)}. {why}"


def with_trials(answer: Answer, trials: Sequence[Trial], statement: str = "the statement") -> Answer:
    """The answer, if the engines did on copies what the model says; else what they did. An engine that breaks a clause is FAIL;
    if only the second of two releases loses something by it, DO NOT UPGRADE.
    """
    if not trials:
        return answer
    wrong = [trial for trial in trials if not trial.agrees]
    if not wrong:
        return replace(
            answer, reason=f"{answer.reason}. {' and '.join(one.release for one in trials)} did so on a copy"
        )
    last = trials[-1]
    if unexpected := [trial for trial in trials if not trial.is_expected]:
        said = unexpected[-1].error
        does = f"refuses {statement} on a copy: {said}" if said else f"runs {statement}, which it must refuse"
        return Answer(Word.INCONCLUSIVE, f"{unexpected[-1].release} {does}")
    if len(trials) == 1:
        return Answer(of_one(wrong=wrong), _disagrees(last))
    word = of_two(forbids=_losses(last) - _losses(trials[0]), asks=wrong)
    return Answer(word, ", and ".join(map(_disagrees, wrong if word is Word.LOOK_FIRST else [last])))


def _losses(trial: Trial) -> set[tuple[str, str]]:
    """How the release loses files or rows, or makes the table unreadable."""
    return {(one.clauses[0], one.cause) for one in trial.wrong if one.severity.rank <= Severity.UNREADABLE.rank}


def _disagrees(trial: Trial) -> str:
    """What is worst of what the engine did against the suite's clauses."""
    return f"{trial.release} on a copy: {broken_words(trial.wrong[0])}"


def with_deletions(vacuum: Answer | None, deletions: Sequence[Deletion], trials: Sequence[Trial] = ()) -> Answer:
    """The answer about a DELETE by one or two releases, with their trials on copies; and about the VACUUM after it, if there is
    one.
    """
    found = with_trials(_of_deletions(deletions), trials, "the DELETE")
    if vacuum is None:
        return found
    return replace(gravest((vacuum, found)), reason=f"{found.reason}. VACUUM after it: {vacuum.reason}")


def _of_deletions(deletions: Sequence[Deletion]) -> Answer:
    one, last = deletions[0], deletions[-1]
    if len(deletions) == 1:
        if one.refusal is not None:
            return Answer(Word.PASS, f"{one.release} refuses the DELETE and removes nothing: {one.refusal}")
        return Answer(Word.PASS, f"{one.release} removes {_removed(one)} from the table")
    word = of_two(forbids=False, asks=(one.refusal is None) != (last.refusal is None))
    if word is Word.LOOK_FIRST:
        refusing, other = (one, last) if one.refusal is not None else (last, one)
        return Answer(word, f"{refusing.release} refuses the DELETE, which {other.release} runs: {refusing.refusal}")
    if last.refusal is not None:
        return Answer(word, f"{one.release} and {last.release} refuse the DELETE: {last.refusal}")
    return Answer(word, f"{last.release} removes the same from the table as {one.release}: {_removed(last)}")


def _removed(deletion: Deletion) -> str:
    """``3 files (1.2 kB, 40 rows)``."""
    if not deletion.removed.files:
        return "no file"
    rows = "" if deletion.rows is None else f", {counted(deletion.rows, 'row')}"
    return f"{counted(deletion.removed.files, 'file')} ({size(deletion.removed.bytes)}{rows})"
