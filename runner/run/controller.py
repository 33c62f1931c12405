"""The run as a whole: its engine process, its directory, its stream, its views and its exit code."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from engines.kind import Provider, Settings
from engines.port import EngineUnavailable
from known_faults.entries import ended, in_force, proposed
from known_faults.known import known
from model.vocabulary.severity import Severity
from records.known_fault import KnownFault
from records.mistakes import sentence_of
from records.run import Header, RecordedCase, Verdict
from reports.counterexamples.checked import disagreements
from reports.findings.failures import Failure, examples
from reports.findings.of_run import FindingsSoFar
from reports.findings.verdicts import footer_of, verdicts
from reports.render.files import write_views
from reports.render.github import tell_of_run
from reports.render.report_directory import reserve
from reports.render.terminal import Progress, show_answer, show_run
from reports.stream.lines import case_of
from reports.stream.reading import FILE_NAME, Run
from reports.stream.writing import RunWriter
from runner.command_line.commands import INTERRUPTED, INTERRUPTED_CODE
from runner.command_line.options import Options
from runner.processes.channel import Caller
from runner.replay import show_replay
from runner.run.bench import Bench, chosen_in
from runner.run.circumstances import circumstances
from runner.run.claims import Claims
from runner.run.counterexample import write_counterexamples
from runner.run.header import run_header
from runner.run.plan import RunPlan, plan_of, seconds_of

#: The seed of what the fixed profiles draw.
FIXED_SEED = 4

#: The steps after which an engine has done most of what it ever does.
WARM = 90


@dataclass(frozen=True)
class RunContext:
    """What a worker needs of the run: its seed, its directory, and the known faults of the version."""

    seed: int
    directory: Path
    listed: tuple[KnownFault, ...]


class Controller:
    """Owns everything that a run has once. Workers call ``handlers``, those of pytest-xdist over a channel."""

    def __init__(
        self, options: Options, console: Console, provider: Callable[[Settings], Provider] | None = None
    ) -> None:
        """``provider``: of two engines in turn."""
        self._options = options
        self._console = console
        self._began = time.monotonic()
        self._seed = _seed(options)
        self._header: Header | None = None
        self._findings: FindingsSoFar | None = None
        self._judged: set[tuple[str, int]] = set()  # the campaign and number of each batch that has a case
        self._replayed: RecordedCase | None = None
        self._claims = Claims()
        self._lock = threading.Lock()
        self._unavailable = ""  # why the engine cannot be had any more, in a sentence
        self._writer: RunWriter | None = None
        self._open = ExitStack()
        self._progress = Progress(console)
        self._chosen = chosen_in(options)
        self._known_faults = self._chosen.known(options.known_faults)
        tell = partial(console.print, highlight=False, markup=False, soft_wrap=True)
        self._bench = Bench(self._chosen, tell=tell, provider=provider)

    def start(self) -> None:
        """Start the engine; only then an earlier report is removed. Raises EngineUnavailable or UsageMistake."""
        reserved = None
        if self._options.replay is None:
            reserved = self._open.enter_context(reserve(self._options.report_dir, option="--report-dir"))
        self._bench.start(time_limit=self._options.time_limit)
        if reserved is not None:
            reserved.clear()

    @cached_property
    def plan(self) -> RunPlan:
        return plan_of(self._options)

    def close(self) -> None:
        """End the engine and remove the run's directory."""
        self._open.close()
        self._bench.close()

    @property
    def handlers(self) -> dict[str, Callable[..., Any]]:
        """What workers in other processes call, by name."""
        called = (self.lease, self.lost, self.begin, self.claim, self.case, self.directory, self.started)
        return {handler.__name__: handler for handler in called}

    def lease(self, lost: int) -> Any:
        """A connection to the engine's process, newer than generation ``lost``. Raises EngineUnavailable."""
        try:
            return self._bench.provider.lease(lost)
        except EngineUnavailable as unavailable:
            self.lost(str(unavailable))
            raise

    def directory(self) -> Path:
        """The run's own, below which all lies that it makes."""
        return self._bench.directory

    def started(self, pid: int) -> None:
        """A process that must not outlive the run."""
        self._bench.workspace.started(pid)

    def lost(self, sentence: str) -> None:
        """No further case can be judged, and why."""
        self._unavailable = sentence

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> RunContext:
        """A worker with this process id has opened the engine. The header has what the first worker reports.

        ``unsupported`` has the clauses that do not apply, each with the reason.
        """
        if pid != os.getpid():
            self._bench.workspace.started(pid)
        listed = known(self._known_faults, next(iter(versions.values())))
        with self._lock:
            if self._header is None:
                self._header = run_header(
                    self._options,
                    seed=self._seed,
                    versions=versions,
                    unsupported=unsupported,
                    listed=listed,
                    plan=self.plan,
                    machine={**circumstances(self._bench.directory, self._options.kind), **self._chosen.machine},
                )
                if self._options.replay is None:
                    with self._writing():
                        self._writer = self._open.enter_context(RunWriter(self._options.report_dir / FILE_NAME))
                        self._writer.header(self._header)
                    self._findings = FindingsSoFar(self._header)
                    self._progress.start(self._header, seconds_of(self.plan, self._options.engine))
        return RunContext(self._seed, self._bench.directory, tuple(listed))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raises EngineUnavailable if the stream cannot be written: no case can be judged any more."""
        try:
            yield
        except OSError as error:
            self.lost(sentence_of(error, "The report"))
            raise EngineUnavailable(self._unavailable) from error

    def claim(self, clause: str, cause: str, severity: Severity, circumstances: Sequence[str]) -> bool:
        """Whether the caller shall shrink a case for this clause, cause and circumstances."""
        with self._lock:
            return self._claims.claim(clause, cause, severity, circumstances)

    def case(self, line: bytes) -> None:
        """Record a judged case, given the line of the stream that the worker has made."""
        with self._lock:
            if self._writer is None or self._findings is None:
                self._replayed = case_of(line)
                return
            with self._writing():
                case = self._writer.case(line)
            self._findings.take(case)
            self._judged.add((case.campaign, case.batch))
            if case.origin == "shrunk":
                self._claims.shrunk(case)
            self._progress.case(case)

    def finish(self, *, complete: bool, stopped: bool = False, mishaps: Sequence[str] = ()) -> int:
        """Close the stream, write the views, and return the exit code.

        A run that was ``stopped`` at a failure (``-x``) has a whole report, in which the clauses that did not fail are undecided.
        A run that is not complete gets no footer. Nor does one without a broken clause if tests failed for another reason
        (``mishaps``): what they would have found is unknown.
        """
        self._progress.stop()
        if self._unavailable:
            self._console.print(self._unavailable, highlight=False, markup=False, soft_wrap=True)
            complete = False  # whatever pytest says of the items that were skipped
        if self._options.replay is not None:
            return show_replay(self._console, self._replayed, proven=complete and not mishaps)
        missing = self._missing_batches()
        stopped = stopped and bool(missing) and self._broken
        if stopped:
            todo = f"{len(missing)} of {len(self.plan.batches)} test items were not judged"
            self._console.print(
                f"Stopped at a failure: {todo}, and only what failed is decided.", highlight=False, soft_wrap=True
            )
            missing = []
        elif missing and complete and self._header is not None:
            self._console.print(f"Not judged: {', '.join(missing)}.", highlight=False)
        if self._header is None or self._writer is None or self._findings is None or not complete or missing:
            self._console.print("The run did not complete: it says nothing about the engine.", highlight=False)
            return 2
        version = self._header.version
        today = date.today()
        found = verdicts(
            self._findings.judged,
            self._header,
            known_faults=in_force(self._known_faults, version=version, today=today),
            ended=ended(self._known_faults, version=version, today=today),
            stopped=stopped,
        )
        part = self.plan.part is not None
        footer = footer_of(found, self._findings.judged, seconds=time.monotonic() - self._began, part=part)
        if mishaps and footer.exit != 1:
            self._console.print(
                f"The suite itself failed in {', '.join(mishaps)}: the run is INCONCLUSIVE.", highlight=False
            )
            return 2
        cases = self._writer.cases()
        failed = self._findings.failures(found, cases.of_line)
        clauses = [clause for clause, one in found.items() if one.verdict is Verdict.FAILS]
        contradicted = self._write_counterexamples(failed, clauses, header=self._header)
        if contradicted and Verdict.LISTED_BUT_GONE not in footer.counts:
            footer = replace(footer, exit=2)
        run = Run(self._header, cases, self._writer.footer(footer))
        self._findings.finished(run, failed)
        self._write_report(run, failed)
        if footer.steps >= WARM:
            # Only for the next run: an interrupt leaves the cache out, and the answer stands.
            with suppress(KeyboardInterrupt):
                self._bench.provider.keep_startup_cache(partial(self._console.print, highlight=False, soft_wrap=True))
        return footer.exit

    def interrupted(self) -> int:
        """The user ends the run: say so, and return the exit code. The stream gets no footer."""
        self._progress.stop()
        self._console.print(INTERRUPTED, highlight=False, soft_wrap=True)
        return INTERRUPTED_CODE

    @property
    def _broken(self) -> bool:
        """Whether a case breaks a clause in a way that no known fault excuses."""
        return self._findings is not None and any(tally.failed for tally in self._findings.judged.tallies.values())

    def _missing_batches(self) -> list[str]:
        """The planned batches without a case: deselected, or lost with their worker."""
        return [batch.name for batch in self.plan.batches if (batch.campaign.name, batch.number) not in self._judged]

    def _write_counterexamples(self, found: Sequence[Failure], failed: Sequence[str], *, header: Header) -> bool:
        """Write them and run their scripts; whether these contradict the verdict on each clause that failed."""
        checked = write_counterexamples(
            found,
            header=header,
            dialects=self._chosen.kind.dialects_of(header.versions),
            directory=self._options.report_dir,
            workspace=self._bench.directory,
            scripts=self._options.scripts,
        )
        _, all_contradicted = disagreements(checked, failed)
        return all_contradicted

    def _write_report(self, run: Run, found: Sequence[Failure]) -> None:
        """The views (none for a part of a run), and the text on the terminal."""
        directory, proposal = self._options.report_dir, self._options.propose_known_faults
        if run.header.shard is None:
            write_views(run, directory)
        if proposal is not None:
            shown = [(clause, example) for clause, own in examples(found).items() for example in own]
            wrong = [(clause, example.violation.message, example.cause) for clause, example in shown]
            proposal.write_text(proposed(wrong, version=run.header.version), encoding="utf-8")
        if self._options.verbose:
            self._console.print()  # pytest's line of the last test has no end yet
        if self._options.brief:
            show_answer(run, self._console)
        else:
            tell_of_run(run, self._console, directory / "summary.md" if run.header.shard is None else None)
            show_run(run, self._console, directory=directory, verbose=self._options.verbose)


def remote_controller(caller: Caller) -> Controller:
    """The controller's ``handlers``, for a worker in another process."""

    class Remote:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            return partial(caller.call, name)

    return cast("Controller", Remote())


def _seed(options: Options) -> int:
    if options.seed is not None:
        return options.seed
    return FIXED_SEED if options.profile.fixed else time.time_ns() % 2**32
