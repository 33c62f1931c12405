"""Faults of DELETE."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from datetime import date
from typing import Any

import pyarrow as pa

from engines.port import Outcome
from faults.machinery import actions, files
from faults.machinery.actions import add_fault, every, first, info_fault, remove_fault
from faults.machinery.fault import Tamper, committed, delete_fault, when
from faults.machinery.members import JsonAction, becomes, drop, put, raised
from faults.machinery.rows import change_rows, replace_rows, rows_before, rows_of
from faults.machinery.tampering import Tampering
from faults.vacuum.modes import delete_empty
from model.semantics.evaluate import evaluate_avoiding_errors
from model.vocabulary.predicate import In, leaves
from model.vocabulary.table import HOUR
from model.vocabulary.values import Type, Value

# The condition --------------------------------------------------------------------------------------------------------


def is_plain(t: Tampering) -> bool:
    """Whether files hold rows as in the schema: no column mapping, no deletion vectors, and types that JSON has."""
    simple = {"string", "integer", "long", "boolean", "date"}
    vectors = any("deletionVector" in add for add in (*t.log.live.values(), *t.log.actions("add")))
    return not t.log.maps_columns and not vectors and all(str(kind) in simple for kind in t.log.types.values())


def full_row(t: Tampering, add: JsonAction, stored: dict[str, Any]) -> dict[str, Value]:
    """A stored row with its file's partition values, by column."""
    row: dict[str, Value] = dict(stored)
    for name in t.log.partition_by:
        text = add["partitionValues"].get(name)
        row[name] = text if text is None else _typed(text, t.log.types[name])
    return row


def _typed(text: str, type: str) -> Value:
    if type == "string":
        return text
    if type == "boolean":
        return text == "true"
    return date.fromisoformat(text) if type == "date" else int(text)


def matches_row(t: Tampering, row: dict[str, Value]) -> bool | None:
    """The condition's value for a row; if it fails, the value for an engine that skips the failing part."""
    assert t.delete.where is not None
    types = {name: Type(kind) for name, kind in t.log.types.items()}
    return evaluate_avoiding_errors(t.delete.where, row, types=types, zone=t.delete.zone)


def _keep_a_match(t: Tampering) -> None:
    for add in actions.new_adds(t) if is_plain(t) and t.delete.where is not None else []:
        for path, old in t.log.removed_adds.items():
            if old["partitionValues"] != add["partitionValues"]:
                continue
            for stored in rows_before(t, path).to_pylist():
                row = full_row(t, old, stored)
                if matches_row(t, row):
                    new = rows_of(t, add)
                    replace_rows(t, add, pa.concat_tables([new, pa.Table.from_pylist([row], schema=new.schema)]))
                    return


def _has_long_list(t: Tampering) -> bool:
    tests = leaves(t.delete.where) if t.delete.where is not None else ()
    return any(isinstance(test, In) and len(test.values) > 100 for test in tests)


def _has_local_bounds(t: Tampering) -> bool:
    """Whether a removed file has bounds with an offset from UTC."""
    return any(re.search(r"\d-\d\d:\d\d", add.get("stats") or "") for add in t.log.removed_adds.values())


def _delete_null_rows(t: Tampering) -> None:
    for add in actions.new_adds(t) if is_plain(t) else []:
        rows = rows_of(t, add)
        keep = [matches_row(t, full_row(t, add, stored)) is not None for stored in rows.to_pylist()]
        if not all(keep):
            replace_rows(t, add, rows.filter(pa.array(keep)))


# Files ----------------------------------------------------------------------------------------------------------------


def first_untouched(t: Tampering) -> list[str]:
    """The first live file that the step did not remove."""
    return files.untouched(t)[:1]


def _other_partitions(t: Tampering) -> list[str]:
    """The live files of partitions in which the step removed nothing."""
    touched = [add["partitionValues"] for add in t.log.removed_adds.values()]
    return [path for path in files.untouched(t) if t.log.live[path]["partitionValues"] not in touched]


def _rewrite_untouched(t: Tampering) -> None:
    for path in first_untouched(t):
        new = path.replace("part-", "part-9", 1)
        shutil.copy2(t.root / path, t.root / new)
        add = t.log.live[path]
        t.log.append(actions.removal(add, at=t.outcome.ended), {"add": {**add, "path": actions.encoded(new)}})


def _write_empty_file(t: Tampering) -> None:
    for path, old in list(t.log.removed_adds.items())[:1]:
        new = path.replace("part-", "part-8", 1)
        (t.root / new).parent.mkdir(parents=True, exist_ok=True)
        add = {key: value for key, value in old.items() if key != "deletionVector"} | {"path": actions.encoded(new)}
        t.log.written[max(t.log.written)].append({"add": add})
        replace_rows(t, add, rows_before(t, path).slice(0, 0))


