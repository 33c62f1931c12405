"""The first line of a rehearsal: a word, why, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence

from rehearsal.prediction import Prediction
from rehearsal.quantities import files
from rehearsal.rehearsed import Difference
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
