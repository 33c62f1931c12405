"""What a script compares after the judged step. The lines of these functions stand in its ``main`` (script_library).

Parameters have the names of variables of ``main``: ``before`` is what was on storage before the step, ``old`` the commits before
it, ``wrote`` all actions of its commits, ``answer`` and ``error`` what it returned or raised. For others, ``main`` has literals.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from engines.script_names import ROOT
from reports.counterexamples.runtime.log import at, in_path, log, name
from reports.counterexamples.runtime.storage import dated, listing
from reports.counterexamples.runtime.values import plain

# Storage --------------------------------------------------------------------------------------------------------------


def presence(path: str) -> str:
    """Whether the path is still there."""
    return "still there" if os.path.lexists(path) else "deleted"


def states() -> dict[str, str]:
    """The state of each path, with its modification time."""
    return {path: dated(os.path.join(ROOT, path)) for path in listing()}


def changed(before: dict[str, str]) -> list[str]:
    """The paths that are new, gone or changed."""
    after = {path: dated(os.path.join(ROOT, path)) for path in listing()}
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def changed_files(before: dict[str, str]) -> list[str]:
    """The files outside the log that are gone or changed."""
    after = {path: dated(os.path.join(ROOT, path)) for path in listing()}
    files = [path for path in before if before[path] != "a directory" and not path.startswith("_delta_log/")]
    return [path for path in files if after.get(path) != before[path]]


def deleted(before: dict[str, int | None]) -> list[str]:
    """The paths outside the log that are gone."""
    after = listing()
    return [path for path in before if path not in after and not path.startswith("_delta_log/")]


def deleted_files(before: dict[str, int | None]) -> list[str]:
    """The files outside the log that are gone."""
    after = listing()
    files = [path for path in before if before[path] is not None and not path.startswith("_delta_log/")]
    return [path for path in files if path not in after]


def deleted_by_vacuum(before: dict[str, int | None]) -> list[str]:
    """The paths in the table that are gone."""
    after = listing()
    paths = [path for path in before if path not in after and not path.startswith(("_delta_log/", "../"))]
    # Hadoop deletes a checksum file along with its file.
    checksums = [os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.crc") for path in paths]
    return [path for path in paths if path not in checksums]


def bytes_of(deleted: list[str], before: dict[str, int | None]) -> str:
    """How many bytes the deleted files had."""
    assert not any(os.path.islink(f"{ROOT}/{path}") for path in before), "VACUUM counts a link's target"
    return str(sum(before[path] or 0 for path in deleted))


def new_files(before: dict[str, int | None]) -> list[str]:
    """The new files outside the log, without the checksum files of Hadoop's local file system."""
    new_files = [path for path, size in listing().items() if path not in before and size is not None]
    return [path for path in new_files if not path.startswith("_delta_log/") and not path.endswith(".crc")]


def new_checkpoints(before: dict[str, int | None]) -> list[str]:
    """The Parquet files of new checkpoints."""
    new = [path for path in listing() if path not in before and path.startswith("_delta_log/")]
    new = [os.path.join(ROOT, path) for path in new if path.endswith(".parquet")]
    assert new, "the step wrote no checkpoint"
    return new


def removed_by_compaction(before: dict[str, int | None]) -> set[str]:
    """The files that the new log compactions remove."""
    new = [path for path in listing() if path not in before and path.endswith(".compacted.json")]
    assert new, "the step wrote no log compaction"
    actions = [json.loads(line) for path in new for line in Path(ROOT, path).read_text("utf-8").strip().split("\n")]
    return {name(action["remove"]) for action in actions if "remove" in action}


# The log --------------------------------------------------------------------------------------------------------------


def commits_since(old: dict[int, list[Any]]) -> dict[int, list[Any]]:
    """The new commits, by version."""
    return {version: actions for version, actions in log().items() if version > max(old)}


def all_actions(new: dict[int, list[Any]]) -> list[Any]:
    """The actions of all of the new commits."""
    return [action for actions in new.values() for action in actions]


def operations(new: dict[int, list[Any]]) -> list[tuple[int, str | None]]:
    """The operation of each new commit."""
    return [
        (version, next((action["commitInfo"].get("operation") for action in actions if "commitInfo" in action), None))
        for version, actions in new.items()
    ]


