"""Faults of VACUUM on a log with checkpoints."""

from __future__ import annotations

from selfcheck.faults import files
from selfcheck.faults.fault import vacuum_fault, when
from selfcheck.faults.logs import checkpoint_files, drop_removes, state_of, with_sidecars
from selfcheck.faults.runs import completed, full_run, full_run_fault
from selfcheck.faults.tampering import Tampering


def _in_checkpoints(t: Tampering) -> list[str]:
    """The removed files that only a checkpoint, and the commits before it, refer to."""
    known = {path for path, _ in state_of(t.before, t.root, without=["remove"]).removes}
    return [path for path in files.tombstones(t) if path not in known]


def _drop_tombstones(t: Tampering) -> None:
    old = checkpoint_files(t.before)
    for version, paths in checkpoint_files(t.root).items():
        if version not in old:
            for path in with_sidecars(paths):
                drop_removes(path)


# fmt: off
FAULTS = (
    full_run_fault("forgets-tombstones-at-a-checkpoint", "VAC-CKPT-1A", files.delete_old(_in_checkpoints),
        "VACUUM ignores the tombstones in a checkpoint: it deletes their files as unreferenced ones."),
    vacuum_fault("forgets-tombstones-of-a-pruned-log", "VAC-CKPT-1B",
        when(lambda t: full_run(t) and 0 not in t.log.history, files.delete_old(_in_checkpoints)),
        "VACUUM knows only the tombstones in the commits that still exist."),
    vacuum_fault("checkpoint-drops-tombstones", "VAC-CKPT-2", when(completed, _drop_tombstones),
        "A checkpoint that VACUUM writes holds no tombstones, not even unexpired ones."),
)
# fmt: on
