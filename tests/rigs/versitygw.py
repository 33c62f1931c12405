"""``python -m tests.rigs.versitygw DIRECTORY``: the S3 server of ``--storage s3``, built into a directory unless it is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from engines.port import EngineUnavailable
from engines.s3_gateway import INSTALL, VARIABLE
from records.mistakes import UsageMistake
from runner.command_line.commands import ended

#: Where Go is if it is not on PATH: https://go.dev/doc/install
_GO = "/usr/local/go/bin/go"


def main(arguments: list[str]) -> int:
    """Build the server with Go. Nothing to do where the environment names one of the user's own. Raises EngineUnavailable."""
    if len(arguments) != 1:
        raise UsageMistake("python -m tests.rigs.versitygw DIRECTORY: name the directory for the binary.")
    target = Path(arguments[0]).absolute() / "versitygw"
    if Path(os.environ.get(VARIABLE) or target) != target or target.is_file():
        return 0
    go = shutil.which("go") or shutil.which(_GO)
    if go is None:
        raise EngineUnavailable(
            f"The S3 server versitygw is built with Go, which is not here: install Go 1.25 or newer, or run `{INSTALL}` "
            f"elsewhere and name the binary with {VARIABLE}."
        )
    print("Building the S3 server versitygw: a few minutes, once.", flush=True)
    command = [go, *INSTALL.split()[1:]]
    built = subprocess.run(
        command, env={**os.environ, "GOBIN": str(target.parent)}, capture_output=True, text=True, check=False
    )
    if built.returncode != 0:
        last = (built.stderr.strip().splitlines() or ["go says nothing"])[-1]
        raise EngineUnavailable(
            f"`{INSTALL}` failed ({last}): see that Go is 1.25 or newer, and that it has the network."
        )
    return 0


if __name__ == "__main__":
    ended(main)
