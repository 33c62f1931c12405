"""Runs the user's VACUUM with real engines, on copies of the table, and holds what goes against the model.

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
from rehearsal.known import KnownOfTable
from rehearsal.prediction import Prediction
from rehearsal.reading import copy_newest_checkpoint, listed
from rehearsal.rehearsed import OtherFate, Trial
from rehearsal.stand_ins import make, require_copyable
from reports.render.lines import visible
from runner.gate_version import available
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from runner.together import python_of
from shapes.store import root_of

#: Of so many paths a known fault is looked for: those of a fault are alike.
_EXPLAINED = 100


def tried(predictions: Sequence[Prediction], known: Sequence[KnownOfTable], *, later: int | None) -> tuple[Trial, ...]:
    """One trial of each. ``known``: the known faults of each. ``later``: by how many ms the user's time is after now; None: it
    is now.

    Raises UsageMistake and EngineUnavailable, with the remedy.
    """
    read = predictions[0].read
    require_copyable(read)
    pythons = [_python(prediction) for prediction in predictions]
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        copy_newest_checkpoint(read)
        return tuple(
            _tried(prediction, faults, python, workspace, workspace.directory / f"{number}", later=later)
            for number, (prediction, faults, python) in enumerate(zip(predictions, known, pythons, strict=True))
        )


def _python(prediction: Prediction) -> Path:
    version: Version = available(prediction.release.named)
    return python_of(version)


@dataclass(frozen=True)
class _Run:
    """A VACUUM of a copy: what it answered and deleted, and when it began and ended, by the time that the user asks for."""

    outcome: Outcome
    gone: frozenset[str]
    began: int
    ended: int


def _tried(
    prediction: Prediction,
    known: KnownOfTable,
    python: Path,
    workspace: Workspace,
    directory: Path,
    *,
    later: int | None,
) -> Trial:
    print(f"Running {prediction.release.title} on a copy of the table, with stand-ins for its data files.", flush=True)
    engine = HostedEngine(python, prediction.release.engine, workspace)
    try:
        announced = _run(engine, prediction, directory / "dry" / "table", dry=True, later=later)
        run = announced
        if not prediction.vacuum.dry_run:
            run = _run(engine, prediction, directory / "run" / "table", dry=False, later=later)
    except (EngineDied, OSError) as error:
        raise UsageMistake(
            f"{prediction.release.title} could not be run on a copy: {' '.join(str(error).split())}."
        ) from None
    finally:
        engine.close()
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


def _run(engine: HostedEngine, prediction: Prediction, root: Path, *, dry: bool, later: int | None) -> _Run:
    make(prediction.read, root)
    if later is not None:
        shift_timestamps(root, by=later)
    began = now()
    outcome = engine.run(root, replace(prediction.vacuum, dry_run=dry), clock=began, version=None)
    left = {path for path, _ in listed(root_of(str(root)).store)}
    offset = later or 0
    gone = frozenset(prediction.read.state.listing.keys() - left)
    return _Run(outcome, gone, began + offset, outcome.ended + offset)


def _differing(prediction: Prediction, run: _Run) -> Iterator[OtherFate]:
    """The paths of which the engine did what the model excludes, at the beginning of the run and at its end."""
    early, late = (replace(prediction, at=at) for at in (run.began, run.ended))
    for path, fate in early.fates.items():
        wrong = Fate.KEEP if path in run.gone else Fate.DELETE
        if fate.fate is wrong and late.fates[path].fate is wrong:
            yield OtherFate(path, fate.reason.value)
