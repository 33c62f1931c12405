"""Runs the user's DELETE and VACUUM with real engines, on copies of the table, and compares the result with the model.

Each release runs in another process and environment. If the user names a time, all times of the copy are moved by the
difference to now, whether or not the engine's clock can be set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from deltalog.shift_timestamps import shift_timestamps
from engines.port import EngineDied, Outcome, now
from model.prediction.fates import Fate
from records.mistakes import UsageMistake
from rehearsal.delete_trials import judged, listing_of
from rehearsal.deletion import DeletePrediction
from rehearsal.known import KnownOfTable
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, copy_newest_checkpoint
from rehearsal.rehearsed import Announced, DeleteTrial, OtherFate, Trial
from rehearsal.stand_ins import make, require_copyable
from rehearsal.tried import Asked, Tried
from reports.document.printing import visible
from runner.gate_version import available, python_of
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace

#: Of so many paths a known fault is looked for: those of a fault are alike.
_EXPLAINED = 100


def tried(read: ReadTable, asked: Sequence[Asked], *, later: int | None) -> Tried:
    """Each release on copies of the table. ``later``: how many ms after now the VACUUM runs; None: now. Raises UsageMistake and
    EngineUnavailable, with the remedy.
    """
    require_copyable(read)
    pythons = [python_of(available(one.release.named)) for one in asked]
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        copy_newest_checkpoint(read)
        found = []
        for number, (one, python) in enumerate(zip(asked, pythons, strict=True)):
            found.append(_tried(read, one, python, workspace, workspace.directory / f"{number}", later=later))
    deletes = tuple(delete for delete, _ in found if delete is not None)
    vacuums = tuple(vacuum for _, vacuum in found if vacuum is not None)
    return Tried(deletes, vacuums if all(one.agrees for one in deletes) else ())


def _tried(
    read: ReadTable, asked: Asked, python: Path, workspace: Workspace, directory: Path, *, later: int | None
) -> tuple[DeleteTrial | None, Trial | None]:
    title = asked.release.title
    print(f"Running {title} on a copy of the table, with stand-ins for its data files.", flush=True)
    engine = HostedEngine(python, asked.release.engine, workspace.directory, workspace.started)
    try:
        return trial_of(engine, read, asked, directory, later=later)
    except (EngineDied, OSError) as error:
        raise UsageMistake(f"{title} could not be run on a copy: {' '.join(str(error).split())}.") from None
    finally:
        engine.close()


@dataclass(frozen=True)
class Run:
    """A VACUUM of a copy at ``root``: its answer, the deleted paths, and when it began and ended, on the user's clock."""

    root: Path
    outcome: Outcome
    gone: frozenset[str]
    began: int
    ended: int


def trial_of(
    engine: HostedEngine, read: ReadTable, asked: Asked, directory: Path, *, later: int | None
) -> tuple[DeleteTrial | None, Trial | None]:
    """What the engine does to copies, which are made below ``directory`` and stay there. ``later``: as of ``tried``.

    Raises EngineDied and OSError.
    """

    def copied(name: str) -> tuple[Path, DeleteTrial | None]:
        root = directory / name / "table"
        make(read, root)
        return root, None if asked.deletion is None else _deleted(engine, asked.deletion, root)

    vacuum, known = asked.vacuum, asked.known
    if vacuum is None or known is None:
        return copied("delete")[1], None
    root, deleted = copied("dry")
    announced = run = vacuumed(engine, vacuum, root, dry=True, later=later)
    if not vacuum.vacuum.dry_run:
        run = vacuumed(engine, vacuum, copied("run")[0], dry=False, later=later)
    return deleted, _trial(vacuum, known, announced, run)


def _deleted(engine: HostedEngine, deletion: DeletePrediction, root: Path) -> DeleteTrial:
    before = listing_of(root)
    outcome = engine.run(root, deletion.delete, clock=now(), version=None)
    return judged(deletion, root, before, outcome)


def vacuumed(engine: HostedEngine, prediction: Prediction, root: Path, *, dry: bool, later: int | None) -> Run:
    """The VACUUM on a copy at ``root``. ``later``: as of ``tried``. Raises EngineDied and OSError."""
    if later is not None:
        shift_timestamps(root, by=later)
    began = now()
    outcome = engine.run(root, replace(prediction.vacuum, dry_run=dry), clock=began, version=None)
    offset = later or 0
    gone = frozenset(prediction.read.state.listing.keys() - listing_of(root).keys())
    return Run(root, outcome, gone, began + offset, outcome.ended + offset)


def _trial(prediction: Prediction, known: KnownOfTable, announced: Run, run: Run) -> Trial:
    """A VACUUM, after its DRY RUN."""
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
        announced=_announced(prediction, announced, run),
        gone_in_dry_run=tuple(sorted(announced.gone)),
        wrongly_deleted=tuple(one for one in deleted if one.path in run.gone),
        wrongly_kept=tuple(one for one in deleted if one.path not in run.gone),
    )


def _announced(prediction: Prediction, dry: Run, run: Run) -> Announced:
    observation = prediction.observation_of(dry.outcome)
    listed = replace(observation, root=str(dry.root), step=replace(prediction.vacuum, dry_run=True)).listed
    absent = listed - prediction.read.state.listing.keys()
    directories = frozenset(filter(prediction.is_directory, listed - absent))
    if prediction.vacuum.dry_run:
        return Announced(len(absent), len(directories))
    unlisted = [path for path in run.gone - listed if not prediction.is_directory(path)]
    return Announced(
        absent=len(absent),
        directories=len(directories),
        stayed=len(listed - absent - directories - run.gone),
        unlisted=len(unlisted),
        checksums=sum(path.endswith(".crc") for path in unlisted),
    )


def _of_refusal(prediction: Prediction, run: Run) -> Trial:
    assert run.outcome.error is not None, "it was refused"
    message = visible(" ".join(run.outcome.error.message.split()))[:300]
    nothing = prediction.total(())
    gone = tuple(OtherFate(path, "the statement was refused") for path in sorted(run.gone))
    return Trial(prediction.release.title, message, prediction.refusal is not None, nothing, 0, (), gone, ())


def _differing(prediction: Prediction, run: Run) -> Iterator[OtherFate]:
    """The paths to which the engine did what the model excludes, at the beginning of the run and at its end."""
    early, late = (replace(prediction, at=at) for at in (run.began, run.ended))
    for path, fate in early.fates.items():
        wrong = Fate.KEEP if path in run.gone else Fate.DELETE
        if fate.fate is wrong and late.fates[path].fate is wrong:
            yield OtherFate(path, fate.reason.value)
