"""Faults of DELETE."""

from __future__ import annotations

import os
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from selfcheck.faults.fault import fault
from selfcheck.faults.logs import Action
from selfcheck.faults.tampering import Tampering, encoded, removal, without
from engines.port import Outcome
from model.evaluate import WouldFail, evaluate
from model.steps import Delete
from model.values import Type, Value


def _full_row(t: Tampering, add: Action, stored: dict[str, Any]) -> dict[str, Value]:
    """A stored row with its file's partition values, by column."""
    row: dict[str, Value] = dict(stored)
    for name in t.partition_by:
        text = add["partitionValues"].get(name)
        row[name] = text if text is None or t.types[name] == "string" else _typed(text, t.types[name])
    return row


def _typed(text: str, type: str) -> Value:
    if type == "boolean":
        return text == "true"
    return date.fromisoformat(text) if type == "date" else int(text)


def _truth(t: Tampering, row: dict[str, Value]) -> bool | None:
    """What the condition says of a row; where it is an error, what an engine finds that does not come upon it."""
    assert isinstance(t.step, Delete) and t.step.where is not None
    types = {name: Type(kind) for name, kind in t.types.items()}
    try:
        return evaluate(t.step.where, row, types=types, zone=t.step.zone)
    except WouldFail as failure:
        return failure.otherwise


@fault("loses-a-survivor", "A row that does not match is lost from a rewritten file.", on=Delete, caught_by="DEL-ROW-3")
def loses_a_survivor(t: Tampering) -> Outcome | None:
    for add in t.new_adds:
        rows = t.rows(t.path(add))
        if rows.num_rows:
            t.replace_rows(add, rows.slice(1))
            return None
    return None


@fault("keeps-a-match", "A matching row is kept in a rewritten file.", on=Delete, caught_by="DEL-ROW-3 DEL-ROW-5B")
def keeps_a_match(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Delete)
    where = t.step.where
    for add in t.new_adds if t.is_plain else []:
        for remove in t.actions("remove"):
            path = t.path(remove)
            old = t.live[path]
            if old["partitionValues"] != add["partitionValues"] or where is None:
                continue
            for stored in t.rows(path, before=True).to_pylist():
                row = _full_row(t, old, stored)
                if _truth(t, row):
                    new = t.rows(t.path(add))
                    t.replace_rows(add, pa.concat_tables([new, pa.Table.from_pylist([row], schema=new.schema)]))
                    return None
    return None


@fault("deletes-null-rows", "Rows for which the condition is NULL are deleted too.", on=Delete, caught_by="DEL-ROW-3B")
def deletes_null_rows(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Delete)
    for add in t.new_adds if t.is_plain else []:
        rows = t.rows(t.path(add))
        where = t.step.where
        assert where is not None
        keep = [_truth(t, _full_row(t, add, stored)) is not None for stored in rows.to_pylist()]
        if not all(keep):
            t.replace_rows(add, rows.filter(pa.array(keep)))
    return None


@fault(
    "rewrites-an-untouched-file",
    "A file without a matching row is rewritten under a new name.",
    on=Delete,
    caught_by="DEL-ROW-1B",
)
def rewrites_an_untouched_file(t: Tampering) -> Outcome | None:
    if not t.written or not t.untouched():
        return None
    path = t.untouched()[0]
    new = path.replace("part-", "part-9", 1)
    shutil.copy2(t.root / path, t.root / new)
    version, actions = max(t.written.items())
    t.rewrite(
        version,
        [*actions, removal(t.live[path], deleted=t.outcome.ended), {"add": {**t.live[path], "path": encoded(new)}}],
    )
    return None


@fault(
    "removes-an-untouched-file",
    "A file without a matching row is removed.",
    on=Delete,
    caught_by="DEL-ROW-1 DEL-META-1",
)
def removes_an_untouched_file(t: Tampering) -> Outcome | None:
    if t.written and t.untouched():
        version, actions = max(t.written.items())
        t.rewrite(version, [*actions, removal(t.live[t.untouched()[0]], deleted=t.outcome.ended)])
    return None


@fault(
    "removes-other-partitions",
    "Where a partition condition narrows the candidates, a file of another partition is removed too.",
    on=Delete,
    caught_by="DEL-ROW-2",
)
def removes_other_partitions(t: Tampering) -> Outcome | None:
    if not t.written:
        return None
    touched = [dict(t.live[t.path(remove)]["partitionValues"]) for remove in t.actions("remove")]
    others = [path for path in t.untouched() if t.live[path]["partitionValues"] not in touched]
    if others:
        version, actions = max(t.written.items())
        t.rewrite(version, [*actions, *(removal(t.live[path], deleted=t.outcome.ended) for path in others)])
    return None


