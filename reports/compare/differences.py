"""The differences between two records of the same step: which fields differ, and how.

A difference is the same for every case that has it, so it contains no file name, number of rows or id.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from reports.compare.commands import Command
from reports.stream import Line


class Amount(str, Enum):
    """How the candidate's list or number compares with the base's."""

    MORE = "more"
    FEWER = "fewer"
    OTHER = "different"

    @property
    def reversed(self) -> Amount:
        return {Amount.MORE: Amount.FEWER, Amount.FEWER: Amount.MORE}.get(self, self)


@dataclass(frozen=True)
class Difference:
    """One field of a step's record (reports/schema) that differs.

    ``base`` and ``candidate`` are the single values, or the name of a member that one side only has (a metric, a field of
    an action); None: the side has none. Lists and numbers have an ``amount`` instead.
    ``within``: the operation of the commit, the class of the error, or the kind of file that the field belongs to.
    ``form``: it is about how something is written, and independent of the command's options. ``diverges``: the tables
    are not the same afterwards.
    """

    command: Command
    field: str
    base: str | None = None
    candidate: str | None = None
    within: str = ""
    amount: Amount | None = None
    form: bool = False
    diverges: bool = False

    @property
    def reversed(self) -> Difference:
        """The same with base and candidate exchanged."""
        amount = self.amount and self.amount.reversed
        return replace(self, base=self.candidate, candidate=self.base, amount=amount)

    @property
    def grouped(self) -> Difference:
        """The difference to group by: a form is the same for all VACUUMs."""
        return replace(self, command=Command("vacuum")) if self.form and self.command.kind == "vacuum" else self


def differences(command: Command, base: Line, candidate: Line) -> tuple[Difference, ...]:
    """The differences between two records of one step, without seconds and without messages of errors that have a class.

    Left out is what follows from other differences: everything if one side only fails, and the reported numbers if the
    tables differ afterwards.
    """
    errors = [step["outcome"]["error"] if step["outcome"] else None for step in (base, candidate)]
    records = [step["observed"] or {} for step in (base, candidate)]
    found = list(_errors(command, *errors))
    if (errors[0] is None) == (errors[1] is None):
        changes = list(_changes(command, *records))
        found += changes
        if not changes:
            found += _lists(command, "rows", *(_rows(step) for step in (base, candidate)))
            found += _numbers(command, *records) if not deletion_order_differs(base, candidate) else ()
        found += _last_vacuum(command, *(record.get("last_vacuum") for record in records))
        found += (replace(difference, form=True) for difference in _forms(command, *records))
    return tuple(found)


def deletion_order_differs(base: Line, candidate: Line) -> bool:
    """Whether the order of deletion left other directories: not a difference, but later ones may follow from it."""
    left = [(step["observed"] or {}).get("by_order", []) for step in (base, candidate)]
    return bool(left[0] != left[1])


def _values(
    command: Command, field: str, base: str | None, candidate: str | None, within: str = ""
) -> Iterable[Difference]:
    if base != candidate:
        yield Difference(command, field, base, candidate, within=within)


def _errors(command: Command, base: Line | None, candidate: Line | None) -> Iterable[Difference]:
    one, other = (_error_class(error) for error in (base, candidate))
    if base is None or candidate is None or one != other:
        for difference in _values(command, "error", one, other):
            yield replace(difference, diverges=not command.reads and None in (one, other))
        return
    for part in ("exception", "sqlstate"):
        yield from _values(command, f"error.{part}", base.get(part), candidate.get(part), str(one))
    # Numbers in messages are of tasks, stages and hash codes.
    messages = [re.sub("[0-9]+", "#", error["message"]) for error in (base, candidate)]
    if base["condition"] is None and messages[0] != messages[1]:
        yield Difference(command, "error.message", within=str(one), amount=Amount.OTHER)


def _error_class(error: Line | None) -> str | None:
    return None if error is None else str(error["condition"] or error["exception"])


# The table after the step -----------------------------------------------------------------------------------------------


def _changes(command: Command, base: Line, candidate: Line) -> Iterable[Difference]:
    found = list(_changed_fields(command, base, candidate))
    return (replace(difference, diverges=True) for difference in found)


def _changed_fields(command: Command, base: Line, candidate: Line) -> Iterable[Difference]:
    one, other = ("broken" if record.get("broken") else None for record in (base, candidate))
    yield from _values(command, "broken", one, other)
    one, other = (_operations(record) for record in (base, candidate))
    same_commits = one == other
    yield from _values(command, "operations", one, other)
    # If one side commits nothing, it has no actions either.
    for field in ("vanished", "changed_beside", *(("removed", "masked", "added") if same_commits else ())):
        yield from _lists(command, field, base.get(field, []), candidate.get(field, []))
    if same_commits:
        yield from _amounts(command, "changed", {"": base.get("changed", 0)}, {"": candidate.get("changed", 0)})
        yield from _amounts(command, "appeared", base.get("appeared", {}), candidate.get("appeared", {}))
    checkpoints = [record.get("checkpoints", []) for record in (base, candidate)]
    if checkpoints[0] != checkpoints[1]:
        amount = Amount.OTHER if all(checkpoints) else Amount.MORE if checkpoints[1] else Amount.FEWER
        yield Difference(command, "checkpoints", amount=amount)


def _operations(record: Line) -> str | None:
    """The committed operations; None if there are none."""
    return ", ".join(name or "unnamed" for name in record.get("operations", ())) or None


def _amounts(
    command: Command, field: str, base: Mapping[str, int], candidate: Mapping[str, int]
) -> Iterable[Difference]:
    for kind in sorted({*base, *candidate}):
        numbers = base.get(kind, 0), candidate.get(kind, 0)
        if numbers[0] != numbers[1]:
            amount = Amount.MORE if numbers[0] < numbers[1] else Amount.FEWER
            yield Difference(command, field, within=kind, amount=amount)


def _lists(command: Command, field: str, base: Sequence[Any], candidate: Sequence[Any]) -> Iterable[Difference]:
    one, other = (Counter(json.dumps(value, sort_keys=True) for value in values) for values in (base, candidate))
    lost, new = one - other, other - one
    if lost or new:
        amount = Amount.OTHER if lost and new else Amount.FEWER if lost else Amount.MORE
        yield Difference(command, field, amount=amount)


# What the engine reports ------------------------------------------------------------------------------------------------


def _rows(step: Line) -> list[Any]:
    rows: list[Any] = (step["outcome"] or {}).get("rows") or []
    return rows


def _commits(base: Line, candidate: Line) -> list[tuple[str, Line, Line]]:
    """The commits of both sides in pairs, with their operation; none if one side has more commits."""
    commits = base.get("commits", []), candidate.get("commits", [])
    if len(commits[0]) != len(commits[1]):
        return []
    pairs = ((str(one["operation"]), one, other) for one, other in zip(*commits))
    return [pair for pair in pairs if pair[1]["operation"] == pair[2]["operation"]]


def _numbers(command: Command, base: Line, candidate: Line) -> Iterable[Difference]:
    for operation, one, other in _commits(base, candidate):
        for part in ("parameters", "metrics"):
            for name in sorted(one[part].keys() & other[part].keys()):
                if one[part][name] != other[part][name]:
                    yield Difference(command, f"{part}.{name}", within=operation, amount=Amount.OTHER)


def _last_vacuum(command: Command, base: Sequence[str] | None, candidate: Sequence[str] | None) -> Iterable[Difference]:
    """What a VACUUM writes for the next LITE one. If one side writes nothing, its LITE does not need it: no divergence."""
    if base is not None and candidate is not None:
        for difference in _members(command, "last_vacuum.keys", base, candidate):
            yield replace(difference, diverges=True)
    else:
        one, other = (None if keys is None else "written" for keys in (base, candidate))
        yield from _values(command, "last_vacuum", one, other)


def _forms(command: Command, base: Line, candidate: Line) -> Iterable[Difference]:
    for field in ("remove_fields", "add_fields", "change_fields", "places"):
        if base.get(field) and candidate.get(field):
            yield from _members(command, field, base[field], candidate[field])
    for operation, one, other in _commits(base, candidate):
        yield from _members(command, "keys", one["keys"], other["keys"], operation)
        for name in sorted(one["values"].keys() & other["values"].keys()):
            before, after = (json.dumps(side["values"][name], sort_keys=True) for side in (one, other))
            yield from _values(command, f"values.{name}", before, after, operation)
        for part in ("parameters", "metrics"):
            yield from _members(command, part, one[part], other[part], operation)


def _members(
    command: Command, field: str, base: Iterable[str], candidate: Iterable[str], within: str = ""
) -> Iterable[Difference]:
    """The names that only one side has."""
    one, other = set(base), set(candidate)
    for name in sorted(one ^ other):
        yield from _values(command, field, name if name in one else None, name if name in other else None, within)


# The value of a field -----------------------------------------------------------------------------------------------------


def value_of(difference: Difference, step: Line) -> object:
    """What a step's record has in the field of a difference: equal for two records that do not differ in it.

    None, False, 0 and an empty list are what a record has that lacks the field.
    """
    part, _, name = difference.field.partition(".")
    observed, error = step["observed"] or {}, (step["outcome"] or {}).get("error")
    if part == "error":
        return (error or {}).get(name) if name else _error_class(error)
    if part == "rows":
        return sorted(json.dumps(row, sort_keys=True) for row in _rows(step))
    if part == "operations":
        return _operations(observed)
    if part == "last_vacuum":
        keys = observed.get("last_vacuum")
        return _member(difference) in (keys or ()) if name else keys is not None
    if part in ("keys", "values", "parameters", "metrics"):
        commits = [one[part] for one in observed.get("commits", ()) if one["operation"] == difference.within]
        return [one.get(name) if name else _member(difference) in one for one in commits]
    if part in ("remove_fields", "add_fields", "change_fields", "places"):
        return _member(difference) in observed.get(part, ())
    if part == "appeared":
        return observed.get(part, {}).get(difference.within, 0)
    value = observed.get(part) or None
    return sorted(json.dumps(one, sort_keys=True) for one in value) if isinstance(value, list) else value


def _member(difference: Difference) -> str | None:
    """The name that one side only has."""
    return difference.base or difference.candidate
