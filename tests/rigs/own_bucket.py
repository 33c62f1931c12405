"""``python -m tests.rigs.own_bucket ENGINE [--power] [ARGUMENT ...]``: smoke's cases in a bucket that only S3's protocol reaches.

``--power``: known-bad engines are judged (``selfcheck.power``). ``ARGUMENT``: those of a gate, or of that command. Returns its
exit code, or 1 if the run left an object behind or touched a foreign one.
"""

from __future__ import annotations

import os

from runner.command_line.commands import Parser, ended
from runner.gate_version import ROOT
from runner.processes.child_process import exit_code_of
from runner.processes.workspace import Workspace
from tests.rigs.smoke_command import smoke_arguments, smoke_command
from tests.rigs.watched_bucket import WatchedBucket


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m tests.rigs.own_bucket", description=__doc__, allow_abbrev=False)
    parser.add_argument("engine", metavar="ENGINE", help="such as deltalake or spark")
    options, others = smoke_arguments(parser, arguments)
    workspace = Workspace(None)
    try:
        bucket = WatchedBucket(workspace)
        try:
            command = smoke_command(options.engine, "--table-root", bucket.table_root(), *others, power=options.power)
            environ = {**os.environ, **bucket.environ}
            code = exit_code_of(command, directory=ROOT, environ=environ, started=workspace.started)
        finally:
            bucket.close()
        return bucket.code_after(code)
    finally:
        workspace.close()


if __name__ == "__main__":
    ended(main)
