"""What a step should have left and what it left, side by side: actions and rows as lines of JSON, files as a tree.

Of what the stream has: where only the message says what was seen, there are no two sides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from model.prediction.history import live_ids
from model.text.layout import file_path
from model.vocabulary.case import Case
from model.vocabulary.table import Kind
from reports.stream import Line

#: The most lines of a difference, and the most files of a tree; what is larger is not shown.
_MOST_LINES, _MOST_FILES = 60, 40


@dataclass(frozen=True)
class DiffLine:
    """``sign``: ``-`` expected and not seen, ``+`` seen and not expected, a space for both."""

    sign: str
    text: str


@dataclass(frozen=True)
class TreeLine:
    """A file or a directory. ``before``: what it was before the step; ``after``: what the step did with it; ``wrong``: what it
    had to do, if it did something else."""

    depth: int
    name: str
    before: str
    after: str
    wrong: str


def difference_of(line: Line, violation: Line) -> tuple[DiffLine, ...]:
    """The actions, or the rows, that were expected in the step against those that were seen; empty where one is not known."""
    expectation, step = violation["expectation"], _step(line, violation["step"])
    if expectation is None or step is None:
        return ()
    known = _SIDES.get(expectation["kind"])
    sides = None if known is None else known(expectation["expects"], step)
    if sides is None or sides[0] == sides[1] or max(map(len, sides)) > _MOST_LINES:
        return ()
    return tuple(_compared(*sides))


def tree_of(case: Case, line: Line, step: int, *, anyway: bool = False) -> tuple[TreeLine, ...]:
    """The files of the case's first table as a step left them; unless ``anyway``, empty for a step that deleted none and had to
    delete none."""
    records = {record["index"]: record for record in line["steps"]}
    gone = _vanished(records.get(step))
    wrong = {
        one["expectation"]["expects"]["path"]: _MUST[one["expectation"]["kind"]]
        for one in line["violations"]
        if one["step"] == step and one["expectation"] is not None and one["expectation"]["kind"] in _MUST
    }
    states = _states(case)
    states.update({path: "beside the table's files" for path in (*gone, *wrong) if path not in states})
    if not (gone or wrong or anyway) or len(states) > _MOST_FILES:
        return ()
    earlier = {path for index, record in records.items() if index < step for path in _vanished(record)}

    def after(path: str) -> str:
        if path in gone:
            return "deleted"
        # What must be kept, and is wrong though no listing lacks it, has other bytes or times, or lay outside of the root.
        return (
            "deleted earlier"
            if path in earlier
            else "not as it was"
            if wrong.get(path) == _MUST["unchanged"]
            else "kept"
        )

    return tuple(_lines({path: (state, after(path)) for path, state in states.items()}, wrong))


#: What the kinds of expectations about a path ask for.
_MUST = {"unchanged": "must be kept", "gone": "must be deleted"}


def _step(line: Line, index: int) -> Line | None:
    return next((one for one in line["steps"] if one["index"] == index and one["observed"] is not None), None)


def _vanished(record: Line | None) -> list[str]:
    return [] if record is None or record["observed"] is None else record["observed"].get("vanished", [])


def _states(case: Case) -> dict[str, str]:
    """What each path of the first table is."""
    table = case.table
    live = set(live_ids(table))
    removed = {one.file for commit in table.commits for one in commit.removes}
    states = {
        file_path(table, file): "live" if file.id in live else "removed" if file.id in removed else "of no commit"
        for file in table.files
    }
    words = {Kind.FILE: "stray", Kind.DIRECTORY: "stray directory", Kind.LINK: "link"}
    return {**states, **{stray.path: words[stray.kind] for stray in table.stray_files}}


def _lines(leaves: Mapping[str, tuple[str, str]], wrong: Mapping[str, str]) -> Iterable[TreeLine]:
    """A line for each path in alphabetical order, and one for each directory above them."""
    above: tuple[str, ...] = ()
    for path in sorted(leaves, key=lambda path: path.split("/")):
        *directories, name = path.split("/")
        for depth, directory in enumerate(directories):
            if above[: depth + 1] != (*directories[:depth], directory):
                yield TreeLine(depth, f"{directory}/", "", "", "")
        yield TreeLine(len(directories), name, *leaves[path], wrong.get(path, ""))
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


def _removes(expects: Line, step: Line) -> _Sides | None:
    if expects.get("checkpoint"):
        return None  # the stream does not say what is in one

    def actions(paths: Iterable[str]) -> list[str]:
        return [_json({"remove": {"path": path}}) for path in sorted(paths)]

    return actions(expects["paths"]), actions(step["observed"].get("removed", ()))


def _operations(expects: Line, step: Line) -> _Sides:
    def actions(names: Iterable[str]) -> list[str]:
        return [_json({"commitInfo": {"operation": name}}) for name in names]

    return actions(expects["names"]), actions(step["observed"].get("operations", ()))


def _info(expects: Line, step: Line) -> _Sides | None:
    """A field of commitInfo, in the only commit of the step or in that with the operation."""
    commits = [one for one in step["observed"].get("commits", ()) if expects["operation"] in (None, one["operation"])]
    if len(commits) != 1:
        return None
    (commit,) = commits
    part, _, name = expects["field"].partition(".")
    members = {"operationMetrics": commit["metrics"], "operationParameters": commit["parameters"]}
    if part in members:
        seen = members[part].get(name) if name else members[part] or None
    elif part in commit["values"] or part not in commit["keys"]:
        seen = commit["values"].get(part)
    else:
        return None  # a value that differs in each run

    def action(value: Any) -> list[str]:
        return [_json({"commitInfo": {"operation": commit["operation"], expects["field"]: value}})]

    return action(expects["value"]), action(seen)


def _rows(expects: Line, step: Line) -> _Sides | None:
    if expects["of"] != "answer" or step["outcome"]["rows"] is None:
        return None
    return sorted(map(_json, expects["rows"])), sorted(map(_json, step["outcome"]["rows"]))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_SIDES: Mapping[str, Callable[[Line, Line], _Sides | None]] = {
    "removes": _removes,
    "operations": _operations,
    "info-is": _info,
    "rows-are": _rows,
}
