"""Where a command may be killed: the effects that its kind has."""

from __future__ import annotations

from model.vocabulary.steps import Crash, CrashPoint, Written

#: The effects of every DELETE that commits.
OF_COMMITS = (Crash(CrashPoint.COMMIT_WRITTEN), Crash(CrashPoint.COMMITTED), Crash(CrashPoint.CHECKSUM))

#: Those of a DELETE that writes files.
OF_FILES = (
    *(Crash(CrashPoint.FILE_CREATED, nth) for nth in range(3)),
    *(Crash(CrashPoint.FILE_CLOSED, nth, written) for nth in range(2) for written in Written),
)

#: Those of a command after which a checkpoint is due.
OF_CHECKPOINTS = (
    *(Crash(CrashPoint.CHECKPOINT, nth) for nth in range(2)),
    *(2 * (Crash(CrashPoint.POINTER_DELETED),)),
)

#: Those of a VACUUM that deletes, and of one with logging.
OF_DELETIONS = tuple(Crash(CrashPoint.DELETION, nth) for nth in range(4))
OF_VACUUMS = (
    *OF_DELETIONS,
    *(Crash(CrashPoint.START), Crash(CrashPoint.END)),
    *(Crash(point, nth) for nth in range(2) for point in (CrashPoint.COMMIT_WRITTEN, CrashPoint.CHECKSUM)),
)
