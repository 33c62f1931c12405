"""Faults of reading."""

from __future__ import annotations

from engines.port import Outcome
from faults.machinery.fault import fault, when
from faults.machinery.tampering import Tampering
from model.vocabulary.commands import CommandKind
from model.vocabulary.readings import Reading
from model.vocabulary.steps import Read, ReadChanges
from reference_engine.view import View


def _time_travel(t: Tampering) -> bool:
    assert isinstance(t.step, Read)
    return t.step.before_step is not None


def _fails_after_vacuum(t: Tampering) -> bool:
    return t.failed and t.runs > 0


def _old_version_fails(t: Tampering) -> bool:
    """Reading an earlier version fails after a VACUUM."""
    return _fails_after_vacuum(t) and _time_travel(t)


def _skip_missing_files(t: Tampering) -> Outcome:
    """The rows of those files of the version that are still there."""
    view = View(t.root)
    adds = view.log.snapshot(t.version).adds.values()
    vectors = {add.file: add.deletion_vector.file if add.deletion_vector else None for add in adds}
    there = [add for add in adds if all((t.root / path).is_file() for path in (add.file, vectors[add.file]) if path)]
    return t.answer(row for add in there for row in view.visible(add))


def _read_the_present(t: Tampering) -> Outcome:
    """The rows of the current version."""
    view = View(t.root)
    return t.answer(row for add in view.live.values() for row in view.visible(add))


def _read_what_was_compacted(t: Tampering) -> Outcome | None:
    """Also the rows of the files that the latest commit removed, if it only rewrote files."""
    view = View(t.root)
    version = view.log.version
    commit = view.log.commits[version]
    if not commit.removes or any(remove.data_change for remove in commit.removes):
        return None
    removed = [
        add for key, add in view.log.snapshot(version - 1).adds.items() if key not in view.log.snapshot(version).adds
    ]
    return t.answer((*t.outcome.rows, *(row for add in removed for row in view.visible(add))))


# fmt: off
FAULTS = (
    fault("read-loses-a-row", "DEL-ROW-5A VAC-SAFE-10A", when(lambda t: not _time_travel(t), Tampering.lose_first_row),
        "Reading the table misses a row.", on=Read),
    fault("reads-what-was-compacted", "READ-1A", when(lambda t: not (t.failed or _time_travel(t)), _read_what_was_compacted),
        "After an OPTIMIZE a read also returns the rows of the files that it replaced.", on=Read, needs=(CommandKind.OPTIMIZE,)),
    fault("time-travel-reads-the-present", "READ-1B DEL-TT-1", when(lambda t: not t.failed and _time_travel(t), _read_the_present),
        "Reading an earlier version returns the rows of the current version.", on=Read),
    fault("time-travel-loses-a-row", "DEL-TT-1", when(_time_travel, Tampering.lose_first_row),
        "Reading an earlier version misses a row.", on=Read),
    fault("time-travel-after-vacuum-fails", "VAC-SAFE-10C",
        when(lambda t: _time_travel(t) and t.runs > 0, lambda t: t.refuse("DELTA_FILE_NOT_FOUND")),
        "After a VACUUM earlier versions cannot be read.", on=Read),
    fault("reads-beyond-retention", "VAC-SAFE-10E", when(lambda t: t.failed, lambda t: t.answer([])),
        "A version older than the retention is read as if it were empty.", on=Read),
    fault("time-travel-skips-missing-files", "VAC-READ-1", when(_old_version_fails, _skip_missing_files),
        "Reading a version of which VACUUM deleted files leaves out their rows.", on=Read),
    fault("time-travel-falls-back-to-the-present", "VAC-READ-1", when(_old_version_fails, _read_the_present),
        "Reading a version of which VACUUM deleted files returns the rows of the current version.", on=Read),
    fault("missing-file-is-an-internal-error", "VAC-READ-2", when(_old_version_fails, lambda t: t.refuse("INTERNAL_ERROR")),
        "Reading a version of which VACUUM deleted files fails with an error that names none of them.", on=Read),
    fault("feed-skips-missing-files", "VAC-READ-3", when(_fails_after_vacuum, lambda t: t.answer([])),
        "The change feed of a version whose change files VACUUM deleted is empty.", on=ReadChanges),
    fault("missing-change-file-is-an-internal-error", "VAC-READ-4",
        when(_fails_after_vacuum, lambda t: t.refuse("INTERNAL_ERROR")),
        "The change feed of a version whose files VACUUM deleted fails with an error that names none of them.",
        on=ReadChanges),
    fault("counts-a-hidden-row", "READ-2A",
        when(lambda t: bool(t.outcome.rows), lambda t: t.answer_to(Reading.COUNT, lambda rows: ((int(str(rows[0][0])) + 1,),))),
        "The number of rows counts one that a deletion vector hides.", on=Read),
    fault("keeps-the-bounds-of-deleted-rows", "READ-2B",
        when(lambda t: bool(t.outcome.rows), lambda t: t.answer_to(Reading.BOUNDS, lambda rows: ((*rows[0][:-1], "made up"),))),
        "The greatest value of a column is answered from statistics that are not those of its rows.", on=Read),
    fault("limits-to-nothing", "READ-2C", lambda t: t.answer_to(Reading.ONE, lambda rows: ()),
        "A read with a limit of one returns no row, as the first file has none.", on=Read),
)
# fmt: on
