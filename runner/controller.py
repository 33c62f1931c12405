"""The run as a whole: its engine process, its directory, its stream, and at its end the views and the exit code."""

from __future__ import annotations

import os
import platform
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from importlib.metadata import version
from typing import Any

from rich.console import Console

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.provider import provider_for
from model.codec import from_json
from reports.counterexamples import write_counterexample
from reports.deviations import in_force, proposed
from reports.reproduction import InvalidPlan
from reports.stream import SCHEMA_VERSION, RunWriter, read_run
from reports.verdicts import counterexample, footer_of, verdicts
from reports.views.files import write_views
from reports.views.terminal import Progress, show
from runner.deviations import deviations_in, known
from runner.options import Options, UsageMistake
from runner.referee import selected_clauses
from runner.workspace import Workspace
from suites.campaigns import EXPLORATION, REGRESSIONS, selected, shards
from harness.clause import CATALOGUE, Clause
from suites.regressions import kept_cases
from harness.reproduction_plan import reproduction_plan

#: The seed of the profiles that draw the same cases on each run. It is one of those with which the smoke profile meets
#: every clause and shows every known-bad engine (tests/test_profiles.py), and the gate meets each clause 20 times
#: (tests/gate_counts.py).
FIXED_SEED = 4


class Controller:
    """Owns everything of a run that there is one of. Workers call ``lease``, ``begin`` and ``case``."""

    def __init__(self, options: Options, console: Console) -> None:
        self._options = options
        self._console = console
        self._began = time.monotonic()
        self._seed = self._choose_seed()
        self._header: dict[str, Any] | None = None
        self._claimed: set[str] = set()
        self._lock = threading.Lock()
        self._lines: list[dict[str, Any]] = []
        self._writer: RunWriter | None = None
        self._open = ExitStack()
        self._progress = Progress(console)
        self._deviations = deviations_in(options.deviations)
        if options.replay is None:
            self._prepare_report()
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

    def _choose_seed(self) -> int:
        if self._options.seed is not None:
            return self._options.seed
        return FIXED_SEED if self._options.profile.fixed else time.time_ns() % 2**32

    def _prepare_report(self) -> None:
        directory = self._options.report_dir
        try:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / "run.jsonl").write_text("")
            for view in ("junit.xml", "summary.md"):  # a run that dies must not leave the views of the one before
                (directory / view).unlink(missing_ok=True)
            for case in directory.glob("counterexamples/*/case.json"):
                shutil.rmtree(case.parent)
        except OSError as error:
            raise UsageMistake(
                f"--report-dir {directory} cannot be written ({error.strerror}): name another."
            ) from error

    def start(self) -> None:
        """Start the engine. Raises EngineUnavailable."""
        self._provider.start()

    def lease(self, lost: int) -> Any:
        return self._provider.lease(lost)

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        """A worker's engine is up. The first one's versions go into the header, and what is not held against it."""
        if pid != os.getpid():
            self._workspace.started(pid)
        engine_version = next(iter(versions.values()))
        listed = known(self._deviations, engine_version)
        with self._lock:
            self._write_header(versions, unsupported)
        return {"seed": self._seed, "listed": listed, "directory": str(self._workspace.directory)}

    def _write_header(self, versions: dict[str, str], unsupported: dict[str, str]) -> None:
        if self._header is None:
            self._header = self._make_header(versions, unsupported)
            if self._options.replay is None:
                self._writer = self._open.enter_context(RunWriter(self._options.report_dir / "run.jsonl"))
                self._writer.header(self._header)
                self._progress.start(self._header)

    def _make_header(self, versions: dict[str, str], unsupported: dict[str, str]) -> dict[str, Any]:
        options = self._options
        return {
            "type": "header",
            "schema": SCHEMA_VERSION,
            "engine": options.engine,
            "versions": {**versions, "hypothesis": version("hypothesis")},
            "profile": options.profile.name,
            "seed": self._seed,
            "known_bad": options.known_bad,
            "platform": platform.platform(),
            "clauses": [self._clause_entry(clause, unsupported) for clause in CATALOGUE.values()],
            "campaigns": [
                {"name": campaign.name, "planned": options.profile.cases[campaign.name]}
                for campaign in selected(options.clauses)
            ]
            + [{"name": REGRESSIONS.name, "planned": len(kept_cases())}]
            + [{"name": EXPLORATION.name, "planned": options.profile.machine_runs}]
            * (options.profile.machine_runs > 0),
        }

    def _clause_entry(self, clause: Clause[Any], unsupported: dict[str, str]) -> dict[str, Any]:
        status, reason = "active", ""
        if clause not in selected_clauses(self._options):
            status, reason = "disabled", "It is not among those that --clause selects."
        elif clause.id in unsupported:
            status, reason = "unsupported", unsupported[clause.id]
        return {
            "id": clause.id,
            "chapter": clause.chapter,
            "sentence": clause.sentence,
            "sources": list(clause.sources),
            "status": status,
            "reason": reason,
        }

    def claim(self, clause: str) -> bool:
        """True for the first that asks: one small case for each clause is enough."""
        with self._lock:
            first = clause not in self._claimed
            self._claimed.add(clause)
            return first

    def case(self, line: dict[str, Any]) -> None:
        """A judged case."""
        with self._lock:
            self._lines.append(line)
            if self._writer is not None:
                self._writer.case(line)
                self._progress.case(line)

    def finish(self, *, complete: bool, mishaps: Sequence[str] = ()) -> int:
        """Close the stream, make the views, and say the exit code.

        A run that is not complete gets no footer; nor does one that broke no promise in which tests failed for reasons
        of our own (``mishaps``): what they would have found is not known.
        """
        self._progress.stop()
        if self._options.replay is not None:
            return self._tell_replay(proven=complete and not mishaps)
        missing = self._missing_shards()
        if missing and complete and self._header is not None:
            self._console.print(f"Not all was judged; missing: {', '.join(missing)}.", highlight=False)
        if self._header is None or self._writer is None or not complete or missing:
            self._console.print("The run did not come to its end: it says nothing about the engine.", highlight=False)
            return 2
        engine_version = next(iter(self._header["versions"].values()))
        deviations = in_force(self._deviations, version=engine_version, today=date.today())
        results = verdicts(self._header, self._lines, deviations=deviations)
        footer = footer_of(results, self._lines, seconds=time.monotonic() - self._began)
        if mishaps and footer["exit"] != 1:
            self._console.print(f"The suite itself failed in {', '.join(mishaps)}: nothing is proven.", highlight=False)
            return 2
        self._writer.footer(footer)
        directory = self._options.report_dir
        for result in results:
            if result.verdict.value == "fail":
                self._write_counterexample(result.clause)
        run = read_run(directory)
        write_views(run, directory)
        if self._options.propose_deviations is not None:
            seen = [(one.clause, self._seen_of(one.clause)) for one in results if one.verdict.value == "fail"]
            self._options.propose_deviations.write_text(proposed(seen, version=engine_version), encoding="utf-8")
        show(run, self._console, directory=directory)
        return int(footer["exit"])

    def _missing_shards(self) -> list[str]:
        """The shards of the plan from which no case came: deselected, or lost with their worker."""
        came = {(line["campaign"], line["shard"]) for line in self._lines}
        planned = shards(self._options.profile, self._options.clauses)
        return [shard.name for shard in planned if (shard.campaign.name, shard.number) not in came]

    def _write_counterexample(self, clause: str) -> None:
        assert self._header is not None
        line = counterexample(clause, self._lines)
        if line is None:
            return
        violation = next(one for one in line["violations"] if one["clause"] == clause)
        case = from_json(line["case"])
        entry = next(one for one in self._header["clauses"] if one["id"] == clause)
        plan = reproduction_plan(
            case,
            line=line,
            violation=violation,
            clause=entry,
            packages=self._provider.packages,
            operation=self._provider.operation,
        )
        try:
            write_counterexample(
                self._options.report_dir, case=case, line=line, violation=violation, clause=entry, plan=plan
            )
        except InvalidPlan as invalid:
            raise RuntimeError(f"No script can be made for {clause}, case {line['id']}: {invalid}") from invalid

    def _seen_of(self, clause: str) -> str:
        """What was seen in the case to show for a clause that failed."""
        line = counterexample(clause, self._lines)
        violations = line["violations"] if line is not None else []
        return next((str(one["message"]) for one in violations if one["clause"] == clause), "")

    def _tell_replay(self, *, proven: bool) -> int:
        if not self._lines or not proven:
            self._console.print("ERROR: the case was not judged to its end.", highlight=False)
            return 2
        line = self._lines[-1]
        if line["error"] is not None:
            self._console.print(f"ERROR: {line['error']['message']}", highlight=False, markup=False)
            return 2
        said = {"fail": "FAILED", "xfail": "KNOWN"}  # what the deviations list is neither failed nor fixed
        broken = [(line["clauses"][one["clause"]]["verdict"], one) for one in line["violations"]]
        for verdict, one in broken:
            text = f"{said[verdict]}: {one['clause']}: {one['message']}"
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
        met = sum(result["met"] > 0 for result in line["clauses"].values())
        if not broken and not met:
            self._console.print(f"ERROR: case {line['id']} meets no clause: it shows nothing.", highlight=False)
            return 2
        if not broken:
            self._console.print(f"FIXED: case {line['id']} keeps all {met} clauses that it meets.", highlight=False)
        return 1 if any(verdict == "fail" for verdict, _ in broken) else 0

    def close(self) -> None:
        """End the engine and remove the run's directory."""
        self._open.close()
        self._provider.close()
        self._workspace.close()
