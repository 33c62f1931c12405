"""Faults of commands that are killed in the middle: what they leave, or what a later command makes of it."""

from __future__ import annotations

from functools import partial

from deltalog.storage.names import LOG_DIRECTORY
from faults.log.log_files import write_junk
from faults.machinery import actions, files
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Condition, Tamper, delete_fault, fault, vacuum_fault, when
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import CrashPoint, Delete, Read, Vacuum

_NEEDS = ("crashes",)
#: The commits that are not yet under their name.
_TEMPORARY = f"{LOG_DIRECTORY}/.*.json.*.tmp"
_START, _END = "VACUUM START", "VACUUM END"


# When -----------------------------------------------------------------------------------------------------------------


def _killed(t: Tampering) -> bool:
    return t.outcome.effects is not None


def _killed_at(*points: CrashPoint) -> Condition:
    """A DELETE or VACUUM that was killed right after one of these effects."""

    def is_killed(t: Tampering) -> bool:
        assert isinstance(t.step, (Delete, Vacuum))
        return _killed(t) and t.step.crash is not None and t.step.crash.point in points

    return is_killed


def _committed(t: Tampering) -> bool:
    return _killed(t) and bool(t.log.written)


def _has_rewritten(t: Tampering) -> bool:
    return _committed(t) and bool(actions.new_adds(t))


def _operations(t: Tampering) -> list[str]:
    return [str(info.get("operation")) for info in actions.commit_infos(t)]


def _is_logged(t: Tampering) -> bool:
    return t.vacuum.logging is not False


def _deletes(t: Tampering) -> bool:
    """A VACUUM that was killed between START and END."""
    return _killed(t) and _operations(t) == [_START]


def _after_a_crash(t: Tampering) -> bool:
    """Whether the last VACUUM before the step has no END, or a writer has left its temporary commit."""
    infos = [commit.info.fields.get("operation") for _, commit in sorted(t.log.history.items()) if commit.info]
    operations = [one for one in infos if one in (_START, _END)]
    return operations[-1:] == [_START] or any(t.root.glob(_TEMPORARY))


# What -----------------------------------------------------------------------------------------------------------------


