"""Laws on deletion vectors."""

from __future__ import annotations

from reports.laws.actions import actions_of, file_of, logical_file
from reports.laws.evidence import Evidence, Finding
from reports.laws.paths import new_files
from reports.laws.words import listed
from reports.plurals import counted
from reports.vectors import BadVector, vector_rows


def vectors_are(seen: Evidence, files: dict[str, list[int]]) -> Finding:
    wrong = []
    found = {path: add["deletionVector"] for path, add in seen.live_after.items() if add.get("deletionVector")}
    for path in sorted(found.keys() | files.keys()):
        try:
            rows = vector_rows(found[path], seen.read_bytes) if path in found else []
        except BadVector as problem:
            wrong.append(f"{path}, whose vector {problem}")
            continue
        if rows != sorted(files.get(path, [])):
            wrong.append(f"of {path} the rows {rows} instead of {sorted(files.get(path, []))}")
    if wrong:
        return False, f"after {seen.text}, the deletion vectors hide {listed(wrong)}"
    return True, f"after {seen.text}, the deletion vectors of {counted(len(found), 'live file')} hide the promised rows"


def vectors_valid(seen: Evidence) -> Finding:
    wrong, count = [], 0
    for commit in seen.commits:
        for kind in ("add", "remove"):
            for action in actions_of(commit, kind):
                if action.get("deletionVector"):
                    count += 1
                    try:
                        vector_rows(action["deletionVector"], seen.read_bytes)
                    except BadVector as problem:
                        wrong.append(f"the {kind} of {file_of(action, seen.root)}, whose vector {problem}")
    if wrong:
        return False, f"the commit of {seen.text} has {listed(wrong)}"
    return True, f"each of the {counted(count, 'deletion vector')} that {seen.text} names can be read"


def no_vector_written(seen: Evidence) -> Finding:
    adds = [add for commit in seen.commits for add in actions_of(commit, "add") if add.get("deletionVector")]
    known = {logical_file(add) for add in seen.live.values()}
    wrong = [f"a vector of {file_of(add, seen.root)}" for add in adds if logical_file(add) not in known]
    wrong += [path for path in new_files(seen) if path.endswith(".bin")]
    return not wrong, f"{seen.text} wrote {listed(wrong)}" if wrong else f"{seen.text} wrote no deletion vector"
