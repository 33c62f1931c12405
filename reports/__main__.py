"""``python -m reports``: the views of a run stream, made again from the stream alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from reports.stream import StreamError, read_run, stream_path
from reports.terminal import show
from reports.views import write_views


def render(arguments: argparse.Namespace) -> int:
    """``render RUN [--out DIR]``. The views go beside the stream unless ``--out`` says where."""
    run = read_run(arguments.run)
    out: Path = arguments.out or stream_path(arguments.run).parent
    write_views(run, out)
    show(run, Console(), directory=stream_path(arguments.run).parent)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """0 when the views were made, whatever the run's verdict; 2 for bad input, with one sentence on stderr."""
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("render", help="make the views again from a run stream")
    command.add_argument("run", type=Path, metavar="RUN", help="a run.jsonl, or the directory that holds it")
    command.add_argument("--out", type=Path, metavar="DIR", help="where the views go (default: beside the stream)")
    command.set_defaults(do=render)
    arguments = parser.parse_args(argv)
    try:
        result: int = arguments.do(arguments)
    except (StreamError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return result


if __name__ == "__main__":
    sys.exit(main())
