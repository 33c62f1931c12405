"""``python -m reports``: make the views of a run stream again, merge the parts of a run, or compare two streams."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from engines.port import EngineUnavailable
from records.mistakes import UsageMistake, told
from reports.comparison.acceptance import acceptance_in
from reports.comparison.comparison import compare
from reports.comparison.prediction import prediction_between
from reports.comparison.proposal import write_proposal
from reports.document import terminal
from reports.document.printing import show_command
from reports.merging import merge
from reports.render.comparison.document import comparison_document
from reports.render.comparison.files import write_comparison
from reports.render.files import write_views
from reports.render.github import tell_of_comparison, tell_of_run
from reports.render.index import write_index
from reports.render.marks import COMPARISON, INDEX, VIEWS, require_own
from reports.render.terminal import show_run
from reports.stream.reading import read_run, stream_path
from reports.text.ladder import Word
from reports.text.quantities import counted
from reports.together.reading import read_together


def render(arguments: argparse.Namespace) -> int:
    """``render RUN [--out DIR]``. The views go into the stream's directory unless ``--out`` is given."""
    run = read_run(arguments.run)
    own = stream_path(arguments.run).parent
    out: Path = arguments.out or own
    require_own(out, VIEWS, option="--out")
    write_views(run, out, beside=own)
    show_run(run, Console(), directory=own, page=out / "report.html", verbose=arguments.verbose)
    return 0


def merge_parts(arguments: argparse.Namespace) -> int:
    """``merge PART… [--out DIR]``: the exit code of the whole run, 0 PASS, 1 FAIL, 2 INCONCLUSIVE."""
    run = merge(arguments.parts, arguments.out, known_faults=arguments.known_faults)
    tell_of_run(run, Console(), arguments.out / "summary.md")
    show_run(run, Console(), directory=arguments.out, verbose=arguments.verbose)
    return run.footer.exit


def compare_runs(arguments: argparse.Namespace) -> int:
    """``compare BASE CANDIDATE``: 0 UPGRADE, 1 DO NOT UPGRADE, 3 LOOK FIRST (``reports.comparison.answer``)."""
    acceptance = acceptance_in(arguments.accept) if arguments.accept is not None else None
    runs = read_run(arguments.base), read_run(arguments.candidate)
    require_own(arguments.out, COMPARISON, option="--out")
    together = read_together(arguments.together) if arguments.together is not None else None
    found = compare(*runs, prediction_between, acceptance, allows_changes=arguments.allow_changes, together=together)
    write_comparison(found, arguments.out)
    if arguments.propose_accept is not None:
        write_proposal(found, arguments.propose_accept)
    tell_of_comparison(found, Console(), arguments.out / "comparison.md")
    document = comparison_document(found, directory=arguments.out)
    terminal.show(document, Console(), whole=arguments.verbose)
    show_command(Console(), "report", str(arguments.out / "compare.html"))
    return found.exit


def index(arguments: argparse.Namespace) -> int:
    """``index FOLDER [--out FILE]``: one page over the runs below a folder; 0 if each is PASS, 1 if one is FAIL, else 2."""
    out: Path = arguments.out or arguments.folder / "index.html"
    require_own(out.parent, {out.name: INDEX}, option="--out")
    found = write_index(arguments.folder, out)
    print(f"{found.worst.value}: {counted(len(found.last), 'run')} in {out}")
    return {Word.PASS: 0, Word.FAIL: 1}.get(found.worst, 2)


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 2 for bad input, with one sentence on stderr.

    ``render``: 0. ``merge``: 0 PASS, 1 FAIL, 2 INCONCLUSIVE. ``compare``: 0 UPGRADE, 1 DO NOT UPGRADE, 3 LOOK FIRST.
    """
    parser = argparse.ArgumentParser(prog="python -m reports", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("render", help="make the views again from a run stream")
    command.add_argument(
        "run", type=Path, metavar="RUN", help="a run.jsonl or run.jsonl.gz, or the directory that holds it"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="where the views go (default: beside the stream)")
    command.add_argument("-v", "--verbose", action="store_true", help="print the table of all clauses too")
    command.set_defaults(do=render)
    command = commands.add_parser("merge", help="make one report of all parts of a run")
    command.add_argument(
        "parts",
        type=Path,
        nargs="+",
        metavar="PART",
        help="the report of a run with --shard: a run.jsonl or run.jsonl.gz, or its directory",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("build/report"),
        help="where the report goes (default: build/report)",
    )
    command.add_argument(
        "--known-faults", type=Path, metavar="FILE", help="the known faults of the parts (default: the engine's)"
    )
    command.add_argument("-v", "--verbose", action="store_true", help="print the table of all clauses too")
    command.set_defaults(do=merge_parts)
    command = commands.add_parser("index", help="make one page over the runs below a folder")
    command.add_argument("folder", type=Path, metavar="FOLDER", help="the folder, such as build/versions")
    command.add_argument("--out", type=Path, metavar="FILE", help="the page (default: index.html in the folder)")
    command.set_defaults(do=index)
    command = commands.add_parser("compare", help="compare two runs of the same cases")
    for name, what in (("base", "before"), ("candidate", "after")):
        metavar = name.upper()
        command.add_argument(
            name, type=Path, metavar=metavar, help=f"the run {what}: a run.jsonl, or the directory that holds it"
        )
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("build/comparison"),
        help="where comparison.md, comparison.json and the cases go (default: build/comparison)",
    )
    command.add_argument(
        "--accept",
        type=Path,
        metavar="FILE",
        help="faults of the candidate that you accept, in the format of known faults; promises that it withdraws; differences",
    )
    command.add_argument(
        "--together", type=Path, metavar="DIR", help="what both in turn on the same tables showed: tox -e together"
    )
    command.add_argument(
        "--propose-accept",
        type=Path,
        metavar="FILE",
        help="write everything that holds the upgrade back into FILE, in the format of --accept",
    )
    command.add_argument(
        "--allow-changes",
        action="store_true",
        help="LOOK FIRST ends with 0",
    )
    command.add_argument("-v", "--verbose", action="store_true", help="print all differences")
    command.set_defaults(do=compare_runs)
    arguments = parser.parse_args(argv)
    try:
        result: int = arguments.do(arguments)
    except (UsageMistake, EngineUnavailable) as error:
        print(error, file=sys.stderr)
        return 2
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        return told(error)
    return result
