"""``python -m reports``: make the views of a run stream again, merge the parts of a run, or compare two streams."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from engines.port import EngineUnavailable
from records.mistakes import UsageMistake, told
from reports.comparison.acceptance import acceptance_in
from reports.comparison.comparison import compare
from reports.comparison.prediction import prediction_between
from reports.comparison.proposal import write_proposal
from reports.comparison.times import time_ratios
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
from tombstone import commands
from tombstone.reading import Asked, asked_of


def render(asked: Asked) -> int:
    """``render RUN [--out DIR]``. The views go into the stream's directory unless ``--out`` is given."""
    (place,) = map(Path, asked.words)
    run = read_run(place)
    own = stream_path(place).parent
    out: Path = asked.out or own
    require_own(out, VIEWS, option="--out")
    write_views(run, out, beside=own)
    show_run(run, Console(), directory=own, page=out / "report.html", verbose=asked.verbose)
    return 0


def merge_parts(asked: Asked) -> int:
    """``merge PART… [--out DIR]``: the exit code of the whole run, 0 PASS, 1 FAIL, 2 INCONCLUSIVE."""
    run = merge([*map(Path, asked.words)], asked.out, known_faults=asked.known_faults)
    tell_of_run(run, Console(), asked.out / "summary.md")
    show_run(run, Console(), directory=asked.out, verbose=asked.verbose)
    return run.footer.exit


def compare_runs(asked: Asked) -> int:
    """``compare BASE CANDIDATE``: 0 UPGRADE, 1 DO NOT UPGRADE, 3 LOOK FIRST (``reports.comparison.answer``)."""
    acceptance = acceptance_in(asked.accept) if asked.accept is not None else None
    base, candidate = (read_run(Path(word)) for word in asked.words)
    require_own(asked.out, COMPARISON, option="--out")
    together = read_together(asked.together) if asked.together is not None else None
    found = compare(
        base,
        candidate,
        prediction_between,
        acceptance,
        allows_changes=asked.allow_changes,
        together=together,
        cost_limit=asked.cost_limit,
        times=() if asked.times is None else time_ratios(asked.times),
    )
    write_comparison(found, asked.out)
    if asked.propose_accept is not None:
        write_proposal(found, asked.propose_accept)
    tell_of_comparison(found, Console(), asked.out / "comparison.md")
    document = comparison_document(found, directory=asked.out)
    terminal.show(document, Console(), whole=asked.verbose)
    show_command(Console(), "report", str(asked.out / "compare.html"))
    return found.exit


def index(asked: Asked) -> int:
    """``index FOLDER [--out FILE]``: one page over the runs below a folder; 0 if each is PASS, 1 if one is FAIL, else 2."""
    (folder,) = map(Path, asked.words)
    out: Path = asked.out or folder / "index.html"
    require_own(out.parent, {out.name: INDEX}, option="--out")
    found = write_index(folder, out)
    print(f"{found.worst.value}: {counted(len(found.last), 'run')} in {out}")
    return {Word.PASS: 0, Word.FAIL: 1}.get(found.worst, 2)


#: Each command with what it does.
DOES: Mapping[str, tuple[commands.Command, Callable[[Asked], int]]] = {
    command.name: (command, does)
    for command, does in (
        (commands.RENDER, render),
        (commands.MERGE, merge_parts),
        (commands.COMPARE, compare_runs),
        (commands.INDEX, index),
    )
}


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 2 for bad input, with one sentence on stderr.

    ``render``: 0. ``merge``: 0 PASS, 1 FAIL, 2 INCONCLUSIVE. ``compare``: 0 UPGRADE, 1 DO NOT UPGRADE, 3 LOOK FIRST.
    """
    name, *words = (sys.argv[1:] if argv is None else argv) or [""]
    try:
        if name in ("--help", "-h"):
            print(*(f"python -m reports {one.usage}: {one.sentence}" for one, _ in DOES.values()), sep="\n")
            return 0
        if name not in DOES:
            raise UsageMistake(
                f"Name one of the commands {', '.join(DOES)}: python -m reports render RUN, for example."
            )
        command, does = DOES[name]
        return does(asked_of(command, words))
    except (UsageMistake, EngineUnavailable) as error:
        print(error, file=sys.stderr)
        return 2
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        return told(error)
