"""How two engines did the same step: what differs, in words that are the same for every case that shows it.

The words are a group's name, so they hold no file name, number of rows or id. They go from the base to the candidate.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports.stream import Line

#: The kinds of steps that change no table.
READS = ("read", "readchanges")

_VACUUM = re.compile(
    r"VACUUM t(?: (?P<mode>LITE|FULL|USING INVENTORY)\b(?: \([^)]*\))?)?(?: RETAIN (?P<hours>\S+) HOURS)?(?P<dry> DRY RUN)?"
)


#: Numbers in messages are those of tasks, stages and hash codes.
_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Difference:
    """``subject`` is the kind of step, ``what`` differs there; ``diverges``: the tables are no longer the same after it."""

    subject: str
    what: str
    diverges: bool = False

    @property
    def text(self) -> str:
        return f"{self.subject}: {self.what}"


def subject_of(step: Line) -> str:
    """The kind of a step: ``DELETE``, ``VACUUM LITE with RETAIN 0, DRY RUN``, ``READ of an earlier version``.

    A RETAIN is one of 0 if Delta rounds it to that (docs/delta.md 1.1). FULL and no keyword are the same.
    """
    kind, text = step["kind"], str(step["text"])
    if kind == "delete":
        return "TRUNCATE TABLE" if text.endswith("(TRUNCATE TABLE)") else "DELETE"
    if kind == "read":
        return "READ of an earlier version" if "(as before step" in text else "READ of the current version"
    if kind == "readchanges":
        return "READ of the change feed"
    if kind == "vacuum" and (found := _VACUUM.match(text)):
        mode = "LITE" if "(LITE by setting" in text else found["mode"]
        words = ["VACUUM"] + ([mode] if mode not in (None, "FULL") else [])
        words += [f"with RETAIN{' 0' if _is_zero(found['hours']) else ''}"] if found["hours"] else []
        return " ".join(words) + (", DRY RUN" if found["dry"] else "")
    return text.removesuffix(" (DRY RUN)") if kind in ("baddelete", "badvacuum") else kind.upper()


def _is_zero(hours: str) -> bool:
    try:
        return math.floor(float(hours) + 0.5) == 0
    except ValueError:
        return False


def differences(base: Line, candidate: Line) -> tuple[Difference, ...]:
    """What differs between two lines of one step. Neither seconds nor the texts of messages count.

    Only where neither error has a class, their texts do. Where one side ends in an error, the rest follows from that;
    where the tables differ afterwards, so do numbers that the step reports, and these are left out. With the sides
    exchanged it gives as many, in the same order.
    """
    subject = subject_of(base)
    errors = [step["outcome"]["error"] if step["outcome"] else None for step in (base, candidate)]
    seen = [step["observed"] or {} for step in (base, candidate)]
    found = list(_errors(subject, *errors, writes=base["kind"] not in READS))
    if (errors[0] is None) != (errors[1] is None):
        return tuple(found)
    deeds = list(_deeds(subject, *seen))
    found += deeds
    if not deeds:
        found += _answers(subject, base, candidate)
        found += _numbers(subject, *seen) if not other_order(base, candidate) else ()
    found += _bookmark(subject, *(one.get("last_vacuum") for one in seen))
    return (*found, *_forms(_coarse(subject), *seen))


def other_order(base: Line, candidate: Line) -> bool:
    """Whether the tables differ in directories that may go or stay: no difference, but what follows may follow from it."""
    left = [(step["observed"] or {}).get("by_order", []) for step in (base, candidate)]
    return bool(left[0] != left[1])


def _coarse(subject: str) -> str:
    """VACUUM is VACUUM for what all its commits have in common."""
    return "VACUUM" if subject.startswith("VACUUM") and "mistake" not in subject else subject


# Errors ---------------------------------------------------------------------------------------------------------------


def _errors(subject: str, base: Line | None, candidate: Line | None, *, writes: bool) -> Iterable[Difference]:
    names = [_error_name(error) for error in (base, candidate)]
    if names[0] != names[1]:
        yield Difference(subject, f"error {names[0]} → {names[1]}", writes and "none" in names)
        return
    if base is None or candidate is None:
        return
    for part in ("exception", "sqlstate"):
        if base.get(part) != candidate.get(part):
            yield Difference(subject, f"error {names[0]}: {part} {base.get(part)} → {candidate.get(part)}")
    messages = [_NUMBER.sub("#", one["message"]) for one in (base, candidate)]
    if base["condition"] is None and messages[0] != messages[1]:
        yield Difference(subject, f"error {names[0]}: another message")


def _error_name(error: Line | None) -> str:
    return "none" if error is None else str(error["condition"] or error["exception"])


# What became of the table -----------------------------------------------------------------------------------------------


def _deeds(subject: str, base: Line, candidate: Line) -> Iterable[Difference]:
    if base.get("broken", False) != candidate.get("broken", False):
        yield Difference(subject, f"the log {_broken(base)} → {_broken(candidate)}", True)
    commits = [_commits(one) for one in (base, candidate)]
    if commits[0] != commits[1]:
        yield Difference(subject, f"commits {commits[0]} → {commits[1]}", True)
    for key, words in (("vanished", "deletes {} from storage"), ("changed_beside", "changes {} beside the table")):
        yield from _paths(subject, words, base.get(key, []), candidate.get(key, []))
    if commits[0] == commits[1]:  # where one side commits nothing, all that it does not say follows from that
        for key, words in (("removed", "removes {}"), ("masked", "hides rows of {}"), ("added", "adds {}")):
            yield from _paths(subject, words, base.get(key, []), candidate.get(key, []))
        if base.get("changed", 0) != candidate.get("changed", 0):
            more = candidate.get("changed", 0) > base.get("changed", 0)
            yield Difference(subject, f"writes {'more' if more else 'fewer'} rows of change files", True)
        yield from _appeared(subject, base.get("appeared", {}), candidate.get("appeared", {}))
    if base.get("checkpoints", []) != candidate.get("checkpoints", []):
        kinds = ["a checkpoint" if one.get("checkpoints") else "no checkpoint" for one in (base, candidate)]
        what = "writes other checkpoints" if kinds[0] == kinds[1] else f"writes {kinds[0]} → {kinds[1]}"
        yield Difference(subject, what, True)


def _broken(observed: Line) -> str:
    return "cannot be replayed" if observed.get("broken") else "can be replayed"


def _commits(observed: Line) -> str:
    """The operations committed; how many, where they are not named."""
    operations = observed.get("operations")
    if operations is not None:
        return ", ".join(name or "one without a name" for name in operations) or "none"
    version = observed.get("version") or [0, 0]
    return str(version[1] - version[0]) if version[1] != version[0] else "none"


def _appeared(subject: str, base: Mapping[str, int], candidate: Mapping[str, int]) -> Iterable[Difference]:
    for kind in sorted({*base, *candidate}):
        before, after = base.get(kind, 0), candidate.get(kind, 0)
        if before != after:
            yield Difference(subject, f"writes {'more' if after > before else 'fewer'} {kind}", True)


def _paths(subject: str, words: str, base: Sequence[Any], candidate: Sequence[Any]) -> Iterable[Difference]:
    """At most one difference of two lists of paths, or of values; what the paths have in common is said."""
    how, differing = _compared(base, candidate)
    if how:
        yield Difference(subject, words.format(f"{how} {_things(differing)}"), True)


def _compared(base: Sequence[Any], candidate: Sequence[Any]) -> tuple[str, list[Any]]:
    """``fewer``, ``more`` or ``other``, nothing where they are the same; and what is in one of them only."""
    one, other = (Counter(json.dumps(value, sort_keys=True) for value in values) for values in (base, candidate))
    lost, new = one - other, other - one
    differing = [json.loads(text) for text in sorted([*lost, *new])]
    if not differing:
        return "", []
    return ("other" if lost and new else "fewer" if lost else "more"), differing


#: What names have in common, as far as an engine's rules for names go (docs/delta.md 1.2, 1.4 and 5).
_KINDS = (
    ("deletion vectors", re.compile(r"(\A|/)deletion_vector_[^/]*\.bin\Z")),
    ("files or directories named metadata", re.compile(r"(\A|/)metadata(/|\Z)")),
    ("change files", re.compile(r"\A_change_data(/|\Z)")),
    ("paths with hidden names", re.compile(r"(\A|/)(_|\.(?!\./))")),
    ("paths with special characters", re.compile(r"[^A-Za-z0-9_./=*-]")),
)


def _things(values: list[Any]) -> str:
    paths = [value for value in values if isinstance(value, str)]
    if len(paths) < len(values):
        return "files"
    return next((kind for kind, pattern in _KINDS if all(map(pattern.search, paths))), "files")


# What the engine says ---------------------------------------------------------------------------------------------------


def _answers(subject: str, base: Line, candidate: Line) -> Iterable[Difference]:
    rows = [(step["outcome"] or {}).get("rows") or [] for step in (base, candidate)]
    how, differing = _compared(*rows)
    if not how:
        return
    if base["kind"] in READS:
        yield Difference(subject, f"{how} rows")
    elif base["kind"] == "vacuum":
        yield Difference(subject, f"names {how} {_things(differing)}")
    else:
        yield Difference(subject, "answers otherwise")


def _pairs(base: Line, candidate: Line) -> list[tuple[Line, Line, str]]:
    """The commits of both sides that are of one operation, with it. Nothing where there are not as many."""
    commits = base.get("commits", []), candidate.get("commits", [])
    if len(commits[0]) != len(commits[1]):
        return []
    pairs = ((one, other, str(one["operation"])) for one, other in zip(*commits))
    return [pair for pair in pairs if pair[0]["operation"] == pair[1]["operation"]]


def _at(operation: str, commits: Sequence[Any]) -> str:
    """Which commit it is about, where there are several: ``START: `` of a VACUUM."""
    return "" if len(commits) == 1 else f"{operation.removeprefix('VACUUM ')}: "


def _numbers(subject: str, base: Line, candidate: Line) -> Iterable[Difference]:
    for one, other, operation in _pairs(base, candidate):
        at = _at(operation, base["commits"])
        for name in sorted(one["parameters"].keys() & other["parameters"].keys()):
            if one["parameters"][name] != other["parameters"][name]:
                yield Difference(subject, f"{at}another value of the parameter {name}")
        for name in sorted(one["metrics"].keys() & other["metrics"].keys()):
            if one["metrics"][name] != other["metrics"][name]:
                yield Difference(subject, f"{at}another value of the metric {name}")


def _forms(subject: str, base: Line, candidate: Line) -> Iterable[Difference]:
    for action in ("remove", "add", "change"):
        fields = [one.get(f"{action}_fields", []) for one in (base, candidate)]
        if all(fields):
            yield from _names(subject, f"{action} fields", *fields)
    places = [one.get("places", []) for one in (base, candidate)]
    if all(places):
        yield from _names(subject, "new files lie in", *places)
    for one, other, operation in _pairs(base, candidate):
        at = _at(operation, base["commits"])
        yield from _names(subject, f"{at}commitInfo", one["keys"], other["keys"])
        for name in sorted(one["values"].keys() & other["values"].keys()):
            before, after = one["values"][name], other["values"][name]
            if before != after:
                yield Difference(subject, f"{at}commitInfo.{name} {json.dumps(before)} → {json.dumps(after)}")
        yield from _names(subject, f"{at}parameters", one["parameters"], other["parameters"])
        yield from _names(subject, f"{at}metrics", one["metrics"], other["metrics"])


def _bookmark(subject: str, base: Sequence[str] | None, candidate: Sequence[str] | None) -> Iterable[Difference]:
    """What a VACUUM leaves for the next LITE one. An engine that writes none at all has no LITE that would go by it."""
    if base is None or candidate is None:
        if base is not candidate:
            yield Difference(
                subject, f"{'no' if base is None else 'a'} _last_vacuum_info → {'none' if candidate is None else 'one'}"
            )
        return
    for name in _names(subject, "_last_vacuum_info", base, candidate):
        yield replace(name, diverges=True)


def _names(subject: str, where: str, base: Iterable[str], candidate: Iterable[str]) -> Iterable[Difference]:
    one, other = set(base), set(candidate)
    for name in sorted(one ^ other):
        yield Difference(subject, f"{where} {'+' if name in other else '-'} {name}")