def _move_out_of_the_partition(t: Tampering) -> None:
    for add in actions.new_adds(t)[:1] if t.log.partition_by and not t.log.maps_columns else []:
        path = t.root / t.log.path(add)
        path.rename(t.root / path.name)
        add["path"] = actions.encoded(path.name)
        t.log.save()


def copy_first(adds: actions.Actions, rename: Callable[[str], str]) -> Tamper:
    """Copy the file of the first of these adds within its directory."""

    def tamper(t: Tampering) -> None:
        for add in adds(t)[:1]:
            path = t.root / t.log.path(add)
            shutil.copy2(path, path.with_name(rename(path.name)))

    return tamper


# The commit -----------------------------------------------------------------------------------------------------------


def _removed_whole_files(t: Tampering) -> bool:
    """The step committed, and wrote no file."""
    return committed(t) and not t.log.actions("add")


def _removed_several(t: Tampering) -> bool:
    return _removed_whole_files(t) and len(t.log.removed) > 1


def _fail_on_unreadable_files(t: Tampering) -> Outcome | None:
    readable = all((t.root / path).read_bytes().startswith(b"PAR1") for path in t.log.removed_adds)
    if readable:
        return None
    actions.drop_last_commit(t)
    return t.refuse("FAILED_READ_FILE.NO_HINT")


def _change_partition_value(t: Tampering) -> None:
    """Give the first remove a value of the first partition column's type that no generated table has."""
    unused = {
        "date": "1999-01-01",
        "boolean": "maybe",
        "timestamp": "1999-01-01 00:00:00",
        "timestamp_ntz": "1999-01-01 00:00:00",
    }
    for remove in actions.removes(t)[:1] if t.log.partition_by else []:
        name = t.log.partition_by[0]
        remove["partitionValues"][t.log.physical_names[name]] = unused.get(str(t.log.types[name]), "77")
        t.log.save()


def _remove_twice(t: Tampering) -> None:
    for remove in actions.removes(t)[:1]:
        t.log.append({"remove": remove})


def _answer_one_more(t: Tampering) -> Outcome | None:
    return t.answer([(int(str(t.outcome.rows[0][0])) + 1,)]) if t.outcome.rows else None


