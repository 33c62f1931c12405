"""When a case starts whose table is in a bucket, where a file is as old as its upload and no time can be set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engines.working_copy import WorkingCopy
from harness.tables.file_actions import absolute
from harness.tables.plan import plan_table
from model.prediction.retention import effective_retain
from model.vocabulary.rules import Rules
from model.vocabulary.steps import AddStrayFiles, Append, SetClock, Step, Vacuum
from model.vocabulary.table import Table


def start_in_bucket(copy: WorkingCopy, rules: Rules, table: Table, root: Path, steps: Sequence[Step]) -> int | None:
    """The start, in ms since the epoch, by which the first VACUUM's cutoff lies between the files of the table that are older
    and those that are younger: the older ones are uploaded, and the cutoff is the server's next second. None: the case starts
    now, as the cutoff does not depend on the start, or no file is older.
    """
    cutoff = first_cutoff(rules, table, steps)
    if cutoff is None:
        return None
    plan = plan_table(table, root, start=0, uris=rules.file_uris)
    early = {absolute(root, file.path): file.content for file in plan.files if file.modified < cutoff}
    second = copy.put_early(root.parent, early)
    return None if second is None else second - cutoff


def first_cutoff(rules: Rules, table: Table, steps: Sequence[Step]) -> int | None:
    """The cutoff of a VACUUM that is the engine's first step, in ms after the start.

    None if another step comes first, as what it writes has the wall clock's time, or if the engine takes the time for its
    cutoff from the wall clock too.
    """
    clock = 0
    for step in steps:
        if isinstance(step, SetClock) and step.to.removed_by_step is None:
            clock = step.to.offset
        elif isinstance(step, Vacuum):
            waits = rules.own_clock and effective_retain(step.retain_hours, rules.retain) is None
            return clock - table.retention if waits else None
        elif not isinstance(step, (AddStrayFiles, Append)):
            return None
    return None
