"""Runs the user's DELETE and VACUUM with real engines, on copies of the table: a case whose table was read, judged by the suite's
own clauses. Clauses that need data judge nothing, as a copy has stand-ins for its data files.

Each release runs in another process and environment. If the user names a time, all times of the copy are moved by the
difference to now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from deltalog.errors import DeltaLogError
from deltalog.storage.listing import EntryKind
from engines.port import Engine, EngineDied
from engines.wrapped import WrappedEngine
from harness.judging.clause import not_applicable
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.judging.step_judge import Tally
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.case_run import CaseRun
from harness.running.initial_tables import StandIns
from known_faults.entries import FILES
from model.vocabulary.rules import Rules
from model.vocabulary.steps import Moment, SetClock
from records.mistakes import UsageMistake
from records.run import RecordedViolation
from rehearsal.deletion import DeletePrediction
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, copy_newest_checkpoint
from rehearsal.rehearsed import Announced, Broken, NamedFault, Sum, Trial, sum_of
from rehearsal.releases import Release, listed
from rehearsal.stand_ins import make, require_copyable
from reports.document.printing import visible
from runner.gate_version import available, python_of
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from suites.catalogue import CATALOGUE


@dataclass(frozen=True)
class Asked:
    """A DELETE, a VACUUM, or one after the other, by one release."""

    release: Release
    deletion: DeletePrediction | None
    vacuum: Prediction | None


def tried(read: ReadTable, asked: Sequence[Asked], *, later: int | None) -> tuple[tuple[Trial, ...], tuple[Trial, ...]]:
    """The trials of the DELETE and those of the VACUUM; none of these if a DELETE before it went wrong. ``later``: how many ms
    after now the VACUUM runs; None: now. Raises UsageMistake and EngineUnavailable, with the remedy.
    """
    require_copyable(read)
    pythons = [python_of(available(one.release.named)) for one in asked]
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        copy_newest_checkpoint(read)
        found = []
        for number, (one, python) in enumerate(zip(asked, pythons, strict=True)):
            title = one.release.title
            print(f"Running {title} on a copy of the table, with stand-ins for its data files.", flush=True)
            engine = HostedEngine(python, one.release.engine, workspace.directory, workspace.started)
            try:
                found.append(trials_of(engine, read, one, workspace.directory / f"{number}" / "table", later=later))
            except (EngineDied, OSError, DeltaLogError) as error:
                raise UsageMistake(f"{title} could not be run on a copy: {' '.join(str(error).split())}.") from None
            finally:
                engine.close()
    deletes, vacuums = (tuple(one for one in each if one is not None) for each in zip(*found, strict=True))
    return deletes, vacuums if all(one.agrees for one in deletes) else ()


class _AsReleased(WrappedEngine):
    """An engine with the rules of its release on the user's table."""

    def __init__(self, engine: Engine, rules: Rules) -> None:
        super().__init__(engine)
        self._rules = rules

    @property
    def rules(self) -> Rules:
        return self._rules


def run_of(
    engine: Engine, read: ReadTable, release: Release, root: Path, copy: Callable[[ReadTable, Path], None] = make
) -> CaseRun:
    """A case on a copy of the table, which is made at ``root``. Raises OSError and DeltaLogError."""
    clauses = tuple(
        one
        for one in CATALOGUE.values()
        if not_applicable(one, release.version, release.capabilities, release.rules) is None
    )
    side = Side(_AsReleased(engine, release.rules), clauses, Excuses(listed(release, FILES)))
    return CaseRun(side, StandIns(read.table, partial(copy, read)), root)


def vacuumed(run: CaseRun, vacuum: Prediction, *, later: int | None, dry: Sequence[bool]) -> None:
    """Take the VACUUM as often as ``dry`` says whether it is a DRY RUN. ``later``: as of ``tried``. Raises EngineDied."""
    if later is not None:
        run.take(SetClock(Moment(later)))
    for each in dry:
        run.take(replace(vacuum.vacuum, dry_run=each))


