"""The expected and the actual result of a step side by side: actions and rows as lines of JSON, files as a tree.

Only from what the stream has: if only the message says what was seen, there are no two sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from model.prediction.history import live_ids
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.table import Kind
from records.expectations import Expectation, Gone, InfoIs, Operations, Removes, RowsAre, RowsOf, Unchanged
from records.run import RecordedCase, RecordedCommit, RecordedStep, RecordedViolation
from reports.document import Diff, DiffLine, FileLine

#: The most lines of a difference, and the most files of a tree; what is larger is not shown.
_MOST_LINES, _MOST_FILES = 60, 40


def difference_of(judged: RecordedCase, violation: RecordedViolation) -> Diff:
    """The actions, or the rows, that were expected in the step against those that were seen; empty where one is not known."""
    step = next((one for one in judged.steps if one.index == violation.step), None)
    sides = None if step is None else _sides(violation.expectation, step)
    if sides is None or sides[0] == sides[1] or max(map(len, sides)) > _MOST_LINES:
        return Diff(())
    return Diff(tuple(_compared(*sides)))


def files_of(case: Case, judged: RecordedCase, step: int, *, anyway: bool = False) -> tuple[FileLine, ...]:
    """The files of the case's first table as a step left them; unless ``anyway``, empty for a step that deleted none and had to
    delete none."""
    vanished = {one.index: one.observed.vanished for one in judged.steps if not one.aside}
    gone = vanished.get(step, ())
    expected = [one.expectation for one in judged.violations if one.step == step]
    wrong = {one.path: _MUST[type(one)] for one in expected if isinstance(one, (Unchanged, Gone))}
    states = _states(case)
    states.update({path: "beside the table's files" for path in (*gone, *wrong) if path not in states})
    if not (gone or wrong or anyway) or len(states) > _MOST_FILES:
        return ()
    earlier = {path for index, paths in vanished.items() if index < step for path in paths}

    def after(path: str) -> str:
        if path in gone:
            return "deleted"
        # What must be kept, and is wrong though no listing lacks it, has other bytes or times, or lay outside of the root.
        return (
            "deleted earlier" if path in earlier else "not as it was" if wrong.get(path) == _MUST[Unchanged] else "kept"
        )

    return tuple(_lines({path: (state, after(path)) for path, state in states.items()}, wrong))


#: What the expectations about a path ask for.
_MUST: Mapping[type[Unchanged | Gone], str] = {Unchanged: "must be kept", Gone: "must be deleted"}


def _states(case: Case) -> dict[str, str]:
    """The kind of each path of the first table."""
    table = case.table
    live = set(live_ids(table))
    removed = {one.file for commit in table.commits for one in commit.removes}
    states = {
        file_path(table, file): "live" if file.id in live else "removed" if file.id in removed else "of no commit"
        for file in table.files
    }
    words = {Kind.FILE: "stray", Kind.DIRECTORY: "stray directory", Kind.LINK: "link"}
    return {**states, **{stray.path: words[stray.kind] for stray in table.stray_files}}


def _lines(leaves: Mapping[str, tuple[str, str]], wrong: Mapping[str, str]) -> Iterable[FileLine]:
    """A line for each path in alphabetical order, and one for each directory above them."""
    above: tuple[str, ...] = ()
    for path in sorted(leaves, key=lambda path: path.split("/")):
        *directories, name = path.split("/")
        for depth, directory in enumerate(directories):
            if above[: depth + 1] != (*directories[:depth], directory):
                yield FileLine(depth, f"{directory}/", "", "", "")
        yield FileLine(len(directories), name, *leaves[path], wrong.get(path, ""))
        above = (*directories, name)


def _compared(expected: Sequence[str], seen: Sequence[str]) -> Iterable[DiffLine]:
    matcher = SequenceMatcher(None, expected, seen, autojunk=False)
    for tag, start, end, begin, stop in matcher.get_opcodes():
        if tag == "equal":
            yield from (DiffLine(" ", text) for text in expected[start:end])
        else:
            yield from (DiffLine("-", text) for text in expected[start:end])
            yield from (DiffLine("+", text) for text in seen[begin:stop])


# The two sides, by the kind of expectation -----------------------------------------------------------------------------

_Sides = tuple[list[str], list[str]]


def _sides(expectation: Expectation | None, step: RecordedStep) -> _Sides | None:
    seen, answer = step.observed, step.outcome
    if isinstance(expectation, Removes):
        if expectation.checkpoint or expectation.compaction:
            return None  # the stream does not say what is in one
        return _removes(expectation.paths), _removes(seen.removed)
    if isinstance(expectation, Operations):
        return _operations(expectation.names), _operations(seen.operations)
    if isinstance(expectation, InfoIs):
        return _info(expectation, seen.commits)
    if isinstance(expectation, RowsAre) and expectation.of is RowsOf.ANSWER and answer.rows is not None:
        return sorted(map(_json, expectation.rows)), sorted(map(_json, answer.rows))
    return None


def _removes(paths: Iterable[str]) -> list[str]:
    return [_json({"remove": {"path": path}}) for path in sorted(paths)]


def _operations(names: Iterable[str]) -> list[str]:
    return [_json({"commitInfo": {"operation": name}}) for name in names]


def _info(expected: InfoIs, commits: Sequence[RecordedCommit]) -> _Sides | None:
    """A field of commitInfo, in the only commit of the step or in that with the operation."""
    commits = [one for one in commits if expected.operation in (None, one.operation)]
    if len(commits) != 1:
        return None
    (commit,) = commits
    part, _, name = expected.field.partition(".")
    members = {"operationMetrics": commit.metrics, "operationParameters": commit.parameters}
    seen: Any
    if part in members:
        seen = members[part].get(name) if name else members[part] or None
    elif part in commit.values or part not in commit.keys:
        seen = commit.values.get(part)
    else:
        return None  # a value that differs in each run

    def action(value: Any) -> list[str]:
        return [_json({"commitInfo": {"operation": commit.operation, expected.field: value}})]

    return action(expected.value), action(seen)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