@fault(
    "forgets-a-partition",
    "Of several files that a partition condition matches, one stays.",
    on=Delete,
    caught_by="DEL-META-1",
)
def forgets_a_partition(t: Tampering) -> Outcome | None:
    if t.actions("add") or len(t.actions("remove")) < 2:
        return None
    version, actions = max(t.written.items())
    last = max(place for place, action in enumerate(actions) if "remove" in action)
    t.rewrite(version, actions[:last] + actions[last + 1 :])
    return None


@fault("keeps-a-file-of-the-table", "DELETE without a condition leaves a file.", on=Delete, caught_by="DEL-ALL-1")
def keeps_a_file_of_the_table(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Delete)
    if t.step.where is None and t.written:
        version, actions = max(t.written.items())
        last = max(place for place, action in enumerate(actions) if "remove" in action)
        t.rewrite(version, actions[:last] + actions[last + 1 :])
    return None


@fault("commits-nothing", "A commit is written though nothing matched.", on=Delete, caught_by="DEL-NOOP-1")
def commits_nothing(t: Tampering) -> Outcome | None:
    if not t.written and not t.outcome.error:
        t.commit([])
    return None


@fault("removes-without-time", "A remove has no deletionTimestamp.", on=Delete, caught_by="DEL-REM-1A")
def removes_without_time(t: Tampering) -> Outcome | None:
    t.change_first(t.actions("remove"), lambda remove: remove.pop("deletionTimestamp"))
    return None


@fault("removes-with-the-clock-of-the-log", "Removes are stamped an hour early.", on=Delete, caught_by="DEL-REM-1A")
def removes_an_hour_early(t: Tampering) -> Outcome | None:
    t.edit(lambda remove: remove.update(deletionTimestamp=remove["deletionTimestamp"] - 3_600_000), "remove")
    return None


def _another(t: Tampering) -> str:
    """A value of the first partition column's type that no table of ours has."""
    kind = str(t.types[t.partition_by[0]])
    others = {
        "date": "1999-01-01",
        "boolean": "maybe",
        "timestamp": "1999-01-01 00:00:00",
        "timestamp_ntz": "1999-01-01 00:00:00",
    }
    return others.get(kind, "77")


@fault(
    "removes-with-wrong-partition",
    "A remove has other partition values than its add.",
    on=Delete,
    caught_by="DEL-REM-1B",
)
def removes_with_wrong_partition(t: Tampering) -> Outcome | None:
    if t.partition_by:
        name = t.physical_names()[t.partition_by[0]]
        t.change_first(t.actions("remove"), lambda remove: remove["partitionValues"].update({name: _another(t)}))
    return None


@fault("removes-with-wrong-size", "A remove has another size than its add.", on=Delete, caught_by="DEL-REM-1B")
def removes_with_wrong_size(t: Tampering) -> Outcome | None:
    t.change_first(t.actions("remove"), lambda remove: remove.update(size=remove["size"] + 1))
    return None


@fault(
    "removes-with-null-partitions-left-out",
    "A remove leaves out its NULL partition values, and more: all of them.",
    on=Delete,
    caught_by="DEL-REM-1B DEL-REM-1C",
)
def removes_without_partitions(t: Tampering) -> Outcome | None:
    t.edit(lambda remove: remove.update(partitionValues={}), "remove")
    return None


@fault("removes-twice", "A commit removes the same file twice.", on=Delete, caught_by="DEL-REM-2")
def removes_twice(t: Tampering) -> Outcome | None:
    if t.actions("remove"):
        version, actions = max(t.written.items())
        t.rewrite(version, [*actions, next(action for action in actions if "remove" in action)])
    return None


@fault(
    "stamps-removes-differently",
    "Removes of whole files carry different deletionTimestamps.",
    on=Delete,
    caught_by="DEL-META-3",
)
def stamps_differently(t: Tampering) -> Outcome | None:
    if not t.actions("add") and len(t.actions("remove")) > 1:
        # Not the time at which the step began: it may be the very millisecond of the others.
        t.change_first(
            t.actions("remove"), lambda remove: remove.update(deletionTimestamp=remove["deletionTimestamp"] - 1)
        )
    return None


@fault(
    "writes-for-partitions", "A DELETE of whole files writes a data file.", on=Delete, caught_by="DEL-META-2 DEL-ALL-1"
)
def writes_for_partitions(t: Tampering) -> Outcome | None:
    if t.written and not t.actions("add"):
        (t.root / "part-00000-empty.snappy.parquet").write_bytes(b"PAR1")
    return None


@fault("adds-with-wrong-size", "An add has a size that is not its file's.", on=Delete, caught_by="DEL-ADD-1A")
def adds_with_wrong_size(t: Tampering) -> Outcome | None:
    t.change_first(t.new_adds, lambda add: add.update(size=add["size"] + 1))
    return None


