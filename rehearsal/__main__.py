"""``python -m rehearsal PATH [A [B]]``: what a VACUUM or a DELETE of whole files would do to your table, which is only read.

A and B are releases, such as 3.3.2 or deltalake==1.6.6. They run it on copies of the table with empty stand-ins for its
data files, and the model says what they must do. Without a release the model alone says what the newest Delta on Spark does.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from rich.console import Console

from engines.port import now
from records.mistakes import UsageMistake
from rehearsal.answer import answer_of, with_deletions, with_trials
from rehearsal.comparison import difference
from rehearsal.deletion import DeletePrediction, deletions_of
from rehearsal.document import document_of
from rehearsal.instants import instant_of, written
from rehearsal.known import KnownOfTable, shape_of
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable, read_table
from rehearsal.rehearsed import Rehearsal, Trial
from rehearsal.releases import for_iceberg, newest, release_of
from rehearsal.report import PAGE, write_report
from rehearsal.statement import text_of, vacuum_of
from rehearsal.versions import versions_after
from reports.document.terminal import show
from reports.text.ladder import Answer
from runner.command_line.commands import ended
from runner.processes.workspace import Workspace
from shapes.store import Root, root_of
from tombstone.commands import REHEARSE
from tombstone.reading import asked_of


def main(arguments: list[str]) -> int:
    """One release: 0 PASS, 1 FAIL. Two: 0 UPGRADE, 3 LOOK FIRST, 1 DO NOT UPGRADE. 2: a mistake, or it cannot be rehearsed."""
    asked = asked_of(REHEARSE, arguments)
    path, *named = asked.words
    begun = now()
    at = instant_of(asked.at, begun)
    vacuum = None
    if asked.vacuum is not None or asked.delete is None:
        vacuum = vacuum_of(asked.vacuum or "VACUUM", safety_check=not asked.no_retention_check)
    if asked.delete is not None and at < begun:
        raise UsageMistake("A DELETE is rehearsed now, and the VACUUM after it: --at must not be earlier.")
    objects = path.partition("://")[0].lower() in ("s3", "s3a", "s3n", "gs", "gcs") and "://" in path
    releases = [release_of(name, objects=objects) for name in named or [newest()]]
    runs = bool(named) and not asked.model_only
    if runs and objects:
        raise UsageMistake("Engines are run on copies in local files, and this table is in a bucket: add --model-only.")
    if len({one.title for one in releases}) < len(releases):
        raise UsageMistake(f"{releases[0].title} is named twice: name two releases.")
    root = root_of(path)
    if "://" not in path or path.lower().startswith("file://"):
        require_outside(root, out=asked.out)
    with closing(Workspace(None)) as workspace:
        directory = workspace.directory
        read = read_table(root, directory / "read")
        releases = [for_iceberg(release) if read.iceberg else release for release in releases]
        deletions = [] if asked.delete is None else deletions_of(read, releases, asked.delete, begun)
        tables = [one.after(directory / f"after-{number}") for number, one in enumerate(deletions)]
        predictions = []
        if vacuum is not None:
            predictions = [
                Prediction(table, release, vacuum, at) for table, release in zip(tables or [read] * 2, releases)
            ]
        shape = shape_of(read)
        known = [KnownOfTable(prediction, shape) for prediction in predictions]
        deletes: tuple[Trial, ...] = ()
        vacuums: tuple[Trial, ...] = ()
        if runs:
            from rehearsal.trials import Asked, tried  # it brings what starts engines, and no prediction waits for that

            each = [Asked(*one) for one in zip_longest(releases, deletions, predictions)]
            deletes, vacuums = tried(read, each, later=None if asked.at is None else at - begun)
        answer, rehearsal = rehearsed(read, deletions, predictions, known, deletes, vacuums)
        deleted = [prediction.deleted_files for prediction in predictions]
        removed = [tuple(deletion.removed) for deletion in deletions]
    show(document_of(answer, rehearsal), Console(file=sys.stdout))
    if asked.out is not None:
        write_report(asked.out, answer, rehearsal, deleted, removed)
        print(f"report: {asked.out / PAGE}")
    return answer.exit


def require_outside(root: Root, *, out: Path | None = None) -> None:
    """Raises UsageMistake if temporary files or the report would be in the directory of a local table."""
    for place, name in ((out, "--out"), (Path(tempfile.gettempdir()), "TMPDIR")):
        if place is not None and _is_in(place, root.path):
            raise UsageMistake(
                f"{name} {place} is in the table's own directory, where nothing is written: name another."
            )


def _is_in(place: Path, root: str) -> bool:
    there, inside = os.path.realpath(root), os.path.realpath(place)
    return inside == there or inside.startswith(f"{there}/")


def rehearsed(
    read: ReadTable,
    deletions: Sequence[DeletePrediction],
    predictions: Sequence[Prediction],
    known: Sequence[KnownOfTable],
    delete_trials: tuple[Trial, ...] = (),
    trials: tuple[Trial, ...] = (),
) -> tuple[Answer, Rehearsal]:
    """The answer, and everything else that a rehearsal finds."""
    differs = difference(*predictions) if len(predictions) == 2 else None
    answer = with_trials(answer_of(predictions, differs), trials) if predictions else None
    deleted = tuple(one.rehearsed() for one in deletions)
    if deleted:
        answer = with_deletions(answer, deleted, delete_trials)
    assert answer is not None, "there is a DELETE or a VACUUM"
    versions = predictions[0].versions if predictions else versions_after(read.state, (), cutoff=0)
    return answer, Rehearsal(
        answer=str(answer),
        table=read.root.path,
        version=read.state.version,
        statement=text_of(predictions[0].vacuum) if predictions else "",
        at=written(predictions[0].at if predictions else deletions[0].at),
        retention_ms=read.table.retention,
        log_files=len(read.names.files),
        readable=versions.readable,
        missing=versions.missing,
        releases=tuple(one.rehearsed(faults.concerns()) for one, faults in zip(predictions, known, strict=True)),
        difference=differs,
        trials=trials,
        delete=deletions[0].text if deletions else None,
        deletions=deleted,
        delete_trials=delete_trials,
    )


if __name__ == "__main__":
    ended(main)
