"""The first line of a rehearsal: a word, why, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rehearsal.prediction import Prediction
from rehearsal.quantities import amount, files
from rehearsal.rehearsed import Difference, OtherFate, Trial
from reports.findings.answers import Answer, Word


def answer_of(predictions: Sequence[Prediction], difference: Difference | None) -> Answer:
    """Of one release PASS (0) or FAIL (1); of two UPGRADE (0), LOOK FIRST (3) or DO NOT UPGRADE (1)."""
    if difference is None:
        return _of_one(predictions[0])
    first, second = predictions
    new = sorted({*second.versions.needed} - {*first.versions.needed})
    if new:
        return Answer(Word.DO_NOT_UPGRADE, _loses(second, new), 1)
    if not difference.is_none or (first.refusal is None) != (second.refusal is None):
        return Answer(Word.LOOK_FIRST, _differs(first, second, difference), 3)
    if second.versions.needed:
        return Answer(
            Word.LOOK_FIRST, f"{_loses(second, second.versions.needed)}, and so does {first.release.title}", 3
        )
    if second.refusal is not None:
        return Answer(
            Word.UPGRADE, f"{first.release.title} and {second.release.title} refuse the statement: {second.refusal}", 0
        )
    same = files(second.total(second.deleted_files))
    return Answer(Word.UPGRADE, f"{second.release.title} {_verb(second)} the same as {first.release.title}: {same}", 0)


def _of_one(prediction: Prediction) -> Answer:
    title = prediction.release.title
    if prediction.refusal is not None:
        return Answer(Word.PASS, f"{title} refuses the statement and deletes nothing: {prediction.refusal}", 0)
    if prediction.versions.needed:
        return Answer(Word.FAIL, _loses(prediction, prediction.versions.needed), 1)
    deleted = files(prediction.total(prediction.deleted_files))
    return Answer(
        Word.PASS, f"{title} {_verb(prediction)} {deleted}, and none that a version inside the retention needs", 0
    )


def _verb(prediction: Prediction) -> str:
    return "lists" if prediction.vacuum.dry_run else "deletes"


def _loses(prediction: Prediction, needed: Sequence[str]) -> str:
    lost = files(prediction.total(needed))
    return f"{prediction.release.title} {_verb(prediction)} {lost} that a version inside the retention needs, such as {needed[0]}"


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


def with_trials(answer: Answer, trials: Sequence[Trial]) -> Answer:
    """The answer, if the engines did on copies what the model says of them; else what they did.

    A file that the model keeps and an engine deletes is FAIL, or of the second of two releases alone DO NOT UPGRADE.
    """
    if not trials:
        return answer
    wrong = [trial for trial in trials if not trial.agrees]
    if not wrong:
        return replace(answer, reason=f"{answer.reason}. {_ran(trials)} did so on a copy")
    last = trials[-1]
    if unexpected := [trial for trial in trials if not trial.is_expected]:
        said = unexpected[-1].error
        does = f"refuses the statement on a copy: {said}" if said else "runs the statement, which it must refuse"
        return Answer(Word.INCONCLUSIVE, f"{unexpected[-1].release} {does}", 2)
    if len(trials) == 1:
        return Answer(Word.FAIL, _disagrees(last), 1)
    if _deleted(last) - _deleted(trials[0]):
        return Answer(Word.DO_NOT_UPGRADE, _disagrees(last), 1)
    return Answer(Word.LOOK_FIRST, ", and ".join(map(_disagrees, wrong)), 3)


def _ran(trials: Sequence[Trial]) -> str:
    return " and ".join(trial.release for trial in trials)


def _deleted(trial: Trial) -> set[str]:
    return {one.path for one in trial.wrongly_deleted} | {*trial.gone_in_dry_run}


def _disagrees(trial: Trial) -> str:
    """What it did that the model excludes; what is lost comes first."""
    if trial.gone_in_dry_run:
        number = amount(len(trial.gone_in_dry_run), "file")
        return f"DRY RUN of {trial.release} deletes {number}, such as {trial.gone_in_dry_run[0]}"
    if trial.wrongly_deleted:
        return f"{trial.release} {_path_words('deletes', 'must keep', trial.wrongly_deleted)}"
    return f"{trial.release} {_path_words('keeps', 'must delete', trial.wrongly_kept)}"


def _path_words(does: str, must: str, paths: Sequence[OtherFate]) -> str:
    return f"{does} {amount(len(paths), 'path')} that it {must}, such as {paths[0].path}: {paths[0].reason}"
