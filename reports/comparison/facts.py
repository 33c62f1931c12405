"""The facts that the record of a step states: what a comparison compares and explains.

A fact should be the same for every engine: it has no name of a file that the engine wrote, no time, and no words of an error that
has a class.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Union

from records.run import RecordedCommit, RecordedError, RecordedStep

#: A text to be named; what is counted but not named; or names, of which a side may lack some.
RecordedFact = Union[str, None, Counter[str], frozenset[str]]


@dataclass(frozen=True)
class FactField:
    """Where a record (``records.run.RecordedStep``) has a fact. ``name``: a member of the part.

    ``within``: the operation of the commit, the class of the error, or the kind of file that the field belongs to.
    """

    part: str
    name: str = ""
    within: str = ""

    @property
    def kind(self) -> str:
        """``metrics`` for the names of all metrics, ``metrics.`` for the value of one."""
        return f"{self.part}." if self.name else self.part

    @property
    def path(self) -> str:
        """``metrics.numFiles``."""
        return f"{self.kind}{self.name}"


Facts = Mapping[FactField, RecordedFact]

#: The fields of ``records.run.Observed`` that are counted, and those that are compared name by name.
_COUNTED = ("removed", "masked")
_NAMED = ("remove_fields", "add_fields", "change_fields", "places")

#: The log's directory for the commits of a coordinator, by its name before Delta 4.0 and now: most releases make it, empty.
_UNPUBLISHED = ("/_delta_log/_commits", "/_delta_log/_staged_commits")

#: The kinds of file (``harness.observing.record``): each has a fact, so that all records have them in the same order.
_FILES = ("change files", "data files", "other files", "vector files")

ERROR, OPERATIONS, BY_ORDER = FactField("error"), FactField("operations"), FactField("by_order")


def facts(step: RecordedStep) -> Facts:
    """The facts of a step, in the order of the report, without names that the record does not have."""
    outcome, observed = step.outcome, step.observed
    commits = list(_by_operation(observed.commits))
    most = sys.maxsize if outcome.error is None else 1  # how many files a failed command leaves depends on its threads
    return {
        **_of_error(outcome.error),
        FactField("broken"): "broken" if observed.broken else None,
        OPERATIONS: ", ".join(name or "unnamed" for name in observed.operations) or None,
        FactField("vanished"): Counter(map(_json, observed.vanished)),
        FactField("changed_beside"): Counter(
            path for path in observed.changed_beside if not path.endswith(_UNPUBLISHED)
        ),
        **{FactField(part): Counter(map(_json, getattr(observed, part))) for part in _COUNTED},
        FactField("added"): _rows_by_partition(observed.added),
        FactField("changed"): +Counter(rows=observed.changed),
        **{
            FactField("appeared", within=kind): +Counter({kind: min(observed.appeared.get(kind, 0), most)})
            for kind in sorted({*_FILES, *observed.appeared})
        },
        FactField("checkpoints"): Counter([_json(observed.checkpoints)] * bool(observed.checkpoints)),
        BY_ORDER: Counter(observed.by_order),
        FactField("rows"): Counter(map(_json, outcome.rows or ())),
        **{field: fact for within, commit in commits for field, fact in _numbers(within, commit)},
        FactField("last_vacuum"): None if observed.last_vacuum is None else "written",
        **({} if observed.last_vacuum is None else {FactField("last_vacuum", "keys"): frozenset(observed.last_vacuum)}),
        **{FactField(part): frozenset(names) for part in _NAMED if (names := getattr(observed, part))},
        **{field: fact for within, commit in commits for field, fact in _form(within, commit)},
    }


def of_one_side(field: FactField, seen: tuple[Facts, Facts]) -> Counter[str]:
    """What is counted on one of both sides alone."""
    one, other = (side[field] for side in seen)
    assert isinstance(one, Counter) and isinstance(other, Counter)
    return (one - other) | (other - one)


def _rows_by_partition(added: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """The rows of new files. No engine promises into which files of a partition it writes them."""
    rows = Counter[str]()
    for file in added:
        rows[_json(file["partition"])] += file["rows"]
    return rows


def _of_error(error: RecordedError | None) -> Facts:
    if error is None:
        return {ERROR: None}
    name = error.condition or error.exception
    found: dict[FactField, RecordedFact] = {
        ERROR: name,
        FactField("error", "exception", name): error.exception,
        FactField("error", "sqlstate", name): error.sqlstate,
    }
    if error.condition is None:  # numbers in messages are of tasks, stages and hash codes
        found[FactField("error", "message", name)] = Counter([re.sub("[0-9]+", "#", error.message)])
    return found


def _by_operation(commits: Iterable[RecordedCommit]) -> Iterator[tuple[str, RecordedCommit]]:
    """The commits with their operations; a second one of the same operation has a number."""
    found = Counter[str]()
    for commit in commits:
        found[commit.operation] += 1
        number = found[commit.operation]
        yield commit.operation if number == 1 else f"{commit.operation} {number}", commit


def _numbers(within: str, commit: RecordedCommit) -> Iterable[tuple[FactField, RecordedFact]]:
    for part, values in (("parameters", commit.parameters), ("metrics", commit.metrics)):
        for name, value in sorted(values.items()):
            yield FactField(part, name, within), Counter([value])


def _form(within: str, commit: RecordedCommit) -> Iterable[tuple[FactField, RecordedFact]]:
    """How the commit is written."""
    yield FactField("keys", within=within), frozenset(commit.keys)
    for name, value in sorted(commit.values.items()):
        yield FactField("values", name, within), _json(value)
    yield FactField("parameters", within=within), frozenset(commit.parameters)
    yield FactField("metrics", within=within), frozenset(commit.metrics)


#: The name of a data file that the engine wrote: it has the number of the task, counted from 0 or from 1, and the codec.
_OWN_NAME = re.compile(r"\bpart-[0-9]{5}-\*[.-]c[0-9]{3}\.[a-z]+\.parquet")


def _json(value: Any) -> str:
    return _OWN_NAME.sub("part-*.parquet", json.dumps(value, sort_keys=True))