def trials_of(
    engine: Engine, read: ReadTable, asked: Asked, root: Path, *, later: int | None
) -> tuple[Trial | None, Trial | None]:
    """What the engine does to a copy, which is made at ``root`` and stays there: the DELETE, then the VACUUM as a DRY RUN, and
    really. No VACUUM if the DELETE went wrong. ``later``: as of ``tried``. Raises EngineDied, OSError, DeltaLogError and
    UsageMistake.
    """
    run, release, vacuum = run_of(engine, read, asked.release, root), asked.release, asked.vacuum
    deleted = None
    if asked.deletion is not None:
        run.take(asked.deletion.delete)
        deleted = _trial(run, run.observations, release, asked.deletion.refusal)
    if vacuum is None or (deleted is not None and not deleted.agrees):
        return deleted, None
    first = len(run.observations)
    vacuumed(run, vacuum, later=later, dry=(True,) if vacuum.vacuum.dry_run else (True, False))
    return deleted, _trial(run, run.observations[first:], release, vacuum.refusal)


def _trial(run: CaseRun, observations: Sequence[Observation], release: Release, refusal: str | None) -> Trial:
    """What these steps did, of which the last one counts. ``refusal``: why the model says that they are refused."""
    if run.failure is not None:
        raise UsageMistake(
            f"What {release.title} did to a copy cannot be judged: {visible(run.failure.message).rstrip('.')}. Add --model-only."
        )
    last = observations[-1]
    error = last.outcome.error
    is_expected = (error is not None) == (refusal is not None)
    indexes = {one.index for one in observations}
    links = {one.reason: one.link for one in listed(release, FILES)}
    broken = _broken(run.tallies.items(), indexes, links, but_errors=refusal is not None)
    return Trial(
        release=release.title,
        error=None if error is None else visible(" ".join(error.message.split()))[:300],
        is_expected=is_expected,
        gone=_gone(last),
        broken=tuple(sorted(broken, key=lambda one: (not one.counts, one.severity.rank))),
        announced=_announced(observations) if error is None else None,
    )


def _gone(step: Observation) -> Sum:
    """The files that a VACUUM deleted, or that a DELETE removed from the table."""
    if isinstance(step, DeleteObservation):
        return sum_of(add.size for path, add in step.before.live.items() if path in step.removed)
    return sum_of(step.before.listing[path].size for path in _files(step, step.vanished))


def _files(step: Observation, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if step.before.listing[path].kind is not EntryKind.DIRECTORY]


def _announced(observations: Sequence[Observation]) -> Announced | None:
    """How the listing of the DRY RUN, which came first, compares with what the run after it deleted, if there is one."""
    dry, run = observations[0], observations[-1]
    if not isinstance(dry, VacuumObservation):
        return None
    paths, there = dry.listed, dry.before.listing.keys()
    files = frozenset(_files(dry, paths & there))
    gone = files if run is dry else run.vanished
    unlisted = _files(run, gone - paths)
    return Announced(
        listed=len(dry.outcome.rows),
        absent=len(paths - there),
        directories=len(paths & there) - len(files),
        stayed=len(files - gone),
        unlisted=len(unlisted),
        checksums=sum(path.endswith(".crc") for path in unlisted),
    )


def _broken(
    tallies: Iterable[tuple[str, Tally]], steps: set[int], links: Mapping[str, str], *, but_errors: bool
) -> Iterator[Broken]:
    """The violations in these steps: those of a clause with one cause are one, and so are those of several clauses that begin
    with the same subject.
    """
    alike: dict[tuple[str, str, str | None], list[RecordedViolation]] = {}
    counts: Counter[tuple[str, str, str | None]] = Counter()
    for id, tally in tallies:
        counts.update({(id, *key): count for key, count in tally.counts.items()})
        for one in tally.violations:
            if one.step in steps and not (but_errors and one.by_error):
                alike.setdefault((id, one.cause, one.excused), []).append(one)
    found: dict[tuple[str | None, ...], Broken] = {}
    for (id, cause, excused), own in alike.items():
        first = own[0]
        assert first.severity is not None, "the judge says it"
        fault = None if excused is None else NamedFault(excused, links[excused])
        subjects = tuple(one.subject for one in own if one.subject is not None)
        message, count = visible(first.message), counts[id, cause, excused]
        made = Broken((), first.severity, cause, message, count, subjects, fault)
        known = found.setdefault((cause, excused, first.subject), made)
        found[cause, excused, first.subject] = replace(known, clauses=(*known.clauses, id))
    yield from found.values()
