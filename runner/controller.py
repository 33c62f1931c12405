"""The run as a whole: its engine process, its directory, its stream, and at its end the views and the exit code."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from typing import Any

from rich.console import Console

from engines.provider import provider_for
from reports.deviations import in_force, proposed
from reports.stream import FILE_NAME, RunWriter, read_run
from reports.verdicts import Verdict, footer_of, verdicts
from reports.views.files import write_views
from reports.views.terminal import Progress, show
from runner import report_directory
from runner.counterexample import message_of, write_counterexample_of
from runner.deviations import deviations_in, known
from runner.header import run_header
from runner.options import Options
from runner.replay import show_replay
from runner.workspace import Workspace
from suites.campaigns import shards

#: The seed of the profiles that draw the same cases in each run. It is one of those with which the smoke profile exercises
#: every clause and shows every known-bad engine (tests/test_profiles.py), and the gate exercises each clause 20 times
#: (tests/gate_counts.py).
FIXED_SEED = 4


class Controller:
    """Owns everything of which a run has one. Workers call ``lease``, ``begin``, ``claim`` and ``case`` (runner.link)."""

    def __init__(self, options: Options, console: Console) -> None:
        self._options = options
        self._console = console
        self._began = time.monotonic()
        self._seed = _seed(options)
        self._header: dict[str, Any] | None = None
        self._lines: list[dict[str, Any]] = []
        self._claimed: set[str] = set()
        self._lock = threading.Lock()
        self._writer: RunWriter | None = None
        self._open = ExitStack()
        self._progress = Progress(console)
        self._deviations = deviations_in(options.deviations)
        if options.replay is None:
            report_directory.prepare(options.report_dir)
        self._workspace = Workspace(options.table_root)
        self._provider = provider_for(
            options.engine,
            directory=self._workspace.directory,
            started=self._workspace.started,
            spark_conf=options.spark_conf,
            extra_classpath=options.extra_classpath,
            jars=options.jars,
            master=options.spark_master,
        )

    def start(self) -> None:
        """Start the engine. Raises EngineUnavailable."""
        self._provider.start()

    def close(self) -> None:
        """End the engine and remove the run's directory."""
        self._open.close()
        self._provider.close()
        self._workspace.close()

    # What workers call -------------------------------------------------------------------------------------------

    def lease(self, lost: int) -> Any:
        return self._provider.lease(lost)

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        """A worker's engine is up. What the first one reports goes into the header."""
        if pid != os.getpid():
            self._workspace.started(pid)
        listed = known(self._deviations, next(iter(versions.values())))
        with self._lock:
            if self._header is None:
                self._header = run_header(self._options, seed=self._seed, versions=versions, unsupported=unsupported)
                self._open_stream(self._header)
        return {"seed": self._seed, "listed": listed, "directory": str(self._workspace.directory)}

    def _open_stream(self, header: dict[str, Any]) -> None:
        if self._options.replay is None:
            self._writer = self._open.enter_context(RunWriter(self._options.report_dir / FILE_NAME))
            self._writer.header(header)
            self._progress.start(header)

    def claim(self, clause: str) -> bool:
        """True for the first that asks: one small case for each clause is enough."""
        with self._lock:
            first = clause not in self._claimed
            self._claimed.add(clause)
            return first

    def case(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._lines.append(line)
            if self._writer is not None:
                self._writer.case(line)
                self._progress.case(line)

    # The end -----------------------------------------------------------------------------------------------------

    def finish(self, *, complete: bool, mishaps: Sequence[str] = ()) -> int:
        """Close the stream, write the views, and return the exit code.

        A run that is not complete gets no footer. Nor does one that broke no promise if tests failed for another reason
        (``mishaps``): nobody knows what they would have found.
        """
        self._progress.stop()
        if self._options.replay is not None:
            return show_replay(self._console, self._lines, proven=complete and not mishaps)
        missing = self._missing_shards()
        if missing and complete and self._header is not None:
            self._console.print(f"Not all was judged; missing: {', '.join(missing)}.", highlight=False)
        if self._header is None or self._writer is None or not complete or missing:
            self._console.print("The run did not come to its end: it says nothing about the engine.", highlight=False)
            return 2
        version = next(iter(self._header["versions"].values()))
        deviations = in_force(self._deviations, version=version, today=date.today())
        results = verdicts(self._header, self._lines, deviations=deviations)
        footer = footer_of(results, self._lines, seconds=time.monotonic() - self._began)
        if mishaps and footer["exit"] != 1:
            self._console.print(f"The suite itself failed in {', '.join(mishaps)}: nothing is proven.", highlight=False)
            return 2
        self._writer.footer(footer)
        failed = [result.clause for result in results if result.verdict is Verdict.FAIL]
        self._write_report(failed, header=self._header, version=version)
        return int(footer["exit"])

    def _missing_shards(self) -> list[str]:
        """The shards of the plan from which no case came: deselected, or lost with their worker."""
        came = {(line["campaign"], line["shard"]) for line in self._lines}
        planned = shards(self._options.profile, self._options.clauses)
        return [shard.name for shard in planned if (shard.campaign.name, shard.number) not in came]

    def _write_report(self, failed: Sequence[str], *, header: dict[str, Any], version: str) -> None:
        """The counterexamples, the views, and what the terminal shows."""
        directory, proposal = self._options.report_dir, self._options.propose_deviations
        for clause in failed:
            write_counterexample_of(
                clause, header=header, lines=self._lines, provider=self._provider, directory=directory
            )
        run = read_run(directory)
        write_views(run, directory)
        if proposal is not None:
            found = [(clause, message_of(clause, self._lines)) for clause in failed]
            proposal.write_text(proposed(found, version=version), encoding="utf-8")
        show(run, self._console, directory=directory)


def _seed(options: Options) -> int:
    if options.seed is not None:
        return options.seed
    return FIXED_SEED if options.profile.fixed else time.time_ns() % 2**32
