"""``python -m tests.rigs.many_rehearsals RELEASE PATH…``: rehearses many tables by one release, in one process of its engine.

It shows whether the rehearsal itself is right: whether a release does to copies of tables that others wrote what the model says.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from engines.port import EngineDied, now
from model.vocabulary.steps import Vacuum
from records.mistakes import UsageMistake
from rehearsal.__main__ import rehearsed, require_outside
from rehearsal.instants import instant_of
from rehearsal.known import KnownOfTable, shape_of
from rehearsal.prediction import Prediction
from rehearsal.reading import copy_newest_checkpoint, read_table
from rehearsal.rehearsed import Trial
from rehearsal.releases import Release, for_iceberg, release_of
from rehearsal.stand_ins import require_copyable
from rehearsal.statement import vacuum_of
from rehearsal.trials import Asked, trials_of
from reports.document.printing import visible
from reports.text.quantities import counted
from runner.command_line.commands import Parser, ended
from runner.gate_version import available, python_of
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from shapes.store import root_of


class Ending(str, Enum):
    """How the rehearsal of a table ended."""

    AGREES = "agrees"  # the engine did what the model says
    KNOWN = "known fault"  # it did not, and known faults of it explain all that it did
    ALARM = "alarm"  # it did not, or a file goes that a version inside the retention needs
    REFUSED = "refused"  # the table cannot be rehearsed, or not on a copy


@dataclass(frozen=True)
class TableLine:
    """A table, how its rehearsal ended, and the answer or the reason in a sentence. ``gone``: the number of deleted files.
    ``wrong``: what the engine did against the model, each kind once.
    """

    path: str
    ending: Ending
    said: str
    gone: int = 0
    wrong: tuple[str, ...] = ()


def rehearse(
    engine: HostedEngine, release: Release, path: str, vacuum: Vacuum, scratch: Path, *, at: int, later: int | None
) -> TableLine:
    """One table. ``scratch`` is an empty directory; ``at`` and ``later``: as of ``Prediction`` and ``trial_of``."""
    try:
        read = read_table(root_of(path), scratch / "log")
        require_copyable(read)
        copy_newest_checkpoint(read)
        mine = for_iceberg(release) if read.iceberg else release
        prediction = Prediction(read, mine, vacuum, at)
        known = KnownOfTable(prediction, shape_of(read))
        _, trial = trials_of(engine, read, Asked(mine, None, prediction), scratch / "run" / "table", later=later)
        assert trial is not None, "a VACUUM was asked for"
    except UsageMistake as mistake:
        return TableLine(path, Ending.REFUSED, str(mistake))
    except EngineDied as died:
        return TableLine(path, Ending.ALARM, f"the engine ended: {' '.join(str(died).split())}"[:400])
    answer, _ = rehearsed(read, [], [prediction], [known], trials=(trial,))
    ending = Ending.AGREES if answer.exit == 0 else Ending.KNOWN if _is_known(trial) else Ending.ALARM
    return TableLine(path, ending, str(answer), trial.gone.files, tuple(_kinds(trial)))


def _is_known(trial: Trial) -> bool:
    """Whether a known fault of the release explains all that it did, or the refusal."""
    return bool(trial.broken) and all(one.fault is not None for one in trial.broken)


def _kinds(trial: Trial) -> list[str]:
    found = {f"{one.clauses[0]}: {one.cause}" for one in trial.wrong}
    if not trial.is_expected:
        found.add("runs what it must refuse" if trial.error is None else f"refuses the statement: {trial.error[:100]}")
    return sorted(found)


def rehearse_all(
    release: Release, paths: Sequence[str], vacuum: Vacuum, *, at: int, later: int | None
) -> Iterator[TableLine]:
    """Raises EngineUnavailable."""
    python = python_of(available(release.named))
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        engine = HostedEngine(python, release.engine, workspace.directory, workspace.started)
        opened.callback(engine.close)
        for path in paths:
            with tempfile.TemporaryDirectory(dir=workspace.directory) as scratch:
                (Path(scratch) / "log").mkdir()
                yield rehearse(engine, release, path, vacuum, Path(scratch), at=at, later=later)


def main(arguments: list[str]) -> int:
    """0: on every table that can be rehearsed, the engine did what the model says; 1: there is an alarm, which no known fault
    explains; 2: a mistake.
    """
    asked = parser().parse_args(arguments)
    begun = now()
    at = instant_of(asked.at, begun)
    vacuum = vacuum_of(asked.vacuum, safety_check=asked.retention_check)
    paths = [*asked.paths, *(_listed(asked.tables) if asked.tables else ())]
    if not paths:
        raise UsageMistake("Name a table, or a file with one path per line: --tables FILE.")
    if buckets := [path for path in paths if "://" in path]:
        raise UsageMistake(
            f"{buckets[0]} is no local path, and engines are run on copies in local files: leave it out."
        )
    for path in paths:
        require_outside(root_of(path))
    release = release_of(asked.release, objects=False)
    ends: Counter[Ending] = Counter()
    wrong: Counter[str] = Counter()
    gone, started = 0, time.monotonic()
    for line in rehearse_all(release, paths, vacuum, at=at, later=None if asked.at is None else at - begun):
        ends[line.ending] += 1
        wrong.update(line.wrong)
        gone += line.gone
        print(visible(f"{line.ending.value:<11} {line.path}: {line.said}"), flush=True)
    for kind, count in sorted(wrong.items(), key=lambda item: (-item[1], item[0])):
        print(visible(f"{counted(count, 'table')}: {release.title} {kind}"))
    told = ", ".join(f"{ends[one]} {one.value}" for one in Ending)
    seconds = time.monotonic() - started
    print(f"{release.title}: {counted(len(paths), 'table')} in {seconds:.0f} s: {told}; {counted(gone, 'file')} went")
    return 1 if ends[Ending.ALARM] else 0


def _listed(tables: str) -> list[str]:
    """Raises UsageMistake."""
    try:
        text = sys.stdin.read() if tables == "-" else Path(tables).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageMistake(f"--tables {tables} cannot be read ({error.strerror}): name another file.") from None
    return [line for line in text.split("\n") if line]


def parser() -> Parser:
    made = Parser(prog="python -m tests.rigs.many_rehearsals", description=__doc__, allow_abbrev=False)
    made.add_argument("release", metavar="RELEASE", help="3.3.2, deltalake==1.6.6")
    made.add_argument("paths", metavar="PATH", nargs="*", help="a table's directory")
    made.add_argument("--tables", metavar="FILE", help="a file with one path per line; - is the standard input")
    add_vacuum(made)
    return made


def add_vacuum(made: Parser) -> None:
    """The options that say which VACUUM is rehearsed, and when."""
    made.add_argument("--vacuum", default="VACUUM", metavar="SQL", help="the statement, as of `tombstone rehearse`")
    made.add_argument("--at", metavar="TIME", help="when it runs, as of `tombstone rehearse`")
    made.add_argument("--no-retention-check", dest="retention_check", action="store_false", help="a short RETAIN too")


if __name__ == "__main__":
    ended(main)
