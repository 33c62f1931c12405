"""``python -m examples.trino_engine.install DIRECTORY``: Trino's server, fetched with Maven and unpacked, unless it is there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from engines.port import EngineUnavailable
from examples.trino_engine.installation import VARIABLE, VERSION
from records.mistakes import UsageMistake
from runner.command_line.commands import ended

_NAME = f"trino-server-{VERSION}"
_ARTIFACT = f"io.trino:trino-server:{VERSION}:tar.gz"

#: What the connector needs of the archive.
_NEEDED = (f"{_NAME}/lib/", f"{_NAME}/plugin/delta-lake/")


def main(arguments: list[str]) -> int:
    """Fetch and unpack the server as ``DIRECTORY/trino-server-VERSION``. Nothing to do where the environment names another one.

    Raises EngineUnavailable, with the remedy.
    """
    if len(arguments) != 1:
        raise UsageMistake("python -m examples.trino_engine.install DIRECTORY: name the directory for the server.")
    directory = Path(arguments[0]).absolute()
    home = directory / _NAME
    if Path(os.environ.get(VARIABLE) or home) != home or home.is_dir():
        return 0
    print(f"Fetching Trino {VERSION} (0.8 GB) and unpacking 0.4 GB of it: a minute or more, once.", flush=True)
    work = directory / f"{_NAME}.part"
    shutil.rmtree(work, ignore_errors=True)  # of a run that was interrupted
    work.mkdir(parents=True)
    try:
        _unpack(_fetched(work), work)
        (work / _NAME).rename(home)
    finally:
        shutil.rmtree(work)
    return 0


def _fetched(work: Path) -> Path:
    """The archive, copied from Maven's repository. Raises EngineUnavailable."""
    maven = shutil.which("mvn")
    if maven is None:
        raise EngineUnavailable(
            f"Trino's server is fetched with Maven, which is not here: install it (mvn must be on PATH), or unpack a server of "
            f"Trino yourself, and name its directory with {VARIABLE}."
        )
    command = [maven, "-B", "-q", "dependency:copy", f"-Dartifact={_ARTIFACT}", f"-DoutputDirectory={work}"]
    fetched = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    archive = work / f"{_NAME}.tar.gz"
    if fetched.returncode != 0 or not archive.is_file():
        told = [line for line in fetched.stdout.split("\n") if line.startswith("[ERROR]")] or ["Maven says nothing"]
        raise EngineUnavailable(f"Maven cannot fetch {_ARTIFACT} ({told[0]}): see that it has the network.")
    return archive


def _unpack(archive: Path, work: Path) -> None:
    """What the connector needs. Some of its jars are hard links to those of other plugins, which come before it."""
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        linked = {one.linkname for one in members if one.islnk() and one.name.startswith(_NEEDED)}
        wanted = [one for one in members if one.name.startswith(_NEEDED) or one.name in linked]
        tar.extractall(work, wanted, filter="data")
    for plugin in (work / _NAME / "plugin").iterdir():
        if plugin.name != "delta-lake":
            shutil.rmtree(plugin)  # the links stay


if __name__ == "__main__":
    ended(main)