def _tear_the_commit(t: Tampering) -> None:
    """Half of the commit is there under its name, as an engine leaves it that writes it in place."""
    (temporary,) = (t.root / path for path in t.disk.new(_TEMPORARY, dots=True))
    data = temporary.read_bytes()
    (t.root / LOG_DIRECTORY / temporary.name[1:26]).write_bytes(data[: len(data) // 2])


def _lose_a_new_file(t: Tampering) -> None:
    """The first file of the commit is not there, as an engine leaves it that commits before it writes."""
    for path in actions.first_new_file(t):
        drop_checksum(t.root / path)
        t.disk.delete(path)


def _commit_removes_only(t: Tampering) -> None:
    version, found = max(t.log.written.items())
    t.log.rewrite(version, [action for action in found if "add" not in action])


def _forget_the_last_remove(t: Tampering) -> None:
    if len(t.log.removed) > 1:
        actions.drop_last_remove(t)


_overwrite_a_file = files.in_each(lambda t: files.live(t)[:1], files.with_bytes(lambda _: b"PAR1"))
_cut_the_checkpoint = files.in_each(files.new(f"{LOG_DIRECTORY}/*.checkpoint*"), files.cut_off)


def _log(operation: str) -> Tamper:
    """Commit one more version with this operation."""
    return lambda t: t.log.commit(t.clock, operation=operation, operationParameters={"status": "COMPLETED"})


def _old_orphans(t: Tampering) -> list[str]:
    return [path for path in files.unreferenced(t) if t.old(path)]


def _left_by_a_crash(t: Tampering) -> list[str]:
    """The files without an action that an engine has written."""
    return [
        path for path in files.unreferenced(t) if path.rpartition("/")[2].startswith(("part-", "cdc-", "deletion_"))
    ]


_fault = partial(delete_fault, needs=_NEEDS)
_vacuum_fault = partial(vacuum_fault, needs=_NEEDS)

# fmt: off
FAULTS = (
    # DELETE
    _fault("crash-tears-the-commit", "CRASH-1A", when(_killed_at(CrashPoint.COMMIT_WRITTEN), _tear_the_commit),
        "A DELETE that is killed while it writes its commit leaves half of it under the commit's name."),
    _fault("crash-commits-before-it-writes", "CRASH-1A CRASH-1D", when(_has_rewritten, _lose_a_new_file),
        "A DELETE commits before it writes its files, so that killed in between it leaves a table without one."),
    _fault("crash-removes-before-it-adds", "CRASH-1A CRASH-1D", when(_has_rewritten, _commit_removes_only),
        "A DELETE commits its removes before its adds, so that killed in between it has lost the rows that must stay."),
    _fault("crash-commits-some-removes-later", "CRASH-1D", when(_committed, _forget_the_last_remove),
        "A DELETE commits the remove of its last file separately, so that killed in between it has deleted half."),
    _fault("crash-overwrites-in-place", "CRASH-1B",
        when(_killed_at(CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED, CrashPoint.COMMITTED), _overwrite_a_file),
        "A DELETE rewrites a file under its old name, so that killed in between it leaves half of it."),
    _fault("crash-loses-an-earlier-file", "CRASH-1B CRASH-1E", when(_killed, files.delete_all(files.tombstones)),
        "A DELETE that is killed has deleted the files that earlier steps removed, and time travel reads."),
    _fault("crash-loses-an-earlier-version", "CRASH-1E CRASH-1B", when(_killed, files.delete_first(files.live)),
        "A DELETE that is killed has deleted the bytes of a file that every earlier version has."),
    _fault("crash-leaves-junk-in-the-log", "CRASH-1C", when(_killed, write_junk),
        "A DELETE that is killed leaves a file in the log that is no part of it, and not temporary by its name."),
    _fault("crash-leaves-half-a-checkpoint", "CRASH-1D",
        when(_killed_at(CrashPoint.CHECKPOINT, CrashPoint.POINTER_DELETED), _cut_the_checkpoint),
        "A DELETE that is killed while it writes a checkpoint leaves half of it under the checkpoint's name."),
    _fault("crash-hides-what-it-leaves", "CRASH-1F", when(_killed, files.write("_temporary/part-0.parquet")),
        "A DELETE that is killed leaves a file in a hidden directory, where no VACUUM finds it."),
    # VACUUM
    _vacuum_fault("crash-of-vacuum-loses-a-live-file", "CRASH-2A CRASH-2B", when(_killed, files.delete_first(files.live)),
        "A VACUUM deletes live files too, and puts them back at its end."),
    _vacuum_fault("crash-of-vacuum-loses-earlier-versions", "CRASH-2E CRASH-2B",
        when(_killed, files.delete_all(lambda t: [path for path in files.tombstones(t) if t.log.tombstones[path] > t.cutoff])),
        "A VACUUM that is killed has deleted removed files inside the retention."),
    _vacuum_fault("crash-of-vacuum-leaves-junk-in-the-log", "CRASH-2C", when(_killed, write_junk),
        "A VACUUM that is killed leaves a file in the log that is no part of it."),
    _vacuum_fault("crash-of-vacuum-commits-another-version", "CRASH-2D", when(_deletes, _log(_START)),
        "A VACUUM that is killed has committed START twice."),
    _vacuum_fault("crash-of-vacuum-writes-files", "CRASH-2F", when(_killed, files.write("part-0.parquet")),
        "A VACUUM that is killed has written a file outside the log."),
    _vacuum_fault("crash-of-vacuum-ends-before-it-deletes", "CRASH-2G",
        when(lambda t: _deletes(t) and not t.disk.deleted, _log(_END)),
        "A VACUUM commits END before it deletes."),
    _vacuum_fault("crash-of-vacuum-deletes-before-start", "CRASH-2G",
        when(lambda t: _killed(t) and _is_logged(t) and not _operations(t), files.delete_first(_old_orphans)),
        "A VACUUM deletes before it commits START."),
    # afterwards
    fault("reads-less-after-a-crash", "CRASH-3", lambda t: t.lose_first_row() if _after_a_crash(t) and not t.failed else None,
        "While the log has a temporary commit, or a START without END, the engine reads a row less.", on=Read, needs=_NEEDS),
    _vacuum_fault("vacuum-starts-over-with-live-files", "VAC-SAFE-1",
        lambda t: None if _killed(t) or t.failed or not _after_a_crash(t) else files.delete_first(files.live)(t),
        "A VACUUM after one that was killed deletes a live file."),
    _vacuum_fault("vacuum-keeps-what-a-crash-left", "VAC-LIVE-2",
        lambda t: None if _killed(t) or t.failed else files.restore_all(_left_by_a_crash)(t),
        "A VACUUM keeps the files that a DELETE has written which was killed before it committed."),
)
# fmt: on
