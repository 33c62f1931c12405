"""Faults of VACUUM on a log with checkpoints."""

from __future__ import annotations

from faults.machinery import files
from faults.machinery.documents import in_files, without
from faults.machinery.fault import vacuum_fault, when
from faults.machinery.runs import completed, full_run, full_run_fault
from faults.machinery.tampering import Tampering


def _in_checkpoints(t: Tampering) -> list[str]:
    """The removed files that only a checkpoint, and the commits before it, refer to."""
    later = [commit for version, commit in t.log.history.items() if version > t.log.newest_checkpoint]
    known = {t.log.file(remove) for commit in later for remove in commit.removes}
    return [path for path in files.tombstones(t) if path not in known]


#: The files of new checkpoints lose their removes; V2 ones in JSON have those in their sidecars.
_drop_tombstones = in_files(files.checkpoint_files, without(lambda action: "remove" in action))


# fmt: off
FAULTS = (
    full_run_fault("forgets-tombstones-at-a-checkpoint", "VAC-CKPT-1A", files.delete_old(_in_checkpoints),
        "VACUUM ignores the tombstones in a checkpoint: it deletes their files as unreferenced ones."),
    vacuum_fault("forgets-tombstones-of-a-pruned-log", "VAC-CKPT-1B",
        when(lambda t: full_run(t) and 0 not in t.log.history, files.delete_old(_in_checkpoints)),
        "VACUUM knows only the tombstones in the commits that still exist."),
    vacuum_fault("checkpoint-drops-tombstones", "VAC-CKPT-2", when(completed, _drop_tombstones),
        "A checkpoint that VACUUM writes contains no tombstones, not even unexpired ones."),
)
# fmt: on
