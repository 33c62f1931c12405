"""Judges a DELETE of whole files that an engine ran on a copy of the table, by the clauses of the suite that need no data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from deltalog.log import read_log
from deltalog.storage.listing import Entry
from engines.port import Outcome
from harness.judging.clause import not_applicable
from harness.judging.excusing.conditions import Circumstances
from harness.judging.excusing.excuses import Excuses
from harness.observing.steps.observation import DeleteObservation
from harness.observing.table.root_paths import relative_log, relative_snapshot
from known_faults.entries import FILES
from known_faults.known import known, known_faults_in, known_faults_of
from rehearsal.deletion import DeletePrediction
from rehearsal.reading import listed
from rehearsal.rehearsed import BrokenClause, DeleteTrial, NamedFault, Sum
from reports.document.printing import visible
from shapes.store import root_of
from suites.catalogue import CATALOGUE

#: The clauses of a DELETE of whole files that look at the log and at the listing alone.
CLAUSES = (
    *("DEL-ALL-1", "DEL-META-1", "DEL-META-2", "DEL-META-3", "DEL-NOOP-1", "DEL-PHYS-1", "DEL-PHYS-5"),
    *("DEL-INFO-1A", "DEL-INFO-1C", "DEL-INFO-3A"),
    *("DEL-REM-1A", "DEL-REM-1B", "DEL-REM-1C", "DEL-REM-1D", "DEL-REM-1F", "DEL-REM-1G", "DEL-REM-2"),
)


def listing_of(root: Path) -> dict[str, Entry]:
    """Everything below the root of a copy except the log, by path."""
    return dict(sorted(listed(root_of(str(root)).store)))


def judged(deletion: DeletePrediction, root: Path, before: Mapping[str, Entry], outcome: Outcome) -> DeleteTrial:
    """What the DELETE did to the copy at ``root``, which had the listing ``before``. Raises DeltaLogError."""
    title = deletion.release.title
    if outcome.error is not None:
        message = visible(" ".join(outcome.error.message.split()))[:300]
        return DeleteTrial(title, message, deletion.refusal is not None, Sum(), (), ())
    observation = _observed(deletion, root, before, outcome)
    live = observation.before.live
    removed = [live[path] for path in sorted(observation.removed) if path in live]
    return DeleteTrial(
        release=title,
        error=None,
        is_expected=deletion.refusal is None,
        removed=Sum(len(removed), sum(add.size for add in removed)),
        wrongly_removed=tuple(sorted(observation.removed - deletion.removed.keys())),
        broken=_broken(deletion, observation),
    )


def _observed(
    deletion: DeletePrediction, root: Path, before: Mapping[str, Entry], outcome: Outcome
) -> DeleteObservation:
    live = deletion.read.state.live
    ids = (add.deletion_vector.unique_id for add in live.values() if add.deletion_vector is not None)
    # No data is read: every file is one without readable rows, and no vector hides any.
    state = replace(
        deletion.read.state,
        listing=before,
        contents=dict.fromkeys(live),
        vectors=dict.fromkeys(ids, frozenset()),
    )
    log = read_log(root)
    after = replace(
        state,
        listing=listing_of(root),
        log=relative_log(log),
        snapshot=relative_snapshot(log.snapshot(), str(root)),
    )
    return DeleteObservation(
        table=deletion.table,
        root=str(root),
        index=0,
        step=deletion.delete,
        outcome=outcome,
        before=state,
        after=after,
        clock=outcome.started,
        start=outcome.started,
        versions={},
        expected_rows=Counter(),
        clone_rows=None,
        earlier=(),
        rules=deletion.release.rules,
    )


def _broken(deletion: DeletePrediction, observation: DeleteObservation) -> tuple[BrokenClause, ...]:
    """The first violation of each clause, for each known fault and for none."""
    release = deletion.release
    faults = known(known_faults_in(known_faults_of(release.engine), places=(FILES,)), release.version)
    excuses, circumstances = Excuses(faults), Circumstances(observation)
    found: dict[tuple[str, NamedFault | None], BrokenClause] = {}
    for id in CLAUSES:
        clause = CATALOGUE[id]
        if not_applicable(clause, release.version, release.capabilities, release.rules) is not None:
            continue
        for violation in clause.judge(observation).violations:
            excused = excuses.excuse(id, circumstances, violation)
            fault = None if excused is None else NamedFault(excused.reason, excused.link)
            found.setdefault((id, fault), BrokenClause(id, visible(violation.message), fault))
    return tuple(found.values())
