"""Faults of VACUUM."""

from __future__ import annotations

import json
import os
import shutil

from selfcheck.faults.fault import fault
from selfcheck.faults.runs import done, ran, refused_retain, step_of
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.refusals import TOO_SHORT
from model.steps import Vacuum
from model.table import DAY, WEEK
from model.vacuum import LOG_DIRECTORY, VISIBLE_PREFIXES, in_underscored_partition


@fault(
    "vacuums-a-live-file",
    "VACUUM deletes an old file that the current version refers to.",
    on=Vacuum,
    caught_by="VAC-SAFE-1",
)
def live_file(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(sorted(t.live))
    return None


@fault(
    "vacuums-inside-retention",
    "VACUUM deletes a file whose tombstone is inside retention.",
    on=Vacuum,
    caught_by="VAC-SAFE-2 VAC-SAFE-10D",
)
def retained_file(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path, deleted in sorted(t.tombstones.items()) if deleted > t.cutoff)
    return None


@fault(
    "vacuums-by-file-age",
    "VACUUM goes by a removed file's own age instead of its tombstone's.",
    on=Vacuum,
    caught_by="VAC-SAFE-2",
)
def by_file_age(t: Tampering) -> Outcome | None:
    for path in sorted(t.tombstones) if ran(t) else []:
        if t.ever(path) and t.modified(path) < t.cutoff:
            t.delete(path)
    return None


@fault(
    "vacuums-a-young-orphan",
    "VACUUM deletes an unreferenced file younger than retention.",
    on=Vacuum,
    caught_by="VAC-SAFE-3 VAC-DRY-2A",
)
def young_orphan(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(t.strangers())
    return None


@fault("vacuums-a-hidden-file", "VACUUM deletes a hidden file.", on=Vacuum, caught_by="VAC-SAFE-4")
def hidden_file(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path in t.files() if t.hidden(path))
    return None


@fault(
    "vacuums-live-under-underscore",
    "VACUUM deletes a live file in a partition directory that begins with _ or a dot.",
    on=Vacuum,
    caught_by="VAC-SAFE-5A",
)
def live_under_underscore(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path in sorted(t.live) if in_underscored_partition(path, t.partition_by))
    return None


@fault(
    "skips-underscored-partitions",
    "VACUUM takes partition directories that begin with _ or a dot for hidden.",
    on=Vacuum,
    caught_by="VAC-SAFE-5B",
)
def skips_underscored(t: Tampering) -> Outcome | None:
    for path in t.files() if ran(t) else []:
        if in_underscored_partition(path, t.partition_by) and not (t.root / path).exists():
            t.restore(path)
    return None


@fault(
    "matches-partition-names-loosely",
    "VACUUM enters a directory whose name only begins like a partition column.",
    on=Vacuum,
    caught_by="VAC-SAFE-5C",
)
def loose_names(t: Tampering) -> Outcome | None:
    columns = [column for column in t.partition_by if column.startswith(("_", "."))]
    if ran(t):
        t.delete_first(
            path
            for path in t.files()
            if t.hidden(path) and any(name.startswith(column) for name in path.split("/") for column in columns)
        )
    return None


@fault(
    "deletes-directories-recursively",
    "VACUUM deletes a directory with all that it holds.",
    on=Vacuum,
    caught_by="VAC-SAFE-6A",
)
def recursively(t: Tampering) -> Outcome | None:
    for path in t.directories() if ran(t) else []:
        if not t.hidden(path) and (t.root / path).is_dir() and any((t.root / path).iterdir()):
            shutil.rmtree(t.root / path)
            return None
    return None


@fault("empties-the-root", "VACUUM leaves the table's root empty.", on=Vacuum, caught_by="VAC-SAFE-6B")
def empties_the_root(t: Tampering) -> Outcome | None:
    if ran(t):
        shutil.rmtree(t.root)
        t.root.mkdir()
    return None


@fault("corrupts-a-live-file", "After VACUUM a live file has lost its rows.", on=Vacuum, caught_by="VAC-SAFE-10B")
def corrupts_a_live_file(t: Tampering) -> Outcome | None:
    for path in sorted(t.live) if ran(t) else []:
        rows = t.rows(path)
        if rows.num_rows:
            (t.root / path).write_bytes(b"")
            return None
    return None


@fault(
    "keeps-an-expired-file", "VACUUM leaves an old file whose tombstone is expired.", on=Vacuum, caught_by="VAC-LIVE-1"
)
def expired_file(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_first(sorted(t.tombstones))
    return None


@fault(
    "keeps-orphans",
    "VACUUM leaves old files that no action ever referred to.",
    on=Vacuum,
    caught_by="VAC-LIVE-2 VAC-DRY-2B",
)
def orphan(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_first(t.strangers())
    return None


@fault("keeps-empty-directories", "VACUUM leaves empty directories.", on=Vacuum, caught_by="VAC-LIVE-3")
def empty_directories(t: Tampering) -> Outcome | None:
    for path in t.directories() if ran(t) else []:
        t.restore(path)
    return None


@fault("hides-change-data", "VACUUM takes _change_data and _delta_index for hidden.", on=Vacuum, caught_by="VAC-LIVE-4")
def change_data(t: Tampering) -> Outcome | None:
    for path in t.files() if ran(t) else []:
        if any(name.startswith(VISIBLE_PREFIXES) for name in path.split("/")) and not (t.root / path).exists():
            t.restore(path)
    return None


@fault(
    "cutoff-early-for-tombstones",
    "A tombstone at the cutoff still protects its file.",
    on=Vacuum,
    caught_by="VAC-EDGE-1A",
)
def early_for_tombstones(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_first(path for path, deleted in sorted(t.tombstones.items()) if deleted == t.cutoff)
    return None


@fault(
    "cutoff-late-for-tombstones",
    "A tombstone one ms after the cutoff no longer protects its file.",
    on=Vacuum,
    caught_by="VAC-EDGE-1A",
)
def late_for_tombstones(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path, deleted in sorted(t.tombstones.items()) if deleted == t.cutoff + 1)
    return None


@fault(
    "cutoff-early-for-files",
    "An unreferenced file modified one ms before the cutoff stays.",
    on=Vacuum,
    caught_by="VAC-EDGE-1B",
)
def early_for_files(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_first(path for path in t.strangers() if t.modified(path) == t.cutoff - 1)
    return None


@fault("cutoff-late-for-files", "An unreferenced file modified at the cutoff goes.", on=Vacuum, caught_by="VAC-EDGE-1B")
def late_for_files(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path in t.strangers() if t.modified(path) == t.cutoff)
    return None


def to_cutoff(t: Tampering, cutoff: int) -> None:
    """Bring back what an earlier cutoff would have kept, delete what a later one would not."""
    for path in t.files():
        if t.hidden(path) or path in t.live or path in t.live_vectors:
            continue
        removed = max(t.tombstones.get(path, 0), t.vector_tombstones.get(path, 0))
        old = t.modified(path) < cutoff and removed <= cutoff
        if old:
            t.delete(path)
        elif not (t.root / path).exists():
            t.restore(path)


@fault(
    "ignores-the-tables-retention",
    "VACUUM keeps files for a week, whatever the table says.",
    on=Vacuum,
    caught_by="VAC-KEEP-1A",
)
def ignores_retention(t: Tampering) -> Outcome | None:
    if ran(t) and "delta.deletedFileRetentionDuration" in t.metadata["configuration"]:
        to_cutoff(t, t.clock - WEEK)
    return None


@fault(
    "keeps-a-day-by-default",
    "VACUUM keeps files for a day where the table says nothing.",
    on=Vacuum,
    caught_by="VAC-KEEP-1B",
)
def a_day_by_default(t: Tampering) -> Outcome | None:
    if ran(t) and "delta.deletedFileRetentionDuration" not in t.metadata["configuration"]:
        to_cutoff(t, t.clock - DAY)
    return None


@fault("checks-nothing", "A RETAIN that is too short is not refused.", on=Vacuum, caught_by="VAC-CHK-1A")
def checks_nothing(t: Tampering) -> Outcome | None:
    return t.succeed() if refused_retain(t) else None


@fault(
    "checks-always", "A RETAIN that is too short is refused though the check is off.", on=Vacuum, caught_by="VAC-CHK-1B"
)
def checks_always(t: Tampering) -> Outcome | None:
    step = step_of(t)
    return t.refuse(TOO_SHORT.condition) if step.retain_hours == 0 and not step.safety_check else None


@fault("refuses-retain", "A RETAIN of an hour or more is refused.", on=Vacuum, caught_by="VAC-CHK-1C")
def refuses_retain(t: Tampering) -> Outcome | None:
    return t.refuse(TOO_SHORT.condition) if (step_of(t).retain_hours or 0) >= 1 else None


@fault("refuses-to-run", "A plain VACUUM is refused.", on=Vacuum, caught_by="VAC-CHK-2")
def refuses_to_run(t: Tampering) -> Outcome | None:
    return t.refuse("DELTA_TABLE_ONLY_OPERATION") if step_of(t).retain_hours is None else None


@fault("dry-run-deletes", "DRY RUN deletes what it lists.", on=Vacuum, caught_by="VAC-DRY-1")
def dry_run_deletes(t: Tampering) -> Outcome | None:
    for row in t.outcome.rows if step_of(t).dry_run else ():
        t.delete(os.path.relpath(str(row[0]).removeprefix("file:"), t.root))
    return None


@fault("dry-run-lists-too-little", "DRY RUN leaves out the last path.", on=Vacuum, caught_by="VAC-DRY-2C")
def lists_too_little(t: Tampering) -> Outcome | None:
    return t.answer(t.outcome.rows[:-1]) if step_of(t).dry_run and t.outcome.rows else None


@fault("dry-run-lists-too-much", "DRY RUN lists a live file.", on=Vacuum, caught_by="VAC-DRY-2C")
def lists_too_much(t: Tampering) -> Outcome | None:
    if not step_of(t).dry_run or t.outcome.error is not None:
        return None
    return t.answer([*t.outcome.rows, *((f"file:{t.root / path}",) for path in sorted(t.live)[:1])])


@fault("starts-without-end", "VACUUM commits its START and no END.", on=Vacuum, caught_by="VAC-LOG-1A")
def starts_without_end(t: Tampering) -> Outcome | None:
    if done(t) and t.written:
        t.uncommit(max(t.written))
    return None


@fault("claims-what-it-did-not-delete", "VACUUM's END counts one file too many.", on=Vacuum, caught_by="VAC-LOG-1B")
def claims_too_much(t: Tampering) -> Outcome | None:
    def one_more(info: dict[str, object]) -> None:
        metrics = info.get("operationMetrics")
        if isinstance(metrics, dict) and "numDeletedFiles" in metrics:
            metrics["numDeletedFiles"] = str(int(metrics["numDeletedFiles"]) + 1)

    t.edit(one_more, "commitInfo")
    return None


@fault("rewrites-the-log", "VACUUM writes an older commit anew.", on=Vacuum, caught_by="VAC-LOG-1C")
def rewrites_the_log(t: Tampering) -> Outcome | None:
    if ran(t):
        path = t.root / LOG_DIRECTORY / f"{min(t.history):020d}.json"
        path.write_text(
            path.read_text(encoding="utf-8") + json.dumps({"txn": {"appId": "a", "version": 1}}) + "\n",
            encoding="utf-8",
        )
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    return None


@fault("logs-though-off", "VACUUM commits though logging is off.", on=Vacuum, caught_by="VAC-LOG-1D")
def logs_though_off(t: Tampering) -> Outcome | None:
    if step_of(t).logging is False and done(t):
        t.commit([])
    return None


@fault(
    "deletes-more-on-the-next-run",
    "A VACUUM right after another deletes a file that the first one rightly left.",
    on=Vacuum,
    caught_by="VAC-IDEM-1A",
)
def deletes_more(t: Tampering) -> Outcome | None:
    # Were the first run to leave what must go, the case would end there: what ends it must come with the second run.
    if ran(t) and t.runs:
        t.delete_first([*t.strangers(), *sorted(t.tombstones), *sorted(t.live)])
    return None


@fault(
    "never-settles", "A VACUUM after one that deleted nothing deletes something.", on=Vacuum, caught_by="VAC-IDEM-1B"
)
def never_settles(t: Tampering) -> Outcome | None:
    if ran(t) and t.settled:
        t.delete_first([*t.strangers(), *sorted(t.tombstones), *sorted(t.live)])
    return None


@fault("vacuum-changes-the-metadata", "A VACUUM's commit sets a table property.", on=Vacuum, caught_by="VAC-LOG-1E")
def vacuum_changes_the_metadata(t: Tampering) -> Outcome | None:
    if ran(t):
        t.change_metadata()
    return None


@fault(
    "vacuum-writes-a-file",
    "VACUUM leaves a file of its own in the table's directory.",
    on=Vacuum,
    caught_by="VAC-SAFE-11",
)
def vacuum_writes_a_file(t: Tampering) -> Outcome | None:
    if ran(t):
        (t.root / "vacuumed.parquet").write_bytes(b"PAR1")
    return None


@fault(
    "vacuum-truncates-what-stays",
    "VACUUM leaves a file that must stay without its bytes.",
    on=Vacuum,
    caught_by="VAC-SAFE-2 VAC-SAFE-3",
)
def truncates_what_stays(t: Tampering) -> Outcome | None:
    for path in t.files() if ran(t) else []:
        if path not in t.live and not t.hidden(path) and (t.root / path).is_file():
            (t.root / path).write_bytes(b"")
    return None