def of_users(wrote: list[Any]) -> list[Any]:
    """The actions without the domain of row tracking, which is not the user's."""
    return [action for action in wrote if at(action, "domainMetadata.domain") != "delta.rowTracking"]


def with_kinds(wrote: list[Any], kinds: list[str]) -> list[Any]:
    """The actions of these kinds."""
    return [action for action in wrote if set(kinds) & set(action)]


def of_kind(wrote: list[Any], kind: str) -> list[Any]:
    """The actions of one kind."""
    return [action[kind] for action in wrote if kind in action]


def of_file(actions: list[Any], path: str) -> list[Any]:
    """The actions of one file."""
    return [one for one in actions if name(one) == path]


def new_adds(wrote: list[Any]) -> list[Any]:
    """The adds of files that were not in the table before."""
    removed = {name(action["remove"]) for action in wrote if "remove" in action}
    return [action["add"] for action in wrote if "add" in action and name(action["add"]) not in removed]


def new_adds_by_version(new: dict[int, list[Any]], wrote: list[Any]) -> list[tuple[int, Any]]:
    """The adds of files that were not in the table before, each with its version."""
    removed = {name(action["remove"]) for action in wrote if "remove" in action}
    adds = [(version, action["add"]) for version, commit in new.items() for action in commit if "add" in action]
    return [(version, add) for version, add in adds if name(add) not in removed]


def removed_files(wrote: list[Any]) -> list[str]:
    """The files that are removed."""
    return sorted(name(action["remove"]) for action in wrote if "remove" in action)


def values(actions: list[Any], field: str) -> list[Any]:
    """A field of each action."""
    return [at(one, field) for one in actions]


def places(actions: list[Any]) -> list[str]:
    """The paths of the actions' files."""
    return [f"{ROOT}/{name(one)}" for one in actions]


def sizes(paths: list[str]) -> list[Any]:
    """The sizes of files."""
    return [os.path.getsize(path) if os.path.exists(path) else "no file" for path in paths]


