"""Which files one release deletes and another keeps, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from model.prediction.fates import Fate
from model.vocabulary.rules import SPARK, RuleChange, Walk
from rehearsal.prediction import Prediction
from rehearsal.rehearsed import Difference
from rehearsal.releases import changes_between

#: Why engines differ in a rule, by its field and the value that the second one has.
_OF_ENGINES = {
    ("walk", Walk.OBJECTS): "{} lists files as an object store does: of a path only the first name can hide it.",
    ("walk", Walk.DIRECTORIES): "{} lists directory by directory: a hidden name at any depth hides a path.",
    ("ages_removed_files", False): "In {} a removed file goes by its tombstone, whatever its own age.",
    ("ages_removed_files", True): "In {} a removed file must be old itself too, and not only its tombstone.",
    ("lite_window", False): (
        "VACUUM LITE of {} goes by the tombstones of the current version, not by the commits since the last one."
    ),
    ("lite_window", True): (
        "VACUUM LITE of {} goes by the commits since the last one, not by the tombstones of the current version."
    ),
}


def difference(first: Prediction, second: Prediction) -> Difference:
    """A difference is what one release certainly deletes and the other certainly keeps."""
    only_first = [path for path in first.deleted_files if not _may_delete(second, path)]
    only_second = [path for path in second.deleted_files if not _may_delete(first, path)]
    differs = bool(only_first or only_second)
    changes = [
        one for one in changes_between(first.release, second.release) if differs and _matters(first, second, one.field)
    ]
    causes = tuple(_causes(first, second, changes)) if differs else ()
    remedies = tuple(one.withdrawal.remedy for one in changes if one.withdrawal is not None)
    return Difference(first.total(only_first), second.total(only_second), causes, remedies)


def _may_delete(prediction: Prediction, path: str) -> bool:
    found = prediction.fates.get(path)
    return found is not None and found.fate is not Fate.KEEP


def _causes(first: Prediction, second: Prediction, changes: Iterable[RuleChange]) -> Iterator[str]:
    """Refusals; and each rule that alone makes a difference."""
    for one in (first, second):
        if one.refusal is not None:
            yield f"{one.release.title} refuses the statement: {one.refusal}."
    for change in changes:
        yield f"Since {change.since}: {change.sentence if change.withdrawal is None else change.withdrawal.sentence}"
    if first.release.engine != second.release.engine:
        for (field, value), sentence in _OF_ENGINES.items():
            if getattr(second.release.rules, field) == value and _matters(first, second, field):
                yield sentence.format(second.release.title)
        if _matters(first, second, "retain"):
            spark = first if first.release.rules.implementation == SPARK.implementation else second
            yield f"RETAIN has no effect in {spark.release.title}, unless it rounds to 0 hours."


def _matters(first: Prediction, second: Prediction, field: str) -> bool:
    value = getattr(second.release.rules, field)
    if getattr(first.release.rules, field) == value:
        return False
    rules = replace(first.release.rules, **{field: value})
    changed = replace(first, release=replace(first.release, rules=rules))
    return (changed.refusal, changed.deleted) != (first.refusal, first.deleted)
