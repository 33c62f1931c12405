"""Faults of VACUUM on a log with checkpoints."""

from __future__ import annotations

from selfcheck.faults.fault import fault
from selfcheck.faults.logs import checkpoint_files, state_of, with_sidecars, without_removes
from selfcheck.faults.runs import done, ran
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.steps import Vacuum


def _forgotten(t: Tampering) -> list[str]:
    """The old removed files of which only a checkpoint, and the commits before it, would know."""
    known = {path for path, _ in state_of(t.before, t.root, without=["remove"]).removes}
    return [path for path in sorted(t.tombstones) if path not in known and t.ever(path) and t.modified(path) < t.cutoff]


@fault(
    "forgets-tombstones-at-a-checkpoint",
    "VACUUM does not see the tombstones in a checkpoint: their files go as if nothing had ever referred to them.",
    on=Vacuum,
    caught_by="VAC-CKPT-1A",
)
def at_a_checkpoint(t: Tampering) -> Outcome | None:
    for path in _forgotten(t) if ran(t) else []:
        t.delete(path)
    return None


@fault(
    "forgets-tombstones-of-a-pruned-log",
    "VACUUM knows of tombstones only what the commits say that are still there.",
    on=Vacuum,
    caught_by="VAC-CKPT-1B",
)
def of_a_pruned_log(t: Tampering) -> Outcome | None:
    for path in _forgotten(t) if ran(t) and 0 not in t.history else []:
        t.delete(path)
    return None


@fault(
    "checkpoint-drops-tombstones",
    "A checkpoint that VACUUM writes holds no tombstones, unexpired ones neither.",
    on=Vacuum,
    caught_by="VAC-CKPT-2",
)
def drops_tombstones(t: Tampering) -> Outcome | None:
    old = checkpoint_files(t.before)
    for version, files in checkpoint_files(t.root).items() if done(t) else ():
        if version not in old:
            for path in with_sidecars(files):
                without_removes(path)
    return None