def times(paths: list[str]) -> list[int]:
    """The modification times of the files that are there."""
    return [os.stat(path).st_mtime_ns // 10**6 for path in paths if os.path.exists(path)]


def directories(actions: list[Any]) -> list[dict[str, str]]:
    """The partition values in the paths of the actions' files."""
    return [in_path(name(one)) for one in actions]


def earlier_adds(old: dict[int, list[Any]]) -> dict[str, Any]:
    """The last add of each file before the step."""
    adds = [action["add"] for commit in old.values() for action in commit if "add" in action]
    return {name(one): one for one in adds}


def of_earlier_files(wrote: list[Any], earlier: dict[str, Any], kind: str) -> list[Any]:
    """The actions of a kind for files that were added before."""
    actions = [action[kind] for action in wrote if kind in action and name(action[kind]) in earlier]
    assert actions, "the log has no add of these files"
    return actions


def values_of_adds(actions: list[Any], earlier: dict[str, Any], field: str) -> list[Any]:
    """A field of the earlier add of each action's file."""
    return [at(earlier[name(one)], field) for one in actions]


def distinct(values: list[Any]) -> list[str]:
    """The different values."""
    return sorted(set(map(str, values)))


def plain_values(wrote: list[Any], kind: str, field: str) -> list[Any]:
    """A field, which is not dotted, of the actions of one kind."""
    return [action[kind].get(field) for action in wrote if kind in action]


def outside(values: list[Any], started: int, ended: int) -> list[Any]:
    """The values that are not between the start and the end of the step."""
    return [value for value in values if not (isinstance(value, int) and started <= value <= ended)]


def up_to(values: list[Any], limit: int) -> list[Any]:
    """The values that are not above the limit."""
    return [value for value in values if not isinstance(value, int) or value <= limit]


def taken_names(actions: list[Any], old: dict[int, list[Any]], before: dict[str, int | None]) -> list[str]:
    """The files of these adds whose names the log or storage had before."""
    earlier = [action for commit in old.values() for action in commit]
    known = {name(one) for action in earlier for kind, one in action.items() if kind in ("add", "remove")}
    return [name(one) for one in actions if name(one) in known or name(one) in before]


def repeated(wrote: list[Any]) -> list[str]:
    """The files with more than one add or remove, or with both for the same rows."""
    adds = [(name(action["add"]), action["add"].get("deletionVector")) for action in wrote if "add" in action]
    removed = [action["remove"] for action in wrote if "remove" in action]
    removes = [(name(remove), remove.get("deletionVector")) for remove in removed]
    found = [path for files in (adds, removes) for path, _ in files if [other for other, _ in files].count(path) > 1]
    return found + [path for path, vector in adds if (path, vector) in removes]


def not_matching(values: list[Any], pattern: str) -> list[str]:
    """The values whose JSON does not match."""
    return [text for text in map(json.dumps, values) if not re.fullmatch(pattern, text)]


def keys(actions: list[Any], field: str) -> list[list[str]]:
    """The keys of a field of each action."""
    return [sorted(one.get(field) or {}) for one in actions]


def other_keys(actions: list[Any], field: str, allowed: list[str]) -> list[str]:
    """The keys of a field of the actions that are not allowed."""
    return [key for one in actions for key in one.get(field) or {} if key not in allowed]


def misplaced(stored: list[list[str]], names: list[str], others: list[str]) -> list[str]:
    """Which of the names are missing among the columns of a file, and which of the others are there."""
    missing = [f"{column} is missing" for columns in stored for column in names if column not in columns]
    return missing + [f"{column} is there" for columns in stored for column in others if column in columns]


def unnamed(new_files: list[str], wrote: list[Any]) -> list[str]:
    """Those of the new files, apart from deletion vectors, to which no action refers."""
    referenced = {name(action[kind]) for action in wrote for kind in action if kind in ("add", "cdc")}
    return [path for path in new_files if path not in referenced and not path.endswith(".bin")]


def commit_info(wrote: list[Any]) -> Any:
    """The last commitInfo."""
    infos = [action["commitInfo"] for action in wrote if "commitInfo" in action]
    assert infos, "the step wrote no commitInfo of this operation"
    return infos[-1]


def commit_info_of(wrote: list[Any], operation: str) -> Any:
    """The last commitInfo of this operation."""
    infos = [action["commitInfo"] for action in wrote if "commitInfo" in action]
    infos = [info for info in infos if info.get("operation") == operation]
    assert infos, "the step wrote no commitInfo of this operation"
    return infos[-1]


def last_vacuum(field: str) -> Any:
    """A field of _last_vacuum_info."""
    place = Path(ROOT, "_delta_log", "_last_vacuum_info")
    return at(place.read_text("utf-8"), field) if place.exists() else "no such file"


# What the command answers ---------------------------------------------------------------------------------------------


def success(error: BaseException | None) -> str:
    """``no error``, or how the error begins."""
    return "no error" if error is None else str(error)[:500]


def condition_expected(found: str, documented: list[str]) -> str:
    """The error class that was found if it is one of these, or of a class below one; else these."""
    return found if any(f"{found}.".startswith(f"{name}.") for name in documented) else " or ".join(documented)


def listed(answer: list[Any], error: BaseException | None) -> list[str]:
    """The paths that a command answered, from the table's root."""
    assert error is None, error
    return [os.path.relpath(re.sub("^file:/*", "/", str(row[0])), ROOT) for row in answer]


def not_one_path(paths: list[str], answer: list[Any]) -> list[Any]:
    """The rows that are not one path in the table, or are repeated."""
    found: list[Any] = [path for path in paths if path == "." or path.startswith("../") or paths.count(path) > 1]
    return found + [row for row in answer if len(row) != 1]


def rows_answered(answer: list[Any], error: BaseException | None) -> list[str] | str:
    """The rows of an answer as sorted JSON, or its error."""
    return sorted(json.dumps(row, default=str) for row in answer) if error is None else str(error)[:500]


def plain_rows_answered(answer: list[Any], error: BaseException | None) -> list[str] | str:
    """The same, where values have more than one form."""
    return sorted(json.dumps(plain(row)) for row in answer) if error is None else str(error)[:500]


def rows_expected(rows: list[Any]) -> list[str]:
    """Rows of the case as sorted JSON."""
    return sorted(json.dumps(row) for row in rows)
