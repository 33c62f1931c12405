"""``python -m tests.rigs.rehearsal_with_data PATH RELEASE…``: compares a rehearsal with true copies of the table.

It reads and copies all data of the table, which ``tombstone rehearse`` never does: for tables of tests and examples. Each release
runs the VACUUM on stand-ins and on a true copy, and the files that go must be those that the model lists.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from deltalog.storage.names import LOG_DIRECTORY
from engines.port import EngineDied, now
from model.prediction.fates import Fate
from records.mistakes import UsageMistake
from rehearsal.__main__ import require_outside
from rehearsal.instants import instant_of
from rehearsal.prediction import Prediction
from rehearsal.quantities import files
from rehearsal.reading import ReadTable, copy_newest_checkpoint, read_table
from rehearsal.releases import for_iceberg, release_of
from rehearsal.stand_ins import make, require_copyable
from rehearsal.statement import vacuum_of
from rehearsal.trials import run_of, vacuumed
from reports.document.printing import visible
from reports.text.quantities import counted
from runner.command_line.commands import Parser, ended
from runner.gate_version import available, python_of
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from shapes.store import root_of
from tests.rigs.many_rehearsals import add_vacuum


@dataclass(frozen=True)
class Compared:
    """The files that one release deletes: by the model, on stand-ins and on a copy with data; and what the engine refused
    there.
    """

    prediction: Prediction
    stand_ins: frozenset[str]
    with_data: frozenset[str]
    errors: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the lists are the same, or the model and both runs refuse the statement. Files that the engine may keep or
        delete, such as a checksum, must only be the same on both copies.
        """
        refused = self.prediction.refusal is not None
        return not self.differing and len(self.errors) == (2 if refused else 0)

    @property
    def differing(self) -> tuple[str, ...]:
        """The files that only one copy lost, or that the model predicts otherwise."""
        listed = frozenset(self.prediction.deleted_files)
        agreed = (listed & self.stand_ins & self.with_data) | self.free
        return tuple(sorted((listed | self.stand_ins | self.with_data) - agreed))

    @property
    def free(self) -> frozenset[str]:
        """The files that both copies lost, and that the model leaves to the engine."""
        fates = self.prediction.fates
        both = self.stand_ins & self.with_data & fates.keys()
        return frozenset(path for path in both if fates[path].fate is Fate.UNSPECIFIED)


def copy_with_data(read: ReadTable, root: Path) -> None:
    """Copy all of the table to ``root``, which does not exist yet, with its times. Raises OSError.

    The checksums that Hadoop keeps beside the files of the log are left out: they are wrong when the times in these are moved.
    """

    def checksums(directory: str, names: list[str]) -> Collection[str]:
        of_log = Path(directory).name == LOG_DIRECTORY
        return {name for name in names if of_log and name.startswith(".") and name.endswith(".crc")}

    shutil.copytree(read.root.path, root, symlinks=True, ignore=checksums)


def compared(engine: HostedEngine, prediction: Prediction, directory: Path, *, later: int | None) -> Compared:
    """What the engine does to both copies, below ``directory``. Raises EngineDied and OSError."""
    steps = []
    for name, copy in (("stand-ins", make), ("data", copy_with_data)):
        run = run_of(engine, prediction.read, prediction.release, directory / name / "table", copy)
        vacuumed(run, prediction, later=later, dry=[False])
        steps.append(run.observations[-1])
    stand_ins, with_data = (
        frozenset(path for path in step.vanished if not prediction.is_directory(path)) for step in steps
    )
    errors = tuple(step.outcome.error.message for step in steps if step.outcome.error is not None)
    return Compared(prediction, stand_ins, with_data, errors)


def lines_of(found: Compared) -> Iterator[str]:
    """The number of deleted files, and each file that is not in all three lists."""
    prediction = found.prediction
    told = ", ".join(
        f"{files(prediction.total(paths))} {where}"
        for paths, where in (
            (prediction.deleted_files, "by the model"),
            (found.stand_ins - found.free, "of the stand-ins"),
            (found.with_data - found.free, "of the copy with data"),
        )
    )
    yield f"{prediction.release.title} deletes {told}: {'the same' if found.agrees else 'NOT the same'}"
    if found.free:
        yield f"  beside these, of both copies, {files(prediction.total(found.free))} that it may delete, such as checksums"
    for error in found.errors:
        yield f"  it refused the statement: {' '.join(error.split())[:300]}"
    lists = (prediction.deleted_files, found.stand_ins, found.with_data)
    for path in found.differing:
        places = [name for name, paths in zip(("the model", "stand-ins", "data"), lists, strict=True) if path in paths]
        yield f"  {path}: only {' and '.join(places)}"


def main(arguments: list[str]) -> int:
    """0: the lists of each release are the same; 1: they are not; 2: a mistake, or the table cannot be rehearsed."""
    asked = parser().parse_args(arguments)
    begun = now()
    at = instant_of(asked.at, begun)
    vacuum = vacuum_of(asked.vacuum, safety_check=asked.retention_check)
    if vacuum.dry_run:
        raise UsageMistake("A DRY RUN deletes nothing that could be compared: leave DRY RUN out.")
    if "://" in asked.path:
        raise UsageMistake(f"{asked.path} is no local path: name a table in a local directory.")
    root = root_of(asked.path)
    require_outside(root)
    releases = [release_of(named, objects=False) for named in asked.releases]
    agree = True
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        log = Path(opened.enter_context(tempfile.TemporaryDirectory(dir=workspace.directory)))
        read = read_table(root, log)
        require_copyable(read)
        copy_newest_checkpoint(read)
        for number, release in enumerate(releases):
            prediction = Prediction(read, for_iceberg(release) if read.iceberg else release, vacuum, at)
            engine = HostedEngine(
                python_of(available(release.named)), release.engine, workspace.directory, workspace.started
            )
            try:
                later = None if asked.at is None else at - begun
                found = compared(engine, prediction, workspace.directory / f"copies-{number}", later=later)
            except (EngineDied, OSError) as error:
                raise UsageMistake(
                    f"{release.title} could not be run on a copy: {' '.join(str(error).split())}."
                ) from None
            finally:
                engine.close()
            print(*map(visible, lines_of(found)), sep="\n", flush=True)
            agree = agree and found.agrees
    print(f"{counted(len(read.state.listing), 'path')}, {counted(len(read.names.commits), 'commit')}: ", end="")
    print("the lists are the same" if agree else "the lists are NOT the same")
    return 0 if agree else 1


def parser() -> Parser:
    made = Parser(prog="python -m tests.rigs.rehearsal_with_data", description=__doc__, allow_abbrev=False)
    made.add_argument("path", metavar="PATH", help="the table's directory")
    made.add_argument("releases", metavar="RELEASE", nargs="+", help="3.3.2, deltalake==1.6.6")
    add_vacuum(made)
    return made


if __name__ == "__main__":
    ended(main)