@fault(
    "adds-in-the-wrong-place",
    "An added file lies outside its partition's directory.",
    on=Delete,
    caught_by="DEL-ADD-1B",
)
def adds_in_the_wrong_place(t: Tampering) -> Outcome | None:
    if t.partition_by and t.new_adds and not t.maps_columns:
        path = t.path(t.new_adds[0])
        (t.root / path).rename(t.root / Path(path).name)
        t.change_first(t.new_adds, lambda add: add.update(path=encoded(Path(path).name)))
    return None


@fault(
    "adds-without-a-partition-value",
    "An add leaves out the value of a partition column.",
    on=Delete,
    caught_by="DEL-ADD-1B DEL-ADD-1E",
)
def adds_without_a_partition_value(t: Tampering) -> Outcome | None:
    t.change_first(t.new_adds, lambda add: add.update(partitionValues=dict(list(add["partitionValues"].items())[1:])))
    return None


@fault("adds-without-data-change", "An add says dataChange=false.", on=Delete, caught_by="DEL-ADD-1C")
def adds_without_data_change(t: Tampering) -> Outcome | None:
    t.change_first(t.new_adds, lambda add: add.update(dataChange=False))
    return None


@fault("adds-with-wrong-statistics", "An add's statistics say one row too many.", on=Delete, caught_by="DEL-ADD-1D")
def adds_with_wrong_statistics(t: Tampering) -> Outcome | None:
    t.change_first(t.new_adds, lambda add: add.update(stats='{"numRecords": 1000}'))
    return None


@fault("writes-where-nothing-survives", "An empty rewrite is committed as a file.", on=Delete, caught_by="DEL-ROW-4")
def writes_where_nothing_survives(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Delete)
    if t.written and not t.actions("add"):
        path = t.path(t.actions("remove")[0])
        old, new = t.live[path], path.replace("part-", "part-8", 1)
        rows = t.rows(path, before=True).slice(0, 0)
        (t.root / new).parent.mkdir(parents=True, exist_ok=True)
        add = {**without(old, "deletionVector"), "path": encoded(new)}
        version, actions = max(t.written.items())
        actions.append({"add": add})
        t.replace_rows(add, rows)
        t.rewrite(version, actions)
    return None


@fault("deletes-old-bytes", "DELETE deletes the bytes of a file that it removes.", on=Delete, caught_by="DEL-PHYS-1")
def deletes_old_bytes(t: Tampering) -> Outcome | None:
    for remove in t.actions("remove")[:1]:
        t.delete(t.path(remove))
    return None


@fault(
    "touches-a-file", "DELETE changes the modification time of a file that stays.", on=Delete, caught_by="DEL-PHYS-1"
)
def touches_a_file(t: Tampering) -> Outcome | None:
    for path in t.files()[:1] if t.written else []:
        os.utime(t.root / path)
    return None


@fault("leaves-a-file-behind", "DELETE writes a file that no commit refers to.", on=Delete, caught_by="DEL-PHYS-2")
def leaves_a_file_behind(t: Tampering) -> Outcome | None:
    for add in t.new_adds[:1]:
        path = t.root / t.path(add)
        shutil.copy2(path, path.with_name(f"part-7{path.name[6:]}"))
    return None


@fault("breaks-the-log", "DELETE leaves a commit that is cut off.", on=Delete, caught_by="DEL-PHYS-3")
def breaks_the_log(t: Tampering) -> Outcome | None:
    for version in t.written:
        path = t.root / "_delta_log" / f"{version:020d}.json"
        path.write_bytes(path.read_bytes()[:-20])
    return None


@fault("commits-twice", "A DELETE writes a second, empty version.", on=Delete, caught_by="DEL-INFO-1A")
def commits_twice(t: Tampering) -> Outcome | None:
    if t.written:
        t.commit([])
    return None


@fault("says-blind-append", "commitInfo calls the DELETE a blind append.", on=Delete, caught_by="DEL-INFO-1B")
def says_blind_append(t: Tampering) -> Outcome | None:
    t.change_first(t.actions("commitInfo"), lambda info: info.update(isBlindAppend=True))
    return None


@fault("counts-rows-wrong", "The DELETE's answer counts one row too many.", on=Delete, caught_by="DEL-MET-2")
def counts_rows_wrong(t: Tampering) -> Outcome | None:
    return t.answer([(int(str(t.outcome.rows[0][0])) + 1,)]) if t.outcome.rows else None


@fault("delete-changes-the-metadata", "A DELETE's commit sets a table property.", on=Delete, caught_by="DEL-INFO-1C")
def delete_changes_the_metadata(t: Tampering) -> Outcome | None:
    t.change_metadata()
    return None
