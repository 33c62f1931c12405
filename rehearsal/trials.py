"""Runs the user's DELETE and VACUUM with real engines, on copies of the table, and holds what goes against the model.

Each release has a process and an environment of its own. If the user names a time, the copy is made older or younger by as
much as that time is from now: so it is for every engine, whether or not its clock can be set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from deltalog.shift_timestamps import shift_timestamps
from engines.kind import Version
from engines.port import EngineDied, Outcome, now
from model.prediction.fates import Fate
from records.mistakes import UsageMistake
from rehearsal.delete_trials import judged, listing_of
from rehearsal.known import KnownOfTable
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, copy_newest_checkpoint
from rehearsal.rehearsed import DeleteTrial, OtherFate, Trial
from rehearsal.releases import Release
from rehearsal.stand_ins import make, require_copyable
from rehearsal.tried import Asked, Tried
from reports.render.lines import visible
from runner.gate_version import available
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from runner.together import python_of

#: Of so many paths a known fault is looked for: those of a fault are alike.
_EXPLAINED = 100


def tried(read: ReadTable, asked: Sequence[Asked], *, later: int | None) -> Tried:
    """Each release on copies of the table as it was read. ``later``: by how many ms the time of the VACUUM is after now; None: it
    is now.

    Raises UsageMistake and EngineUnavailable, with the remedy.
    """
    require_copyable(read)
    pythons = [python_of(_version(one.release)) for one in asked]
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        copy_newest_checkpoint(read)
        found = []
        for number, (one, python) in enumerate(zip(asked, pythons, strict=True)):
            engine = HostedEngine(python, one.release.engine, workspace)
            found.append(_Trial(read, one, engine, workspace.directory / f"{number}").run(later))
    deletes = tuple(delete for delete, _ in found if delete is not None)
    vacuums = tuple(vacuum for _, vacuum in found if vacuum is not None)
    return Tried(deletes, vacuums if all(one.agrees for one in deletes) else ())


def _version(release: Release) -> Version:
    return available(release.named)


@dataclass(frozen=True)
class _Run:
    """A VACUUM of a copy: what it answered and deleted, and when it began and ended, by the time that the user asks for."""

    outcome: Outcome
    gone: frozenset[str]
    began: int
    ended: int


@dataclass(frozen=True)
class _Trial:
    """One release on copies of the table, below ``directory``."""

    read: ReadTable
    asked: Asked
    engine: HostedEngine
    directory: Path

    def run(self, later: int | None) -> tuple[DeleteTrial | None, Trial | None]:
        title = self.asked.release.title
        print(f"Running {title} on a copy of the table, with stand-ins for its data files.", flush=True)
        try:
            return self._run(later)
        except (EngineDied, OSError) as error:
            raise UsageMistake(f"{title} could not be run on a copy: {' '.join(str(error).split())}.") from None
        finally:
            self.engine.close()

    def _run(self, later: int | None) -> tuple[DeleteTrial | None, Trial | None]:
        vacuum, known = self.asked.vacuum, self.asked.known
        if vacuum is None or known is None:
            return self._deleted(self._copy("delete")), None
        root = self._copy("dry")
        deleted = self._deleted(root)
        announced = self._vacuumed(root, vacuum, dry=True, later=later)
        run = announced
        if not vacuum.vacuum.dry_run:
            root = self._copy("run")
            self._deleted(root)
            run = self._vacuumed(root, vacuum, dry=False, later=later)
        return deleted, _trial(vacuum, known, announced, run)

    def _copy(self, name: str) -> Path:
        root = self.directory / name / "table"
        make(self.read, root)
        return root

    def _deleted(self, root: Path) -> DeleteTrial | None:
        """The DELETE on a copy; None if there is none."""
        deletion = self.asked.deletion
        if deletion is None:
            return None
        before = listing_of(root)
        outcome = self.engine.run(root, deletion.delete, clock=now(), version=None)
        return judged(deletion, root, before, outcome)

    def _vacuumed(self, root: Path, prediction: Prediction, *, dry: bool, later: int | None) -> _Run:
        if later is not None:
            shift_timestamps(root, by=later)
        began = now()
        outcome = self.engine.run(root, replace(prediction.vacuum, dry_run=dry), clock=began, version=None)
        offset = later or 0
        gone = frozenset(self.read.state.listing.keys() - listing_of(root).keys())
        return _Run(outcome, gone, began + offset, outcome.ended + offset)


def _trial(prediction: Prediction, known: KnownOfTable, announced: _Run, run: _Run) -> Trial:
    """What a VACUUM did, after the DRY RUN of it."""
    if run.outcome.error is not None:
        return replace(_of_refusal(prediction, run), fault=known.of_error(run.outcome))
    differing = () if prediction.vacuum.dry_run else tuple(_differing(prediction, run))
    explained = (
        replace(one, fault=known.of_path(one.path, is_gone=one.path in run.gone)) for one in differing[:_EXPLAINED]
    )
    deleted = (*explained, *differing[_EXPLAINED:])
    return Trial(
        release=prediction.release.title,
        error=None,
        is_expected=prediction.refusal is None,
        gone=prediction.total(run.gone),
        listed=len(announced.outcome.rows),
        gone_in_dry_run=tuple(sorted(announced.gone)),
        wrongly_deleted=tuple(one for one in deleted if one.path in run.gone),
        wrongly_kept=tuple(one for one in deleted if one.path not in run.gone),
    )


def _of_refusal(prediction: Prediction, run: _Run) -> Trial:
    assert run.outcome.error is not None, "it was refused"
    message = visible(" ".join(run.outcome.error.message.split()))[:300]
    nothing = prediction.total(())
    gone = tuple(OtherFate(path, "the statement was refused") for path in sorted(run.gone))
    return Trial(prediction.release.title, message, prediction.refusal is not None, nothing, 0, (), gone, ())


def _differing(prediction: Prediction, run: _Run) -> Iterator[OtherFate]:
    """The paths of which the engine did what the model excludes, at the beginning of the run and at its end."""
    early, late = (replace(prediction, at=at) for at in (run.began, run.ended))
    for path, fate in early.fates.items():
        wrong = Fate.KEEP if path in run.gone else Fate.DELETE
        if fate.fate is wrong and late.fates[path].fate is wrong:
            yield OtherFate(path, fate.reason.value)
