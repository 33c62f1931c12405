"""``python -m tests.net OUT``: what a change of the code's shape must leave as it is, as text files for ``diff -r``.

- ``verdicts/``: every case of the gate on the reference engine and on delta-rs: its steps as recorded, how often it exercises
  each clause, what it violates.
- ``counterexamples/``: the script and the explanation of each violation of each known-bad engine's witness, for both engines.
- ``reports/``: the views of the kept runs (``docs/demo``), and of their comparisons, both ways.

Run it in a checkout before the change (``git worktree add``) and in the one with it. Nothing in the files depends on the
machine, or on when they were made. It takes a minute or two. Smoke on Spark: ``python -m reports compare`` of two runs.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console

from engines.deltalake.adapter import installed
from engines.deltalake.script import DeltalakeScript
from engines.dialect import DialectFor
from engines.provider import kind_of
from faults import FAULTS, KnownBadEngine
from harness.campaigns.drawing import fixed_cases
from harness.campaigns.record import case_record
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from records.json_form import to_json
from reports.comparison.comparison import compare
from reports.comparison.prediction import prediction_between
from reports.counterexamples.explanation import explanation
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import reproduction
from reports.document.terminal import show
from reports.render.comparison.document import comparison_document
from reports.render.comparison.files import write_comparison
from reports.render.files import write_views
from reports.render.terminal import show_run
from reports.stream.reading import read_run
from runner.demo import KEPT
from runner.run.controller import FIXED_SEED
from selfcheck.engine_pool import PooledEngine, hosted
from strategies.restriction.capabilities import restricted_to
from suites.campaigns import batches
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests import scripts
from tests.find_witnesses import imitating, witness

#: The commands and packages of the scripts of each engine, and its rules.
SCRIPTS: dict[str, tuple[DialectFor, Rules]] = {
    "spark": (scripts.SPARK, SPARK),
    "deltalake": (partial(DeltalakeScript, pip=f"deltalake=={installed()}"), DELTA_RS),
}


#: What differs from run to run in a text: ids, times since 1970 in ms, and spans of time that were measured.
_OF_THE_RUN = re.compile(
    "|".join(
        (
            r"(?<=tombstone-)[a-z0-9_]{8}\b",
            r"(?<=[/\"])[0-9A-Za-z]{2}(?=/part-)",
            r"(?<=references unknown column: )[^\"]+",  # one of several
            r"\b1[0-9]{12}\b",
            r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
            r"(?<=start [+-] )(\d+ (d|h|min) )*\d+\.\d+ s\b",
        )
    )
)


def write(file: Path, text: str) -> None:
    """Write a text, with a star for what differs from run to run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_OF_THE_RUN.sub("*", text), encoding="utf-8", errors="backslashreplace")


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def of_case(judged: JudgedCase) -> Iterable[str]:
    """The lines of a judged case, without the time that it took."""
    line = to_json(case_record(judged, campaign="net", batch=0, index=0, origin="generated"))
    yield f"case {line['id']}: {', '.join(line['features'])}; {_json(line['coverage'])}; {_json(line['error'])}"
    for step in line["steps"]:
        yield f"  {step['index']} {step['kind']}: {step['text']}: {_json(step['outcome'])} {_json(step['observed'])}"
    for id, result in sorted(line["clauses"].items()):
        yield f"  {id} {result['verdict']}, {result['met']}, {result['subjects']}"
    for violation in line["violations"]:
        own = {name: value for name, value in violation.items() if name not in ("message", "evidence")}
        yield f"  {violation['clause']} at {violation['step']}: {_json(own)}"


def verdicts(engine: str) -> Iterable[str]:
    """Every case of the gate, and every kept one."""
    with hosted(engine) as host:
        worker = PooledEngine(host)
        judge = worker.judge()
        try:
            for batch in batches(PROFILES["gate"], ()):
                for case in fixed_cases(batch, FIXED_SEED, worker.engine.capabilities):
                    yield from of_case(judge.judge(case))
        finally:
            worker.engine.close()


def write_counterexamples(out: Path, name: str, engine: str, tables: Path) -> None:
    """The scripts and explanations of what a known-bad engine's witness violates, by the commands of this engine."""
    case = restricted_to(witness(name), capabilities=kind_of(engine).capabilities_of(None))
    bad = KnownBadEngine(imitating(FAULTS[name]), FAULTS[name])
    judged = Judge(bad, list(CATALOGUE.values()), tables).judge(case)
    (dialect, rules), found = SCRIPTS[engine], scripts.recorded(judged)
    for id in judged.failed:
        violation = next(one for one in found.violations if one.clause == id)
        clause = scripts.listed(id)
        text = reproduction(reproduction_plan(found, violation, clause), dialect)
        write(out / f"{name}-{id}-{engine}.py", text)
        # The message and the evidence quote what the engine wrote, with times and in any order.
        seen = replace(violation, message="", evidence=())
        text = explanation(found, seen, clause, replay="the command", own_clock=rules.own_clock)
        write(out / f"{name}-{id}-{engine}.md", text)


def write_reports(out: Path) -> None:
    """The views of the kept runs and comparisons, with the terminal's."""
    runs = {str(path.parent.relative_to(KEPT)): read_run(path) for path in sorted(KEPT.rglob("run.jsonl.gz"))}
    for name, run in runs.items():
        write_views(run, out / name)
        shown = io.StringIO()
        show_run(run, Console(file=shown, width=80), verbose=True)
        write(out / name / "terminal.txt", shown.getvalue())
    for base, candidate in (("base", "candidate"), ("candidate", "base"), ("base", "base")):
        found = compare(runs[f"upgrade/{base}"], runs[f"upgrade/{candidate}"], prediction_between)
        folder = out / f"{base}-{candidate}"
        write_comparison(found, folder)
        shown = io.StringIO()
        show(comparison_document(found, directory=Path("report")), Console(file=shown, width=80), whole=True)
        write(folder / "terminal.txt", shown.getvalue())


def main(arguments: list[str]) -> int:
    out = Path(*arguments)
    if out.exists():
        print(f"{out} exists: name a directory that does not.", file=sys.stderr)
        return 2
    for engine in ("model", "deltalake"):
        write(out / "verdicts" / f"{engine}.txt", "".join(f"{line}\n" for line in verdicts(engine)))
    with tempfile.TemporaryDirectory(prefix="tombstone-") as tables:
        for engine, name in product(SCRIPTS, FAULTS):
            write_counterexamples(out / "counterexamples", name, engine, Path(tables))
    write_reports(out / "reports")
    for file in filter(Path.is_file, (out / "reports").rglob("*")):
        write(file, file.read_text(encoding="utf-8").replace(str(out), "OUT"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