# fmt: off
FAULTS = (
    delete_fault("loses-a-survivor", "DEL-ROW-3", change_rows(lambda rows: rows.slice(1)),
        "A row that does not match is lost from a rewritten file."),
    delete_fault("keeps-a-match", "DEL-ROW-3 DEL-ROW-5B", _keep_a_match,
        "A matching row is kept in a rewritten file."),
    delete_fault("cuts-a-long-list", "DEL-ROW-3 DEL-ROW-5B", when(_has_long_list, _keep_a_match),
        "A row is kept that matches a list of more than a hundred values."),
    delete_fault("skips-by-local-bounds", "DEL-ROW-1 DEL-ROW-5B", when(_has_local_bounds, actions.drop_last_remove),
        "A file is skipped whose statistics have TIMESTAMPs in another time zone than UTC."),
    delete_fault("deletes-null-rows", "DEL-ROW-3B", _delete_null_rows,
        "Rows for which the condition is NULL are deleted too."),
    delete_fault("rewrites-an-untouched-file", "DEL-ROW-1B", _rewrite_untouched,
        "A file without a matching row is rewritten under a new name."),
    delete_fault("removes-an-untouched-file", "DEL-ROW-1 DEL-META-1", actions.remove(first_untouched),
        "A file without a matching row is removed."),
    delete_fault("removes-other-partitions", "DEL-ROW-2", actions.remove(_other_partitions),
        "Where a partition condition narrows the candidates, a file of another partition is removed too."),
    delete_fault("forgets-a-partition", "DEL-META-1", when(_removed_several, actions.drop_last_remove),
        "Of several files that a partition condition matches, one is not removed."),
    delete_fault("keeps-a-file-of-the-table", "DEL-ALL-1",
        when(lambda t: t.delete.where is None and committed(t), actions.drop_last_remove),
        "DELETE without a condition does not remove the last file."),
    delete_fault("commits-nothing", "DEL-NOOP-1", when(lambda t: not committed(t) and not t.failed, actions.commit_empty),
        "A commit is written though nothing matched."),
    remove_fault("removes-without-time", "DEL-REM-1A", drop("deletionTimestamp"), "A remove has no deletionTimestamp."),
    remove_fault("removes-with-the-clock-of-the-log", "DEL-REM-1A", raised("deletionTimestamp", by=-HOUR),
        "Removes have a deletionTimestamp that is an hour early.", edit=every),
    delete_fault("removes-with-wrong-partition", "DEL-REM-1B", _change_partition_value,
        "A remove has other partition values than its add."),
    remove_fault("removes-with-wrong-size", "DEL-REM-1B", raised("size"), "A remove has another size than its add."),
    remove_fault("removes-with-null-partitions-left-out", "DEL-REM-1B DEL-REM-1C", put(partitionValues={}),
        "A remove leaves out all of its partition values, not only NULL ones.", edit=every),
    delete_fault("removes-twice", "DEL-REM-2", _remove_twice,
        "A commit removes the same file twice."),
    # A millisecond later, not earlier: an engine may stamp with the very millisecond in which the step began.
    remove_fault("stamps-removes-differently", "DEL-META-3", raised("deletionTimestamp"),
        "Removes of whole files have different deletionTimestamps.", run=_removed_several),
    delete_fault("writes-for-partitions", "DEL-META-2 DEL-ALL-1",
        when(_removed_whole_files, files.write("part-00000-empty.snappy.parquet")),
        "A DELETE of whole files writes a data file."),
    delete_fault("reads-for-partitions", "DEL-META-4", when(_removed_whole_files, _fail_on_unreadable_files),
        "A DELETE of whole files reads them, and fails where it cannot."),
    add_fault("adds-with-wrong-size", "DEL-ADD-1A", raised("size"), "An add has a size that is not its file's."),
    delete_fault("adds-in-the-wrong-place", "DEL-ADD-1B", _move_out_of_the_partition,
        "An added file lies outside its partition's directory."),
    add_fault("adds-without-a-partition-value", "DEL-ADD-1B DEL-ADD-1E", becomes("partitionValues", lambda found: dict(list(found.items())[1:])),
        "An add leaves out the value of a partition column."),
    add_fault("adds-without-data-change", "DEL-ADD-1C", put(dataChange=False), "An add has dataChange=false."),
    add_fault("adds-with-wrong-statistics", "DEL-ADD-1D", put(stats='{"numRecords": 1000}'), "An add's statistics count the wrong number of rows."),
    delete_fault("writes-where-nothing-survives", "DEL-ROW-4", when(_removed_whole_files, _write_empty_file),
        "A rewrite without rows is committed as a file."),
    delete_fault("deletes-old-bytes", "DEL-PHYS-1", files.delete_all(lambda t: t.log.removed[:1]),
        "DELETE deletes the bytes of a file that it removes."),
    delete_fault("deletes-an-earlier-file", "DEL-TT-2", when(committed, files.delete_all(files.tombstones)),
        "DELETE deletes the files that earlier steps removed, and time travel reads."),
    delete_fault("makes-a-directory", "DEL-PHYS-4", when(committed, lambda t: (t.root / "junk").mkdir()),
        "DELETE leaves an empty directory."),
    add_fault("adds-without-statistics", "DEL-ADD-1F", drop("stats"), "A new file's add has no statistics."),
    add_fault("adds-with-tags", "DEL-ADD-1G", put(tags={"x": "x"}), "A new file's add has tags."),
    remove_fault("removes-of-a-rewrite-at-two-times", "DEL-REM-1E", raised("deletionTimestamp", by=-3_600_000),
        "The removes of a DELETE that rewrites files have different times.", run=lambda t: bool(actions.new_adds(t))),
    remove_fault("removes-without-a-size", "DEL-REM-1G", drop("size", "extendedFileMetadata"),
        "Removes have neither extendedFileMetadata nor a size.", edit=every),
    remove_fault("removes-with-tags", "DEL-REM-1F", put(tags={"x": "x"}), "A remove has tags that its add lacks."),
    delete_fault("touches-a-file", "DEL-PHYS-1", when(committed, files.in_each(lambda t: t.disk.files[:1], os.utime)),
        "DELETE changes the modification time of a file that it must not touch."),
    delete_fault("deletes-empty-directories", "DEL-PHYS-5",
        when(committed, delete_empty(lambda t: list(reversed(t.disk.directories)))),
        "DELETE deletes the directories in which no file is left, hidden ones too.", needs=["directories"]),
    delete_fault("leaves-a-file-behind", "DEL-PHYS-2", copy_first(actions.new_adds, lambda name: f"part-7{name[6:]}"),
        "DELETE writes a file that no commit refers to."),
    delete_fault("breaks-the-log", "DEL-PHYS-3", files.in_each(files.commits, files.cut_off),
        "DELETE leaves a truncated commit."),
    delete_fault("commits-twice", "DEL-INFO-1A", when(committed, actions.commit_empty),
        "A DELETE writes a second, empty version."),
    info_fault("says-blind-append", "DEL-INFO-1B", put(isBlindAppend=True), "commitInfo has isBlindAppend=true.", edit=first),
    delete_fault("counts-rows-wrong", "DEL-MET-2", _answer_one_more,
        "The count that DELETE returns is one row too high."),
    delete_fault("delete-changes-the-metadata", "DEL-INFO-1C", actions.set_table_property,
        "A DELETE's commit sets a table property."),
)
# fmt: on
